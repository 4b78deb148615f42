"""Tie-breaks against published worked examples and against sums done by hand."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from fractions import Fraction

from companion.event.facts import AskedOut, Reordered, Withdrew
from companion.event.settings import Points, Settings, TieBreak, Unplayed
from companion.event.standings import standings
from companion.event.sums import Sum
from tests.event.events import Desk

HALF = Fraction(1, 2)
ALL = tuple(TieBreak)
SIX_ROUNDS = """
1 +10 +17 +12 =2 +4 +3
2 +27 +16 +9 =1 +8 +10
3 half +11 +6 =4 +5 -1
4 +22 +15 =8 =3 -1 +13
5 -16 +14 +22 +15 -3 +8
6 -21 +27 -3 +23 +16 +14
7 -9 -23 +27 +19 +15 +12
8 +25 +21 =4 +13 -2 -5
9 +7 +13 -2 half +18 out
10 -1 +25 +26 =12 +17 -2
11 half -3 -14 +25 +20 +17
12 +20 +18 -1 =10 =14 -7
13 +23 -9 +19 -8 +21 -4
14 half -5 +11 +22 =12 -6
15 +26 -4 +21 -5 -7 +24
16 +5 -2 -17 +24 -6 +22
17 +24 -1 +16 half -10 -11
18 +19 -12 +23 half -9 out
19 -18 +20 -13 -7 =25 +21
20 -12 -19 =25 +27 -11 +26
21 +6 -8 -15 +26 -13 -19
22 -4 +24 -5 -14 +26 -16
23 -13 +7 -18 -6 -24 +27
24 -17 -22 bye -16 +23 -15
25 -8 -10 =20 -11 =19 bye
26 -15 bye -10 -21 -22 -20
27 -2 -6 -7 -20 bye -23
"""
"""A club championship of 27 over six rounds: round by round the opponent and the result; `half`: a half-point bye."""
ITS_POINTS = "5½ 5½ 4 4 4 4 4 3½ 3½ 3½ 3½ 3 3 3 3 3 2½ 2½ 2½ 2½ 2 2 2 2 2 1 1"


def swiss(names: str, unplayed: Unplayed = Unplayed.AS_SCORED, points: Points | None = None) -> Desk:
    return Desk(Settings(rounds=9, tie_breaks=ALL, unplayed=unplayed, points=points or Points()), names.split())


def sums(desk: Desk) -> dict[tuple[str, str], Sum]:
    """Each sum of the standings, by entrant and column."""
    table = standings(desk.event)
    keys = [column.key for column in table.columns]
    return {(row.entrant, key): each for row in table.rows for key, each in zip(keys, row.sums, strict=True)}


def championship() -> Desk:
    lines = {cells[0]: cells[1:] for cells in map(str.split, SIX_ROUNDS.strip().splitlines())}
    desk = swiss(" ".join(lines), Unplayed.AS_DRAWN, Points(sat_out=HALF))
    for number in range(6):
        cells = {who: line[number] for who, line in lines.items()}
        for who, cell in cells.items():
            if cell == "half":
                desk.says(AskedOut(who, number + 1))
            if cell == "out":
                desk.says(Withdrew(who))
        games = [f"{who}-{cell[1:]}" for who, cell in cells.items() if cell[0] == "+"]
        draws = [f"{who}={cell[1:]}" for who, cell in cells.items() if cell[0] == "=" and int(who) < int(cell[1:])]
        desk.plays(" ".join(games + draws), [who for who, cell in cells.items() if cell == "bye"])
    return desk


def test_a_published_championship_has_its_points_and_the_tie_breaks_of_its_two_leaders() -> None:
    """Hamilton Chess Club (NZ), championship 2018, crosstable and tie-breaks as printed at
    hamiltonchess.net/2018/04/11/richard-on-tie-break: both drew with each other, 19.5 progressive, then total Buchholz
    22.5 and 20, Sonneborn-Berger 19.75 and 17.25, Buchholz without the lowest 20 and 19.5. Rounds without a game
    count as draws for the opponents there."""
    desk = championship()
    points = {row.entrant: str(row.sums[0]).split(" ")[0] for row in standings(desk.event).rows}
    assert [points[str(who)] for who in range(1, 28)] == ITS_POINTS.split()
    expected = {
        TieBreak.PROGRESSIVE: ("39/2", "39/2"),
        TieBreak.BUCHHOLZ: ("45/2", "20"),
        TieBreak.SONNEBORN_BERGER: ("79/4", "69/4"),
        TieBreak.BUCHHOLZ_CUT: ("20", "39/2"),
    }
    found = sums(desk)
    assert {key: tuple(str(found[who, key].value) for who in ("1", "2")) for key in expected} == expected
    order = (TieBreak.HEAD_TO_HEAD, TieBreak.PROGRESSIVE, TieBreak.BUCHHOLZ)
    leaders = standings(desk.says(Reordered(order, "as the club has it"))).rows[:2]
    assert [row.entrant for row in leaders] == ["1", "2"]
    assert [row.sums[1].value for row in leaders] == [HALF, HALF]


def test_a_round_robin_of_four_by_hand() -> None:
    """a beats b and c and draws with d; b beats c and d; c beats d. Points: a 2½, b 2, c 1, d ½."""
    desk = swiss("a b c d")
    desk.plays("a-b c-d")
    desk.plays("a-c b-d")
    desk.plays("a=d b-c")
    found = sums(desk)
    assert [found[who, "points"].value for who in "abcd"] == [Fraction(5, 2), 2, 1, HALF]
    assert str(found["a", TieBreak.BUCHHOLZ]) == "3½ = 2 + 1 + ½"
    assert str(found["a", TieBreak.MEDIAN_BUCHHOLZ]) == "1 = (2) + 1 + (½)"
    assert str(found["a", TieBreak.BUCHHOLZ_CUT]) == "3 = 2 + 1 + (½)"
    assert str(found["a", TieBreak.SONNEBORN_BERGER]) == "3¼ = 2 + 1 + ¼"
    assert str(found["d", TieBreak.SONNEBORN_BERGER]) == "1¼ = 0 + 0 + 1¼"
    assert str(found["b", TieBreak.PROGRESSIVE]) == "3 = 0 + 1 + 2"
    assert [found[who, TieBreak.WINS].value for who in "abcd"] == [2, 2, 1, 0]
    assert [found[who, TieBreak.LOSSES].value for who in "abcd"] == [0, 1, 2, 2]


def test_head_to_head_decides_only_where_all_who_are_tied_have_met() -> None:
    desk = Desk(Settings(rounds=3, tie_breaks=(TieBreak.HEAD_TO_HEAD,)), ["a", "b", "c", "d"])
    desk.plays("b-a c-d")
    desk.plays("a-c b-d")
    desk.plays("a-d c-b")  # a, b and c have two points each, and each beat one of the other two
    rows = standings(desk.event).rows
    assert [(row.place, row.is_shared) for row in rows] == [(1, True), (1, True), (1, True), (4, False)]
    assert {str(row.sums[1]) for row in rows[:3]} == {"1 = 0 + 1", "1 = 1 + 0"}
    early = standings(replace(desk.event, rounds=desk.event.rounds[:2])).rows  # b 2; a and c 1, and a beat c; d 0
    assert [row.entrant for row in early] == ["b", "a", "c", "d"]
    # b and c have a point each and have not met
    first = standings(replace(desk.event, rounds=desk.event.rounds[:1])).rows
    assert [row.place for row in first] == [1, 1, 3, 3]
    assert "have met" in str(first[0].sums[1].terms[0].says)


def test_a_lot_can_be_drawn_again_from_the_published_seed() -> None:
    desk = Desk(Settings(rounds=1, seed="12 May", tie_breaks=(TieBreak.LOT,)), ["ann", "bo"])
    lots = {who: int(hashlib.sha256(f"12 May:{who}".encode()).hexdigest()[:6], 16) for who in ("ann", "bo")}
    rows = standings(desk.event).rows
    assert [row.entrant for row in rows] == sorted(lots, key=lambda who: -lots[who])
    assert [row.sums[1].value for row in rows] == [2, 1]  # the lots themselves have eight digits
    assert not any(row.is_shared for row in rows)


def test_a_round_without_a_game_is_worth_nothing_to_opponents_or_a_draw_as_the_event_says() -> None:
    found = {}
    for unplayed in Unplayed:
        desk = swiss("a b c", unplayed)
        desk.plays("a-b", byes=["c"])
        desk.plays("a-c", byes=["b"])
        found[unplayed] = [str(sums(desk)[who, TieBreak.BUCHHOLZ]) for who in "abc"]
    # a beat both, who have a bye each; b's bye in round 2 came after 0 points, c's in round 1 before a lost round
    assert found[Unplayed.AS_SCORED] == ["2 = 1 + 1", "2 = 2 + 0", "2 = 0 + 2"]
    assert found[Unplayed.AS_DRAWN] == ["1 = ½ + ½", "2 = 2 + 0", "2½ = ½ + 2"]
