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
    until(lambda: everything._transport.is_open.is_set())
    everything.close()
    heard: dict[str, list[str]] = {"north": [], "south": []}
    links = [HubLink(hall.desk, time.monotonic, halls=(where,)) for hall, where in zip(halls, heard, strict=True)]
    for name, link, where in zip("ab", links, heard, strict=True):

        def hears(messages: Messages, link: HubLink = link, where: str = where) -> None:
            heard[where] += [topic.split("/")[2] for topic, _ in messages]
            link.hears(messages)

        link.begin(HubTransport(broker.hub, name, hears, link.on_transport))
    until(lambda: all(link._transport.is_open.is_set() for link in links))
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
