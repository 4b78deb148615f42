"""The virtual table of a race game in a real browser: tokens are dragged from spot to spot, a button throws the die."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.game.brought import default_kit
from tests.scenes import SMALL_LENS
from tests.web.fake_door import FakeDoor
from tests.web.test_virtual_browser import middle, opened, pull
from vision.sim.virtual import VirtualTable

pytestmark = pytest.mark.browser


@pytest.fixture
def pressed() -> list[str]:
    return []


@pytest.fixture
def table(pressed: list[str]) -> VirtualTable:
    buttons = {"end_throw": lambda: pressed.append("end_throw")}
    return VirtualTable(default_kit("center_point"), SMALL_LENS, buttons=buttons, seed=2)


@pytest.fixture
def page(door: FakeDoor, table: VirtualTable, browser: Browser) -> Iterator[Page]:
    door.shows(game="center_point", table={"die": 3, "to_move": ["red"]})  # for the words on the button
    with opened(door, table, browser) as page:
        expect(page.locator("[data-piece]")).to_have_count(20)
        yield page


def spots(table: VirtualTable) -> dict[str, str]:
    return dict(table.truth()["spots"])


def test_a_token_is_dragged_to_a_spot_and_lies_in_its_middle(page: Page, table: VirtualTable) -> None:
    x, y = middle(page, "[data-spot=A5]")
    with page.expect_response("**/table/do"):
        pull(page, middle(page, "[data-piece=token_red_1]"), (x + 2, y - 2))
    assert spots(table)["A5"] == "red"
    token = next(p for p in table.truth()["pieces"] if p["id"] == "token_red_1")
    assert token["off_mm"] < 0.05


@pytest.mark.journey
def test_the_die_is_thrown_into_the_tray_and_the_move_told(page: Page, table: VirtualTable, pressed: list[str]) -> None:
    with page.expect_response("**/table/do"):
        page.get_by_role("button", name="Throw the die").click()
    assert [die["in_tray"] for die in table.truth()["dice"]].count(True) == 1
    expect(page.locator("#bar")).to_contain_text("Moved", timeout=8000)
    with page.expect_response("**/table/do"):
        page.get_by_role("button", name="Moved").click()
    assert pressed == ["end_throw"]
