"""The book in a real browser: somebody who comes back sits down by a tap and finds who leads this year."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

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


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[TableDoor, str]]:
    """A table with its book, in which three matches of one evening stand; the first of two wins."""
    for n, names in enumerate((("Ann", "Ben"), ("Ben", "Ann"), ("Ann", "Cem"))):
        play(tmp_path, (FOLDER / "suspend-removal-duel.txt").read_text(), BEGAN_S + 7200.0 * n, names)
    door = TableDoor(tmp_path, lambda game, chosen: None)
    more = [start_page(door), book_pages(MatchLibrary(tmp_path), lambda: BEGAN_S + 9000.0)]
    app = create_app(door, join_url="http://192.168.4.1/", more=more)
    with Server(app, "127.0.0.1", 0).running() as server:
        yield door, server.url
    door.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 360, "height": 740}, locale="en-GB")
    yield context.new_page()
    context.close()


def test_who_leads_this_year_is_two_taps_away(page: Page, served: tuple[TableDoor, str]) -> None:
    door, url = served
    page.goto(url)
    page.locator("a[href='/book']").click()
    expect(page.get_by_role("heading", name="This year")).to_be_visible()
    expect(page.locator("table .person").first).to_have_text("Ann")
    assert_clean(page)
    page.locator("table .person").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ann")
    assert_clean(page)
    door.begin("center_point", 2, {}, by="a test")
    page.goto(f"{url}?choose")
    page.locator("#choose .pills button", has_text="Ben").click()
    expect(page.locator("#name")).to_have_value("Ben")
    page.locator("#choose .seat-button").first.click()
    expect(page.locator("#sight")).to_contain_text("Ben")


def test_a_play_is_typed_others_are_imported_and_the_wall_shows_the_evening(
    page: Page, served: tuple[TableDoor, str], tmp_path: Path
) -> None:
    plays = tmp_path / "plays.csv"
    plays.write_text("date,game,player,score\n2025-01-02,Hearts,Ann,many\n2025-01-02,Hearts,Ben,3\n", encoding="utf-8")
    page.goto(f"{served[1]}book/add")
    assert_clean(page)
    page.locator("[name=game]").fill("Uno")
    for n, (name, points) in enumerate((("Ann", "12"), ("Ben", "7"))):
        page.locator("[name=name]").nth(n).fill(name)
        page.locator("[name=points]").nth(n).fill(points)
    page.get_by_role("button", name="Add").click()
    expect(page.locator("tbody tr")).to_have_text([re.compile("Ann.*12.*1 ★", re.S), re.compile("Ben.*7.*2", re.S)])
    page.goto(f"{served[1]}book/exchange")
    page.locator("[name=file]").set_input_files(plays)
    page.locator("form button.primary").click()
    expect(page.locator("[role=alert] li")).to_contain_text("many")
    expect(page.locator("form.row")).to_contain_text("plays.csv")
    assert_clean(page)
    page.goto(f"{served[1]}board")  # nothing is played: the wall waits
    page.wait_for_url("**/book/evening?wall=")
    expect(page.locator("table")).to_contain_text("Ann")
