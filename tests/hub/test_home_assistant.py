"""Home Assistant finds the tables at a real broker, where it was asked for, reads them, and may do nothing else."""

from __future__ import annotations

import threading
from pathlib import Path

import jinja2
import msgspec
import pytest

from bench.servers import Mosquitto
from companion.cli import main
from companion.event.hub.broker import enroll, let_home_in
from companion.event.hub.desk import HUB
from companion.event.hub.facts import Enrolled, Removed
from companion.event.hub.home_assistant import ENTITIES, HomeAssistant
from companion.event.hub.link import State
from companion.event.hub.mqtt import MqttTransport, table_transport
from companion.event.hub.store import HUB_ID
from companion.event.refused import EventRefused
from tests.hub.hall import Hall
from tests.hub.test_link import Table, linked_by, until


class Home:
    """What Home Assistant does with MQTT discovery, as far as it is used: configurations, states by their templates."""

    def __init__(self, broker: Mosquitto) -> None:
        self.topics: dict[str, bytes] = {}
        opened = threading.Event()
        transport = MqttTransport(
            let_home_in(broker.folder), "home", ("homeassistant/#", "companion/#"), self._heard, opened.set
        )
        self.transport, self.opened = transport, opened

    def _heard(self, topic: str, payload: bytes) -> None:
        self.topics[topic] = payload

    @property
    def entities(self) -> dict[str, dict[str, str]]:
        found = {at: told for at, told in self.topics.items() if at.startswith("homeassistant/") and told}
        return {at.split("/", 1)[1]: msgspec.json.decode(told) for at, told in found.items()}

    def state(self, entity: str, of: str = "state_topic", by: str = "value_template") -> str:
        config = self.entities[entity]
        value = msgspec.json.decode(self.topics[config[of]])
        return jinja2.Environment(autoescape=False).from_string(config[by]).render(value_json=value)  # noqa: S701


def test_tables_are_found_read_and_taken_away_again(hall: Hall, broker: Mosquitto, tmp_path: Path) -> None:
    hall.desk.say(HUB_ID, Enrolled("t1"), HUB)
    given, home = broker.enroll("t1"), Home(broker)
    broker.start()
    link = linked_by(broker, hall, HomeAssistant())
    table = Table("t1", tmp_path / "t1")
    table.end.begin(table_transport(given, table.end.heard, table.end.opened))
    home.transport.open()
    until(lambda: len(home.entities) == len(ENTITIES) and "companion/up/t1/state" in home.topics)
    assert home.state("sensor/companion_t1/phase/config") == "idle"
    assert home.state("binary_sensor/companion_t1/asks/config") == "OFF"
    table.end.stands(State(phase="playing", game="center_point", says="ruled " + 300 * "x", asks="Which rod fell?"))
    until(lambda: home.state("sensor/companion_t1/phase/config") == "playing")
    assert home.state("sensor/companion_t1/game/config") == "center point"
    assert len(home.state("sensor/companion_t1/ruling/config")) == 255  # a longer state is refused there
    assert home.state("binary_sensor/companion_t1/asks/config") == "ON"
    assert home.state("binary_sensor/companion_t1/online/config") == "ON"
    ruling = "sensor/companion_t1/ruling/config"
    assert home.state(ruling, "availability_topic", "availability_template") == "online"
    ids = {each["unique_id"] for each in home.entities.values()}
    assert len(ids) == len(ENTITIES)
    hall.desk.say(HUB_ID, Removed("t1"), HUB)
    until(lambda: not home.entities)
    table.end.close()
    link.close()
    home.transport.close()


def test_home_assistant_reads_and_says_nothing(broker: Mosquitto) -> None:
    home = Home(broker)
    broker.start()
    got: list[tuple[str, bytes]] = []
    opened = threading.Event()
    hub = MqttTransport(
        broker.hub, "a", ("companion/#",), lambda topic, payload: got.append((topic, payload)), opened.set
    )
    hub.open()
    home.transport.open()
    assert opened.wait(10)
    assert home.opened.wait(10)
    for topic in ("companion/down/t1/orders", "companion/up/t1/say", "companion/up/t1/state"):
        home.transport.publish(topic, b"in another's name")
    hub.publish("companion/down/t1/orders", b"{}", is_retained=True)
    hub.publish("companion/up/t1/state", b"{}", is_retained=True)
    until(lambda: len(got) >= 2 and "companion/up/t1/state" in home.topics)
    assert set(got) == {("companion/down/t1/orders", b"{}"), ("companion/up/t1/state", b"{}")}
    assert "companion/down/t1/orders" not in home.topics  # what tables are to play is none of its business
    with pytest.raises(EventRefused):
        enroll(broker.folder, "homeassistant")
    hub.close()
    home.transport.close()


def test_the_way_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def ends(*words: str) -> object:
        with pytest.raises(SystemExit) as ended:
            main(["hub", "--data", str(tmp_path), *words])
        return ended.value.code

    assert ends("--home-assistant") == 2
    assert "companion hub broker --home-assistant" in capsys.readouterr().err
    assert not ends("broker", "--host", "127.0.0.1", "--plain", "--home-assistant")
    assert "user homeassistant" in capsys.readouterr().out
    assert "homeassistant:$7$" in (tmp_path / "hub" / "broker" / "passwords").read_text()
