"""Whether a die at a rim leans on it or stands beside it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from calibration.pose import find_pose
from companion.game.readings import Kind
from tests.scenes import KIT, empire_die, shared_renderer, territory
from tests.vision.eyes.test_oblique_faces import LENS, SHAPES
from vision.measure import bodies
from vision.sim.rest import let_down
from vision.sim.scene import Body, Scene
from vision.tables.eyes import detect, pieces
from vision.tables.eyes.detect import Detections

LAND = territory("blue", at=(600, 350))
DIE = SHAPES.empire_die
DEPTHS_MM = {"deep": 9.0, "on": 2.0, "beside": -0.8, "apart": -2.5}
TURNS_DEG = {"deep": 20.0, "on": 200.0, "beside": 110.0, "apart": 290.0}


def _let_down(name: str) -> Body:
    """A die whose side is square to the rim and reaches so deep over it, at rest there."""
    turn = np.radians(TURNS_DEG[name])
    far = 110 + DIE.half_height_mm - DEPTHS_MM[name]
    at = (600 + far * float(np.cos(turn)), 350 + far * float(np.sin(turn)))
    die = let_down(empire_die("blue", at, angle_deg=TURNS_DEG[name], id=name), [LAND])
    assert die is not None
    return die


@lru_cache(maxsize=1)
def detections() -> tuple[Detections, dict[str, Body]]:
    dice = {name: _let_down(name) for name in DEPTHS_MM}
    picture = shared_renderer(LENS, height_mm=1100).picture(Scene(bodies=(LAND, *dice.values())))
    return detect.detect_pieces(picture, find_pose(picture, LENS, KIT), KIT, SHAPES), dice


@pytest.mark.nightly
@pytest.mark.parametrize("name", DEPTHS_MM)
def test_a_die_is_read_as_it_stands(name: str) -> None:
    read, dice = detections()
    true = dice[name]
    found = min(
        (piece for piece in read.pieces if piece.kind is Kind.EMPIRE_DIE),
        key=lambda piece: float(np.hypot(*(piece.place.middle_mm - true.at_mm)[:2])),
    )
    depth = bodies.depth_in_disk(DIE, bodies.Place(np.array(true.at_mm), true.rotation), np.array([600.0, 350.0]), 110)
    land = next(piece for piece in read.pieces if piece.kind is Kind.TERRITORY)
    assert found.under.is_flat is (true.tilt_deg < 1)
    assert found.place.tilt_deg == pytest.approx(true.tilt_deg, abs=1.2)
    assert pieces.margin_mm(found, land) == pytest.approx(depth, abs=0.6)
