"""The desk: who has no table, pairings by name, brackets, a round that is taken back, a database that is away."""

from __future__ import annotations

import logging
import re
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event as hooks
from sqlalchemy.exc import OperationalError

from companion.event.facts import Apart, AskedOut, Fixed, Reported, Withdrew, won
from companion.event.hub import desk as desks
from companion.event.hub.desk import HUB
from companion.event.hub.facts import Assigned
from companion.event.hub.roles import Role
from companion.event.settings import Format, Settings
from tests.hub.conftest import NAMES
from tests.hub.hall import Hall, posts, text_of


def test_a_round_is_taken_back_with_its_results_after_they_were_shown(hall: Hall) -> None:
    hall.pairs()
    hall.reports()
    before = hall.log.tournament
    hall.desk.say("cup", Withdrew("p8"), HUB)
    hall.pairs()
    hall.desk.say("cup", Assigned(2, 2, "north"), HUB)
    hall.desk.say("cup", Reported(2, 1, won(0)), HUB)
    names = [hall.log.tournament.says(who) for who in hall.log.tournament.table(2, 1).seats]
    organiser = hall.client(Role.ORGANISER)
    assert hall.client(Role.HEAD_REFEREE).get("/e/cup/back").status_code == 403
    shown = organiser.get("/e/cup/back")
    assert f"Table 1, {names[0]} - {names[1]}: {names[0]} won" in text_of(shown)
    assert "Table north plays this round: its result will not be taken." in text_of(shown)
    seen = re.search(r'name="seen" value="(\d+)"', shown.get_data(as_text=True))[1]
    hall.desk.say("cup", Reported(2, 2, won(1)), HUB)
    assert posts(organiser, "/e/cup/back", round=2, seen=seen, reason="Ida sat down too").status_code == 409
    now = hall.log.seq
    assert posts(organiser, "/e/cup/back", round=2, seen=now, reason=" ").status_code == 409
    assert posts(organiser, "/e/cup/back", round=1, seen=now, reason="the wrong round").status_code == 409
    assert posts(organiser, "/e/cup/back", round=2, seen=now, reason="Ida sat down too").status_code == 303
    assert hall.log.tournament.rounds == before.rounds
    assert not hall.log.tournament.entrants["p8"].is_here(2)
    assert hall.log.seq == now + 1  # nothing is deleted
    history = organiser.get("/e/cup/audit").get_data(as_text=True)
    assert "Round 2 is taken back with its results. Reason: Ida sat down too" in history
    assert history.count('class="gone"') == 3  # the pairing and two results
    hall.pairs()
    assert [table.result for table in hall.log.tournament.rounds[1].tables] == [None, None, None]
    assert hall.desk.copy("copy", hall.log.entries).tournament == hall.log.tournament


def test_a_wish_for_a_round_to_come_is_listed_and_taken_back_with_a_reason(hall: Hall) -> None:
    """A bye tapped at the wrong name, or a wrong table set by hand, could not be taken back."""
    hall.pairs()
    hall.reports()
    hall.desk.say("cup", AskedOut("p4", 2, Fraction(1, 2)), HUB)
    hall.desk.say("cup", (Fixed(2, ("p1", "p2"), "they came together"), Apart(("p5", "p6"))), HUB)
    wishes = [entry.seq for entry in hall.log.entries[-3:]]
    organiser, head = hall.client(Role.ORGANISER), hall.client(Role.HEAD_REFEREE)
    assert "Dan sits out round 2 for ½ points" in text_of(head.get("/e/cup/entrants"))
    rounds = text_of(organiser.get("/e/cup/rounds"))
    assert "Set for round 2: Ann - Ben, because they came together" in rounds
    assert "Not paired with each other: Eve, " in rounds
    assert posts(head, "/e/cup/retract", entry=wishes[0], reason="he plays").status_code == 403
    assert posts(organiser, "/e/cup/retract", entry=wishes[0], reason=" ").status_code == 409
    for entry in wishes:
        assert posts(organiser, "/e/cup/retract", entry=entry, reason="they asked again").status_code == 303
        assert posts(organiser, "/e/cup/retract", entry=entry, reason="twice").status_code == 409
    event = hall.log.tournament
    assert (event.fixed, event.apart, dict(event.entrants["p4"].asked_out)) == ((), (), {})
    assert posts(organiser, "/e/cup/retract", entry=1, reason="no wish").status_code == 409
    history = text_of(organiser.get("/e/cup/audit"))
    assert "Taken back: Dan sits out round 2 for ½ points. Reason: they asked again" in history


def test_a_change_of_the_players_says_what_was_done(hall: Hall) -> None:
    """Both came back at the top of a long list without a word."""
    client = hall.client(Role.ORGANISER)
    assert "Places follow with the first result." in text_of(client.get("/e/cup/desk"))
    hall.pairs()

    def says(**given: str) -> str:
        page = text_of(client.get(posts(client, "/e/cup/entrants", **given).headers["Location"]))
        return re.search(r"History Players (.*?) Players, one per line", page)[1].strip()

    assert says(do="enter", lines="Ida") == "Ida is entered New players play from round 2 on."
    assert says(do="withdraw", entrant="p2") == "Ben withdraws"
    assert "Ben (withdrawn)" in text_of(client.get("/e/cup/entrants"))
    phone = hall.client(Role.PLAYER, entrant="p2")
    assert phone.get("/e/cup/me.json").json["is_away"]
    assert says(do="enter", lines="\n".join(f"Guest {n}" for n in range(20))).count("is entered") == 7


def test_the_desk_says_who_has_no_table_and_why(tmp_path: Path) -> None:
    hall = Hall(tmp_path / "hub.db", NAMES)
    hall.pairs()
    hall.reports()
    hall.desk.say("cup", Withdrew("p2"), HUB)
    hall.desk.say("cup", (AskedOut("p3", 2), AskedOut("p4", 2, Fraction(1, 2))), HUB)
    hall.pairs()
    bye = hall.log.tournament.says(hall.log.tournament.rounds[1].byes[0])
    desk = text_of(hall.client(Role.ORGANISER).get("/e/cup/desk"))
    told = re.search(r"Without a table: (.*?) Take round", desk)[1]
    assert {f"{bye} (bye)", "Ben (withdrawn)", "Cora (sits out)", "Dan (half-point bye: ½)"} == set(
        told.replace(" ,", ",").split(", ")
    )
    by_name = hall.client().get("/e/cup?by=name").get_data(as_text=True)
    rows = re.findall(r'<th scope="row">(\w+)</th><td class="num">(\d|-)</td><td>(\w+)', by_name)
    assert [row[0] for row in rows] == sorted(NAMES)
    assert ("Cora", "-", "sits") in rows
    seated = {name: (table, other) for name, table, other in rows if table != "-"}
    assert all(seated[other] == (table, name) for name, (table, other) in seated.items())
    assert "Cora" in text_of(hall.client().get("/e/cup/screen?by=name"))
    assert "Cora - sits out" in text_of(hall.client().get("/e/cup/print/names"))
    hall.close()


def seats_of(page: str) -> list[list[list[str]]]:
    """A drawn bracket: for each column the seats of each match, who goes on with a tick."""
    columns = page.split('class="bracket')[1].split("</section>")[:-1]
    return [
        [
            [
                ("+" if kind == " on" else "") + re.sub(r"<[^>]+>.*", "", name)
                for kind, name in re.findall(r'<span class="seat([^"]*)">(.*?)</span>', match)
            ]
            for match in column.split('<div class="match')[1:]
        ]
        for column in columns
        if "<h3>" in column
    ]


def test_a_bracket_is_drawn_with_free_places_and_rounds_to_come(tmp_path: Path) -> None:
    hall = Hall(tmp_path / "hub.db", NAMES[:5], Settings(format=Format.SINGLE, seed="7"))
    hall.pairs()
    first = hall.client().get("/e/cup").get_data(as_text=True)
    assert seats_of(first) == [
        [["+Ann", "free"], ["Dan", "Eve"], ["+Ben", "free"], ["+Cora", "free"]],
        [["Ann", ""], ["Ben", "Cora"]],
        [["", ""]],
    ]
    hall.reports(won(1))
    hall.desk.say("cup", Withdrew("p3"), HUB)
    hall.pairs()
    page = hall.client(Role.ORGANISER).get("/e/cup/desk").get_data(as_text=True)
    assert seats_of(page)[1:] == [[["Ann", "Eve"], ["+Ben", "Cora"]], [["", "Ben"]]]
    hall.reports(won(0))
    hall.pairs()
    hall.reports(won(1))
    wall = hall.client().get("/e/cup/screen")
    assert seats_of(wall.get_data(as_text=True))[-1] == [["Ann", "+Ben"]]
    assert "Final Table 1 Ann Ben goes on Ben won" in text_of(wall)
    hall.close()


def test_a_database_that_is_away_is_told_in_a_sentence_and_comes_back_by_itself(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(desks, "AFTER_FAULT_S", 0.01)
    hall.pairs()
    organiser, player = hall.client(Role.ORGANISER), hall.client(Role.PLAYER, entrant="p1")
    hall.desk.follow("cup")
    engine = hall.store._engine

    def refuses(*given: Any) -> None:
        raise OperationalError("SELECT 1", {}, OSError("connection refused"))

    hooks.listen(engine, "before_cursor_execute", refuses)
    with caplog.at_level(logging.WARNING):
        page = organiser.get("/e/cup/desk")
        assert (page.status_code, page.headers["Refresh"]) == (503, "5")
        assert "What was entered is safe. This page tries again by itself." in text_of(page)
        sent = posts(organiser, "/e/cup/result/1/1", end="won0")
        assert (sent.status_code, "Perhaps this was not entered" in text_of(sent)) == (503, True)
        asked = player.get("/e/cup/me.json", headers={"Accept": "application/json"})
        assert asked.get_json()["error"]["code"] == "database"
        time.sleep(0.1)  # the pulse fails a few times
        hooks.remove(engine, "before_cursor_execute", refuses)
        until = time.monotonic() + 10
        while "the hub's database is back" not in caplog.messages:
            assert time.monotonic() < until
            time.sleep(0.01)
    assert organiser.get("/e/cup/desk").status_code == 200
    assert hall.log.tournament.table(1, 1).result is None
    [said] = [each for each in caplog.messages if "cannot be used" in each]
    assert "connection refused" in said
