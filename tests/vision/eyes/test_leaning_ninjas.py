"""Ninjas that lean on a rim, over it and beside it as they seem: no value, and told where they are.

One whose top showed a 3 leaned on a territory by 8 degrees: it was read as a 3 that stood 1.4 mm beside where it was.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest

from companion.game.readings import EyesReading, Kind, Piece
from tests.scenes import KIT, WIDE_LENS, ninja, samurai, shared_renderer, territory
from vision.sim.rest import let_down
from vision.sim.scene import Body, Lighting, Scene, SceneLamp
from vision.tables.eyes import open_eye
from vision.tables.eyes.read_ninjas import LEANING

pytestmark = pytest.mark.nightly

LAND_AT, RADIUS_MM = np.array([560.0, 350.0]), 110.0
ROOM = Lighting(lamps=(SceneLamp((300.0, -500.0, 1900.0), 300.0),), ambient=0.5)
LEAN_MM = {0.0: (3, 5.5), 75.0: (4, 5.0), 160.0: (6, 4.0), 230.0: (5, 6.0), 300.0: (2, 3.0)}
"""By direction from the territory's middle: the value on top, and how far beyond the rim the middle is let down."""
STANDING_MM = {35.0: (4, 8.2), 115.0: (6, 8.5), 195.0: (2, 9.0), 265.0: (3, 8.1)}


def _at(direction_deg: float, beyond_mm: float) -> tuple[float, float]:
    turn = math.radians(direction_deg)
    x, y = LAND_AT + (RADIUS_MM + beyond_mm) * np.array([math.cos(turn), math.sin(turn)])
    return float(x), float(y)


@lru_cache(maxsize=1)
def table() -> tuple[EyesReading, dict[float, Body]]:
    land = territory("blue", at=(560, 350))
    dice: dict[float, Body] = {}
    for turn, (value, beyond) in LEAN_MM.items():
        die = let_down(ninja(value, _at(turn, beyond), angle_deg=turn, id=f"lean_{turn:.0f}"), [land])
        assert die is not None
        dice[turn] = die
    for turn, (value, beyond) in STANDING_MM.items():
        dice[turn] = ninja(value, _at(turn, beyond), angle_deg=turn, id=f"stand_{turn:.0f}")
    scene = Scene(bodies=(land, *dice.values()), lighting=ROOM)
    picture = shared_renderer(WIDE_LENS, height_mm=1100).picture(scene)
    return open_eye(WIDE_LENS, KIT).read(picture), dice


def read(turn: float) -> tuple[Piece, float]:
    """The ninja read nearest to one of the dice, and how far from it, mm."""
    reading, dice = table()
    return nearest(reading, dice[turn])


def nearest(reading: EyesReading, die: Body) -> tuple[Piece, float]:
    """The ninja read nearest to a die, and how far from it, mm."""
    away_mm = {p.id: math.hypot(p.x_mm - die.at_mm[0], p.y_mm - die.at_mm[1]) for p in reading.pieces}
    piece = min((p for p in reading.pieces if p.kind is Kind.NINJA), key=lambda p: away_mm[p.id])
    return piece, away_mm[piece.id]


@pytest.mark.parametrize("turn", LEAN_MM)
def test_one_that_leans_has_no_value_and_is_told_where_it_is(turn: float) -> None:
    true = table()[1][turn]
    assert true.tilt_deg > 8
    piece, away_mm = read(turn)
    assert (piece.value, piece.reason) == (None, LEANING)
    assert away_mm < 1.2
    assert abs(piece.tilt_deg - true.tilt_deg) < 6


@pytest.mark.parametrize("turn", STANDING_MM)
def test_one_that_stands_close_beside_a_rim_keeps_its_value(turn: float) -> None:
    piece, away_mm = read(turn)
    assert piece.value == STANDING_MM[turn][0]
    assert piece.tilt_deg == 0
    assert away_mm < 1.0


@lru_cache(maxsize=1)
def on_samurai() -> tuple[EyesReading, dict[str, Body]]:
    """A ninja that leans on a samurai on a territory, and one that stands on a samurai over a territory's rim."""
    land = territory("blue", at=(560, 350))
    under = samurai("red", (602.4, 392.4), on_mm=3.0, id="under")
    leaning = let_down(ninja(3, (574.4, 392.4), angle_deg=180, id="leaning"), [land, under])
    assert leaning is not None
    turn = math.radians(140)
    out = np.array([math.cos(turn), math.sin(turn)])
    over = samurai("red", tuple((LAND_AT + (RADIUS_MM - 8) * out).tolist()), on_mm=3.0, id="over")
    standing = ninja(5, tuple((LAND_AT + (RADIUS_MM + 7) * out).tolist()), on_mm=7.0, angle_deg=140, id="standing")
    scene = Scene(bodies=(land, under, leaning, over, standing), lighting=ROOM)
    picture = shared_renderer(WIDE_LENS, height_mm=1100).picture(scene)
    return open_eye(WIDE_LENS, KIT).read(picture), {"leaning": leaning, "standing": standing}


def test_one_that_leans_on_a_samurai_stands_on_the_territory_below() -> None:
    reading, dice = on_samurai()
    piece, away_mm = nearest(reading, dice["leaning"])
    assert dice["leaning"].tilt_deg > 15
    assert (piece.value, piece.reason) == (None, LEANING)
    assert away_mm < 1.0


def test_one_that_stands_on_a_samurai_touches_no_lower_rim() -> None:
    reading, dice = on_samurai()
    piece, away_mm = nearest(reading, dice["standing"])
    assert piece.value == 5
    assert away_mm < 1.0
