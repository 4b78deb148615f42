"""A table's end of the link: it publishes its state, keeps messages until the hub has them, and takes orders."""

import logging
import threading

import msgspec

from companion.event.hub.link import DOWN, UP, Ack, Health, HubMessage, Online, Orders, State, Transport
from companion.event.hub.outbox import Outbox

_LOGGER = logging.getLogger(__name__)

AGAIN_S, MOST_AGAIN_S = 5.0, 30.0
"""Time to the first repetition of an unacknowledged message, s. It doubles up to the limit, to spare a slow hub."""
HEALTH_S = 30.0


class TableEnd:
    """The table's end of its link to the hub. `begin` takes a transport, which calls `opened` and `heard`."""

    def __init__(self, box: str, outbox: Outbox, again_s: float = AGAIN_S) -> None:
        self.box = box
        self._outbox = outbox
        self._again_s = again_s
        self._transport: Transport | None = None
        self._state = State()
        self._seen: dict[str, int] = {}
        self._is_ended = threading.Event()
        self._kicked = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"table {box}", daemon=True)

    @property
    def orders(self) -> Orders:
        return self._outbox.orders

    @property
    def waiting(self) -> int:
        """Number of messages that the hub has not acknowledged."""
        return len(self._waiting())

    def _waiting(self) -> list[HubMessage]:
        try:
            return self._outbox.waiting()
        except OSError as error:  # a card that cannot be read now must not end the thread that looks again
            _LOGGER.warning("what waits for the hub cannot be read (%s)", error.strerror)
            return []

    def begin(self, transport: Transport) -> None:
        self._transport = transport
        transport.open()
        self._thread.start()

    def close(self) -> None:
        self._is_ended.set()
        self._kicked.set()
        if self._thread.is_alive():
            self._thread.join(5.0)
        if self._transport is not None:
            self._send("online", Online(False), is_retained=True)
            self._transport.close()

    # calls from the table

    def stands(self, state: State) -> None:
        """Publishes the table's state if it has changed; newest wins."""
        if state != self._state:
            self._state = state
            self._send("state", state, is_retained=True)

    def tells(self, told: HubMessage) -> None:
        """Something that must arrive: it is on disk when this returns."""
        self._outbox.put(told)
        self._kicked.set()

    # calls from the transport

    def opened(self) -> None:
        """The transport is open (again): the table greets, publishes its state, and repeats unacknowledged messages."""
        self._send("online", Online(True), is_retained=True)
        self._send("state", self._state, is_retained=True)
        self._kicked.set()

    def heard(self, topic: str, payload: bytes) -> None:
        try:
            if topic == f"{DOWN}/{self.box}/orders":
                orders = msgspec.json.decode(payload, type=Orders)
                if orders.is_older(self._seen):
                    return
                self._seen |= orders.seen
                orders = msgspec.structs.replace(orders, seen={})
                if orders != self._outbox.orders:
                    self._outbox.orders = orders
            elif topic == f"{DOWN}/{self.box}/ack":
                ack = msgspec.json.decode(payload, type=Ack)
                if self._outbox.done(ack.id) and ack.refused:
                    _LOGGER.warning("the hub did not enter %s: %s", ack.id, ack.refused)
        except (msgspec.MsgspecError, RecursionError) as error:
            _LOGGER.warning("the hub said what cannot be read: %s", error)
        except OSError as error:  # the transport's thread must live on: the hub says it again
            _LOGGER.warning("what the hub said cannot be kept (%s)", error.strerror)

    def _run(self) -> None:
        since_health, again_s = HEALTH_S, self._again_s
        while not self._is_ended.is_set():
            is_new = self._kicked.is_set()
            self._kicked.clear()
            waiting = self._waiting()
            since_health += again_s
            again_s = self._again_s if is_new or not waiting else min(2 * again_s, MOST_AGAIN_S)
            is_due = since_health >= HEALTH_S
            try:
                self._tell_again(waiting)
                if is_due:
                    since_health = 0.0
                    self._tell_health()
            except Exception:  # the thread's catch-all: all is sent again, so nothing is lost
                _LOGGER.exception("the hub could not be told")
            self._kicked.wait(again_s)

    def _tell_again(self, waiting: list[HubMessage]) -> None:
        standing = {told.id for told in waiting}
        for told in waiting:
            if told.done not in standing:  # a call comes before its end, or it would stay open for good
                self._send("say", told)

    def _tell_health(self) -> None:
        self._send("online", Online(True), is_retained=True)  # an older transport's last will may come late
        self._send("health", Health(self.waiting), is_retained=True)

    def _send(self, kind: str, message: State | Health | Online | HubMessage, *, is_retained: bool = False) -> None:
        if self._transport is not None:
            self._transport.publish(f"{UP}/{self.box}/{kind}", msgspec.json.encode(message), is_retained=is_retained)
