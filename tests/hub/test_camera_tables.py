"""An event that two camera tables judge: set up, played, followed on a phone, corrected and printed in a browser."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from playwright.sync_api import Page, expect

from companion.app import matches
from companion.app.autoplay import Clock
from companion.event.facts import Reported
from companion.event.standings import standings
from tests.conftest import EXPECT_MS
from tests.hub.camera_table import CameraTable
from tests.hub.conftest import NAMES
from tests.hub.served_hub import BOXES, ServedHub
from tests.hub.test_browser import DESKTOP, PHONE, follows, opens, organiser, wait
from tests.web.access import assert_clean

pytestmark = [pytest.mark.browser, pytest.mark.slow]
__all__ = ["opens"]
PATIENCE_MS = 30_000
"""Both tables look at pictures meanwhile."""


class CameraHall(ServedHub):
    """A hub on a port, without a broker, and two virtual tables with a camera."""

    tables: list[CameraTable]

    def __init__(self, folder: Path, clock: Clock) -> None:
        super().__init__(folder)
        self.tables = [CameraTable(box, folder / box, clock, self.transports) for box in BOXES]


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CameraHall]:
    clock = Clock()
    monkeypatch.setattr(matches, "time", SimpleNamespace(time=time.time, monotonic=clock))
    made = CameraHall(tmp_path, clock)
    expect.set_options(timeout=PATIENCE_MS)
    with made.server.running():
        yield made
    expect.set_options(timeout=EXPECT_MS)
    made.close()


def seats_of(served: CameraHall, event: str, round_: int, table: int) -> tuple[str, ...]:
    found = served.hall.desk.log(event).tournament
    return tuple(map(found.says, found.table(round_, table).seats))


def has_begun(box: CameraTable, order: str) -> bool:
    """Whether the match of an order lies on this table."""
    begun = box.reporter._outbox.begun
    return begun.orders.id == order and bool(begun.match)


def plays(served: CameraHall, event: str, round_: int, at: dict[str, int]) -> None:
    """The camera tables play these tables of the round, each as soon as it was given its match; the elder name wins
    twice in three times."""
    for box in served.tables:
        number = at[box.box]
        wait(lambda box=box, number=number: box.reporter.end.orders.table == number, 60.0)  # type: ignore[misc]
        order = box.reporter.end.orders.id
        wait(lambda box=box, order=order: has_begun(box, order), 60.0)  # type: ignore[misc]
        winner = (round_ + number) % 3 == 0
        over = box.plays(int(winner)).over
        assert over.winners == (("red", "blue")[int(winner)],)
        wait(lambda number=number: served.hall.desk.log(event).tournament.table(round_, number).result, 60.0)  # type: ignore[misc]


@pytest.mark.nightly
@pytest.mark.parametrize("rounds", [1, pytest.param(3, marks=pytest.mark.nightly)])
def test_an_event_of_eight_is_judged_by_two_cameras(
    served: CameraHall, opens: Callable[..., Page], tmp_path: Path, rounds: int
) -> None:
    desk, phone, screen = opens(DESKTOP), opens(PHONE), opens(DESKTOP)
    for page in (desk, phone, screen):
        page.set_default_timeout(PATIENCE_MS)
    organiser(served, desk)
    desk.get_by_role("link", name="New event").click()
    desk.get_by_label("Name of the event").fill("Emperor's Cup")
    desk.get_by_label("Players, one per line").fill("\n".join(NAMES))
    desk.get_by_label("Rounds").fill(str(rounds))
    desk.get_by_role("button", name="Begin the event").click()
    expect(desk.get_by_role("heading", name="8 players are entered")).to_be_visible()
    event = desk.url.split("/")[-2]
    follows(served, phone, event, "Ann")
    screen.goto(f"{served.url}e/{event}/screen")

    for round_ in range(1, rounds + 1):
        desk.get_by_role("button", name=f"Pair round {round_}").click()
        expect(phone.locator(".eyebrow")).to_have_text(f"Round {round_}")
        expect(screen.get_by_role("heading", name=f"Round {round_}")).to_be_visible()
        table = next(n for n in (1, 2, 3, 4) if "Ann" in seats_of(served, event, round_, n))
        against = next(name for name in seats_of(served, event, round_, table) if name != "Ann")
        expect(phone.locator(".against")).to_have_text(against)
        expect(phone.locator(".table-number")).to_have_text(str(table))
        plays(served, event, round_, {"north": 1, "south": 2})
        for box, number in (("north", 3), ("south", 4)):  # who has ended gets the next match
            row = desk.locator("#boxes tbody tr", has_text=box)
            row.get_by_label(f"The next match of {box}").select_option(str(number))
            row.get_by_role("button", name="Play it here").click()
            expect(desk.locator("#tables tbody tr").nth(number - 1)).to_contain_text(f"at table {box}")
        plays(served, event, round_, {"north": 3, "south": 4})
        expect(phone.locator("#me tbody tr")).to_have_count(round_)

    expect(desk.get_by_role("heading", name="The event is over")).to_be_visible()
    expect(phone.get_by_text(re.compile(r"You are at place \d of 8"))).to_be_visible()
    assert_clean(desk)
    assert_clean(phone)
    log = served.hall.desk.log(event)
    judged = [entry.by for entry in log.entries if isinstance(entry.fact, Reported)]
    assert sorted(judged) == ["table north"] * 2 * rounds + ["table south"] * 2 * rounds  # nobody typed anything
    printed = prints(served, desk, tmp_path)
    assert names_in_order(printed) == [log.tournament.says(row.entrant) for row in standings(log.tournament).rows]

    # a result of the first round is corrected: what moves is shown, the standing is in another order, and says so
    first = standings(log.tournament).rows[0].entrant
    table = next(n for n, t in enumerate(log.tournament.rounds[0].tables, 1) if first in t.seats)
    seat = log.tournament.table(1, table).seats.index(first)
    desk.goto(f"{served.url}e/{event}/result/1/{table}")
    desk.locator(".ends label").nth(1 - seat).click()
    desk.get_by_label("Why is it changed?").fill("the seats were swapped at the table")
    desk.get_by_role("button", name="Show what it changes").click()
    expect(desk.locator(".preview")).to_contain_text(re.compile(r"\w+ goes from place \d to \d"))
    desk.get_by_role("button", name="Enter the change").click()
    expect(desk.locator("#standings")).to_be_visible()
    after = names_in_order(prints(served, desk, tmp_path))
    assert after != names_in_order(printed)
    assert after == desk.locator("#standings tbody th").all_inner_texts()
    seats = seats_of(served, event, 1, table)
    says = f"Corrected in round 1, {seats[0]} - {seats[1]}: {seats[1 - seat]} won"
    expect(desk.locator("#standings .corrected")).to_have_text(says)
    expect(phone.locator("#me .corrected")).to_have_text(says)
    expect(phone.locator(".my-place strong")).to_have_text(re.compile(rf"^{after.index('Ann') + 1}\b"))
    phone.goto(f"{served.url}e/{event}")
    expect(phone.locator(".corrected")).to_have_text(says)
    desk.goto(f"{served.url}e/{event}/audit")
    expect(desk.get_by_text("the seats were swapped at the table")).to_be_visible()


def prints(served: CameraHall, desk: Page, folder: Path) -> str:
    """The final standings as they come out of the printer, read back."""
    href = desk.get_by_role("link", name="Print the final standings").get_attribute("href")
    answer = desk.request.get(f"{served.url.rstrip('/')}{href}")
    return re.sub(r"<[^>]+>", " ", answer.text())


def names_in_order(printed: str) -> list[str]:
    """Of the rows; below them stands what was corrected."""
    return [word for word in re.findall(r"\w+", printed) if word in NAMES][: len(NAMES)]
