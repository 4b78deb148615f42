"""An empire die's eye seen at a glance angle, under a mirrored lamp, or settled by the other dice."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from calibration.lens import Lens
from calibration.pose import find_pose
from companion.game.readings import Kind
from tests.scenes import KIT, empire_die, shared_renderer
from vision.measure import bodies
from vision.measure.prepared import PreparedImage, prepare
from vision.sim.scene import Scene
from vision.tables.eyes import eye_owner, oblique_faces
from vision.tables.eyes.detect import _owned
from vision.tables.eyes.pieces import Detection, Shapes

LENS = Lens(
    width_px=1920,
    height_px=1080,
    fx_px=1460.0,
    fy_px=1462.0,
    cx_px=952.0,
    cy_px=544.0,
    distortion=(-0.03, 0.012, -0.0005, 0.0003, 0.0),
    rms_px=0.1,
)
SHAPES = Shapes.of(KIT)
TURNS = (0.0, 90.0, 180.0, 270.0)
PLACES = {("red", turn): (690.0, 100.0 + 150 * i) for i, turn in enumerate(TURNS)} | {
    ("blue", turn): (310.0, 100.0 + 150 * i) for i, turn in enumerate(TURNS)
}
"""Dice about 190 mm beside the camera's foot: their inner sides are seen at some 10 degrees."""


@lru_cache(maxsize=1)
def image() -> PreparedImage:
    scene = Scene(
        bodies=tuple(
            empire_die(color, at, angle_deg=turn, id=f"{color}{turn:.0f}") for (color, turn), at in PLACES.items()
        )
    )
    picture = shared_renderer(LENS, height_mm=1100).picture(scene)
    return prepare(picture, find_pose(picture, LENS, KIT), KIT)


def place_of(color: str, turn: float) -> bodies.Place:
    x, y = PLACES[color, turn]
    return bodies.upright(x, y, SHAPES.empire_die.half_height_mm, turn)


def marks_of(color: str, turn: float) -> list[oblique_faces.EyeFit]:
    return eye_owner._marks_on(image(), SHAPES.empire_die, place_of(color, turn))[1]


def inner_turn(color: str) -> float:
    """The turn that shows the eye to the camera: the only one whose inner side is marked."""
    inner = {turn: max((m.share for m in marks_of(color, turn)), default=0.0) for turn in TURNS}
    return max(inner, key=inner.__getitem__)


@pytest.mark.parametrize("color", ["red", "blue"])
def test_an_eye_on_a_side_seen_flat_tells_its_owner(color: str) -> None:
    turn = inner_turn(color)
    found = eye_owner.read_eye(image(), SHAPES.empire_die, place_of(color, turn))
    assert found == (color, False, None)


@pytest.mark.parametrize("color", ["red", "blue"])
def test_an_eye_turned_away_is_not_invented(color: str) -> None:
    opposite = (inner_turn(color) + 180.0) % 360
    owner, is_up, reason = eye_owner.read_eye(image(), SHAPES.empire_die, place_of(color, opposite))
    assert (owner, is_up) == (None, False)
    assert reason


def dice(*colors: str | None) -> list[Any]:
    fit = bodies.Fit(bodies.upright(0.0, 0.0, 14.0), np.eye(6), 1.0, 1.0, 1.0, 0.0)
    return [Detection(Kind.EMPIRE_DIE, color, SHAPES.empire_die, fit, marked_up=False, reason="?") for color in colors]


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        (("red", "red", None, "blue"), ("red", "red", "blue", "blue")),
        (("red", "red", None), ("red", "red", "blue")),
        (("red", None, "blue", None), ("red", None, "blue", None)),
        (("red", "red", "blue", "blue", None), ("red", "red", "blue", "blue", None)),
    ],
)
def test_when_one_sides_dice_are_all_seen_the_rest_are_the_others(
    seen: tuple[str | None, ...], told: tuple[str | None, ...]
) -> None:
    assert tuple(die.color for die in _owned(dice(*seen), 2)) == told
