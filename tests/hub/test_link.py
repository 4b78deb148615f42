"""Between a table and the hub: nothing is lost or doubled, whatever the transport does."""

from __future__ import annotations

import errno
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bench.servers import Mosquitto, free_port
from companion.app.reporting import Reporter
from companion.event.facts import Entered, EntryRetracted, Paired, Reported, drawn, won
from companion.event.hub import desk, link
from companion.event.hub.broker import password_line, set_up
from companion.event.hub.desk import CANNOT_BE, HUB, NO_EVENT, NoEvent
from companion.event.hub.facts import Assigned, Enrolled, HallCallClosed, HallCalled, HubEntry, Late
from companion.event.hub.link import Ack, HubLink, HubMessage, LocalTransports, Orders, State
from companion.event.hub.mqtt import Credentials, HubTransport, MqttTransport, table_transport
from companion.event.hub.outbox import Begun, Outbox
from companion.event.hub.store import HUB_ID
from companion.event.hub.table_end import TableEnd
from companion.event.presets import settings_for
from companion.game.view import CallView
from tests.hub.conftest import NAMES
from tests.hub.hall import Hall, text_of
from tests.hub.test_reporting import OneMatch


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


class Table:
    """A table's end, on a transport that a test makes."""

    def __init__(self, box: str, folder: Path) -> None:
        self.outbox = Outbox(folder)
        self.got: list[Orders] = []
        self.end = TableEnd(box, self.outbox, lambda: 0.0, self.got.append, again_s=0.2)

    def tells(self, result: Any, id_: str = "m1") -> None:
        self.end.tells(HubMessage(f"{self.end.orders.id}:{id_}", self.end.orders.id, result))


@pytest.fixture
def linked(hall: Hall) -> Iterator[HubLink]:
    link = HubLink(hall.desk, time.monotonic)
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


def test_one_process_is_hub_and_table_without_a_broker(hall: Hall, local: Table) -> None:
    until(lambda: local.end.orders.id)
    names = tuple(map(hall.log.tournament.says, hall.log.tournament.table(1, 1).seats))
    assert (local.end.orders.seats, local.end.orders.game) == (names, "eyes_of_the_emperor")
    local.tells(won(1))
    until(lambda: hall.log.tournament.table(1, 1).result)
    assert hall.log.tournament.table(1, 1).result == won(1)
    assert hall.log.entries[-1].by == "table t1"
    until(lambda: local.end.waiting == 0)
    until(lambda: local.end.orders == Orders())  # nothing more to play until the next round


def test_a_hub_that_starts_tells_no_table_that_it_has_nothing_to_do(hall: Hall, linked: HubLink) -> None:
    """Tables greeted a hub that did not know its events yet, and got empty orders in the middle of a round."""
    hall.pairs()
    given_to(hall, "t1")
    sent: queue.SimpleQueue[Orders] = queue.SimpleQueue()

    class Broker:
        def open(self) -> None:
            linked.heard("companion/up/t1/online", b'{"is_online":true}')

        def publish(self, topic: str, payload: bytes, **how: bool) -> bool:
            sent.put(msgspec.json.decode(payload, type=Orders))
            return True

        def close(self) -> None:
            pass

    linked.begin(Broker())  # type: ignore[arg-type]
    assert sent.get(timeout=10.0).table == 1


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
    sent: list[tuple[HubLink, str, bytes]] = []

    class Broker:
        """Keeps what a hub sends until it is delivered."""

        def __init__(self, hub: HubLink) -> None:
            self.hub = hub

        def open(self) -> None: ...

        def publish(self, topic: str, payload: bytes, **how: bool) -> bool:
            sent.append((self.hub, topic, payload))
            return True

        def close(self) -> None: ...

    links = [HubLink(each.desk, time.monotonic) for each in halls]
    for each in links:
        each.begin(Broker(each))  # type: ignore[arg-type]
    first = ordered(links[0], "t1")
    until(lambda: {hub for hub, *_ in sent} == set(links))
    table.end.heard(*sent[0][1:])
    assert table.end.orders == first
    told = msgspec.json.encode(HubMessage("m", first.id, won(0)))
    for each in links:
        each.heard("companion/up/t1/say", told)
    halls[0].reports_rest()
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
        for at in range(len(self)):
            yield self[at]

    def __reversed__(self) -> Iterator[HubEntry]:
        for at in range(len(self) - 1, -1, -1):
            yield self[at]

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


def test_a_result_that_is_said_many_times_is_entered_once(hall: Hall, local: Table, linked: HubLink) -> None:
    until(lambda: local.end.orders.id)
    order = local.end.orders.id
    for _ in range(5):
        local.end.tells(HubMessage("same", order, won(0)))
        linked.heard("companion/up/t1/say", b'{"id":"same","order":"%b","result":{"places":[1,2]}}' % order.encode())
    until(lambda: local.end.waiting == 0)
    assert sum(isinstance(e.fact, Reported) for e in hall.log.entries) == 1


def test_messages_that_came_together_are_entered_in_one_turn(
    hall: Hall, linked: HubLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1,500 results at once waited for one transaction each: the hall was not done after five minutes."""
    hall.pairs()
    given_to(hall, "t1", "t2", "t3")
    acks: dict[str, Ack] = {}
    turn, turns = hall.store.turn, queue.SimpleQueue[str]()

    def counted(event: str) -> Any:
        turns.put(event)
        return turn(event)

    class Broker:
        def open(self) -> None:
            pass

        def publish(self, topic: str, payload: bytes, **how: bool) -> bool:
            if topic.endswith("/ack"):
                ack = msgspec.json.decode(payload, type=Ack)
                acks[f"{topic.split('/')[2]} {ack.id}"] = ack
            return True

        def close(self) -> None:
            pass

    linked.begin(Broker())  # type: ignore[arg-type]
    monkeypatch.setattr(hall.store, "turn", counted)
    orders = {box: ordered(linked, box).id for box in ("t1", "t2", "t3")}
    told = [
        ("t1", HubMessage("a", orders["t1"], won(0))),
        ("t2", HubMessage("b", orders["t1"], won(0))),
        ("t1", HubMessage("a", orders["t1"], won(0))),
        ("t3", HubMessage("c", orders["t3"], won(1))),
        ("t2", HubMessage("d", "none/1/1/t2/1", won(1))),
    ]
    messages = [(f"companion/up/{box}/say", msgspec.json.encode(each)) for box, each in told]
    linked.hears([*messages[:2], ("companion/up/t2/say", b"{"), *messages[2:]])
    tables = hall.log.tournament.rounds[0].tables
    assert [table.result for table in tables[:3]] == [won(0), None, won(1)]
    assert turns.qsize() == 1
    refused = {"t2 b": "this table was given to another box", "t2 d": str(NoEvent(NO_EVENT))}
    assert {name: ack.refused for name, ack in acks.items()} == {"t1 a": "", "t3 c": "", **refused}


def test_an_id_may_be_longer_than_a_key_of_the_database(database: str) -> None:
    """An event, a table and a match with long names: PostgreSQL took none of its results and calls, and the box said
    them again for ever."""
    hall = Hall(database, NAMES)
    linked = HubLink(hall.desk, time.monotonic)
    hall.pairs()
    given_to(hall, "t1")
    linked.begin(LocalTransports(linked).at_hub())
    order, id_ = ordered(linked, "t1").id, "a" * 90
    for told in (
        HubMessage(id_, order, words="look"),
        HubMessage(f"{id_}:done", order, done=id_),
        HubMessage(f"{id_}:m", order, won(1)),
    ):
        for _ in range(2):
            linked.heard("companion/up/t1/say", msgspec.json.encode(told))
    linked.close()
    assert [type(entry.fact) for entry in hall.log.entries[-3:]] == [HallCalled, HallCallClosed, Reported]
    hall.close()


def test_another_result_than_was_entered_changes_nothing_and_calls_the_referee(hall: Hall, local: Table) -> None:
    until(lambda: local.end.orders.id)
    order = local.end.orders.id
    hall.desk.say("cup", Reported(1, 1, won(0)), HUB)
    local.end.tells(HubMessage("late", order, drawn()))
    until(lambda: local.end.waiting == 0)
    assert hall.log.tournament.table(1, 1).result == won(0)
    assert "judged another result" in str(hall.log.calls[-1].words)
    assert hall.log.hall.late[1, 1] == (Late(1, 1, "t1", drawn()),)


def test_the_same_result_late_is_kept_and_nobody_is_called(hall: Hall, local: Table) -> None:
    until(lambda: local.end.orders.id)
    order = local.end.orders.id
    hall.desk.say("cup", Reported(1, 1, won(0)), HUB)
    local.end.tells(HubMessage("late", order, won(0)))
    until(lambda: local.end.waiting == 0)
    assert hall.log.calls == ()
    assert (1, 1) in hall.log.hall.late


def test_a_call_stands_at_the_desk_until_the_table_says_that_it_is_done_with(tmp_path: Path) -> None:
    hall = Hall(tmp_path / "hub.db", ["Ann", "Ben"])
    linked = HubLink(hall.desk, time.monotonic)
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


def test_calls_of_two_boxes_that_have_the_same_number_are_two(hall: Hall, linked: HubLink, tmp_path: Path) -> None:
    """Two new boxes each play their first match, and in each the first call was entry 4: the hub took the second for
    the first said again, and when one table's call was done with the other's was taken off the desk."""
    linked.begin(LocalTransports(linked).at_hub())
    hall.pairs()
    given_to(hall, "t1", "t2")
    call = CallView(entry=4, by="red", at_s=1.0, words="look", about=None)
    for box in ("t1", "t2"):
        house = OneMatch()
        reporter = Reporter(house, box, tmp_path / box)  # type: ignore[arg-type]
        reporter.end.heard(f"companion/down/{box}/orders", msgspec.json.encode(ordered(linked, box)))
        reporter.look()
        house.seen = replace(house.seen, calls=(call,))
        reporter.look()
        for told in reporter._outbox.waiting():
            linked.heard(f"companion/up/{box}/say", msgspec.json.encode(told))
    assert [call.at for call in hall.log.calls] == [(1, 1), (1, 2)]


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


def test_a_call_that_is_done_with_before_the_hub_has_it_does_not_stand(tmp_path: Path) -> None:
    """Of the two the hub heard the second, and not the first, which was said again."""
    table, sent = Table("t1", tmp_path), []
    table.end.begin(lost_at_first(sent, table.end))
    table.end.tells(HubMessage("call", "cup/1/1/t1/9", words="look"))
    table.end.tells(HubMessage("call:done", "cup/1/1/t1/9", done="call"))
    until(lambda: len(sent) > 3)
    assert set(sent) == {"call"}
    table.end.heard("companion/down/t1/ack", b'{"id":"call"}')
    until(lambda: sent[-1] == "call:done")
    table.end.close()


def lost_at_first(sent: list[str], end: TableEnd) -> Any:
    """A transport on which nothing is acknowledged by itself."""

    class Silent:
        def open(self) -> None:
            end.opened()

        def publish(self, topic: str, payload: bytes, *, is_retained: bool = False) -> bool:
            if topic.endswith("/say"):
                sent.append(msgspec.json.decode(payload, type=HubMessage).id)
            return True

        def close(self) -> None: ...

    return Silent()


def test_a_full_disk_does_not_end_what_listens_to_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The orders could not be kept, and the transport's thread died of it: the box heard nothing until its restart."""
    table = Table("t1", tmp_path)
    orders = msgspec.json.encode(Orders(id="cup/1/1/t1/9"))
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", no_room)
        table.end.heard("companion/down/t1/orders", orders)
    assert table.got == []
    table.end.heard("companion/down/t1/orders", orders)  # there is room again, and the hub says it again
    assert [each.id for each in table.got] == ["cup/1/1/t1/9"]


def no_room(file: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


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


def test_a_rummy_result_that_tells_no_rounds_won_is_for_the_referee(tmp_path: Path) -> None:
    """Each round won counts 25 in such an event: entered without them the sum would be too low, and nobody told."""
    hall = Hall(tmp_path / "hub.db", ["Ann", "Ben"], settings_for("manipulation_rummy", 1, "7"))
    linked = HubLink(hall.desk, time.monotonic)
    linked.begin(LocalTransports(linked).at_hub())
    hall.pairs()
    given_to(hall, "t1")
    order = ordered(linked, "t1").id.encode()
    for result in (  # as it comes from a table, then as a person's
        b'{"places":[1,2],"scores":[150,80]}',
        b'{"places":[1,2],"scores":[150,80],"rounds_won":[4,2]}',
    ):
        linked.heard("companion/up/t1/say", b'{"id":"%d","order":"%b","result":%b}' % (len(result), order, result))
        if b"rounds_won" not in result:
            until(lambda: hall.log.calls)
            assert hall.log.tournament.table(1, 1).result is None
            assert str(hall.log.calls[-1].words) == str(CANNOT_BE)
            desk = text_of(hall.organiser().get("/e/cup/result/1/1"))
            assert "the table judged Ann 150 and Ben 80" in desk
    until(lambda: hall.log.tournament.table(1, 1).result)
    linked.close()


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


@pytest.mark.parametrize("payload", [b"", b"nonsense", b"[]", b'{"id":1}', b"\xff\xfe", b'{"is_online":"yes"}'])
@pytest.mark.parametrize("kind", ["say", "state", "health", "online", "other"])
def test_nonsense_from_a_table_is_left(hall: Hall, linked: HubLink, kind: str, payload: bytes) -> None:
    seq = hall.log.seq
    linked.heard(f"companion/up/t1/{kind}", payload)
    linked.heard(kind, payload)
    assert hall.log.seq == seq


def test_an_outbox_outlives_its_process(tmp_path: Path) -> None:
    told = [HubMessage(f"id {n}", "cup/1/1/t1", won(0)) for n in range(3)]
    for each in (*told, told[0]):
        Outbox(tmp_path).put(each)
    box = Outbox(tmp_path)
    assert box.waiting() == told
    assert box.done("id 1")
    assert not box.done("id 1")
    assert Outbox(tmp_path).waiting() == [told[0], told[2]]


def test_an_outbox_is_read_while_the_hub_acknowledges(tmp_path: Path) -> None:
    """Once the table's thread died of it: a message that it had listed was acknowledged, and gone when it was read."""
    box = Outbox(tmp_path)
    ids = [f"id {n}" for n in range(150)]
    for id_ in ids:
        box.put(HubMessage(id_, "cup/1/1/t1", won(0)))
    hub = threading.Thread(target=lambda: [box.done(id_) for id_ in ids])
    hub.start()
    seen = [len(box.waiting())]
    while seen[-1]:
        seen.append(len(box.waiting()))
    hub.join()
    assert seen == sorted(seen, reverse=True)


def test_a_table_knows_its_orders_after_a_start_without_network(tmp_path: Path) -> None:
    orders = Orders(id="cup/1/1/t1", event="cup", round=1, table=1, seats=("Ann", "Ben"))
    Outbox(tmp_path).orders = orders
    table = Table("t1", tmp_path)
    table.end.begin(
        type("Closed", (), {"open": lambda self: None, "publish": lambda *a, **k: False, "close": lambda self: None})()
    )
    assert table.got == [orders]
    table.end.close()


# -- a real mosquitto ------------------------------------------------------------------------------------------------


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    made = Mosquitto(tmp_path / "broker")
    yield made
    made.kill()


def test_a_result_outlives_a_killed_broker_and_a_hub_that_starts_again(
    hall: Hall, broker: Mosquitto, tmp_path: Path
) -> None:
    hall.pairs()
    given_to(hall, "t1", "t2")
    tables = {box: Table(box, tmp_path / box) for box in ("t1", "t2")}
    given = {box: broker.enroll(box) for box in tables}
    broker.start()
    link = HubLink(hall.desk, time.monotonic)
    link.begin(HubTransport(broker.hub, "a", link.hears, link.on_transport))
    for box, table in tables.items():
        table.end.begin(table_transport(given[box], table.end.heard, table.end.opened))
    until(lambda: all(table.end.orders.id for table in tables.values()))
    broker.kill()
    until(lambda: not tables["t1"].end._transport.is_open)  # type: ignore[union-attr]
    tables["t1"].tells(won(1))
    assert tables["t1"].end.waiting == 1
    link.close()
    broker.start()
    tables["t2"].tells(drawn())
    again = Hall(hall.store_url)
    link = HubLink(again.desk, time.monotonic)
    link.begin(HubTransport(broker.hub, "a", link.hears, link.on_transport))
    until(lambda: all(again.log.tournament.table(1, n).result for n in (1, 2)))
    until(lambda: all(table.end.waiting == 0 for table in tables.values()))
    assert [again.log.tournament.table(1, n).result for n in (1, 2)] == [won(1), drawn()]
    assert sum(isinstance(e.fact, Reported) for e in again.log.entries) == 2
    for table in tables.values():
        table.end.close()
    link.close()
    again.close()


def test_a_table_that_is_lost_is_seen_by_its_last_will(hall: Hall, broker: Mosquitto, tmp_path: Path) -> None:
    given_to_nobody = Enrolled("t1")
    hall.desk.say(HUB_ID, given_to_nobody, HUB)
    given = broker.enroll("t1")
    broker.start()
    link = HubLink(hall.desk, time.monotonic)
    link.begin(HubTransport(broker.hub, "a", link.hears, link.on_transport))
    table = Table("t1", tmp_path / "t1")
    transport = table_transport(given, table.end.heard, table.end.opened)
    table.end.begin(transport)
    table.end.stands(State(phase="playing", game="suspend", asks="Which rod fell?"))
    until(lambda: link.shown()["t1"]["is_heard"] and link.shown()["t1"]["is_asking"])
    socket = transport._client.socket()
    transport._client.reconnect_delay_set(60, 60)
    socket.shutdown(2)  # as a cable that is pulled: no goodbye
    until(lambda: not link.shown()["t1"]["is_heard"])
    table.end.close()
    link.close()


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


def test_a_closed_road_keeps_no_socket() -> None:
    """paho left the two sockets open that wake its thread."""
    before = set(os.listdir("/proc/self/fd"))
    transport = table_transport(Credentials("t1", "127.0.0.1", free_port()), lambda *a: None, lambda: None)
    transport.open()
    assert len(set(os.listdir("/proc/self/fd")) - before) >= 2
    transport.close()
    assert set(os.listdir("/proc/self/fd")) <= before


def test_a_hub_with_another_address_has_a_certificate_for_it(tmp_path: Path) -> None:
    """At another place the router gave another address: the certificate named the first one for good, and no table
    believed it."""
    given = [set_up(tmp_path, host) for host in ("192.168.0.5", "10.42.0.1")]
    files = [str(tmp_path / name) for name in ("ca.pem", "server.pem")]
    subprocess.run(
        ["openssl", "verify", "-verify_ip", given[1].host, "-CAfile", *files], check=True, capture_output=True
    )
    assert given[0].ca == given[1].ca  # of the tables' files only the address is another one


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
        import msgspec

        transports.append(table_transport(msgspec.structs.replace(given, **{field: value}), lambda *a: None, wrong.set))
    for transport in transports[1:]:
        transport.open()
    assert not wrong.wait(1.5)
    for transport in transports:
        transport.close()
    broker.kill()


def test_a_line_of_the_password_file_is_as_mosquitto_makes_them() -> None:
    import base64
    import hashlib

    line = password_line("t1", "secret", b"twelve bytes")
    user, _, rest = line.partition(":")
    kind, rounds, salt, key = rest.split("$")[1:]
    assert (user, kind) == ("t1", "7")
    own = hashlib.pbkdf2_hmac("sha512", b"secret", base64.b64decode(salt), int(rounds))
    assert base64.b64decode(key) == own
