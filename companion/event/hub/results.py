"""How a table ended: one description of the data to enter, for the desk, phones, slips, boxes and programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from companion.event.facts import LOSS_DRAW, Result, drawn, forfeited, scored, won
from companion.event.refused import EventRefused
from companion.event.settings import Format
from companion.event.state import Event, RoundTable
from companion.game.says import Says, listed
from companion.game.whole import whole_of

MOST_POINTS = 100_000
MOST_ROUNDS = 1_000


class _Kind(StrEnum):
    """The parts of a result."""

    CHOICE = "choice"
    """Two at a table: one of a few ends."""
    PLACES = "places"
    """More at a table: a place for each."""
    SCORES = "scores"
    """The game's own points for each."""
    ROUNDS = "rounds"
    """The game's own points and the rounds won, for each."""


@dataclass(frozen=True, slots=True)
class EndChoice:
    """One way a table of two may have ended."""

    key: str
    says: Says
    is_for_referees: bool = False


@dataclass(frozen=True, slots=True)
class NumberField:
    """A whole number to enter for one seat; `key` is its name in an answer."""

    key: str
    seat: int
    """From 0."""
    what: Says
    says: Says
    """The same with the name of the person in that seat."""
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Form:
    """The data to enter for a table's end: one of the choices, or else all numbers.

    An answer holds ``end``, the key of a choice, or each number's key. `result_of` reads it, `answer_of` writes it.
    """

    choices: tuple[EndChoice, ...] = ()
    numbers: tuple[NumberField, ...] = ()


def form_of(event: Event, seats: Sequence[str], *, is_referee: bool = True) -> Form:
    """The form for a table's end. Only a referee may enter that somebody did not come."""
    names = [event.says(who) for who in seats]
    if (kind := _kind(event, seats)) is _Kind.CHOICE:
        return Form(choices=tuple(each for each in _choices(names) if is_referee or not each.is_for_referees))
    return Form(
        numbers=tuple(
            NumberField(f"{key}{seat}", seat, what, says, 0 if is_referee else least, most)
            for seat, name in enumerate(names)
            for key, what, says, least, most in _numbers(kind, len(seats), name)
        )
    )


def _kind(event: Event, seats: Sequence[str]) -> _Kind:
    match event.settings.format:
        case Format.GOAL:
            return _Kind.ROUNDS
        case Format.LIMIT:
            return _Kind.SCORES
    return _Kind.CHOICE if len(seats) == 2 else _Kind.PLACES


def _choices(names: Sequence[str]) -> tuple[EndChoice, ...]:
    return (
        *(EndChoice(f"won{at}", Says("{name} won", {"name": name})) for at, name in enumerate(names)),
        EndChoice("draw", Says("Draw")),
        EndChoice("loss_draw", Says("Both lost at the same moment")),
        *(EndChoice(f"no{at}", Says("{name} did not come", {"name": name}), True) for at, name in enumerate(names)),
        EndChoice("nobody", Says("Nobody came"), True),
    )


def _numbers(kind: _Kind, of: int, name: str) -> list[tuple[str, Says, Says, int, int]]:
    """The numbers of one seat: key, words, words with the name, least and most."""
    whose = {"name": name}
    if kind is _Kind.PLACES:
        return [("place", Says("Place"), Says("Place of {name}", whose), 1, of)]
    points = ("score", Says("Points"), Says("Points of {name}", whose), 0, MOST_POINTS)
    if kind is _Kind.SCORES:
        return [points]
    return [points, ("rounds", Says("Rounds won"), Says("Rounds won by {name}", whose), 0, MOST_ROUNDS)]


def result_of(event: Event, seats: Sequence[str], answer: Mapping[str, str]) -> Result:
    """A result from an answer to the form. Raises: EventRefused."""
    of, form = len(seats), form_of(event, seats)
    if form.choices:
        ends = {"draw": drawn(), "loss_draw": LOSS_DRAW, "nobody": forfeited(0, 1)}
        ends |= {f"won{at}": won(at) for at in range(of)} | {f"no{at}": forfeited(at) for at in range(of)}
        if answer.get("end", "") not in ends:
            raise EventRefused("choose how the table ended")
        return ends[answer["end"]]
    told = {each.key: _told(answer, each) for each in form.numbers}
    if "place0" in told:
        return _of_places([told[f"place{at}"] for at in range(of)])
    points, rounds = ([told[f"{key}{at}"] for at in range(of) if f"{key}{at}" in told] for key in ("score", "rounds"))
    return scored(*points, fewer_wins=event.settings.format is Format.LIMIT, rounds_won=tuple(rounds))


def answer_of(event: Event, seats: Sequence[str], result: Result) -> dict[str, str]:
    """The form's answer for a result; numbers that the result lacks are left out."""
    told: dict[str, Sequence[int]]
    match _kind(event, seats):
        case _Kind.CHOICE:
            return {"end": key_of(result)}
        case _Kind.PLACES:
            told = {"place": [0 if at in result.absent else place for at, place in enumerate(result.places)]}
        case _Kind.SCORES:
            told = {"score": result.scores}
        case _Kind.ROUNDS:
            told = {"score": result.scores, "rounds": result.rounds_won}
    return {f"{key}{at}": str(number) for key, numbers in told.items() for at, number in enumerate(numbers)}


def check_whole(event: Event, seats: Sequence[str], result: Result) -> None:
    """A result must answer the whole form, whoever sends it. Raises: EventRefused."""
    result_of(event, seats, answer_of(event, seats, result))


def is_same(event: Event, seats: Sequence[str], one: Result, other: Result) -> bool:
    """Whether two results give the same answer to the form; a box reports more than the form asks."""
    return answer_of(event, seats, one) == answer_of(event, seats, other)


def _of_places(given: Sequence[int]) -> Result:
    """Places as typed, where two may share one: the next is then one more for each before it. 0: did not come."""
    absent = tuple(at for at, place in enumerate(given) if place == 0)
    rank = [place or len(given) + 1 for place in given]
    return Result(places=tuple(1 + sum(other < mine for other in rank) for mine in rank), absent=absent)


def _told(answer: Mapping[str, str], asked: NumberField) -> int:
    text = answer.get(asked.key, "").strip()
    values = {"what": asked.says, "least": asked.least, "most": asked.most}
    if not text:
        raise EventRefused("{what} is missing: expected {least} to {most}", **values)
    number = whole_of(text)
    if number is None or not asked.least <= number <= asked.most:
        raise EventRefused("{what}: {found} is not a number from {least} to {most}", found=text[:20], **values)
    return number


def key_of(result: Result) -> str:
    """The key of the choice for a result of two."""
    if result.absent:
        return "nobody" if len(result.absent) > 1 else f"no{result.absent[0]}"
    if result.loss_draw:
        return "loss_draw"
    return "draw" if result.winner is None else f"won{result.winner}"


def said(event: Event, seats: Sequence[str], result: Result) -> Says:
    """A result in words, also an impossible one that a box reported."""
    names, kind = [event.says(who) for who in seats], _kind(event, seats)
    if len(result.places) != len(seats):
        return Says("places {places}", {"places": ", ".join(map(str, result.places))})
    if kind is _Kind.CHOICE:
        return next(each.says for each in _choices(names) if each.key == key_of(result))
    if kind is not _Kind.PLACES and len(result.scores) == len(seats):
        return listed([_points(result, at, name) for at, name in enumerate(names)])
    order = sorted(range(len(seats)), key=lambda at: result.places[at])
    return listed([_place(result, at, names[at]) for at in order])


def _place(result: Result, at: int, name: str) -> Says:
    template = "{name} did not come" if at in result.absent else "{place}. {name}"
    return Says(template, {"place": result.places[at], "name": name})


def _points(result: Result, at: int, name: str) -> Says:
    values = {"name": name, "score": result.scores[at]}
    if len(result.rounds_won) != len(result.scores):
        return Says("{name} {score}", values)
    return Says("{name} {score} (rounds won: {rounds})", {**values, "rounds": result.rounds_won[at]})


def short(table: RoundTable) -> str:
    """A result of two in the fewest signs.

    >>> short(RoundTable(("a", "b"), won(1))), short(RoundTable(("a", "b"), LOSS_DRAW)), short(RoundTable(("a", "b")))
    ('0 - 1', '½ - ½ (both lost)', '')
    """
    result = table.result
    if result is None:
        return ""
    if result.scores:
        return " - ".join(map(str, result.scores))
    if len(table.seats) != 2:
        return " - ".join(f"{place}." for place in result.places)
    signs = {"won0": "1 - 0", "won1": "0 - 1", "draw": "½ - ½", "loss_draw": "½ - ½ (both lost)"}
    forfeits = {"no0": "- / +", "no1": "+ / -", "nobody": "- / -"}
    return (signs | forfeits)[key_of(result)]
