"""A samurai of which only a sliver shows beside those on it is told, unsure, and moves what lies on it.

Two blue ones lay on a red one that showed two millimetres beside them. It was not found, so the blue ones were laid
4 mm too low and told 1.2 mm aside with an error of 0.14.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from calibration.pose import find_pose
from companion.game.readings import SURE, EyesReading, Kind, Piece
from tests.scenes import KIT, WIDE_LENS, empire_die, samurai, shared_renderer, territory
from tests.vision.eyes.test_oblique_faces import SHAPES
from vision.measure import bodies
from vision.measure.prepared import prepare
from vision.sim.render import overhead
from vision.sim.scene import Body, Scene
from vision.tables.eyes import disk_doubts, margins, open_eye, stacking
from vision.tables.eyes.detect import detect_pieces
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection

pytestmark = pytest.mark.nightly

LANDS = (territory("red"), territory("blue"))
HIDDEN = (782.0, 357.5)
HEAP = (
    samurai("red", HIDDEN, id="hidden"),
    samurai("blue", (780.4, 352.6), on_mm=4.0, id="middle"),
    samurai("blue", (771.7, 370.0), on_mm=8.0, id="top"),
)


def read(*pieces: Body) -> EyesReading:
    picture = shared_renderer(WIDE_LENS, height_mm=1100).picture(Scene(bodies=LANDS + pieces))
    return open_eye(WIDE_LENS, KIT).read(picture)


def samurai_of(reading: EyesReading, color: str) -> list[Piece]:
    return [piece for piece in reading.pieces if piece.kind is Kind.SAMURAI and piece.color == color]


def test_a_sliver_is_a_samurai_in_doubt_and_what_lies_on_it_lies_higher() -> None:
    reading = read(*HEAP)
    (hidden,) = samurai_of(reading, "red")
    assert hidden.confidence < SURE
    assert math.dist((hidden.x_mm, hidden.y_mm), HIDDEN) < 3.0
    for body in HEAP[1:]:
        off_mm = min(math.dist((p.x_mm, p.y_mm), body.at_mm[:2]) for p in samurai_of(reading, "blue"))
        assert off_mm < 0.5


def test_neighbours_make_no_sliver() -> None:
    reading = read(
        samurai("red", (200, 500), id="a"),
        samurai("blue", (245.2, 500), id="b"),
        samurai("blue", (360, 380), on_mm=3.0, id="on_land"),
        samurai("red", (790, 420), id="low"),
        samurai("blue", (800, 430), on_mm=4.0, id="high"),
    )
    assert [len(samurai_of(reading, color)) for color in ("red", "blue")] == [2, 3]
    assert min(piece.confidence for color in ("red", "blue") for piece in samurai_of(reading, color)) >= SURE


def test_one_beside_which_a_corner_of_a_missed_die_shows_may_lie_on_it() -> None:
    die = empire_die("blue", (622.5, 300.0), on_mm=3.0, angle_deg=45.0, id="die")
    on_die = Scene(bodies=(*LANDS, die, samurai("blue", (622.5, 308.0), on_mm=31.0)))
    on_land = Scene(bodies=(*LANDS, samurai("blue", (622.5, 308.0), on_mm=3.0)))
    for scene, rise_mm in ((on_die, SHAPES.empire_die.half_height_mm), (on_land, 0.0)):
        picture = shared_renderer(WIDE_LENS, height_mm=1100).picture(scene)
        pieces = detect_pieces(picture, find_pose(picture, WIDE_LENS, KIT), KIT, SHAPES).pieces
        assert not [piece for piece in pieces if piece.kind is Kind.EMPIRE_DIE]
        (told,) = [piece for piece in pieces if piece.kind is Kind.SAMURAI]
        assert told.rise_mm == pytest.approx(rise_mm)


def disk(at: tuple[float, float], color: str = "blue", **how: float) -> Detection:
    fit = bodies.Fit(bodies.upright(*at, SHAPES.samurai.half_height_mm), np.zeros((6, 6)), 1.0, 1.0, 1.0, 0.1)
    return Detection(Kind.SAMURAI, color, SHAPES.samurai, fit, **how)  # type: ignore[arg-type]


def test_what_is_open_of_the_height_is_open_along_the_line_of_sight() -> None:
    pose = overhead(WIDE_LENS, height_mm=1100, aim_mm=(200.0, 350.0))
    place = bodies.upright(500.0, 350.0, SHAPES.territory.half_height_mm)
    fit = bodies.Fit(place, np.zeros((6, 6)), 1.0, 1.0, 1.0, 0.1)
    land = Detection(Kind.TERRITORY, "red", SHAPES.territory, fit)
    for at, share in (((630.0, 350.0), 430 / 1098), ((200.0, 350.0 - 130.0), 130 / 1098)):
        toward = np.array(at) - (500.0, 350.0)
        cosine = abs(float(toward @ (np.array(at) - (200.0, 350.0)))) / np.linalg.norm(toward) / (share * 1098)
        sure, unsure = (margins.margin_of(disk(at, rise_mm=rise), land, pose).sigma_mm for rise in (0.0, 4.0))
        assert math.sqrt(unsure**2 - sure**2) == pytest.approx(4.0 * share * cosine, abs=0.02)


def test_one_on_what_is_in_doubt_is_as_much_in_doubt() -> None:
    bodies_drawn = (*LANDS, samurai("blue", (200, 500), id="a"), samurai("blue", (200, 560), id="b"))
    picture = shared_renderer(WIDE_LENS, height_mm=1100).picture(Scene(bodies=bodies_drawn))
    image = prepare(picture, find_pose(picture, WIDE_LENS, KIT), KIT)
    low, high = disk((200, 500)), disk((200, 560))
    for lower, sure, open_mm in (
        (low, 1.0, 0.0),
        (disk((200, 500), confidence=0.5), 1.0, LIMITS.open_height_mm),
        (disk((200, 500), rise_mm=4.0), 1.0, 4.0),
        (low, 0.6, LIMITS.open_height_mm),
    ):
        _, upper = disk_doubts.doubt_heights(image, [lower, high], [(1, 0, sure)])
        assert upper.rise_mm == pytest.approx(math.hypot(open_mm, LIMITS.heap_height_mm))


def test_the_colour_of_a_third_tells_no_order() -> None:
    bodies_drawn = (
        samurai("red", (300, 200), id="red"),
        samurai("blue", (330, 200), on_mm=4.0, id="blue"),
        samurai("red", (315, 200), on_mm=8.0, id="third"),
    )
    picture = shared_renderer(WIDE_LENS, height_mm=1100).picture(Scene(bodies=bodies_drawn))
    image = prepare(picture, find_pose(picture, WIDE_LENS, KIT), KIT)
    pair, third = [disk((300, 200), "red"), disk((330, 200))], disk((315, 200), "red")
    assert max(stacking.find_layers(image, pair).values()) > LIMITS.open_order
    sure = stacking.find_layers(image, [*pair, third])
    assert all(sure[each] < LIMITS.min_order for each in ((0, 1), (1, 0)) if each in sure)
