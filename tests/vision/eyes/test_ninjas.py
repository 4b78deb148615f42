"""Ninjas that lean, stand on something, or show no clear pips."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

from companion.game.readings import Kind
from tests.scenes import KIT, WIDE_LENS, ninja, shared_renderer, territory
from tests.vision.wide_table import SHAPES, nearest
from vision.measure.bodies import Fit, upright
from vision.photo.dice.face import FaceReader
from vision.photo.dice.find import Floats, Found
from vision.readers import Picture
from vision.sim.render import overhead
from vision.sim.rest import let_down
from vision.sim.scene import Lighting, Scene, SceneLamp
from vision.tables.eyes import ninjas, open_eye
from vision.tables.eyes.ninjas import LEANING
from vision.tables.eyes.pieces import Detection

LAND_AT, RADIUS_MM = np.array([560.0, 350.0]), 110.0
ROOM = Lighting(lamps=(SceneLamp((300.0, -500.0, 1900.0), 300.0),), ambient=0.5)
LEAN_MM = {0.0: (3, 5.5), 75.0: (4, 5.0), 160.0: (6, 4.0), 230.0: (5, 6.0), 300.0: (2, 3.0)}
"""By direction from the territory's middle: the value on top, and how far beyond the rim the middle is let down."""
STANDING_MM = {35.0: (4, 8.2), 115.0: (6, 8.5), 195.0: (2, 9.0), 265.0: (3, 8.1)}


def at(direction_deg: float, beyond_mm: float) -> tuple[float, float]:
    turn = math.radians(direction_deg)
    x, y = LAND_AT + (RADIUS_MM + beyond_mm) * np.array([math.cos(turn), math.sin(turn)])
    return float(x), float(y)


@pytest.mark.nightly
def test_one_that_leans_on_a_rim_has_no_value_and_one_close_beside_it_keeps_its() -> None:
    """One whose top showed a 3 leaned by 8 degrees: it was read as a 3 that stood 1.4 mm beside where it was."""
    land = territory("blue", (560, 350))
    leaning = [
        let_down(ninja(value, at(turn, beyond), angle_deg=turn, id=f"lean_{turn:.0f}"), [land])
        for turn, (value, beyond) in LEAN_MM.items()
    ]
    standing = [
        ninja(value, at(turn, beyond), angle_deg=turn, id=f"stand_{turn:.0f}")
        for turn, (value, beyond) in STANDING_MM.items()
    ]
    scene = Scene(bodies=(land, *leaning, *standing), lighting=ROOM)
    reading = open_eye(WIDE_LENS, KIT).read(shared_renderer(WIDE_LENS, height_mm=1100).picture(scene))
    for die in (*leaning, *standing):
        piece = nearest(reading, Kind.NINJA, die.at_mm)
        assert math.dist((piece.x_mm, piece.y_mm), die.at_mm[:2]) < 1.2
        is_leaning = die in leaning
        assert piece.reason == (LEANING if is_leaning else None)
        assert piece.value == (None if is_leaning else die.value)
        assert piece.tilt_deg == pytest.approx(die.tilt_deg, abs=6)


@dataclass
class Told(FaceReader):
    """Gives a value a chance."""

    value: int
    chance: float

    def look(self, picture: Picture, found: list[Found]) -> Floats:
        chances = np.full((len(found), 8), (1 - self.chance) / 7, np.float32)
        chances[:, self.value] = self.chance
        return chances


def confirmed(dice: list[Detection], by: Told) -> list[Detection]:
    picture = np.zeros((WIDE_LENS.height_px, WIDE_LENS.width_px, 3), np.uint8)
    return ninjas.confirm_values(picture, overhead(WIDE_LENS, height_mm=1150), dice, by)


def told(x_mm: float, value: int | None, confidence: float) -> Detection:
    solid = SHAPES.ninja
    fit = Fit(upright(x_mm, 200.0, solid.half_height_mm), np.eye(6), 1.0, 1.0, 1.0, 0.0)
    return Detection(Kind.NINJA, "black", solid, fit, value=value, confidence=confidence)


def test_what_lies_between_two_dice_is_none_without_the_dice_readers_word() -> None:
    """Their walls and shadows may look like a die of which the pips are not clear. What stands elsewhere may be none:
    a die's corner beside a samurai was told as a ninja with 0.85."""
    clear = [told(200.0, 4, 0.95), told(223.4, 2, 0.95)]
    between, alone = told(211.7, 2, 0.8), told(300.0, 2, 0.8)
    nobody, everybody = Told(value=2, chance=0.1), Told(value=2, chance=0.9)
    assert confirmed([*clear, between, alone], everybody) == [*clear, between, alone]
    kept = confirmed([*clear, between, alone], nobody)
    assert kept[:2] == clear
    assert [(ninja.place, ninja.value, ninja.confidence) for ninja in kept[2:]] == [(alone.place, None, 0.5)]


@pytest.mark.parametrize(("x_mm", "is_kept"), [(213.9, False), (215.5, True)])
def test_the_wall_of_a_ninja_beside_a_rim_is_no_ninja_that_leans_on_it(x_mm: float, is_kept: bool) -> None:
    """Virtual table, seed 3, throw 33: the three pips of a wall beside a samurai were told as a ninja with 0.83."""
    clear, wall = told(200.0, 1, 0.95), replace(told(x_mm, None, 0.83), reason=LEANING)
    assert (wall in confirmed([clear, wall], Told(value=1, chance=0.9))) is is_kept
