"""An organiser's event of any game, each journey in a real browser: set-up, check-in, clock, tables, chess."""

# ruff: noqa: F811
from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from companion.event.settings import Pairing
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


def test_any_game_at_tables_of_three_to_five(served: Served, opens: Callable[..., Page]) -> None:
    """A Catan open from its form to places 4-3-2-1 and each player's share of the table's points."""
    desk, phones = opens(DESKTOP), [opens(PHONE) for _ in range(4)]
    organiser(served, desk)
    words = {"The game's word for what is counted, such as goals": "victory points", "Rounds": "2"}
    event = begins(served, desk, "Another game: points at tables of 3 to 5", 11, **words)
    desk.get_by_role("button", name="Pair round 1").click()
    tournament = served.hall.desk.log(event).tournament
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
    expect(desk.locator("#score2")).to_be_visible()
    others = desk.locator("[id^=score]").count() - 1  # this table may have three players
    for seat, typed in enumerate((*("9", "8", "7")[:others], "-")):
        desk.locator(f"#score{seat}").fill(typed)
    desk.get_by_role("button", name="Enter the result").click()
    expect(desk.locator("#tables")).to_contain_text("did not come")
    expect(desk.locator("#standings thead")).to_contain_text("victory points, share of the table")
    row = desk.locator("#standings tbody tr").filter(has=desk.get_by_role("link", name=names[0], exact=True))
    expect(row).to_contain_text("4")


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


def test_chess_by_fides_rules_goes_out_and_comes_back_as_a_report_file(
    served: Served, opens: Callable[..., Page], tmp_path: Path
) -> None:
    """Half-point byes and prohibited pairings from the pages hold in the rounds, and in the file."""
    desk = opens(DESKTOP)
    organiser(served, desk)
    event = begins(served, desk, "Chess by FIDE's rules", 8, game="Chess", Rounds="3")
    log = served.hall.desk.log(event)
    assert log.tournament.settings.pairing is Pairing.FIDE
    desk.get_by_role("link", name="Rounds").click()
    desk.locator("#apart1").select_option(label="Player 1")
    desk.locator("#apart2").select_option(label="Player 5")  # whom the first round would pair
    desk.get_by_role("button", name="Keep apart").click()
    desk.get_by_role("link", name="Players").click()
    row = desk.locator("tbody tr").filter(has_text="Player 8")
    row.get_by_text("Change").click()
    row.get_by_label("Half-point bye (½) in round").fill("1")
    row.get_by_role("button", name="Agree on the bye").click()
    assert_clean(desk)
    desk.get_by_role("link", name="Desk").click()
    desk.get_by_role("button", name="Pair round 1").click()
    first = served.hall.desk.log(event).tournament.rounds[0]
    assert {"p1", "p5"} not in [set(table.seats) for table in first.tables]
    assert "p8" not in {*first.byes, *(who for table in first.tables for who in table.seats)}
    for _ in first.tables:
        desk.get_by_role("link", name="Enter").first.click()
        expect(desk.get_by_label("Both lost at the same moment")).to_have_count(0)
        desk.get_by_label("Draw").check()
        desk.get_by_role("button", name="Enter the result").click()
    expect(desk.locator("#standings tbody tr").filter(has_text="Player 8")).to_contain_text("½")
    desk.get_by_text("Files: results, standings, FIDE report").click()
    with desk.expect_download() as told:
        desk.get_by_role("link", name="FIDE report (TRF16)").click()
    told.value.save_as(tmp_path / "open.trf")
    desk.goto(served.url)
    desk.get_by_text("Import an event").click()
    desk.get_by_label("The JSON file of an event").set_input_files(tmp_path / "open.trf")
    desk.get_by_role("button", name="Import").click()
    copied = desk.url.split("/")[-2]
    copy = served.hall.desk.log(copied).tournament
    named = sorted([copy.says(who) for who in table.seats] for table in copy.rounds[0].tables)
    assert named == sorted([log.tournament.says(who) for who in table.seats] for table in first.tables)
    assert len(copy.apart) == 1
    desk.goto(served.url)
    expect(desk.locator(".event-link strong")).to_have_text(["Open (copy)", "Open"])
    for name, button in (("Chess club", "Save"), ("Chess club", "Archive")):
        row = desk.locator("li").filter(has=desk.locator(f"[href*='{copied}']"))
        row.get_by_text("Rename or archive").click()
        assert_clean(desk)
        row.get_by_label("Name of the event").fill(name)
        row.get_by_role("button", name=button).click()
        expect(desk.locator("li > .event-link strong").first).to_have_text(name if button == "Save" else "Open")
    desk.get_by_text("Archived events").click()
    expect(desk.get_by_role("link", name="Chess club")).to_be_visible()
    desk.goto(f"{served.url}e/{copied}/audit")
    for words in ("The event is called Open (copy)", "The event is called Chess club", "Chess club is archived"):
        expect(desk.get_by_text(words)).to_be_visible()
