"""Transport over MQTT 3.1.1: QoS 1, persistent sessions, a last will. Nothing beyond 3.1.1: clusters differ there."""

import json
import logging
import queue
import ssl
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from companion.event.hub.link import DOWN, UP, Messages, Online
from companion.game.errors import CompanionError
from companion.game.text_file import text_of_file, why_unread

_LOGGER = logging.getLogger(__name__)

QOS = 1
KEEPALIVE_S = 20
RETRY_MOST_S = 8
MOST_AT_ONCE = 50
"""Most messages that a hub takes in one turn."""
TOPICS_AT_ONCE = 16
"""Topics of one subscription; the next waits for its answer. RabbitMQ takes 0.2 s for each, and hears nothing."""
PORT, TLS_PORT = 1883, 8883


class LinkError(CompanionError, OSError):
    """A file of credentials that cannot be used, or a broker that is not there at all."""


class Credentials(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The credentials that `companion hub enroll` gives a table."""

    name: str
    """The table's; the hub's own is ``hub``."""
    host: str
    port: int = PORT
    username: str = ""
    password: str = ""
    ca: str = ""
    """The certificate (PEM) of the authority that signed the broker's; empty: no TLS."""
    hosts: tuple[str, ...] = ()
    """More brokers of the same cluster, as ``host:port``. Sessions then have no name: RabbitMQ has a named session's
    queue on one node, and refuses the name on the others while that is down."""


def read_credentials(path: Path) -> Credentials:
    """Credentials from their file. Raises: LinkError."""
    try:
        return msgspec.json.decode(text_of_file(path), type=Credentials)
    except (OSError, UnicodeDecodeError) as error:
        raise LinkError(
            f"{path} cannot be read ({why_unread(error)}), expected a file of `companion hub enroll`"
        ) from error
    except (msgspec.MsgspecError, RecursionError) as error:
        raise LinkError(f"{path} is no file of `companion hub enroll`: {error}") from error


class MqttTransport:
    """A transport to a broker that reconnects by itself, and calls `opened` each time from its own thread.

    `client_id` names the session (not with a cluster); the broker publishes `will` once this end is lost."""

    def __init__(
        self,
        given: Credentials,
        client_id: str,
        topics: tuple[str, ...],
        heard: Callable[[str, bytes], None],
        opened: Callable[[], None],
        will: tuple[str, bytes] | None = None,
    ) -> None:
        self._topics, self._heard, self._opened = frozenset(topics), heard, opened
        self._brokers = [(given.host, given.port), *(_address(each) for each in given.hosts)]
        self._at = 0
        self._gone: frozenset[str] = frozenset()
        self._asked: frozenset[str] = frozenset()
        self._is_asking = False
        self._listening = threading.Lock()
        self.is_open = threading.Event()
        is_cluster = bool(given.hosts)
        self._client = mqtt.Client(
            CallbackAPIVersion.VERSION2,
            "" if is_cluster else client_id,
            clean_session=is_cluster,
            protocol=mqtt.MQTTv311,
        )
        if given.username:
            self._client.username_pw_set(given.username, given.password)
        if given.ca:
            context = ssl.create_default_context(cadata=given.ca)
            self._client.tls_set_context(context)
        if will is not None:
            self._client.will_set(will[0], will[1], qos=QOS, retain=True)
        self._client.on_connect = self._connected
        self._client.on_disconnect = self._lost
        self._client.on_connect_fail = lambda client, data: self._next()
        self._client.on_subscribe = self._subscribed
        self._client.on_message = self._message
        self._client.reconnect_delay_set(1, RETRY_MOST_S)

    def open(self) -> None:
        """Starts to look for the broker, until `close`."""
        host, port = self._brokers[0]
        self._client.connect_async(host, port, KEEPALIVE_S)
        self._client.loop_start()

    def publish(self, topic: str, payload: bytes, *, is_retained: bool = False) -> bool:
        """Sends with QoS 1; False if the broker is not reached: the caller must repeat important messages."""
        if not self.is_open.is_set():
            return False
        return self._client.publish(topic, payload, qos=QOS, retain=is_retained).rc == mqtt.MQTT_ERR_SUCCESS

    def listen(self, topics: frozenset[str]) -> None:
        """Subscribes to these topics only, now or at the next connection."""
        with self._listening:  # while it connects, the topics of either moment are subscribed to
            gone, self._topics = self._topics - topics, topics
            self._gone |= gone
            if self.is_open.is_set():
                self._forget(gone)
                if not self._is_asking:
                    self._ask()

    def _forget(self, topics: frozenset[str]) -> None:
        self._asked -= topics
        if topics:
            self._client.unsubscribe(list(topics))

    def _ask(self) -> None:
        some = sorted(self._topics - self._asked)[:TOPICS_AT_ONCE]
        self._is_asking = bool(some)
        if some:
            self._asked |= {*some}
            self._client.subscribe([(topic, QOS) for topic in some])

    def _subscribed(self, client: Any, data: Any, number: Any, reasons: Any, properties: Any) -> None:
        with self._listening:
            self._ask()

    def close(self) -> None:
        """Disconnects; the session stays at the broker."""
        self._client.disconnect()
        self._client.loop_stop()
        self.is_open.clear()
        self._client.reinitialise()  # closes the two sockets that wake its thread

    def _next(self) -> None:
        """The next connection is tried at the next broker of the cluster."""
        self._at += 1
        host, port = self._brokers[self._at % len(self._brokers)]
        self._client.connect_async(host, port, KEEPALIVE_S)

    def _connected(self, client: Any, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            return
        self._client.drop_out_messages()  # both ends repeat what still counts; paho would send old messages after it
        with self._listening:
            self._asked = frozenset()
            self._forget(self._gone - self._topics)  # a named session keeps its earlier subscriptions
            self._ask()
            self.is_open.set()
        self._attempt(self._opened)

    def _lost(self, client: Any, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        self.is_open.clear()
        if reason.is_failure and len(self._brokers) > 1:
            self._next()

    def _message(self, client: Any, data: Any, message: Any) -> None:
        self._attempt(partial(self._heard, message.topic, bytes(message.payload)))

    def _attempt(self, do: Callable[[], None]) -> None:
        """Runs a callback of this connection and logs its error: an uncaught one would end paho's thread."""
        try:
            do()
        except Exception:  # the thread's catch-all
            _LOGGER.exception("a message of the broker could not be taken")


class HubTransport(MqttTransport):
    """The hub's end. A thread of its own takes the messages, so that the broker's pings are answered meanwhile."""

    def __init__(
        self, given: Credentials, name: str, hears: Callable[[Messages], None], opened: Callable[[], None]
    ) -> None:
        self._inbox: queue.SimpleQueue[tuple[str, bytes] | None] = queue.SimpleQueue()
        self._hears = hears
        self._reader = threading.Thread(target=self._read, name="hub messages", daemon=True)
        super().__init__(given, f"hub-{name}", (f"{UP}/+/+",), lambda *message: self._inbox.put(message), opened)

    def open(self) -> None:
        """Starts, and reads from now on."""
        self._reader.start()
        super().open()

    def close(self) -> None:
        """Disconnects, and reads what came before."""
        super().close()
        self._inbox.put(None)
        if self._reader.is_alive():
            self._reader.join(5.0)

    def _read(self) -> None:
        while (message := self._inbox.get()) is not None:
            messages = [message]
            while len(messages) < MOST_AT_ONCE and not self._inbox.empty() and (message := self._inbox.get()):
                messages.append(message)
            self._attempt(partial(self._hears, messages))
            if message is None:
                return


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return (host, int(port)) if host and port.isdecimal() else (text, PORT)


def table_transport(
    given: Credentials, heard: Callable[[str, bytes], None], opened: Callable[[], None]
) -> MqttTransport:
    will = (f"{UP}/{given.name}/online", msgspec.json.encode(Online(False)))
    return MqttTransport(given, f"table-{given.name}", (f"{DOWN}/{given.name}/+",), heard, opened, will)


def written(given: Credentials) -> bytes:
    return json.dumps(msgspec.to_builtins(given), indent=1).encode() + b"\n"
