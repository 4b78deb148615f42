"""Who may do what: entering is not changing, an earlier round needs a higher role and a reason, no secret is kept."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from companion.event.facts import Corrected, Entered, EntryRetracted, Paired, Reported, Withdrew, drawn, won
from companion.event.formats import next_round
from companion.event.hub.desk import NOBODY
from companion.event.hub.facts import Claimed, HallCallClosed, HallCalled
from companion.event.hub.people import ONCE
from companion.event.hub.roles import Role
from companion.event.refused import EventRefused
from tests.hub.hall import Hall

STAFF = (Role.TABLE_REFEREE, Role.HEAD_REFEREE, Role.ORGANISER)


@pytest.mark.parametrize("role", Role)
def test_referees_and_organisers_enter_a_first_result_and_nobody_else(hall: Hall, role: Role) -> None:
    hall.pairs()
    refused = pytest.raises(EventRefused, match="a referee does")
    with contextlib.nullcontext() if role in STAFF else refused:
        hall.desk.say("cup", Reported(1, 1, won(0)), hall.person(role))
    assert hall.log.tournament.table(1, 1).result == (won(0) if role in STAFF else None)


def test_a_table_referee_changes_what_was_entered_on_the_same_device_and_nothing_else(hall: Hall) -> None:
    hall.pairs()
    rita, tom = hall.person(Role.TABLE_REFEREE), hall.person(Role.TABLE_REFEREE, "Tom")
    hall.desk.say("cup", Reported(1, 1, won(0)), rita)
    hall.desk.say("cup", Corrected(1, 1, won(1), "read the slip wrongly"), rita)
    with pytest.raises(EventRefused, match="ask the head referee"):
        hall.desk.say("cup", Corrected(1, 1, drawn(), "no, a draw"), tom)
    hall.reports()
    hall.pairs()
    with pytest.raises(EventRefused, match="ask the head referee"):  # an earlier round, though it was entered here
        hall.desk.say("cup", Corrected(1, 1, won(0), "it was right before"), rita)


def test_others_neither_pair_nor_change_who_plays_nor_take_back(hall: Hall) -> None:
    who = hall.person(Role.TABLE_REFEREE)
    for fact in (next_round(hall.log.tournament), Entered("p9", "Ida"), Withdrew("p1")):
        with pytest.raises(EventRefused, match="the organiser does"):
            hall.desk.say("cup", fact, who)
    hall.pairs()
    paired = next(e.seq for e in hall.log.entries if isinstance(e.fact, Paired))
    with pytest.raises(EventRefused):
        hall.desk.say("cup", EntryRetracted(paired, "wrong"), who)


def test_a_player_speaks_of_the_own_table_only(hall: Hall) -> None:
    hall.pairs()
    seats = hall.log.tournament.table(1, 1).seats
    who = hall.player(hall.log.tournament.table(1, 2).seats[0])
    for fact in (Claimed(1, 1, seats[0], won(0)), Claimed(1, 1, who.entrant or "", won(0)), HallCalled(1, 1)):
        with pytest.raises(EventRefused, match="only those who sit at the table"):
            hall.desk.say("cup", fact, who)


def test_nobody_without_a_device_does_anything(hall: Hall) -> None:
    hall.pairs()
    for fact in (Reported(1, 1, won(0)), HallCalled(1, 1), HallCallClosed(1), Entered("x", "X")):
        with pytest.raises(EventRefused):
            hall.desk.say("cup", fact, NOBODY)


@pytest.mark.parametrize("role", sorted(ONCE))
def test_a_link_for_staff_lets_one_device_in(hall: Hall, role: Role) -> None:
    code = hall.people.invite("cup", role)
    token = hall.people.accept(code, "Rita")
    assert hall.people.person([token], "cup").role is role
    with pytest.raises(EventRefused, match="no longer valid"):
        hall.people.accept(code, "Eve")


def test_a_wrong_token_is_nobody(hall: Hall) -> None:
    token = hall.people.let_in("cup", Role.ORGANISER, "Olga", None)
    device = token.partition(".")[0]
    for wrong in ("", ".", "x", "a.b", "é.b", "x" * 500, f"{device}.wrong", f"{device}."):
        assert hall.people.person([wrong], "cup") == NOBODY
    assert hall.people.person([token], "cup").role is Role.ORGANISER


def test_no_secret_is_in_the_database(hall: Hall, tmp_path: Path) -> None:
    tokens = [hall.people.let_in("cup", Role.ORGANISER, "Olga", None), hall.people.invite("cup", Role.HEAD_REFEREE)]
    with contextlib.closing(sqlite3.connect(tmp_path / "hub.db")) as connection:
        dump = "\n".join(connection.iterdump())
    for token in tokens:
        assert token.partition(".")[0] in dump
        assert token.partition(".")[2] not in dump
