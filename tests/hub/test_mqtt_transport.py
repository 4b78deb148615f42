"""The transport over MQTT: an error in what it calls ends neither paho's thread nor the transport."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench.servers import Mosquitto
from companion.event.hub.mqtt import TOPICS_AT_ONCE, MqttTransport
from tests.hub.test_link import until


@pytest.fixture
def hub(broker: Mosquitto) -> Iterator[MqttTransport]:
    """Another end at the broker, which may say anything to a table."""
    broker.start()
    made = MqttTransport(broker.hub, "hub", ("companion/up/t1/say",), lambda topic, payload: None, lambda: None)
    made.open()
    until(made.is_open.is_set)
    yield made
    made.close()


def test_a_message_that_cannot_be_taken_does_not_end_the_transport(
    broker: Mosquitto, hub: MqttTransport, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[bytes] = []

    def hears(topic: str, payload: bytes) -> None:
        heard.append(payload)
        if len(heard) == 1:
            raise RuntimeError("a fault of the hub")

    def opened() -> None:
        raise RuntimeError("a fault as it opens")

    transport = MqttTransport(broker.hub, "other", ("companion/down/t1/+",), hears, opened)
    transport.open()
    try:
        until(lambda: hub.publish("companion/down/t1/ack", b"again") and len(heard) > 1)
        assert transport.is_open.is_set()
    finally:
        transport.close()
    told = [str(record.exc_info[1]) for record in caplog.records if record.exc_info]
    assert told == ["a fault as it opens", "a fault of the hub"]


def test_more_topics_than_a_broker_is_asked_for_at_once_are_all_heard(broker: Mosquitto, hub: MqttTransport) -> None:
    """Hubs with 500 tables asked a cluster for all topics at once, took its silence for its end, and began again."""
    topics = [f"companion/down/t{n}/orders" for n in range(2 * TOPICS_AT_ONCE + 3)]
    heard: set[str] = set()
    transport = MqttTransport(
        broker.hub, "other", tuple(topics[:-1]), lambda topic, payload: heard.add(topic), lambda: None
    )
    asked: list[int] = []
    subscribe = transport._client.subscribe
    transport._client.subscribe = lambda some: (asked.append(len(some)), subscribe(some))[1]  # type: ignore[method-assign]
    transport.open()
    until(lambda: len(asked) == 3)
    transport.listen(frozenset(topics))
    until(lambda: all(hub.publish(topic, b"orders") for topic in topics) and heard == {*topics})
    assert asked == [TOPICS_AT_ONCE, TOPICS_AT_ONCE, 2, 1]
    transport.close()
