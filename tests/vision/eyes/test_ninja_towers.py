"""Ninjas that stand on ninjas, on samurai and on empire dice: each is read where it stands.

Ninja 9 (a 5) stood on ninja 1 (a 4), 347 mm from the point below the camera. Taken to stand on the table it was 4.5 mm
off, just over the lower one, which was then said to show a 5.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest

from calibration.pose import find_pose
from companion.readings import EyesReading, Kind, Piece
from tests.scenes import KIT, WIDE_LENS, ninja, samurai
from vision.eyes import open_eye
from vision.eyes.ninja_towers import LAIN_ON
from vision.eyes.platforms import Platform, platform_height_mm, stand_on_highest
from vision.measure.prepared import PreparedImage, prepare
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Body, Lamp, Lighting, Scene

SIDE_MM = KIT.piece(Kind.NINJA).size_mm("side")
SAMURAI_MM = KIT.piece(Kind.SAMURAI).size_mm("height")
ROOM = Lighting(lamps=(Lamp((1900.0, -60.0, 1200.0), 1000.0),), ambient=0.5)
TOWERS = {
    "behind": (ninja(4, (880, 500), angle_deg=10), ninja(5, (877, 496), on_mm=SIDE_MM, angle_deg=60)),
    "before": (ninja(6, (150, 130), angle_deg=35), ninja(3, (145, 126), on_mm=SIDE_MM, angle_deg=20)),
    "aside": (ninja(4, (850, 150), angle_deg=70), ninja(6, (846, 143), on_mm=SIDE_MM, angle_deg=45)),
}
"""Lower and upper dice about 400 mm from the point below the camera."""
ALONE = (
    ninja(1, (160, 560)),
    ninja(4, (300, 600), angle_deg=30),
    ninja(2, (317, 600), angle_deg=30),
    ninja(3, (700, 610), angle_deg=50),
)


@lru_cache(maxsize=1)
def read() -> EyesReading:
    raised = (samurai("red", (930, 330)), ninja(4, (934, 326), on_mm=SAMURAI_MM))
    bodies = (*(body for tower in TOWERS.values() for body in tower), *ALONE, *raised)
    picture = Renderer(KIT, overhead(WIDE_LENS)).picture(Scene(bodies=bodies, lighting=ROOM))
    return open_eye(WIDE_LENS, KIT).read(picture)


def nearest(body: Body) -> tuple[Piece, float]:
    """The ninja that was read nearest to a body, and how far from it, mm."""
    away = {
        piece.id: math.hypot(piece.x_mm - body.at_mm[0], piece.y_mm - body.at_mm[1])
        for piece in read().pieces
        if piece.kind is Kind.NINJA
    }
    id = min(away, key=lambda id: away[id])
    return next(piece for piece in read().pieces if piece.id == id), away[id]


@pytest.mark.parametrize("tower", TOWERS)
def test_the_upper_ninja_is_read_where_it_stands(tower: str) -> None:
    upper = TOWERS[tower][1]
    piece, away_mm = nearest(upper)
    assert piece.value == {"behind": 5, "before": 3, "aside": 6}[tower]
    assert away_mm < 1.0


@pytest.mark.parametrize("tower", TOWERS)
def test_the_lower_ninja_is_there_and_its_value_is_not_said(tower: str) -> None:
    piece, away_mm = nearest(TOWERS[tower][0])
    assert (piece.value, piece.reason) == (None, LAIN_ON)
    assert away_mm < 3.0


def test_dice_on_the_table_stay_there() -> None:
    for body, value in zip(ALONE, (1, 4, 2, 3), strict=True):
        piece, away_mm = nearest(body)
        assert (piece.value, away_mm < 1.0) == (value, True)
    assert sum(piece.kind is Kind.NINJA for piece in read().pieces) == 2 * len(TOWERS) + len(ALONE) + 1


def test_a_ninja_on_a_samurai_is_read_at_its_height() -> None:
    piece, away_mm = nearest(ninja(4, (934, 326)))
    assert piece.value == 4
    assert away_mm < 0.7


@lru_cache(maxsize=1)
def bare() -> PreparedImage:
    picture = Renderer(KIT, overhead(WIDE_LENS)).picture(Scene(bodies=()))
    return prepare(picture, find_pose(picture, WIDE_LENS, KIT), KIT)


SQUARE = np.array([(886, 336), (914, 336), (914, 364), (886, 364)], np.float32)
DIE = Platform(SQUARE, 28.0, is_die=True)


@pytest.mark.parametrize(("x_mm", "stands_mm"), [(900.0, 28.0), (912.0, 28.0), (938.0, 3.0), (800.0, 0.0)])
def test_a_die_stands_on_the_highest_piece_that_bears_it(x_mm: float, stands_mm: float) -> None:
    at = np.array([x_mm, 350.0])
    seen = bare().seen_at(at, stands_mm + SIDE_MM)
    xy, base_mm = stand_on_highest(bare(), seen, SIDE_MM, [DIE, Platform(SQUARE + np.array((30, 0), np.float32), 3.0)])
    assert base_mm == stands_mm
    assert xy == pytest.approx(at)


def test_the_highest_of_two_pieces_bears() -> None:
    low = Platform(SQUARE, 3.0)
    assert platform_height_mm(np.array([900.0, 350.0]), [low, DIE]) == 28.0
    assert platform_height_mm(np.array([100.0, 350.0]), [low, DIE]) == 0.0
