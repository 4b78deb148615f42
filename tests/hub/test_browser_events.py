"""An organiser's event of any game, each journey in a real browser: set-up, check-in, clock, tables, chess."""

# ruff: noqa: F811
from __future__ import annotations

import re
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


def test_check_in_no_shows_and_the_clock(served: Served, opens: Callable[..., Page]) -> None:
    """Who is missing is not paired, who did not come is asked about, and everybody sees that the time is up."""
    desk, phone, screen = opens(DESKTOP), opens(PHONE), opens(DESKTOP)
    organiser(served, desk)
    event = begins(served, desk, "Another game: win, draw or loss", 5, game="Go", Rounds="3")
    follows(served, phone, event, "Player 1")
    screen.goto(f"{served.url}e/{event}/screen")
    desk.get_by_role("button", name="Open check-in for round 1").click()
    phone.get_by_role("button", name="I am here for round 1").click()
    expect(phone.get_by_text("You are checked in for the next round.")).to_be_visible()
    expect(desk.get_by_role("heading", name="Check-in for round 1: 4 missing")).to_be_visible()
    for name in ("Player 2", "Player 3", "Player 4"):
        desk.get_by_role("button", name=f"{name} is here").click()
    assert_clean(desk)
    desk.get_by_role("button", name="Pair round 1").click()
    expect(desk.get_by_role("group", name="Player 5").get_by_label("Not in this round")).to_be_checked()
    assert_clean(desk)
    desk.get_by_role("button", name="Pair round 1").click()
    expect(desk.locator("#tables")).not_to_contain_text("bye")
    desk.get_by_label("Minutes").fill("0")
    desk.get_by_role("button", name="Start").click()
    for page in (phone, screen):
        expect(page.locator(".clock")).to_have_text("Time is up.")
    assert_clean(phone)
    desk.get_by_label("Minutes").fill("5")
    desk.get_by_role("button", name="Add the minutes").click()
    for page in (phone, screen, desk):
        expect(page.locator(".clock")).to_have_text(re.compile(r"^4:\d\d$"))
    for end in ("did not come", "won"):
        desk.get_by_role("link", name="Enter").first.click()
        desk.get_by_role("radio", name=re.compile(rf"^Player \d {end}$")).first.check()
        desk.get_by_role("button", name="Enter the result").click()
    tournament = served.hall.desk.log(event).tournament
    tables = [table for table in tournament.rounds[0].tables if table.result and table.result.absent]
    absent = tables[0].seats[0]
    name = tournament.says(absent)
    expect(desk.get_by_role("heading", name=f"{name} did not come: withdraw for good?")).to_be_visible()
    assert_clean(desk)
    desk.get_by_role("button", name=f"Withdraw for good {name}").click()
    expect(desk.get_by_role("heading", name="did not come")).to_have_count(0)
    desk.get_by_role("button", name="Pair round 2").click()
    newest = served.hall.desk.log(event).tournament.rounds[1]
    assert absent not in {*newest.byes, *(who for table in newest.tables for who in table.seats)}
