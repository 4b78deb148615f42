"""What a ninja stands on: the highest piece that bears it."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest

from calibration.pose import find_pose
from companion.game.readings import Kind
from tests.scenes import KIT, WIDE_LENS, ninja, samurai, shared_renderer
from vision.measure.prepared import PreparedImage, prepare
from vision.sim.scene import Scene
from vision.tables.eyes import open_eye
from vision.tables.eyes.pieces import Platform, platform_height_mm, stand_on_highest

SIDE_MM = KIT.piece(Kind.NINJA).size_mm("side")
SAMURAI_MM = KIT.piece(Kind.SAMURAI).size_mm("height")


@pytest.mark.nightly
def test_a_ninja_on_a_samurai_is_read_at_its_height() -> None:
    bodies = (samurai("red", (930, 330)), ninja(4, (934, 326), on_mm=SAMURAI_MM))
    reading = open_eye(WIDE_LENS, KIT).read(shared_renderer(WIDE_LENS).picture(Scene(bodies=bodies)))
    [piece] = [piece for piece in reading.pieces if piece.kind is Kind.NINJA]
    assert piece.value == 4
    assert math.dist((piece.x_mm, piece.y_mm), (934, 326)) < 0.7


@lru_cache(maxsize=1)
def bare() -> PreparedImage:
    picture = shared_renderer(WIDE_LENS).picture(Scene(bodies=()))
    return prepare(picture, find_pose(picture, WIDE_LENS, KIT), KIT)


SQUARE = np.array([(886, 336), (914, 336), (914, 364), (886, 364)], np.float32)
DIE = Platform(SQUARE, 28.0, is_die=True)


@pytest.mark.nightly
@pytest.mark.parametrize(("x_mm", "stands_mm"), [(900.0, 28.0), (912.0, 28.0), (938.0, 3.0), (800.0, 0.0)])
def test_a_die_stands_on_the_highest_piece_that_bears_it(x_mm: float, stands_mm: float) -> None:
    at = np.array([x_mm, 350.0])
    seen = bare().seen_at(at, stands_mm + SIDE_MM)
    xy, base_mm = stand_on_highest(bare(), seen, SIDE_MM, [DIE, Platform(SQUARE + np.array((30, 0), np.float32), 3.0)])
    assert base_mm == stands_mm
    assert xy == pytest.approx(at)


@pytest.mark.nightly
def test_the_highest_of_two_pieces_bears() -> None:
    low = Platform(SQUARE, 3.0)
    assert platform_height_mm(np.array([900.0, 350.0]), [low, DIE]) == 28.0
    assert platform_height_mm(np.array([100.0, 350.0]), [low, DIE]) == 0.0
