"""Pages under names, colours and keys that few people have: nothing is cut off, told by colour alone, or lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, expect

from companion.game.view import Sight
from companion.match.inputs import Answer
from tests.web import shown
from tests.web.fake_door import NOW_S, FakeDoor
from tests.web.player import Player
from web.site.server import Server
from web.table.app import create_app

pytestmark = pytest.mark.browser

WIDE_NAME = "W" * 24
"""As wide as a name can be, without a place to break it."""
END_OF_WORDS = (
    "node => { const all = new Range(); all.selectNodeContents(node); return all.getBoundingClientRect().right }"
)
ODD_NAME = "בנימין \N{DRAGON} מכפר־סבא"
PAST_THE_EDGE = """box => [...box.querySelectorAll("*")].filter(n => n.checkVisibility()
    && n.getBoundingClientRect().right > box.getBoundingClientRect().right + 0.5).map(n => n.outerHTML)"""


Come = Callable[..., Player]


@pytest.mark.parametrize("width_px", [320, 360, 412])
@pytest.mark.parametrize("name", [WIDE_NAME, ODD_NAME])
def test_a_name_that_does_not_break_pushes_nothing_out_of_sight(
    door: FakeDoor, player: Come, name: str, width_px: int
) -> None:
    # the war phase and what is thrown stood past the card's edge, where it is cut
    one = player("red", name, viewport={"width": width_px, "height": 640})
    door.shows(calls=(replace(shown.call(), by=name, words="X" * 120),))
    expect(one.page.locator("#calls").get_by_text("called the referee")).to_be_visible()
    for box in one.page.locator(".emperor, #calls .card").all():
        assert box.evaluate(PAST_THE_EDGE) == []
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width_px


def test_the_address_to_join_stays_within_its_card(door: FakeDoor, browser: Browser) -> None:
    """The address ran to the edge of its card on a phone of 360 px."""
    door.shows(last=(), seats=tuple(replace(seat, name=None) for seat in door.view().seats))
    app = create_app(door, join_url="http://192.168.178.123:8000/", clock=lambda: NOW_S)
    with Server(app, "127.0.0.1", 0).running() as server:
        one = Player(browser, server.url, None, "", opens="?choose", viewport={"width": 360, "height": 740})
        assert one.sees("192.168.178.123:8000")
        right = one.page.locator("#join .url").evaluate(END_OF_WORDS)
        card = one.page.locator("#join").bounding_box()
        assert card is not None
        assert right <= card["x"] + card["width"] - 16
        one.leaves()


def test_the_keyboard_stays_on_a_button_while_the_table_is_told(door: FakeDoor, player: Come) -> None:
    one = player("red", "Ann")
    with one.page.expect_response("**/do"):
        one.button("Both have thrown").press("Enter")
    expect(one.button("Both have thrown")).to_be_enabled()
    expect(one.button("Both have thrown")).to_be_focused()


def test_the_keyboard_stays_on_an_answer_that_rests_while_the_table_is_away(door: FakeDoor, player: Come) -> None:
    one = player("red", "Ann")
    door.happens(question=shown.question())
    one.button("It only touches").focus()
    one.page.route(re.compile("/(state|events)"), lambda route: route.abort())
    one.page.evaluate("dispatchEvent(new Event('online'))")
    assert one.sees("The table does not answer")
    expect(one.button("It only touches")).to_be_disabled()
    one.page.keyboard.press("Space")
    assert one.sees("nothing can be done until the table answers")
    assert door.given[1:] == []
    one.page.unroute_all()
    one.page.evaluate("dispatchEvent(new Event('online'))")
    assert one.no_longer_sees("The table does not answer")
    expect(one.button("It only touches")).to_be_focused()
    with one.page.expect_response("**/do"):
        one.page.keyboard.press("Space")
    assert isinstance(door.given[-1], Answer)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_high_contrast_takes_no_war_phase_and_no_alarm_away(door: FakeDoor, player: Come, scheme: str) -> None:
    # all three war phases looked alike, and a blind table looked as calm as one that sees
    one = player("red", "Ann", forced_colors="active", color_scheme=scheme)

    def ground(selector: str) -> str:
        color: str = one.page.locator(selector).first.evaluate("node => getComputedStyle(node).backgroundColor")
        return color

    assert ground(".phases .now") != ground(".phases li:not(.now)")
    assert ground(".dot") != ground("header.top")
    heads = [ground(f".emperor.of-{seat} > header") for seat in ("red", "blue")]
    assert heads[0] not in (ground(".emperor"), heads[1])
    calm = ground("#sight")
    door.sight(Sight.BLIND, "too dark", "too_dark")
    assert one.sees("Blind: too dark")
    assert ground("#sight") != calm


def test_a_throw_is_not_offered_to_be_ended_while_the_table_asks(door: FakeDoor, player: Come) -> None:
    """It looked as if the throw could be ended, and who pressed was told to answer first."""
    one = player("red", "Ann")
    one.sees("Both have thrown")
    door.happens(question=shown.question())
    expect(one.button("Both have thrown")).to_be_disabled()
    door.refuses = "answer first: does it overlap?"
    with one.page.expect_response("**/do"):
        one.button("Both have thrown").click(force=True)
    assert one.sees("Answer first: does it overlap?")
    expect(one.button("Both have thrown")).to_be_disabled()
    door.happens(question=None)
    expect(one.button("Both have thrown")).to_be_enabled()


def test_after_an_answer_the_keyboard_goes_on_from_where_the_question_was(door: FakeDoor, player: Come) -> None:
    one = player("red", "Ann")
    door.happens(question=shown.question())
    one.button("It only touches").focus()
    with one.page.expect_response("**/do"):
        one.page.keyboard.press("Enter")
    door.happens(question=None)
    one.no_longer_sees("It only touches")
    one.page.keyboard.press("Tab")
    following = one.page.evaluate(
        "document.getElementById('question').compareDocumentPosition(document.activeElement)"
        " & Node.DOCUMENT_POSITION_FOLLOWING"
    )
    assert following
    assert one.page.evaluate("document.activeElement.closest('#hints, #rulings') !== null"), "the next thing told"
