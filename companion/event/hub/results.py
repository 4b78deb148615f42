"""The result form of a table: one description of its fields, for the desk, phones, slips, boxes and programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from companion.event.facts import LOSS_DRAW, Result, drawn, forfeited, scored, won
from companion.event.refused import EventRefused
from companion.event.settings import Format, ResultKind, Settings
from companion.event.state import Event, RoundTable
from companion.game.says import Says, listed
from companion.game.whole import whole_of

MOST_POINTS = 100_000
MOST_ROUNDS = 1_000
NOT_HERE = "-"
"""Typed by a referee in place of points: did not come."""


class _Kind(StrEnum):
    CHOICE = "choice"
    """Two at a table: one of a few ends."""
    SERIES = "series"
    """Two at a table: the games that each won, one of a few pairs."""
    PLACES = "places"
    """More at a table: a place for each."""
    SCORES = "scores"
    ROUNDS = "rounds"


@dataclass(frozen=True, slots=True)
class EndChoice:
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
    """The seat with the name of the person in it."""
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Form:
    """The data to enter for a table's end: a choice (``end``), or all numbers by their keys."""

    choices: tuple[EndChoice, ...] = ()
    numbers: tuple[NumberField, ...] = ()
    about: Says | None = None
    """The unit that is counted, if the choices do not say it."""


def form_of(event: Event, seats: Sequence[str], *, is_referee: bool = True) -> Form:
    """The form for a table's end. Only a referee may enter that somebody did not come."""
    names, settings = [event.says(who) for who in seats], event.settings
    kind = _kind(event, seats)
    if kind in (_Kind.CHOICE, _Kind.SERIES):
        never = {"draw": not settings.has_draws, "loss_draw": not settings.has_loss_draws}
        ends = _choices(names) if kind is _Kind.CHOICE else (*_series(settings, names), *_choices(names)[-3:])
        offered = (each for each in ends if not never.get(each.key) and (is_referee or not each.is_for_referees))
        return Form(choices=tuple(offered), about=_about(settings) if kind is _Kind.SERIES else None)
    return Form(
        numbers=tuple(
            NumberField(f"{key}{seat}", seat, what, says, min(0, least) if is_referee else least, most)
            for seat, name in enumerate(names)
            for key, what, says, least, most in _numbers(kind, settings, len(seats), name)
        )
    )


def _kind(event: Event, seats: Sequence[str]) -> _Kind:
    settings = event.settings
    match settings.format, settings.result:
        case Format.GOAL, _:
            return _Kind.ROUNDS if settings.round_bonus else _Kind.SCORES
        case (Format.LIMIT, _) | (_, ResultKind.POINTS):
            return _Kind.SCORES
        case _, ResultKind.SERIES:
            return _Kind.SERIES
    return _Kind.CHOICE if len(seats) == 2 else _Kind.PLACES


def _about(settings: Settings) -> Says:
    values = {"n": settings.best_of, "unit": settings.unit}
    return Says("Best of {n} {unit}" if settings.unit else "Best of {n} games", values)


def _series(settings: Settings, names: Sequence[str]) -> list[EndChoice]:
    """The ends of a series; if draws are allowed, it may end undecided."""
    of, need = settings.best_of, settings.best_of // 2 + 1
    pairs = [(a, b) for a in range(need + 1) for b in range(need + 1) if a + b <= of and (a, b) != (need, need)]
    pairs = [pair for pair in pairs if settings.has_draws or need in pair]
    return [_games(names, pair) for pair in sorted(pairs, key=lambda pair: (pair[1] - pair[0], -pair[0]))]


def _games(names: Sequence[str], won_by: Sequence[int]) -> EndChoice:
    a, b = won_by
    values = {"name": names[0 if a > b else 1], "mine": max(a, b), "theirs": min(a, b)}
    return EndChoice(f"{a}-{b}", Says("Draw, {mine} : {theirs}" if a == b else "{name} won {mine} : {theirs}", values))


def _choices(names: Sequence[str]) -> tuple[EndChoice, ...]:
    return (
        *(EndChoice(f"won{at}", Says("{name} won", {"name": name})) for at, name in enumerate(names)),
        EndChoice("draw", Says("Draw")),
        EndChoice("loss_draw", Says("Both lost at the same moment")),
        *(EndChoice(f"no{at}", Says("{name} did not come", {"name": name}), True) for at, name in enumerate(names)),
        EndChoice("nobody", Says("Nobody came"), True),
    )


def _numbers(kind: _Kind, settings: Settings, of: int, name: str) -> list[tuple[str, Says, Says, int, int]]:
    """The numbers of one seat: key, words, words with the name, least and most."""
    whose = {"name": name, "unit": settings.unit}
    if kind is _Kind.PLACES:
        return [("place", Says("Place"), Says("Place of {name}", whose), 1, of)]
    least = 0 if settings.format in (Format.LIMIT, Format.GOAL) else -MOST_POINTS
    words = ("{unit}", "{unit} of {name}") if settings.unit else ("Points", "Points of {name}")
    points = ("score", Says(words[0], whose), Says(words[1], whose), least, MOST_POINTS)
    if kind is _Kind.SCORES:
        return [points]
    return [points, ("rounds", Says("Rounds won"), Says("Rounds won by {name}", whose), 0, MOST_ROUNDS)]


def result_of(event: Event, seats: Sequence[str], answer: Mapping[str, str]) -> Result:
    """A result from an answer to the form. Raises: EventRefused."""
    of, form = len(seats), form_of(event, seats)
    if form.choices:
        end = answer.get("end", "")
        if end not in {each.key for each in form.choices}:
            raise EventRefused("choose how the table ended")
        ends = {"draw": drawn(), "loss_draw": LOSS_DRAW, "nobody": forfeited(0, 1)}
        ends |= {f"won{at}": won(at) for at in range(of)} | {f"no{at}": forfeited(at) for at in range(of)}
        return ends[end] if end in ends else scored(*map(int, end.split("-")))
    is_limit = event.settings.format is Format.LIMIT
    absent = () if is_limit else tuple(at for at in range(of) if answer.get(f"score{at}", "").strip() == NOT_HERE)
    told = {each.key: 0 if each.seat in absent else _told(answer, each) for each in form.numbers}
    if "place0" in told:
        return _of_places([told[f"place{at}"] for at in range(of)])
    points, rounds = ([told[f"{key}{at}"] for at in range(of) if f"{key}{at}" in told] for key in ("score", "rounds"))
    result = scored(*points, fewer_wins=is_limit or event.settings.fewer_wins, rounds_won=tuple(rounds))
    if not absent:
        return result
    here = [0 if at in absent else place for at, place in enumerate(result.places)]
    return msgspec.structs.replace(_of_places(here), scores=result.scores, rounds_won=result.rounds_won)


def answer_of(event: Event, seats: Sequence[str], result: Result) -> dict[str, str]:
    """The form's answer for a result; numbers that the result lacks are left out."""
    told: dict[str, Sequence[int]]
    match _kind(event, seats):
        case _Kind.CHOICE:
            return {"end": key_of(result)}
        case _Kind.SERIES:
            return {"end": key_of(result) if result.absent else "-".join(map(str, result.scores))}
        case _Kind.PLACES:
            told = {"place": [0 if at in result.absent else place for at, place in enumerate(result.places)]}
        case _Kind.SCORES:
            told = {"score": result.scores}
        case _Kind.ROUNDS:
            told = {"score": result.scores, "rounds": result.rounds_won}
    answer = {f"{key}{at}": str(number) for key, numbers in told.items() for at, number in enumerate(numbers)}
    return answer | {key: NOT_HERE for at in result.absent if (key := f"score{at}") in answer}


def check_whole(event: Event, seats: Sequence[str], result: Result) -> None:
    """A result must answer the whole form, whoever sends it. Raises: EventRefused."""
    result_of(event, seats, answer_of(event, seats, result))


def is_same(event: Event, seats: Sequence[str], one: Result, other: Result) -> bool:
    """Whether two results give the same answer to the form; a box reports more than the form asks."""
    return answer_of(event, seats, one) == answer_of(event, seats, other)


def _of_places(given: Sequence[int]) -> Result:
    """The result for typed places. Two may share a place: the next place is then left out. 0: did not come."""
    absent = tuple(at for at, place in enumerate(given) if place == 0)
    rank = [place or len(given) + 1 for place in given]
    return Result(places=tuple(1 + sum(other < mine for other in rank) for mine in rank), absent=absent)


def _told(answer: Mapping[str, str], asked: NumberField) -> int:
    text = answer.get(asked.key, "").strip()
    values = {"what": asked.says, "least": asked.least, "most": asked.most}
    if not text:
        raise EventRefused("{what} is missing: expected {least} to {most}", **values)
    sign = -1 if text.startswith(("-", "\N{MINUS SIGN}")) else 1
    number = whole_of(text[1:] if sign < 0 else text)
    if number is None or not asked.least <= (number := sign * number) <= asked.most:
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
    if kind is _Kind.CHOICE or (kind is _Kind.SERIES and (result.absent or not result.scores)):
        return next(each.says for each in _choices(names) if each.key == key_of(result))
    if kind is _Kind.SERIES:
        return _games(names, result.scores).says
    if kind is not _Kind.PLACES and len(result.scores) == len(seats):
        return listed([_points(result, at, name) for at, name in enumerate(names)])
    order = sorted(range(len(seats)), key=lambda at: result.places[at])
    return listed([_place(result, at, names[at]) for at in order])


def _place(result: Result, at: int, name: str) -> Says:
    template = "{name} did not come" if at in result.absent else "{place}. {name}"
    return Says(template, {"place": result.places[at], "name": name})


def _points(result: Result, at: int, name: str) -> Says:
    values = {"name": name, "score": result.scores[at]}
    if at in result.absent:
        return Says("{name} did not come", values)
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
        return " - ".join("-" if at in result.absent else str(score) for at, score in enumerate(result.scores))
    if len(table.seats) != 2:
        return " - ".join("-" if at in result.absent else f"{place}." for at, place in enumerate(result.places))
    signs = {"won0": "1 - 0", "won1": "0 - 1", "draw": "½ - ½", "loss_draw": "½ - ½ (both lost)"}
    forfeits = {"no0": "- / +", "no1": "+ / -", "nobody": "- / -"}
    return (signs | forfeits)[key_of(result)]
