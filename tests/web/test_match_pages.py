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
from companion.games.eyes_of_the_emperor import GAME
from companion.match.inputs import EndThrow
from companion.match.match import Match
from companion.record.log import Log
from tests.companion.looks import LANDS, START, TextLook
from tests.web import shown
from tests.web.player import Player
from web.site.app import create_app
from web.site.server import Server

pytestmark = pytest.mark.browser

CLOSE = LANDS + "E red.1 377.5,350; E red.2 377.5,350; E blue.1 746.4,350; E blue.2 850,350; N n1 500,100"
BLUE_OUT = LANDS + "E red.1 377.5,350; E red.2 377.5,350; E blue.1 800,350; E blue.2 850,350; N n1 500,100"


class PicturedLook(TextLook):
    """A look whose crops are pictures that a browser can show."""

    def crop(self, x_mm: float, y_mm: float, piece: str) -> Crop:
        seen = shown.evidence()
        about = CropAbout(width_px=seen.width_px, height_px=seen.height_px, outlines=seen.outlines)
        return Crop(picture=shown.close_up(), about=msgspec.json.encode(about), piece=piece)


class Table:
    """A match in a folder, its pages on a port, and the eyes that a test moves."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        self.now_s = 1000.0
        self.folder = folder
        self.match = Match(GAME, Log(folder / "eyes.db"), wall_s=lambda: self.now_s, monotonic_s=lambda: self.now_s)
        app = create_app(self.match, join_url="http://192.168.4.1/", max_streams=8, clock=lambda: self.now_s)
        self.server = Server(app, "127.0.0.1", port)
        self.running = self.server.running()
        self.running.__enter__()

    def lies(self, text: str) -> None:
        """Pieces move and come to rest."""
        self.match.saw(Sight.MOVING, Says("something moves"))
        self.match.saw(Sight.SEES, Says("all four markers"))
        self.match.looked(PicturedLook(text))

    def ends(self) -> None:
        self.running.__exit__(None, None, None)
        self.match.close()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    yield made
    made.ends()


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
    table.lies(START)
    assert ann.sees("The table sees")
    ann.does("Throw is over")
    table.lies(CLOSE)
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


def test_the_camera_rules_and_not_who_ended_the_throw(table: Table, sit: Sit) -> None:
    ann = sit(table, "red", "Ann")
    table.lies(BLUE_OUT)
    ann.does("Throw is over")
    assert ann.sees("by the camera")


def test_a_refusal_of_the_match_is_seen_on_the_phone(table: Table, sit: Sit) -> None:
    ann = sit(table, "red", "Ann")
    ann.does("Throw is over")
    assert ann.sees("no ruling: the camera has not looked at the table yet")


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
    table.lies(BLUE_OUT)
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


@pytest.mark.nightly
def test_a_phone_keeps_its_seat_when_the_table_is_started_again(tmp_path: Path, sit: Sit) -> None:
    first = Table(tmp_path)
    ann = sit(first, "red", "Ann")
    first.lies(BLUE_OUT)
    ann.does("Throw is over")
    assert ann.sees("throws a samurai")
    first.ends()
    assert ann.sees("Not connected")
    again = Table(tmp_path, first.server.port)
    try:
        assert ann.no_longer_sees("Not connected")
        assert ann.sees("Blind")
        assert ann.sees("throws a samurai")
        assert ann.can_tap("Undo")
    finally:
        again.ends()
