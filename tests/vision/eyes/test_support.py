"""How pieces come to rest, and how deep rounded bodies lie in a disk: geometry against known figures."""

from __future__ import annotations

import math

import numpy as np
import pytest

from companion.game.table import Disk, Outline, overlap_mm
from vision.measure import bodies
from vision.tables.eyes import support

LAND = bodies.disk(220.0, 3.0, 0.5, 240)
SAMURAI = bodies.disk(45.0, 4.0, 0.6, 72)
DIE = bodies.cube(28.0, 1.6)
ON_LAND = [support.support_of(LAND, bodies.upright(0.0, 0.0, 1.5))]


def test_a_piece_beside_a_territory_lies_flat_on_the_table() -> None:
    under = support.underside_at_rest(SAMURAI, bodies.upright(133.0, 0.0, 2.0), ON_LAND)
    assert under.is_flat
    assert under.height_mm == 0.0


def test_a_piece_inside_a_territory_lies_flat_on_it() -> None:
    under = support.underside_at_rest(SAMURAI, bodies.upright(40.0, 20.0, 2.0), ON_LAND)
    assert under.height_mm == pytest.approx(3.0, abs=0.02)
    assert abs(under.slope_x) + abs(under.slope_y) < 0.01


def test_a_die_on_a_rim_stands_on_its_far_edge() -> None:
    under = support.underside_at_rest(DIE, bodies.upright(121.0, 0.0, 14.0), ON_LAND)
    # 3 mm of rim under 28 - 1.6 mm of die, and a little less where it lies further in
    assert math.degrees(math.atan(-under.slope_x)) == pytest.approx(7.4, abs=0.6)
    assert abs(under.slope_y) < 0.01


def test_a_hinged_die_leans_like_one_that_sinks_as_low_as_it_can() -> None:
    place = bodies.upright(121.0, 0.0, 14.0)
    lowest = support.underside_at_rest(DIE, place, ON_LAND)
    sides = [np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.array([-1.0, 0.0]), np.array([0.0, -1.0])]
    leans = [lean for side in sides if (lean := support.leaning_underside(DIE, place, side, ON_LAND)) is not None]
    assert any(abs(lean.slope_x - lowest.slope_x) < 0.02 and abs(lean.slope_y) < 0.01 for lean in leans)


def test_a_laid_body_touches_what_it_lies_on() -> None:
    place = bodies.upright(121.0, 0.0, 14.0)
    laid = support.place_on(place, DIE, support.underside_at_rest(DIE, place, ON_LAND))
    lowest = laid.points(DIE.core_mm)[:, 2].min() - DIE.round_mm
    assert lowest == pytest.approx(0.0, abs=0.15)


@pytest.mark.parametrize("angle_deg", [0.0, 17.0, 45.0])
@pytest.mark.parametrize("x_mm", [100.0, 124.0, 130.0])
def test_the_depth_in_a_disk_agrees_with_the_outline(angle_deg: float, x_mm: float) -> None:
    place = bodies.upright(x_mm, 7.0, 14.0, angle_deg)
    outline = Outline(tuple((float(x), float(y)) for x, y in bodies.footprint(DIE, place, steps=40)))
    expected = overlap_mm(outline, Disk(0.0, 0.0, 110.0))
    assert bodies.depth_in_disk(DIE, place, np.zeros(2), 110.0) == pytest.approx(expected, abs=0.01)


def test_a_disks_footprint_is_its_circle() -> None:
    outline = bodies.footprint(SAMURAI, bodies.upright(0.0, 0.0, 2.0))
    far = np.hypot(outline[:, 0], outline[:, 1])
    assert far.min() > 22.4
    assert far.max() < 22.56
