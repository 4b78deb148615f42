"""Large events: what a change does not concern is not computed again, and comes out the same."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.servers import Mosquitto
from companion.event.facts import AskedOut, Corrected, Reported, RoundRetracted, Withdrew, drawn, won
from companion.event.formats import next_round
from companion.event.hub import views as shown_views
from companion.event.hub.desk import HUB, Person
from companion.event.hub.facts import Assigned, Claimed, Enrolled, HallCallClosed, HallCalled, Late
from companion.event.hub.layered import Layered
from companion.event.hub.link import HubLink, HubMessage, Messages
from companion.event.hub.mqtt import HubTransport, table_transport
from companion.event.hub.outbox import Outbox
from companion.event.hub.roles import Role
from companion.event.hub.store import HUB_ID
from companion.event.hub.table_end import TableEnd
from companion.event.hub.views import HubViews, Views
from companion.event.refused import EventRefused
from companion.event.scorecards import scorecards
from tests.hub.hall import Hall
from tests.hub.test_link import until
from web.hub.newsroom import Newsroom, Readership


def test_a_layered_mapping_is_a_dict_in_the_order_of_changes() -> None:
    chance, plain, layered = random.Random(7), {}, Layered[int, int]()
    kept: list[tuple[dict[int, int], Layered[int, int]]] = []
    for n in range(2000):
        key = chance.randrange(300)
        plain = {each: value for each, value in plain.items() if each != key}
        if chance.random() < 0.2:
            layered = layered.without(key)
        else:
            plain[key] = n
            layered = layered.with_(key, n)
        kept.append((plain, layered))
    for before, then in kept[::50]:  # an older one is as it was
        assert list(then.items()) == list(before.items())
        assert len(then) == len(before)
        assert [then.get(key) for key in range(300)] == [before.get(key) for key in range(300)]


def changes(hall: Hall, chance: random.Random) -> Iterator[Callable[[], Any]]:
    """Random facts of an event, some of them refused."""
    event = hall.log.tournament
    number = len(event.rounds)
    table = chance.randrange(1, len(event.rounds[-1].tables) + 1)
    result = chance.choice((won(0), won(1), drawn()))
    who = event.table(number, table).seats[0]
    calls = hall.log.calls
    yield lambda: Reported(number, table, result)
    yield lambda: Claimed(number, table, who, result)
    yield lambda: HallCalled(number, table, "look")
    yield lambda: HallCallClosed(chance.choice(calls).seq) if calls else HallCalled(number, table)
    yield lambda: Assigned(number, table, chance.choice(("north", "south", None)))
    yield lambda: Late(number, table, "north", result)
    yield lambda: Corrected(chance.randint(1, number), table, result, "a slip")
    yield lambda: Withdrew(who)
    yield lambda: AskedOut(who, number + 1)
    yield lambda: RoundRetracted(number, "again") if chance.random() < 0.1 and number > 1 else Reported(1, 1, result)


def test_pages_that_are_carried_over_are_those_that_would_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown_views, "LARGE", 5)
    hall = Hall(tmp_path / "hub.db", [f"Player {n}" for n in range(20)])
    hall.pairs()
    views, chance = Views(), random.Random(3)
    last = views.of(hall.log)
    marks, looked = {who: last.mark(who) for who in hall.log.tournament.entrants}, 0
    for _ in range(90):
        fact = chance.choice(list(changes(hall, chance)))()
        who = Person(fact.entrant, Role.PLAYER, "d", fact.entrant) if isinstance(fact, Claimed) else HUB
        try:
            hall.desk.say("cup", fact, who)
            if hall.log.tournament.rounds[-1].is_over and len(hall.log.tournament.rounds) < 3:
                hall.desk.say("cup", next_round(hall.log.tournament), HUB)
        except EventRefused:
            continue
        if chance.random() < 0.3:
            continue  # two changes are told together
        now = views.of(hall.log)
        touched = now.touched(last)
        fresh = HubViews(hall.log)
        fresh._old_rows = now._rows_now
        assert now.lines == scorecards(hall.log.tournament) == fresh.lines
        assert [now.me(who) for who in marks] == [fresh.me(who) for who in marks]
        after = {who: now.mark(who) for who in marks}
        if touched is not None:
            assert {who for who in marks if after[who] != marks[who]} <= touched
            looked += len(touched) < len(marks)
        last, marks = now, after
    assert looked > 10
    hall.close()


def test_a_result_of_a_large_event_looks_at_its_own_table_s_pages_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every result looked at the pages of all: 50 ms at 4,000 players."""
    monkeypatch.setattr(shown_views, "LARGE", 5)
    hall = Hall(tmp_path / "hub.db", [f"Player {n}" for n in range(12)])
    hall.desk.close()  # its pulse
    hall.pairs()
    room = Newsroom(hall.desk, hall.app.extensions["companion"].views, 20)
    pages = {}
    for who in hall.log.tournament.entrants:
        page = room.open(Readership("cup", who, "en"), hall.player(who).device, "", lambda *_: None)
        assert page is not None
        pages[who] = page
    room.tell("cup")
    for page in pages.values():
        while page.told():
            pass
    looked: list[str] = []
    mark = HubViews.mark
    monkeypatch.setattr(HubViews, "mark", lambda shown, who: (looked.append(who), mark(shown, who))[1])
    seats = hall.log.tournament.table(1, 2).seats
    hall.desk.say("cup", Reported(1, 2, won(0)), HUB)
    room.tell("cup")
    assert sorted(looked) == sorted(seats)
    assert {who for who, page in pages.items() if page.told()} == set(seats)


def test_a_hub_hears_the_tables_of_its_own_halls_only(tmp_path: Path) -> None:
    """Also one whose session at the broker once heard all of them."""
    broker = Mosquitto(tmp_path / "broker")
    halls = [Hall(tmp_path / "hub.db", ["Ann", "Ben", "Cora", "Dan"])]
    halls.append(Hall(tmp_path / "hub.db"))
    halls[0].pairs()
    boxes = {"n1": "north", "s1": "south"}
    for number, (box, where) in enumerate(boxes.items(), 1):
        halls[0].desk.say(HUB_ID, Enrolled(box, where), HUB)
        halls[0].desk.say("cup", Assigned(1, number, box), HUB)
    given = {box: broker.enroll(box) for box in boxes}
    broker.start()
    everything = HubLink(halls[0].desk, time.monotonic)
    everything.begin(HubTransport(broker.hub, "a", everything.hears, everything.on_transport))
    until(lambda: everything._transport.is_open)
    everything.close()
    heard: dict[str, list[str]] = {"north": [], "south": []}
    links = [HubLink(hall.desk, time.monotonic, halls=(where,)) for hall, where in zip(halls, heard, strict=True)]
    for name, link, where in zip("ab", links, heard, strict=True):

        def hears(messages: Messages, link: HubLink = link, where: str = where) -> None:
            heard[where] += [topic.split("/")[2] for topic, _ in messages]
            link.hears(messages)

        link.begin(HubTransport(broker.hub, name, hears, link.on_transport))
    until(lambda: all(link._transport.is_open for link in links))
    ends = {box: TableEnd(box, Outbox(tmp_path / box), lambda: 0.0, again_s=0.2) for box in boxes}
    for box, end in ends.items():
        end.begin(table_transport(given[box], end.heard, end.opened))
    until(lambda: all(end.orders.id for end in ends.values()))
    for end in ends.values():
        end.tells(HubMessage(f"{end.orders.id}:m", end.orders.id, won(0)))
    until(lambda: not any(end.waiting for end in ends.values()))
    assert [table.result for table in halls[1].log.tournament.rounds[0].tables] == [won(0), won(0)]
    assert {where: set(boxes) for where, boxes in heard.items()} == {"north": {"n1"}, "south": {"s1"}}
    assert [list(link.shown()) for link in links] == [["n1"], ["s1"]]
    for end in ends.values():
        end.close()
    for link in links:
        link.close()
    broker.kill()
    for hall in halls:
        hall.close()
