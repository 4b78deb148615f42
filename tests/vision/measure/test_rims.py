"""Rims are met where they are: beside windows, and however far out the camera draws their colour."""

from __future__ import annotations

import math

import numpy as np
import pytest

from calibration.pose import find_pose
from companion.game.readings import Kind
from tests.scenes import KIT, WIDE_LENS, samurai, shared_renderer, territory
from tests.vision.wide_table import LIT
from vision.measure import bodies
from vision.measure.disk_fit import rim_shift_px
from vision.measure.limits import LIMITS
from vision.measure.prepared import PreparedImage, prepare
from vision.sim.scene import Body, Lamp, Lighting, Scene
from vision.tables.eyes import open_eye
from vision.tables.eyes.pieces import BEVEL_MM

pytestmark = pytest.mark.nightly

LAND = KIT.piece(Kind.TERRITORY)


def picture_of(*pieces: Body, lighting: Lighting = LIT) -> np.ndarray:  # type: ignore[type-arg]
    scene = Scene(bodies=(territory("red"), territory("blue"), *pieces), lighting=lighting)
    return shared_renderer(WIDE_LENS, height_mm=1150.0).picture(scene)


def seen(picture: np.ndarray) -> PreparedImage:  # type: ignore[type-arg]
    return prepare(picture, find_pose(picture, WIDE_LENS, KIT), KIT, None)


def land(color: str, larger_mm: float = 0.0) -> tuple[bodies.Solid, bodies.Place]:
    """A territory where the kit sets it up, said to be broader than it is."""
    solid = bodies.disk(LAND.size_mm("diameter") + 2 * larger_mm, LAND.size_mm("height"), BEVEL_MM[Kind.TERRITORY], 240)
    return solid, bodies.upright(*LAND.start_mm[color], solid.half_height_mm)


@pytest.mark.parametrize("out_mm", [-0.2, 0.2])
def test_how_far_out_a_colour_is_drawn_is_told_by_its_territory(out_mm: float) -> None:
    image = seen(picture_of())
    true = rim_shift_px(image, {"red": land("red"), "blue": land("blue")})
    assert np.abs(true).max() < 0.2
    told = rim_shift_px(image, {"red": land("red", -out_mm), "blue": land("blue")})
    px_a_mm = WIDE_LENS.fx_px / 1150.0
    assert told[0] - true[0] == pytest.approx(LIMITS.kept_shift * out_mm * px_a_mm, abs=0.1)
    assert told[1] == pytest.approx(true[1], abs=1e-6)


def test_a_colour_without_a_territory_is_drawn_as_the_other_and_more_than_that_is_something_else() -> None:
    image = seen(picture_of())
    red, blue = rim_shift_px(image, {"red": land("red")})
    assert red == blue != 0.0
    assert rim_shift_px(image, {}) == (0.0, 0.0)
    assert rim_shift_px(image, {"red": land("red", -1.2)})[0] == pytest.approx(LIMITS.kept_shift * LIMITS.max_shift_px)


@pytest.mark.parametrize("color", ["red", "blue"])
@pytest.mark.parametrize("side", [0.0, 1.6, 3.4])
def test_a_window_draws_no_samurai_toward_it(color: str, side: float) -> None:
    window = Lamp((500.0 + 1800.0 * math.cos(side), 350.0 + 1800.0 * math.sin(side), 900.0), 1000.0)
    where = [(150.0, 600.0), (500.0, 120.0), (860.0, 590.0)]
    lighting = Lighting(lamps=(window,), ambient=0.3)
    reading = open_eye(WIDE_LENS, KIT).read(picture_of(*(samurai(color, xy) for xy in where), lighting=lighting))
    found = [piece for piece in reading.pieces if piece.kind is Kind.SAMURAI]
    off = [min(math.dist((piece.x_mm, piece.y_mm), xy) for piece in found) for xy in where]
    assert max(off) < 0.15
