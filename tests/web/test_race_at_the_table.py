"""The race games on two phones and a table that a camera looks at: an override, an undo put back by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from companion.app.autoplay import Autoplay
from companion.app.playing import Chosen
from companion.games.race.player import RacePlayer
from companion.record.log import read_log
from tests.web.player import Player
from web.site.app import create_app
from web.site.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.slow]

GAMES = ("basic_manipulation", "center_point")


class Table:
    """A virtual table that is drawn, read and judged, with phones about it."""

    def __init__(self, folder: Path, game: str) -> None:
        self.log = folder / "race.db"
        self.at = Autoplay(Chosen(game=game, players=2), 5, self.log)
        app = create_app(self.at.match, join_url="http://192.168.4.1/", max_streams=8)
        self._running = Server(app, "127.0.0.1", 0).running()
        self.url = self._running.__enter__().url
        self.looks(20)

    @property
    def player(self) -> RacePlayer:
        assert isinstance(self.at.player, RacePlayer)
        return self.at.player

    def looks(self, times: int) -> None:
        """So many frames of the camera, all taken in."""
        for _ in range(times):
            self.at.look()

    def rolls(self, value: int) -> None:
        """The die is thrown into the tray, and somebody presses."""
        self.player.roll(value)
        self.at.press()
        self.at.state = self.at.match.state

    def ends(self) -> None:
        self._running.__exit__(None, None, None)
        self.at.match.close()


@pytest.fixture(params=[GAMES[0], *(pytest.param(game, marks=pytest.mark.nightly) for game in GAMES[1:])])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path, request.param)
    yield made
    made.ends()


@pytest.fixture
def pair(table: Table, browser: Browser) -> Iterator[tuple[Player, Player]]:
    """Ann and Ben, the seats in their order."""
    sitting = [
        Player(browser, table.url, seat, name, viewport={"width": 360, "height": 740})
        for seat, name in zip(table.at.game.rules.seats(table.at.state), ("Ann", "Ben"), strict=False)
    ]
    yield sitting[0], sitting[1]
    for one in sitting:
        one.leaves()


def plays_until_a_wrong_move_is_possible(table: Table) -> int:
    """Rolls and moves in turn until a marker is on the way and a die waits; gives what the die shows."""
    at = table.at
    game: Any = at.game
    for value in (5, 2, *(6, 1, 4, 3) * 6):
        table.rolls(value)
        if at.state.die is not None and any(
            m.action.origin != game.shorthand.sheet.home for m in game.rules.legal(at.state) if m.action
        ):
            return value
        while at.state.die is not None:
            at._turn((game.rules.legal(at.state)[0].action,))
    raise AssertionError("no marker came on the way")


@pytest.mark.nightly
def test_a_wrong_move_is_overridden_with_name_and_reason_and_an_undo_is_put_back(
    table: Table, pair: tuple[Player, Player]
) -> None:
    ann, ben = pair
    plays_until_a_wrong_move_is_possible(table)
    before = table.at.match.state
    put_right = table.player.wrong_move(before)
    assert put_right is not None
    table.at.press()
    for one in pair:  # nothing is entered, both are asked
        assert one.sees("The entry is right")
    assert table.at.match.state == before
    ben.page.locator("#question .answer", has_text="The table is right").or_(
        ben.page.locator("#question .answer", has_text="Play on with the table")
    ).first.click()
    ben.picks("We all agree")
    ben.does("Confirm")
    assert ann.no_longer_sees("The entry is right")
    answered = [entry for entry in read_log(table.log) if entry.kind == "answered"][-1]
    assert (answered.by, answered.body.reason) == ("Ben", "We all agree")
    assert table.at.match.state != before

    ann.taps("Undo")
    ann.does("Take it back")
    assert ben.sees("Taken back. Now put back:")
    assert table.at.match.state == before  # the corrected roll is taken back with the move
    put_right()
    table.looks(14)
    assert ben.sees("Everything is back in its place")


def test_what_is_taken_back_is_listed_drawn_and_seen_to_be_done(table: Table, pair: tuple[Player, Player]) -> None:
    ann, _ = pair
    plays_until_a_wrong_move_is_possible(table)
    lay, before = table.at.table.saved(), table.at.match.state
    table.at._turn((table.at.game.rules.legal(before)[0].action,))
    assert ann.has_heard(table.at.match.view().seq)
    ann.taps("Undo")
    ann.does("Take it back")
    for one in pair:
        assert one.sees("Taken back. Now put back:")
        expect(one.page.locator("#putback .race-board .way-back")).to_have_count(1)
    table.at.table.restore(lay)
    table.looks(14)
    for one in pair:
        assert one.sees("Everything is back in its place")
    assert table.at.match.state == before
