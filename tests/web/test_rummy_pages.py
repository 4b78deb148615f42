"""A short match of Manipulation Rummy by two phones, without a camera: hands told, cards laid, a round counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from companion.game.known import game_named
from companion.match.match import Match
from companion.record.log import Log
from tests.web.access import assert_clean
from tests.web.player import Player
from web.site.server import Server
from web.table.app import create_app
from web.table.hand import hand_reader

pytestmark = pytest.mark.browser

ANN = ["4S", "4D", "4H", "9C", "9D", "9H", "KC", "KD", "KS", "AH"]
BOB = ["3C", "5C", "6C", "8C", "10C", "JC", "QC", "3D", "5D", "8D"]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Server]:
    yield from served(tmp_path, iter(range(10**9)))


def served(tmp_path: Path, seconds: Iterator[int], *, has_eyes: bool = False, **more: Any) -> Iterator[Server]:
    match: Match[Any, Any] = Match(
        game_named("manipulation_rummy"),
        Log(tmp_path / "rummy-1.db"),
        wall_s=lambda: float(next(seconds)),
        monotonic_s=lambda: float(next(seconds)),
        players=2,
        options={"first_dealer": "B"},
        has_eyes=has_eyes,
    )
    app = create_app(match, join_url="http://192.168.4.1:8080/", more=[hand_reader(lambda photograph: ANN)], **more)
    with Server(app, "127.0.0.1", 0).running() as running:
        yield running
    match.close()


def pick(page: Page, cards: list[str]) -> None:
    for card in cards:
        page.locator(f"dialog [data-key='{card}']").click()


def tells(page: Page, cards: list[str]) -> None:
    page.locator("[data-key=tell]").click()
    pick(page, cards)
    page.locator("dialog [data-key=done]").click()


def lays_three_melds(page: Page) -> None:
    """The first nine cards of Ann's hand."""
    page.locator("[data-key=lay]").click()
    for at in range(0, 9, 3):
        for card in ANN[at : at + 3]:
            suit = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}[card[-1]]
            page.locator(f"dialog .playing[aria-label='{card[:-1]} {suit}']").click()
        page.locator("dialog [data-key=new]").click()
    page.locator("dialog [data-key=done]").click()
    expect(page.locator("dialog")).to_have_count(0)


def shows_hand(player: Player, cards: list[str]) -> None:
    player.page.locator("[data-key=show]").click()
    pressed = player.page.locator("dialog .pick[aria-pressed=true]")
    if pressed.count() != len(cards):
        pick(player.page, cards)
    player.page.locator("dialog [data-key=done]").click()
    expect(player.page.locator("dialog")).to_have_count(0)


@pytest.mark.journey
def test_two_phones_play_a_round(table: Server, player: Callable[..., Player], tmp_path: Path) -> None:
    ann = player("A", "Ann", at=table.url, viewport={"width": 360, "height": 740})
    bob = player("B", "Bob", at=table.url, viewport={"width": 360, "height": 740})
    page = ann.page
    tells(page, ANN)
    expect(page.locator("#game .own-hand .playing")).to_have_count(10)
    page.locator("[data-key=cover]").click()
    expect(page.locator("#game .playing.is-back")).to_have_count(10)
    assert "K" not in page.locator("#game .own-hand .fan").inner_text()
    page.locator("[data-key=cover]").click()
    page.locator("#actions [data-key=end]").click()  # the big button draws: nothing else comes next
    expect(page.locator("#hints")).to_contain_text("Tell the referee your 11 cards")
    tells(page, ["2C"])
    expect(page.locator("#hints")).to_contain_text("lay")  # the best play, step by step
    lays_three_melds(page)
    expect(bob.page.locator(".melds li")).to_have_count(3)
    assert "your hand" in bob.page.locator("#game").inner_text().lower()
    expect(bob.page.locator("#game .own-hand .fan")).to_have_count(0)  # neither his, nor Ann's
    page.locator("[data-key='move A knocks']").click()
    expect(page.locator(".race-turn")).to_contain_text("Lay your hand face up")
    expect(bob.page.locator(".race-turn")).to_contain_text("Ann lays the hand face up")
    expect(bob.page.locator("[data-key=show]")).to_have_count(0)  # one after the other
    shows_hand(ann, ["AH", "2C"])
    shows_hand(bob, BOB)
    expect(page.locator(".rummy-scores")).to_contain_text("65 of 150")
    assert_clean(page)


def test_a_photograph_fills_the_hand(table: Server, player: Callable[..., Player], tmp_path: Path) -> None:
    ann = player("A", "Ann", at=table.url, viewport={"width": 360, "height": 740})
    ann.page.locator("[data-key=tell]").click()
    photograph = tmp_path / "hand.jpg"
    photograph.write_bytes(b"\xff\xd8 a picture of ten cards")
    ann.page.locator("#hand-photo").set_input_files(photograph)
    expect(ann.page.locator("dialog .pick[aria-pressed=true]")).to_have_count(10)
    assert ann.page.evaluate("fetch('/hand?seat=B', {method: 'POST', body: 'x'}).then((r) => r.status)") == 403


def test_a_knock_whose_hand_is_too_high_is_taken_back_on_the_phone(
    table: Server, player: Callable[..., Player]
) -> None:
    """ "Show it" was refused for ever, with a letter instead of a name, and nothing else was offered."""
    ann = player("A", "Ann", at=table.url, viewport={"width": 360, "height": 740})
    page = ann.page
    tells(page, [*ANN[:-1], "QH"])
    page.locator("#actions [data-key=end]").click()  # the big button draws: nothing else comes next
    lays_three_melds(page)
    page.evaluate(
        "fetch('/do', {method: 'POST', headers: {'Content-Type': 'application/json'}, "
        "body: JSON.stringify({do: 'tell', seat: 'A', text: ''})})"
    )
    page.locator("[data-key='move A knocks']").click()
    expect(page.locator("dialog")).to_contain_text("5 points or fewer")  # this phone does not know the cards
    page.locator("dialog [data-key=knock]").click()
    page.locator("[data-key=show]").click()
    assert "false" not in page.locator("dialog").inner_text()
    pick(page, ["QH"])
    expect(page.locator("dialog [data-key=done]")).to_have_text("I hold one card: show it")
    pick(page, ["8C"])
    page.locator("dialog [data-key=done]").click()
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator("#toast")).to_contain_text("Ann holds ")
    expect(page.locator("[data-key=show]")).to_have_count(0)
    page.locator("[data-key=withdraw]").click()
    expect(page.locator("#actions [data-key=end]")).to_contain_text("End your turn")
    expect(page.locator("[data-key='move A knocks']")).to_have_count(0)
    assert ann.sees("End your turn")


def test_a_count_that_cannot_be_is_not_offered_and_the_reason_is_told(
    table: Server, player: Callable[..., Player]
) -> None:
    """Ann held two more than was entered, the draw pile had none left, and every number above was refused."""
    ann, bob = (player(seat, name, at=table.url, viewport={"width": 360, "height": 740}) for seat, name in ("AA", "BB"))
    held = bob.context.request.get(f"{table.url}state?seat=B").json()
    (most,) = (m["asks"][0]["span"][1] for m in held["moves"] if m["move"] == "B holds ...")
    tap = {"do": "act", "seat": "B", "move": "B holds ...", "values": {"cards": str(most)}}
    assert bob.context.request.post(f"{table.url}do", data=tap, headers={"Origin": table.url.rstrip("/")}).ok
    ann.page.locator("[data-key=count]").click()
    assert ann.sees("10 at most: the others are in other hands")
    expect(ann.page.locator("dialog .numbers button")).to_have_count(10)
    assert_clean(ann.page)
