"""Samurai that lean on ninjas: ovals up to 3 mm from where they seem to lie, of which nothing false must be ruled."""

from __future__ import annotations

import math

import pytest

from companion.game.margin import Call
from companion.game.readings import Kind
from companion.game.table import overlap_mm
from tests.scenes import KIT, empire_die, ninja, samurai, territory
from tests.vision.wide_table import read
from vision.sim.rest import let_down
from vision.sim.scene import Body

pytestmark = pytest.mark.nightly

LAND = KIT.piece(Kind.TERRITORY).size_mm("diameter") / 2
REACH_MM = LAND + KIT.piece(Kind.SAMURAI).size_mm("diameter") / 2
RED = KIT.piece("territory").start_mm["red"]
DICE = (empire_die("blue", (500.0, 40.0)), empire_die("red", (500.0, 660.0)))


def leaning(angle: float, margin_mm: float, aside_mm: float, color: str = "blue") -> tuple[Body, Body]:
    """A samurai by the red rim that leans on a ninja further out, and the ninja."""
    far = REACH_MM - margin_mm
    x, y = RED[0] + far * math.cos(angle), RED[1] + far * math.sin(angle)
    below = ninja(4, (x + aside_mm * math.cos(angle), y + aside_mm * math.sin(angle)), angle_deg=35.0)
    laid = let_down(samurai(color, (x, y)).moved(at_mm=(x, y, 200.0)), [territory("red"), below])
    assert laid.tilt_deg > 15.0
    return laid, below


@pytest.mark.parametrize("angle", [math.pi, 2.7, 3.6, -2.2])
@pytest.mark.parametrize(("margin_mm", "aside_mm"), [(2.5, 14.0), (2.5, 20.0), (2.5, 26.0), (-1.5, 22.0), (-1.5, 26.0)])
def test_no_wrong_ruling_is_given_of_a_samurai_that_leans_on_a_ninja(
    angle: float, margin_mm: float, aside_mm: float
) -> None:
    laid, below = leaning(angle, margin_mm, aside_mm)
    true_mm = overlap_mm(laid.footprint, territory("red").footprint)
    reading = read(*DICE, laid, below)
    (piece,) = (p for p in reading.pieces if p.kind is Kind.SAMURAI)
    said = next(o for o in reading.overlaps if o.piece == piece.id and o.over == "territory_red")
    assert said.ruling in (Call.TOO_CLOSE, Call.OVERLAPS if true_mm > 0 else Call.CLEAR)


@pytest.mark.parametrize("angle", [math.pi, 2.7, 3.6, -2.4])
@pytest.mark.parametrize("margin_mm", [2.0, -2.0])
def test_nothing_false_is_said_of_a_samurai_that_lies_on_a_ninja_which_it_hides(angle: float, margin_mm: float) -> None:
    far = REACH_MM - margin_mm
    x, y = RED[0] + far * math.cos(angle), RED[1] + far * math.sin(angle)
    high_mm = KIT.piece(Kind.NINJA).size_mm("side")
    reading = read(*DICE, samurai("blue", (x, y), on_mm=high_mm), ninja(4, (x, y), angle_deg=20.0))
    (piece,) = (p for p in reading.pieces if p.kind is Kind.SAMURAI)
    said = next(o for o in reading.overlaps if o.piece == piece.id and o.over == "territory_red")
    assert abs(said.margin_mm - margin_mm) < 3 * said.sigma_mm
    assert said.ruling in (Call.TOO_CLOSE, Call.OVERLAPS if margin_mm > 0 else Call.CLEAR)


@pytest.mark.parametrize("angle", [math.pi, 2.7, 3.6])
@pytest.mark.parametrize("color", ["red", "blue"])
def test_a_samurai_beside_ninjas_is_measured_as_ever(angle: float, color: str) -> None:
    x, y = RED[0] + (REACH_MM + 1.5) * math.cos(angle), RED[1] + (REACH_MM + 1.5) * math.sin(angle)
    beside = [
        ninja(k, (x + 35 * math.cos(turn), y + 35 * math.sin(turn))) for k, turn in ((2, angle), (5, angle + 1.2))
    ]
    reading = read(*DICE, samurai(color, (x, y)), *beside)
    (piece,) = (p for p in reading.pieces if p.kind is Kind.SAMURAI)
    said = next(o for o in reading.overlaps if o.piece == piece.id and o.over == "territory_red")
    assert said.margin_mm == pytest.approx(-1.5, abs=0.5)
    assert said.ruling is Call.CLEAR
