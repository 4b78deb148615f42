"""The transport over MQTT: an error in what it calls ends neither paho's thread nor the transport."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from companion.event.hub.mqtt import Credentials, MqttTransport

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
        number = self._packet()[:2]
        self._guest.sendall(bytes([SUBACK, 3]) + number + b"\x01")

    def says(self, topic: str, payload: bytes) -> None:
        self._guest.sendall(published(topic, payload))

    def _packet(self) -> bytes:
        """The rest of a short packet, after its first two bytes."""
        _, length = self._guest.recv(2)
        return self._guest.recv(length)

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
        assert transport.is_open
    finally:
        transport.close()
    assert [str(record.exc_info[1]) for record in caplog.records if record.exc_info] == [
        "a fault as it opens",
        "a fault of the hub",
    ]
