"""The score pad as people use it: a game of their own from the start page, written on phones, shown on the wall."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser, expect

from companion.app.door import TableDoor
from companion.book.play import play_of
from companion.record.log import read_log
from tests.web.access import assert_clean
from tests.web.player import Player
from web.site.server import Server
from web.table.app import create_app
from web.table.start import start_page

PHONE = {"viewport": {"width": 360, "height": 740}}
OWN = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def door(tmp_path: Path) -> Iterator[TableDoor]:
    made = TableDoor(tmp_path, lambda game, chosen: None)
    yield made
    made.close()


def writes(phone: Player, side: str, number: str) -> None:
    """Taps a side and the keys of a number."""
    phone.page.locator(".pad-side", has_text=side).click()
    for key in number:
        phone.page.locator(".pad-keys button", has_text=key).first.click()
    phone.does("Write it down" if phone.page.locator("html").get_attribute("lang") == "en" else "Aufschreiben")
    phone.has_left_the_sheet()


@pytest.mark.journey
@pytest.mark.browser
def test_a_game_of_ones_own_is_kept_score_of_on_two_phones_and_shown_on_the_wall(
    door: TableDoor, browser: Browser
) -> None:
    app = create_app(door, join_url="http://192.168.4.1/", more=[start_page(door)])
    with Server(app, "127.0.0.1", 0).running() as server:
        page = browser.new_context(locale="en-GB", **PHONE).new_page()
        page.goto(f"{server.url}start")
        form = page.locator("li.card", has_text="Score pad")
        form.locator("summary").first.click()
        form.get_by_label("What is the game called?").fill("Boules")
        kind, wins = form.get_by_label("What kind of game is it?"), form.get_by_label("Who wins?")
        assert wins.locator("option:not([hidden])").all_inner_texts() == ["the most points", "the fewest points"]
        form.get_by_text("House rules").click()
        goal = form.get_by_label("How many points end it?")
        kind.select_option("suspend")
        assert wins.locator("option:checked").inner_text() == "the fewest points"
        expect(goal).to_have_attribute("placeholder", "20")
        kind.select_option("rounds")
        goal.fill("13")
        form.get_by_role("button", name="Play Boules").click()
        page.wait_for_url("**/?choose#told")
        expect(page.locator("#join .qr")).to_be_visible()
        ann = Player(browser, server.url, "A", "Ann", **PHONE)
        tom = Player(browser, server.url, "B", "Tom", **{**PHONE, "locale": "de-DE"})
        assert ann.sees("Boules")
        expect(ann.page.locator("#join")).to_be_hidden()  # both have sat down
        writes(ann, "Ann", "12")
        writes(ann, "Tom", "3")
        assert tom.sees("bis 13")
        tom.taps("Zurück")
        tom.does("Zurücknehmen")
        writes(tom, "Tom", "4")
        assert_clean(ann.page)
        assert_clean(tom.page)
        writes(tom, "Tom", "5")
        writes(ann, "Ann", "1")
        assert ann.sees("You won")
        assert tom.sees("Ann gewinnt")
        expect(tom.page.locator("#over .rule")).to_have_text("§ Ende 1")  # though the match is called Boules
        expect(ann.page.locator(".stood strong")).to_have_text(["Ann", "Tom"])
        ann.goes("board")
        ann.taps("Back to the table")
        ann.page.wait_for_url("**/?seat=A")
        wall = Player(browser, server.url, None, "", opens="board", viewport={"width": 1280, "height": 720})
        assert wall.sees("Boules")
        expect(wall.page.locator(".pad-side b").first).to_have_text("13")
        assert_clean(wall.page)
        page.goto(f"{server.url}start")
        page.get_by_role("button", name="Boules").click()
        page.wait_for_url("**/?choose#told")
        assert door.view().title == "Boules"
        assert door.view().over is None
        for phone in (ann, tom, wall):
            phone.leaves()
        page.context.close()


def test_there_is_a_seat_for_everybody_who_is_named(door: TableDoor) -> None:
    client: FlaskClient = create_app(door, join_url="http://localhost/", more=[start_page(door)]).test_client()

    def begins(**told: object) -> tuple[int, list[str | None]]:
        match = {} if door.playing is None else {"give_up": door.view().match}
        status = client.post("/start", data={"game": "score_pad", **match, **told}, headers=OWN).status_code
        return status, [seat.name for seat in door.view().seats]

    three = ["Ann", "Ben", "Cem"]
    assert begins(players="2", called="Uno", people=["Ann", "Ben"], new_people=" Cem, ann,") == (302, three)
    assert begins(players="4", new_people="Dana") == (302, ["Dana", None, None, None])
    assert begins(kept="Uno", people=["Ben", "Ann"]) == (302, ["Ben", "Ann"])
    assert begins(new_people="referee", players="2") == (409, ["Ben", "Ann"])
    assert begins(new_people=",".join("abcdefghijklm"), players="2") == (409, ["Ben", "Ann"])


def test_a_preset_that_was_made_on_a_phone_is_kept(door: TableDoor, tmp_path: Path) -> None:
    client: FlaskClient = create_app(door, join_url="http://localhost/", more=[start_page(door)]).test_client()
    data = {"game": "score_pad", "players": "12", "called": 'Ludo "Ö"', "wins": "lowest", "teams": "3"}
    assert client.post("/start", data=data, headers=OWN).status_code == 302
    assert client.post("/start", data={"game": "suspend", "give_up": door.view().match}, headers=OWN).status_code == 302
    door.match.give_up("a test", None)
    (tmp_path / "presets" / "score_pad" / "broken.toml").write_text("called = ", encoding="utf-8")
    assert door.kept("score_pad") == {
        'Ludo "Ö"': (12, {"called": 'Ludo "Ö"', "wins": "lowest", "teams": "3"}),
    }
    begun = {"game": "score_pad", "kept": 'Ludo "Ö"', "give_up": door.view().match}
    assert client.post("/start", data=begun, headers=OWN).status_code == 302
    assert len(door.view().seats) == 12
    entries = read_log(max(tmp_path.glob("score_pad-*.db")))
    assert entries[0].body.options["wins"] == "lowest"
    play = play_of("score_pad-0002", entries)
    assert play is not None
    assert (play.title, len(play.seats)) == ('Ludo "Ö"', 12)
