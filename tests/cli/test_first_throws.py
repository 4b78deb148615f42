"""The first minute at the virtual table: a throw by a plain press is ruled without a needless question."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from companion.app.autoplay import MOST_FRAMES, Clock, DrawnFrames
from companion.app.camera_loop import CameraLoop, watch_of
from companion.game.brought import default_kit
from companion.game.known import game_named
from companion.game.view import MatchView
from companion.match.inputs import EndThrow, RefereeCame
from companion.match.match import Match
from companion.match.referee import Thresholds
from companion.record.log import Log
from vision.sim.virtual import VirtualTable

GAME = "eyes_of_the_emperor"
SEEDS = range(1, 31)
FALLS_S = 4.0
SETTLES = 16
"""Frames after which a table that nobody touches has been looked at."""


def first_throw(folder: Path, seed: int) -> MatchView:
    """What the phones show after both have thrown by a plain press and the throw was ended."""
    clock, game, kit = Clock(), game_named(GAME), default_kit(GAME)
    table = VirtualTable(kit, seed=seed, clock=clock, wait=clock.wait)
    loop = CameraLoop(DrawnFrames(table, clock), watch_of(game, table.lens, kit, None, rest_s=0.4))
    thresholds = Thresholds(answer_s=0.0, objection_s=0.0, hint_s=0.0)
    match: Match[Any, Any] = Match(
        game, Log(folder / f"{seed}.db"), wall_s=clock, monotonic_s=clock, thresholds=thresholds, kit=kit
    )

    def look() -> MatchView:
        loop.advance(match)
        match.submit(RefereeCame(entry=0, by="nobody"))  # refused; what was on the queue before it is done by then
        return match.view()

    try:
        for _ in range(SETTLES):
            look()
        lands = {p["color"]: (p["x_mm"], p["y_mm"]) for p in table.state()["pieces"] if p["kind"] == "territory"}
        for seat, other, x_mm in (("red", "blue", -60.0), ("blue", "red", kit.mat.width_mm + 60.0)):
            from_mm = (x_mm, kit.mat.height_mm / 2)
            table.throw(seat, "ninja", from_mm, lands[other], min(1.0, math.dist(from_mm, lands[other]) / 950.0))
        clock.wait(FALLS_S)
        match.submit(EndThrow(by="Ann"))
        return next(view for _ in range(MOST_FRAMES) if (view := look()).waiting is None)
    finally:
        match.close()


@pytest.mark.nightly
def test_nine_of_ten_first_throws_are_ruled_without_a_question(tmp_path: Path) -> None:
    views = [first_throw(tmp_path, seed) for seed in SEEDS]
    asked = [str(view.question.says) for view in views if view.question is not None]
    assert len(asked) <= len(SEEDS) // 10, asked
    ruled = [view for view in views if view.question is None]
    assert all(view.last and view.refused is None for view in ruled)
    assert sum(view.last[0].margin_mm is not None for view in ruled) >= len(ruled) - 1
