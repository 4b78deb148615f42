"""Dice that were taken half beside where they are, as a bright side makes them: found again by the edges they ought to
show."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from tests.scenes import KIT, WIDE_LENS, empire_die
from tests.vision.test_eyes_grazing import SHAPES
from vision.eyes import cubes
from vision.eyes.bodies import Place, upright
from vision.eyes.rims import Fit
from vision.eyes.sight import Sight, see
from vision.render import Renderer, overhead
from vision.scene import Scene

DICE_MM = {"near": (155.0, 117.0, 38.0), "far": (54.0, 496.0, 57.0), "right": (800.0, 300.0, 15.0)}
DIE = SHAPES.empire_die


@lru_cache(maxsize=1)
def sight() -> Sight:
    dice = [empire_die("red", (x, y), angle_deg=angle, id=name) for name, (x, y, angle) in DICE_MM.items()]
    pose = overhead(WIDE_LENS, height_mm=1050)
    return see(Renderer(KIT, pose).picture(Scene(bodies=tuple(dice))), pose, KIT)


def fit_at(name: str, aside_mm: float, axis: int) -> Fit:
    x, y, angle = DICE_MM[name]
    true = upright(x, y, DIE.half_height_mm, angle)
    place = Place(true.middle_mm + aside_mm * true.axes[:, axis], true.axes)
    return Fit(place, np.eye(6), 1.0, 1.0, 1.0, 0.5)


@pytest.mark.parametrize(
    ("name", "aside_mm", "axis"),
    [
        ("near", 6.5, 0),
        ("near", -6.5, 0),
        ("near", 8.0, 1),
        ("near", -8.0, 1),
        ("far", 8.0, 1),
        ("far", -8.0, 1),
        ("right", 6.5, 0),
        ("right", -6.5, 0),
        ("right", -8.0, 1),
    ],
)
def test_a_die_taken_half_beside_itself_is_found_again(name: str, aside_mm: float, axis: int) -> None:
    (found,) = cubes.found_again(sight(), DIE, [fit_at(name, aside_mm, axis)])
    assert np.hypot(*(found.place.middle_mm[:2] - DICE_MM[name][:2])) < 0.5


def test_dice_that_are_met_are_left_as_they_are() -> None:
    fits = cubes.fit_cubes(sight(), DIE, [fit_at(name, 0.0, 0).place for name in DICE_MM])
    found = cubes.found_again(sight(), DIE, fits)
    assert all(a is b for a, b in zip(fits, found, strict=True))


def test_no_dice_are_found_again_as_none() -> None:
    assert cubes.found_again(sight(), DIE, []) == []
