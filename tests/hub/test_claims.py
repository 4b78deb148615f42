"""Without a camera: the players' two phones. What both say is the result, a disagreement calls the referee."""

from __future__ import annotations

import pytest

from companion.event.facts import EntryRetracted, Reported, Result, drawn, forfeited, won
from companion.event.hub.desk import DISAGREE, HUB
from companion.event.hub.facts import HallCalled
from companion.event.refused import EventRefused
from companion.event.settings import Format, Settings
from tests.hub.conftest import NAMES
from tests.hub.hall import Hall, text_of


def seats(hall: Hall, table: int = 1) -> tuple[str, ...]:
    return hall.log.tournament.table(1, table).seats


def of_box(hall: Hall, at: tuple[int, int], result: Result) -> None:
    hall.desk.enter("cup", lambda log: hall.desk.result_of_box(log, at, "t1", result, "of box"))


def test_a_disagreement_calls_the_referee_once_and_what_both_say_then_is_the_result(hall: Hall) -> None:
    hall.pairs()
    one, other = map(hall.player, seats(hall))
    hall.desk.claim("cup", 1, 1, won(0), one)
    hall.desk.claim("cup", 1, 1, won(1), other)
    assert [call.words for call in hall.log.calls] == [DISAGREE]
    hall.desk.claim("cup", 1, 1, drawn(), other)
    assert len(hall.log.calls) == 1
    assert hall.log.tournament.table(1, 1).result is None
    hall.desk.claim("cup", 1, 1, drawn(), one)
    assert hall.log.tournament.table(1, 1).result == drawn()
    assert hall.log.calls == ()
    assert hall.log.entries[-1].by == f"{' and '.join(map(hall.log.tournament.says, seats(hall)))}, agreed"


def test_players_do_not_say_that_somebody_did_not_come(hall: Hall) -> None:
    hall.pairs()
    with pytest.raises(EventRefused, match="call the referee"):
        hall.desk.claim("cup", 1, 1, forfeited(1), hall.player(seats(hall)[0]))


def test_what_the_hub_says_of_a_call_is_read_in_german_at_the_desk_and_in_the_history(hall: Hall) -> None:
    hall.pairs()
    for seat, who in enumerate(seats(hall)):
        hall.desk.claim("cup", 1, 1, won(seat), hall.player(who))
    of_box(hall, (1, 2), Result(places=(1, 2, 3)))
    hall.desk.say("cup", HallCalled(1, 4, "a {die} leans"), HUB)
    for path in ("desk", "audit"):
        page = text_of(hall.organiser().get(f"/e/cup/{path}", headers={"Accept-Language": "de"}))
        assert "Die Spieler sind sich über das Ergebnis nicht einig." in page
        assert "Das Ergebnis, das der Tisch selbst gemeldet hat, geht hier nicht: Sieh es dir an." in page
        assert "a {die} leans" in page


def test_a_call_ends_with_its_table_s_result_and_stands_again_when_that_is_taken_back(hall: Hall) -> None:
    """A call of round 1 stood at the desk through rounds 2 and 3 beside other people's table 2, and beside the end."""
    hall.pairs()
    hall.desk.say("cup", HallCalled(1, 2), hall.player(seats(hall, 2)[0]))
    desk = hall.organiser()
    assert "Round 1, table 2 wants the referee" in text_of(desk.get("/e/cup/desk"))
    entered = hall.desk.say("cup", Reported(1, 2, won(0)), HUB).seq
    assert hall.log.calls == ()
    assert "The referee was called" not in text_of(desk.get("/e/cup"))
    hall.desk.say("cup", EntryRetracted(entered, "it was table 3"), HUB)
    assert [call.at for call in hall.log.calls] == [(1, 2)]
    for _ in range(3):
        hall.reports()
        assert "wants the referee" not in text_of(desk.get("/e/cup/desk"))
        if len(hall.log.tournament.rounds) < 3:
            hall.pairs()
    assert "The event is over" in text_of(desk.get("/e/cup/desk"))


def test_at_a_larger_table_all_must_say_the_same(tmp_path: object) -> None:
    settings = Settings(format=Format.PODS, rounds=2, fewest_seats=3, most_seats=4)
    hall = Hall(f"{tmp_path}/pods.db", NAMES[:4], settings)
    hall.pairs()
    result = Result(places=(2, 1, 3, 4))
    phones = [hall.player(who) for who in seats(hall)]
    for phone in phones[:3]:
        hall.desk.claim("cup", 1, 1, result, phone)
    assert hall.log.tournament.table(1, 1).result is None
    hall.desk.claim("cup", 1, 1, result, phones[3])
    assert hall.log.tournament.table(1, 1).result == result
    hall.close()
