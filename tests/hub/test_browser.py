"""An organiser at a computer, a player at a phone: an event of eight from set-up to the printed standings."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from companion.event.facts import won
from companion.event.hub.link import HubMessage
from companion.event.hub.roles import Role
from companion.event.settings import Settings
from companion.event.standings import standings
from companion.event.sums import shown
from tests.hub.conftest import NAMES
from tests.hub.hall import Hall
from tests.hub.served_hub import ServedHub
from tests.web.access import assert_clean

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "locale": "en-GB"}
DESKTOP = {"viewport": {"width": 1280, "height": 800}, "locale": "en-GB"}

pytestmark = pytest.mark.browser


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedHub]:
    made = ServedHub(tmp_path)
    with made.server.running():
        yield made
    made.close()


@pytest.fixture
def opens(browser: Browser) -> Iterator[Callable[..., Page]]:
    """A device of its own: `opens(DESKTOP)`."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def device(kind: dict[str, object], **more: object) -> Page:
        context = browser.new_context(**{**kind, **more})  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield device
    for context in contexts:
        context.close()
    assert errors == []


def organiser(served: ServedHub, page: Page) -> None:
    """Opens the organiser's link, as it is printed at the start."""
    page.goto(served.hall.people.organiser_link(served.url))
    page.get_by_label("Your name").fill("Olga")
    page.get_by_role("button", name="Let this device in").click()
    expect(page.get_by_role("link", name="New event")).to_be_visible()


def follows(served: ServedHub, page: Page, event: str, name: str) -> None:
    """A phone becomes a player's, by the player's card."""
    entrants = served.hall.desk.log(event).tournament.entrants
    who = next(who for who, each in entrants.items() if each.name == name)
    page.goto(f"{served.url}in/{served.hall.people.invite(event, Role.PLAYER, name, who)}")
    page.get_by_role("button", name=f"Join as {name}").click()
    expect(page.locator("#me .card").first).to_be_visible()


@pytest.mark.journey
def test_an_event_of_eight_from_set_up_to_the_printed_standings(served: ServedHub, opens: Callable[..., Page]) -> None:
    desk, phone, screen = opens(DESKTOP), opens(PHONE), opens(DESKTOP)
    organiser(served, desk)
    desk.get_by_role("link", name="New event").click()
    desk.get_by_label("Name of the event").fill("Emperor's Cup")
    desk.get_by_label("Players, one per line").fill("\n".join(NAMES))
    desk.get_by_label("Rounds").fill("2")
    desk.get_by_text("More: format, points").click()
    desk.get_by_label("Seed for the draws").fill("7")
    desk.get_by_role("button", name="Begin the event").click()
    expect(desk.get_by_role("heading", name="8 players are entered")).to_be_visible()
    event = desk.url.split("/")[-2]
    hall = served.hall
    follows(served, phone, event, "Ann")
    expect(phone.get_by_text("The first round is not paired yet")).to_be_visible()
    screen.goto(f"{served.url}e/{event}/screen")

    for round_ in (1, 2):
        desk.get_by_role("button", name=f"Pair round {round_}").click()
        expect(phone.get_by_text("You play")).to_be_visible()  # nobody touched it
        expect(phone.locator(".eyebrow")).to_have_text(f"Round {round_}")
        expect(screen.get_by_role("heading", name=f"Round {round_}")).to_be_visible()
        for table in served.tables:  # two tables judge, and say so by themselves
            wait(lambda table=table, round_=round_: table.orders.round == round_)
            table.tells(HubMessage(f"match {round_} {table.box}", table.orders.id, won(0)))
        wait(lambda round_=round_: all(hall.desk.log(event).tournament.table(round_, n).result for n in (1, 2)))
        for number in (3, 4):  # the others hand in slips
            row = desk.locator("#tables tbody tr").nth(number - 1)
            row.get_by_role("link", name="Enter").click()
            desk.locator(".ends label").first.click()
            desk.get_by_role("button", name="Enter the result").click()
            expect(desk.locator("#tables")).to_be_visible()
    expect(desk.get_by_role("heading", name="The event is over")).to_be_visible()
    expect(phone.get_by_text("The event is over")).to_be_visible()
    expect(phone.get_by_text(re.compile(r"You are at place \d of 8"))).to_be_visible()
    log = hall.desk.log(event)
    first = log.tournament.says(standings(log.tournament).rows[0].entrant)
    expect(desk.locator("#standings tbody tr").first).to_contain_text(first)
    href = desk.get_by_role("link", name="Print the final standings").get_attribute("href")
    answer = desk.request.get(f"{served.url.rstrip('/')}{href}")
    assert "Final standings" in answer.text()

    # a result of the first round is corrected: what moves is shown, then the standings are in another order
    row = standings(log.tournament).rows[0].entrant
    table = next(n for n, t in enumerate(log.tournament.rounds[0].tables, 1) if row in t.seats)
    seat = log.tournament.table(1, table).seats.index(row)
    desk.goto(f"{served.url}e/{event}/result/1/{table}")
    assert_clean(desk)
    desk.locator(".ends label").nth(1 - seat).click()
    desk.get_by_label("Reason").fill("the slip was read wrongly")
    desk.get_by_role("button", name="Show what it changes").click()
    expect(desk.locator(".preview")).to_contain_text(re.compile(rf"{first} .* points: 1 instead of 2"))
    expect(desk.locator(".preview")).to_contain_text(re.compile(r"\w+ goes from place \d to"))
    assert_clean(desk)
    desk.get_by_role("button", name="Enter the change").click()
    expect(desk.locator("#standings")).to_be_visible()
    desk.goto(f"{served.url}e/{event}/audit")
    expect(desk.get_by_text("the slip was read wrongly")).to_be_visible()
    phone.get_by_role("link", name="My standing, as sums").click()
    mine = standings(hall.desk.log(event).tournament).row("p1").sums[0]
    expect(phone.locator(".sum").first.locator(".value")).to_have_text(shown(mine.value))
    expect(phone.locator(".sum").first.locator(".terms tr")).to_have_count(2)
    phone.goto(f"{served.url}e/{event}/round/2")
    expect(phone.locator("ul.stack li")).to_have_count(4)  # each table with its reasons


def wait(holds: Callable[[], object], timeout_s: float = 15.0) -> None:
    """Waits for what another thread does."""
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def cup(served: ServedHub) -> Hall:
    """An event with a round that is being played."""
    served.hall.begins(NAMES, Settings(rounds=3, seed="7"))
    served.hall.pairs()
    return served.hall


@pytest.mark.journey
def test_two_phones_disagree_then_agree(served: ServedHub, cup: Hall, opens: Callable[..., Page]) -> None:
    names = [cup.log.tournament.says(who) for who in cup.log.tournament.table(1, 3).seats]
    one, other, desk = opens(PHONE), opens(PHONE), opens(DESKTOP)
    organiser(served, desk)
    desk.goto(f"{served.url}e/cup/desk")
    for page, name in zip((one, other), names, strict=True):
        follows(served, page, "cup", name)
    one.get_by_role("button", name=f"{names[0]} won").click()
    expect(one.get_by_text(f"You have said: {names[0]} won. You can still change it.")).to_be_visible()
    assert one.locator(".claimed").evaluate("told => told.scrollHeight <= told.clientHeight")  # none of it is cut off
    expect(one.get_by_text(f"Now {names[1]} must say the same.")).to_be_visible()
    expect(other.get_by_text("You have said")).to_have_count(0)
    expect(other.get_by_text(f"{names[0]} says: {names[0]} won")).to_be_visible()
    other.get_by_role("button", name="Draw", exact=True).click()
    for page in (one, other):
        expect(page.get_by_text("The referee is called")).to_be_visible()
        expect(page.get_by_role("button", name="Call the referee")).to_have_count(0)
    assert_clean(one)
    expect(desk.get_by_text("Round 1, table 3 wants the referee")).to_be_visible()
    assert_clean(desk)
    other.get_by_role("button", name=f"{names[0]} won").click()
    for page in (one, other):
        expect(page.locator(".my-table .lead")).to_have_text(f"{names[0]} won")
    expect(desk.get_by_text("Round 1, table 3 wants the referee")).to_have_count(0)


def test_the_pages_of_a_round_are_clean_and_everybody_sees_its_clock(
    served: ServedHub, cup: Hall, opens: Callable[..., Page]
) -> None:
    desk, phone = opens(DESKTOP), opens(PHONE)
    organiser(served, desk)
    follows(served, phone, "cup", "Ann")
    desk.goto(f"{served.url}e/cup/desk")
    desk.get_by_label("Minutes").fill("0")
    desk.get_by_role("button", name="Start").click()
    expect(phone.locator(".clock")).to_have_text("Time is up.")
    desk.get_by_label("Minutes").fill("5")
    desk.get_by_role("button", name="Add").click()
    for page in (phone, desk):
        expect(page.locator(".clock")).to_have_text(re.compile(r"^4:\d\d$"))
    assert_clean(phone)
    for path in ("", "new", *(f"e/cup/{page}" for page in ("desk", "entrants", "rounds", "devices", "back", "screen"))):
        desk.goto(served.url + path)
        assert_clean(desk)
