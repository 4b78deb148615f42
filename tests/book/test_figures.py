"""Figures of the book, counted by hand over six plays, and a play from the log of its match."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest

from companion.book.book import BookKnown
from companion.book.facts import Household, LeagueTold
from companion.book.figures import Figures, Tallied
from companion.book.play import Play, Sat, play_of
from companion.record.log import read_log
from tests.book.evenings import BATCH, BEGAN_S, play
from tests.games.playthrough import FOLDER

PLAYS = (  # day, title, minutes, and each person with points and place
    ("2025-06-15", "Uno", 30, "Ann 12 1, Ben 7 2, Cem 7 2"),
    ("2025-06-15", "Uno", 20, "Ben 9 1, Ann 4 2"),
    ("2025-06-16", "Golf", 60, "Ben 70 1, Ann 82 2"),
    ("2025-07-01", "Golf", 45, "Ann 68 1, Ben 75 2"),
    ("2025-07-01", "Uno", 15, "Ben 8 1, Ann 3 2"),
    ("2026-01-02", "Sculpture", 10, "Ann 0 0"),
)


def at_s(day: str) -> float:
    return datetime.fromisoformat(f"{day}T20:00").timestamp()


@pytest.fixture
def book() -> Figures:
    plays = []
    for n, (day, title, minutes, people) in enumerate(PLAYS):
        told = [one.split() for one in people.split(", ")]
        seats = tuple(
            Sat(name, name, float(points), int(place) or None, has_won=place == "1") for name, points, place in told
        )
        began_s = at_s(day) + 3600.0 * n
        plays.append(Play(f"p-{n}", title.casefold(), title, began_s, 60.0 * minutes, seats, has_log=False))
    return Figures(BookKnown(tuple(reversed(plays)), Household()))


def test_a_person_has_wins_series_a_rival_and_best_results(book: Figures) -> None:
    ann, ben = book.person("ann"), book.person("ben")
    assert (ann.all, ann.played_s, len(ann.plays)) == (Tallied("ann", 5, 2), 180 * 60, 6)
    assert [(game, one.plays, one.wins) for game, one in ann.by_game] == [
        ("uno", 3, 1),
        ("golf", 2, 1),
        ("sculpture", 0, 0),
    ]
    assert (ann.streak, ann.longest, ben.streak, ben.longest) == (-1, 1, 1, 2)
    assert (ann.favourite, ann.buddy) == ("uno", "ben")
    assert ann.rival == ann.nemesis == Tallied("ben", 5, 3)
    assert (ben.rival, ben.nemesis) == (Tallied("ann", 5, 2), None)
    assert {game: points for game, (_, points) in ann.best.items()} == {"uno": 12.0, "golf": 68.0}  # golf: fewest win


def test_a_game_a_year_and_an_evening_have_leaders_and_times(book: Figures) -> None:
    golf = book.game("golf")
    assert golf.leaders == (Tallied("ann", 2, 1), Tallied("ben", 2, 1))
    assert (golf.played_s, golf.shortest.played_s, golf.longest.played_s) == (105 * 60, 45 * 60, 60 * 60)
    assert (golf.record[1].name, golf.record[1].points) == ("Ann", 68.0)
    year = book.year(2025)
    assert year.leaders == (Tallied("ben", 5, 3), Tallied("ann", 5, 2), Tallied("cem", 1, 0))
    assert (year.games, year.played_s) == ((("uno", 3), ("golf", 2)), 170 * 60)
    assert (sum(year.months), year.months[5], year.months[6]) == (5, 3, 2)
    assert [played.play.name for played in book.evening(at_s("2025-06-15")).plays] == ["p-1", "p-0"]


def test_a_league_counts_points_by_place_and_people_who_share_a_place_share_them(book: Figures) -> None:
    lines = book.league(LeagueTold("All", (5.0, 3.0, 1.0)))
    assert [(line.key, line.points, line.plays, line.wins) for line in lines] == [
        ("ben", 20.0, 5, 3),
        ("ann", 19.0, 5, 2),
        ("cem", 2.0, 1, 0),
    ]
    one_day = LeagueTold("Day", (5.0, 3.0, 1.0), game="uno", begins="2025-06-15", ends="2025-06-15")
    assert {line.key: line.points for line in book.league(one_day)} == {"ann": 8.0, "ben": 7.0, "cem": 2.0}


def test_a_play_is_read_from_the_log_of_its_match(tmp_path: Path) -> None:
    text = (FOLDER / "center_point-two.txt").read_text(encoding="utf-8")
    log = play(tmp_path, text, BEGAN_S, ("Ann", "Ben"))
    found = play_of(log.stem, entries := read_log(log))
    assert (found.title, found.began_s, found.is_over) == ("Center Point", BEGAN_S, True)
    assert found.played_s == 20.0 * BATCH * ((len(entries) - 1) // BATCH)
    winner = re.search(r"^! (\w+)", text, re.MULTILINE)[1]
    assert [sat.seat for sat in found.seats if sat.has_won] == [winner]
    assert {(sat.name, sat.place) for sat in found.seats} == {("Ann", 1 + (found.seats[0].seat != winner))} | {
        ("Ben", 1 + (found.seats[1].seat != winner))
    }
    rolled = Counter(re.findall(r"^> (\w) d(\d)$", text, re.MULTILINE))
    dice = {(seat[0], value): count for seat, values in found.dice.items() for value, count in values.items()}
    assert dice == rolled
