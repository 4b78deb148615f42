"""Whose eye a die bears, by a side seen flat or by the other dice."""

from typing import Any

import numpy as np
import pytest

from calibration.pose import find_pose
from companion.game.readings import TOLD_ODDS, Kind, owner_of
from tests.scenes import KIT, WIDE_LENS, empire_die
from tests.vision.wide_table import SHAPES, picture_of
from vision.measure import bodies
from vision.measure.prepared import prepare
from vision.measure.room_light import mirrored_light
from vision.tables.eyes import eye_owner
from vision.tables.eyes.detect import _owned, find_dice
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection

TOWARD_CAMERA = {"red": -1.0, "blue": 1.0}
"""By owner: along x, where the side looks that the camera sees at some 10 degrees."""
AT_X_MM = {"red": 690.0, "blue": 310.0}


@pytest.mark.parametrize("color", ["red", "blue"])
def test_an_eye_on_a_side_seen_flat_tells_its_owner_and_one_turned_away_is_not_invented(color: str) -> None:
    turns = {empire_die(color, (0, 0), angle_deg=turn).rotation[0, 2]: turn for turn in (0.0, 90.0, 180.0, 270.0)}
    toward = turns[min(turns, key=lambda way: abs(way - TOWARD_CAMERA[color]))]
    places = ((AT_X_MM[color], 250.0, toward), (AT_X_MM[color], 450.0, toward + 180.0))
    dice = tuple(empire_die(color, (x, y), angle_deg=turn, id=f"d{y:.0f}") for x, y, turn in places)
    picture = picture_of(*dice)
    image = prepare(picture, find_pose(picture, WIDE_LENS, KIT), KIT)
    die = SHAPES.empire_die
    seen, away = (
        eye_owner.read_eye(image, die, bodies.upright(x, y, die.half_height_mm, turn)) for x, y, turn in places
    )
    assert (owner_of(seen[0]), seen[1]) == (color, False)
    assert (owner_of(away[0]), away[1], bool(away[2])) == (None, False, True)


def owned_dice(*colors: str | None) -> list[Any]:
    fit = bodies.Fit(bodies.upright(0.0, 0.0, 14.0), np.eye(6), 1.0, 1.0, 0.0)
    odds = {"red": TOLD_ODDS, "blue": -TOLD_ODDS, None: 0.0}
    return [
        Detection(Kind.EMPIRE_DIE, None, SHAPES.empire_die, fit, marked_up=False, reason="?", red_odds=odds[color])
        for color in colors
    ]


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        (("red", "red", None, "blue"), ("red", "red", "blue", "blue")),
        (("red", None, "blue", None), ("red", None, "blue", None)),
        (("red", "red", "blue", "blue", None), ("red", "red", "blue", "blue", None)),
    ],
)
def test_when_one_sides_dice_are_all_seen_the_rest_are_the_others(
    seen: tuple[str | None, ...], told: tuple[str | None, ...]
) -> None:
    assert tuple(die.color for die in _owned(owned_dice(*seen), 2)) == told


def test_shadows_show_where_a_lamp_is_mirrored() -> None:
    picture = picture_of(*(empire_die("red", at, id=f"d{at[1]}") for at in ((660, 40), (300, 200), (500, 560))))
    image, *_, dice = find_dice(picture, find_pose(picture, WIDE_LENS, KIT), KIT, SHAPES)
    near, *others = (mirrored_light(image, die.place) for die in sorted(dice, key=lambda die: die.place.middle_mm[1]))
    assert near > LIMITS.max_mirrored > 2 * max(others)
