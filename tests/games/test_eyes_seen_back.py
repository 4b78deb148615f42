"""What a look says of pieces that are put back by hand after an undo: ticks only for what is seen."""

from __future__ import annotations

import pytest

from companion.game.readings import EyesReading, Kind
from companion.game.values import Checked, InPlace
from companion.games.eyes_of_the_emperor import GAME
from companion.games.eyes_of_the_emperor.notation import scene_of_text
from companion.games.eyes_of_the_emperor.reading import BACK_MM
from companion.games.eyes_of_the_emperor.scene import says_place, says_way
from companion.games.eyes_of_the_emperor.seen_back import STAYS_BACK_MM
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
    assert words(checked)[2] == "move it 14 cm towards red"


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


def test_a_piece_put_down_beside_its_place_is_not_taken_for_one_that_was_taken_out() -> None:
    before = BEFORE + "; N n3 200,200"
    told = [str(thing.says) for thing in GAME.table.put_back(state(before), state(AFTER + "; N n3 300,600"))]
    found = looked(BEFORE + "; N n3 200,230", before, AFTER + "; N n3 300,600")
    rows = [(said, one.laid) for said, one in zip(told, found, strict=True)]
    assert ("take a ninja out of the valley", InPlace.YES) in rows
    assert [laid for said, laid in rows if said.startswith("put a ninja back")] == [InPlace.NO]


@pytest.mark.parametrize(("off_mm", "is_back"), [(0, True), (BACK_MM - 0.2, True), (BACK_MM + 0.2, False)])
def test_a_piece_is_back_as_near_as_a_hand_puts_it(off_mm: float, is_back: bool) -> None:
    found = looked(BEFORE.replace("E blue.1 622.5,350", f"E blue.1 {622.5 + off_mm},350"))
    assert found[2].laid is (InPlace.YES if is_back else InPlace.NO)


def test_a_tick_does_not_flicker_at_the_limit() -> None:
    was = looked(BEFORE)
    near = BEFORE.replace("E blue.1 622.5,350", f"E blue.1 {622.5 + STAYS_BACK_MM - 0.2},350")
    assert laid(looked(near, was=was)) == BACK
    assert laid(looked(near)) != BACK
    far = BEFORE.replace("E blue.1 622.5,350", f"E blue.1 {622.5 + STAYS_BACK_MM + 0.2},350")
    assert laid(looked(far, was=was))[2] is InPlace.NO


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


def test_what_the_eyes_are_not_sure_of_is_not_ticked() -> None:
    unsure = changed(TextLook(BEFORE).reading, Kind.SAMURAI, "red", confidence=0.6)
    before, after = state(BEFORE), state(AFTER.replace("S red.s1 640,420", "S red.s1 640,520"))
    row = [str(thing.says) for thing in GAME.table.put_back(before, after)].index("put red samurai 1 back")
    assert GAME.table.seen_back(before, after, unsure)[row] == Checked(
        InPlace.UNSEEN, GAME.table.seen_back(before, after, unsure)[row].says
    )
    was = GAME.table.seen_back(before, after, TextLook(BEFORE).reading)
    assert was[row].laid is InPlace.YES
    assert (
        GAME.table.seen_back(before, after, unsure, was)[row].laid is InPlace.YES
    )  # seen surely once, and still seen there


def test_a_shadow_that_is_taken_for_a_ninja_is_neither_back_nor_still_there() -> None:
    doubted = changed(TextLook(AFTER).reading, Kind.NINJA, None, confidence=0.5)
    found = GAME.table.seen_back(state(BEFORE), state(AFTER), doubted)
    assert (found[1].laid, words(found)[1]) == (InPlace.UNSEEN, "something may still be there")
    sure = changed(TextLook(AFTER).reading, Kind.NINJA, None, confidence=0.9, value=None)
    assert GAME.table.seen_back(state(BEFORE), state(AFTER), sure)[1].laid is InPlace.NO  # its face does not matter


def test_whether_an_eye_looks_up_that_is_not_seen_is_not_ticked() -> None:
    reading = changed(TextLook(BEFORE).reading, Kind.EMPIRE_DIE, "blue", marked_up=None)
    found = GAME.table.seen_back(state(BEFORE), state(AFTER), reading)
    assert (found[2].laid, words(found)[2]) == (InPlace.UNSEEN, "it is there, but can't see whether its eye looks up")


def test_a_die_without_an_eye_in_view_is_not_taken_for_the_one_that_shall_lie_there() -> None:
    two_moved = AFTER.replace("E red.2 400,350", "E red.2 300,550")
    nameless = BEFORE.replace("E blue.1 622.5,350 down", "E die.1 622.5,350 down").replace("red.2 400", "die.2 400")
    told = [str(thing.says) for thing in GAME.table.put_back(state(BEFORE), state(two_moved))]
    found = looked(nameless, after=two_moved)
    for row in (i for i, said in enumerate(told) if "empire die" in said):
        assert (found[row].laid, words(found)[row]) == (InPlace.UNSEEN, "an empire die is there; can't see whose it is")


def test_a_piece_under_another_is_not_seen_and_not_missing() -> None:
    covered = BEFORE.replace("E blue.1 622.5,350 down; ", "") + "; S red.s3 624,352"
    found = looked(covered)
    assert (found[2].laid, words(found)[2]) == (InPlace.UNSEEN, "red samurai 2 covers its place")


def test_instructions_10_a_samurai_that_lay_on_another_lies_on_it_again() -> None:
    pile = BEFORE + "; S red.s3 650,430 on red.s1"
    after = AFTER.replace("S red.s2 700,200", "S red.s3 900,600")
    row = row_of("put red samurai 3 back", state(pile), state(after))
    assert looked(pile, pile, after)[row].laid is InPlace.YES
    below = BEFORE.replace("S red.s1 640,420", "S red.s1 640,420 on red.s3") + "; S red.s3 650,430"
    assert looked(below, pile, after)[row].laid is InPlace.NO
    beside = looked(BEFORE + "; S red.s3 650,430", pile, after)[row]
    assert (beside.laid, str(beside.says)) == (InPlace.UNSEEN, "can't see whether it is on red samurai 1")


def test_what_nobody_was_told_to_touch_and_lies_elsewhere_is_told() -> None:
    found = looked(BEFORE.replace("E blue.2 590,300", "E blue.2 560,260"))
    assert laid(found[:3]) == BACK
    assert words(found)[3:] == ["blue empire die 2: move it 5 cm sideways, to the middle"]
    more = looked(BEFORE + "; N n5 100,100; N n6 200,100")
    assert [one.laid for one in more[:3]] == [InPlace.YES, InPlace.NO, InPlace.YES]
    assert words(more)[3:] == ["ninja: 1 more in the valley than before"]


def test_alike_pieces_may_change_places() -> None:
    before = BEFORE + "; S red.s4 560,380; N n7 480,250"
    after = AFTER + "; S red.s4 300,600; N n7 100,600"
    assert set(
        laid(
            looked(
                before.replace("640,420", "0,0").replace("560,380", "640,420").replace("0,0", "560,380"), before, after
            )
        )
    ) == {InPlace.YES}


def test_while_the_table_cannot_be_seen_nothing_is_ticked_and_nothing_missed() -> None:
    assert laid(GAME.table.seen_back(state(BEFORE), state(AFTER), None, looked(BEFORE))) == (InPlace.UNSEEN,) * 3
    covered = looked(BEFORE.replace("T red 377.5,350; ", ""))
    assert laid(covered) == (InPlace.UNSEEN,) * 3
    assert words(covered)[0].startswith("the red territory is not seen")


@pytest.mark.parametrize(
    ("ninja", "place", "way"),
    [
        ("400,300", "on the red territory", "move it 25 cm towards blue"),
        ("500,350", "between the territories", "move it 15 cm towards blue"),
        ("90,350", "behind the red territory", "move it 56 cm towards blue"),
        ("640,20", "next to the blue territory", "move it 33 cm sideways, to the middle"),
        ("640,340", "on the blue territory", "move it 1 cm towards blue"),
    ],
)
def test_a_place_and_the_way_to_it_are_told_by_the_territories(ninja: str, place: str, way: str) -> None:
    """ "Ninja 25, 28 cm off its place" sent people looking in every direction."""
    scene = scene_of_text(LANDS + f"N n1 {ninja}; N n2 650,350")
    lies, goal = scene.pieces[2:]
    assert (str(says_place(lies, scene)), str(says_way(lies, goal, scene))) == (place, way)
