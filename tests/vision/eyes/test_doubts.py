"""What lies on the lens or the table and is no piece: nothing sure is said of what it may hide."""

import cv2
import numpy as np
import pytest

from calibration.arrays import Picture
from calibration.pose import find_pose
from companion.game.errors import ReadingError
from companion.game.readings import SURE, Kind
from tests.scenes import KIT, WIDE_LENS, empire_die, samurai
from tests.vision.wide_table import nearest, of_kind, picture_of, read
from vision.sim.scene import Body, RoundBox, RoundDisk, Solid, about
from vision.tables.eyes import open_eye
from vision.tables.eyes.die_doubts import BLURRED


def spotted(picture: Picture, at_mm: tuple[float, float]) -> Picture:
    """The picture through a lens with a soft-edged spot over a place on the table."""
    x, y = find_pose(picture, WIDE_LENS, KIT).to_pixels(np.array([[*at_mm, 8.0]]))[0]
    rows, columns = np.mgrid[: picture.shape[0], : picture.shape[1]]
    share = np.clip(4 * (1.15 - np.hypot(columns - x, rows - y) / 70.0), 0, 1)[..., None]
    return np.rint(picture * (1 - share) + cv2.GaussianBlur(picture, (0, 0), 3.5) * share).astype(np.uint8)


@pytest.mark.nightly
def test_what_lies_under_a_soft_spot_is_in_doubt_and_the_rest_is_not() -> None:
    at = (500.0, 100.0)
    picture = picture_of(empire_die("red", at), empire_die("blue", (160.0, 580.0)))
    reading = open_eye(WIDE_LENS, KIT).read(spotted(picture, at))
    under, apart = (nearest(reading, Kind.EMPIRE_DIE, place) for place in (at, (160.0, 580.0)))
    assert (under.color, under.marked_up, under.reason) == (None, None, BLURRED)
    assert under.confidence < SURE <= apart.confidence
    assert reading.table.soft_pieces == 1


def box(wide_mm: float, long_mm: float, high_mm: float) -> Solid:
    return RoundBox((wide_mm / 2, long_mm / 2, high_mm / 2), min(1.0, high_mm / 3))


def thing(color: str, solid: Solid, at: tuple[float, float], on_mm: float = 0.0, angle_deg: float = 0.0) -> Body:
    """Something that is no piece, level on what is `on_mm` high."""
    at_mm, turn = (*at, on_mm + solid.half_mm), about((0.0, 0.0, 1.0), angle_deg)
    return Body(id=f"thing_{color}", kind="thing", color=color, solid=solid, at_mm=at_mm, turn=turn)


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


def test_a_lamp_mirrored_in_the_mat_hides_nothing() -> None:
    at = (160.0, 580.0)
    picture = picture_of(empire_die("blue", at))
    rows, columns = np.indices(picture.shape[:2])
    glare = 0.11 * np.exp(-(np.hypot(columns - 0.7 * columns.max(), rows - 0.3 * rows.max()) ** 2) / 2 / 190**2)
    lit = 255 * ((picture / 255) ** 2.2 + glare[..., None]).clip(0, 1) ** (1 / 2.2)
    assert nearest(open_eye(WIDE_LENS, KIT).read(lit.astype(np.uint8)), Kind.EMPIRE_DIE, at).confidence >= SURE


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
    sure = [die for die in of_kind(reading, Kind.EMPIRE_DIE) if die.confidence >= SURE or die.marked_up is not None]
    assert [(round(die.x_mm), round(die.y_mm)) for die in sure] == [(150, 600)]
