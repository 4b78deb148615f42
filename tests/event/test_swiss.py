"""Swiss pairing: beside two oracles, and where organisers were wronged by others."""

from __future__ import annotations

import pytest

from companion.event.facts import Entered, EventBegan, Fixed, Paired, Returned, Withdrew, forfeited, won
from companion.event.fold import fold
from companion.event.formats import next_round
from companion.event.matching import cheapest
from companion.event.refused import EventRefused
from companion.event.settings import Settings
from companion.event.why import difference, reasons
from tests.event.events import Desk, numbered
from tests.event.pairing_oracle import checked
from tests.seeds import seeds


def swiss(count: int, rounds: int = 9) -> Desk:
    return Desk(Settings(rounds=rounds), [f"p{n}" for n in range(1, count + 1)])


# in 2127 and 4564 a bye that spared who had won a forfeit cost others points apart
@pytest.mark.parametrize("seed", [*seeds(6, 60), 2127, 4564])
def test_random_events_are_paired_as_well_as_another_library_can(seed: int) -> None:
    """A sample of this oracle: 9 to 60 players, 5 to 9 rounds, all that happens at events."""
    count, faults = checked(seed)
    assert count["rounds"] >= 1
    assert faults == []


def test_small_fields_run_out_of_opponents_and_large_ones_are_paired_in_two_steps() -> None:
    small = [checked(seed, (3, 8)) for seed in range(12)]
    assert sum(count["forced"] for count, _ in small) > 0
    large = checked(2, (97, 97))
    assert [faults for _, faults in (*small, large)] == [[]] * 13


def test_the_upper_half_plays_the_lower_half_first_and_the_last_of_an_odd_field_has_the_bye() -> None:
    paired = swiss(9).pairs()
    assert {frozenset(seats) for seats in paired.tables} == {frozenset((f"p{n}", f"p{n + 4}")) for n in range(1, 5)}
    assert paired.byes == ("p9",)


def test_who_came_late_may_have_the_bye_and_nobody_has_a_second_one_before() -> None:
    """lichess-org/lila #6619, #6669: double byes around late entries and withdrawals."""
    desk = swiss(5)
    byes: list[str] = []
    for number in range(1, 6):
        byes += desk.pairs().byes
        desk.better_wins()
        if number == 2:
            desk.says(Entered("late", "Late"))
            desk.says(Entered("later", "Later"))
    assert len(byes) == len(set(byes)) == 5


def test_leaving_and_coming_back_brings_neither_points_nor_an_old_opponent() -> None:
    """lichess-org/lila #12497 and #12147: points for rounds away, and repeated pairings after a return."""
    desk = swiss(8)
    desk.pairs()
    before = {seats for table in desk.event.rounds[0].tables for seats in [frozenset(table.seats)]}
    desk.better_wins()
    desk.says(Withdrew("p1"))
    assert all("p1" not in seats for seats in desk.pairs().tables)
    desk.better_wins()
    desk.says(Returned("p1"))
    paired = desk.pairs()
    assert not before & {frozenset(seats) for seats in paired.tables}
    assert desk.event.rounds[2].points_then["p1"] == 1


def test_a_forfeited_table_may_be_paired_again_and_is_no_rematch() -> None:
    desk = swiss(2)
    desk.pairs()
    desk.reports(forfeited(1))
    assert len(desk.pairs().tables) == 1
    assert "not played each other" in str(reasons(desk.event, 2)["p1"][-1])


def test_a_pairing_by_the_organiser_stays_and_the_engines_own_is_kept_beside_it() -> None:
    desk = swiss(8)
    desk.says(Fixed(1, ("p1", "p2"), "they share a car"))
    paired = desk.pairs()
    assert any(set(seats) == {"p1", "p2"} for seats in paired.tables)
    assert paired.engine is not None
    assert {frozenset(seats) for seats in paired.engine} == {frozenset((f"p{n}", f"p{n + 4}")) for n in range(1, 5)}
    said = str(difference(desk.event, 1)[0])
    assert "P1 - P2" in said.replace("P2 - P1", "P1 - P2")
    assert "they share a car" in said
    assert "they share a car" in str(reasons(desk.event, 1)["p1"][0])


def test_numbers_beyond_all_bits_are_told_more_coarsely_and_never_hang() -> None:
    huge = 1 << 130
    edges = [(i, j, (i % 2, huge * (i + 1), huge * j, 7)) for i in range(6) for j in range(i + 1, 6)]
    pairs = cheapest(6, edges)
    assert sorted(who for pair in pairs for who in pair) == list(range(6))
    least = cheapest(6, [(i, j, cost[:1]) for i, j, cost in edges])
    cost = {(i, j): each[0] for i, j, each in edges}
    assert sum(cost[two] for two in pairs) == sum(cost[two] for two in least)


def test_an_event_without_enough_players_is_refused_in_words() -> None:
    event = fold(numbered([EventBegan("alone", Settings(rounds=3)), Entered("a", "Ann")]))
    with pytest.raises(EventRefused, match="nobody is left to play"):
        next_round(event)
    with pytest.raises(EventRefused, match="no table"):
        Desk(Settings(rounds=3), ["a"]).says(Paired(1, (), ("a",)))
    desk = swiss(2, rounds=1)
    desk.pairs()
    with pytest.raises(EventRefused, match="open tables"):
        next_round(desk.event)
    desk.reports(won(0))
    with pytest.raises(EventRefused, match="the event is over"):
        next_round(desk.event)
