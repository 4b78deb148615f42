"""Suspend on two phones by taps alone: rolls, hangings, what fell, a touch, correction, undo, rounds and the duel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from companion.game.known import game_named
from companion.game.says import Says
from companion.game.view import Sight
from companion.games.suspend.state import Rolled
from companion.match.inputs import Act, EndThrow
from companion.match.match import Match
from companion.record.log import Log
from tests.web.access import assert_clean
from tests.web.player import Player
from web.site.app import create_app
from web.site.server import Server

pytestmark = pytest.mark.browser


class Table:
    """A match of Suspend by hand: no camera looks at it."""

    def __init__(self, folder: Path, players: int, **options: str) -> None:
        self.now_s = 1000.0
        clock = lambda: self.now_s  # noqa: E731
        self.match: Match[Any, Any] = Match(
            game_named("suspend"),
            Log(folder / "rods.db"),
            wall_s=clock,
            monotonic_s=clock,
            players=players,
            options=options,
        )
        self.match.saw(Sight.SEES, Says("all four markers"))
        self.server = Server(create_app(self.match, join_url="http://192.168.4.1/", clock=clock), "127.0.0.1", 0)
        self.running = self.server.running()
        self.running.__enter__()

    def ends(self) -> None:
        self.running.__exit__(None, None, None)
        self.match.close()


@pytest.fixture
def table(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Table]:
    made = Table(tmp_path, 2, mode=getattr(request, "param", "intermediate"))
    yield made
    made.ends()


@pytest.fixture
def pair(table: Table, browser: Browser) -> Iterator[tuple[Player, Player]]:
    """Ann has the seat A and Ben B."""
    phone = {"width": 360, "height": 740}
    ann = Player(browser, table.server.url, "A", "Ann", viewport=phone)
    ben = Player(browser, table.server.url, "B", "Ben", viewport=phone)
    yield ann, ben
    ann.leaves()
    ben.leaves()


def rolls(one: Player, color: str) -> None:
    """Taps the color that the die shows."""
    with one.page.expect_response("**/do"):
        one.page.locator(".race-dice").get_by_role("button", name=color, exact=True).click()


def hangs(one: Player, color: str, *, holds: bool = True) -> None:
    """Taps a rod of a pile, and that it holds."""
    with one.page.expect_response("**/do"):
        one.page.get_by_role("button", name=re.compile(rf"{color}\s*Hang")).first.click()
    expect(one.page.get_by_role("button", name="It holds")).to_be_visible()
    if holds:
        one.does("It holds")


def fell(one: Player, **counts: int) -> None:
    """Tells what fell."""
    one.taps("Pieces fell …")
    dialog = one.page.get_by_role("dialog")
    for color in dialog.locator("fieldset").all():
        name = color.locator("legend").inner_text().lower()
        color.get_by_text(str(counts.get(name, 0)), exact=True).click()
    with one.page.expect_response("**/do"):
        dialog.get_by_role("button", name="Confirm").click()
    expect(dialog).to_have_count(0)


@pytest.mark.journey
def test_a_short_match_by_taps_alone(table: Table, pair: tuple[Player, Player]) -> None:
    ann, ben = pair
    assert ben.sees("Ann rolls")
    rolls(ann, "green")
    assert ben.sees("Ann hangs a piece")
    assert_clean(ann.page)
    hangs(ann, "green")
    assert ben.sees("You roll")
    rolls(ben, "red")
    hangs(ben, "red", holds=False)
    ben.does("It touches the table")  # repositioned: the same rod once more
    hangs(ben, "red", holds=False)
    fell(ben, green=1)
    assert_clean(ben.page)
    ben.does("It holds")
    assert ann.sees("You roll")
    state = table.match.state
    assert (state.pile("A").total, state.pile("B").total, state.hung.total) == (11, 12, 1)
    ben.taps("Undo")
    ben.page.get_by_role("dialog").get_by_role("button").first.click()
    assert not ann.errors
    assert not ben.errors


def test_what_was_rolled_is_corrected_in_three_taps(table: Table, pair: tuple[Player, Player]) -> None:
    ann, _ = pair
    rolls(ann, "green")
    ann.taps("Wrong? Correct it")
    ann.picks("Blue")
    ann.does("Correct it")
    assert ann.sees("You hang a piece")
    assert table.match.state.color == "blue"


@pytest.mark.parametrize("table", ["expert"], indirect=True)
def test_a_tournament_keeps_its_score_sheet(table: Table, pair: tuple[Player, Player]) -> None:
    ann, _ = pair
    assert ann.sees("Score sheet")
    assert ann.sees("At 20 points a player is out. The last one left is the champion.")
    assert_clean(ann.page)


@pytest.mark.parametrize("table", ["beginner"], indirect=True)
def test_the_duel_goes_backward_by_taps(table: Table, pair: tuple[Player, Player]) -> None:
    ann, ben = pair
    hangs(ann, "orange")
    hangs(ben, "orange")
    early = ann.page.locator("#game").get_by_text("Stop early", exact=True)
    early.click()
    assert early.evaluate("(e) => getComputedStyle(e, '::after').content") == "none"  # a minus was glued to the word
    ann.does("Stop: time is up")
    ben.page.locator("[data-key='agree to end']").click()
    assert ben.sees("You take a piece off")
    with ben.page.expect_response("**/do"):
        ben.page.get_by_role("button", name="Take orange off").click()
    assert ann.sees("You take a piece off")
    with ann.page.expect_response("**/do"):
        ann.page.get_by_role("button", name="Take orange off").click()
    assert table.match.view(None).over is not None


def test_a_sculpture_of_ones_own_has_no_winner_and_no_points(tmp_path: Path, browser: Browser) -> None:
    table = Table(tmp_path, 1, mode="solo")
    ann = Player(browser, table.server.url, "A", "Ann", viewport={"width": 360, "height": 740})
    try:
        ann.page.locator("#game").get_by_text("Stop early", exact=True).click()
        ann.does("The sculpture is done")
        assert ann.sees("The match is over")
        expect(ann.page.locator(".won")).to_contain_text("Nothing hangs any more")
        assert ann.no_longer_sees("Nobody won")
    finally:
        ann.leaves()
        table.ends()


def test_whose_turn_it_is_stays_in_sight_beside_the_news(table: Table, pair: tuple[Player, Player]) -> None:
    """A bar "A new ruling" lay over "You roll" after each turn."""
    ann, ben = pair
    rolls(ann, "green")
    hangs(ann, "green")
    assert ben.sees("You roll")
    news = ben.page.locator("#news button")
    expect(news).to_be_visible()
    turn, bar = ben.page.locator(".race-turn").bounding_box(), news.bounding_box()
    assert turn is not None
    assert bar is not None
    assert bar["y"] > turn["y"] + turn["height"]
    objection, buttons = ben.page.locator("#objection").bounding_box(), ben.page.locator("nav").bounding_box()
    assert objection is not None
    assert buttons is not None
    assert bar["y"] + bar["height"] <= objection["y"] < objection["y"] + objection["height"] <= buttons["y"]


def test_the_waiting_button_and_a_pile_hold_their_german_words(table: Table, browser: Browser) -> None:
    """Four lines ran out of the button; an orange piece to be hung was "2 × Or an ge"."""
    table.match.submit(Act(seat="A", move=game_named("suspend").text.action(Rolled("A", "orange")), by="Ann"))
    ann = Player(browser, table.server.url, "A", "Ann", viewport={"width": 390, "height": 844}, locale="de-DE")
    try:
        row = ann.page.locator(".rod-row.may .count")
        assert row.evaluate("n => n.getClientRects()[0].height") < 45  # two lines at most
        assert row.evaluate("n => n.scrollWidth <= n.clientWidth")
        table.match.saw(Sight.MOVING, Says("something moves"))
        table.match.submit(EndThrow(by="Ann"))
        assert ann.sees("Warten, bis sich nichts bewegt")
        words = ann.page.locator(".action.primary > span").last
        button = ann.page.locator(".action.primary").bounding_box()
        box = words.bounding_box()
        assert box is not None
        assert button is not None
        assert box["height"] <= button["height"] - 8
    finally:
        ann.leaves()


@pytest.mark.journey
def test_time_is_up_once_the_other_phone_agrees(pair: tuple[Player, Player]) -> None:
    """One tap ended the match for both."""
    ann, ben = pair
    ann.page.locator("summary", has_text="Stop early").click()
    ann.taps("Stop: time is up")
    expect(ann.page.locator("#ending")).to_contain_text("The other side has to agree.")
    ending = ben.page.locator("#ending")
    expect(ending).to_contain_text("Ann wants to end this match.")
    expect(ending).to_contain_text("The players stop")
    expect(ben.page.locator("#over")).to_be_hidden()
    ben.page.locator("[data-key='agree to end']").click()
    assert ben.sees("The match is over")
