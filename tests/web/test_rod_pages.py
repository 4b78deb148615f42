"""Suspend on two phones by taps alone: rolls, hangings, what fell, a touch, correction, undo, rounds and the duel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.web.access import assert_clean
from tests.web.player import Player
from tests.web.table import Table

pytestmark = pytest.mark.browser


@pytest.fixture
def table(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Table]:
    mode = getattr(request, "param", "intermediate")
    with Table(tmp_path, "suspend", sees=True, players=2, options={"mode": mode}) as made:
        yield made


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
    """Tells what fell: a tap for each color, for a fallen piece took nine."""
    one.taps("Pieces fell …")
    dialog = one.page.get_by_role("dialog")
    for name, count in counts.items():
        color = dialog.locator("fieldset").filter(has_text=name.capitalize())
        color.get_by_text(str(count), exact=True).click()
    with one.page.expect_response("**/do"):
        dialog.get_by_role("button", name="Confirm").click()
    expect(dialog).to_have_count(0)


@pytest.mark.journey
def test_a_short_match_by_taps_alone(table: Table, pair: tuple[Player, Player]) -> None:
    ann, ben = pair
    assert ben.sees("Ann rolls")
    rolls(ann, "green")
    assert ben.sees("Ann hangs green")
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


@pytest.mark.parametrize("table", ["beginner"], indirect=True)
def test_the_house_rules_stand_below_what_is_to_be_done(table: Table, pair: tuple[Player, Player]) -> None:
    """ "Hang orange from your own pile" came last of all, below the house rules and the fold."""
    ann, _ = pair
    expect(ann.page.locator("#house")).to_contain_text("Beginners")
    expect(ann.page.locator("#hints")).to_contain_text("Hang orange")
    hints, house = (ann.page.locator(part).bounding_box() for part in ("#hints", "#house"))
    assert hints is not None
    assert house is not None
    assert hints["y"] < house["y"]


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
    table = Table(tmp_path, "suspend", sees=True, players=1, options={"mode": "solo"})
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


def test_time_is_up_once_the_other_phone_agrees(pair: tuple[Player, Player]) -> None:
    """One tap ended the match for both."""
    ann, ben = pair
    ann.page.locator("summary", has_text="Stop early").click()
    ann.taps("Stop: time is up")
    expect(ann.page.locator("#ending")).to_contain_text("The others have to agree.")
    ending = ben.page.locator("#ending")
    expect(ending).to_contain_text("Ann wants to end this match.")
    expect(ending).to_contain_text("The players stop")
    expect(ben.page.locator("#over")).to_be_hidden()
    ben.page.locator("[data-key='agree to end']").click()
    assert ben.sees("The match is over")
