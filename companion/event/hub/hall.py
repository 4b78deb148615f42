"""The people and devices around an event, from its entries: who is let in, players' claims, calls, boxes at tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from companion.event.facts import Result
from companion.event.hub import facts
from companion.event.state import Event, RoundTable
from companion.game.says import Says

NOT_SAID = facts.GameChosen(game="")
NOT_CHOSEN = facts.Joining(facts.JoinBy.OPEN)
At = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Device:
    joined: facts.Joined
    at_s: float
    by: str
    is_revoked: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of how a table ended, and the device that made it."""

    result: Result
    device: str


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call for the referee. It is open until something changes at its table."""

    seq: int
    at: At
    by: str
    words: Says | str
    at_s: float
    table: RoundTable | None
    """The table at the call; None if there was none."""
    entrant: str | None = None
    """The entrant whose phone called; None for staff, a box and the hub."""

    @property
    def is_of_result(self) -> bool:
        """Whether it is about a result that was entered already: nobody waits, the result is in question."""
        return self.table is not None and self.table.result is not None


@dataclass(frozen=True, slots=True)
class RoundClock:
    """The clock of a round: when it ends, or the time left while it stands."""

    round: int
    left_s: float
    ends_at_s: float | None

    def left_at(self, now_s: float) -> float:
        """The time left, s; negative once it is over."""
        return self.left_s if self.ends_at_s is None else self.ends_at_s - now_s


@dataclass(frozen=True)
class Hall:
    played: facts.GameChosen = NOT_SAID
    joining: facts.Joining = NOT_CHOSEN
    devices: Mapping[str, Device] = field(default_factory=dict)
    claims: Mapping[At, Mapping[str, Claim]] = field(default_factory=dict)
    called: tuple[OpenCall, ...] = ()
    """All calls, ended ones too: the result that ended a call may be retracted."""
    boxes: Mapping[str, str] = field(default_factory=dict)
    """The boxes that may report, each with its hall."""
    removed: frozenset[str] = frozenset()
    paired: Mapping[int, int] = field(default_factory=dict)
    """The number of the entry that paired each round; the newest counts."""
    assigned: Mapping[At, str] = field(default_factory=dict)
    """The box of each table, the newest assignment last."""
    late: Mapping[At, tuple[facts.Late, ...]] = field(default_factory=dict)
    check_in: int = 0
    """The round that players check in for; 0: none."""
    here: frozenset[tuple[int, str]] = frozenset()
    """Rounds and the entrants who are here for them."""
    clock: RoundClock | None = None

    @cached_property
    def at_box(self) -> Mapping[str, At]:
        """The newest table of each box."""
        return {box: at for at, box in self.assigned.items()}

    def device_of(self, entrant: str) -> tuple[str, ...]:
        """The devices of an entrant that are let in."""
        return tuple(
            key for key, each in self.devices.items() if each.joined.entrant == entrant and not each.is_revoked
        )

    def followed(self) -> set[str]:
        """The entrants whose phones are let in."""
        return {each.joined.entrant for each in self.devices.values() if each.joined.entrant and not each.is_revoked}


def table_at(event: Event | None, at: At) -> RoundTable | None:
    """A table as it is now, None if there is none."""
    number, table = at
    rounds = () if event is None else event.rounds
    tables = rounds[number - 1].tables if 1 <= number <= len(rounds) else ()
    return tables[table - 1] if 1 <= table <= len(tables) else None


def paired(hall: Hall, round_: int, seq: int) -> Hall:
    """The hall once entry `seq` pairs a round. Claims from an earlier pairing of it are dropped: others sat there."""
    claims = {at: said for at, said in hall.claims.items() if at[0] != round_}
    late = {at: results for at, results in hall.late.items() if at[0] != round_}
    return replace(hall, claims=claims, late=late, paired={**hall.paired, round_: seq}, clock=None)


def after(hall: Hall, entry: facts.HubEntry, event: Event | None) -> Hall:
    """The hall after one more entry, and the event after it."""
    fact = entry.fact
    assert isinstance(fact, facts.HallFact)
    match fact:
        case facts.GameChosen():
            return replace(hall, played=fact)
        case facts.Joined():
            return replace(hall, devices={**hall.devices, fact.device: Device(fact, entry.at_s, entry.by)})
        case facts.Joining():
            return replace(hall, joining=fact)
        case facts.Revoked():
            known = hall.devices.get(fact.device)
            if known is None:
                return hall
            return replace(hall, devices={**hall.devices, fact.device: replace(known, is_revoked=True)})
        case facts.Claimed():
            at = (fact.round, fact.table)
            claim = Claim(fact.result, entry.device)
            return replace(hall, claims={**hall.claims, at: {**hall.claims.get(at, {}), fact.entrant: claim}})
        case facts.HallCalled():
            at = (fact.round, fact.table)
            phone = hall.devices.get(entry.device)
            entrant = None if phone is None else phone.joined.entrant
            words = fact.says if fact.words else ""
            call = OpenCall(entry.seq, at, entry.by, words, entry.at_s, table_at(event, at), entrant)
            return replace(hall, called=(*hall.called, call))
        case facts.HallCallClosed() | facts.HallCallWithdrawn():
            return replace(hall, called=tuple(each for each in hall.called if each.seq != fact.entry))
        case facts.Enrolled():
            return replace(
                hall, boxes={**_others(hall, fact.box), fact.box: fact.hall}, removed=hall.removed - {fact.box}
            )
        case facts.Removed():
            return replace(hall, boxes=_others(hall, fact.box), removed=hall.removed | {fact.box})
        case facts.Assigned():
            at = (fact.round, fact.table)
            others = {each: box for each, box in hall.assigned.items() if each != at}
            return replace(hall, assigned=others if fact.box is None else others | {at: fact.box})
        case facts.Late():
            at = (fact.round, fact.table)
            return replace(hall, late={**hall.late, at: (*hall.late.get(at, ()), fact)})
        case facts.CheckInOpened():
            return replace(hall, check_in=fact.round)
        case facts.CheckedIn():
            one = {(fact.round, fact.entrant)}
            return replace(hall, here=hall.here | one if fact.is_here else hall.here - one)
        case facts.ClockSet():
            ends_at_s = entry.at_s + fact.left_s if fact.is_running else None
            return replace(hall, clock=RoundClock(fact.round, fact.left_s, ends_at_s))


def _others(hall: Hall, box: str) -> dict[str, str]:
    return {each: where for each, where in hall.boxes.items() if each != box}
