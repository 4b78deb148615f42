"""Places in a picture, few and many."""

from __future__ import annotations

import numpy as np
import pytest

from tests.scenes import WIDE_LENS
from vision.measure.bodies import View
from vision.measure.limits import LIMITS
from vision.sim.render import overhead


@pytest.mark.parametrize(
    "count", [0, 1, 2, LIMITS.few_points - 1, LIMITS.few_points, LIMITS.few_points + 1, 3 * LIMITS.few_points]
)
def test_few_points_are_seen_where_many_are(count: int) -> None:
    view = View(overhead(WIDE_LENS, tilt_deg=7, toward_deg=40, roll_deg=3))
    points = np.random.default_rng(count).random((count, 3)) * (1000.0, 700.0, 30.0)
    pixels = view.to_pixels(points)
    assert pixels.shape == (count, 2)
    np.testing.assert_allclose(pixels, view.project(points)[0], atol=1e-8)
    np.testing.assert_allclose(view.to_pixels(np.asfortranarray(points)), pixels, atol=1e-8)
