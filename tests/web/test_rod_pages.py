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
