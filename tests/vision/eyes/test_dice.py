"""Empire dice: what is one, how it stands or leans, and what it stands on or beside."""

import math
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from calibration.pose import find_pose
from companion.game.readings import SURE, Kind
from tests.scenes import KIT, WIDE_LENS, empire_die, ninja, samurai
from tests.seeds import first
from tests.vision.wide_table import LANDS, SHAPES, assert_nothing_false, of_kind, over_red, picture_of, read
from vision.measure import bodies, cube_fit, white_squares
from vision.measure.prepared import prepare
from vision.sim.rest import let_down, settled
from vision.sim.scene import Body, about, times
from vision.tables.eyes import detect, die_poses, support
from vision.tables.eyes.detect import Detections
from vision.tables.eyes.die_poses import fit_leaning_die, stand_die

BLUE = np.array(KIT.piece("territory").start_mm["blue"])
DIE = SHAPES.empire_die
DEPTHS_MM = {"on": 2.0, "beside": -0.8}
TURNS_DEG = {"on": 20.0, "beside": 290.0}


def _let_down(name: str) -> Body:
    """A die whose side is square to the rim and reaches so deep over it, at rest there."""
    turn, far = np.radians(TURNS_DEG[name]), 110 + DIE.half_height_mm - DEPTHS_MM[name]
    at = BLUE + far * np.array([np.cos(turn), np.sin(turn)])
    return let_down(empire_die("blue", tuple(at.tolist()), angle_deg=TURNS_DEG[name], id=name), LANDS)


@lru_cache(maxsize=1)
def detections() -> tuple[Detections, dict[str, Body]]:
    dice = {name: _let_down(name) for name in DEPTHS_MM}
    picture = picture_of(*dice.values())
    return detect.detect_pieces(picture, find_pose(picture, WIDE_LENS, KIT), KIT, SHAPES), dice


def test_of_two_like_poses_the_one_that_fits_closer_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A die leaned on a rim by 5 degrees. Of two fits half a degree apart the worse came first and hid the other: the
    die stood beside the rim for sure, which was a wrong ruling (camera R77007)."""
    read, _ = detections()
    lands = [piece for piece in read.pieces if piece.kind is Kind.TERRITORY]
    die = next(piece for piece in read.pieces if piece.kind is Kind.EMPIRE_DIE and not piece.under.is_flat)
    residuals = [way.fit.residual_px for way in stand_die(read.image, die, lands).ways]

    def with_worse(*args: Any) -> list[tuple[bodies.Fit, support.Underside]]:
        found = fit_leaning_die(*args)
        return [(replace(fit, residual_px=fit.residual_px + 1), under) for fit, under in found] + found

    monkeypatch.setattr(die_poses, "fit_leaning_die", with_worse)
    assert [way.fit.residual_px for way in stand_die(read.image, die, lands).ways] == residuals


def test_a_die_taken_half_beside_itself_is_found_again() -> None:
    """Under a low window a side is brighter than the top: a die was missed, and its table was not read."""
    picture = picture_of(empire_die("red", (155.0, 117.0), angle_deg=38.0))
    image = prepare(picture, find_pose(picture, WIDE_LENS, KIT), KIT)
    true = bodies.upright(155.0, 117.0, DIE.half_height_mm, 38.0)
    taken = bodies.Place(true.middle_mm - 8.0 * true.axes[:, 1], true.axes)
    (found,) = cube_fit.relocated(image, DIE, cube_fit.show_dice(image, DIE, [taken])).places
    assert bodies.apart_mm(found, true) < 0.5


def test_a_die_that_is_found_by_two_of_its_faces_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed 603, throw 55: the eye that nobody could remove was the same die once more, and no press helped."""
    find = white_squares.find_squares
    monkeypatch.setattr(white_squares, "find_squares", lambda *args: 2 * tuple(find(*args)))
    lie = (
        empire_die("red", (155.0, 117.0), angle_deg=38.0, id="near"),
        empire_die("red", (54.0, 496.0), angle_deg=57.0),
    )
    reading = read(*lie)
    assert len(of_kind(reading, Kind.EMPIRE_DIE)) == 2


@pytest.mark.parametrize(("is_up", "is_sure"), [(False, True), (True, False)])
def test_a_die_that_leans_on_a_samurai_and_shows_no_eye_has_none_on_top(is_up: bool, is_sure: bool) -> None:
    """Seed 705: four of six questions in 49 presses were about such a die, white on all sides."""
    at = (830.0, 560.0) if is_up else (500.0, 120.0)
    die = empire_die("red", at, marked_up=is_up, angle_deg=20, on_mm=14.0, id="die")
    reading = read(*settled([samurai("blue", (at[0] + 24.0, at[1] + 6.0)), die], ["die"]))
    (found,) = (piece for piece in reading.pieces if piece.kind is Kind.EMPIRE_DIE)
    assert (found.marked_up, found.confidence >= SURE) == (is_up, is_sure)


SIDE_MM, SMALL_MM = (KIT.piece(kind).size_mm("side") for kind in (Kind.EMPIRE_DIE, Kind.NINJA))


@pytest.mark.parametrize("margin_mm", first([2.0, -2.0]))
def test_nothing_false_is_said_of_a_die_on_a_ninja_that_it_hides(margin_mm: float) -> None:
    out, turned = np.array([math.cos(2.6), math.sin(2.6)]), math.degrees(2.6)
    middle = np.array(KIT.piece("territory").start_mm["red"]) + (110 + SIDE_MM / 2 - margin_mm) * out
    at, below = (tuple((middle + away * out).tolist()) for away in (0.0, 5.9))
    reading = read(empire_die("red", at, on_mm=SMALL_MM, angle_deg=turned), ninja(3, below, angle_deg=turned))
    assert_nothing_false(over_red(reading, Kind.EMPIRE_DIE, at), margin_mm)


def leaning_on(at: tuple[float, float], toward_deg: float, slope_deg: float) -> list[Body]:
    """A die that stands on one edge and leans on a ninja before it, and the ninja."""
    slope, toward = math.radians(slope_deg), math.radians(toward_deg)
    along = np.array([math.cos(toward), math.sin(toward)])
    middle_mm = SIDE_MM / 2 * (math.cos(slope) - math.sin(slope)), SIDE_MM / 2 * (math.cos(slope) + math.sin(slope))
    level = empire_die("red", at, marked_up=True, angle_deg=toward_deg)
    turn = times(about((-along[1], along[0], 0.0), -slope_deg), level.turn)
    x, y = np.array(at) + along * middle_mm[0]
    before_mm = SMALL_MM / math.tan(slope) + SMALL_MM / 2
    u, v = np.array(at) + along * before_mm
    return [level.moved(at_mm=(x, y, middle_mm[1]), turn=turn), ninja(4, (u, v), angle_deg=toward_deg)]


@pytest.mark.parametrize("toward_deg", first([20.0, 200.0, 290.0]))
def test_a_die_that_leans_on_a_ninja_is_in_doubt(toward_deg: float) -> None:
    reading = read(*leaning_on((190.0, 600.0), toward_deg, 32.0), empire_die("blue", (500.0, 60.0)))
    sure = [p for p in reading.pieces if p.kind is Kind.EMPIRE_DIE and p.confidence >= SURE]
    assert [(round(p.x_mm), round(p.y_mm)) for p in sure] == [(500, 60)]


def test_a_die_that_leans_on_a_stack_is_no_hand() -> None:
    """A die leaned by 23 degrees on two samurai, its top was no square to the camera, and it was taken for a hand. A
    match stood still."""
    stack_mm, (x, y) = (880.0, 120.0), (880.0, 82.0)
    leaning = times(about((0.0, 0.0, 1.0), 60.0), (0.5517, 0.0139, -0.8338, 0.0094))
    die = empire_die("red", (x, y)).moved(at_mm=(x, y, 17.95), turn=leaning)
    reading = read(samurai("blue", stack_mm, id="low"), samurai("blue", stack_mm, on_mm=4.0, id="high"), die)
    (found,) = of_kind(reading, Kind.EMPIRE_DIE)
    assert math.dist((x, y), (found.x_mm, found.y_mm)) < 6.0
