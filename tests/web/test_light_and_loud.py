"""A phone's page is light; sound, vibration and their switches work; what is new comes into sight."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from companion.game.known import GAMES, game_named
from companion.match.match import Match
from companion.record.log import Log
from tests.web import shown
from tests.web.fake_door import FakeDoor
from tests.web.player import Player
from web.site.server import Server

pytestmark = pytest.mark.browser

MOST_REQUESTS, MOST_BYTES = 15, 100_000
LISTENS = """
window.heard = []; window.felt = [];
const made = AudioContext.prototype.createOscillator;
AudioContext.prototype.createOscillator = function () { window.heard.push(1); return made.call(this); };
navigator.vibrate = (ms) => { window.felt.push(ms); return true; };
"""


def comes(browser: Browser, server: Server) -> Player:
    return Player(browser, server.url, "red", "Ann", viewport={"width": 360, "height": 640})


@pytest.mark.parametrize("name", GAMES)
def test_a_phones_page_is_small_and_asks_for_little(
    name: str, door: FakeDoor, server: Server, browser: Browser, tmp_path: Path
) -> None:
    """A German phone at a board of 129 spots loaded 111 KB: only Eyes was weighed, and without the document."""
    match: Match[Any, Any] = Match(
        game_named(name), Log(tmp_path / "m.db"), wall_s=lambda: 1.0, monotonic_s=lambda: 1.0
    )
    view = match.view()
    match.close()
    door.shows(
        game=view.game, title=view.title, seats=view.seats, table=view.table, moves=view.moves, last=(shown.ruling(),)
    )
    context = browser.new_context(viewport={"width": 360, "height": 640}, locale="de-DE")
    page = context.new_page()
    cdp = context.new_cdp_session(page)
    cdp.send("Network.enable")
    sizes: list[float] = []
    asked: list[str] = []
    cdp.on("Network.requestWillBeSent", lambda event: asked.append(event["request"]["url"]))
    cdp.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))  # with its headers
    page.route("**/evidence/**", lambda route: route.abort())  # what is shown is no part of the page
    page.goto(server.url + "?watch")
    expect(page.locator("#rulings h2")).to_be_visible()
    page.wait_for_function("document.fonts.check('1em Inter')")
    own = [url for url in asked if "/evidence/" not in url and not url.startswith(("data:", "blob:"))]
    assert len(own) <= MOST_REQUESTS, own
    assert all(url.startswith(server.url) for url in own)  # it works without the internet
    assert 60_000 < sum(sizes) < MOST_BYTES
    context.close()


def test_what_changed_is_heard_and_felt_and_both_can_be_switched_off(
    door: FakeDoor, server: Server, browser: Browser
) -> None:
    ann = comes(browser, server)
    ann.page.add_init_script(LISTENS)
    ann.page.reload()
    ann.sees("Blue die A is still in")
    ann.page.locator("body").tap(position={"x": 5, "y": 300})  # the first tap unlocks the sound
    door.happens(last=(shown.ruling_of(says="red samurai 3 occupies"),))
    ann.sees("Red samurai 3 occupies")
    ann.page.wait_for_function("window.heard.length === 2 && window.felt.length === 1")
    for words in ("Switch sound off", "Switch vibration off"):
        ann.taps("More")
        ann.taps(words)
    door.happens(question=shown.question())
    ann.sees("Is red samurai 4 on the blue territory?")
    expect(ann.page.locator("body")).to_have_attribute("data-chimed", "question")
    assert ann.page.evaluate("[window.heard.length, window.felt.length]") == [2, 1]
    ann.taps("More")
    assert ann.can_tap("Switch sound on")
    ann.leaves()


def test_a_new_ruling_comes_into_sight_or_a_bar_leads_to_it(door: FakeDoor, server: Server, browser: Browser) -> None:
    ann = comes(browser, server)
    ann.sees("Blue die A is still in")
    ann.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    ann.page.locator("#history summary").click()  # somebody reads down there
    ann.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    door.happens(last=(shown.ruling_of(says="red samurai 3 occupies"),))
    ann.taps("A new ruling")
    expect(ann.page.locator("#rulings h2")).to_be_in_viewport()
    expect(ann.page.locator("#news")).to_be_hidden()
    ann.leaves()
