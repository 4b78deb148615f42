"""Dice that were taken half beside where they are, as a bright side makes them: found again by the edges they ought to
show."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from tests.scenes import KIT, WIDE_LENS, empire_die
from tests.vision.eyes.test_oblique_faces import SHAPES
from vision.measure import cube_fit, white_squares
from vision.measure.bodies import Place, upright
from vision.measure.colors import colors_of
from vision.measure.prepared import PreparedImage, prepare
from vision.measure.ridges import show_dice
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Scene
from vision.tables.eyes import detect

DICE_MM = {"near": (155.0, 117.0, 38.0), "far": (54.0, 496.0, 57.0), "right": (800.0, 300.0, 15.0)}
DIE = SHAPES.empire_die


@lru_cache(maxsize=1)
def image() -> PreparedImage:
    dice = [empire_die("red", (x, y), angle_deg=angle, id=name) for name, (x, y, angle) in DICE_MM.items()]
    pose = overhead(WIDE_LENS, height_mm=1050)
    return prepare(Renderer(KIT, pose).picture(Scene(bodies=tuple(dice))), pose, KIT)


def place_at(name: str, aside_mm: float, axis: int) -> Place:
    x, y, angle = DICE_MM[name]
    true = upright(x, y, DIE.half_height_mm, angle)
    return Place(true.middle_mm + aside_mm * true.axes[:, axis], true.axes)


@pytest.mark.nightly
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
    (found,) = cube_fit.relocated(image(), DIE, show_dice(image(), DIE, [place_at(name, aside_mm, axis)])).places
    assert np.hypot(*(found.middle_mm[:2] - DICE_MM[name][:2])) < 0.5


@pytest.mark.nightly
def test_dice_that_are_met_are_left_as_they_are() -> None:
    shown = show_dice(image(), DIE, [place_at(name, 0.0, 0) for name in DICE_MM])
    assert cube_fit.relocated(image(), DIE, shown) is shown


def test_a_die_that_is_found_by_two_of_its_faces_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed 603, throw 55: the eye that nobody could remove was the same die once more, and no press helped."""
    find = white_squares.find_squares
    monkeypatch.setattr(white_squares, "find_squares", lambda *args: 2 * tuple(find(*args)))
    _, dice = detect._dice(image(), colors_of(image()), SHAPES, [])
    assert len(dice) == len(DICE_MM)
