"""The desk: it checks the facts of people, players' phones and tables, enters them and publishes them to listeners.

It holds no state outside the store, so several hubs may serve one database."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile
from pathlib import Path

from companion.event import facts as told
from companion.event.fold import after, fold
from companion.event.hub import hall as halls
from companion.event.hub.facts import (
    Assigned,
    CheckedIn,
    Claimed,
    Fact,
    HallCallClosed,
    HallCalled,
    HallCallWithdrawn,
    HallFact,
    HubEntry,
    Joined,
    Late,
    Revoked,
    key_of,
)
from companion.event.hub.hall import At, Claim, Hall, OpenCall
from companion.event.hub.joining import are_apart
from companion.event.hub.results import check_whole, is_same
from companion.event.hub.roles import MAY, Permission, Role
from companion.event.hub.store import FAULTS, HUB_ID, Store
from companion.event.refused import EventRefused
from companion.event.state import Event
from companion.game.errors import first_line
from companion.game.says import Says

_LOGGER = logging.getLogger(__name__)

PULSE_S = 0.1
"""Interval of a hub's checks for another hub's entries."""
GATHER_S, MOST_GATHER_S = 0.02, 0.1
"""Bounds of the pause after publishing, which lasts as long as that took: others have their turn."""
AFTER_FAULT_S = 1.0
MEANT_OTHERWISE = "the event has changed since you looked: look again before you change it"


NO_EVENT = "this hub has no event of that name: choose one from its list"


class NoEvent(EventRefused):
    """An event that this hub does not have."""


@dataclass(frozen=True, slots=True)
class Person:
    """The author of a fact: name, role, device and entrant."""

    name: str
    role: Role
    device: str = ""
    entrant: str | None = None

    def may(self, act: Permission) -> bool:
        return act in MAY[self.role]


HUB = Person("the hub", Role.ORGANISER)
NOBODY = Person("somebody", Role.SPECTATOR)


def box_person(box: str) -> Person:
    return Person(f"table {box}", Role.TABLE_REFEREE, device=f"box:{box}")


@dataclass(frozen=True)
class HubLog:
    """An event's entries and what follows from them."""

    id: str
    entries: tuple[HubEntry, ...] = ()
    event: Event | None = None
    hall: Hall = field(default_factory=Hall)
    keys: Mapping[str, int] = field(default_factory=dict)

    @property
    def seq(self) -> int:
        return self.entries[-1].seq if self.entries else 0

    @property
    def tournament(self) -> Event:
        """The event. Raises: EventRefused for the hub's own log, which has none."""
        if self.event is None:
            raise NoEvent(NO_EVENT)
        return self.event

    @cached_property
    def gone(self) -> frozenset[int]:
        return told.retracted(self.of_tournament)

    @property
    def of_tournament(self) -> tuple[HubEntry, ...]:
        """The entries that the tournament is the fold of."""
        return _of_tournament(self.entries)

    @cached_property
    def calls(self) -> tuple[OpenCall, ...]:
        return tuple(call for call in self.hall.called if call.table == halls.table_at(self.event, call.at))

    def is_called(self, at: At) -> bool:
        """Whether a table waits for the referee."""
        return any(call.at == at and not call.is_of_result for call in self.calls)

    def is_doubted(self, at: At) -> bool:
        """Whether the referee was called because all phones of a table may be one."""
        return any(call.at == at and str(call.words) == str(MAY_BE_ONE) for call in self.calls)

    def has_call(self, at: At) -> bool:
        """Whether a table has an open call, one about its result included."""
        return any(call.at == at for call in self.calls)

    def call_of(self, entrant: str) -> int | None:
        """The number of the open call from an entrant's phone; None without one."""
        return next((call.seq for call in self.calls if call.entrant == entrant), None)

    def is_as_at(self, seq: int) -> bool:
        """Whether the tournament is unchanged since a number of the log: phones that join and calls change nothing."""
        return seq <= self.seq and all(entry.is_hall for entry in self.entries if entry.seq > seq)

    def with_(self, *new: HubEntry) -> "HubLog":
        """The log with more entries. Raises: EventRefused if one of them is impossible."""
        event, hall = self.event, self.hall
        for at, entry in enumerate(new, 1):
            if isinstance(entry.fact, HallFact):
                hall = halls.after(hall, entry, event)
            elif isinstance(entry.fact, told.RETRACTIONS):
                event = fold(_of_tournament((*self.entries, *new[:at])))
            else:
                if isinstance(entry.fact, told.Paired):
                    hall = halls.paired(hall, entry.fact.round, entry.seq)
                event = after(event, entry.fact)
        keys = {entry.key: entry.seq for entry in new if entry.key is not None}
        all_keys = {**self.keys, **keys} if keys else self.keys
        return HubLog(self.id, (*self.entries, *new), event, hall, all_keys)

    def paired_by(self, round_: int) -> int:
        """The number of the entry that paired a round; the newest counts, and 0 means none."""
        return self.hall.paired.get(round_, 0)

    def reported(self, round_: int, table: int) -> HubEntry | None:
        """The entry that gave a table its result."""
        for entry in reversed(self.entries):
            match entry.fact:
                case told.Reported(round=r, table=t) | told.Corrected(round=r, table=t):
                    if (r, t) == (round_, table) and entry.seq not in self.gone:
                        return entry
        return None


def _of_tournament(entries: Iterable[HubEntry]) -> tuple[HubEntry, ...]:
    return tuple(entry for entry in entries if not entry.is_hall)


Said = tuple[HubLog, tuple[HubEntry, ...]]


@dataclass(frozen=True, slots=True)
class Differences:
    """The tables and entrants whose pages and orders differ between two numbers of a log."""

    tables: frozenset[At]
    entrants: frozenset[str]
    boxes: frozenset[str]


def differences(before: HubLog, now: HubLog) -> Differences | None:
    """The effects of the entries since `before`; None if they may concern everybody."""
    tables: set[At] = set()
    entrants: set[str | None] = set()
    boxes: set[str | None] = set()
    for entry in takewhile(lambda entry: entry.seq > before.seq, reversed(now.entries)):
        match entry.fact:
            case Claimed(round=r, table=t) | told.Reported(round=r, table=t) | Late(round=r, table=t):
                tables.add((r, t))
            case HallCalled(round=r, table=t):
                tables.add((r, t))
            case HallCallClosed(entry=seq) | HallCallWithdrawn(entry=seq):
                tables.update(call.at for call in before.hall.called if call.seq == seq)
            case Assigned(round=r, table=t, box=box):
                tables.add((r, t))
                boxes |= {box, before.hall.assigned.get((r, t))}
            case Joined(entrant=who):
                entrants.add(who)
            case Revoked(device=device) if (known := now.hall.devices.get(device)) is not None:
                entrants.add(known.joined.entrant)
            case _:
                return None
    boxes |= {now.hall.assigned.get(at) for at in tables}
    for at in tables:
        seated = halls.table_at(now.event, at)
        entrants |= set(() if seated is None else seated.seats)
    return Differences(frozenset(tables), frozenset(filter(None, entrants)), frozenset(filter(None, boxes)))


class Desk:
    """The logs of a store. `close` disconnects all listeners."""

    def __init__(self, store: Store, wall_s: Callable[[], float], monotonic_s: Callable[[], float]) -> None:
        self.store = store
        self.wall_s = wall_s
        self._monotonic_s = monotonic_s
        self._logs: dict[str, HubLog] = {}
        self._lock = threading.RLock()
        self._heads: dict[str, int] = {}
        self._followed: dict[str, int] = {}
        self._kicked = threading.Event()
        self.is_closing = False
        self._is_away = False
        self._tells: list[Callable[[HubLog], None]] = []
        self._ends: list[Callable[[], None]] = []
        self._pulse = threading.Thread(target=self._beat, name="hub pulse", daemon=True)
        self._pulse.start()

    def close(self) -> None:
        """Ends the pulse, and everybody who listens."""
        self.end_listening()
        self._kicked.set()
        self._pulse.join()

    def end_listening(self) -> None:
        """Ends everybody who listens; the logs may still be written."""
        self.is_closing = True
        for end in self._ends:
            end()

    # logs

    def events(self) -> list[HubLog]:
        """All events, the newest first."""
        return [self.log(id_) for id_ in self.store.events()]

    def begin(self, event_id: str, facts: Iterable[Fact], who: Person) -> HubLog:
        """A new event with its first entries. Raises: EventRefused, and nothing is begun."""
        log, entries = self.checked(HubLog(event_id), facts, who)
        if event_id != HUB_ID and not isinstance(entries[0].fact, told.EventBegan):
            raise EventRefused("the first entry begins the event, expected its name and settings")
        self.store.begin(event_id, self.wall_s(), entries)
        self._kicked.set()
        return self._keep(log)

    def copy(self, event_id: str, entries: Iterable[HubEntry]) -> HubLog:
        """An event that was exported, as a new one: the same entries by the same people. Raises: EventRefused."""
        log = HubLog(event_id).with_(*entries)
        if log.event is None:
            raise EventRefused("no entry begins an event")
        self.store.begin(event_id, self.wall_s(), log.entries)
        return self._keep(log)

    def log(self, event_id: str) -> HubLog:
        """The current log from the store. Raises: EventRefused for an unknown one."""
        known = self._logs.get(event_id)
        new = self.store.entries(event_id, known.seq if known else 0)
        if known is None and not new and event_id != HUB_ID:
            raise NoEvent(NO_EVENT)
        return known if known is not None and not new else self._grown(event_id, new)

    def _grown(self, event_id: str, new: Iterable[HubEntry]) -> HubLog:
        with self._lock:
            log = self._logs.get(event_id) or HubLog(event_id)
            return self._keep(log.with_(*(entry for entry in new if entry.seq > log.seq)))

    def known(self, event_id: str) -> HubLog:
        """The last known state of a followed log, without asking the store. Raises: EventRefused as `log` does."""
        return self._logs.get(event_id) or self.log(event_id)

    def _keep(self, log: HubLog) -> HubLog:
        with self._lock:
            known = self._logs.get(log.id)
            if known is None or known.seq < log.seq:
                self._logs[log.id] = log
            return self._logs[log.id]

    # saying

    def say(
        self,
        event_id: str,
        fact: Fact | tuple[Fact, ...],
        who: Person,
        key: str | None = None,
        seen: int | None = None,
    ) -> HubLog:
        """Enters all facts or none; a `key` is entered once. Raises: EventRefused, also for changes since `seen`."""
        facts = fact if isinstance(fact, tuple) else (fact,)

        def said(log: HubLog) -> Said:
            if seen is not None and not log.is_as_at(seen):
                raise EventRefused(MEANT_OTHERWISE)
            return self.checked(log, facts, who, key)

        return self.enter(event_id, said, key)

    def enter(self, event_id: str, said: Callable[[HubLog], Said], key: str | None = None) -> HubLog:
        """Enters what `said` makes of the newest log, unless the key was entered before. Raises: EventRefused."""
        (refused,) = self.enter_each(event_id, ((said, key),))
        if refused is not None:
            raise refused
        return self.known(event_id)

    def enter_each(
        self, event_id: str, each: Sequence[tuple[Callable[[HubLog], Said], str | None]]
    ) -> list[EventRefused | None]:
        """Does several `enter` in one turn, and returns each one's refusal (None: entered). Raises: NoEvent."""
        given = [(said, None if key is None else key_of(key)) for said, key in each]
        more = self.known(event_id)
        if all(key is not None and key in more.keys for _, key in given):
            return [None] * len(given)  # repeated messages cost the database nothing
        refused: list[EventRefused | None] = []
        new: list[HubEntry] = []
        with self.store.turn(event_id) as turn:
            more = self._grown(event_id, turn.newer(more.seq))
            for said, key in given:
                refused.append(None)
                if key is None or key not in more.keys:
                    try:
                        more, entries = said(more)
                        new += entries
                    except EventRefused as error:
                        refused[-1] = error
            if new:
                turn.enter(new)
        self._kicked.set()
        self._keep(more)
        return refused

    def checked(self, log: HubLog, facts: Iterable[Fact], who: Person, key: str | None = None) -> Said:
        """The log with facts, and their entries. Raises: EventRefused."""
        entries: list[HubEntry] = []
        for fact in facts:
            check_allowed(log, fact, who)
            of_key = None if key is None or entries else key_of(key)
            entries.append(HubEntry(log.seq + 1, who.name, fact, self.wall_s(), who.device, of_key))
            log = log.with_(entries[-1])
        return log, tuple(entries)

    def claim(self, event_id: str, round_: int, table: int, result: told.Result, who: Person) -> HubLog:
        """A player says how their own table ended. It counts when all say the same on surely different devices.

        If two claims differ, or two devices may be one, the referee is called. Raises: EventRefused.
        """
        claim = Claimed(round_, table, who.entrant or "", result)

        def said(log: HubLog) -> Said:
            with_claim, first = self.checked(log, (claim,), who)
            _check_claim(log, round_, table, result)
            before = log.hall.claims.get((round_, table), {})
            claims = {**before, claim.entrant: Claim(result, who.device)}
            if before == claims:
                with_claim, first = log, ()
            seats = log.tournament.table(round_, table).seats
            results = [claims[seat].result for seat in seats if seat in claims]
            is_agreed = len(results) == len(seats) and all(each == results[0] for each in results)
            if is_agreed and are_apart(log.hall, [claims[seat].device for seat in seats]):
                names = " and ".join(log.tournament.says(seat) for seat in seats)
                people = replace(who, name=f"{names}, agreed", role=Role.TABLE_REFEREE)
                calls = [call for call in log.calls if call.at == (round_, table) and str(call.words) in OWN_CALLS]
                closed = [HallCallClosed(call.seq) for call in calls]
                more, rest = self.checked(with_claim, (told.Reported(round_, table, result), *closed), people)
            elif (is_agreed or any(each != results[0] for each in results)) and not log.is_called((round_, table)):
                why = MAY_BE_ONE if is_agreed else DISAGREE
                call = HallCalled(round_, table, why.template, is_own=True)
                more, rest = self.checked(with_claim, (call,), HUB)
            else:
                more, rest = with_claim, ()
            return more, (*first, *rest)

        return self.enter(event_id, said)

    def result_of_box(self, log: HubLog, at: At, box: str, result: told.Result, key: str) -> Said:
        """The entries for a result that was judged at a table with a box. Raises: EventRefused."""
        seated = log.tournament.table(*at)
        late = Late(*at, box, result)
        if seated.result is not None:
            is_known = is_same(log.tournament, seated.seats, seated.result, result)
            call = HallCalled(*at, DIFFERS.template, is_own=True)
            return self.checked(log, (late,) if is_known else (late, call), HUB, key)
        try:
            return self.checked(log, (told.Reported(*at, result),), box_person(box), key)
        except EventRefused:
            return self.checked(log, (late, HallCalled(*at, CANNOT_BE.template, is_own=True)), HUB, key)

    # listening

    def follow(self, event_id: str) -> None:
        """Somebody listens to an event now; `leave` when they no longer do."""
        with self._lock:
            self._followed[event_id] = self._followed.get(event_id, 0) + 1
            self._heads.setdefault(event_id, 0)

    def leave(self, event_id: str) -> None:
        with self._lock:
            self._followed[event_id] -= 1
            if not self._followed[event_id]:
                del self._followed[event_id]

    def on_change(self, tell: Callable[[HubLog], None]) -> None:
        """Calls `tell` with each followed log that changed, one after the other, from the pulse's thread."""
        self._tells.append(tell)

    def on_end(self, end: Callable[[], None]) -> None:
        """Calls `end` when publishing ends."""
        self._ends.append(end)

    def _beat(self) -> None:
        while not self.is_closing:
            self._kicked.wait(PULSE_S)
            self._kicked.clear()
            began_s = self._monotonic_s()
            try:
                is_told = self._tell()
                took_s = self._monotonic_s() - began_s
                rest_s = min(max(GATHER_S, took_s), MOST_GATHER_S) if is_told else 0.0
            except FAULTS as error:
                self.away(error)
                rest_s = AFTER_FAULT_S
            except Exception:  # the thread's catch-all: listeners hear it at the next try
                _LOGGER.exception("the hub could not tell what is new")
                rest_s = AFTER_FAULT_S
            if rest_s:
                threading.Event().wait(rest_s)

    def away(self, error: BaseException) -> None:
        """Notes that the database cannot be used. The log says so once, and once more when it is back."""
        if not self._is_away:
            self._is_away = True
            _LOGGER.warning(
                "the hub's database cannot be used (%s): nothing can be entered until it is back; tables keep what "
                "they judge, and the hub tries again every second",
                first_line(error),
            )

    def catch_up(self) -> None:
        """Reads what other hubs entered into the followed logs."""
        with self._lock:
            known = {id_: log.seq if (log := self._logs.get(id_)) else 0 for id_ in (HUB_ID, *self._followed)}
        for id_, new in self.store.newer(known).items():
            self._grown(id_, new)

    def _tell(self) -> bool:
        """Publishes changed logs; whether there were any."""
        was_away = self._is_away  # a request may find it away meanwhile
        self.catch_up()
        if was_away:
            self._is_away = False
            _LOGGER.warning("the hub's database is back")
        logs = [self._logs[id_] for id_ in tuple(self._followed) if id_ in self._logs]
        changed = [log for log in logs if log.seq > self._heads.get(log.id, 0)]
        for log in changed:
            for tell in self._tells:
                tell(log)
            self._heads[log.id] = log.seq  # only after every `tell`: a failed one is repeated
        return bool(changed)


@contextmanager
def desk_of(database: str | Path) -> Iterator[Desk]:
    """The desk of a database, for as long as the block lasts. Raises: StoreError."""
    with closing(Store(database)) as store, closing(Desk(store, time.time, time.monotonic)) as desk:
        yield desk


DISAGREE = Says("The players do not agree on the result.")
MAY_BE_ONE = Says("Everyone says the same, but maybe from one device: ask the players, then enter the result.")
OWN_CALLS = (str(DISAGREE), str(MAY_BE_ONE))
"""Calls of the hub about claims: they end once the players agree."""
DIFFERS = Says("The table judged another result than was entered: look at both.")
CANNOT_BE = Says("The table's own result cannot be entered here: look at it.")


def _check_claim(log: HubLog, round_: int, table: int, result: told.Result) -> None:
    """A claim must be a result that the table could have. Raises: EventRefused."""
    if result.absent:
        raise EventRefused("somebody did not come: call the referee to enter it")
    after(log.tournament, told.Reported(round_, table, result))


def check_allowed(log: HubLog, fact: Fact, who: Person) -> None:
    """Raises: EventRefused if a person's role does not allow it."""
    act = _act_of(log, fact, who)
    if not who.may(act):
        raise EventRefused(NOT_ALLOWED[act], role=ROLE_WORDS[who.role])
    match fact:
        case Claimed():
            if who.entrant != fact.entrant or fact.entrant not in log.tournament.table(fact.round, fact.table).seats:
                raise EventRefused("only those who sit at the table say how it ended")
        case HallCalled() if who.role is Role.PLAYER:
            if who.entrant not in log.tournament.table(fact.round, fact.table).seats:
                raise EventRefused("only those who sit at the table can call from it")
        case HallCallWithdrawn() if who.entrant is None or fact.entry != log.call_of(who.entrant):
            raise EventRefused("only the caller can take the call back")
        case told.Reported() | told.Corrected() | Claimed():
            check_whole(log.tournament, log.tournament.table(fact.round, fact.table).seats, fact.result)
    match fact:
        case told.Corrected() | told.EntryRetracted() | told.RoundRetracted() if not fact.reason.strip():
            raise EventRefused("a change needs a reason")
        case Joined() if fact.role is Role.ORGANISER and who.role is not Role.ORGANISER:
            raise EventRefused("only an organiser lets organisers in")
        case Revoked() if log.hall.devices and fact.device not in log.hall.devices:
            raise EventRefused("unknown device")


def _act_of(log: HubLog, fact: Fact, who: Person) -> Permission:
    match fact:
        case Claimed():
            return Permission.CLAIM
        case CheckedIn():
            is_own = who.role is Role.PLAYER and who.entrant == fact.entrant
            return Permission.CLAIM if is_own and log.hall.check_in == fact.round else Permission.ENTER
        case told.Reported():
            return Permission.ENTER
        case told.Corrected():
            was = log.reported(fact.round, fact.table)
            is_newest = fact.round == len(log.tournament.rounds)
            is_own = was is not None and was.device == who.device and bool(who.device)
            return Permission.CHANGE_OWN if is_newest and is_own else Permission.CHANGE
        case told.EntryRetracted():
            target = next((entry.fact for entry in log.entries if entry.seq == fact.entry), None)
            return Permission.CHANGE if isinstance(target, told.Reported | told.Corrected) else Permission.PAIR
        case told.Paired() | told.RoundRetracted() | told.Fixed() | told.Apart():
            return Permission.PAIR
        case told.Entered() | told.Edited() | told.Withdrew() | told.Returned() | told.AskedOut():
            return Permission.ENTRANTS
    return {
        "called": Permission.CALL,
        "called_off": Permission.CALL,
        "came": Permission.COME,
        "check_in_opened": Permission.ENTER,
        "clock": Permission.ENTER,
        "joined": Permission.DEVICES,
        "joining": Permission.DEVICES,
        "revoked": Permission.DEVICES,
    }.get(str(type(fact).__struct_config__.tag), Permission.SETTINGS)


ROLE_WORDS = {
    Role.SPECTATOR: "a spectator",
    Role.PLAYER: "a player",
    Role.TABLE_REFEREE: "a table referee",
    Role.HEAD_REFEREE: "the head referee",
    Role.ORGANISER: "the organiser",
}
NOT_ALLOWED = {
    Permission.CLAIM: "{role} cannot do this: those at the table do",
    Permission.CALL: "{role} cannot do this: those at the table do",
    Permission.COME: "{role} cannot do this: a referee does",
    Permission.ENTER: "{role} cannot do this: a referee does",
    Permission.CHANGE_OWN: "{role} cannot do this: a referee does",
    Permission.CHANGE: "{role} cannot do this: ask the head referee or the organiser",
    Permission.PAIR: "{role} cannot do this: the organiser does",
    Permission.ENTRANTS: "{role} cannot do this: the organiser does",
    Permission.SETTINGS: "{role} cannot do this: the organiser does",
    Permission.DEVICES: "{role} cannot do this: the organiser does",
    Permission.AUDIT: "{role} cannot do this: the organiser does",
}
