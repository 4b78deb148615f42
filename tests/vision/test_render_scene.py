"""Solids, turns, footprints: what a scene says of itself."""

from __future__ import annotations

import numpy as np
import pytest

from companion.table import Disk, Outline, overlap_mm
from tests.scenes import empire_die, ninja, samurai, territory
from vision.order import front_last
from vision.scene import Scene, about, rotation_of, times
from vision.truth import overlaps, stacks


@pytest.mark.parametrize("value", [1, 2, 3, 4, 5, 6])
def test_a_ninja_lies_with_the_face_asked_for_upward(value: int) -> None:
    assert ninja(value, (500, 350), angle_deg=33).value == value


def test_opposite_faces_of_a_ninja_sum_to_seven() -> None:
    over = about((1.0, 0.0, 0.0), 180.0)
    for value in range(1, 7):
        die = ninja(value, (500, 350))
        assert die.moved(turn=times(over, die.turn)).value == 7 - value


def test_turns_turn_x_towards_y() -> None:
    assert rotation_of(about((0.0, 0.0, 1.0), 90.0)) @ (1, 0, 0) == pytest.approx((0, 1, 0))


@pytest.mark.parametrize(("apart_mm", "still_in"), [(123, True), (124.0001, False), (125, False)])
def test_instructions_9_a_die_that_only_touches_is_out(apart_mm: float, still_in: bool) -> None:
    land = territory("blue", at=(600, 350))  # radius 110
    die = empire_die("blue", at=(600 + apart_mm, 350))  # side 28, square on
    assert (overlap_mm(die.footprint, land.footprint) > 0) is still_in


def test_a_bevel_draws_a_corner_in_and_leaves_a_side() -> None:
    die = empire_die("red", (500, 350), angle_deg=45)
    assert isinstance(die.footprint, Outline)
    assert isinstance(die.ideal_footprint, Outline)
    reach, sharp = (max(x for x, _ in f.points_mm) - 500 for f in (die.footprint, die.ideal_footprint))
    assert sharp == pytest.approx(14 * 2**0.5)
    assert reach == pytest.approx((14 - 1.6) * 2**0.5 + 1.6, abs=0.01)
    square_on = empire_die("red", (500, 350)).footprint
    assert isinstance(square_on, Outline)
    assert max(x for x, _ in square_on.points_mm) == pytest.approx(514, abs=0.01)


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


def test_the_piece_nearer_the_camera_is_drawn_last() -> None:
    east, west = empire_die("red", (540, 350), id="east"), empire_die("red", (508, 350), id="west")
    assert front_last((east, west), np.array([900.0, 350.0, 400.0]))[-1] is east
    assert front_last((east, west), np.array([100.0, 350.0, 400.0]))[-1] is west
    lower, upper = samurai("red", (500, 350), id="lower"), samurai("red", (505, 350), on_mm=4, id="upper")
    assert front_last((upper, lower), np.array([100.0, 350.0, 900.0]))[-1] is upper
