"""Ninjas that lean, stand on something, or show no clear pips."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import lru_cache

import cv2
import numpy as np
import pytest

from calibration.pose import find_pose
from companion.game.readings import EyesReading, Kind, Piece
from tests.scenes import KIT, WIDE_LENS, ninja, shared_renderer, territory
from vision.measure.bodies import Fit, upright
from vision.measure.pip_patterns import PATTERNS, PIP_PITCH, PIP_RADIUS, patterns
from vision.photo.dice.face import FaceReader
from vision.photo.dice.find import Floats, Found
from vision.readers import Picture
from vision.sim.rest import let_down
from vision.sim.scene import Body, Lighting, Scene, SceneLamp
from vision.tables.eyes import detect, ninjas, open_eye
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.ninjas import LEANING
from vision.tables.eyes.pieces import Detection, Shapes

# ---- Ninjas that lean on a rim, over it and beside it as they seem: no value, and told where they are.
# One whose top showed a 3 leaned on a territory by 8 degrees: it was read as a 3 that stood 1.4 mm beside where it was.


LAND_AT, RADIUS_MM = np.array([560.0, 350.0]), 110.0
ROOM = Lighting(lamps=(SceneLamp((300.0, -500.0, 1900.0), 300.0),), ambient=0.5)
LEAN_MM = {0.0: (3, 5.5), 75.0: (4, 5.0), 160.0: (6, 4.0), 230.0: (5, 6.0), 300.0: (2, 3.0)}
"""By direction from the territory's middle: the value on top, and how far beyond the rim the middle is let down."""
STANDING_MM = {35.0: (4, 8.2), 115.0: (6, 8.5), 195.0: (2, 9.0), 265.0: (3, 8.1)}


def _at(direction_deg: float, beyond_mm: float) -> tuple[float, float]:
    turn = math.radians(direction_deg)
    x, y = LAND_AT + (RADIUS_MM + beyond_mm) * np.array([math.cos(turn), math.sin(turn)])
    return float(x), float(y)


@lru_cache(maxsize=1)
def table() -> tuple[EyesReading, dict[float, Body]]:
    land = territory("blue", at=(560, 350))
    dice: dict[float, Body] = {}
    for turn, (value, beyond) in LEAN_MM.items():
        die = let_down(ninja(value, _at(turn, beyond), angle_deg=turn, id=f"lean_{turn:.0f}"), [land])
        assert die is not None
        dice[turn] = die
    for turn, (value, beyond) in STANDING_MM.items():
        dice[turn] = ninja(value, _at(turn, beyond), angle_deg=turn, id=f"stand_{turn:.0f}")
    scene = Scene(bodies=(land, *dice.values()), lighting=ROOM)
    picture = shared_renderer(WIDE_LENS, height_mm=1100).picture(scene)
    return open_eye(WIDE_LENS, KIT).read(picture), dice


def read(turn: float) -> tuple[Piece, float]:
    """The ninja read nearest to one of the dice, and how far from it, mm."""
    reading, dice = table()
    return nearest(reading, dice[turn])


def nearest(reading: EyesReading, die: Body) -> tuple[Piece, float]:
    """The ninja read nearest to a die, and how far from it, mm."""
    away_mm = {p.id: math.hypot(p.x_mm - die.at_mm[0], p.y_mm - die.at_mm[1]) for p in reading.pieces}
    piece = min((p for p in reading.pieces if p.kind is Kind.NINJA), key=lambda p: away_mm[p.id])
    return piece, away_mm[piece.id]


@pytest.mark.nightly
@pytest.mark.parametrize("turn", LEAN_MM)
def test_one_that_leans_has_no_value_and_is_told_where_it_is(turn: float) -> None:
    true = table()[1][turn]
    assert true.tilt_deg > 8
    piece, away_mm = read(turn)
    assert (piece.value, piece.reason) == (None, LEANING)
    assert away_mm < 1.2
    assert abs(piece.tilt_deg - true.tilt_deg) < 6


@pytest.mark.nightly
@pytest.mark.parametrize("turn", STANDING_MM)
def test_one_that_stands_close_beside_a_rim_keeps_its_value(turn: float) -> None:
    piece, away_mm = read(turn)
    assert piece.value == STANDING_MM[turn][0]
    assert piece.tilt_deg == 0
    assert away_mm < 1.0


SIDE_MM = KIT.piece(Kind.NINJA).size_mm("side")


# ---- A ninja whose pips are not clear is shown to the dice reader: without its word no value is said.


STANDS = {4: (300.0, 150.0), 2: (640.0, 350.0)}
"""The second stands on a territory."""


@dataclass
class Told(FaceReader):
    """Gives a value a chance, and keeps the places it was asked about."""

    value: int
    chance: float
    asked: list[Found] = field(default_factory=list)

    def look(self, picture: Picture, found: list[Found]) -> Floats:
        self.asked += found
        chances = np.full((len(found), 8), (1 - self.chance) / 7, np.float32)
        chances[:, self.value] = self.chance
        return chances


@pytest.fixture(scope="module")
def unclear() -> Picture:
    land = territory("blue", at=(640, 350))
    top_mm = KIT.piece("territory").size_mm("height")
    dice = (ninja(4, STANDS[4]), ninja(2, STANDS[2], on_mm=top_mm, angle_deg=20))
    return shared_renderer(WIDE_LENS).picture(Scene(bodies=(land, *dice)))


def values(unclear: Picture, faces: FaceReader | None) -> set[int | None]:
    seen = detect.detect_pieces(unclear, find_pose(unclear, WIDE_LENS, KIT), KIT, Shapes.of(KIT), faces=faces)
    return {piece.value for piece in seen.pieces if piece.kind is Kind.NINJA}


@pytest.mark.nightly
@pytest.mark.parametrize(("chance", "told"), [(0.9, {4, None}), (0.2, {None})])
def test_unclear_pips_need_the_dice_readers_word(
    unclear: Picture, monkeypatch: pytest.MonkeyPatch, chance: float, told: set[int | None]
) -> None:
    monkeypatch.setattr(ninjas, "LIMITS", replace(LIMITS, clear_pips=1.1))
    assert values(unclear, Told(value=4, chance=chance)) == told


def told(x_mm: float, value: int | None, confidence: float) -> Detection:
    solid = Shapes.of(KIT).ninja
    fit = Fit(upright(x_mm, 200.0, solid.half_height_mm), np.eye(6), 1.0, 1.0, 1.0, 0.0)
    return Detection(Kind.NINJA, "black", solid, fit, value=value, confidence=confidence)


@pytest.mark.nightly
def test_what_lies_between_two_dice_is_none_without_the_dice_readers_word(unclear: Picture) -> None:
    """Their walls and shadows may look like a die of which the pips are not clear. What stands elsewhere may be none:
    a die's corner beside a samurai was told as a ninja with 0.85."""
    pose = find_pose(unclear, WIDE_LENS, KIT)
    clear = [told(200.0, 4, 0.95), told(223.4, 2, 0.95)]
    between, alone = told(211.7, 2, 0.8), told(300.0, 2, 0.8)
    nobody, everybody = Told(value=2, chance=0.1), Told(value=2, chance=0.9)
    assert ninjas.confirm_values(unclear, pose, [*clear, between, alone], everybody) == [*clear, between, alone]
    kept = ninjas.confirm_values(unclear, pose, [*clear, between, alone], nobody)
    assert kept[:2] == clear
    assert [(ninja.place, ninja.value, ninja.confidence) for ninja in kept[2:]] == [(alone.place, None, 0.5)]


@pytest.mark.parametrize(("x_mm", "is_kept"), [(213.9, False), (215.5, True)])
def test_the_wall_of_a_ninja_beside_a_rim_is_no_ninja_that_leans_on_it(
    unclear: Picture, x_mm: float, is_kept: bool
) -> None:
    """Virtual table, seed 3, throw 33: the three pips of a wall beside a samurai were told as a ninja with 0.83."""
    clear, wall = told(200.0, 1, 0.95), replace(told(x_mm, None, 0.83), reason=LEANING)
    pose = find_pose(unclear, WIDE_LENS, KIT)
    kept = ninjas.confirm_values(unclear, pose, [clear, wall], Told(value=1, chance=0.9))
    assert (wall in kept) is is_kept


# ---- The patterns of dice tops against tops drawn another way.


CELL_MM = 0.8


def _drawn(value: int, angle_deg: float, light: float = 0.6) -> np.ndarray:  # type: ignore[type-arg]
    """A black top with its pips on a grey table, its middle at the middle pixel."""
    scale, size = 10, 61
    big = np.full((size * scale, size * scale), 0.3, np.float32)
    middle = (size * scale - 1) / 2
    px = scale / CELL_MM
    c, s = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
    turn = np.array([[c, -s], [s, c]])
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * SIDE_MM / 2 @ turn.T * px + middle
    cv2.fillConvexPoly(big, np.round(corners).astype(np.int32), 0.05)
    for pip in PATTERNS[value][0]:
        x, y = np.array(pip) * PIP_PITCH * SIDE_MM @ turn.T * px + middle
        cv2.circle(big, (round(float(x)), round(float(y))), round(PIP_RADIUS * SIDE_MM * px), light, -1)
    soft = cv2.GaussianBlur(big, (0, 0), 0.5 * px)
    return np.asarray(cv2.resize(soft, (size, size), interpolation=cv2.INTER_AREA))


@pytest.mark.parametrize("value", sorted(PATTERNS))
@pytest.mark.parametrize("angle_deg", [0.0, 17.0])
def test_each_top_is_known_at_any_turn(value: int, angle_deg: float) -> None:
    known = patterns(SIDE_MM, CELL_MM, 3.0)
    at = np.array([30])
    scores = known.scores(_drawn(value, angle_deg), at, at)[0]
    best = int(scores.argmax())
    assert known.values[best] == value
    assert scores[best] > 0.9
    if value > 1:  # a single pip tells no direction
        apart = abs(known.angles_deg[best] - angle_deg) % 90
        assert min(apart, 90 - apart) <= 3.0
