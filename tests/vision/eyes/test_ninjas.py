"""Ninjas that lean, stand on something, or show no clear pips."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.game.readings import Kind
from tests.scenes import KIT
from vision.measure.bodies import Fit, upright
from vision.measure.pip_patterns import PATTERNS, PIP_PITCH, PIP_RADIUS, patterns
from vision.tables.eyes import ninjas
from vision.tables.eyes.pieces import Detection, Shapes

SIDE_MM = KIT.piece(Kind.NINJA).size_mm("side")


# ---- What looks like a ninja and is none.


def told(x_mm: float, value: int | None, confidence: float) -> Detection:
    solid = Shapes.of(KIT).ninja
    fit = Fit(upright(x_mm, 200.0, solid.half_height_mm), np.eye(6), 1.0, 1.0, 1.0, 0.0)
    return Detection(Kind.NINJA, "black", solid, fit, value=value, confidence=confidence)


def test_what_lies_between_two_dice_is_none() -> None:
    """Their walls and shadows may look like a die of which the pips are not clear."""
    clear = [told(200.0, 4, 0.95), told(223.4, 2, 0.95)]
    between, alone = told(211.7, 2, 0.8), told(300.0, 2, 0.8)
    assert ninjas.without_walls([*clear, between, alone], []) == [*clear, alone]


@pytest.mark.parametrize(("x_mm", "is_kept"), [(213.9, False), (215.5, True)])
def test_the_wall_of_a_ninja_is_no_ninja_inside_it(x_mm: float, is_kept: bool) -> None:
    """Virtual table, seed 3, throw 33: the three pips of a wall beside a samurai were told as a ninja with 0.83."""
    clear, wall = told(200.0, 1, 0.95), told(x_mm, 3, 0.83)
    assert (wall in ninjas.without_walls([clear, wall], [])) is is_kept


# ---- The patterns of dice tops against tops drawn another way.


CELL_MM = 0.8


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
@pytest.mark.parametrize("angle_deg", [0.0, 17.0])
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
