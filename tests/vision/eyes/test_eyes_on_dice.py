"""Whose eye a die bears, seen flat, at a glance, under a lamp or behind another piece."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from calibration.pose import find_pose
from companion.game.readings import TOLD_ODDS, Kind, owner_of
from tests.scenes import KIT, SIDE_UP, WIDE_LENS, empire_die
from tests.vision.wide_table import SHAPES, nearest, picture_of
from vision.measure import bodies
from vision.measure.prepared import prepare
from vision.sim import render
from vision.sim.pieces import Material, lying
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Lighting, Scene, SceneLamp
from vision.sim.virtual import VirtualTable
from vision.tables.eyes import eye_owner, open_eye
from vision.tables.eyes.detect import _owned
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
    assert (owner_of(away[0]), away[1]) == (None, False)
    assert away[2]


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


HEIGHT_MM = 1200.0
POSE = overhead(WIDE_LENS, height_mm=HEIGHT_MM)
AT = (250.0, 200.0)
"""The lamp is mirrored in the middle of a level top there."""
SIDE_MM = KIT.piece(Kind.EMPIRE_DIE).size_mm("side")


@pytest.mark.nightly
@pytest.mark.parametrize(("gloss", "told"), [(0.0, True), (4.0, None)])
def test_an_eye_that_a_mirrored_lamp_outshines_is_not_denied(
    monkeypatch: pytest.MonkeyPatch, gloss: float, told: bool | None
) -> None:
    monkeypatch.setattr(render, "MATERIALS", {**render.MATERIALS, "ivory": Material(gloss, 0.15, 0.36)})
    lamp_mm = 1900.0
    away = (np.array(AT) - (500.0, 350.0)) / (HEIGHT_MM - SIDE_MM) * (lamp_mm - SIDE_MM)
    lamp = SceneLamp((*(np.array(AT) + away).tolist(), lamp_mm), 200.0)
    die = empire_die("red", AT, marked_up=True, angle_deg=12.0)
    picture = Renderer(KIT, POSE).picture(Scene(bodies=(die,), lighting=Lighting(lamps=(lamp,), ambient=0.35)))
    (die,) = (piece for piece in open_eye(WIDE_LENS, KIT).read(picture).pieces if piece.kind is Kind.EMPIRE_DIE)
    assert die.marked_up is told
    assert (die.reason == eye_owner.MIRRORED) is (told is None)


AT_MM = (206.26, 304.20)


def read_beside(other_mm: tuple[float, float]) -> tuple[str | None, str | None]:
    """The owner told, and why none is, of a red die whose eye looks away, with another red die there."""
    table = VirtualTable(KIT, is_grain_anew=False, clock=lambda: 0.0, wait=lambda _: None)
    kept = json.loads(table.saved())
    kept["pieces"] = [piece for piece in kept["pieces"] if piece["kind"] == "territory"]
    turns = ((*AT_MM, [0.70064, 0.0954, -0.70064, 0.0954]), (*other_mm, [-0.65861, 0.0, 0.0, 0.75249]))
    for i, (x_mm, y_mm, turn) in enumerate(turns, 1):
        die = lying(KIT, Kind.EMPIRE_DIE, "red", (x_mm, y_mm), id=f"empire_die_red_{i}", top=SIDE_UP)
        kept["pieces"].append(
            {"id": die.id, "kind": die.kind, "color": die.color, "at_mm": (x_mm, y_mm, 14.0), "turn": turn}
        )
    table.restore(json.dumps(kept))
    picture = table.frame()
    assert picture is not None
    die = nearest(open_eye(table.lens, KIT).read(picture), Kind.EMPIRE_DIE, AT_MM)
    return die.color, die.reason


@pytest.mark.nightly
@pytest.mark.parametrize("other_mm", [(233.46, 327.42), (300.0, 327.42)])
def test_the_end_of_another_die_before_a_side_is_no_eye_on_it(other_mm: tuple[float, float]) -> None:
    """A corner of red's other die, with its eye up, hid a part of the side: blue's eye was told there, and surely."""
    assert read_beside(other_mm) == (None, "its eye is on a face that the camera does not see")
