"""The patterns of dice tops against tops drawn another way."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.measure.pip_patterns import PATTERNS, PIP_PITCH, PIP_RADIUS, patterns
from vision.tables.eyes.ninjas import match_roughly

SIDE_MM, CELL_MM = 16.0, 0.8


def _drawn(value: int, angle_deg: float, light: float = 0.6) -> np.ndarray:  # type: ignore[type-arg]
    """A black top with its pips on a grey table, its middle at the middle pixel."""
    scale, size = 10, 61
    big = np.full((size * scale, size * scale), 0.3, np.float32)
    middle = (size * scale - 1) / 2
    px = scale / CELL_MM
    c, s = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
    turn = np.array([[c, -s], [s, c]])
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * SIDE_MM / 2 @ turn.T * px + middle
    cv2.fillConvexPoly(big, np.round(corners).astype(np.int32), 0.05)
    for pip in PATTERNS[value][0]:
        x, y = np.array(pip) * PIP_PITCH * SIDE_MM @ turn.T * px + middle
        cv2.circle(big, (round(float(x)), round(float(y))), round(PIP_RADIUS * SIDE_MM * px), light, -1)
    soft = cv2.GaussianBlur(big, (0, 0), 0.5 * px)
    return np.asarray(cv2.resize(soft, (size, size), interpolation=cv2.INTER_AREA))


@pytest.mark.parametrize("value", sorted(PATTERNS))
@pytest.mark.parametrize("angle_deg", [0.0, 17.0, 44.0, 73.0])
def test_each_top_is_known_at_any_turn(value: int, angle_deg: float) -> None:
    known = patterns(SIDE_MM, CELL_MM, 3.0)
    at = np.array([30])
    scores = known.scores(_drawn(value, angle_deg), at, at)[0]
    best = int(scores.argmax())
    assert known.values[best] == value
    assert scores[best] > 0.9
    if value > 1:  # a single pip tells no direction
        apart = abs(known.angles_deg[best] - angle_deg) % 90
        assert min(apart, 90 - apart) <= 3.0


def test_a_one_is_looked_at_beside_a_clearer_two() -> None:
    """On coarse cells pips of walls may look more like a two than a pip like a one: both are looked at closely."""
    flat = np.full((61, 61), 0.3, np.float32)
    flat[:, :30], flat[:, 30:] = _drawn(2, 20.0)[:, 15:45], _drawn(1, 20.0, 0.35)[:, 15:46]
    tops = match_roughly(flat, np.zeros(2), SIDE_MM, lambda xy: np.full(len(xy), True))
    assert tops[0].value == 2
    assert np.hypot(tops[0].x_mm + 12.0, tops[0].y_mm) < 1.5
    ones = [top for top in tops if top.value == 1]
    assert len(ones) == 1
    assert np.hypot(ones[0].x_mm - 12.0, ones[0].y_mm) < 1.5
    assert ones[0].score < tops[0].score
