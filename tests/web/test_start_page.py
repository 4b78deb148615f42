"""The start page: which game, how many, which house rules; each game begun and played by hand; and the score pad."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser, expect

import companion.app.door
from companion.app.door import TableDoor
from companion.app.matches import last_ended
from companion.book.play import play_of
from companion.game.known import GAMES
from companion.match.inputs import Act, Undo
from companion.record.entry import MatchBegan
from companion.record.log import read_log
from tests.web.access import assert_clean
from tests.web.player import Player
from web.site.server import Server
from web.table.app import create_app
from web.table.start import start_page

OWN = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
PHONE = {"viewport": {"width": 360, "height": 740}}


@pytest.fixture
def door(tmp_path: Path) -> Iterator[TableDoor]:
    made = TableDoor(tmp_path, lambda game, chosen: None)
    yield made
    made.close()


@pytest.fixture
def client(door: TableDoor) -> FlaskClient:
    return create_app(door, join_url="http://localhost/", more=[start_page(door)]).test_client()


def begins(client: FlaskClient, game: str, **more: object) -> Any:
    return client.post("/start", data={"game": game, **more}, headers=OWN)


def test_what_cannot_be_begun_is_refused_in_german(client: FlaskClient, door: TableDoor) -> None:
    """Mode two is not for 4 players, said a German page."""
    for game, players, option, says in (
        ("basic_manipulation", "4", "mode=two", "Zwei Spieler, je zwei Farben: dafür braucht es 2, nicht 4"),
        ("center_point", "3", "colors=rg", "Rot und Grün: erwartet so viele Farben, wie mitspielen, also 3"),
        ("eyes_of_the_emperor", "2", "cocked_deg=x", "X ist keine Neigung, erwartet werden 0 bis 45 Grad"),
        ("suspend", "2", "first_player=D", "D kann nicht anfangen: es spielen A und B"),
        ("suspend", "2", "notches.red=", "Kerben von Rot: erwartet 1 bis 100, nicht -"),
    ):
        key, _, value = option.partition("=")
        data = {"game": game, "players": players, key: value}
        answer = client.post("/start", data=data, headers={**OWN, "Accept-Language": "de"})
        assert answer.status_code == 409
        assert f'role="alert">{says}</p>' in answer.text
    for data, says in (({"game": "chess"}, "Choose one of the games"), ({"game": "suspend", "players": "7"}, "7")):
        answer = client.post("/start", data=data, headers=OWN)
        assert answer.status_code in (400, 409)
        assert says in answer.text
    assert door.playing is None


def test_while_nothing_is_played_every_page_leads_to_the_start_page(client: FlaskClient) -> None:
    for path in ("/", "/?seat=red", "/board", "/join"):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["Location"]) == (302, "/start")
    assert client.get("/state").get_json()["error"]["code"] == "no_match"
    page = client.get("/start").get_data(as_text=True)
    assert page.count('name="game" value=') == len(GAMES)


def test_only_the_numbers_that_are_offered_are_told_and_house_rules_in_the_page_s_words(client: FlaskClient) -> None:
    """Basic Manipulation said: 2 to 4 players. A German page said "orange 7"."""
    page = client.get("/start").text
    assert "2 or 4 players" in page
    assert '<option value="rygb" selected>by the number of players</option>' in page  # colours of four, of two too
    german = client.get("/start", headers={"Accept-Language": "de"}).text
    assert "2 oder 4 Spieler" in german
    assert 'Orange<input name="notches.orange" value="7"' in german
    assert "orange 7" not in german
    assert re.search(r'name="first_player".*?value="D".*?</select>', german)
    assert re.search(r'name="first_dealer".*?value="E".*?</select>', german)


def test_players_and_house_rules_are_entered_in_the_log(client: FlaskClient, door: TableDoor, tmp_path: Path) -> None:
    """Who counted other notches in the box could not say so on a page."""
    begins(client, "suspend", players="2", mode="expert", **{"notches.red": "8"})
    assert len(door.view().seats) == 2
    rules = {"mode": "expert", "notches": "orange:7,red:8,yellow:5,green:5,blue:4,black:3"}
    assert read_log(next(tmp_path.glob("*.db")))[0].body == MatchBegan("suspend", rules, 2)


def test_a_match_that_is_going_on_is_ended_only_on_purpose(
    client: FlaskClient, door: TableDoor, tmp_path: Path
) -> None:
    begins(client, "center_point", players="2")
    seat = door.view().seats[0].seat
    assert door.submit(Act(seat=seat, move="r d3", by="Ann")).entry
    refused = begins(client, "basic_manipulation")
    assert refused.status_code == 409
    page = refused.get_data(as_text=True)
    assert "End the current match?" in page  # it was refused, and a box had to be found and ticked
    assert "The score now:" in page
    assert '<input type="hidden" name="game" value="basic_manipulation">' in page
    assert f'name="give_up" value="{door.match.name}"' in page
    assert door.view().game == "center_point"
    begins(client, "basic_manipulation", give_up=door.match.name)
    assert door.view().game == "basic_manipulation"
    assert read_log(tmp_path / "center_point-0001.db")[-1].kind == "given_up"


def test_a_match_in_which_nothing_has_happened_is_ended_without_a_question(
    client: FlaskClient, door: TableDoor
) -> None:
    """The demo begins with a match: whoever chose another game was asked whether to end it, at 0 to 0."""
    begins(client, "center_point", players="2")
    drawn = re.search(r'name="untouched" value="([^"]+)"', client.get("/start").get_data(as_text=True))
    assert drawn is not None
    assert begins(client, "suspend", players="2", untouched=drawn[1]).status_code == 302
    assert begins(client, "center_point", untouched=drawn[1]).status_code == 409  # drawn before another page began one
    again = door.match.name
    assert door.submit(Act(seat="A", move="A rolls red", by="Ann")).entry
    assert begins(client, "center_point", untouched=again).status_code == 409


def test_logs_are_looked_into_once_a_match_and_not_for_each_page(
    client: FlaskClient, door: TableDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each view of the start page folded ten logs."""
    looked = []

    def noted(folder: Path, but_for: str | None) -> Path | None:
        looked.append(but_for)
        return last_ended(folder, but_for)

    monkeypatch.setattr(companion.app.door, "last_ended", noted)
    for _ in range(3):
        assert "/match.pdf" not in client.get("/start").text
    assert looked == [None]
    begins(client, "suspend", players="1", mode="solo")
    name = door.match.name
    assert door.submit(Act(seat="A", move="stop", by="Ann")).entry
    for _ in range(3):
        assert "/match.pdf" in client.get("/start").text
    assert looked == [None]
    assert door.submit(Undo(entry=door.view("A").undo.entry, by="Ann")).entry  # type: ignore[union-attr]
    assert "/match.pdf" not in client.get("/start").text
    assert door.submit(Act(seat="A", move="stop", by="Ann")).entry
    begins(client, "center_point", players="2")
    for _ in range(3):
        assert "/match.pdf" in client.get("/start").text
    assert len(looked) == 3  # once for the solo match, once for this one
    before = door.before()
    assert before[0].match == name


# ---- the score pad


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


def test_a_preset_that_was_made_on_a_phone_is_kept(client: FlaskClient, door: TableDoor, tmp_path: Path) -> None:
    told = {"called": 'Ludo "Ö"', "wins": "lowest", "teams": "3"}
    assert begins(client, "score_pad", players="12", **told).status_code == 302
    assert begins(client, "suspend", give_up=door.view().match).status_code == 302
    door.match.give_up("a test", None)
    (tmp_path / "presets" / "score_pad" / "broken.toml").write_text("called = ", encoding="utf-8")
    assert door.kept("score_pad") == {'Ludo "Ö"': (12, told)}
    assert begins(client, "score_pad", kept='Ludo "Ö"', give_up=door.view().match).status_code == 302
    assert len(door.view().seats) == 12
    entries = read_log(max(tmp_path.glob("score_pad-*.db")))
    assert entries[0].body.options["wins"] == "lowest"
    found = play_of("score_pad-0002", entries)
    assert found is not None
    assert (found.title, len(found.seats)) == ('Ludo "Ö"', 12)
