"""Solids, turns, footprints: what a scene says of itself."""

from __future__ import annotations

import numpy as np
import pytest

from companion.game.table import Disk, Outline, overlap_mm
from tests.scenes import KIT, WIDE_LENS, empire_die, ninja, samurai, territory
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Scene, about
from vision.sim.shown import overlaps, stacks
from vision.sim.solids import front_last


@pytest.mark.parametrize("value", [1, 2, 3, 4, 5, 6])
def test_a_ninja_lies_with_the_face_asked_for_upward(value: int) -> None:
    assert ninja(value, (500, 350), angle_deg=33).value == value


@pytest.mark.parametrize(("apart_mm", "still_in"), [(123, True), (124.0001, False), (125, False)])
def test_instructions_9_a_die_that_only_touches_is_out(apart_mm: float, still_in: bool) -> None:
    land = territory("blue", at=(600, 350))  # radius 110
    die = empire_die("blue", at=(600 + apart_mm, 350))  # side 28, square on
    assert (overlap_mm(die.footprint, land.footprint) > 0) is still_in


def test_a_leaning_disk_is_narrower_by_its_cosine_and_wider_by_its_rim() -> None:
    disk = samurai("red", (500, 350))
    assert disk.footprint == Disk(500, 350, 22.5)
    leaning = disk.moved(turn=about((0.0, 1.0, 0.0), 20.0)).footprint
    assert isinstance(leaning, Outline)
    across = max(x for x, _ in leaning.points_mm) - 500
    ring, half = 22.5 - 0.6, 2 - 0.6
    assert across == pytest.approx(ring * np.cos(np.radians(20)) + half * np.sin(np.radians(20)) + 0.6, abs=0.01)


def test_truth_tells_margins_and_stacks() -> None:
    low, high = samurai("red", (620, 400), on_mm=3, id="low"), samurai("red", (640, 400), on_mm=7, id="high")
    scene = Scene(bodies=(territory("red"), territory("blue"), low, high))
    margin = {(o.piece, o.over): o.margin_mm for o in overlaps(scene)}
    assert margin["low", "territory_red"] == pytest.approx(110 + 22.5 - np.hypot(620 - 377.5, 50))
    assert margin["low", "territory_blue"] > 0
    assert stacks(scene) == (("high", "low"),)


LEANING = {
    "die": (empire_die("blue", (620.209, 228.075)), 15.505, (0.94604, 0.020695, -0.061673, 0.317454), (508.6, 411.5)),
    "samurai": (samurai("blue", (634.295, 485.928)), 6.481, (0.994619, -0.010155, 0.103106, 0.0), (571.7, 432.4)),
}
"""On a territory: the piece, the height of its middle, its turn, and where the camera hangs."""


@pytest.mark.parametrize("name", LEANING)
def test_what_leans_on_a_rim_is_drawn_over_it(name: str) -> None:
    """No plane along a face of either parts the two."""
    piece, height_mm, turn, over_mm = LEANING[name]
    piece = piece.moved(at_mm=(*piece.at_mm[:2], height_mm), turn=turn)
    land = territory("blue", at=(628.215, 354.908) if name == "die" else (627.071, 354.666))
    assert front_last((piece, land), np.array([*over_mm, 1150.0])) == [land, piece]


def test_three_that_lean_on_each_other_are_drawn_from_the_lowest_up() -> None:
    """The first and the third do not hide each other: the plane that parts them must not count."""
    low = samurai("red", (309.609, 299.6754), on_mm=3.0, id="low")
    middle = samurai("red", (0, 0), id="middle").moved(
        at_mm=(270.7099, 287.1946, 5.7361), turn=(0.996283, 0.025005, -0.08243, 0.0)
    )
    high = samurai("blue", (0, 0), id="high").moved(
        at_mm=(244.0958, 263.3167, 4.9579), turn=(0.997684, 0.019746, -0.065093, 0.0)
    )
    order = front_last((high, middle, low), np.array([531.58, 463.01, 1064.95]))
    assert order.index(high) > order.index(middle)
    pose = overhead(WIDE_LENS, height_mm=1064.95, aim_mm=(531.58, 463.01))
    picture = Renderer(KIT, pose).picture(Scene(bodies=(high, middle, low)))
    column, row = np.rint(pose.to_pixels(np.array([[257.4, 275.3, 8.0]]))[0]).astype(int)
    blue, _, red = picture[row, column].astype(int)
    assert blue > red + 40
