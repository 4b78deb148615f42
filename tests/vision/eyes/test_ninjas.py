"""Ninjas that stand on something, or show no clear pips."""

from __future__ import annotations

import math
from functools import lru_cache

import cv2
import numpy as np
import pytest

from calibration.pose import find_pose
from companion.game.readings import Kind
from tests.scenes import KIT, WIDE_LENS, empire_die, ninja, samurai, shared_renderer, territory
from vision.measure.bodies import Fit, upright
from vision.measure.pip_patterns import PATTERNS, PIP_PITCH, PIP_RADIUS, patterns
from vision.measure.prepared import PreparedImage, prepare
from vision.sim.scene import Body, Scene
from vision.tables.eyes import ninjas, open_eye
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.ninjas import match_roughly
from vision.tables.eyes.pieces import Detection, Platform, Shapes, stand_on_highest

# ---- What a ninja stands on: the highest piece that bears it.


SIDE_MM = KIT.piece(Kind.NINJA).size_mm("side")
SAMURAI_MM = KIT.piece(Kind.SAMURAI).size_mm("height")


@pytest.mark.nightly
def test_a_ninja_on_a_samurai_is_read_at_its_height() -> None:
    bodies = (samurai("red", (930, 330)), ninja(4, (934, 326), on_mm=SAMURAI_MM))
    reading = open_eye(WIDE_LENS, KIT).read(shared_renderer(WIDE_LENS).picture(Scene(bodies=bodies)))
    [piece] = [piece for piece in reading.pieces if piece.kind is Kind.NINJA]
    assert piece.value == 4
    assert math.dist((piece.x_mm, piece.y_mm), (934, 326)) < 0.7


@lru_cache(maxsize=1)
def bare() -> PreparedImage:
    picture = shared_renderer(WIDE_LENS).picture(Scene(bodies=()))
    return prepare(picture, find_pose(picture, WIDE_LENS, KIT), KIT)


SQUARE = np.array([(886, 336), (914, 336), (914, 364), (886, 364)], np.float32)
DIE = Platform(SQUARE, 28.0, is_die=True)


@pytest.mark.nightly
@pytest.mark.parametrize(("x_mm", "stands_mm"), [(900.0, 28.0), (912.0, 28.0), (938.0, 3.0), (800.0, 0.0)])
def test_a_die_stands_on_the_highest_piece_that_bears_it(x_mm: float, stands_mm: float) -> None:
    at = np.array([x_mm, 350.0])
    seen = bare().seen_at(at, stands_mm + SIDE_MM)
    land, beside = Platform(SQUARE, 3.0), Platform(SQUARE + np.array((30, 0), np.float32), 3.0)
    xy, base_mm = stand_on_highest(bare(), seen, SIDE_MM, [land, DIE, beside])
    assert base_mm == stands_mm
    assert xy == pytest.approx(at)


# ---- What looks like a ninja and is none.


def told(x_mm: float, value: int | None, confidence: float) -> Detection:
    solid = Shapes.of(KIT).ninja
    fit = Fit(upright(x_mm, 200.0, solid.half_height_mm), np.eye(6), 1.0, 1.0, 1.0, 0.0)
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


@pytest.mark.nightly
@pytest.mark.parametrize("height_mm", [1000, 1250])
@pytest.mark.parametrize(
    ("die", "samurai_at"),
    [
        (empire_die("red", (480.0, 80.0), angle_deg=2.7), (487.4, 77.0)),
        (empire_die("blue", (500.0, 620.0), angle_deg=81.0), (494.1, 619.0)),
    ],
)
def test_a_corner_of_a_die_that_a_samurai_covers_is_not_surely_a_ninja(
    die: Body, samurai_at: tuple[float, float], height_mm: float
) -> None:
    """White beside a shadow looks like a pip: such corners were told as ninjas with up to 0.85."""
    bodies = (territory("red"), territory("blue"), die, samurai("red", samurai_at, on_mm=die.highest_mm))
    picture = shared_renderer(WIDE_LENS, height_mm=height_mm).picture(Scene(bodies=bodies), 1)
    found = [piece for piece in open_eye(WIDE_LENS, KIT).read(picture).pieces if piece.kind is Kind.NINJA]
    assert all(ninja.confidence <= LIMITS.in_doubt for ninja in found)


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
@pytest.mark.parametrize("angle_deg", [0.0, 17.0, 44.0, 73.0])
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


def test_a_one_is_looked_at_beside_a_clearer_two() -> None:
    """On coarse cells pips of walls may look more like a two than a pip like a one: both are looked at closely."""
    flat = np.full((61, 61), 0.3, np.float32)
    flat[:, :30], flat[:, 30:] = _drawn(2, 20.0)[:, 15:45], _drawn(1, 20.0, 0.35)[:, 15:46]
    tops = match_roughly(flat, np.zeros(2), SIDE_MM, lambda xy: np.full(len(xy), True))
    assert tops[0].value == 2
    assert np.hypot(tops[0].x_mm + 12.0, tops[0].y_mm) < 1.5
    ones = [top for top in tops if top.value == 1]
    assert len(ones) == 1
    assert np.hypot(ones[0].x_mm - 12.0, ones[0].y_mm) < 1.5
    assert ones[0].score < tops[0].score
