"""Dice on other dice and on ninjas: seen up to a centimetre aside, where nothing must be ruled of them for sure."""

from __future__ import annotations

import math

import numpy as np
import pytest

from companion.game.margin import Call
from companion.game.readings import SURE, EyesReading, Kind, Overlap, Piece
from tests.scenes import KIT, empire_die, ninja
from tests.vision.wide_table import read
from vision.sim.scene import Body, about, times
from vision.tables.eyes.die_doubts import BELOW, HIDDEN

SIDE_MM, SMALL_MM = (KIT.piece(kind).size_mm("side") for kind in (Kind.EMPIRE_DIE, Kind.NINJA))
RADIUS_MM = KIT.piece(Kind.TERRITORY).size_mm("diameter") / 2
RED = KIT.piece("territory").start_mm["red"]


def by_red(angle: float, margin_mm: float) -> tuple[float, float]:
    """Where a die, a side of it toward the middle, overlaps the red territory by so much."""
    far = RADIUS_MM + SIDE_MM / 2 - margin_mm
    return RED[0] + far * math.cos(angle), RED[1] + far * math.sin(angle)


def die_at(reading: EyesReading, at: tuple[float, float]) -> Piece:
    dice = [p for p in reading.pieces if p.kind is Kind.EMPIRE_DIE]
    return min(dice, key=lambda p: math.dist((p.x_mm, p.y_mm), at))


def over_red(reading: EyesReading, at: tuple[float, float]) -> Overlap:
    die = die_at(reading, at)
    return next(o for o in reading.overlaps if o.piece == die.id and o.over == "territory_red")


ROUND = (math.pi, 2.6, 3.6)


@pytest.mark.nightly
@pytest.mark.parametrize("angle", ROUND)
@pytest.mark.parametrize("margin_mm", [3.0, -3.0])
@pytest.mark.parametrize("aside_mm", [0.0, 7.0])
def test_nothing_false_is_said_of_a_die_on_a_die(angle: float, margin_mm: float, aside_mm: float) -> None:
    at = by_red(angle, margin_mm)
    below = (at[0] - 12.0, at[1] + aside_mm)  # beside the territory
    turned = math.degrees(angle)
    others = [empire_die("blue", (700.0, 100.0), id="c"), empire_die("blue", (700.0, 600.0), id="d")]
    reading = read(
        empire_die("red", at, on_mm=SIDE_MM, angle_deg=turned, id="a"),
        empire_die("red", below, angle_deg=turned + 20, id="b"),
        *others,
    )
    said = over_red(reading, at)
    assert abs(said.margin_mm - margin_mm) < 3 * said.sigma_mm
    assert said.ruling in (Call.TOO_CLOSE, Call.OVERLAPS if margin_mm > 0 else Call.CLEAR)


@pytest.mark.parametrize("angle", ROUND)
@pytest.mark.parametrize("margin_mm", [2.0, -2.0])
def test_nothing_false_is_said_of_a_die_on_a_ninja_that_it_hides(angle: float, margin_mm: float) -> None:
    at = by_red(angle, margin_mm)
    out = np.array(at) + 5.9 * np.array([math.cos(angle), math.sin(angle)])
    turned = math.degrees(angle)
    reading = read(
        empire_die("red", at, on_mm=SMALL_MM, angle_deg=turned),
        ninja(3, (out[0], out[1]), angle_deg=turned),
    )
    said = over_red(reading, at)
    assert abs(said.margin_mm - margin_mm) < 3 * said.sigma_mm
    assert said.ruling in (Call.TOO_CLOSE, Call.OVERLAPS if margin_mm > 0 else Call.CLEAR)


def leaning_on(at: tuple[float, float], toward_deg: float, slope_deg: float, marked_up: bool) -> list[Body]:
    """A die that stands on one edge and leans on a ninja before it, and the ninja."""
    slope, toward = math.radians(slope_deg), math.radians(toward_deg)
    along = np.array([math.cos(toward), math.sin(toward)])
    middle_mm = SIDE_MM / 2 * (math.cos(slope) - math.sin(slope)), SIDE_MM / 2 * (math.cos(slope) + math.sin(slope))
    level = empire_die("red", at, marked_up=marked_up, angle_deg=toward_deg)
    turn = times(about((-along[1], along[0], 0.0), -slope_deg), level.turn)
    x, y = np.array(at) + along * middle_mm[0]
    before_mm = SMALL_MM / math.tan(slope) + SMALL_MM / 2
    u, v = np.array(at) + along * before_mm
    return [level.moved(at_mm=(x, y, middle_mm[1]), turn=turn), ninja(4, (u, v), angle_deg=toward_deg)]


@pytest.mark.parametrize(
    ("slope_deg", "toward_deg"),
    [(32.0, 20.0), (32.0, 200.0), (32.0, 290.0), (38.0, 20.0), (38.0, 100.0), (38.0, 200.0), (38.0, 290.0)],
)
def test_a_die_that_leans_on_a_ninja_is_in_doubt(toward_deg: float, slope_deg: float) -> None:
    reading = read(
        *leaning_on((190.0, 600.0), toward_deg, slope_deg, marked_up=True),
        empire_die("blue", (500.0, 60.0)),
    )
    sure = [p for p in reading.pieces if p.kind is Kind.EMPIRE_DIE and p.confidence >= SURE]
    assert [(round(p.x_mm), round(p.y_mm)) for p in sure] == [(500, 60)]


@pytest.mark.nightly
def test_a_ninja_under_a_die_has_no_value() -> None:
    """One of the six pips beside the die was read as its only one."""
    reading = read(ninja(6, (180.0, 560.0)), empire_die("red", (190.0, 570.0), on_mm=SMALL_MM, angle_deg=40.0))
    ninjas = [p for p in reading.pieces if p.kind is Kind.NINJA]
    assert [p.value for p in ninjas if p.reason != BELOW and p.confidence >= SURE] == []


@pytest.mark.nightly
def test_dice_that_stand_beside_dice_and_ninjas_are_sure() -> None:
    pieces = []
    for k, (x, y) in enumerate([(150.0, 150.0), (850.0, 560.0)]):
        color = "red" if k else "blue"
        pieces += [
            empire_die(color, (x, y), angle_deg=15.0, id=f"{color}_0"),
            empire_die(color, (x + 32.0, y + 6.0), angle_deg=30.0, id=f"{color}_1"),
            ninja(2, (x - 24.0, y), angle_deg=15.0, id=f"ninja_{color}_0"),
            ninja(5, (x, y + 26.0), angle_deg=15.0, id=f"ninja_{color}_1"),
        ]
    reading = read(*pieces)
    dice = [p for p in reading.pieces if p.kind is Kind.EMPIRE_DIE]
    ninjas = [p for p in reading.pieces if p.kind is Kind.NINJA]
    assert [p.confidence for p in dice] == [1.0] * 4
    assert sorted(p.value or 0 for p in ninjas) == [0, 2, 5, 5]


def test_a_pip_beside_a_die_is_no_one() -> None:
    """A two of which a die hides a pip was read as a one, 5 mm beside where it is."""
    reading = read(empire_die("red", (150.0, 150.0), angle_deg=15.0), ninja(2, (126.0, 150.0), angle_deg=15.0))
    assert [(p.value, p.reason) for p in reading.pieces if p.kind is Kind.NINJA] == [(None, HIDDEN)]


def test_a_one_beside_a_die_that_hides_nothing_of_it_is_a_one() -> None:
    reading = read(empire_die("red", (150.0, 150.0), angle_deg=15.0), ninja(1, (178.0, 150.0), angle_deg=15.0))
    assert [p.value for p in reading.pieces if p.kind is Kind.NINJA] == [1]
