"""Dice in the light of a window: their edges are measured by where the light comes from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.game.readings import Kind
from tests.scenes import KIT, WIDE_LENS, empire_die
from vision.measure.prepared import Floats
from vision.sim.film import Film
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Lighting, Scene, SceneLamp
from vision.tables.eyes import open_eye

pytestmark = pytest.mark.nightly

AT = ((250.0, 200.0, 12.0), (740.0, 180.0, 40.0), (260.0, 520.0, 63.0), (730.0, 530.0, 81.0))
FILMS = {"soft": Film(), "sharp": Film(blur_px=0.35, sharpening=0.8)}


def window(turn_deg: float) -> tuple[Lighting, Floats]:
    """The light of a window beside the table, and the direction toward it."""
    toward = np.array([np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))])
    x, y = (np.array([500.0, 350.0]) + 1500 * toward).tolist()
    return Lighting(lamps=(SceneLamp((x, y, 950.0), 1000.0),), ambient=0.3), toward


def seen(film: Film, turn_deg: float) -> Floats:
    """How far four dice are seen toward the window and across, each (2,), of where they stand."""
    lighting, toward = window(turn_deg)
    colors = ("red", "blue", "blue", "red")
    dice = tuple(
        empire_die(color, (x, y), angle_deg=angle, id=f"d{i}")
        for i, (color, (x, y, angle)) in enumerate(zip(colors, AT, strict=True))
    )
    scene = Scene(bodies=dice, lighting=lighting)
    picture = Renderer(KIT, overhead(WIDE_LENS, height_mm=1200), film).picture(scene)
    found = [p for p in open_eye(WIDE_LENS, KIT).read(picture).pieces if p.kind is Kind.EMPIRE_DIE]
    assert len(found) == len(dice)
    away = [min(((p.x_mm - x, p.y_mm - y) for p in found), key=lambda d: float(np.hypot(*d))) for x, y, _ in AT]
    return np.array(away) @ np.column_stack([toward, (-toward[1], toward[0])])


@pytest.mark.parametrize("film", FILMS)
def test_dice_beside_a_window_are_not_seen_nearer_to_it(film: str) -> None:
    away = np.concatenate([seen(FILMS[film], turn_deg) for turn_deg in (20.0, 200.0)])
    assert np.abs(away.mean(axis=0)).max() < 0.1
    assert np.sqrt(np.square(away).sum(axis=1).mean()) < 0.25


def test_a_table_without_dice_has_no_slant() -> None:
    lighting, _ = window(20.0)
    picture = Renderer(KIT, overhead(WIDE_LENS, height_mm=1200), Film()).picture(replace(Scene(), lighting=lighting))
    assert not open_eye(WIDE_LENS, KIT).read(picture).pieces
