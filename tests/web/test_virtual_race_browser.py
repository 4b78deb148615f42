"""The virtual table of a race game in a real browser: tokens are dragged from spot to spot, a button throws the die."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from companion.game.brought import default_kit
from tests.scenes import SMALL_LENS
from tests.web.fake_door import FakeDoor
from tests.web.test_virtual_browser import middle, opened, pull
from vision.sim.virtual import VirtualTable

pytestmark = pytest.mark.browser


@pytest.mark.journey
def test_a_token_is_dragged_to_a_spot_and_the_die_is_thrown_into_the_tray(door: FakeDoor, browser: Browser) -> None:
    pressed: list[str] = []
    buttons = {"end_throw": lambda: pressed.append("end_throw")}
    table = VirtualTable(default_kit("center_point"), SMALL_LENS, buttons=buttons, seed=2)
    door.shows(game="center_point", table={"die": 3, "to_move": ["red"]})  # for the words on the button
    with opened(door, table, browser) as page:
        expect(page.locator("[data-piece]")).to_have_count(20)
        x, y = middle(page, "[data-spot=A5]")
        with page.expect_response("**/table/do"):
            pull(page, middle(page, "[data-piece=token_red_1]"), (x + 2, y - 2))
        assert table.truth()["spots"]["A5"] == "red"
        with page.expect_response("**/table/do"):
            page.get_by_role("button", name="Throw the die").click()
        assert [die["in_tray"] for die in table.truth()["dice"]].count(True) == 1
        expect(page.locator("#bar")).to_contain_text("Moved", timeout=8000)
        with page.expect_response("**/table/do"):
            page.get_by_role("button", name="Moved").click()
        assert pressed == ["end_throw"]
