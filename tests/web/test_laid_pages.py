"""On phones and on the wall: what the camera sees back after an undo, and of the set-up before the first throw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from companion.game.values import InPlace
from tests.web import shown
from tests.web.fake_door import FakeDoor
from tests.web.player import Player
from tests.web.test_pages import box_of

pytestmark = pytest.mark.browser

Come = Callable[..., Player]
YES, NO, UNSEEN = InPlace.YES, InPlace.NO, InPlace.UNSEEN
SOME = shown.seen_back(
    YES, NO, UNSEEN, whole=NO, says="1 of 3 in place", others=("blue samurai 2: it is not seen there",)
)
ALL = shown.seen_back(YES, YES, YES, whole=YES, says="everything is in its place")


@pytest.mark.journey
def test_the_camera_ticks_off_what_it_sees_back_and_says_what_is_not_yet(door: FakeDoor, player: Come) -> None:
    ann, wall = player("red", "Ann"), player(None, opens="board")
    door.happens(put_back=shown.seen_back(NO, NO, NO, whole=NO, says="0 of 3 in place"))
    assert ann.hears("0 of 3 in place. Not yet: take ninja 3 out of the valley.")
    door.shows(put_back=SOME)
    rows = ann.page.locator("#putback ol.ticks li")
    expect(rows.locator(".why")).to_have_text(
        ["In place", "Not yet – it is 13 cm off its place", "Please check – ninja 2 covers its place"]
    )
    expect(ann.page.get_by_label("3 Put red samurai 4 back into the valley")).to_have_count(1)
    expect(rows.nth(0).locator("input")).to_have_count(0)
    expect(rows.nth(1).locator("input")).to_have_count(0)
    expect(rows.nth(2).locator("input")).to_have_count(1)  # what no camera tells people tick off themselves
    assert ann.hears("Not yet: put blue empire die 1 back. blue samurai 2: it is not seen there")
    for one in (ann, wall):
        assert one.sees("1 of 3 in place")
        assert one.sees("Blue samurai 2: it is not seen there")
    door.shows(put_back=ALL)
    assert ann.hears("Everything is in its place")
    for one in (ann, wall):
        assert one.sees("Everything is in its place")
        assert one.no_longer_sees("Taken back. Now put back:")


def test_one_s_own_ticks_outlive_what_the_camera_sees_next_and_a_reload(door: FakeDoor, player: Come) -> None:
    ann = player("red", "Ann")
    door.happens(put_back=SOME)
    box = ann.page.locator("#putback ol.ticks input")
    box.check()
    door.shows(put_back=replace(SOME, others=()))
    assert ann.no_longer_sees("Has moved")
    expect(box).to_be_checked()
    ann.goes("?seat=red")
    expect(box).to_be_checked()
    door.happens(put_back=replace(SOME, entry=SOME.entry + 4))  # another undo, other pieces
    expect(box).not_to_be_checked()


def test_what_was_put_away_and_ticked_in_one_match_is_not_in_the_next(door: FakeDoor, player: Come) -> None:
    # entries are numbered anew in each log: a card of the next match was hidden because that of the last had its number
    ann = player("red", "Ann")
    door.happens(put_back=SOME)
    box = ann.page.locator("#putback ol.ticks input")
    box.check()
    ann.taps("Put back")  # one tap put the list away while a piece still stood elsewhere, and the match stood still
    assert ann.sees("The camera does not see it there yet. If it is there, tap again.")
    assert ann.sees("1 of 3 in place")
    ann.taps("Put back")
    assert ann.no_longer_sees("1 of 3 in place")
    door.shows(match="M-2")
    assert ann.sees("1 of 3 in place")
    expect(box).not_to_be_checked()


@pytest.mark.parametrize("mine", ["red", "blue", None])
def test_the_picture_before_is_turned_like_the_drawing(door: FakeDoor, player: Come, mine: str | None) -> None:
    ann = player(mine, "Ann")
    for camera in range(4):
        door.happens(put_back=replace(SOME, evidence=shown.from_above(camera)))
        ann.goes(f"?seat={mine}" if mine else "?watch")
        sees_before_turned_like_the_drawing(ann, mine)


def sees_before_turned_like_the_drawing(ann: Player, mine: str | None) -> None:
    ann.taps("The table as it was before")
    assert ann.sees("Turned like the drawing.")
    drawn = ann.page.locator("#putback figure.laid")
    taken = ann.page.locator("#putback .evidence .crop")
    for place, rims in ((drawn, ".stays .of-{}.v-disk"), (taken, ".role-territory .pen >> nth={}")):
        red, blue = (
            box_of(place.locator(rims.format(color if place is drawn else index)).first)
            for index, color in enumerate(("red", "blue"))
        )
        down, right = blue["y"] - red["y"], blue["x"] - red["x"]
        if mine is None:
            assert right > abs(down)
        else:
            assert (down if mine == "blue" else -down) > abs(right)
    frame, whole = box_of(taken), box_of(taken.locator("img"))
    assert whole["width"] == pytest.approx(frame["width"], abs=1)
    assert whole["height"] == pytest.approx(frame["height"], abs=1)
    ann.taps("Magnify the picture")
    red, blue = (box_of(ann.page.locator(f"dialog .role-territory .pen >> nth={i}")) for i in (0, 1))
    assert (blue["y"] > red["y"] + 20) is (mine == "blue")
    assert (red["y"] > blue["y"] + 20) is (mine == "red")


def test_a_table_that_is_not_set_up_is_told_and_play_may_begin(door: FakeDoor, player: Come) -> None:
    ann, ben, wall = player("red", "Ann"), player("blue", "Ben"), player(None, opens="board")
    door.shows(set_up=shown.set_up())
    for one in (ann, ben, wall):
        assert one.sees("The table is not set up yet")
        assert one.sees("2 blue samurai are in the valley: at the start all are outside")
        assert one.sees("The red territory is not seen")
    assert ann.hears("The table is not set up yet. 2 blue samurai are in the valley: at the start all are outside.")
    assert ann.can_tap("Both have thrown")
    ann.taps("Begin anyway")
    assert ann.no_longer_sees("The table is not set up yet")
    ann.goes("?seat=red")
    assert ann.sees("Both have thrown")
    assert ann.no_longer_sees("The table is not set up yet")
    door.shows(set_up=replace(shown.set_up(), entry=40))  # a game restarted, or the next match
    assert ann.sees("The table is not set up yet")
    door.shows(set_up=replace(shown.set_up(YES), entry=40))
    for one in (ann, ben, wall):
        assert one.sees("The table is set up")
        assert one.no_longer_sees("2 blue samurai are in the valley: at the start all are outside")
    door.shows(set_up=None)
    assert ben.no_longer_sees("The table is set up")
