"""Empire dice that bear a ninja: seen, in doubt, and the ninja on top of them where it is."""

from __future__ import annotations

import math

import numpy as np
import pytest

from companion.readings import SURE, Kind
from tests.scenes import KIT, empire_die, ninja
from tests.vision.foreign_things import StrangeTable, oblong
from tests.vision.wide_table import read

SIDE_MM = KIT.piece(Kind.EMPIRE_DIE).size_mm("side")
LAND_MM = KIT.piece(Kind.TERRITORY).size_mm("height")
RED, BLUE = (KIT.piece("territory").start_mm[color] for color in ("red", "blue"))
WHITE = (236, 234, 228)


@pytest.mark.parametrize(
    ("at", "on_mm", "aside", "value", "angle_deg"),
    [
        ((250.0, 600.0), 0.0, (4.0, -3.0), 5, 20.0),
        ((800.0, 120.0), 0.0, (-8.0, 5.0), 6, 65.0),
        ((BLUE[0] + 40, BLUE[1] - 30), LAND_MM, (6.0, 7.0), 3, 40.0),
        ((RED[0], RED[1] + 50), LAND_MM, (0.0, -2.0), 1, 5.0),
    ],
)
def test_a_die_that_bears_a_ninja_is_seen_and_in_doubt(
    at: tuple[float, float], on_mm: float, aside: tuple[float, float], value: int, angle_deg: float
) -> None:
    # the die was not found at all, and the ninja up to 8 mm beside where it is
    upon = (at[0] + aside[0], at[1] + aside[1])
    reading = read(
        empire_die("red", at, on_mm=on_mm, angle_deg=angle_deg),
        ninja(value, upon, on_mm=on_mm + SIDE_MM, angle_deg=35.0),
        empire_die("blue", (500.0, 40.0)),
    )
    dice = [p for p in reading.pieces if p.kind is Kind.EMPIRE_DIE]
    assert len(dice) == 2
    die = min(dice, key=lambda p: math.dist((p.x_mm, p.y_mm), at))
    assert math.dist((die.x_mm, die.y_mm), at) < 2.0
    assert die.confidence < SURE
    assert die.marked_up is None
    [small] = [p for p in reading.pieces if p.kind is Kind.NINJA]
    assert math.dist((small.x_mm, small.y_mm), upon) < 1.0
    assert small.value == value


def test_its_margin_says_that_it_is_known_worse() -> None:
    toward = np.array([-math.cos(0.6), math.sin(0.6)])
    x, y = (np.array(RED) + toward * (110 + 20)).tolist()
    reading = read(empire_die("red", (x, y), angle_deg=30.0), ninja(4, (x + 3, y - 4), on_mm=SIDE_MM))
    [die] = [p for p in reading.pieces if p.kind is Kind.EMPIRE_DIE]
    said = next(o for o in reading.overlaps if o.piece == die.id and o.over == "territory_red")
    assert said.sigma_mm > 1.0


def test_a_ninja_on_a_sheet_of_paper_stands_on_no_die() -> None:
    at = (820.0, 130.0)
    table = StrangeTable(ninja(5, at))
    for x, y, width, height in ((0, 20, 52, 17), (0, -20, 52, 17), (20, 0, 17, 52), (-20, 0, 17, 52)):
        table.lay(oblong((at[0] + x, at[1] + y), width, height), WHITE)
    reading = table.read()
    assert not [p for p in reading.pieces if p.kind is Kind.EMPIRE_DIE]
    assert [p.value for p in reading.pieces if p.kind is Kind.NINJA] == [5]
