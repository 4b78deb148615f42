"""A drop or a finger print on the lens, away from the fiducials: what lies under it is asked about.

Dice under a soft spot were read 1 to 3 mm off with confidence 1.0, for an edge that is wider than the window in which
it is measured fits no worse; the picture as a whole was sharp and the fiducials told nothing of the spot.
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from companion.game.readings import SURE, EyesReading, Kind, Piece
from tests.scenes import KIT, WIDE_LENS, empire_die, ninja, samurai, territory
from vision.readers import Picture
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Scene
from vision.sim.shown import overlaps
from vision.tables.eyes import open_eye
from vision.tables.eyes.die_doubts import BLURRED

pytestmark = pytest.mark.nightly

LAND_AT = (500.0, 350.0)
LANDS = (territory("red", LAND_AT), territory("blue", (160.0, 350.0)))
BODIES = (
    empire_die("red", (627.0, 350.0), angle_deg=0),
    empire_die("blue", (500.0, 223.0), angle_deg=90),
    samurai("blue", (404.0, 446.0)),
    samurai("red", (600.0, 460.0)),
    ninja(4, (740.0, 260.0), angle_deg=10),
    ninja(2, (320.0, 200.0), angle_deg=30),
)
SCENE = Scene(bodies=(*LANDS, *BODIES))
CAMERA = overhead(WIDE_LENS, height_mm=1200)
WIDE_PX = 70.0


@cache
def sharp() -> Picture:
    return Renderer(KIT, CAMERA).picture(SCENE)


def spotted(picture: Picture, at_mm: tuple[float, float], blur_px: float) -> Picture:
    """The picture through a lens with a soft-edged spot over a place on the table."""
    x, y = CAMERA.to_pixels(np.array([[*at_mm, 8.0]]))[0]
    rows, columns = np.mgrid[: picture.shape[0], : picture.shape[1]]
    share = np.clip(4 * (1.15 - np.hypot(columns - x, rows - y) / WIDE_PX), 0, 1)[..., None]
    return np.rint(picture * (1 - share) + cv2.GaussianBlur(picture, (0, 0), blur_px) * share).astype(np.uint8)


def read(picture: Picture) -> EyesReading:
    return open_eye(WIDE_LENS, KIT).read(picture)


def nearest(reading: EyesReading, kind: Kind, at_mm: tuple[float, ...]) -> Piece:
    pieces = [piece for piece in reading.pieces if piece.kind is kind]
    return min(pieces, key=lambda piece: np.hypot(piece.x_mm - at_mm[0], piece.y_mm - at_mm[1]))


def test_a_sharp_picture_is_read_for_sure() -> None:
    reading = read(sharp())
    assert all(piece.reason != BLURRED for piece in reading.pieces)
    assert reading.table.soft_pieces == 0
    assert all(
        nearest(reading, body.kind, body.at_mm).confidence >= SURE for body in BODIES if body.kind is not Kind.NINJA
    )
    assert {nearest(reading, Kind.NINJA, body.at_mm).value for body in BODIES[4:]} == {4, 2}


@pytest.mark.parametrize("blur_px", [2.2, 3.5, 6.0])
@pytest.mark.parametrize("which", range(4))
def test_what_lies_under_a_soft_spot_is_in_doubt_and_the_rest_is_not(which: int, blur_px: float) -> None:
    body = BODIES[which]
    plain, reading = read(sharp()), read(spotted(sharp(), (body.at_mm[0], body.at_mm[1]), blur_px))
    piece = nearest(reading, body.kind, body.at_mm)
    assert piece.confidence < SURE
    assert piece.marked_up is None
    assert reading.table.soft_pieces == 1
    if body.kind is Kind.EMPIRE_DIE:
        assert piece.color is None
        assert piece.reason == BLURRED
    for true in (true for true in overlaps(SCENE) if true.piece == body.id):
        for said in (said for said in reading.overlaps if said.piece == piece.id and said.over == true.over):
            assert abs(said.margin_mm - true.margin_mm) < 3 * said.sigma_mm
    for other in (other for other in BODIES if other is not body):
        before, after = (nearest(each, other.kind, other.at_mm) for each in (plain, reading))
        assert (before.confidence, before.value, before.marked_up) == (after.confidence, after.value, after.marked_up)


@pytest.mark.parametrize("blur_px", [2.5, 4.0])
@pytest.mark.parametrize("which", [4, 5])
def test_a_ninja_under_a_soft_spot_has_no_value(which: int, blur_px: float) -> None:
    x, y, _ = BODIES[which].at_mm
    reading = read(spotted(sharp(), (x, y), blur_px))
    there = [p for p in reading.pieces if p.kind is Kind.NINJA and np.hypot(p.x_mm - x, p.y_mm - y) < 12]
    assert [ninja.value for ninja in there] in ([], [None])


def test_a_spot_over_half_of_a_die_counts() -> None:
    x, y, _ = BODIES[0].at_mm
    px_a_mm = WIDE_LENS.fx_px / 1200
    reading = read(spotted(sharp(), (x + WIDE_PX / px_a_mm, y), 4.0))
    assert nearest(reading, Kind.EMPIRE_DIE, (x, y)).reason == BLURRED
