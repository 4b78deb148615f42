"""Dice under a camera sharper than usual: their edges are measured as well."""

from __future__ import annotations

import pytest

from companion.game.readings import Kind
from tests.scenes import KIT, WIDE_LENS, empire_die, territory
from vision.sim.film import Film
from vision.sim.render import Renderer, overhead
from vision.sim.rest import let_down
from vision.sim.scene import Scene
from vision.sim.shown import overlaps
from vision.tables.eyes import open_eye

pytestmark = pytest.mark.nightly

SHARP = Film(blur_px=0.35, sharpening=0.8)
LAND_AT = (500.0, 350.0)


def errors_mm() -> list[float]:
    """How far margins of dice that lean on a territory are off, six dice around it."""
    land = territory("red", LAND_AT)
    dice = []
    for i, (dx, dy) in enumerate(((119, 0), (60, 103), (-60, 103), (-119, 0), (-60, -103), (60, -103))):
        die = let_down(empire_die("red", (LAND_AT[0] + dx, LAND_AT[1] + dy), angle_deg=15 * i, id=f"d{i}"), [land])
        assert die.tilt_deg > 3
        dice.append(die)
    scene = Scene(bodies=(land, *dice))
    renderer = Renderer(KIT, overhead(WIDE_LENS, height_mm=1200), SHARP)
    reading = open_eye(WIDE_LENS, KIT).read(renderer.picture(scene))
    at = {p.id: (p.x_mm, p.y_mm) for p in reading.pieces if p.kind is Kind.EMPIRE_DIE}
    found = []
    for true in overlaps(scene):
        body = next(b for b in dice if b.id == true.piece)
        said = min(
            reading.overlaps,
            key=lambda o: abs(at[o.piece][0] - body.at_mm[0]) + abs(at[o.piece][1] - body.at_mm[1]),
        )
        found.append(said.margin_mm - true.margin_mm)
    assert len(found) == len(dice)
    return found


def test_margins_are_not_off_to_one_side() -> None:
    found = errors_mm()
    assert abs(sum(found) / len(found)) < 0.15
    assert max(abs(error) for error in found) < 0.4
