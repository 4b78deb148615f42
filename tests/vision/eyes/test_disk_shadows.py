"""Samurai on dice that they hide, on ground of their own colour: their shadow tells of it."""

from __future__ import annotations

import math

import pytest

from companion.readings import SURE, EyesReading, Kind, Piece
from tests.scenes import KIT, WIDE_LENS, empire_die, ninja, samurai, territory
from tests.vision.wide_table import read
from vision.eyes import open_eye
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Body, Lamp, Lighting, Scene

LAND_MM = KIT.piece(Kind.TERRITORY).size_mm("height")
SIDE_MM = KIT.piece(Kind.EMPIRE_DIE).size_mm("side")
LANDS = {color: KIT.piece("territory").start_mm[color] for color in ("red", "blue")}
WINDOW = Lighting(lamps=(Lamp((2300.0, 350.0, 1100.0), 500.0),), ambient=0.35)
"""So low that a samurai's own shadow reaches half a centimetre beyond it."""


def by_window(*pieces: Body) -> EyesReading:
    scene = Scene(bodies=(territory("red"), territory("blue"), *pieces), lighting=WINDOW)
    return open_eye(WIDE_LENS, KIT).read(Renderer(KIT, overhead(WIDE_LENS, height_mm=1150.0)).picture(scene))


def samurai_of(reading: EyesReading) -> list[Piece]:
    return [piece for piece in reading.pieces if piece.kind is Kind.SAMURAI]


@pytest.mark.parametrize("color", ["red", "blue"])
@pytest.mark.parametrize("aside", [(0.0, 0.0), (35.0, -30.0), (-50.0, 25.0)])
def test_on_a_die_on_its_own_territory_it_is_unsure_by_as_much_as_it_is_off(
    color: str, aside: tuple[float, float]
) -> None:
    # it was measured 2 to 10 mm aside, sure and with an error of half a millimetre
    at = (LANDS[color][0] + aside[0], LANDS[color][1] + aside[1])
    reading = read(
        empire_die("red", (at[0] - 3.0, at[1] + 2.0), on_mm=LAND_MM, angle_deg=25.0),
        samurai(color, at, on_mm=LAND_MM + SIDE_MM),
        empire_die("blue", (150.0, 100.0), angle_deg=50.0),
    )
    found = samurai_of(reading)
    assert len(found) == 1
    assert found[0].confidence < SURE
    sigma_mm = min(o.sigma_mm for o in reading.overlaps if o.piece == found[0].id)
    assert math.dist((found[0].x_mm, found[0].y_mm), at) < 2 * sigma_mm


@pytest.mark.parametrize("color", ["red", "blue"])
def test_one_that_lies_on_its_own_territory_stays_sure_by_a_low_window(color: str) -> None:
    found = samurai_of(by_window(samurai(color, (LANDS[color][0] + 10.0, LANDS[color][1] + 30.0), on_mm=LAND_MM)))
    assert len(found) == 1
    assert found[0].confidence >= SURE


def test_shadows_of_what_stands_beside_it_or_on_it_say_nothing_of_a_samurai() -> None:
    x, y = LANDS["red"]
    reading = read(
        samurai("red", (x, y), on_mm=LAND_MM),
        empire_die("red", (x + 34.0, y - 26.0), on_mm=LAND_MM, angle_deg=20.0),
    )
    windowed = by_window(
        samurai("blue", LANDS["blue"], on_mm=LAND_MM),
        ninja(3, LANDS["blue"], on_mm=LAND_MM + 4.0),
    )
    found = samurai_of(reading) + samurai_of(windowed)
    assert len(found) == 2
    assert all(piece.confidence >= SURE for piece in found)
