"""How pieces come to rest, and how deep rounded bodies lie in a disk: geometry against known figures."""

from __future__ import annotations

import math

import numpy as np
import pytest

from companion.game.table import Disk, Outline, overlap_mm
from vision.measure import bodies
from vision.tables.eyes import support

LAND = bodies.disk(220.0, 3.0, 0.5, 240)
DIE = bodies.cube(28.0, 1.6)
ON_LAND = [support.support_of(LAND, bodies.upright(0.0, 0.0, 1.5))]


def test_a_die_on_a_rim_stands_on_its_far_edge() -> None:
    under = support.underside_at_rest(DIE, bodies.upright(121.0, 0.0, 14.0), ON_LAND)
    # 3 mm of rim under 28 - 1.6 mm of die, and a little less where it lies further in
    assert math.degrees(math.atan(-under.slope_x)) == pytest.approx(7.4, abs=0.6)
    assert abs(under.slope_y) < 0.01


@pytest.mark.parametrize("angle_deg", [0.0, 17.0, 45.0])
@pytest.mark.parametrize("x_mm", [100.0, 124.0, 130.0])
def test_the_depth_in_a_disk_agrees_with_the_outline(angle_deg: float, x_mm: float) -> None:
    place = bodies.upright(x_mm, 7.0, 14.0, angle_deg)
    outline = Outline(tuple((float(x), float(y)) for x, y in bodies.footprint(DIE, place, steps=40)))
    expected = overlap_mm(outline, Disk(0.0, 0.0, 110.0))
    assert bodies.depth_in_disk(DIE, place, np.zeros(2), 110.0) == pytest.approx(expected, abs=0.01)
