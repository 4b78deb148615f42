"""Samurai that lie flat on dice which they hide: seen larger, and said to be unsure."""

from __future__ import annotations

import math

import numpy as np
import pytest

from companion.game.margin import Call
from companion.game.readings import ANOTHER_BELOW, SURE, EyesReading, Kind, Piece
from tests.scenes import KIT, empire_die, ninja, samurai
from tests.vision.wide_table import read
from vision.sim.virtual import VirtualTable
from vision.tables.eyes import open_eye

pytestmark = pytest.mark.nightly

SIDE_MM = KIT.piece(Kind.EMPIRE_DIE).size_mm("side")
LAND_MM = KIT.piece(Kind.TERRITORY).size_mm("height")
REACH_MM = (KIT.piece(Kind.TERRITORY).size_mm("diameter") + KIT.piece(Kind.SAMURAI).size_mm("diameter")) / 2
RED, BLUE = (KIT.piece("territory").start_mm[color] for color in ("red", "blue"))


def samurai_at(reading: EyesReading, at: tuple[float, float]) -> Piece:
    lying = [p for p in reading.pieces if p.kind is Kind.SAMURAI]
    return min(lying, key=lambda p: math.dist((p.x_mm, p.y_mm), at))


@pytest.mark.parametrize(
    ("die", "aside", "angle_deg"),
    [
        ((250.0, 600.0), (0.0, 0.0), 20.0),
        ((800.0, 160.0), (8.0, -4.0), 40.0),
        ((520.0, 90.0), (-6.0, 9.0), 65.0),
        ((150.0, 150.0), (2.0, 11.0), 5.0),
    ],
)
def test_a_samurai_on_a_die_that_it_hides_is_unsure(
    die: tuple[float, float], aside: tuple[float, float], angle_deg: float
) -> None:
    at = (die[0] + aside[0], die[1] + aside[1])
    reading = read(empire_die("red", die, angle_deg=angle_deg), samurai("blue", at, on_mm=SIDE_MM))
    found = samurai_at(reading, at)
    assert found.confidence < SURE


@pytest.mark.parametrize("margin_mm", [2.5, -2.5])
def test_where_it_lies_by_a_rim_nothing_false_is_said(margin_mm: float) -> None:
    # as if it lay on the table it was measured up to 6 mm aside, and said to be clear of the rim with confidence
    toward = np.array([-math.cos(0.6), math.sin(0.6)])
    at = (np.array(RED) + toward * (REACH_MM - margin_mm)).tolist()
    reading = read(empire_die("red", (at[0] - 5.0, at[1]), angle_deg=30), samurai("blue", at, on_mm=SIDE_MM))
    found = samurai_at(reading, (at[0], at[1]))
    assert found.confidence < SURE
    said = next(o for o in reading.overlaps if o.piece == found.id and o.over == "territory_red")
    assert abs(said.margin_mm - margin_mm) < 3 * said.sigma_mm
    assert said.ruling in (Call.TOO_CLOSE, Call.OVERLAPS if margin_mm > 0 else Call.CLEAR)


def test_samurai_on_the_table_a_territory_and_each_other_are_sure() -> None:
    reading = read(
        samurai("blue", (250.0, 600.0)),
        samurai("blue", (RED[0] - 40, RED[1]), on_mm=LAND_MM),
        samurai("red", (800.0, 160.0)),
        samurai("blue", (815.0, 175.0), on_mm=4.0),
        empire_die("red", (293.0, 612.0), angle_deg=30.0),  # beside it, and seen
        ninja(3, (230.0, 570.0)),
        samurai("red", BLUE, on_mm=LAND_MM),
    )
    lying = [p for p in reading.pieces if p.kind is Kind.SAMURAI]
    assert len(lying) == 5
    assert all(p.confidence >= SURE for p in lying)


@pytest.mark.parametrize("apart_mm", [0.0, 1.0, 2.4, 4.0])
@pytest.mark.parametrize("at", [(350.0, 320.0), (420.0, 390.0)])
def test_two_samurai_that_lie_almost_as_one_are_not_surely_one(apart_mm: float, at: tuple[float, float]) -> None:
    """They were counted as one, though the eyes were not sure of it: the reason says that there may be two."""
    upper = (at[0] - 0.8 * apart_mm, at[1] + 0.6 * apart_mm)
    height_mm = KIT.piece(Kind.SAMURAI).size_mm("height")
    reading = read(
        samurai("blue", at, on_mm=LAND_MM), samurai("blue", upper, on_mm=LAND_MM + height_mm, id="samurai_blue_2")
    )
    found = [piece for piece in reading.pieces if piece.kind is Kind.SAMURAI]
    assert len(found) == 2 or (found[0].confidence < SURE and found[0].reason == ANOTHER_BELOW)


@pytest.mark.parametrize(
    "at",
    [
        ((730.3, 357.8), (735.0, 344.2), (737.7, 341.0)),
        ((734.0, 357.6), (734.4, 345.7), (736.5, 339.4)),
        ((734.5, 360.5), (735.1, 351.2), (738.7, 336.9)),
    ],
)
def test_a_samurai_on_one_of_its_own_may_hide_another(at: tuple[tuple[float, float], ...]) -> None:
    """Three lay in a heap by a die, two were told, and surely: war phase III did not open."""
    table = VirtualTable(KIT, is_grain_anew=False, clock=lambda: 0.0, wait=lambda _: None)
    table.remove("empire_die_blue_2")
    table.move("empire_die_blue_1", 764.1, 308.3)
    table.turn("empire_die_blue_1", 94.6)
    for x_mm, y_mm in at:
        table.place("samurai", "red", x_mm, y_mm)
    picture = table.frame()
    assert picture is not None
    found = [piece for piece in open_eye(table.lens, KIT).read(picture).pieces if piece.kind is Kind.SAMURAI]
    assert len(found) + sum(piece.reason == ANOTHER_BELOW for piece in found) >= 3


@pytest.mark.parametrize("color", ["red", "blue"])
@pytest.mark.parametrize(
    ("at", "second", "third"),
    [((200.0, 150.0), (8.0, 5.0), (1.4, -0.9)), ((800.0, 560.0), (-9.0, 2.0), (1.0, 1.0))],
)
def test_of_three_the_upper_two_that_lie_almost_as_one_are_not_surely_one(
    color: str, at: tuple[float, float], second: tuple[float, float], third: tuple[float, float]
) -> None:
    """Two that lay within two millimetres on a third were told as one, and surely."""
    upper = (at[0] + second[0], at[1] + second[1])
    two = (samurai(color, at), samurai(color, upper, on_mm=4.0, id="second"))
    three = (*two, samurai(color, (upper[0] + third[0], upper[1] + third[1]), on_mm=8.0, id="third"))
    for lie in (two, three):
        found = [piece for piece in read(*lie).pieces if piece.kind is Kind.SAMURAI]
        assert len(found) + sum(piece.reason == ANOTHER_BELOW for piece in found) == len(lie)
