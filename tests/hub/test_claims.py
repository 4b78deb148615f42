"""Without a camera: the players' two phones. What both say is the result, a disagreement calls the referee."""

from __future__ import annotations

import pytest

from companion.hub.desk import DISAGREE
from companion.hub.facts import Claimed
from companion.hub.roles import Role
from companion.tournament.facts import Reported, Result, drawn, forfeited, won
from companion.tournament.refused import Refused
from companion.tournament.settings import Format, Settings
from tests.hub.conftest import NAMES
from tests.hub.hall import Hall


def seats(hall: Hall, table: int = 1) -> tuple[str, ...]:
    return hall.book.tournament.table(1, table).seats


def test_one_claim_is_no_result(hall: Hall) -> None:
    hall.pairs()
    hall.desk.claim("cup", 1, 1, won(0), hall.player(seats(hall)[0]))
    assert hall.book.tournament.table(1, 1).result is None
    assert hall.book.hall.calls == ()


def test_what_both_say_is_the_result_and_it_is_said_who_agreed(hall: Hall) -> None:
    hall.pairs()
    for who in seats(hall):
        hall.desk.claim("cup", 1, 1, won(0), hall.player(who))
    assert hall.book.tournament.table(1, 1).result == won(0)
    names = " and ".join(hall.book.tournament.says(who) for who in seats(hall))
    assert hall.book.entries[-1].by == f"{names}, agreed"


def test_a_disagreement_calls_the_referee_once_and_ends_when_they_agree(hall: Hall) -> None:
    hall.pairs()
    one, other = map(hall.player, seats(hall))
    hall.desk.claim("cup", 1, 1, won(0), one)
    hall.desk.claim("cup", 1, 1, won(1), other)
    assert [call.words for call in hall.book.hall.calls] == [DISAGREE]
    hall.desk.claim("cup", 1, 1, drawn(), other)
    assert len(hall.book.hall.calls) == 1
    assert hall.book.tournament.table(1, 1).result is None
    hall.desk.claim("cup", 1, 1, drawn(), one)
    assert hall.book.tournament.table(1, 1).result == drawn()
    assert hall.book.hall.calls == ()


def test_the_same_claim_twice_is_entered_once(hall: Hall) -> None:
    hall.pairs()
    one = hall.player(seats(hall)[0])
    hall.desk.claim("cup", 1, 1, won(0), one)
    hall.desk.claim("cup", 1, 1, won(0), one)
    assert sum(isinstance(e.fact, Claimed) for e in hall.book.entries) == 1


def test_a_referee_decides_before_the_players_do(hall: Hall) -> None:
    hall.pairs()
    one, other = map(hall.player, seats(hall))
    hall.desk.claim("cup", 1, 1, won(0), one)
    hall.desk.say("cup", Reported(1, 1, won(1)), hall.person(Role.TABLE_REFEREE))
    with pytest.raises(Refused, match="has a result"):
        hall.desk.claim("cup", 1, 1, won(0), other)
    assert hall.book.tournament.table(1, 1).result == won(1)


def test_players_do_not_say_that_somebody_did_not_come(hall: Hall) -> None:
    hall.pairs()
    with pytest.raises(Refused, match="call the referee"):
        hall.desk.claim("cup", 1, 1, forfeited(1), hall.player(seats(hall)[0]))


def test_at_a_larger_table_all_must_say_the_same(tmp_path: object) -> None:
    settings = Settings(format=Format.PODS, rounds=2, fewest_seats=3, most_seats=4)
    hall = Hall(f"{tmp_path}/pods.db", NAMES[:4], settings)
    hall.pairs()
    result = Result(places=(2, 1, 3, 4))
    phones = [hall.player(who) for who in seats(hall)]
    for phone in phones[:3]:
        hall.desk.claim("cup", 1, 1, result, phone)
    assert hall.book.tournament.table(1, 1).result is None
    hall.desk.claim("cup", 1, 1, result, phones[3])
    assert hall.book.tournament.table(1, 1).result == result
    hall.close()
