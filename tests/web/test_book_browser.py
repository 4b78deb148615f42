"""The book in a real browser: somebody who comes back sits down by a tap and finds who leads this year."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from companion.app.door import TableDoor
from companion.app.matches import MatchLibrary
from tests.book.evenings import BEGAN_S, play
from tests.games.playthrough import FOLDER
from tests.web import shown
from tests.web.access import assert_clean
from tests.web.fake_door import FakeDoor
from web.site.server import Server
from web.table.app import create_app
from web.table.book import book_pages
from web.table.start import start_page

pytestmark = pytest.mark.browser


def plays_three(folder: Path) -> None:
    """Three matches of one evening; the first of two wins."""
    for n, names in enumerate((("Ann", "Ben"), ("Ben", "Ann"), ("Ann", "Cem"))):
        play(folder, (FOLDER / "suspend-removal-duel.txt").read_text(), BEGAN_S + 7200.0 * n, names)


@pytest.mark.parametrize(("lang", "leads"), [("en", "Who leads this year"), ("de", "Wer dieses Jahr führt")])
def test_who_leads_this_year_is_two_taps_away(browser: Browser, tmp_path: Path, lang: str, leads: str) -> None:
    plays_three(tmp_path)
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


@pytest.mark.parametrize(("lang", "add"), [("en", "Add the play"), ("de", "Partie eintragen")])
def test_a_play_is_typed_and_others_are_imported_on_a_phone(
    browser: Browser, tmp_path: Path, lang: str, add: str
) -> None:
    door = TableDoor(tmp_path, lambda game, chosen: None)
    more = [start_page(door), book_pages(MatchLibrary(tmp_path), lambda: BEGAN_S)]
    app = create_app(door, join_url="http://192.168.4.1/", more=more)
    plays = tmp_path / "plays.csv"
    plays.write_text("date,game,player,score\n2025-01-02,Hearts,Ann,many\n2025-01-02,Hearts,Ben,3\n", encoding="utf-8")
    with Server(app, "127.0.0.1", 0).running() as server:
        page = browser.new_context(viewport={"width": 360, "height": 740}, locale=lang).new_page()

        def is_clean() -> None:
            assert_clean(page)
            assert page.evaluate("document.documentElement.scrollWidth") == 360

        page.goto(f"{server.url}book/add")
        is_clean()
        page.locator("[name=game]").fill("Uno")
        for n, (name, points) in enumerate((("Ann", "12"), ("Ben", "7"))):
            page.locator("[name=name]").nth(n).fill(name)
            page.locator("[name=points]").nth(n).fill(points)
        page.get_by_role("button", name=add).click()
        expect(page.locator("tbody tr")).to_have_text([re.compile("Ann.*12.*1 ★", re.S), re.compile("Ben.*7.*2", re.S)])
        page.goto(f"{server.url}book/exchange")
        page.locator("[name=file]").set_input_files(plays)
        page.locator("form button.primary").click()
        expect(page.locator("[role=alert] li")).to_contain_text("many")
        expect(page.locator("form.row")).to_contain_text("plays.csv")
        is_clean()
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(f"{server.url}board")  # nothing is played: the wall waits
        page.wait_for_url("**/book/evening?wall=")
        expect(page.locator("table")).to_contain_text("Ann")
        assert_clean(page)
        page.context.close()
    door.close()


def test_between_matches_the_wall_shows_the_evening(browser: Browser, tmp_path: Path) -> None:
    plays_three(tmp_path)
    pages = book_pages(MatchLibrary(tmp_path), lambda: BEGAN_S + 9000.0)
    door = FakeDoor(shown.match_view(over=shown.over()))
    app = create_app(door, join_url="http://192.168.4.1/", more=[pages])
    with Server(app, "127.0.0.1", 0).running() as server:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{server.url}board")
        won = [f"Suspend won by {name}" for name in ("Ann", "Ben", "Ann")]
        expect(page.locator("#evening li")).to_have_text(won)
        expect(page.locator("#evening")).to_contain_text("Ann: 2 of 3")
        assert_clean(page)
        door.shows(over=None)
        expect(page.locator("#evening")).to_be_hidden()
        page.close()
