"""Rims are met where they are: beside windows, and however far out the camera draws their colour."""

from __future__ import annotations

import math

import numpy as np
import pytest

from companion.game.readings import Kind
from tests.scenes import KIT, WIDE_LENS, samurai, shared_renderer, territory
from tests.vision.wide_table import LIT
from vision.sim.scene import Body, Lighting, Scene, SceneLamp
from vision.tables.eyes import open_eye

pytestmark = pytest.mark.nightly


def picture_of(*pieces: Body, lighting: Lighting = LIT) -> np.ndarray:  # type: ignore[type-arg]
    scene = Scene(bodies=(territory("red"), territory("blue"), *pieces), lighting=lighting)
    return shared_renderer(WIDE_LENS, height_mm=1150.0).picture(scene)


@pytest.mark.parametrize("color", ["red", "blue"])
@pytest.mark.parametrize("side", [0.0, 1.6, 3.4])
def test_a_window_draws_no_samurai_toward_it(color: str, side: float) -> None:
    window = SceneLamp((500.0 + 1800.0 * math.cos(side), 350.0 + 1800.0 * math.sin(side), 900.0), 1000.0)
    where = [(150.0, 600.0), (500.0, 120.0), (860.0, 590.0)]
    lighting = Lighting(lamps=(window,), ambient=0.3)
    reading = open_eye(WIDE_LENS, KIT).read(picture_of(*(samurai(color, xy) for xy in where), lighting=lighting))
    found = [piece for piece in reading.pieces if piece.kind is Kind.SAMURAI]
    off = [min(math.dist((piece.x_mm, piece.y_mm), xy) for piece in found) for xy in where]
    assert max(off) < 0.15
