"""Players with phones: what they see, hear and can do. Driven by a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from companion.game.values import InPlace
from companion.game.view import Sight
from companion.match.inputs import BeginAnew, CallOff, CallReferee, Correct
from tests.web import shown
from tests.web.access import axe
from tests.web.fake_door import FakeDoor
from tests.web.player import Player

pytestmark = pytest.mark.browser

Come = Callable[..., Player]


# ---- rulings and questions


def test_two_phones_and_the_scoreboard_see_the_same_ruling_and_blindness_is_loud(door: FakeDoor, player: Come) -> None:
    door.shows(last=())
    ann, ben, wall = player("red", "Ann"), player("blue", "Ben"), player(None, opens="board")
    door.happens(last=(shown.ruling(),))
    for one in (ann, ben, wall):
        assert one.sees("Blue die A is still in: it overlaps the blue territory")
        assert one.sees("1.2 mm inside")
        assert one.sees("± 0.2 mm")
        expect(one.page.locator(".evidence .crop polygon.pen")).to_have_count(2)
    assert ann.hears("Ruling: Blue die A is still in")
    door.sight(Sight.BLIND, "the picture is too dark: switch on a light", "too_dark")
    assert ann.sees("Blind: too dark")
    for one in (ann, wall):
        expect(one.page.locator("#alarmed")).to_contain_text("Blind: the picture is too dark")
    ann.taps("Read Instructions 9")
    assert ann.sees("A die that only touches the territory, or is apart from it, is out.")
    ann.taps("Close")
    ann.taps("Deutsch")
    assert ann.sees("1,2 mm")
    assert ann.sees("§ Anleitung 9")


def test_a_phone_that_wakes_on_a_dead_network_shows_nothing_old_as_present(door: FakeDoor, player: Come) -> None:
    # for six seconds it said "Live" over what the table had seen before the phone slept, and its buttons worked
    ann = player("red", "Ann")
    ann.page.route(re.compile("/(state|events)"), lambda route: None)  # no answer, as when a network is gone
    ann.page.clock.install()
    ann.page.clock.set_system_time(datetime.now(UTC) + timedelta(hours=1))  # asleep: the steady clock stood still
    ann.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    # a busy machine may look only after the second and a half in which it tries
    expect(ann.page.locator("#sight")).to_have_attribute("data-state", re.compile("^(waking|lost)$"))
    assert ann.no_longer_sees("The table sees")
    assert ann.sees("This view is out of date.")
    assert not ann.can_tap("Both have thrown")
    ann.page.clock.run_for(1600)
    assert ann.sees("The table does not answer")
    assert ann.hears("Not connected: This view is out of date.")
    ann.page.unroute_all()
    ann.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert ann.sees("The table sees")
    assert ann.can_tap("Both have thrown")


# ---- doing


YES, NO, UNSEEN = InPlace.YES, InPlace.NO, InPlace.UNSEEN
MISSED = "blue samurai 2: it is not seen there"
SOME = shown.seen_back(YES, NO, UNSEEN, whole=NO, says="1 of 3 in place", others=(MISSED,))


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
    for row, boxes in enumerate((0, 0, 1)):  # what no camera tells people tick off themselves
        expect(rows.nth(row).locator("input")).to_have_count(boxes)
    for one in (ann, wall):
        assert one.sees("1 of 3 in place")
        assert one.sees("Blue samurai 2: it is not seen there")
    door.shows(put_back=shown.seen_back(YES, YES, YES, whole=YES, says="everything is in its place"))
    assert ann.hears("Everything is in its place")
    for one in (ann, wall):
        assert one.sees("Everything is in its place")
        assert one.no_longer_sees("Now put back:")


@pytest.mark.journey
def test_a_fact_is_corrected_by_pointing_at_the_piece(door: FakeDoor, player: Come) -> None:
    ann = player("red", "Ann", viewport={"width": 360, "height": 740})
    ann.taps("More")
    ann.taps("Correct a fact")
    table = ann.page.get_by_role("img", name="The table from above: tap the piece")
    expect(table.locator("image")).to_have_count(2)
    box = table.locator(".outline[data-piece='blue:A']").bounding_box()
    assert box is not None
    ann.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    chosen = ann.page.get_by_label("Tap the piece, or choose it").locator("option:checked")
    assert chosen.inner_text() == "Blue die A"
    assert ann.page.locator("fieldset legend").all_inner_texts() == [
        "Does blue die A overlap its territory?",
        "Is the eye of blue die A facing up?",
    ]
    assert ann.sees("Now it counts as: overlaps")
    ann.page.get_by_label("Faces up", exact=True).check()
    ann.types("Your name", "Rita")
    ann.types("Reason", "seen from above")
    assert axe(ann.page) == []
    assert not any(isinstance(given, Correct) for given in door.given)
    ann.taps("Correct it")
    assert ann.has_left_the_sheet()
    assert door.given[-1] == Correct(
        seat="red", entry=31, fact="up:blue:A", value="up", by="Rita (at red)", reason="seen from above"
    )


def test_the_referee_is_called_on_every_phone(door: FakeDoor, player: Come) -> None:
    ann, ben = player("red", "Ann"), player("blue", "Ben")
    ann.taps("More")
    ann.taps("Call the referee")
    ann.types("Subject (optional)", "a ninja fell off")
    ann.taps("Call now")
    ann.no_longer_sees("Call now")
    assert door.given[-1] == CallReferee(seat="red", by="Ann", words="a ninja fell off")
    door.shows(calls=(shown.call(),))
    for one in (ann, ben):
        assert one.sees("Ben called the referee")
        assert one.can_tap("The referee has come")
    assert not ann.can_tap("Take the call back")
    ben.does("Take the call back")
    assert door.given[-1] == CallOff(seat="blue", entry=33, by="Ben")


def test_a_player_ends_a_match_and_begins_the_next_and_a_watcher_cannot(door: FakeDoor, player: Come) -> None:
    ann, eve = player("red", "Ann"), player(None)
    ann.taps("More")
    ann.taps("End this match")
    assert ann.sees("The match is not over. It stays saved, but you cannot play on later.")
    ann.taps("Play on")
    assert ann.no_longer_sees("you cannot play on later")
    assert not any(isinstance(given, BeginAnew) for given in door.given)
    ann.taps("More")
    ann.taps("End this match")
    ann.taps("Yes, end it")
    assert ann.no_longer_sees("you cannot play on later")
    assert door.given[-1] == BeginAnew(match=door.view().match, by="Ann", is_given_up=True, seat="red")
    door.happens(over=shown.over())
    assert eve.sees("The match is over")
    assert not eve.page.get_by_role("button", name="Next match").is_visible()
    ann.taps("Next match")
    assert ann.sees("Everybody keeps their seat")
    ann.taps("Begin")
    assert ann.no_longer_sees("Everybody keeps their seat")
    assert door.given[-1] == BeginAnew(match=door.view().match, by="Ann", seat="red")


# ---- for everybody


@pytest.mark.journey
def test_axe_finds_nothing_wrong_by_day_and_night(door: FakeDoor, player: Come) -> None:
    ann, wall = player("red", "Ann"), player(None, opens="board")
    door.shows(question=shown.question(), calls=(shown.call(),), last=(shown.ruling(),) * 3)
    for one in (ann, wall):
        assert one.sees("Too close")
        one.page.emulate_media(color_scheme="dark" if one is ann else "light", reduced_motion="reduce")
        assert axe(one.page) == []
