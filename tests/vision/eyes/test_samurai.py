"""Samurai that lean, hide or lie on something, and those known by little of themselves."""

import math

import numpy as np
import pytest

from companion.game.margin import Call
from companion.game.readings import ANOTHER_BELOW, SURE, Kind
from companion.game.table import overlap_mm
from tests.scenes import KIT, empire_die, ninja, samurai, territory
from tests.vision.wide_table import assert_nothing_false, nearest, of_kind, over_red, read
from vision.sim.rest import let_down
from vision.sim.scene import Body
from vision.sim.virtual import VirtualTable
from vision.tables.eyes import open_eye

pytestmark = pytest.mark.nightly

LAND = KIT.piece(Kind.TERRITORY).size_mm("diameter") / 2
REACH_MM = LAND + KIT.piece(Kind.SAMURAI).size_mm("diameter") / 2
RED, BLUE = (KIT.piece("territory").start_mm[color] for color in ("red", "blue"))
DICE = (empire_die("blue", (500.0, 40.0)), empire_die("red", (500.0, 660.0)))


def leaning(angle: float, margin_mm: float, aside_mm: float) -> tuple[Body, Body]:
    """A samurai by the red rim that leans on a ninja further out, and the ninja."""
    far = REACH_MM - margin_mm
    x, y = RED[0] + far * math.cos(angle), RED[1] + far * math.sin(angle)
    below = ninja(4, (x + aside_mm * math.cos(angle), y + aside_mm * math.sin(angle)), angle_deg=35.0)
    laid = let_down(samurai("blue", (x, y)).moved(at_mm=(x, y, 200.0)), [territory("red"), below])
    assert laid.tilt_deg > 15.0
    return laid, below


@pytest.mark.parametrize("angle", [math.pi, -2.2])
@pytest.mark.parametrize(("margin_mm", "aside_mm"), [(2.5, 14.0), (-1.5, 26.0)])
def test_no_wrong_ruling_is_given_of_a_samurai_that_leans_on_a_ninja(
    angle: float, margin_mm: float, aside_mm: float
) -> None:
    laid, below = leaning(angle, margin_mm, aside_mm)
    true_mm = overlap_mm(laid.footprint, territory("red").footprint)
    reading = read(*DICE, laid, below)
    assert len(of_kind(reading, Kind.SAMURAI)) == 1
    said = over_red(reading, Kind.SAMURAI, laid.at_mm)
    assert said.ruling in (Call.TOO_CLOSE, Call.OVERLAPS if true_mm > 0 else Call.CLEAR)


@pytest.mark.parametrize("angle", [math.pi, -2.4])
@pytest.mark.parametrize("margin_mm", [2.0, -2.0])
def test_nothing_false_is_said_of_a_samurai_that_lies_on_a_ninja_which_it_hides(angle: float, margin_mm: float) -> None:
    far = REACH_MM - margin_mm
    x, y = RED[0] + far * math.cos(angle), RED[1] + far * math.sin(angle)
    high_mm = KIT.piece(Kind.NINJA).size_mm("side")
    reading = read(*DICE, samurai("blue", (x, y), on_mm=high_mm), ninja(4, (x, y), angle_deg=20.0))
    assert len(of_kind(reading, Kind.SAMURAI)) == 1
    assert_nothing_false(over_red(reading, Kind.SAMURAI, (x, y)), margin_mm)


SIDE_MM = KIT.piece(Kind.EMPIRE_DIE).size_mm("side")
LAND_MM = KIT.piece(Kind.TERRITORY).size_mm("height")


@pytest.mark.parametrize("margin_mm", [2.5, -2.5])
def test_a_samurai_on_a_die_that_it_hides_is_unsure_and_nothing_false_is_said_of_it(margin_mm: float) -> None:
    # as if it lay on the table it was measured up to 6 mm aside, and said to be clear of the rim with confidence
    toward = np.array([-math.cos(0.6), math.sin(0.6)])
    at = (np.array(RED) + toward * (REACH_MM - margin_mm)).tolist()
    reading = read(empire_die("red", (at[0] - 5.0, at[1]), angle_deg=30), samurai("blue", at, on_mm=SIDE_MM))
    found = nearest(reading, Kind.SAMURAI, (at[0], at[1]))
    assert found.confidence < SURE
    assert_nothing_false(over_red(reading, Kind.SAMURAI, at), margin_mm)


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
    lying = of_kind(reading, Kind.SAMURAI)
    assert len(lying) == 5
    assert all(p.confidence >= SURE for p in lying)


@pytest.mark.parametrize("apart_mm", [0.0, 2.4])
def test_two_samurai_that_lie_almost_as_one_are_not_surely_one(apart_mm: float) -> None:
    """They were counted as one, though the eyes were not sure of it: the reason says that there may be two."""
    at = (350.0, 320.0)
    upper = (at[0] - 0.8 * apart_mm, at[1] + 0.6 * apart_mm)
    height_mm = KIT.piece(Kind.SAMURAI).size_mm("height")
    reading = read(
        samurai("blue", at, on_mm=LAND_MM), samurai("blue", upper, on_mm=LAND_MM + height_mm, id="samurai_blue_2")
    )
    found = of_kind(reading, Kind.SAMURAI)
    assert len(found) == 2 or (found[0].confidence < SURE and found[0].reason == ANOTHER_BELOW)


def test_a_samurai_on_one_of_its_own_may_hide_another() -> None:
    """Three lay in a heap by a die, two were told, and surely: war phase III did not open."""
    table = VirtualTable(KIT, is_grain_anew=False, clock=lambda: 0.0, wait=lambda _: None)
    table.remove("empire_die_blue_2")
    table.move("empire_die_blue_1", 764.1, 308.3)
    table.turn("empire_die_blue_1", 94.6)
    for x_mm, y_mm in ((730.3, 357.8), (735.0, 344.2), (737.7, 341.0)):
        table.place("samurai", "red", x_mm, y_mm)
    picture = table.frame()
    assert picture is not None
    found = [piece for piece in open_eye(table.lens, KIT).read(picture).pieces if piece.kind is Kind.SAMURAI]
    assert len(found) + sum(piece.reason == ANOTHER_BELOW for piece in found) >= 3
