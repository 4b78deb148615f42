"""Round robin, groups, eliminations, pods, Suspend's limit and Manipulation Rummy's goal."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

from companion.event import pods
from companion.event.facts import (
    LOSS_DRAW,
    AskedOut,
    Corrected,
    Entered,
    Reported,
    Result,
    Withdrew,
    drawn,
    scored,
    won,
)
from companion.event.formats import is_over, next_round
from companion.event.pods import seat
from companion.event.presets import settings_for
from companion.event.refused import EventRefused
from companion.event.robin import groups_of
from companion.event.settings import Format, Settings, TieBreak
from companion.event.standings import group_standings, standings
from companion.event.swiss import Contender
from companion.games.manipulation_rummy.scoring import count_finals
from tests.event.events import Desk
from tests.seeds import seeds


def names(count: int) -> list[str]:
    return [f"p{n}" for n in range(1, count + 1)]


def to_the_end(desk: Desk) -> Desk:
    while not is_over(desk.event):
        desk.pairs()
        desk.better_wins()
    return desk


def champion(desk: Desk) -> str:
    first, second = standings(desk.event).rows[:2]
    assert second.place == 2
    return first.entrant


def test_who_comes_late_to_a_round_robin_still_meets_everybody() -> None:
    desk = Desk(Settings(Format.ROUND_ROBIN), names(5))
    desk.pairs()
    desk.better_wins()
    desk.says(Entered("late", "Late"))
    desk.says(AskedOut("p2", 2))
    to_the_end(desk)
    met = Counter(frozenset(table.seats) for played in desk.event.rounds for table in played.tables)
    assert met == Counter(map(frozenset, combinations([*names(5), "late"], 2)))
    assert len(desk.event.rounds) <= 8


def test_groups_are_equally_strong_and_their_best_play_the_finals() -> None:
    desk = Desk(Settings(Format.GROUPS, groups=2, advance=2), names(8))
    assert groups_of(desk.event) == [["p1", "p4", "p5", "p8"], ["p2", "p3", "p6", "p7"]]
    for _ in range(3):
        desk.pairs()
        desk.better_wins()
    assert [[row.entrant for row in table.rows[:2]] for table in group_standings(desk.event)] == [
        ["p1", "p4"],
        ["p2", "p3"],
    ]
    semis = {frozenset(seats) for seats in desk.pairs().tables}
    assert semis == {frozenset(("p1", "p3")), frozenset(("p2", "p4"))}  # nobody meets their own group at once
    desk.better_wins()
    assert len(desk.pairs().tables) == 1
    desk.better_wins()
    assert is_over(desk.event)
    rows = standings(desk.event).rows
    assert [row.entrant for row in rows[:2]] == ["p1", "p2"]
    assert {row.entrant for row in rows[2:4]} == {"p3", "p4"}


def test_a_corrected_group_result_that_changes_the_finals_is_refused_once_they_are_paired() -> None:
    desk = Desk(Settings(Format.GROUPS, groups=2, advance=1), names(4))
    desk.pairs()
    desk.better_wins()
    desk.says(Corrected(1, 1, won(1), "the slip was turned"))
    desk.says(Corrected(1, 1, won(0), "it was not"))
    final = desk.pairs()
    assert {frozenset(seats) for seats in final.tables} == {frozenset(("p1", "p2"))}
    loser = 0 if desk.event.rounds[0].tables[0].result == won(1) else 1
    with pytest.raises(EventRefused, match="round 2 is paired: take that round back first"):
        desk.says(Corrected(1, 1, won(loser), "the slip was turned after all"))


@pytest.mark.parametrize("count", [2, 5, 8, 19])
def test_a_bracket_is_won_by_the_best_and_its_best_two_meet_last(count: int) -> None:
    desk = to_the_end(Desk(Settings(Format.SINGLE), names(count)))
    assert len(desk.event.rounds) == (count - 1).bit_length()
    assert sum(len(played.tables) for played in desk.event.rounds) == count - 1
    assert set(desk.event.rounds[-1].tables[0].seats) == {"p1", "p2"}
    assert [row.entrant for row in standings(desk.event).rows[:2]] == ["p1", "p2"]


def test_a_draw_in_an_elimination_is_played_again_and_a_loss_draw_puts_nobody_out() -> None:
    desk = Desk(Settings(Format.SINGLE), names(2))
    desk.pairs()
    assert desk.reports(LOSS_DRAW).rounds[0].tables[0].result is None
    desk.says(Reported(1, 1, drawn()))
    assert desk.event.rounds[0].tables[0].result is None
    desk.says(Reported(1, 1, won(1)))
    assert is_over(desk.event)
    with pytest.raises(EventRefused, match="somebody must win"):
        desk.says(Corrected(1, 1, drawn(), "read again"))


def test_one_who_leaves_a_bracket_lets_the_next_opponent_through() -> None:
    desk = Desk(Settings(Format.SINGLE), names(4))
    desk.pairs()
    desk.better_wins()
    desk.says(Withdrew("p1"))
    assert is_over(desk.event)
    desk = Desk(Settings(Format.SINGLE), names(8))
    desk.pairs()
    desk.better_wins()
    desk.says(Withdrew("p1"))
    assert desk.pairs().rests == ("p4",)
    desk.better_wins()
    assert {frozenset(seats) for seats in desk.pairs().tables} == {frozenset(("p2", "p4"))}


@pytest.mark.parametrize("count", [4, 7, 17])
def test_in_double_elimination_everybody_but_the_champion_loses_twice(count: int) -> None:
    desk = to_the_end(Desk(Settings(Format.DOUBLE, tie_breaks=(TieBreak.LOSSES,)), names(count)))
    lost = {row.entrant: row.sums[1].value for row in standings(desk.event).rows}
    assert lost.pop("p1") == 0
    assert set(lost.values()) == {2}
    assert champion(desk) == "p1"


def test_the_last_without_a_loss_must_lose_the_final_twice() -> None:
    desk = Desk(Settings(Format.DOUBLE), names(2))
    desk.pairs()
    desk.reports(won(0))
    assert not is_over(desk.event)
    desk.pairs()  # one without a loss, one with one: the final
    loser = desk.event.rounds[0].tables[0].seats[1]
    desk.reports(won(desk.event.rounds[1].tables[0].seats.index(loser)))
    assert not is_over(desk.event)
    desk.pairs()
    desk.better_wins()
    assert is_over(desk.event)


def _repeats(field: list[Contender], pods: list[tuple[str, ...]]) -> int:
    met = {each.id: each.met for each in field}
    return sum(met[a].get(b, 0) > 0 for pod in pods for a, b in combinations(pod, 2))


@pytest.mark.parametrize("seed", seeds(1, 12))
def test_the_search_for_pods_repeats_no_more_than_the_best_of_all_seatings(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine at tables of three after two random rounds: the search beside every seating."""
    rnd = random.Random(seed)
    who = names(9)
    met: dict[str, Counter[str]] = {each: Counter() for each in who}
    for _ in range(2):
        rnd.shuffle(who)
        for at in range(0, 9, 3):
            for a, b in combinations(who[at : at + 3], 2):
                met[a][b] += 1
                met[b][a] += 1
    field = [Contender(each, 0, met[each], 0, 0, 0, 0, rnd.randrange(1 << 24)) for each in sorted(who)]
    exact, _ = seat(field, 3, 3)
    monkeypatch.setattr(pods, "EXACT", 0)
    searched, _ = seat(field, 3, 3)
    assert _repeats(field, searched) == _repeats(field, exact)


def test_the_bye_of_a_pod_round_goes_to_the_last_without_one() -> None:
    desk = Desk(Settings(Format.PODS, rounds=3, fewest_seats=3, most_seats=3), names(4))
    byes = []
    for _ in range(3):
        byes += desk.pairs().byes
        desk.better_wins()
    assert byes[0] == "p4"
    assert len(set(byes)) == 3


def test_expert_tournament_who_reaches_20_points_is_out_until_one_is_left() -> None:
    """Suspend, Expert Tournament; SU-13: 17 points stay in, 20 are out."""
    desk = Desk(settings_for("suspend", 1, "s"), names(5))
    assert [len(seats) for seats in desk.pairs().tables] == [3, 2]
    first, second = (table.seats for table in desk.event.rounds[0].tables)
    desk.reports(scored(0, 17, 20, fewer_wins=True), scored(0, 19, fewer_wins=True))
    assert {who for seats in desk.pairs().tables for who in seats} == {*first, *second} - {first[2]}
    seats = desk.event.rounds[1].tables[0].seats
    desk.reports(scored(*(0 if who == first[0] else 20 for who in seats), fewer_wins=True))
    assert is_over(desk.event)
    rows = standings(desk.event).rows
    assert rows[0].entrant == first[0]
    assert rows[-1].entrant == first[2]  # out a round earlier
    with pytest.raises(EventRefused, match="nobody is left"):
        next_round(desk.event)


def test_expert_tournament_a_result_without_the_notches_is_refused() -> None:
    desk = Desk(settings_for("suspend", 1, "s"), names(3))
    desk.pairs()
    with pytest.raises(EventRefused, match="the game's own points"):
        desk.reports(won(0, of=3))
    with pytest.raises(EventRefused, match="comes too late"):
        desk.says(Entered("late", "Late"))


def test_winning_bonuses_come_when_somebody_has_150_as_the_game_itself_counts_them() -> None:
    """Manipulation Rummy, Winning; MR-25: totals of 152, 120 and 90 with 3, 5 and 2 rounds won."""
    desk = Desk(settings_for("manipulation_rummy", 1, "s"), ["a", "b", "c"])
    sittings = [{"a": (92, 2), "b": (70, 3), "c": (40, 1)}, {"a": (60, 1), "b": (50, 2), "c": (50, 1)}]
    for sitting in sittings:
        assert not is_over(desk.event)
        (seats,) = desk.pairs().tables
        told = [sitting[who] for who in seats]
        desk.reports(scored(*(points for points, _ in told), rounds_won=tuple(rounds for _, rounds in told)))
    assert is_over(desk.event)
    found = {row.entrant: row.sums[0] for row in standings(desk.event).rows}
    assert {who: int(each.value) for who, each in found.items()} == count_finals(
        {"a": (152, 3), "b": (120, 5), "c": (90, 2)}
    )
    assert str(found["b"]) == "245 = 70 + 50 + 125"
    early = standings(replace(desk.event, rounds=desk.event.rounds[:1])).rows
    assert {row.entrant: int(row.sums[0].value) for row in early} == {"a": 92, "b": 70, "c": 40}


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (Result(places=(1,)), "expected 2"),
        (Result(places=(1, 3)), "each to be the number of better players"),
        (Result(places=(1, 2), absent=(0,)), "have the last place"),
        (Result(places=(1, 2), loss_draw=True), "everyone shares first place"),
    ],
)
def test_a_result_that_a_table_cannot_have_is_refused(bad: Result, said: str) -> None:
    desk = Desk(Settings(rounds=1), names(2))
    desk.pairs()
    with pytest.raises(EventRefused, match=said):
        desk.reports(bad)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (Settings(), "needs a number of rounds"),
        (Settings(rounds=3, most_seats=3), "seats two"),
        (Settings(Format.PODS, rounds=3, fewest_seats=4, most_seats=3), "4 to 3 seats"),
        (Settings(Format.LIMIT, fewest_seats=3, most_seats=4), "last two"),
        (Settings(rounds=3, tie_breaks=(TieBreak.LOT, TieBreak.LOT)), "listed twice"),
    ],
)
def test_settings_that_no_event_can_be_played_by_are_refused(settings: Settings, said: str) -> None:
    with pytest.raises(EventRefused, match=said):
        Desk(settings)
