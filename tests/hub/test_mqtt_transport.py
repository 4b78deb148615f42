"""The transport over MQTT: an error in what it calls ends neither paho's thread nor the transport."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from companion.event.hub.mqtt import TOPICS_AT_ONCE, Credentials, MqttTransport

CONNACK, SUBACK = bytes([0x20, 2, 0, 0]), 0x90
WAIT_S = 10.0


def published(topic: str, payload: bytes) -> bytes:
    """An MQTT 3.1.1 message with QoS 0."""
    name = topic.encode()
    return bytes([0x30, 2 + len(name) + len(payload), 0, len(name)]) + name + payload


class OneGuest:
    """A broker that accepts one connection and one subscription, then says what a test gives it."""

    def __init__(self) -> None:
        self._door = socket.create_server(("127.0.0.1", 0))
        self._door.settimeout(WAIT_S)
        self.port = self._door.getsockname()[1]
        self._guest: socket.socket | None = None

    def lets_in(self) -> None:
        self._guest, _ = self._door.accept()
        self._guest.settimeout(WAIT_S)
        self._packet()
        self._guest.sendall(CONNACK)
        self.is_asked()
        self.answers()

    def is_asked(self) -> int:
        """How many topics the next packet, a subscription, has."""
        packet = self._packet()
        self._number, packet, topics = packet[:2], packet[2:], 0
        while packet:
            packet, topics = packet[2 + int.from_bytes(packet[:2], "big") + 1 :], topics + 1
        return topics

    def answers(self) -> None:
        """Acknowledges the subscription."""
        self._guest.sendall(bytes([SUBACK, 3]) + self._number + b"\x01")

    def hears(self) -> bytes:
        """The payload of the next message, which is not acknowledged."""
        packet = self._packet()
        return packet[2 + int.from_bytes(packet[:2], "big") + 2 :]

    def says(self, topic: str, payload: bytes) -> None:
        self._guest.sendall(published(topic, payload))

    def _packet(self) -> bytes:
        """A packet without its kind and length."""
        self._guest.recv(1)
        length = shift = 0
        while True:
            (byte,) = self._guest.recv(1)
            length, shift = length | (byte & 127) << shift, shift + 7
            if byte < 128:
                return self._guest.recv(length, socket.MSG_WAITALL)

    def close(self) -> None:
        for end in (self._guest, self._door):
            if end is not None:
                end.close()


@pytest.fixture
def broker() -> Iterator[OneGuest]:
    broker = OneGuest()
    yield broker
    broker.close()


def test_a_message_that_cannot_be_taken_does_not_end_the_transport(
    broker: OneGuest, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[bytes] = []
    is_heard = threading.Event()

    def hears(topic: str, payload: bytes) -> None:
        heard.append(payload)
        if len(heard) == 1:
            raise RuntimeError("a fault of the hub")
        is_heard.set()

    def opened() -> None:
        raise RuntimeError("a fault as it opens")

    transport = MqttTransport(
        Credentials("t1", "127.0.0.1", broker.port), "table-t1", ("companion/down/t1/+",), hears, opened
    )
    transport.open()
    try:
        broker.lets_in()
        broker.says("companion/down/t1/ack", b"first")
        broker.says("companion/down/t1/ack", b"second")
        assert is_heard.wait(WAIT_S)
        assert heard == [b"first", b"second"]
        assert transport.is_open.is_set()
    finally:
        transport.close()
    assert [str(record.exc_info[1]) for record in caplog.records if record.exc_info] == [
        "a fault as it opens",
        "a fault of the hub",
    ]


def test_a_broker_that_needs_long_for_a_subscription_is_heard_meanwhile(broker: OneGuest) -> None:
    """Hubs with 500 tables asked a cluster for all topics at once, took its silence for its end, and began again."""
    topics = tuple(f"companion/up/t{n}/+" for n in range(2 * TOPICS_AT_ONCE + 3))
    transport = MqttTransport(
        Credentials("hub", "127.0.0.1", broker.port), "hub", topics, lambda topic, payload: None, lambda: None
    )
    transport.open()
    try:
        broker.lets_in()
        assert broker.is_asked() == TOPICS_AT_ONCE
        assert transport.publish("companion/down/t1/orders", b"orders")
        assert broker.hears() == b"orders"
        broker.answers()
        assert broker.is_asked() == 3
        broker.answers()
        transport.listen(frozenset({*topics, "companion/up/new/+"}))
        assert broker.is_asked() == 1
    finally:
        transport.close()
