"""White tops that show no eye: where a lamp may be mirrored in them nothing is said, elsewhere they are bare."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.game.readings import EyesReading, Kind, Piece
from tests.scenes import KIT, WIDE_LENS, empire_die
from vision.measure import bodies
from vision.sim import render
from vision.sim.film import Film
from vision.sim.pieces import Material
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Lighting, Scene, SceneLamp
from vision.tables.eyes import eye_owner, open_eye
from vision.tables.eyes.eye_owner import LampReflections

pytestmark = pytest.mark.nightly

HEIGHT_MM = 1200.0
POSE = overhead(WIDE_LENS, height_mm=HEIGHT_MM)
AT = ((250.0, 200.0), (740.0, 180.0), (260.0, 520.0), (730.0, 530.0))
SIDE_MM = KIT.piece(Kind.EMPIRE_DIE).size_mm("side")
DIE = bodies.cube(SIDE_MM, 1.6)


def lamp_mirrored_in(at: tuple[float, float], height_mm: float = 1900.0) -> SceneLamp:
    """A lamp that the camera sees mirrored in the middle of a level top there."""
    away = (np.array(at) - (500.0, 350.0)) / (HEIGHT_MM - SIDE_MM) * (height_mm - SIDE_MM)
    x_mm, y_mm = (np.array(at) + away).tolist()
    return SceneLamp((x_mm, y_mm, height_mm), 200.0)


def read(lamp: SceneLamp, film: Film, marked: int, jpeg: int | None = None) -> EyesReading:
    """Four dice under a lamp, the eye of one (by its place in `AT`, if any) looking up; the picture as a JPEG of this
    quality, if any."""
    colors = ("red", "blue", "blue", "red")
    dice = tuple(
        empire_die(color, at, marked_up=i == marked, angle_deg=12.0 + 20 * i, id=f"d{i}")
        for i, (color, at) in enumerate(zip(colors, AT, strict=True))
    )
    scene = Scene(bodies=dice, lighting=Lighting(lamps=(lamp,), ambient=0.35))
    picture = Renderer(KIT, POSE, film).picture(scene)
    if jpeg is not None:
        _, written = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, jpeg])
        picture = np.asarray(cv2.imdecode(written, cv2.IMREAD_COLOR), np.uint8)
    return open_eye(WIDE_LENS, KIT).read(picture)


def die_at(reading: EyesReading, i: int) -> Piece:
    dice = [p for p in reading.pieces if p.kind is Kind.EMPIRE_DIE]
    return min(dice, key=lambda p: float(np.hypot(p.x_mm - AT[i][0], p.y_mm - AT[i][1])))


@pytest.mark.parametrize(("gloss", "told"), [(0.0, True), (4.0, None)])
def test_an_eye_that_a_mirrored_lamp_outshines_is_not_denied(
    monkeypatch: pytest.MonkeyPatch, gloss: float, told: bool | None
) -> None:
    monkeypatch.setattr(render, "MATERIALS", {**render.MATERIALS, "ivory": Material(gloss, 0.15, 0.36)})
    die = die_at(read(lamp_mirrored_in(AT[0]), Film(), marked=0), 0)
    assert die.marked_up is told
    assert (die.reason == eye_owner.MIRRORED) is (told is None)


@pytest.mark.parametrize("jpeg", [30, 40, 50, 60])
def test_nor_in_a_poor_jpeg(monkeypatch: pytest.MonkeyPatch, jpeg: int) -> None:
    monkeypatch.setattr(render, "MATERIALS", {**render.MATERIALS, "ivory": Material(4.0, 0.15, 0.36)})
    assert die_at(read(lamp_mirrored_in(AT[0]), Film(), marked=0, jpeg=jpeg), 0).marked_up is None


def test_tops_too_bright_for_the_camera_are_bare_where_no_lamp_is_mirrored(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[bool, bool]] = []

    class Listening(LampReflections):
        def may_hide_an_eye(self, place: bodies.Place) -> bool:
            inks = eye_owner.inks_on(self._image, DIE, place)
            is_white = any(ink.is_up and ink.is_saturated for ink in inks)
            asked.append((is_white, super().may_hide_an_eye(place)))
            return asked[-1][1]

    monkeypatch.setattr("vision.tables.eyes.detect.LampReflections", Listening)
    reading = read(SceneLamp((2300.0, 350.0, 1300.0), 300.0), Film(exposure=2.2), marked=3)
    assert len(asked) == 3
    assert all(is_white and not hides for is_white, hides in asked)
    assert [die_at(reading, i).marked_up for i in range(4)] == [False, False, False, True]
