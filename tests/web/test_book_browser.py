"""The book in a real browser: somebody who comes back sits down by a tap and finds who leads this year."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from companion.app.door import TableDoor
from companion.app.matches import MatchLibrary
from tests.book.evenings import BEGAN_S, play
from tests.games.playthrough import FOLDER
from tests.web.access import assert_clean
from web.site.server import Server
from web.table.app import create_app
from web.table.book import book_pages
from web.table.start import start_page

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("lang", "leads"), [("en", "Who leads this year"), ("de", "Wer dieses Jahr führt")])
def test_who_leads_this_year_is_two_taps_away(browser: Browser, tmp_path: Path, lang: str, leads: str) -> None:
    for n, (first, last) in enumerate((("Ann", "Ben"), ("Ben", "Ann"), ("Ann", "Cem"))):
        play(tmp_path, (FOLDER / "suspend-removal-duel.txt").read_text(), BEGAN_S + 7200.0 * n, (first, last))
    door = TableDoor(tmp_path, lambda game, chosen: None)
    more = [start_page(door), book_pages(MatchLibrary(tmp_path), lambda: BEGAN_S + 9000.0)]
    app = create_app(door, join_url="http://192.168.4.1/", more=more)
    with Server(app, "127.0.0.1", 0).running() as server:
        context = browser.new_context(viewport={"width": 360, "height": 740}, locale=lang)
        page = context.new_page()
        page.goto(server.url)
        page.locator("a[href='/book']").click()
        expect(page.get_by_role("heading", name=leads)).to_be_visible()
        expect(page.locator("table .person").first).to_have_text("Ann")
        assert_clean(page)
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        page.locator("table .person").first.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Ann")
        assert_clean(page)
        door.begin("center_point", 2, {}, by="a test")
        page.goto(f"{server.url}?choose")
        page.locator("#choose .pills button", has_text="Ben").click()
        expect(page.locator("#name")).to_have_value("Ben")
        page.locator("#choose .seat-button").first.click()
        expect(page.locator("#sight")).to_contain_text("Ben")
        context.close()
    door.close()
