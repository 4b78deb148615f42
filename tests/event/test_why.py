"""Why you play whom: true sentences, for everybody, in every format."""

from __future__ import annotations

import pytest

from companion.event.facts import AskedOut, Entered, Withdrew
from companion.event.refused import EventRefused
from companion.event.settings import Format, Settings, TieBreak
from companion.event.why import reasons
from tests.event.events import Desk

ORDER = (TieBreak.BUCHHOLZ,)


def said(desk: Desk, number: int, who: str) -> str:
    return " ".join(map(str, reasons(desk.event, number)[who]))


def swiss(names: str, rounds: int = 5) -> Desk:
    return Desk(Settings(rounds=rounds, tie_breaks=ORDER), names.split())


def test_equal_points_and_a_fresh_opponent() -> None:
    desk = swiss("a b c d")
    desk.plays("a-c b-d")
    assert said(desk, 1, "a").startswith("In the first round the upper half of the seeding plays the lower half.")
    desk.pairs()
    assert said(desk, 2, "a") == "You and B have equal points: 1. You have not played each other before."


def test_a_step_down_says_what_forced_it() -> None:
    desk = swiss("a b c d e f")
    desk.plays("a-d b-e c-f")
    desk.pairs()  # three stand at 1
    up = next(table.seats for table in desk.event.rounds[1].tables if len({"a", "b", "c"} & set(table.seats)) == 1)
    higher = next(who for who in up if who in "abc")
    assert "3 players have the same points (1), an odd number" in said(desk, 2, higher)
    assert "Points: you 1, " in said(desk, 2, higher)


def test_a_bye_tells_what_it_hangs_on() -> None:
    desk = swiss("a b c d e")
    desk.pairs()
    assert (
        said(desk, 1, "e") == "You have a bye: 5 play, and nobody without an earlier bye has fewer points than you (0)."
    )
    desk = swiss("a b c", rounds=9)
    for _ in range(4):
        desk.pairs()
        desk.better_wins()
    fourth = desk.event.rounds[3].byes[0]
    assert "all had one before" in said(desk, 4, fourth)


def test_those_who_do_not_play_are_told_why() -> None:
    desk = swiss("a b c d e f")
    desk.says(AskedOut("f", 2))
    desk.pairs()
    desk.better_wins()
    desk.says(Withdrew("e"))
    desk.says(Entered("late", "Late"))
    desk.pairs()
    assert said(desk, 2, "f") == "You asked to sit this round out."
    assert said(desk, 2, "e") == "You had withdrawn."
    assert said(desk, 1, "late") == "You had not entered yet."
    with pytest.raises(EventRefused, match="round 3 is not paired"):
        reasons(desk.event, 3)


def test_eliminations_speak_of_the_bracket_and_of_losses() -> None:
    desk = Desk(Settings(Format.SINGLE), ["a", "b", "c"])
    desk.pairs()
    assert "no opponent" in said(desk, 1, "a")
    assert "The bracket by the seeding puts you against C." in said(desk, 1, "b")
    desk.better_wins()
    desk.pairs()
    assert "You and B came through round 1 side by side" in said(desk, 2, "a")
    assert said(desk, 2, "c") == "You are out of the event."


def test_round_robin_groups_and_pods_have_their_own_reasons() -> None:
    robin = Desk(Settings(Format.ROUND_ROBIN), ["a", "b", "c"])
    robin.pairs()
    assert {said(robin, 1, who).split(" ")[0] for who in "abc"} == {"Everybody", "You"}
    groups = Desk(Settings(Format.GROUPS, groups=2, advance=1), ["a", "b", "c", "d"])
    groups.pairs()
    assert "In your group everybody plays everybody" in said(groups, 1, "a")
    groups.better_wins()
    groups.pairs()
    assert "The bracket by the groups' places puts you against B." in said(groups, 2, "a")
    assert said(groups, 2, "c") == "You are not in the finals."
    pods = Desk(Settings(Format.PODS, rounds=3, fewest_seats=3, most_seats=3), ["a", "b", "c"])
    pods.pairs()
    assert said(pods, 1, "a") == "Everyone at this table has the same points: 0. You have met none of them."
