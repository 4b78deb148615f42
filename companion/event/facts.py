"""Facts of an event, as entries: who, when, what. An event is the fold of its entries; undo retracts one."""

import threading
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import msgspec

from companion.event.refused import EventRefused
from companion.event.settings import Settings, TieBreak
from companion.game.says import Says, says_json


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of a table; everything follows the order of its seats.

    >>> Result(places=(2, 1)).winner
    1
    """

    places: tuple[int, ...]
    """1 is best; equal places are a draw."""
    scores: tuple[int, ...] = ()
    """Points within the game, if it has them: for points difference, and what Limit and Goal count."""
    rounds_won: tuple[int, ...] = ()
    """Rounds of the game won at this sitting (Manipulation Rummy's bonus)."""
    absent: tuple[int, ...] = ()
    """Seats that forfeited, by number from 0."""
    loss_draw: bool = False
    """All lost in the same moment (Eyes of the Emperor): half a loss each."""

    @property
    def winner(self) -> int | None:
        """The seat that won alone."""
        return self.places.index(1) if self.places.count(1) == 1 else None


def won(seat: int, of: int = 2) -> Result:
    """One seat won, the others share the next place."""
    return Result(places=tuple(1 if at == seat else 2 for at in range(of)))


def drawn(of: int = 2) -> Result:
    return Result(places=(1,) * of)


LOSS_DRAW = Result(places=(1, 1), loss_draw=True)


def forfeited(*absent: int, of: int = 2) -> Result:
    """Some did not come; they share the last place."""
    last = 1 + (of - len(absent)) if len(absent) < of else 1
    return Result(places=tuple(last if at in absent else 1 for at in range(of)), absent=absent)


def scored(*scores: int, fewer_wins: bool = False, rounds_won: tuple[int, ...] = ()) -> Result:
    """A result by points within the game.

    >>> scored(34, 0, 12).places
    (1, 3, 2)
    """
    better = [sum((b < a) if fewer_wins else (b > a) for b in scores) for a in scores]
    return Result(places=tuple(1 + n for n in better), scores=scores, rounds_won=rounds_won)


class _Fact(msgspec.Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True):
    """Something that happened."""


class EventBegan(_Fact, frozen=True, tag="began"):
    """The event is announced; its seed is published with it."""

    name: str
    settings: Settings


class Entered(_Fact, frozen=True, tag="entered"):
    """Somebody, or a team of partners, joins; after the first pairing it is a late entry."""

    entrant: str
    name: str
    rating: int = 0
    members: tuple[str, ...] = ()
    """Partners that play as one team."""
    club: str = ""


class Edited(_Fact, frozen=True, tag="edited"):
    """An entrant's name, rating and club are now these."""

    entrant: str
    name: str
    rating: int = 0
    club: str = ""


class Apart(_Fact, frozen=True, tag="apart"):
    """Entrants who are not paired with each other: a family, a car, a club."""

    entrants: tuple[str, ...]
    until: int | None = None
    """Up to and including this round; None: in no round."""


class Withdrew(_Fact, frozen=True, tag="withdrew"):
    """No more rounds, from the next one on. An open table stays open: report its result or a forfeit."""

    entrant: str


class Returned(_Fact, frozen=True, tag="returned"):
    """One who withdrew plays again from the next round on."""

    entrant: str


class AskedOut(_Fact, frozen=True, tag="asked_out"):
    """An entrant asks beforehand to sit a round out."""

    entrant: str
    round: int
    points: Fraction | None = None
    """The worth of the round, half a point for example; None: as the settings say."""
    is_absent: bool = False
    """Nobody asked: the entrant was missing when the round was paired."""


class Fixed(_Fact, frozen=True, tag="fixed"):
    """The organiser sets who plays together in a round; one entrant alone gets the bye."""

    round: int
    entrants: tuple[str, ...]
    reason: str


class Paired(_Fact, frozen=True, tag="paired"):
    """A round is paired and published; this is what was published, whatever a later version would pair."""

    round: int
    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...] = ()
    rests: tuple[str, ...] = ()
    """Entrants without a table in this round, for no points: in an odd round robin, or a bracket with a free place."""
    engine: tuple[tuple[str, ...], ...] | None = None
    """The engine's own pairing, with byes and rests as tables of one; None: the same."""
    reason: str = ""
    """The organiser's reason for another pairing."""


class Reported(_Fact, frozen=True, tag="reported"):
    """A table's first result. Tables count from 1 in each round."""

    round: int
    table: int
    result: Result


class Corrected(_Fact, frozen=True, tag="corrected"):
    """Another result for a table that had one."""

    round: int
    table: int
    result: Result
    reason: str


class Reordered(_Fact, frozen=True, tag="reordered"):
    """The order of tie-breaks is changed, with the reason."""

    tie_breaks: tuple[TieBreak, ...]
    reason: str


class RoundsChanged(_Fact, frozen=True, tag="rounds_changed"):
    """The event has another number of rounds, with the reason."""

    rounds: int
    reason: str


class Named(_Fact, frozen=True, tag="named"):
    """The event has this name now; an archived one is put away and orders no table."""

    name: str
    is_archived: bool = False


class EntryRetracted(_Fact, frozen=True, tag="retracted"):
    """An entry is retracted, as if it had never been; refused if a later one depends on it."""

    entry: int
    reason: str = ""


class RoundRetracted(_Fact, frozen=True, tag="round_retracted"):
    """The newest round is retracted with its results, and with the tables that were set for the next one."""

    round: int
    reason: str


Fact = (
    EventBegan | Entered | Edited | Apart | Withdrew | Returned | AskedOut | Fixed | Paired | Reported | Corrected
    | Reordered | RoundsChanged | Named | EntryRetracted | RoundRetracted
)  # fmt: skip


class EventEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fact with its number from 1, who said it and when."""

    seq: int
    by: str
    fact: Fact
    at_s: float = 0.0


def to_json(value: Any) -> bytes:
    """Entries, a fact, settings or standings as JSON; a fraction is a whole number or a text such as ``"7/2"``."""
    return msgspec.json.encode(value, enc_hook=_plain)


def settings_of(text: bytes | str) -> Settings:
    """Settings from JSON. Raises: EventRefused."""
    settings: Settings = decoded(text, Settings)
    return settings


RETRACTIONS = (EntryRetracted, RoundRetracted)


def standing(entries: Sequence[EventEntry]) -> tuple[EventEntry, ...]:
    """The entries that are not retracted. Raises: EventRefused for a retraction of anything else."""
    gone = retracted(entries)
    return tuple(e for e in entries if e.seq not in gone and not isinstance(e.fact, RETRACTIONS))


def retracted(entries: Sequence[EventEntry]) -> frozenset[int]:
    """The numbers of the retracted entries. Raises: EventRefused for a retraction of anything else."""
    facts = {entry.seq: entry.fact for entry in entries}
    gone: set[int] = set()
    for entry in entries:
        match entry.fact:
            case EntryRetracted(entry=target):
                is_kept = target >= entry.seq or isinstance(facts.get(target), (*RETRACTIONS, EventBegan, type(None)))
                if is_kept or target in gone:
                    raise EventRefused("no entry {entry} to take back", entry=target)
                gone.add(target)
            case RoundRetracted(round=number):
                before = [(seq, fact) for seq, fact in facts.items() if seq < entry.seq and seq not in gone]
                newest = max((fact.round for _, fact in before if isinstance(fact, Paired)), default=0)
                if number != newest or not newest:
                    raise EventRefused(
                        "round {round} is not the newest: only the newest round can be taken back", round=number
                    )
                gone.update(seq for seq, fact in before if _is_of_round(fact, number))
    return frozenset(gone)


def _is_of_round(fact: Fact, number: int) -> bool:
    if isinstance(fact, Fixed):
        return fact.round > number
    return isinstance(fact, Paired | Reported | Corrected) and fact.round == number


def decoded(text: bytes | str, kind: Any) -> Any:
    """A value of a type from JSON. Raises: EventRefused."""
    try:
        with _BUILDS:
            decoder = _decoder(kind)
        return decoder.decode(text)
    except (msgspec.MsgspecError, ValueError, ArithmeticError, RecursionError) as error:
        raise EventRefused("this JSON is not as expected: {error}", error=str(error)) from error


_BUILDS = threading.Lock()
"""Two threads that read the first value of a type at the same moment crash msgspec 0.22, and the process."""


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind, dec_hook=_read)


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else str(value)
    if isinstance(value, Says):
        return says_json(value)
    raise NotImplementedError(type(value).__name__)


def _read(kind: type, value: Any) -> Any:
    if kind is not Fraction:
        raise NotImplementedError(kind.__name__)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError('expected a number such as 1, 0.5 or "1/2"')
    return Fraction(str(value))
