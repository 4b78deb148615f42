"""What a look says of pieces that are put back by hand after an undo: ticks only for what is seen."""

from __future__ import annotations

import pytest

from companion.game.readings import EyesReading, Kind
from companion.game.values import Checked, InPlace
from companion.games.eyes_of_the_emperor import GAME
from companion.games.eyes_of_the_emperor.notation import scene_of_text
from companion.games.eyes_of_the_emperor.state import State
from tests.companion.looks import LANDS, TextLook, retold

RED_HOME = "E red.1 330,350; E red.2 400,350; "
BEFORE = LANDS + RED_HOME + "E blue.1 622.5,350 down; E blue.2 590,300; S red.s1 640,420"
AFTER = LANDS + RED_HOME + "E blue.1 760,360 down; E blue.2 590,300; S red.s1 640,420; S red.s2 700,200; N n1 500,90"
BACK = (InPlace.YES, InPlace.YES, InPlace.YES)


def state(text: str) -> State:
    return State(scene=scene_of_text(text), throw=1)


def looked(text: str, before: str = BEFORE, after: str = AFTER, was: tuple[Checked, ...] = ()) -> tuple[Checked, ...]:
    return GAME.table.seen_back(state(before), state(after), TextLook(text).reading, was)


def changed(reading: EyesReading, kind: Kind, color: str | None, **now: object) -> EyesReading:
    """The reading with some pieces seen otherwise."""
    return retold(reading, lambda p: (p.kind, p.color) == (kind, color), **now)


def laid(checked: tuple[Checked, ...]) -> tuple[InPlace, ...]:
    return tuple(one.laid for one in checked)


def words(checked: tuple[Checked, ...]) -> list[str]:
    return [str(one.says) if one.says else "" for one in checked]


def row_of(says: str, before: State, after: State) -> int:
    return next(i for i, said in enumerate(told_of(before, after)) if said.startswith(says))


def told_of(before: State, after: State) -> list[str]:
    return [str(thing.says) for thing in GAME.table.put_back(before, after)]


def test_nothing_is_back_while_all_lies_as_it_was_thrown() -> None:
    checked = looked(AFTER)
    assert laid(checked) == (InPlace.NO, InPlace.NO, InPlace.NO)
    assert words(checked)[2] == "it is 14 cm off its place"


@pytest.mark.parametrize(
    ("before_x_mm", "after_x_mm", "is_named"),
    [(622.5, 631.5, False), (622.5, 633.5, True), (744.0, 749.0, True), (749.0, 744.0, True), (744.0, 746.4, False)],
)
def test_a_piece_is_named_where_the_tick_would_ask_for_it(
    before_x_mm: float, after_x_mm: float, is_named: bool
) -> None:
    # one that a throw moved by 7 mm was named and, untouched, ticked off at once; one pushed over the rim was not named
    before, after = (BEFORE.replace("E blue.1 622.5", f"E blue.1 {x_mm}") for x_mm in (before_x_mm, after_x_mm))
    named = [thing.lay.id for thing in GAME.table.put_back(state(before), state(after)) if thing.lay]
    assert named == ["blue.1"] * is_named
    assert InPlace.YES not in laid(looked(after, before, after))


def test_each_thing_is_ticked_as_it_is_seen_done() -> None:
    assert laid(looked(AFTER.replace("; N n1 500,90", ""))) == (InPlace.NO, InPlace.YES, InPlace.NO)
    assert laid(looked(BEFORE + "; S red.s2 700,200")) == (InPlace.NO, InPlace.YES, InPlace.YES)
    assert laid(looked(BEFORE)) == BACK


@pytest.mark.parametrize(
    ("before_x_mm", "now_x_mm", "expected", "said"),
    [
        (744.0, 749.5, InPlace.NO, "it is close, but no longer overlaps the blue territory"),
        (749.5, 744.0, InPlace.NO, "it is close, but now it overlaps the blue territory"),
        (744.0, 746.4, InPlace.UNSEEN, "too close to the rim of the blue territory to call"),
        (744.0, 740.0, InPlace.YES, ""),
    ],
)
def test_instructions_9_near_its_place_but_over_the_rim_is_not_back(
    before_x_mm: float, now_x_mm: float, expected: InPlace, said: str
) -> None:
    before = BEFORE.replace("E blue.1 622.5,350", f"E blue.1 {before_x_mm},350")
    found = looked(
        before.replace(f"E blue.1 {before_x_mm}", f"E blue.1 {now_x_mm}"), before, AFTER.replace("760", "800")
    )
    assert (found[2].laid, words(found)[2]) == (expected, said)


def test_a_die_in_its_place_with_the_other_side_up_is_not_back() -> None:
    found = looked(BEFORE.replace("E blue.1 622.5,350 down", "E blue.1 622.5,350 up"))
    assert (found[2].laid, words(found)[2]) == (InPlace.NO, "its eye looks up")


def test_a_die_without_an_eye_in_view_is_not_taken_for_the_one_that_shall_lie_there() -> None:
    two_moved = AFTER.replace("E red.2 400,350", "E red.2 300,550")
    nameless = BEFORE.replace("E blue.1 622.5,350 down", "E die.1 622.5,350 down").replace("red.2 400", "die.2 400")
    told = [str(thing.says) for thing in GAME.table.put_back(state(BEFORE), state(two_moved))]
    found = looked(nameless, after=two_moved)
    for row in (i for i, said in enumerate(told) if "empire die" in said):
        assert (found[row].laid, words(found)[row]) == (InPlace.UNSEEN, "an empire die is there; can't see whose it is")


def test_instructions_10_a_samurai_that_lay_on_another_lies_on_it_again() -> None:
    pile = BEFORE + "; S red.s3 650,430 on red.s1"
    after = AFTER.replace("S red.s2 700,200", "S red.s3 900,600")
    row = row_of("put red samurai 3 back", state(pile), state(after))
    assert looked(pile, pile, after)[row].laid is InPlace.YES
    below = BEFORE.replace("S red.s1 640,420", "S red.s1 640,420 on red.s3") + "; S red.s3 650,430"
    assert looked(below, pile, after)[row].laid is InPlace.NO
    beside = looked(BEFORE + "; S red.s3 650,430", pile, after)[row]
    assert (beside.laid, str(beside.says)) == (InPlace.UNSEEN, "can't see whether it is on red samurai 1")


def test_while_the_table_cannot_be_seen_nothing_is_ticked_and_nothing_missed() -> None:
    assert laid(GAME.table.seen_back(state(BEFORE), state(AFTER), None, looked(BEFORE))) == (InPlace.UNSEEN,) * 3
    covered = looked(BEFORE.replace("T red 377.5,350; ", ""))
    assert laid(covered) == (InPlace.UNSEEN,) * 3
    assert words(covered)[0].startswith("the red territory is not seen")
