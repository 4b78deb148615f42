"""What looks like a ninja and is none."""

import numpy as np
import pytest

from companion.game.readings import Kind
from tests.scenes import KIT
from vision.measure.bodies import Fit, upright
from vision.tables.eyes import ninjas
from vision.tables.eyes.pieces import Detection, Shapes


def told(x_mm: float, value: int | None, confidence: float) -> Detection:
    solid = Shapes.of(KIT).ninja
    fit = Fit(upright(x_mm, 200.0, solid.half_height_mm), np.eye(6), 1.0, 1.0, 0.0)
    return Detection(Kind.NINJA, "black", solid, fit, value=value, confidence=confidence)


def test_what_lies_between_two_dice_is_none() -> None:
    """Their walls and shadows may look like a die of which the pips are not clear."""
    clear = [told(200.0, 4, 0.95), told(223.4, 2, 0.95)]
    between, alone = told(211.7, 2, 0.8), told(300.0, 2, 0.8)
    assert ninjas.without_walls([*clear, between, alone], []) == [*clear, alone]


@pytest.mark.parametrize(("x_mm", "is_kept"), [(213.9, False), (215.5, True)])
def test_the_wall_of_a_ninja_is_no_ninja_inside_it(x_mm: float, is_kept: bool) -> None:
    """Virtual table, seed 3, throw 33: the three pips of a wall beside a samurai were told as a ninja with 0.83."""
    clear, wall = told(200.0, 1, 0.95), told(x_mm, 3, 0.83)
    assert (wall in ninjas.without_walls([clear, wall], [])) is is_kept
