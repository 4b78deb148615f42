"""Whose eye a side bears that is seen nearly edge-on."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
import pytest

from calibration.lens import Lens
from calibration.pose import find_pose
from tests.scenes import KIT, empire_die, shared_renderer
from vision.measure import bodies
from vision.measure.prepared import PreparedImage, prepare
from vision.sim.scene import Body, Scene
from vision.tables.eyes import edge_on_sides, eye_owner
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Shapes

pytestmark = pytest.mark.nightly

LENS = Lens(
    width_px=2304,
    height_px=1296,
    fx_px=1790.0,
    fy_px=1792.0,
    cx_px=1150.0,
    cy_px=650.0,
    distortion=(-0.03, 0.012, -0.0005, 0.0003, 0.0),
    rms_px=0.1,
)
SHAPES = Shapes.of(KIT)
HALF_MM = SHAPES.empire_die.half_height_mm
OUT_MM = (64.0, 76.0, 88.0)
"""So far beside the camera's foot an inner side is seen at 2.6 to 3.9 degrees, two to three pixels high."""
ROWS_MM = (60.0, 110.0, 590.0)
QUALITY = 92


def dice(color: str, turn: float) -> list[Body]:
    """Three dice of one owner beside the camera's foot, turned alike."""
    return [
        empire_die(color, (500.0 + out, y), angle_deg=turn, id=f"{color}{y:.0f}")
        for out, y in zip(OUT_MM, ROWS_MM, strict=True)
    ]


@lru_cache(maxsize=8)
def image(color: str, turn: float) -> PreparedImage:
    shown = shared_renderer(LENS, height_mm=1150).picture(Scene(bodies=tuple(dice(color, turn))))
    _, data = cv2.imencode(".jpg", shown, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    picture = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return prepare(picture, find_pose(picture, LENS, KIT), KIT)


def place_of(die: Body, turn: float) -> bodies.Place:
    return bodies.upright(die.at_mm[0], die.at_mm[1], HALF_MM, turn)


def inner_side(die: Body, turn: float, seen: PreparedImage) -> tuple[int, float, float]:
    """The body axis and sign of the side that faces the camera's foot, and its cosine."""
    sides = bodies.faces_seen(seen.view, SHAPES.empire_die, place_of(die, turn), LIMITS.min_edge_on_cosine)
    return next(
        (axis, sign, cosine) for axis, sign, cosine, is_up in sides if not is_up and cosine < LIMITS.max_edge_on_cosine
    )


def marked_turn(color: str) -> float:
    """The turn at which the eye looks at the camera's foot: the die's marked side is its third axis's."""
    for turn in (0.0, 90.0, 180.0, 270.0):
        if dice(color, turn)[0].rotation[0, 2] < -0.9:
            return turn
    raise AssertionError("no turn shows the eye")


@pytest.mark.parametrize("color", ["red", "blue"])
def test_an_eye_two_pixels_high_tells_its_owner(color: str) -> None:
    turn = marked_turn(color)
    seen = image(color, turn)
    for die in dice(color, turn):
        assert inner_side(die, turn, seen)[2] < 0.08
        assert eye_owner.read_eye(seen, SHAPES.empire_die, place_of(die, turn)) == (color, False, None)


@pytest.mark.parametrize("color", ["red", "blue"])
def test_a_side_without_an_eye_tells_none(color: str) -> None:
    turn = (marked_turn(color) + 180.0) % 360
    seen = image(color, turn)
    for die in dice(color, turn):
        axis, sign, _ = inner_side(die, turn, seen)
        glimpse = edge_on_sides.fit_edge_on_eye(seen, place_of(die, turn), HALF_MM, axis, sign)
        assert glimpse.color is None
        assert eye_owner.read_eye(seen, SHAPES.empire_die, place_of(die, turn))[:2] == (None, False)
