"""Tables of Eyes as a camera 1.15 m up sees them under one lamp, a pixel 0.8 mm wide, and what the eye reads there."""

import math

from calibration.arrays import Picture
from companion.game.margin import Call
from companion.game.readings import EyesReading, Kind, Overlap, Piece
from tests.lenses import lens
from tests.scenes import KIT, WIDE_LENS, shared_renderer, territory
from vision.sim.scene import Body, Lighting, Scene, SceneLamp
from vision.tables.eyes import open_eye
from vision.tables.eyes.pieces import Shapes

LIT = Lighting(lamps=(SceneLamp((900.0, -500.0, 1700.0), 400.0),), ambient=0.35)
LENS = lens((1920, 1080), (1460.0, 1462.0), (952.0, 544.0))
SHAPES = Shapes.of(KIT)
LANDS = (territory("red"), territory("blue"))


def picture_of(*pieces: Body) -> Picture:
    """Both territories where they are set up, and these pieces."""
    return shared_renderer(WIDE_LENS, height_mm=1150.0).picture(Scene(bodies=LANDS + pieces, lighting=LIT))


def read(*pieces: Body) -> EyesReading:
    """What the eye sees of such a table."""
    return open_eye(WIDE_LENS, KIT).read(picture_of(*pieces))


def nearest(reading: EyesReading, kind: Kind, at: tuple[float, ...]) -> Piece:
    """The piece of a kind that is read nearest to a place."""
    return min(of_kind(reading, kind), key=lambda piece: math.dist((piece.x_mm, piece.y_mm), at[:2]))


def of_kind(reading: EyesReading, kind: Kind, color: str | None = None) -> list[Piece]:
    """The pieces of a kind, and of a color."""
    return [piece for piece in reading.pieces if piece.kind is kind and color in (None, piece.color)]


def over_red(reading: EyesReading, kind: Kind, at: tuple[float, ...]) -> Overlap:
    """How the piece of a kind that is read nearest to a place lies to the red territory."""
    piece = nearest(reading, kind, at)
    return next(pair for pair in reading.overlaps if (pair.piece, pair.over) == (piece.id, "territory_red"))


def assert_nothing_false(said: Overlap, margin_mm: float) -> None:
    """The margin is within its error, and the ruling right or left open."""
    assert abs(said.margin_mm - margin_mm) < 3 * said.sigma_mm
    assert said.ruling in (Call.TOO_CLOSE, Call.OVERLAPS if margin_mm > 0 else Call.CLEAR)
