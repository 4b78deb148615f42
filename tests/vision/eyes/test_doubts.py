"""What lies on the lens or the table and is no piece: nothing sure is said of what it may hide."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.game.errors import ReadingError
from companion.game.readings import SURE, EyesReading, Kind, Piece
from tests.scenes import KIT, WIDE_LENS, empire_die, ninja, samurai, territory
from tests.vision.wide_table import nearest, of_kind, read
from vision.readers import Picture
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Body, RoundBox, RoundDisk, Scene, Solid, about
from vision.sim.shown import overlaps
from vision.tables.eyes import open_eye
from vision.tables.eyes.checks import ON_IT
from vision.tables.eyes.die_doubts import BLURRED

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


def spotted(picture: Picture, at_mm: tuple[float, float], blur_px: float) -> Picture:
    """The picture through a lens with a soft-edged spot over a place on the table."""
    x, y = CAMERA.to_pixels(np.array([[*at_mm, 8.0]]))[0]
    rows, columns = np.mgrid[: picture.shape[0], : picture.shape[1]]
    share = np.clip(4 * (1.15 - np.hypot(columns - x, rows - y) / WIDE_PX), 0, 1)[..., None]
    return np.rint(picture * (1 - share) + cv2.GaussianBlur(picture, (0, 0), blur_px) * share).astype(np.uint8)


@pytest.mark.nightly
@pytest.mark.parametrize("which", [0, 2])
def test_what_lies_under_a_soft_spot_is_in_doubt_and_the_rest_is_not(which: int) -> None:
    body = BODIES[which]
    eye, sharp = open_eye(WIDE_LENS, KIT), Renderer(KIT, CAMERA).picture(SCENE)
    plain, reading = eye.read(sharp), eye.read(spotted(sharp, body.at_mm[:2], 3.5))
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


def box(wide_mm: float, long_mm: float, high_mm: float) -> Solid:
    return RoundBox((wide_mm / 2, long_mm / 2, high_mm / 2), min(1.0, high_mm / 3))


def thing(color: str, solid: Solid, at: tuple[float, float], on_mm: float = 0.0, angle_deg: float = 0.0) -> Body:
    """Something that is no piece, level on what is `on_mm` high."""
    at_mm, turn = (*at, on_mm + solid.half_mm), about((0.0, 0.0, 1.0), angle_deg)
    return Body(id=f"thing_{color}", kind="thing", color=color, solid=solid, at_mm=at_mm, turn=turn)


def only(kind: Kind, reading: EyesReading) -> Piece:
    (piece,) = (piece for piece in reading.pieces if piece.kind is kind)
    return piece


def near(reading: EyesReading, kind: Kind) -> float:
    """The standard error of how deep a piece lies in a territory."""
    return next(pair.sigma_mm for pair in reading.overlaps if pair.piece.startswith(kind.value))


@pytest.mark.parametrize(
    ("color", "solid"),
    [
        pytest.param("black", box(72, 150, 8), id="a phone"),
        pytest.param("white", box(148, 210, 0.4), id="a sheet of paper"),
    ],
)
def test_what_may_hide_a_samurai_is_to_be_taken_away(color: str, solid: Solid) -> None:
    hidden = samurai("blue", (500, 560))
    with pytest.raises(ReadingError, match="something that is not a piece covers about") as raised:
        read(hidden, thing(color, solid, (500, 560), on_mm=4.0))
    assert raised.value.code == "hand_in_view"


@pytest.mark.nightly
def test_of_a_die_under_the_red_tip_of_a_pen_no_eye_is_told() -> None:
    at = (377.5, 350.0 + 100.0)
    bare = read(empire_die("red", at, marked_up=True, angle_deg=10, on_mm=3.0))
    die = only(Kind.EMPIRE_DIE, bare)
    assert (die.color, die.marked_up, die.reason) == ("red", True, None)
    pen = thing("red", box(6, 140, 6), (at[0] + 3.0, at[1] - 80.0), 31.0)
    reading = read(empire_die("red", at, marked_up=True, angle_deg=10, on_mm=3.0), pen)
    die = only(Kind.EMPIRE_DIE, reading)
    assert (die.marked_up, die.reason) == (None, ON_IT)
    assert die.confidence < SURE
    assert near(reading, Kind.EMPIRE_DIE) > 1.0 > near(bare, Kind.EMPIRE_DIE)


def test_a_thing_beside_a_die_doubts_nothing() -> None:
    at = (377.5, 350.0 + 100.0)
    beside = thing("wood", box(9, 140, 9), (at[0], at[1] + 95))
    die = only(Kind.EMPIRE_DIE, read(empire_die("red", at, marked_up=True, on_mm=3.0), beside))
    assert (die.color, die.marked_up, die.confidence) == ("red", True, 1.0)


AT = (150.0, 150.0)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("color", "solid"),
    [
        pytest.param("white", RoundDisk(14.5, 14.0, 1.0), id="a bottle's cap"),
        pytest.param("white", box(42, 24, 11), id="an eraser"),
        pytest.param("white", box(22, 22, 22), id="another game's die"),
    ],
)
def test_only_dice_of_the_set_are_dice(color: str, solid: Solid) -> None:
    """White things of a household were read as empire dice, surely and with a bare top."""
    reading = read(empire_die("red", (150, 600)), thing(color, solid, AT, angle_deg=20.0))
    assert [(round(die.x_mm), round(die.y_mm)) for die in of_kind(reading, Kind.EMPIRE_DIE)] == [(150, 600)]
