"""Whose eye a die bears, seen flat, at a glance, under a lamp or behind another piece."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from calibration.pose import find_pose
from companion.game.readings import TOLD_ODDS, Kind, owner_of
from tests.scenes import KIT, SIDE_UP, WIDE_LENS, empire_die, shared_renderer
from tests.vision.wide_table import LENS, SHAPES, nearest
from vision.measure import bodies
from vision.measure.prepared import PreparedImage, prepare
from vision.sim import render
from vision.sim.pieces import Material, lying
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Lighting, Scene, SceneLamp
from vision.sim.virtual import VirtualTable
from vision.tables.eyes import eye_owner, oblique_faces, open_eye
from vision.tables.eyes.detect import _owned
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection

# ---- An empire die's eye seen at a glance angle, under a mirrored lamp, or settled by the other dice.


TURNS = (0.0, 90.0, 180.0, 270.0)
PLACES = {("red", turn): (690.0, 100.0 + 150 * i) for i, turn in enumerate(TURNS)} | {
    ("blue", turn): (310.0, 100.0 + 150 * i) for i, turn in enumerate(TURNS)
}
"""Dice about 190 mm beside the camera's foot: their inner sides are seen at some 10 degrees."""


@lru_cache(maxsize=1)
def oblique_image() -> PreparedImage:
    scene = Scene(
        bodies=tuple(
            empire_die(color, at, angle_deg=turn, id=f"{color}{turn:.0f}") for (color, turn), at in PLACES.items()
        )
    )
    picture = shared_renderer(LENS, height_mm=1100).picture(scene)
    return prepare(picture, find_pose(picture, LENS, KIT), KIT)


def oblique_place(color: str, turn: float) -> bodies.Place:
    x, y = PLACES[color, turn]
    return bodies.upright(x, y, SHAPES.empire_die.half_height_mm, turn)


def marks_of(color: str, turn: float) -> list[oblique_faces.EyeFit]:
    seen, die, place = oblique_image(), SHAPES.empire_die, oblique_place(color, turn)
    sides = eye_owner.sides_seen(seen, die, place, LIMITS.min_oblique_cosine)
    marks = (oblique_faces.fit_eye(seen, place, die.half_height_mm, axis, sign) for axis, sign in sides)
    return [mark for mark in marks if mark is not None]


def inner_turn(color: str) -> float:
    """The turn that shows the eye to the camera: the only one whose inner side is marked."""
    inner = {turn: max((m.share for m in marks_of(color, turn)), default=0.0) for turn in TURNS}
    return max(inner, key=inner.__getitem__)


@pytest.mark.parametrize("color", ["red", "blue"])
def test_an_eye_on_a_side_seen_flat_tells_its_owner(color: str) -> None:
    turn = inner_turn(color)
    odds, is_up, _ = eye_owner.read_eye(oblique_image(), SHAPES.empire_die, oblique_place(color, turn))
    assert (owner_of(odds), is_up) == (color, False)


@pytest.mark.parametrize("color", ["red", "blue"])
def test_an_eye_turned_away_is_not_invented(color: str) -> None:
    opposite = (inner_turn(color) + 180.0) % 360
    odds, is_up, reason = eye_owner.read_eye(oblique_image(), SHAPES.empire_die, oblique_place(color, opposite))
    assert (owner_of(odds), is_up) == (None, False)
    assert reason


def owned_dice(*colors: str | None) -> list[Any]:
    fit = bodies.Fit(bodies.upright(0.0, 0.0, 14.0), np.eye(6), 1.0, 1.0, 1.0, 0.0)
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


# ---- White tops that show no eye: where a lamp may be mirrored in them nothing is said, elsewhere they are bare.


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


# ---- An empire die's side that another piece stands before tells nothing of whose it is.


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
