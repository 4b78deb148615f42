"""Messages between a table's box and the hub, over any transport: MQTT, or in one process.

Results and calls must arrive once: each has an id, and is kept at the table until the hub acknowledges it. Orders are
whole, newest wins, and sent again whenever a table greets."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from companion.event.facts import Result
from companion.event.hub.desk import Desk, HubLog, Said, box_person, differences
from companion.event.hub.facts import Fact, HallCallClosed, HallCalled, key_of
from companion.event.hub.store import FAULTS, HUB_ID
from companion.event.refused import EventRefused
from companion.game.says import Says

if TYPE_CHECKING:
    from companion.event.hub.home_assistant import HomeAssistant

_LOGGER = logging.getLogger(__name__)

UP, DOWN = "companion/up", "companion/down"
BOX = re.compile(r"[A-Za-z0-9_-]{1,24}")
_ORDER = re.compile(
    r"(?P<event>[^/]+)/(?P<round>[0-9]{1,9})/(?P<table>[0-9]{1,9})/(?P<box>[^/]+)/(?P<paired>[0-9]{1,9})"
)
Messages = Sequence[tuple[str, bytes]]
"""Topics and payloads, the oldest first."""
LOOK_S = 2.0
"""Interval of the checks for events of another hub."""


class State(msgspec.Struct, frozen=True, omit_defaults=True):
    order: str = ""
    """The order that it plays; empty: no order of this hub."""
    phase: str = "idle"
    """idle, playing or over."""
    game: str = ""
    match: str = ""
    seq: int = 0
    says: str = ""
    """The table's newest ruling, in words."""
    sight: str = ""
    asks: str = ""


class Health(msgspec.Struct, frozen=True, omit_defaults=True):
    waiting: int = 0
    """Messages that the hub has not acknowledged yet."""


class Online(msgspec.Struct, frozen=True):
    """Whether the box is connected; its last will says that it is not."""

    is_online: bool


OF_ITSELF: dict[str, Any] = {"state": State, "health": Health, "online": Online}
"""Messages of a table about itself, by the topic's last word."""


class HubMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """A message that must arrive once: a result, a call for the referee, or the end or withdrawal of a call."""

    id: str
    order: str
    result: Result | None = None
    words: str = ""
    done: str = ""
    """The `id` of the call that is done with."""


class Orders(msgspec.Struct, frozen=True, omit_defaults=True):
    """A table's current task; `id` is empty for none."""

    id: str = ""
    event: str = ""
    name: str = ""
    round: int = 0
    table: int = 0
    game: str = ""
    options: dict[str, str] = {}
    seats: tuple[str, ...] = ()
    """The entrants' names, in the order of their seats."""
    seen: dict[str, int] = {}
    """The events that the hub knew, each with its newest entry."""

    def is_older(self, than: Mapping[str, int]) -> bool:
        """Whether the hub had read less of an event: a table does not take such orders."""
        return any(self.seen.get(event, entry) < entry for event, entry in than.items())


class Ack(msgspec.Struct, frozen=True, omit_defaults=True):
    """The hub has dealt with a message for good; `refused` says why it was not entered as sent."""

    id: str
    refused: str = ""


class Transport(Protocol):
    def open(self) -> None:
        """Opens it; its creator is called each time that it is open."""

    def publish(self, topic: str, payload: bytes, *, is_retained: bool = False) -> bool:
        """Sends; False if the transport is closed now."""

    def listen(self, topics: frozenset[str]) -> None:
        """Hears these topics from now on and no others."""

    def close(self) -> None:
        """Disconnects."""


@dataclass(frozen=True, slots=True)
class _At:
    """A table of an event, as an order's id names it."""

    event: str
    round: int
    table: int
    box: str
    paired: int
    """Number of the entry that paired the round: a retracted and repeated pairing has other people at its tables."""

    @property
    def order(self) -> str:
        return f"{self.event}/{self.round}/{self.table}/{self.box}/{self.paired}"

    @classmethod
    def of(cls, order: str) -> _At | None:
        found = _ORDER.fullmatch(order)
        if found is None:
            return None
        return cls(found["event"], int(found["round"]), int(found["table"]), found["box"], int(found["paired"]))


class HubLink:
    """The hub's end: it takes messages and sends orders of the tables of these `halls`; empty: of all."""

    def __init__(
        self,
        desk: Desk,
        discovery: HomeAssistant | None = None,
        halls: Collection[str] = (),
    ) -> None:
        self._desk = desk
        self._halls = frozenset(halls)
        self._last: dict[str, HubLog] = {}
        self._discovery = discovery
        self._transport: Transport | None = None
        self._lock = threading.Lock()
        self._told: dict[tuple[str, str], Any] = {}
        """The newest state, health and connection of each table."""
        self._orders: dict[str, Orders] = {}
        self._following: set[str] = set()
        self._ended = threading.Event()
        desk.on_change(self._changed)
        self._thread = threading.Thread(target=self._look, name="hub link", daemon=True)

    def begin(self, transport: Transport) -> None:
        """Connects by a transport, and sends every table its orders."""
        self._transport = transport
        if self._halls:
            transport.listen(frozenset())
        transport.open()
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(5.0)
        if self._transport is not None:
            self._transport.close()

    def _look(self) -> None:
        while not self._ended.is_set():
            try:
                self._catch_up()
                if self._halls and self._transport is not None:
                    self._transport.listen(frozenset(f"{UP}/{box}/+" for box in self._boxes()))
                self.tell()
            except FAULTS as error:
                self._desk.away(error)
            except Exception:  # the thread's catch-all: one event's fault must not leave all tables without orders
                _LOGGER.exception("the hub could not follow its events")
            self._ended.wait(LOOK_S)

    def _catch_up(self) -> None:
        new = {HUB_ID, *self._desk.store.events()} - self._following
        for event_id in new:
            self._desk.follow(event_id)
        self._following |= new
        self._desk.catch_up()

    # orders to tables

    def _boxes(self, among: Collection[str] | None = None) -> list[str]:
        """The boxes of this hub's halls; `among` narrows them."""
        boxes = self._desk.known(HUB_ID).hall.boxes
        asked = boxes if among is None else [box for box in among if box in boxes]
        return [box for box in asked if not self._halls or boxes[box] in self._halls]

    def _changed(self, log: HubLog) -> None:
        last = self._last.get(log.id)
        since = None if last is None or log.event is None else differences(last, log)
        self.tell(among=None if since is None else since.boxes)
        self._last[log.id] = log

    def tell(self, among: Collection[str] | None = None, greeting: Collection[str] = ()) -> None:
        """Sends changed orders to all tables, or those in `among`; tables in `greeting` get theirs in any case."""
        if self._transport is None or not self._following:
            return  # a hub that starts must not tell a table that it has nothing to do
        if self._discovery is not None and among is None:
            self._discovery.tell(self._transport, self._boxes(), self._desk.known(HUB_ID).hall.removed)
        logs = _newest([self._desk.known(id_) for id_ in tuple(self._following) if id_ != HUB_ID])
        seen = {log.id: log.seq for log in logs}
        for name in self._boxes(among):
            orders = _orders(logs, name)
            with self._lock:
                is_new = self._orders.get(name) != orders
            is_told = (is_new or name in greeting) and self._transport.publish(
                f"{DOWN}/{name}/orders",
                msgspec.json.encode(msgspec.structs.replace(orders, seen=seen)),
                is_retained=True,
            )
            if is_told:
                with self._lock:
                    self._orders[name] = orders

    # messages from tables

    def on_transport(self) -> None:
        """The transport is open again: every table gets its orders again."""
        with self._lock:
            self._orders.clear()
        if self._discovery is not None:
            self._discovery.forget()

    def heard(self, topic: str, payload: bytes) -> None:
        self.hears(((topic, payload),))

    def hears(self, messages: Messages) -> None:
        """Messages from tables. Those that cannot be read are ignored and logged."""
        of_events: dict[str, list[tuple[str, HubMessage, _At]]] = {}
        greeting: set[str] = set()
        for topic, payload in messages:
            parts = topic.split("/")
            if len(parts) != 4 or f"{parts[0]}/{parts[1]}" != UP or not BOX.fullmatch(parts[2]):
                continue
            box, kind = parts[2], parts[3]
            if self._halls and self._desk.known(HUB_ID).hall.boxes.get(box) not in self._halls:
                continue  # a hub of its hall hears it too
            try:
                if kind == "say":
                    told = msgspec.json.decode(payload, type=HubMessage)
                    try:
                        at = self._at(box, told)
                        of_events.setdefault(at.event, []).append((box, told, at))
                    except EventRefused as error:
                        self._answer(box, told, error)
                else:
                    greeting |= self._take(box, kind, payload)
            except (msgspec.MsgspecError, RecursionError) as error:
                _LOGGER.warning("table %s said what cannot be read (%s): %s", box, kind, error)
            except FAULTS as error:  # no acknowledgement: the table sends it again
                self._desk.away(error)
        for event_id, says in of_events.items():
            try:
                self._say(event_id, says)
            except FAULTS as error:
                self._desk.away(error)
        if greeting:
            try:
                self._catch_up()  # another hub may have entered more: its orders are the newer ones
                self.tell(greeting, greeting)
            except FAULTS as error:  # no answer: another hub may know better
                self._desk.away(error)

    def _take(self, box: str, kind: str, payload: bytes) -> set[str]:
        """Keeps a table's message about itself. Returns the table if the message is a greeting."""
        if kind not in OF_ITSELF:
            return set()
        told = msgspec.json.decode(payload, type=OF_ITSELF[kind])
        with self._lock:
            self._told[box, kind] = told
        return {box} if told == Online(True) else set()

    def _at(self, box: str, told: HubMessage) -> _At:
        """The table that a message is about. Raises: EventRefused."""
        if all(box not in log(HUB_ID).hall.boxes for log in (self._desk.known, self._desk.log)):
            raise EventRefused("table {box} is not enrolled at this hub", box=box)
        at = _At.of(told.order)
        if at is None:
            raise EventRefused("this hub has no order {order}", order=told.order)
        return at

    def _say(self, event_id: str, says: Sequence[tuple[str, HubMessage, _At]]) -> None:
        try:
            refused = self._desk.enter_each(event_id, [(partial(self._said, *each), each[1].id) for each in says])
        except EventRefused as error:
            refused = [error] * len(says)
        for (box, told, _), reason in zip(says, refused, strict=True):
            self._answer(box, told, reason)

    def _said(self, box: str, told: HubMessage, at: _At, log: HubLog) -> Said:
        """The entries for a table's message. Raises: EventRefused."""
        if log.paired_by(at.round) != at.paired:
            raise EventRefused("round {round} was taken back and paired again since", round=at.round)
        if log.hall.assigned.get((at.round, at.table)) != box:
            raise EventRefused("this table was given to another box")
        if told.result is not None:
            return self._desk.result_of_box(log, (at.round, at.table), box, told.result, told.id)
        return self._desk.checked(log, _said(log, at, told), box_person(box), told.id)

    def _answer(self, box: str, told: HubMessage, refused: EventRefused | None) -> None:
        if refused is not None:
            _LOGGER.warning("table %s: %s is not entered: %s", box, told.id, refused)
        if self._transport is not None:
            ack = Ack(told.id, "" if refused is None else str(refused))
            self._transport.publish(f"{DOWN}/{box}/ack", msgspec.json.encode(ack))

    # pages

    def shown(self) -> dict[str, dict[str, Any]]:
        """The state of each enrolled box."""
        with self._lock:
            return {box: self._shown(box) for box in self._boxes()}

    def _shown(self, box: str) -> dict[str, Any]:
        state, health, online = (self._told.get((box, kind)) for kind in OF_ITSELF)
        state, orders = state or State(), self._orders.get(box, Orders())
        plays_other = bool(orders.id) and state.order != orders.id
        says = {
            "playing": Says("plays {game}", {"game": state.game.replace("_", " ")}),
            "over": Says("has ended its match"),
        }.get(state.phase, Says("idle"))
        if plays_other and state.phase != "playing":
            says = Says("has not begun its match yet")
        return {
            "is_heard": online == Online(True),
            "was_heard": online is not None,
            "is_asking": bool(state.asks),
            "asks": state.asks,
            "says": says,
            "ruling": state.says,
            "sight": state.sight,
            "order": orders.id,
            "plays_other": plays_other and state.phase == "playing",
            "waiting": 0 if health is None else health.waiting,
        }


def _said(log: HubLog, at: _At, told: HubMessage) -> tuple[Fact, ...]:
    """The facts for a call or its end; none for the end of a call that has already ended."""
    if told.done:
        made = log.keys.get(key_of(told.done))
        return tuple(HallCallClosed(call.seq) for call in log.calls if call.seq == made)
    return (HallCalled(at.round, at.table, told.words),)


def _newest(logs: list[HubLog]) -> list[HubLog]:
    return sorted(logs, key=lambda each: each.entries[0].at_s if each.entries else 0.0, reverse=True)


def _orders(logs: list[HubLog], box: str) -> Orders:
    """The orders of a box: the newest open table that it was given."""
    for log in logs:
        at, event = log.hall.at_box.get(box), log.event
        if at is None or event is None or event.is_archived or at[0] != len(event.rounds):
            continue
        table = event.table(*at)
        if table.result is None:
            return Orders(
                id=_At(log.id, *at, box, log.paired_by(at[0])).order,
                event=log.id,
                name=event.name,
                round=at[0],
                table=at[1],
                game=log.hall.played.game,
                options=log.hall.played.options,
                seats=tuple(map(event.says, table.seats)),
            )
    return Orders()


class LocalTransports:
    """Both ends in one process: one Pi that is hub and table, without a broker. Messages arrive in order."""

    def __init__(self, hub: HubLink) -> None:
        self._hub = hub
        self._tables: dict[str, Callable[[str, bytes], None]] = {}

    def at_hub(self) -> Transport:
        return _Local(self._to_table)

    def at_table(
        self, box: str, heard: Callable[[str, bytes], None], opened: Callable[[], None] = lambda: None
    ) -> Transport:
        self._tables[box] = heard
        return _Local(self._hub.heard, opened)

    def _to_table(self, topic: str, payload: bytes) -> None:
        heard = self._tables.get(topic.split("/")[2])
        if heard is not None:
            heard(topic, payload)


class _Local:
    def __init__(self, send: Callable[[str, bytes], None], opened: Callable[[], None] = lambda: None) -> None:
        self._send: Callable[[str, bytes], None] | None = send
        self._opened = opened

    def open(self) -> None:
        self._opened()

    def publish(self, topic: str, payload: bytes, *, is_retained: bool = False) -> bool:
        if self._send is None:
            return False
        self._send(topic, payload)
        return True

    def listen(self, topics: frozenset[str]) -> None:
        pass

    def close(self) -> None:
        self._send = None
