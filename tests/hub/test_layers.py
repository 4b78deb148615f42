"""Large events: what a change does not concern is not computed again, and comes out the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.event.facts import AskedOut, Corrected, Reported, RoundRetracted, Withdrew, drawn, won
from companion.event.formats import next_round
from companion.event.hub import views as shown_views
from companion.event.hub.desk import HUB, Person
from companion.event.hub.facts import Assigned, Claimed, HallCallClosed, HallCalled, Late
from companion.event.hub.roles import Role
from companion.event.hub.views import HubViews, Views
from companion.event.refused import EventRefused
from companion.event.scorecards import scorecards
from tests.hub.hall import Hall


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
    for _ in range(50):
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
    assert looked > 5
    hall.close()
