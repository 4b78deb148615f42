"""The pages over a real match: what the fake one promises holds there too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser

from companion.game.evidence import Crop, CropAbout
from companion.game.says import Says
from companion.game.view import Sight
from companion.match.inputs import EndThrow
from tests.companion.looks import LANDS, START, TextLook
from tests.web import shown
from tests.web.player import Player
from tests.web.table import Table

pytestmark = pytest.mark.browser

CLOSE = LANDS + "E red.1 377.5,350; E red.2 377.5,350; E blue.1 746.4,350; E blue.2 850,350; N n1 500,100"
BLUE_OUT = LANDS + "E red.1 377.5,350; E red.2 377.5,350; E blue.1 800,350; E blue.2 850,350; N n1 500,100"


class PicturedLook(TextLook):
    """A look whose crops are pictures that a browser can show."""

    def crop(self, x_mm: float, y_mm: float, piece: str) -> Crop:
        seen = shown.evidence()
        about = CropAbout(width_px=seen.width_px, height_px=seen.height_px, outlines=seen.outlines)
        return Crop(picture=shown.close_up(), about=msgspec.json.encode(about), piece=piece)


def lies(table: Table, text: str) -> None:
    """Pieces move and come to rest."""
    table.match.saw(Sight.MOVING, Says("something moves"))
    table.match.saw(Sight.SEES, Says("all four markers"))
    table.match.looked(PicturedLook(text))


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Table(tmp_path, "eyes_of_the_emperor") as made:
        yield made


Sit = Callable[[Table, str, str], Player]


@pytest.fixture
def sit(browser: Browser) -> Iterator[Sit]:
    players: list[Player] = []

    def down(table: Table, seat: str, name: str) -> Player:
        players.append(Player(browser, table.server.url, seat, name))
        return players[-1]

    yield down
    for one in players:
        one.leaves()


@pytest.mark.journey
def test_a_throw_is_ended_asked_answered_and_taken_back(table: Table, sit: Sit) -> None:
    ann, ben = sit(table, "red", "Ann"), sit(table, "blue", "Ben")
    assert ann.sees("Blind: just started")
    lies(table, START)
    assert ann.sees("The table sees")
    ann.does("Throw is over")
    lies(table, CLOSE)
    ben.does("Throw is over")
    for one in (ann, ben):
        assert one.sees("Too close to call")
        assert one.sees("0.1 mm inside")
    ann.does("Apart or only touching")
    assert ann.sees("Waiting for the other side")  # one side alone settles no close call
    ben.does("Agree")
    for one in (ann, ben):
        assert one.no_longer_sees("Do you agree?")
        assert one.sees("throws a samurai")
    ann.taps("Undo")
    ann.does("Take it back")
    assert ben.sees("Too close to call")


def test_who_crossed_the_edge_is_judged_by_the_opponent(table: Table, sit: Sit) -> None:
    ann, ben = sit(table, "red", "Ann"), sit(table, "blue", "Ben")
    ann.taps("More")
    ann.taps("Someone leaned over the edge")
    ann.does("I did (Red)")
    assert ann.sees("Blue answers this.")
    assert ben.sees("Restart the game?")
    assert ben.page.locator("#question .answer").count() == 2
    assert ann.page.locator("#question .answer").count() == 0


def test_a_fact_is_corrected_on_a_phone(table: Table, sit: Sit) -> None:
    ann = sit(table, "red", "Ann")
    lies(table, BLUE_OUT)
    table.match.submit(EndThrow(by="Ann"))
    assert ann.sees("throws a samurai")
    ann.taps("More")
    ann.taps("Correct a fact")
    ann.page.get_by_label("Tap the piece, or choose it").select_option("Blue empire die 1")
    ann.picks("Overlaps: still in")
    ann.types("Why", "it was pushed by a sleeve")
    ann.does("Correct it")
    assert ann.no_longer_sees("throws a samurai")
    assert ann.has_left_the_sheet()
    ann.taps("History")
    assert ann.sees("it was pushed by a sleeve")
