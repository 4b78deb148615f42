"""Pages for people who set their browser's letters to twice the size: all is there, and nothing is cut off."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from companion.game.says import Says
from companion.game.view import Sight
from tests.web import shown
from tests.web.fake_door import FakeDoor
from tests.web.player import Player
from tests.web.test_pages import box_of

pytestmark = pytest.mark.browser

SMALL = {"width": 360, "height": 640}
LARGE_PX = 32
OVERFLOWING = """nodes => nodes.filter(n => n.checkVisibility() && n.clientWidth > 0
    && (n.scrollWidth > n.clientWidth + 1 || n.scrollHeight > n.clientHeight + 2)).map(n => n.outerHTML)"""

Come = Callable[..., Player]


def with_letters(page: Page, px: int) -> None:
    """Sets the size of letters in this browser's settings."""
    session = page.context.new_cdp_session(page)
    session.send("Page.enable")
    session.send("Page.setFontSizes", {"fontSizes": {"standard": px, "fixed": px}})
    expect(page.locator("html")).to_have_css("font-size", f"{px * 1.125:g}px")


def cut_off(one: Player, selector: str) -> list[str]:
    """What of these shows less than it holds."""
    return one.page.locator(selector).evaluate_all(OVERFLOWING)


@pytest.fixture
def ann(door: FakeDoor, player: Come) -> Player:
    one = player("red", "Annemarie", viewport=SMALL)
    with_letters(one.page, LARGE_PX)
    return one


def test_both_emperors_are_seen_whole(door: FakeDoor, ann: Player) -> None:
    assert ann.sees("throws a")
    assert cut_off(ann, ".emperor, .emperor *:not(.unseen)") == []
    assert ann.page.evaluate("document.documentElement.scrollWidth") <= SMALL["width"]


def test_the_buttons_at_the_thumb_hold_german_words_too(player: Come) -> None:
    """Zurücknehmen, which has no place of its own to break at, stood out over its button on both sides."""
    one = player("red", "Ann", viewport=SMALL, locale="de-DE")
    expect(one.page.locator(".action", has_text="Zurück\u00adnehmen")).to_be_visible()
    assert cut_off(one, ".action, .action *") == []
    for box in map(box_of, one.page.locator(".action").all()):
        assert box["x"] + box["width"] <= SMALL["width"]


def test_the_buttons_at_the_thumb_hold_their_words(door: FakeDoor, ann: Player) -> None:
    for waiting in (None, Says("waiting for the hand to leave")):
        door.shows(waiting=waiting)
        ann.sees("leave" if waiting else "Throw is over")
        assert cut_off(ann, ".action, .action *") == []
        for box in map(box_of, ann.page.locator(".action").all()):
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= SMALL["width"]


@pytest.mark.parametrize("code", ["no_picture", "no_fiducials", "not_calibrated", "frozen", "settling", "sways"])
def test_the_strip_says_in_full_why_it_is_blind_and_what_to_do(door: FakeDoor, ann: Player, code: str) -> None:
    door.sight(Sight.BLIND, "the camera sees nothing", code)
    ann.sees("No ruling.")
    assert cut_off(ann, "#sight, #sight .head, #sight .advice") == []


def test_the_strip_says_that_the_lens_is_to_be_wiped(door: FakeDoor, ann: Player) -> None:
    door.sight(Sight.SEES, "2 of the pieces look too blurred to be sure: wipe the lens, or focus it", "soft")
    ann.sees("Not sharp: wipe the lens.")
    ann.sees("The table sees")
    assert cut_off(ann, "#sight, #sight .head, #sight .advice") == []


def test_answers_do_not_cover_what_is_asked(door: FakeDoor, ann: Player) -> None:
    door.happens(question=shown.question())
    ann.sees("Too close to call")
    figure, answers, crop, magnify = (
        box_of(ann.page.locator(f"#question {css}")) for css in ("figure", ".answers", ".crop", ".magnify")
    )
    assert answers["y"] >= figure["y"] + figure["height"]
    assert magnify["width"] * magnify["height"] < crop["width"] * crop["height"] / 4


def test_a_wall_on_a_phone_says_in_full_why_it_is_blind(door: FakeDoor, ann: Player) -> None:
    door.sight(Sight.BLIND, "none of the fiducials 0, 1, 2, 3 is seen: lay them out and uncover them", "no_fiducials")
    ann.goes("board")
    ann.sees("None of the fiducials")
    assert cut_off(ann, "#sight, #sight .head, #sight .advice") == []
    assert ann.page.evaluate("document.documentElement.scrollWidth") <= SMALL["width"]


def test_a_close_call_of_two_answers_and_the_end_fit(door: FakeDoor, player: Come) -> None:
    """Of a pair of answers the second stood off a phone of 412 px, and 'Gewonnen!' was broken in two."""
    ann = player("red", "Annemarie", viewport={"width": 412, "height": 915})
    with_letters(ann.page, LARGE_PX)
    door.happens(question=shown.question())
    ann.sees("Too close to call")
    assert ann.page.evaluate("document.documentElement.scrollWidth") <= 412
    ann.page.set_viewport_size(SMALL)
    door.happens(question=None, over=shown.over())
    ann.sees("You won")
    assert ann.page.evaluate("document.documentElement.scrollWidth") <= SMALL["width"]
    box = box_of(ann.page.locator(".won strong"))
    assert box["width"] <= SMALL["width"]


WIDER = """() => [document.documentElement, ...document.querySelectorAll('dialog, .sheet-body')]
    .filter(n => n.checkVisibility() && n.scrollWidth > n.clientWidth).map(n => n.outerHTML.slice(0, 300))"""


def test_no_sheet_scrolls_sideways_in_german(door: FakeDoor, ann: Player) -> None:
    """'Schiedsrichter rufen' and 'Stimmt nicht? Korrigieren' were wider than the phone."""
    ann.taps("Deutsch")
    ann.sees("Mehr")
    for row in ("Schiedsrichter rufen", "Etwas korrigieren", None):
        ann.taps("Mehr")
        assert ann.page.evaluate(WIDER) == []
        if row:
            ann.taps(row)
            assert ann.page.evaluate(WIDER) == []
            ann.page.keyboard.press("Escape")
        ann.page.keyboard.press("Escape")
        ann.has_left_the_sheet()
