"""An organiser's event of any game, each journey in a real browser: set-up, check-in, clock, tables, chess."""

# ruff: noqa: F811
from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.hub.test_browser import DESKTOP, PHONE, Served, follows, opens, organiser, served  # noqa: F401
from tests.web.access import assert_clean

pytestmark = pytest.mark.browser


def begins(served: Served, desk: Page, preset: str, players: int, **given: str) -> str:
    """Sets an event up on the form; returns its id."""
    desk.goto(f"{served.url}new")
    desk.get_by_label("Name of the event").fill("Open")
    desk.get_by_label("Game", exact=True).select_option(label=preset)
    desk.get_by_label("Name of the other game").fill(given.pop("game", "Catan"))
    desk.get_by_label("Players, one per line").fill("\n".join(f"Player {n}" for n in range(1, players + 1)))
    desk.get_by_text("More: format, points").click()
    for label, value in given.items():
        desk.get_by_label(label, exact=True).fill(value)
    desk.get_by_role("button", name="Begin the event").click()
    expect(desk.locator("#step")).to_be_visible()
    return desk.url.split("/")[-2]


@pytest.mark.journey
def test_any_game_at_tables_of_three_to_five(served: Served, opens: Callable[..., Page]) -> None:
    """A Catan open from its form to places 4-3-2-1 and each player's share of the table's points."""
    desk, phones = opens(DESKTOP), [opens(PHONE) for _ in range(4)]
    organiser(served, desk)
    words = {"The game's word for what is counted, such as goals": "victory points", "Rounds": "2"}
    event = begins(served, desk, "Another game: points at tables of 3 to 5", 11, **words)
    desk.get_by_role("button", name="Pair round 1").click()
    tournament = served.hall.desk.book(event).tournament
    assert sorted(len(table.seats) for table in tournament.rounds[0].tables) == [3, 4, 4]
    assert desk.get_by_text("Tables with a camera").count() == 0
    names = [tournament.says(who) for who in tournament.table(1, 1).seats]
    for phone, name in zip(phones, names, strict=False):
        follows(served, phone, event, name)
        for at, other in enumerate(names):
            phone.get_by_label(f"victory points of {other}", exact=True).fill(str(10 - at))
        phone.get_by_role("button", name="Send the result").click()
    assert_clean(phones[0])
    expect(phones[0].locator(".my-table .lead")).to_contain_text(f"{names[0]} 10")
    desk.get_by_role("link", name="Enter").first.click()
    for seat, typed in enumerate(("9", "8", "7", "-")):
        desk.locator(f"#score{seat}").fill(typed)
    desk.get_by_role("button", name="Enter the result").click()
    expect(desk.locator("#tables")).to_contain_text("did not come")
    expect(desk.locator("#standings thead")).to_contain_text("victory points, share of the table")
    row = desk.locator("#standings tbody tr").filter(has_text=names[0])
    expect(row).to_contain_text("4")
