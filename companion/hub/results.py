"""How a table ended, from what people tap or type, and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from companion.hub.typed import whole
from companion.says import Says, listed
from companion.tournament.facts import LOSS_DRAW, Result, drawn, forfeited, scored, won
from companion.tournament.refused import Refused
from companion.tournament.settings import Format, Settings
from companion.tournament.state import Event, Table

MOST_POINTS = 100_000


class Asks(StrEnum):
    """What a result is made of."""

    CHOICE = "choice"
    """Two at a table: one of a few ends."""
    PLACES = "places"
    """More at a table: a place for each."""
    SCORES = "scores"
    """The game's own points for each."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One way a table of two may have ended."""

    key: str
    says: Says
    is_for_referees: bool = False


def asks(settings: Settings, seats: int) -> Asks:
    """What has to be said of a table."""
    if settings.format in (Format.LIMIT, Format.GOAL):
        return Asks.SCORES
    return Asks.CHOICE if seats == 2 else Asks.PLACES


def choices(event: Event, seats: Sequence[str]) -> tuple[Choice, ...]:
    """The ways a table may have ended; those where somebody did not come are for referees."""
    names = [event.says(who) for who in seats]
    absent = [Choice(f"no{at}", Says("{name} did not come", {"name": name}), True) for at, name in enumerate(names)]
    if asks(event.settings, len(seats)) is not Asks.CHOICE:
        return ()
    return (
        *(Choice(f"won{at}", Says("{name} won", {"name": name})) for at, name in enumerate(names)),
        Choice("draw", Says("Draw")),
        Choice("loss_draw", Says("Both lost in the same moment")),
        *absent,
        Choice("nobody", Says("Nobody came"), True),
    )


def result_of(event: Event, seats: Sequence[str], given: Mapping[str, str]) -> Result:
    """A result from a form: `end`, or for each seat `place0`.. or `score0`.. with `rounds0`... Raises: Refused."""
    of = len(seats)
    match asks(event.settings, of):
        case Asks.CHOICE:
            ends = {"draw": drawn(), "loss_draw": LOSS_DRAW, "nobody": forfeited(0, 1)}
            ends |= {f"won{at}": won(at) for at in range(of)} | {f"no{at}": forfeited(at) for at in range(of)}
            if given.get("end", "") not in ends:
                raise Refused("choose how the table ended")
            return ends[given["end"]]
        case Asks.PLACES:
            return _of_places([_number(given, f"place{at}", of + 1) for at in range(of)])
        case Asks.SCORES:
            points = [_number(given, f"score{at}", MOST_POINTS) for at in range(of)]
            rounds = [_number(given, f"rounds{at}", 1000) for at in range(of)] if _counts_rounds(event) else []
            is_limit = event.settings.format is Format.LIMIT
            return scored(*points, fewer_wins=is_limit, rounds_won=tuple(rounds))


def _counts_rounds(event: Event) -> bool:
    return event.settings.format is Format.GOAL


def _of_places(given: Sequence[int]) -> Result:
    """Places as typed, where two may share one: the next is then one more for each before it. 0: did not come."""
    absent = tuple(at for at, place in enumerate(given) if place == 0)
    rank = [place or len(given) + 1 for place in given]
    return Result(places=tuple(1 + sum(other < mine for other in rank) for mine in rank), absent=absent)


def _number(given: Mapping[str, str], key: str, most: int) -> int:
    text = given.get(key, "").strip()
    number = whole(text)
    if number is None or number > most:
        raise Refused("{found} is no such number, expected 0 to {most}", found=text[:20] or "nothing", most=most)
    return number


def key_of(result: Result) -> str | None:
    """The choice that a result of two is."""
    if result.absent:
        return "nobody" if len(result.absent) > 1 else f"no{result.absent[0]}"
    if result.loss_draw:
        return "loss_draw"
    return "draw" if result.winner is None else f"won{result.winner}"


def said(event: Event, seats: Sequence[str], result: Result) -> Says:
    """A result in words."""
    names = [event.says(who) for who in seats]
    if result.scores:
        pairs = [
            Says("{name} {score}", {"name": name, "score": n}) for name, n in zip(names, result.scores, strict=True)
        ]
        return listed(pairs)
    if len(seats) == 2:
        return next(each.says for each in choices(event, seats) if each.key == key_of(result))
    order = sorted(range(len(seats)), key=lambda at: result.places[at])
    told = []
    for at in order:
        template = "{name} did not come" if at in result.absent else "{place}. {name}"
        told.append(Says(template, {"place": result.places[at], "name": names[at]}))
    return listed(told)


def short(table: Table) -> str:
    """A result of two in the fewest signs.

    >>> short(Table(("a", "b"), won(1))), short(Table(("a", "b"), LOSS_DRAW)), short(Table(("a", "b")))
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
    return (signs | forfeits)[key_of(result) or "draw"]
