"""Who is here before a round is paired, what becomes of those who are not, and the round's clock."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.event.facts import forfeited
from companion.event.hub import check_in
from companion.event.hub.roles import Role
from companion.event.scorecards import How, scorecards
from companion.event.trf import trf
from tests.hub.conftest import NAMES
from tests.hub.hall import OWN, Hall, posts, text_of
from web.hub.api import BASE


def how(hall: Hall, who: str) -> list[How]:
    return [line.how for line in scorecards(hall.log.tournament)[who]]


def test_a_round_is_paired_without_those_who_have_not_checked_in(hall: Hall) -> None:
    desk = hall.organiser()
    early = hall.client(Role.PLAYER, entrant="p1")
    assert early.get("/e/cup/me.json").json["is_here"] is None
    posts(desk, "/e/cup/check_in")
    assert early.get("/e/cup/me.json").json["is_here"] is False
    assert early.post("/e/cup/here", json={}, headers=OWN).json["is_here"] is True
    code = hall.people.invite("cup", Role.PLAYER, "Ben", "p2")
    posts(hall.app.test_client(), f"/in/{code}")  # a card's code, used in the hall: here
    for who in ("p3", "p4", "p5", "p6"):
        posts(desk, "/e/cup/check_in", do="here", entrant=who)
    posts(desk, "/e/cup/check_in", do="gone", entrant="p6")
    assert check_in.missing(hall.log) == ("p6", "p7", "p8")
    assert "Check-in for round 1: 3 missing" in text_of(desk.get("/e/cup/desk"))
    answer = posts(desk, "/e/cup/pair")
    assert answer.headers["Location"] == "/e/cup/missing"
    assert not hall.log.tournament.rounds
    page = desk.get("/e/cup/missing")
    assert [page.text.count(f">{name}</legend>") for name in NAMES] == [0] * 5 + [1] * 3
    posts(desk, "/e/cup/pair", seen_missing="1", p7="gone", p8="plays")
    event = hall.log.tournament
    assert {who for table in event.rounds[0].tables for who in table.seats} == {"p1", "p2", "p3", "p4", "p5", "p8"}
    assert not event.rounds[0].byes
    assert (how(hall, "p6"), how(hall, "p7")) == ([How.ABSENT], [How.AWAY])
    assert event.entrants["p6"].is_free(2)
    assert "Finn is missing in round 1" in text_of(desk.get("/e/cup/audit"))
    assert "was missing" in text_of(desk.get("/e/cup/standing/p6"))
    assert "0000 - Z" in trf(event)


def test_a_player_checks_only_themselves_in_and_only_while_it_is_open(hall: Hall) -> None:
    phone = hall.client(Role.PLAYER, entrant="p1")
    assert phone.post("/e/cup/here", json={}, headers=OWN).status_code == 409
    posts(hall.organiser(), "/e/cup/check_in")
    assert phone.post("/e/cup/here", json={}, headers=OWN).status_code == 200
    assert posts(phone, "/e/cup/check_in", do="here", entrant="p2").status_code == 403
    assert hall.log.hall.here == {(1, "p1")}


def test_a_no_show_gets_no_bye_by_accident(tmp_path: Path) -> None:
    """With the fewest points who did not come was the first to get the next round's bye."""
    hall = Hall(tmp_path / "hub.db", NAMES[:5])
    desk = hall.organiser()
    hall.pairs()
    first = hall.log.tournament.rounds[0]
    bye, who = first.byes[0], first.tables[0].seats[0]
    hall.reports(forfeited(0))
    assert f"{hall.log.tournament.says(who)} did not come: withdraw for good?" in text_of(desk.get("/e/cup/desk"))
    token = hall.people.let_in("cup", Role.ORGANISER, "a program", None)
    headers = {"Authorization": f"Bearer {token}"}
    assert hall.app.test_client().post(f"{BASE}/events/cup/rounds", headers=headers).status_code == 201
    newest = hall.log.tournament.rounds[1]
    assert (newest.byes, len(newest.tables)) == ((), 2)
    assert bye in {seat for table in newest.tables for seat in table.seats}
    assert how(hall, who)[-1] is How.ABSENT
    hall.reports()
    posts(desk, "/e/cup/check_in", do="here", entrant=who)
    assert "did not come: withdraw" not in text_of(desk.get("/e/cup/desk"))
    posts(desk, "/e/cup/pair")
    assert len(hall.log.tournament.rounds[2].byes) == 1
    hall.close()


def test_the_clock_of_a_round_starts_stands_and_gets_more_time(hall: Hall) -> None:
    desk, phone = hall.client(Role.TABLE_REFEREE), hall.client(Role.PLAYER, entrant="p1")
    assert "type the minutes" in text_of(posts(desk, "/e/cup/clock", do="start", minutes="50"))
    hall.pairs()

    def does(what: str, minutes: str) -> float:
        posts(desk, "/e/cup/clock", do=what, minutes=minutes)
        clock = hall.log.hall.clock
        assert clock is not None
        return clock.left_at(hall.desk.wall_s())

    assert does("start", "50") == pytest.approx(3000, abs=60)
    assert does("pause", "5") == pytest.approx(3000, abs=120)
    assert phone.get("/e/cup/me.json").json["clock"]["ends_at_s"] is None
    assert does("add", "5") == pytest.approx(3300, abs=120)
    assert does("start", "5") == pytest.approx(3300, abs=200)
    assert phone.get("/e/cup/me.json").json["clock"]["ends_at_s"] > 1_800_000_000
    assert 'class="clock" role="timer" data-ends=' in desk.get("/e/cup/screen").text
    assert "the clock runs, 5" in text_of(hall.organiser().get("/e/cup/audit"))
    assert posts(phone, "/e/cup/clock", do="start", minutes="5").status_code == 403
    mark = hall.app.extensions["companion"].shown("cup").mark("p1")
    hall.reports()
    shown = hall.app.extensions["companion"].shown("cup")
    assert (shown.me("p1").clock, shown.mark("p1") != mark) == (None, True)  # the phone hears of it
    assert "data-ends" not in desk.get("/e/cup/screen").text
