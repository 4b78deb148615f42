"""Dice that barely lean on a rim: their tilt hangs on half a millimetre, and must not hang on where one starts."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from calibration.pose import find_pose
from companion.game.margin import Call
from companion.game.readings import SURE, EyesReading, Kind
from tests.scenes import KIT, empire_die, samurai, shared_renderer, territory
from tests.vision.eyes.test_oblique_faces import LENS, SHAPES
from tests.vision.wide_table import read
from vision.measure.bodies import Place, depth_in_disk, upright
from vision.measure.prepared import PreparedImage, prepare
from vision.sim.rest import let_down, settled
from vision.sim.scene import Body, Scene
from vision.tables.eyes import open_eye, support
from vision.tables.eyes.die_poses import Rest, fit_leaning_die

LAND_AT, RADIUS_MM = np.array([560.0, 350.0]), 110.0
DIE = SHAPES.empire_die
TURNS_DEG = {"square": 0.0, "askew": 130.0, "corner": 230.0}
ASKEW_DEG = {"square": 0.0, "askew": 14.0, "corner": 45.0}
REACH_MM = {"square": 14.0, "askew": 17.0, "corner": 19.2}
"""How far a die's outline reaches from its middle toward the disk."""
DEPTH_MM = 2.0


def _let_down(name: str) -> Body:
    """A die that reaches a little over the rim, at rest there."""
    turn = np.radians(TURNS_DEG[name])
    far = RADIUS_MM + REACH_MM[name] - DEPTH_MM
    at = tuple(float(v) for v in LAND_AT + far * np.array([np.cos(turn), np.sin(turn)]))
    land = territory("blue", at=(560, 350))
    die = let_down(empire_die("red", (at[0], at[1]), angle_deg=TURNS_DEG[name] + ASKEW_DEG[name], id=name), [land])
    assert die is not None
    return die


@lru_cache(maxsize=1)
def table() -> tuple[PreparedImage, EyesReading, dict[str, Body]]:
    dice = {name: _let_down(name) for name in TURNS_DEG}
    scene = Scene(bodies=(territory("blue", at=(560, 350)), *dice.values()))
    picture = shared_renderer(LENS, height_mm=1150).picture(scene)
    return prepare(picture, find_pose(picture, LENS, KIT), KIT), open_eye(LENS, KIT).read(picture), dice


def depth_of(die: Body) -> float:
    return depth_in_disk(DIE, Place(np.array(die.at_mm), die.rotation), LAND_AT, RADIUS_MM)


@pytest.mark.nightly
@pytest.mark.parametrize("name", TURNS_DEG)
@pytest.mark.parametrize("astray_mm", [(0.0, 0.0), (0.8, -0.5), (-0.7, 0.6), (-0.5, -0.9)])
def test_a_lean_is_found_from_wherever_one_starts(name: str, astray_mm: tuple[float, float]) -> None:
    image, _, dice = table()
    true = dice[name]
    at = np.array(true.at_mm[:2]) + astray_mm
    start = upright(*at, DIE.half_height_mm, TURNS_DEG[name] + ASKEW_DEG[name] + 0.5)
    land = support.support_of(SHAPES.territory, upright(*LAND_AT, SHAPES.territory.half_height_mm))
    found = fit_leaning_die(image, DIE, start, Rest(LAND_AT, RADIUS_MM, [land]))
    misses = [
        (
            abs(depth_in_disk(DIE, fit.place, LAND_AT, RADIUS_MM) - depth_of(true)),
            abs(fit.place.tilt_deg - true.tilt_deg),
        )
        for fit, _ in found
    ]
    assert min(depth + tilt / 2 for depth, tilt in misses) < 0.9


@pytest.mark.nightly
@pytest.mark.parametrize("name", TURNS_DEG)
def test_no_die_that_leans_is_said_to_stand_beside(name: str) -> None:
    _, reading, dice = table()
    seen = {p.id: p for p in reading.pieces}
    overlap = min(
        reading.overlaps,
        key=lambda o: float(
            np.hypot(seen[o.piece].x_mm - dice[name].at_mm[0], seen[o.piece].y_mm - dice[name].at_mm[1])
        ),
    )
    assert overlap.ruling is not Call.CLEAR
    assert abs(overlap.margin_mm - depth_of(dice[name])) < 3 * overlap.sigma_mm


@pytest.mark.parametrize(("is_up", "told"), [(False, False), (True, None)])
def test_a_die_that_leans_on_a_samurai_and_shows_no_eye_has_none_on_top(is_up: bool, told: bool | None) -> None:
    """Seed 705: four of six questions in 49 presses were about such a die, white on all sides."""
    at = (830.0, 560.0) if is_up else (500.0, 120.0)
    die = empire_die("red", at, marked_up=is_up, angle_deg=20, on_mm=14.0, id="die")
    reading = read(*settled([samurai("blue", (at[0] + 24.0, at[1] + 6.0)), die], ["die"]))
    (found,) = (piece for piece in reading.pieces if piece.kind is Kind.EMPIRE_DIE)
    assert (found.marked_up, found.confidence >= SURE) == (told, told is not None)
