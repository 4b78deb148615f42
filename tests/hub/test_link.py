"""Between a table and the hub: nothing is lost or doubled, whatever the transport does."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bench.servers import Mosquitto
from companion.event.facts import Entered, EntryRetracted, Paired, Reported, Result, drawn, won
from companion.event.hub import desk, link
from companion.event.hub.desk import HUB
from companion.event.hub.facts import Assigned, Enrolled, HallCallClosed, HallCalled, HubEntry, Late
from companion.event.hub.home_assistant import HomeAssistant
from companion.event.hub.link import HubLink, HubMessage, LocalTransports, Orders
from companion.event.hub.mqtt import HubTransport, MqttTransport, table_transport
from companion.event.hub.outbox import Begun, Outbox
from companion.event.hub.store import HUB_ID
from companion.event.hub.table_end import TableEnd
from tests.hub.conftest import NAMES
from tests.hub.hall import Hall


def until(holds: Callable[[], object], timeout_s: float = 20.0) -> None:
    """Waits for another process, which nothing here can hurry."""
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.01)


def ordered(linked: HubLink, box: str) -> Orders:
    """What the hub has told a box to play."""
    until(lambda: linked._orders.get(box, Orders()).id)
    return linked._orders[box]


def given_to(hall: Hall, *boxes: str) -> None:
    """Enrols boxes and gives each a table of the newest round."""
    for box in boxes:
        hall.desk.say(HUB_ID, Enrolled(box), HUB)
    for number, box in enumerate(boxes, 1):
        hall.desk.say("cup", Assigned(len(hall.log.tournament.rounds), number, box), HUB)


class Road:
    """A transport that keeps what is sent, each time with its sender, and delivers nothing."""

    def __init__(self, sent: list[tuple[Any, str, bytes]], sender: Any = None) -> None:
        self.sent, self.sender = sent, sender

    def open(self) -> None: ...

    def publish(self, topic: str, payload: bytes, **how: bool) -> bool:
        self.sent.append((self.sender, topic, payload))
        return True

    def close(self) -> None: ...


class Table:
    """A table's end, on a transport that a test makes."""

    def __init__(self, box: str, folder: Path) -> None:
        self.outbox = Outbox(folder)
        self.end = TableEnd(box, self.outbox, again_s=0.2)

    def tells(self, result: Any, id_: str = "m1") -> None:
        self.end.tells(HubMessage(f"{self.end.orders.id}:{id_}", self.end.orders.id, result))


@pytest.fixture
def linked(hall: Hall) -> Iterator[HubLink]:
    link = HubLink(hall.desk)
    yield link
    link.close()


@pytest.fixture
def local(hall: Hall, linked: HubLink, tmp_path: Path) -> Iterator[Table]:
    """A hub and a table in one process, without a broker."""
    hall.pairs()
    given_to(hall, "t1")
    transports = LocalTransports(linked)
    table = Table("t1", tmp_path / "t1")
    transport = transports.at_table("t1", table.end.heard, table.end.opened)
    linked.begin(transports.at_hub())
    table.end.begin(transport)
    yield table
    table.end.close()


def test_two_hubs_on_one_store_never_take_a_table_back_to_an_older_order(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hub that was behind the database answered a greeting with the order before: the table began that match again.
    An answer that was on its way longer than a newer one did the same."""
    monkeypatch.setattr(desk, "PULSE_S", 3600.0)
    monkeypatch.setattr(link, "LOOK_S", 3600.0)
    halls = [Hall(database, NAMES), Hall(database)]
    halls[0].pairs()
    given_to(halls[0], "t1")
    table = Table("t1", tmp_path / "t1")
    sent: list[tuple[Any, str, bytes]] = []
    links = [HubLink(each.desk) for each in halls]
    for each in links:
        each.begin(Road(sent, each))
    first = ordered(links[0], "t1")
    until(lambda: {hub for hub, *_ in sent} == set(links))
    table.end.heard(*sent[0][1:])
    assert table.end.orders == first
    told = msgspec.json.encode(HubMessage("m", first.id, won(0)))
    for each in links:
        each.heard("companion/up/t1/say", told)
    halls[0].reports()
    halls[0].pairs()
    halls[0].desk.say("cup", Assigned(2, 1, "t1"), HUB)
    links[1].heard("companion/up/t1/online", b'{"is_online":true}')
    hub, topic, payload = sent[-1]
    assert (hub, msgspec.json.decode(payload, type=Orders).round) == (links[1], 2)
    for _, topic, payload in (sent[-1], *sent):
        table.end.heard(topic, payload)
        assert table.end.orders.round == 2
    assert sum(isinstance(e.fact, Reported) and e.fact.table == 1 for e in halls[0].log.entries) == 1
    for each, of in zip(links, halls, strict=True):
        each.close()
        of.close()


class CountedEntries(tuple[HubEntry, ...]):
    """Entries that count how many of them are read."""

    read = 0

    def __iter__(self) -> Iterator[HubEntry]:
        return (self[at] for at in range(len(self)))

    def __reversed__(self) -> Iterator[HubEntry]:
        return (self[at] for at in range(len(self) - 1, -1, -1))

    def __getitem__(self, at: Any) -> Any:
        self.read += 1
        return super().__getitem__(at)


def test_orders_of_all_boxes_do_not_read_the_log_for_each_box(tmp_path: Path) -> None:
    """Every change looked through all entries once a box: 661 ms at 2,000 tables."""
    hall = Hall(tmp_path / "hub.db", [f"Player {n}" for n in range(60)])
    hall.pairs()
    boxes = [f"t{n}" for n in range(1, 31)]
    given_to(hall, *boxes)
    entries = CountedEntries(hall.log.entries)
    logs = link._newest([replace(hall.log, entries=entries)])
    orders = [link._orders(logs, box) for box in boxes]
    assert [each.table for each in orders] == list(range(1, 31))
    assert entries.read <= len(entries)
    hall.close()


@pytest.mark.parametrize("late", [drawn(), won(0)])
def test_a_late_result_changes_nothing_and_another_one_calls_the_referee(
    hall: Hall, local: Table, late: Result
) -> None:
    until(lambda: local.end.orders.id)
    order = local.end.orders.id
    hall.desk.say("cup", Reported(1, 1, won(0)), HUB)
    local.end.tells(HubMessage("late", order, late))
    until(lambda: local.end.waiting == 0)
    assert hall.log.tournament.table(1, 1).result == won(0)
    assert ["judged another result" in str(call.words) for call in hall.log.calls] == [True] * (late == drawn())
    assert hall.log.hall.late[1, 1] == (Late(1, 1, "t1", late),)


def test_a_call_stands_at_the_desk_until_the_table_says_that_it_is_done_with(tmp_path: Path) -> None:
    hall = Hall(tmp_path / "hub.db", ["Ann", "Ben"])
    linked = HubLink(hall.desk)
    linked.begin(LocalTransports(linked).at_hub())
    hall.pairs()
    given_to(hall, "t1")

    def say(told: HubMessage) -> None:
        linked.heard("companion/up/t1/say", msgspec.json.encode(told))

    order = ordered(linked, "t1").id
    say(HubMessage("m:call:7", order, words="the die leans"))
    until(lambda: [str(call.words) for call in hall.log.calls] == ["the die leans"])
    for _ in range(2):
        say(HubMessage("m:call:7:done", order, done="m:call:7"))
    until(lambda: hall.log.calls == ())
    say(HubMessage("m:call:8:done", order, done="m:call:8"))  # one that the hub never heard of
    linked.close()
    assert [type(entry.fact) for entry in hall.log.entries[-2:]] == [HallCalled, HallCallClosed]


def test_what_was_judged_before_a_round_was_paired_anew_is_not_its_result(hall: Hall, local: Table) -> None:
    """The order had the same name: the first pairing's result was entered for whoever sat at that table now."""
    until(lambda: local.end.orders.id)
    before = local.end.orders
    paired = next(entry.seq for entry in hall.log.entries if isinstance(entry.fact, Paired))
    hall.desk.say("cup", (EntryRetracted(paired, "a late entry"), Entered("p9", "Late", rating=2500)), HUB)
    hall.pairs()
    until(lambda: local.end.orders.id not in ("", before.id))
    assert local.end.orders.seats != before.seats
    local.end.tells(HubMessage("late", before.id, won(0)))
    until(lambda: local.end.waiting == 0)
    assert hall.log.tournament.table(1, 1).result is None


def test_a_full_disk_does_not_end_what_listens_to_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The orders could not be kept, and the transport's thread died of it: the box heard nothing until its restart."""
    table = Table("t1", tmp_path)
    orders = msgspec.json.encode(Orders(id="cup/1/1/t1/9"))

    def no_room(file: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as full:
        full.setattr(os, "fsync", no_room)
        table.end.heard("companion/down/t1/orders", orders)
    assert table.end.orders == Orders()
    table.end.heard("companion/down/t1/orders", orders)  # there is room again, and the hub says it again
    assert table.end.orders.id == "cup/1/1/t1/9"


def test_one_message_that_a_broken_card_has_spoilt_does_not_hold_up_the_others(tmp_path: Path) -> None:
    """The table's thread died of it, and nothing was told any more."""
    box = Outbox(tmp_path)
    box.put(HubMessage("first", "cup/1/1/t1/9", won(0)))
    next(tmp_path.glob("say-*")).write_bytes(bytes(40))
    box.put(HubMessage("second", "cup/1/1/t1/9", won(0)))
    for name in ("orders.json", "begun.json", "calls.json", "last.json"):
        (tmp_path / name).write_bytes(bytes(40))
    assert [told.id for told in box.waiting()] == ["second"]
    assert len(list(tmp_path.glob("say-*.damaged"))) == 1
    assert (box.orders, box.begun, box.calls, box.last) == (Orders(), Begun(), {}, "")


@pytest.mark.parametrize(
    ("box", "order", "why"),
    [("t1", "nothing", "no order"), ("t1", "none/1/1/t1/9", "no event"), ("t2", "cup/1/1/t2/9", "not enrolled")],
)
def test_what_cannot_be_entered_is_acknowledged_with_the_reason(
    hall: Hall, linked: HubLink, box: str, order: str, why: str
) -> None:
    hall.pairs()
    given_to(hall, "t1")
    acks: list[bytes] = []
    transports = LocalTransports(linked)
    transports.at_table(box, lambda topic, payload: acks.append(payload) if topic.endswith("ack") else None)
    linked.begin(transports.at_hub())
    told = b'{"id":"x","order":"%b","result":{"places":[1,2]}}' % order.encode()
    linked.heard(f"companion/up/{box}/say", told)
    assert why.encode() in acks[0]
    assert hall.log.tournament.table(1, 1).result is None


def test_a_table_knows_its_orders_after_a_start_without_network(tmp_path: Path) -> None:
    orders = Orders(id="cup/1/1/t1", event="cup", round=1, table=1, seats=("Ann", "Ben"))
    Outbox(tmp_path).orders = orders
    table = Table("t1", tmp_path)
    table.end.begin(Road([]))
    assert table.end.orders == orders
    table.end.close()


# -- a real mosquitto ------------------------------------------------------------------------------------------------


def linked_by(broker: Mosquitto, hall: Hall, home: HomeAssistant | None = None) -> HubLink:
    made = HubLink(hall.desk, home)
    made.begin(HubTransport(broker.hub, "a", made.hears, made.on_transport))
    return made


def test_a_result_outlives_a_killed_broker_and_a_hub_that_starts_again(
    hall: Hall, broker: Mosquitto, tmp_path: Path
) -> None:
    hall.pairs()
    given_to(hall, "t1", "t2")
    tables = {box: Table(box, tmp_path / box) for box in ("t1", "t2")}
    given = {box: broker.enroll(box) for box in tables}
    broker.start()
    link = linked_by(broker, hall)
    for box, table in tables.items():
        table.end.begin(table_transport(given[box], table.end.heard, table.end.opened))
    until(lambda: all(table.end.orders.id for table in tables.values()))
    broker.kill()
    until(lambda: not tables["t1"].end._transport.is_open.is_set())  # type: ignore[union-attr]
    tables["t1"].tells(won(1))
    assert tables["t1"].end.waiting == 1
    link.close()
    broker.start()
    tables["t2"].tells(drawn())
    again = Hall(hall.store_url)
    link = linked_by(broker, again)
    until(lambda: all(again.log.tournament.table(1, n).result for n in (1, 2)))
    until(lambda: all(table.end.waiting == 0 for table in tables.values()))
    assert [again.log.tournament.table(1, n).result for n in (1, 2)] == [won(1), drawn()]
    assert sum(isinstance(e.fact, Reported) for e in again.log.entries) == 2
    for table in tables.values():
        table.end.close()
    link.close()
    again.close()


def test_a_table_reads_and_says_nothing_in_anothers_name(broker: Mosquitto) -> None:
    given = {box: broker.enroll(box) for box in ("t1", "t2")}
    broker.start()
    got: list[tuple[str, bytes]] = []
    is_open = threading.Event()
    hub = HubTransport(broker.hub, "a", got.extend, is_open.set)
    hub.open()
    assert is_open.wait(10)
    heard: list[str] = []
    opened = threading.Event()
    topics = ("companion/down/+/orders", "companion/up/+/+")
    thief = MqttTransport(given["t1"], "thief", topics, lambda topic, payload: heard.append(topic), opened.set)
    thief.open()
    assert opened.wait(10)
    thief.publish("companion/up/t2/say", b"in the name of t2")
    thief.publish("companion/down/t2/orders", b"go home")
    thief.publish("companion/up/t1/say", b"in my own")
    until(lambda: got)  # what it asked to hear was taken before that
    hub.publish("companion/down/t2/orders", b"{}")
    hub.publish("companion/down/t1/orders", b"{}")
    until(lambda: heard)
    assert got == [("companion/up/t1/say", b"in my own")]
    assert set(heard) == {"companion/down/t1/orders"}
    thief.close()
    hub.close()


def test_nobody_gets_in_without_a_password_and_the_road_is_sealed(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path / "broker", has_tls=True)
    given = broker.enroll("t1")
    broker.start()
    opened = threading.Event()
    good = table_transport(given, lambda *a: None, opened.set)
    good.open()
    assert opened.wait(10)
    assert given.ca.startswith("-----BEGIN CERTIFICATE-----")
    wrong = threading.Event()
    transports = [good]
    for field, value in (("password", "guess"), ("ca", ""), ("username", "")):
        transports.append(table_transport(msgspec.structs.replace(given, **{field: value}), lambda *a: None, wrong.set))
    for transport in transports[1:]:
        transport.open()
    assert not wrong.wait(1.5)
    for transport in transports:
        transport.close()
    broker.kill()


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
