"""FIDE's Dutch system of 2026, by its articles and beside bbpPairings 6.0.0; and its files."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from companion.event.dutch import BLACK, DOWN, LEVEL, UP, WHITE, DutchPlayer, is_white, pair, pairing_numbers
from companion.event.facts import Apart, AskedOut
from companion.event.fold import fold
from companion.event.formats import next_round
from companion.event.refused import EventRefused
from companion.event.scorecards import points_now
from companion.event.settings import HALF, Pairing, Points, Settings
from companion.event.simulate import Chances, Simulation
from companion.event.standings import standings
from companion.event.state import Event
from companion.event.trf import facts_of_trf, trf
from tests.event.events import Desk, numbered

RECORDED = (Path(__file__).parents[1] / "data" / "fide_rounds.txt").read_text(encoding="utf-8").split("\n\n")
"""A history each, and the next round by bbpPairings 6.0.0; `python -m bench --only pairing` compares 2,000."""


def of_file(text: str) -> Event:
    return fold(numbered(facts_of_trf(text, "seed")))


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda text: text.split("\n", 1)[0][4:])
def test_a_round_is_the_one_that_bbp_pairings_gives(recorded: str) -> None:
    text, _, told = recorded.partition("pairs ")
    event = of_file(text)
    paired = next_round(event)
    ours = {
        "-".join(sorted((who[1:] for who in seats), key=int))
        for seats in (*paired.tables, *((b,) for b in paired.byes))
    }
    assert ours == set(told.split())


def test_article_5_2_gives_colours_in_this_order() -> None:
    one, two = DutchPlayer(1, 2, "WB"), DutchPlayer(2, 2, "BW")
    assert is_white(one, two)  # 5.2.1: both get what they want
    assert is_white(DutchPlayer(1, 2, "BB"), DutchPlayer(2, 2, "WBB"))  # 5.2.2: 2 blacks too many before 1
    assert not is_white(DutchPlayer(1, 2, "BWWB"), DutchPlayer(2, 2, "WBWB"))  # 5.2.3: they differ last in the second
    assert is_white(DutchPlayer(1, 2, "WB"), DutchPlayer(2, 2, "WB"))  # 5.2.4: the higher ranked gets white again
    assert [is_white(DutchPlayer(n, 0), DutchPlayer(9, 0), first) for n in (1, 2) for first in (WHITE, BLACK)] == [
        True, False, False, True,
    ]  # fmt: skip  # 5.2.5


def test_c3_two_with_the_same_absolute_preference_meet_only_as_topscorers() -> None:
    field = [DutchPlayer(n, 4, "WBB") for n in (1, 2)] + [DutchPlayer(n, 0, "BW") for n in (3, 4)]
    assert all({1, 2} != set(two) for two in pair(field)[0])
    tops = [replace(each, is_top=True) for each in field[:2]]
    assert {1, 2} in [set(two) for two in pair([*tops, *field[2:]])[0]]


def test_c5_the_bye_goes_to_the_least_points_even_where_a_group_must_break_up() -> None:
    """The two of the middle group have met: without C5 one of them would get the bye."""
    field = [
        DutchPlayer(1, 2),
        DutchPlayer(2, 2),
        DutchPlayer(3, 1, met=frozenset({4})),
        DutchPlayer(4, 1, met=frozenset({3})),
        DutchPlayer(5, 0),
    ]
    pairs, bye = pair(field)
    assert bye == 5
    assert {frozenset(two) for two in pairs} == {frozenset({1, 3}), frozenset({2, 4})}


def test_c9_of_two_with_equal_points_who_played_more_gets_the_bye() -> None:
    field = [DutchPlayer(1, 0, unplayed=0), DutchPlayer(2, 0, unplayed=1), DutchPlayer(3, 0, unplayed=1)]
    assert pair(field)[1] == 1


@pytest.mark.parametrize(("floats", "down"), [((LEVEL, LEVEL), 3), ((DOWN, LEVEL), 2), ((LEVEL, DOWN), 2)])
def test_c14_and_c16_nobody_steps_down_again_within_two_rounds(floats: tuple[int, int], down: int) -> None:
    field = [DutchPlayer(1, 2), DutchPlayer(2, 2), DutchPlayer(3, 2, floats=floats), DutchPlayer(4, 1)]
    assert {down, 4} in [set(two) for two in pair(field)[0]]


def test_c15_whoever_stepped_up_last_time_is_spared() -> None:
    field = [DutchPlayer(1, 2), DutchPlayer(2, 1, floats=(UP, LEVEL)), DutchPlayer(3, 1), DutchPlayer(4, 1)]
    assert {1, 3} in [set(two) for two in pair(field)[0]]


def test_a_field_that_the_absolute_criteria_cannot_pair_is_refused() -> None:
    with pytest.raises(EventRefused, match="allow no round"):
        pair([DutchPlayer(1, 1, met=frozenset({2})), DutchPlayer(2, 0, met=frozenset({1}))])


@pytest.mark.parametrize("is_new", [False, True])
def test_a_file_is_read_as_it_was_written(is_new: bool) -> None:
    three, one = Fraction(3), Fraction(1)
    points = Points(win=three, draw=one, loss_draw=one, bye=three, forfeit_win=three, sat_out=one)
    for seed in range(2):
        of = Points(sat_out=HALF) if not is_new or seed % 2 else points
        settings = Settings(rounds=5, seed=str(seed), pairing=Pairing.FIDE, points=of)
        simulation = Simulation(settings, 9 + seed, seed, Chances(fixes=0, late=0.2, forfeits=0.1))
        for event in simulation.run():
            text = trf(event, is_new=is_new)
            back = of_file(text)
            assert without_ranks(trf(back, is_new=is_new)) == without_ranks(text)  # a copy draws its own lots
            places = {row.place: event.says(row.entrant) for row in standings(event).rows}
            players = [line for line in text.splitlines() if line.startswith("001")]
            assert {int(line[85:89]): line[14:47].rstrip() for line in players} == places
            if len(event.rounds) < 5:
                assert numbers_of(next_round, back) == numbers_of(next_round, event)


def without_ranks(text: str) -> str:
    return re.sub(r"(?m)^(001.{82}).{4}", r"\1    ", text)


def numbers_of(paired, event: Event) -> list[tuple[int, ...]]:
    numbers = pairing_numbers(event)
    return [tuple(numbers[who] for who in seats) for seats in paired(event).tables]


def test_a_broken_file_says_which_line() -> None:
    with pytest.raises(EventRefused, match="line 2 of the file cannot be read"):
        facts_of_trf("012 Open\n001 x", "1")
    with pytest.raises(EventRefused, match="no player"):
        facts_of_trf("012 Open\n", "1")


def test_in_an_accelerated_event_the_upper_half_plays_itself_first() -> None:
    desk = Desk(Settings(rounds=5, pairing=Pairing.FIDE, is_accelerated=True), [f"p{n}" for n in range(1, 9)])
    upper = {f"p{n}" for n in range(1, 5)}
    assert all(len(upper & set(seats)) != 1 for seats in desk.pairs().tables)


@pytest.mark.parametrize("pairing", list(Pairing))
def test_those_who_are_kept_apart_are_not_paired(pairing: Pairing) -> None:
    names = [f"p{n}" for n in range(1, 7)]
    desk = Desk(Settings(rounds=5, pairing=pairing), names)
    first = desk.event
    together = next(iter(next_round(first).tables))
    desk.says(Apart(together, until=1))
    assert frozenset(together) not in {frozenset(seats) for seats in next_round(desk.event).tables}
    with pytest.raises(EventRefused, match="two or more"):
        desk.says(Apart(("p1",)))


def test_a_round_asked_out_is_worth_what_was_agreed() -> None:
    desk = Desk(Settings(rounds=3), ["a", "b", "c", "d"])
    desk.says(AskedOut("d", 1, HALF))
    desk.says(AskedOut("c", 1))
    desk.pairs()
    assert [points_now(desk.event)[who] for who in "cd"] == [0, HALF]
