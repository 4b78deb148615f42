"""Cameras that end below the highest value: what they cut off is told by what shows no noise."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.game.readings import Kind
from tests.scenes import KIT, WIDE_LENS, empire_die
from vision.measure import bodies
from vision.measure.edges import linear_table
from vision.measure.prepared import PreparedImage, prepare
from vision.measure.room_light import saturation_level
from vision.sim import render
from vision.sim.film import Film
from vision.sim.pieces import Material
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Lighting, Scene, SceneLamp
from vision.tables.eyes import eye_owner, open_eye

pytestmark = pytest.mark.nightly

POSE = overhead(WIDE_LENS, height_mm=1200.0)
SIDE_MM = KIT.piece(Kind.EMPIRE_DIE).size_mm("side")
DIE = bodies.cube(SIDE_MM, 1.6)
AT = ((250.0, 200.0), (740.0, 180.0), (260.0, 520.0), (730.0, 530.0))
PLACES = [bodies.upright(*at, SIDE_MM / 2, 12.0) for at in AT]
WINDOW = SceneLamp((2300.0, 350.0, 1300.0), 300.0)


def picture(film: Film, lamp: SceneLamp = WINDOW, marked: int | None = None) -> NDArray[np.uint8]:
    dice = tuple(empire_die("red", at, marked_up=i == marked, angle_deg=12.0, id=f"d{i}") for i, at in enumerate(AT))
    scene = Scene(bodies=dice, lighting=Lighting(lamps=(lamp,), ambient=0.35))
    return Renderer(KIT, POSE, film).picture(scene)


def at_video_levels(full: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """As cameras give it that end at 235 and begin at 16."""
    return np.rint(16 + full * (219 / 255)).astype(np.uint8)


def levels(light: NDArray[np.float64]) -> list[float]:
    table = linear_table().astype(np.float64)
    return [round(float(np.interp(x * 65535, table, np.arange(256.0)))) for x in light]


def seen(shown: NDArray[np.uint8]) -> PreparedImage:
    return prepare(shown, POSE, KIT)


@pytest.mark.parametrize("noise", [0.003, 0.006, 0.012])
def test_the_end_of_a_camera_that_ends_early_is_told(noise: float) -> None:
    bright = picture(Film(exposure=1.3, shot_noise=noise))
    assert levels(saturation_level(seen(bright), DIE, PLACES)) == [255, 255, 255]
    assert levels(saturation_level(seen(at_video_levels(bright)), DIE, PLACES)) == [235, 235, 235]


def test_an_eye_outshone_by_a_lamp_is_not_denied_at_video_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "MATERIALS", {**render.MATERIALS, "ivory": Material(4.0, 0.15, 0.36)})
    away = (np.array(AT[0]) - (500.0, 350.0)) / (1200.0 - SIDE_MM) * (1900.0 - SIDE_MM)
    x_mm, y_mm = (np.array(AT[0]) + away).tolist()
    shown = at_video_levels(picture(Film(), SceneLamp((x_mm, y_mm, 1900.0), 200.0), marked=0))
    dice = [p for p in open_eye(WIDE_LENS, KIT).read(shown).pieces if p.kind is Kind.EMPIRE_DIE]
    die = min(dice, key=lambda p: float(np.hypot(p.x_mm - AT[0][0], p.y_mm - AT[0][1])))
    assert die.marked_up is None
    assert die.reason == eye_owner.MIRRORED
