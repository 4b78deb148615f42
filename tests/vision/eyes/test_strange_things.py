"""What is no piece: it may hide a samurai, hide or draw an eye, and bend the edges of what it lies on. A pen's red tip
beside a red eye was read as an eye that does not look up, a finger on a die moved it by four of its stated errors, and
a samurai under a sheet of paper was not missed, all of it surely."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from companion.game.errors import ReadingError
from companion.game.readings import SURE, EyesReading, Kind, Piece
from tests.scenes import KIT, WIDE_LENS, empire_die, ninja, samurai, shared_renderer, territory
from vision.sim.scene import Body, Lighting, RoundBox, RoundDisk, Scene, SceneLamp, Solid, about
from vision.tables.eyes import open_eye
from vision.tables.eyes.checks import ON_IT

LANDS = (territory("red"), territory("blue"))
WINDOW = Lighting(lamps=(SceneLamp((-1300.0, 350.0, 800.0), 700.0),), ambient=0.3)


def box(wide_mm: float, long_mm: float, high_mm: float) -> Solid:
    return RoundBox((wide_mm / 2, long_mm / 2, high_mm / 2), min(1.0, high_mm / 3))


def thing(color: str, solid: Solid, at: tuple[float, float], on_mm: float = 0.0, angle_deg: float = 0.0) -> Body:
    """Something that is no piece, level on what is `on_mm` high."""
    at_mm, turn = (*at, on_mm + solid.half_mm), about((0.0, 0.0, 1.0), angle_deg)
    return Body(id=f"thing_{color}", kind="thing", color=color, solid=solid, at_mm=at_mm, turn=turn)


def read(bodies: Iterable[Body], lighting: Lighting | None = None) -> EyesReading:
    scene = Scene(bodies=(*LANDS, *bodies), lighting=lighting or Lighting())
    return open_eye(WIDE_LENS, KIT).read(shared_renderer(WIDE_LENS, height_mm=1100).picture(scene))


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
        pytest.param("red", box(90, 60, 2), id="a red cloth"),
        pytest.param("steel", RoundDisk(40, 90, 2), id="a mug"),
        pytest.param("yellow", RoundDisk(19, 2, 0.5), id="a lid that leaves a narrow rim"),
    ],
)
def test_what_may_hide_a_samurai_is_to_be_taken_away(color: str, solid: Solid) -> None:
    hidden = samurai("blue", (500, 560))
    with pytest.raises(ReadingError, match="something that is not a piece covers about") as raised:
        read([hidden, thing(color, solid, (500, 560), on_mm=4.0)])
    assert raised.value.code == "hand_in_view"


@pytest.mark.nightly
def test_shades_and_pieces_hide_nothing() -> None:
    dice = [empire_die("red", (480 + 29 * i, 120), id=f"die_{i}") for i in range(2)]
    ninjas = [ninja(4, (500 + 17 * i, 560 + 17 * k), id=f"ninja_{i}_{k}") for i in range(3) for k in range(3)]
    reading = read([*dice, *ninjas, samurai("blue", (300, 600))], WINDOW)
    assert len([piece for piece in reading.pieces if piece.kind is Kind.NINJA]) == 9
    assert not [piece for piece in reading.pieces if piece.reason == ON_IT]


@pytest.mark.nightly
def test_the_long_shade_of_dice_at_the_edge_is_no_hand() -> None:
    """It covered 65 cm2 and reached the edge of the play area: the table was refused until the dice were moved."""
    low = Lighting(lamps=(SceneLamp((-1700.0, 350.0, 700.0), 600.0),), ambient=0.25)
    dice = [empire_die("red", (900, 150 + 35 * i), id=f"die_{i}") for i in range(2)]
    assert len([piece for piece in read(dice, low).pieces if piece.kind is Kind.EMPIRE_DIE]) == 2


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("color", "solid", "aside_mm"),
    [
        pytest.param("red", box(6, 140, 6), (3.0, -80.0), id="a pen's red tip beside the eye"),
        pytest.param("orange", box(17, 60, 15), (-9.0, 38.0), id="a finger"),
        pytest.param("grey", box(20, 20, 12), (17.0, 17.0), id="a grey box on a corner"),
    ],
)
def test_of_a_die_under_something_no_eye_is_told(color: str, solid: Solid, aside_mm: tuple[float, float]) -> None:
    at = (377.5, 350.0 + 100.0)
    bare = read([empire_die("red", at, marked_up=True, angle_deg=10, on_mm=3.0)])
    die = only(Kind.EMPIRE_DIE, bare)
    assert (die.color, die.marked_up, die.reason) == ("red", True, None)
    over = (at[0] + aside_mm[0], at[1] + aside_mm[1])
    reading = read([empire_die("red", at, marked_up=True, angle_deg=10, on_mm=3.0), thing(color, solid, over, 31.0)])
    die = only(Kind.EMPIRE_DIE, reading)
    assert (die.color, die.marked_up, die.reason) == (None, None, ON_IT)
    assert die.confidence < SURE
    assert near(reading, Kind.EMPIRE_DIE) > 1.0 > near(bare, Kind.EMPIRE_DIE)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("color", "solid", "aside_mm"),
    [
        pytest.param("steel", RoundDisk(9, 2, 0.4), 6.0, id="a coin on it"),
        pytest.param("grey", box(30, 60, 12), 26.0, id="a box over its rim"),
    ],
)
def test_a_samurai_under_something_is_not_sure(color: str, solid: Solid, aside_mm: float) -> None:
    at = (622.5, 350.0 + 125.0)
    bare = read([samurai("red", at)])
    assert only(Kind.SAMURAI, bare).confidence > SURE
    reading = read([samurai("red", at), thing(color, solid, (at[0] + aside_mm, at[1]), 4.0)])
    disk = only(Kind.SAMURAI, reading)
    assert (disk.color, disk.reason) == ("red", ON_IT)
    assert disk.confidence < SURE
    assert near(reading, Kind.SAMURAI) > 0.5 > near(bare, Kind.SAMURAI)


def test_a_thing_beside_a_die_doubts_nothing() -> None:
    at = (377.5, 350.0 + 100.0)
    die = only(
        Kind.EMPIRE_DIE,
        read([empire_die("red", at, marked_up=True, on_mm=3.0), thing("wood", box(9, 140, 9), (at[0], at[1] + 95), 0)]),
    )
    assert (die.color, die.marked_up, die.confidence) == ("red", True, 1.0)
