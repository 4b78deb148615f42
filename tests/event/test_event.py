"""An event as its entries: undo, corrections shown before they count, refusals in words, JSON both ways."""

from __future__ import annotations

import pytest

from companion.event.changes import preview
from companion.event.facts import (
    AskedOut,
    Corrected,
    Entered,
    EntryRetracted,
    Fact,
    Fixed,
    Paired,
    Reported,
    Returned,
    Withdrew,
    drawn,
    settings_of,
    won,
)
from companion.event.refused import EventRefused
from companion.event.settings import Format, Settings, TieBreak
from companion.event.standings import standings
from tests.event.events import Desk

ORDER = (TieBreak.BUCHHOLZ, TieBreak.LOT)


def desk_of(count: int = 6, rounds: int = 5) -> Desk:
    return Desk(Settings(rounds=rounds, tie_breaks=ORDER), [f"p{n}" for n in range(1, count + 1)])


def test_a_correction_two_rounds_later_shows_what_it_moves_before_it_is_entered() -> None:
    desk = desk_of()
    desk.plays("p1-p4 p2-p5 p3-p6")
    desk.plays("p1-p2 p3-p4 p5-p6")
    desk.plays("p1-p3 p2-p4 p5-p6")
    before = desk.entries
    shown = preview(desk.entries, Corrected(1, 1, won(1), "the slip was turned"))
    assert desk.entries == before
    assert str(shown.moved["p4"]) == "P4 stays at place 5, points: 1 instead of 0"
    assert [str(says) for says in shown.stays] == [
        "round 2 was paired before this and stays as it was published",
        "round 3 was paired before this and stays as it was published",
    ]
    desk.says(Corrected(1, 1, won(1), "the slip was turned"))
    rows = {row.entrant: row for row in standings(desk.event).rows}
    assert {who: (says.values["place"], says.values["points"]) for who, says in shown.moved.items()} == {
        who: (rows[who].place, str(rows[who].sums[0].value)) for who in shown.moved
    }
    assert desk.event.rounds[1].points_then["p1"] == 1  # what round 2 was paired by is still known


def test_an_undone_correction_leaves_no_trace_in_the_standings() -> None:
    desk = desk_of()
    desk.plays("p1-p4 p2-p5 p3-p6")
    before = standings(desk.event)
    desk.says(Corrected(1, 2, drawn(), "both said so"))
    assert standings(desk.event) != before
    desk.says(EntryRetracted(desk.entries[-1].seq, "they did not"))
    assert standings(desk.event) == before
    shown = preview(desk.entries, EntryRetracted(9, "wrong table"))
    assert "p1" in shown.moved


def test_what_later_entries_stand_on_cannot_be_taken_back() -> None:
    desk = desk_of(4)
    desk.plays("p1-p3 p2-p4")
    paired = next(entry.seq for entry in desk.entries if isinstance(entry.fact, Paired))
    with pytest.raises(EventRefused, match="entry 7: round 1 has no table 1"):
        desk.says(EntryRetracted(paired))
    with pytest.raises(EventRefused, match="no entry 1 to"):
        desk.says(EntryRetracted(1))
    last = desk.entries[-1].seq
    desk.says(EntryRetracted(last))
    with pytest.raises(EventRefused, match=f"no entry {last}"):
        desk.says(EntryRetracted(last))
    with pytest.raises(EventRefused, match="no entry"):
        desk.says(EntryRetracted(desk.entries[-1].seq))  # a retraction stays: report again instead
    desk.says(Reported(1, 2, won(1)))
    assert desk.event.rounds[0].is_over


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (Entered("p1", "Other"), "P1 is entered already"),
        (Withdrew("x"), "unknown entrant x"),
        (Returned("p1"), "P1 has not withdrawn"),
        (AskedOut("p1", 1), "round 1 is paired already"),
        (Fixed(2, ("p1", "p2", "p3"), ""), "no table of 3"),
        (Fixed(2, ("p1", "p1"), ""), "P1 is set already"),
        (Paired(1, (("p1", "p2"),)), "round 2 is paired next"),
        (Reported(1, 1, won(0)), "table 1 has a result: correct it"),
        (Reported(1, 9, won(0)), "round 1 has no table 9"),
        (Corrected(3, 1, won(0), ""), "round 3 has no table 1"),
    ],
)
def test_what_cannot_be_is_refused_in_words_and_changes_nothing(fact: Fact, said: str) -> None:
    desk = desk_of(4)
    desk.plays("p1-p3 p2-p4")
    before = desk.entries
    with pytest.raises(EventRefused, match=said):
        desk.says(fact)
    assert desk.entries == before


@pytest.mark.parametrize(
    ("tables", "byes", "said"),
    [
        ([("p1", "p2")], (), "P3 is not paired"),
        ([("p1", "p2"), ("p2", "p3")], (), "P2 is paired twice"),
        ([("p1", "p2", "p3", "p4")], (), "no table of 4"),
    ],
)
def test_a_round_that_is_not_whole_is_refused(tables: list[tuple[str, ...]], byes: tuple[str, ...], said: str) -> None:
    with pytest.raises(EventRefused, match=said):
        desk_of(4).says(Paired(1, tuple(tables), byes))


@pytest.mark.parametrize("win", ['"1/0"', '"much"', "true", "[]", "1e999"])
def test_what_is_no_number_of_points_is_refused(win: str) -> None:
    with pytest.raises(EventRefused, match="JSON is not as expected"):
        settings_of('{"points": {"win": ' + win + "}}")


def test_nobody_comes_back_into_an_elimination_that_went_on() -> None:
    desk = Desk(Settings(Format.SINGLE), ["a", "b", "c", "d"])
    desk.says(Withdrew("d"))
    desk.says(Returned("d"))
    desk.says(Withdrew("d"))
    desk.pairs()
    with pytest.raises(EventRefused, match="gone on without them"):
        desk.says(Returned("d"))
    with pytest.raises(EventRefused, match="nobody can sit out"):
        desk.says(AskedOut("a", 2))
    with pytest.raises(EventRefused, match="the format decides who plays whom"):
        desk.says(Fixed(2, ("a", "b"), "a wish"))
