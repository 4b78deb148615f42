"""A virtual table with a camera that reports to a hub: simulated seconds, a small picture, nothing else feigned."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from companion.app.autoplay import Clock, DrawnFrames
from companion.app.camera_loop import CameraLoop, watch_of
from companion.app.door import AnyMatch, TableDoor
from companion.app.playing import MatchChoice
from companion.app.reporting import Reporter
from companion.event.hub.link import LocalTransports
from companion.game.brought import default_kit
from companion.game.game import Game, seats_of
from companion.game.view import MatchView, Sight
from companion.match.inputs import EndThrow, RefereeCame
from companion.match.referee import Thresholds
from tests.scenes import SMALL_LENS
from vision.sim.virtual import VirtualTable

FALLS_S = 4.0
MOST_FRAMES = 60


class SmallEyes:
    """A virtual table and its camera, which looks when it is told to."""

    def __init__(self, game: Game[Any, Any], chosen: MatchChoice, clock: Clock) -> None:
        self.kit = default_kit(game.name)
        state = chosen.start(game)
        layout, seats = game.table.layout(state).pieces, seats_of(game, state)
        self.table = VirtualTable(
            self.kit, SMALL_LENS, layout=layout, seats=seats, seed=1, clock=clock, wait=clock.wait
        )
        self._loop = CameraLoop(DrawnFrames(self.table, clock), watch_of(game, SMALL_LENS, self.kit, None, rest_s=0.4))

    def start(self, match: AnyMatch) -> None:
        self._match = match

    def stop(self) -> None:
        """No thread looks."""

    def live(self) -> bytes | None:
        return None

    def looks_until(self, holds: Callable[[MatchView], bool]) -> MatchView:
        """Frame after frame, until what the phones show is so."""
        for _ in range(MOST_FRAMES):
            self._loop.advance(self._match)
            self._match.submit(RefereeCame(entry=0, by="nobody"))  # what was on the queue before it is done by then
            if holds(view := self._match.view()):
                return view
        raise AssertionError(f"never seen: {view.sight}, {view.question}")


class CameraTable:
    """One such table; its reporter is the product's own thread."""

    def __init__(self, box: str, folder: Path, clock: Clock, transports: LocalTransports) -> None:
        self.box, self._clock = box, clock
        self.door = TableDoor(folder, self._opens, thresholds=Thresholds(answer_s=0.0, objection_s=0.0, hint_s=0.0))
        self.reporter = Reporter(self.door, box, folder / "hub")
        self.reporter.begin(lambda end: transports.at_table(box, end.heard, end.opened))

    def _opens(self, game: Game[Any, Any], chosen: MatchChoice) -> SmallEyes:
        self._eyes = SmallEyes(game, chosen, self._clock)
        return self._eyes

    def plays(self, winner: int) -> MatchView:
        """Eyes of the Emperor in four throws: out with the dice of `winner`'s opponent. Three samurai, one a throw,
        then occupy their land, where both eyes look up. Every ruling comes by the camera alone."""
        mine, theirs = (("red", "blue"), ("blue", "red"))[winner]
        table = self._eyes.table
        self._eyes.looks_until(lambda view: view.sight.state is Sight.SEES)
        x_mm, y_mm = next(
            (each["x_mm"], each["y_mm"])
            for each in table.state()["pieces"]
            if (each["kind"], each["color"]) == ("territory", theirs)
        )
        for number, at_mm in ((2, (850.0, 120.0)), (1, (850.0, 580.0))):  # the upper one first
            table.move(f"empire_die_{theirs}_{number}", *at_mm)
            table.face_up(f"empire_die_{theirs}_{number}", 2, 1)
        view = self._throw((150.0, 650.0), (200.0, 650.0))
        assert f"both {theirs} empire dice are out: {mine} throws samurai" in map(
            str, (each.says for each in view.last)
        )
        for number, (dx_mm, dy_mm) in enumerate(((-40.0, -40.0), (40.0, -40.0), (0.0, 45.0))):
            table.place("samurai", mine, x_mm + dx_mm, y_mm + dy_mm)
            view = self._throw((260.0 + 40.0 * number, 650.0))
        return view

    def _throw(self, *ninjas_mm: tuple[float, float]) -> MatchView:
        for at_mm in ninjas_mm:
            self._eyes.table.place("ninja", "black", *at_mm)
        self._clock.wait(FALLS_S)
        self.door.submit(EndThrow(by="Ann"))
        return self._eyes.looks_until(lambda view: view.waiting is None)

    def close(self) -> None:
        self.reporter.close()
        self.door.close()
