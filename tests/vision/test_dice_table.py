"""The dice reader on a calibrated table: a tray of ninjas, drawn as a camera sees them."""

from __future__ import annotations

import pytest

from companion.readings import SURE, Kind
from tests.scenes import KIT, WIDE_LENS
from vision.dice_table import TrayEye, die_at
from vision.sim.pieces import lying
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Scene, value_top

TRAY = (400.0, 250.0, 560.0, 410.0)
THROWN = {(425.0, 275.0): 5, (470.0, 330.0): 2, (487.0, 332.0): 6, (530.0, 385.0): 3}
BESIDE = (585.0, 330.0)


@pytest.fixture(scope="module")
def eye() -> TrayEye:
    return TrayEye()


@pytest.fixture(scope="module")
def table() -> tuple[Renderer, Scene, float]:
    bodies = tuple(
        lying(KIT, Kind.NINJA, "black", at, id=f"n{i}", top=value_top(value), angle_deg=8.0 * (i % 2))
        for i, (at, value) in enumerate([*THROWN.items(), (BESIDE, 4)])
    )
    side_mm = KIT.piece(Kind.NINJA).size_mm("side")
    return Renderer(KIT, overhead(WIDE_LENS, tilt_deg=6)), Scene(bodies=bodies), side_mm


def test_the_dice_of_a_tray_are_read_where_they_stand(eye: TrayEye, table: tuple[Renderer, Scene, float]) -> None:
    renderer, scene, side_mm = table
    developed = renderer.develop(scene)
    pictures = [renderer.expose(developed, seed) for seed in range(2)]
    dice = [die for die in eye.read(pictures, renderer.pose, TRAY, side_mm) if die.in_tray]
    assert len(dice) == len(THROWN)
    for (x_mm, y_mm), value in THROWN.items():
        (die,) = [d for d in dice if abs(d.x_mm - x_mm) < 3 and abs(d.y_mm - y_mm) < 3]
        assert die.value == value
        pixel = renderer.pose.to_pixels([(x_mm, y_mm, side_mm / 2)])[0]
        assert die.box[0] < pixel[0] < die.box[2]
        assert die.box[1] < pixel[1] < die.box[3]


def test_pictures_that_show_other_faces_are_never_sure(eye: TrayEye, table: tuple[Renderer, Scene, float]) -> None:
    renderer, _, side_mm = table
    at = next(iter(THROWN))
    shown = [
        renderer.picture(Scene(bodies=(lying(KIT, Kind.NINJA, "black", at, top=value_top(value)),)), value)
        for value in (2, 6)
    ]
    (die,) = eye.read(shown, renderer.pose, TRAY, side_mm)
    assert die.value is None or die.confidence < SURE


def test_a_tray_that_is_none_is_refused(eye: TrayEye, table: tuple[Renderer, Scene, float]) -> None:
    renderer, scene, side_mm = table
    with pytest.raises(ValueError, match="expected x0 < x1"):
        eye.read([renderer.picture(scene)], renderer.pose, (10, 10, 10, 60), side_mm)


def test_no_picture_and_a_tray_out_of_the_picture_are_refused(
    eye: TrayEye, table: tuple[Renderer, Scene, float]
) -> None:
    renderer, scene, side_mm = table
    with pytest.raises(ValueError, match="at least one of the throw"):
        eye.read([], renderer.pose, TRAY, side_mm)
    with pytest.raises(ValueError, match="reaches out of the picture of 1920 x 1080"):
        eye.read([renderer.picture(scene)], renderer.pose, (-900, 250, 560, 410), side_mm)


def test_a_known_die_lies_where_the_camera_shows_it(table: tuple[Renderer, Scene, float]) -> None:
    renderer, _, side_mm = table
    found = die_at(renderer.pose, (470, 330), 30, side_mm)
    middle = renderer.pose.to_pixels([(470.0, 330.0, side_mm / 2)])[0]
    assert abs(found.x - middle[0]) < 2
    assert abs(found.y - middle[1]) < 2
    level = die_at(renderer.pose, (470, 330), 0, side_mm)
    assert found.width > level.width * 1.1
