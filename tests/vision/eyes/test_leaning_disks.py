"""A samurai that leans steeply on a die, its lower edge on the table."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from calibration.pose import find_pose
from companion.game.readings import Kind
from tests.scenes import KIT, empire_die, samurai, shared_renderer, territory
from tests.vision.eyes.test_oblique_faces import LENS, SHAPES
from vision.measure import bodies
from vision.sim.scene import Body, Scene, about, times
from vision.tables.eyes import detect
from vision.tables.eyes.detect import Detections
from vision.tables.eyes.margins import margin_of
from vision.tables.eyes.pieces import Detection

pytestmark = pytest.mark.nightly

LAND = territory("blue", at=(600, 350))
DIE_AT = {"free": (300.0, 250.0), "owned": (760.0, 420.0)}
LEANS = {"free": (40.0, 48.0), "owned": (160.0, 56.0)}
"""By die: the way its samurai rises and its slope, degrees."""


def _leaning(die: Body, id: str, direction_deg: float, slope_deg: float) -> Body:
    """A samurai that touches the table and the die, rising that way."""
    flat = samurai("red", (0, 0), id=id)
    radius, half, round_mm = SHAPES.samurai_radius_mm, SHAPES.samurai.half_height_mm, SHAPES.samurai.round_mm
    way, slope = np.radians(direction_deg), np.radians(slope_deg)
    along = np.array([np.cos(way), np.sin(way)])
    normal = np.array([*(-along * np.sin(slope)), np.cos(slope)])
    core = die.solid.hull() @ die.rotation.T + die.at_mm
    held = float((core @ normal).max()) + die.solid.bevel_mm
    height = (radius - round_mm) * np.sin(slope) + (half - round_mm) * np.cos(slope) + round_mm
    back = (height * np.cos(slope) - held - half) / np.sin(slope)
    middle = np.array(die.at_mm)[:2]
    xy = along * back + np.array([-along[1], along[0]]) * float(middle @ (-along[1], along[0]))
    turn = times(about((0.0, 0.0, 1.0), direction_deg), about((0.0, 1.0, 0.0), -slope_deg))
    return flat.moved(at_mm=(float(xy[0]), float(xy[1]), float(height)), turn=turn)


@lru_cache(maxsize=1)
def detections() -> tuple[Detections, dict[str, Body]]:
    dice = [empire_die("red", at, marked_up=True, angle_deg=LEANS[name][0] + 8, id=name) for name, at in DIE_AT.items()]
    leaning = {die.id: _leaning(die, f"on_{die.id}", *LEANS[die.id]) for die in dice}
    picture = shared_renderer(LENS, height_mm=1100).picture(Scene(bodies=(LAND, *dice, *leaning.values())))
    return detect.detect_pieces(picture, find_pose(picture, LENS, KIT), KIT, SHAPES), leaning


def nearest(read: Detections, kind: Kind, at: tuple[float, float]) -> Detection:
    return min(
        (piece for piece in read.pieces if piece.kind is kind),
        key=lambda piece: float(np.hypot(*(piece.place.middle_mm[:2] - at))),
    )


@pytest.mark.parametrize("name", DIE_AT)
def test_a_samurai_that_leans_on_a_die_is_found_as_it_leans(name: str) -> None:
    read, leaning = detections()
    true = leaning[name]
    found = nearest(read, Kind.SAMURAI, true.at_mm[:2])
    assert found.is_leaning
    assert found.tilt_deg == pytest.approx(true.tilt_deg, abs=2.5)
    assert np.hypot(*(found.place.middle_mm[:2] - true.at_mm[:2])) < 0.8
    land = next(piece for piece in read.pieces if piece.kind is Kind.TERRITORY)
    place = bodies.Place(np.array(true.at_mm), true.rotation)
    depth = bodies.depth_in_disk(SHAPES.samurai, place, np.array([600.0, 350.0]), 110.0)
    margin = margin_of(found, land, read.pose)
    assert abs(margin.margin_mm - depth) < 3 * margin.sigma_mm


def test_no_other_samurai_is_read_in_its_place() -> None:
    read, leaning = detections()
    assert sum(piece.kind is Kind.SAMURAI for piece in read.pieces) == len(leaning)
    assert sum(piece.kind is Kind.NINJA for piece in read.pieces) == 0


@pytest.mark.parametrize("name", DIE_AT)
def test_a_half_covered_eye_tells_its_owner_or_nothing(name: str) -> None:
    die = nearest(detections()[0], Kind.EMPIRE_DIE, DIE_AT[name])
    assert (die.color, die.marked_up) in {("red", True), (None, None)}
    assert die.color or die.reason


def test_a_die_beside_a_territory_has_nothing_leaning_on_it() -> None:
    die = empire_die("red", (600 + 110 + 14.5, 350.0))
    picture = shared_renderer(LENS, height_mm=1100).picture(Scene(bodies=(LAND, die)))
    pieces = detect.detect_pieces(picture, find_pose(picture, LENS, KIT), KIT, SHAPES).pieces
    assert not any(piece.kind is Kind.SAMURAI for piece in pieces)


def test_a_die_between_two_leaning_samurai_is_found_by_what_is_seen_of_it() -> None:
    die = empire_die("red", (300.0, 480.0), marked_up=True, angle_deg=25.0, id="between")
    disks = [_leaning(die, f"at_{way}", way, 50.0) for way in (25.0, 205.0)]
    picture = shared_renderer(LENS, height_mm=1100).picture(Scene(bodies=(LAND, die, *disks)))
    read = detect.detect_pieces(picture, find_pose(picture, LENS, KIT), KIT, SHAPES)
    kinds = sorted(piece.kind.value for piece in read.pieces)
    assert kinds == ["empire_die", "samurai", "samurai", "territory"]
    found = nearest(read, Kind.EMPIRE_DIE, die.at_mm[:2])
    assert np.hypot(*(found.place.middle_mm[:2] - die.at_mm[:2])) < 1.5
    for true in disks:
        disk = nearest(read, Kind.SAMURAI, true.at_mm[:2])
        assert np.hypot(*(disk.place.middle_mm[:2] - true.at_mm[:2])) < 1.2
