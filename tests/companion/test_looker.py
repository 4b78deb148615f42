"""Is the table laid as it should be: what looks say after an undo and before the first throw."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.game.readings import COARSE, Kind
from companion.game.says import Says
from companion.game.values import InPlace
from companion.game.view import MatchView, PutBackView, Sight
from companion.games.eyes_of_the_emperor.scene import Scene
from companion.match.inputs import Act, Answer, EndThrow, IsBack, Undo
from companion.match.match import Match
from tests.companion.looks import LANDS, Opened, TextLook

STACKS = LANDS + "E red.1 374,348 down; E blue.1 626,349 down"
STREWN = LANDS + "E red.1 330,350 down; E red.2 400,350 down; E blue.1 590,350 down; E blue.2 650,330 down; N n1 300,90"
THROWN = STREWN.replace("E blue.1 590,350", "E blue.1 800,350") + "; N n2 500,100"


def sees(match: Match[Any, Any], text: str) -> MatchView:
    """The table comes to rest and is read; gives the view after all that was done before has been taken."""
    match.saw(Sight.MOVING, Says("something moves"))
    match.looked(TextLook(text))
    match.saw(Sight.SEES, Says("the table is seen"))
    return waited(match)


def waited(match: Match[Any, Any]) -> MatchView:
    """The view once all that waits on the queue was taken: a stale undo is refused and changes nothing."""
    assert match.submit(Undo(entry=-1, by="nobody")).refused
    return match.view()


def throws(match: Match[Any, Any], *texts: str) -> None:
    """The table as each of the throws leaves it, and its end."""
    for text in texts:
        sees(match, text)
        assert match.submit(EndThrow(by="Ann")).refused is None


def undo(match: Match[Any, Any]) -> PutBackView:
    """The newest throw is taken back."""
    assert match.submit(Undo(entry=match.view().undo.entry, by="Ann")).refused is None
    return put_back(match.view())


def put_back(view: MatchView) -> PutBackView:
    assert view.put_back is not None
    return view.put_back


def ticks(found: PutBackView) -> dict[str, InPlace | None]:
    return {str(thing.says): thing.laid for thing in found.things}


@pytest.fixture
def undone(opened: Opened) -> Match[Any, Any]:
    """A match in which the second throw was taken back, and its pieces lie as it left them."""
    match = opened()
    throws(match, STREWN, THROWN)
    undo(match)
    return match


def test_pieces_are_ticked_off_as_they_are_seen_back(undone: Match[Any, Any]) -> None:
    found = put_back(waited(undone))
    assert set(ticks(found).values()) == {InPlace.NO}
    assert (found.laid, str(found.says)) == (InPlace.NO, "0 of 2 in place")
    found = put_back(sees(undone, THROWN.replace("; N n2 500,100", "")))
    assert sorted(found.laid for found in found.things if found.laid) == [InPlace.NO, InPlace.YES]
    assert str(found.says) == "1 of 2 in place"
    found = put_back(sees(undone, STREWN))
    assert (found.laid, str(found.says)) == (InPlace.YES, "everything is in its place")
    found = put_back(sees(undone, STREWN.replace("E red.1 330,350", "E red.1 330,420")))
    assert found.laid is InPlace.NO
    assert [str(other) for other in found.others] == ["red empire die 1: it is 7 cm off its place"]
    undone.saw(Sight.BLIND, Says("it is too dark"), "too_dark")
    assert put_back(waited(undone)).laid is InPlace.UNSEEN
    undone.submit(IsBack(entry=found.entry, by="red"))
    assert undone.view("blue").put_back is None  # only the phone that was tapped put its list away


def test_a_reading_from_before_the_table_moved_ticks_nothing_off(opened: Opened) -> None:
    """A piece was hung and entered by hand, then undone: the reading from before said that it was back already."""
    match = opened()
    throws(match, STREWN, THROWN)
    sees(match, STREWN)
    match.saw(Sight.MOVING, Says("something moves"))
    assert set(ticks(undo(match)).values()) == {InPlace.UNSEEN}
    assert put_back(sees(match, STREWN)).laid is InPlace.YES


def test_a_match_that_begins_on_a_table_not_set_up_is_told_so_and_may_begin(opened: Opened) -> None:
    match = opened()
    assert waited(match).set_up is None  # nothing was looked at yet
    view = sees(match, STREWN)
    assert (view.set_up.laid, str(view.set_up.says)) == (InPlace.NO, "the table is not set up yet")
    assert "ninja: 1 in the valley, at the start all are outside" in {str(line.says) for line in view.set_up.lines}
    assert match.submit(EndThrow(by="Ann")).refused is None
    assert match.view().set_up is None


TOPPLED = LANDS + "E red.1 374,348 down; E blue.1 700,349 down; E blue.2 655,300 down; N n1 500,100"


def test_rules_3_a_game_that_is_restarted_has_to_be_set_up_again(opened: Opened) -> None:
    # the look at the set-up was remembered before the first throw of a match only, and the first throw after a restart
    # asked for the die under each stack
    match = opened()
    sees(match, STREWN)
    match.submit(EndThrow(by="Ann"))
    match.submit(Act(seat="red", move="edge", values={"thrower": "red"}, by="Ben"))
    match.submit(Answer(question=match.view().question.id, choice="restart", by="Ben", seat="blue"))
    assert match.view().set_up.laid is InPlace.NO
    assert sees(match, STACKS).set_up.laid is InPlace.YES
    throws(match, TOPPLED)
    view = match.view()
    assert view.question is None
    assert view.table["emperors"]["red"]["dice_in"] == 2


OUT = STREWN.replace("E blue.1 590,350", "E blue.1 800,350").replace("E blue.2 650,330", "E blue.2 700,600")
"""Both blue dice knocked out: whose each of them is decides."""


def nameless(text: str, *dice: str) -> str:
    """The same look, in which the owners of these dice are not seen."""
    for number, die in enumerate(dice, 1):
        text = text.replace(f"E {die} ", f"E die.{number} ")
    return text


def test_an_owner_that_one_look_told_is_not_asked_for_after_a_shadow(opened: Opened) -> None:
    # the eyes on the sides of dice hang by a hair: each shadow brought another look, and phones asked or did not
    match = opened()
    sees(match, OUT)
    throws(match, nameless(OUT, "blue.1", "red.1"))
    view = match.view()
    assert view.question is None
    assert view.table["emperors"]["blue"]["dice_in"] == 0


HIDDEN = LANDS + "E die.1 374,348; E die.2 626,349"
"""The set-up as a camera sees it: of each stack the upper die, no eye in view."""


def scene_after(match: Match[Any, Any], text: str) -> Scene:
    throws(match, text)
    found: Scene = (match.state.open or match.state).scene
    return found


def test_a_stack_that_was_not_touched_is_still_two_dice_of_its_side(opened: Opened) -> None:
    match = opened()
    sees(match, HIDDEN)
    scene = scene_after(match, LANDS + "E die.1 374.2,348.1; E die.2 655,340; E die.3 560,500; N n1 500,100")
    assert {die.id: die.color for die in scene.of(Kind.EMPIRE_DIE)} == {
        "red.1": "red",
        "red.2": "red",
        "blue.1": "blue",
        "blue.2": "blue",
    }
    assert (scene.unseen, scene.piece("red.2").marked_up) == ((), False)
    assert [(r.piece, r.on) for r in scene.rests_on] == [("red.1", "red.2")]
    assert match.view().question is None


@pytest.mark.parametrize(("x_mm", "below_camera_mm"), [(371.2, (500.0, 350.0)), (374.0, (374.0, 400.0))])
def test_where_the_upper_die_was_moved_or_lies_below_the_camera_nothing_is_said_of_the_lower(
    opened: Opened, x_mm: float, below_camera_mm: tuple[float, float] | None
) -> None:
    match = opened()
    sees(match, HIDDEN)
    text = HIDDEN.replace("374,", f"{x_mm},") + "; N n1 500,100"
    match.looked(TextLook(text, below_camera_mm=below_camera_mm))
    assert match.submit(EndThrow(by="Ann")).refused is None
    assert "red.2" in (match.state.open or match.state).scene.unseen


def test_what_was_thrown_before_anybody_looked_leaves_no_set_up(opened: Opened) -> None:
    scene = scene_after(opened(), HIDDEN + "; N n1 500,100")
    assert {die.color for die in scene.of(Kind.EMPIRE_DIE)} == {None}


@pytest.mark.parametrize(("px_a_mm", "is_said"), [(1.19, True), (1.2, False), (None, False)])
def test_a_coarse_camera_is_said_before_anything_is_thrown(px_a_mm: float | None, is_said: bool) -> None:
    bare, thrown = TextLook(LANDS).reading, TextLook(LANDS + "N n1 500,100").reading
    for reading, count in ((bare, int(is_said)), (thrown, 0)):
        told = replace(reading, table=replace(reading.table, px_a_mm=px_a_mm)).notices()
        assert [notice.code for notice in told] == [COARSE] * count
