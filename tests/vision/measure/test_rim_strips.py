"""A samurai beside a territory of the other colour: the strip of table between them is neither's colour."""

from __future__ import annotations

import pytest

from companion.game.readings import Kind
from companion.game.table import overlap_mm
from tests.scenes import KIT, WIDE_LENS, samurai, shared_renderer, territory
from vision.sim.scene import Scene, Surface
from vision.tables.eyes import open_eye

pytestmark = pytest.mark.nightly

SURFACES = (("wood", (150, 108, 68)), ("felt", (150, 128, 100)), ("cloth", (110, 110, 106)))
STRIPS = [("red", 0, 1.2), ("red", 1, 2.6), ("red", 2, 4.0), ("blue", 0, 4.0), ("blue", 1, 1.2), ("blue", 2, 2.6)]
"""Each colour on each surface, each width of the strip with each colour."""
SIDES = {"red": ("blue", 622.5), "blue": ("red", 377.5)}


@pytest.mark.parametrize(("color", "surface", "gap_mm"), STRIPS)
def test_a_narrow_strip_of_table_does_not_draw_a_samurai_to_the_rim(color: str, surface: int, gap_mm: float) -> None:
    weave, ground = SURFACES[surface]
    other, x_mm = SIDES[color]
    bodies = (territory("red"), territory("blue"), samurai(color, (x_mm, 350 + 110 + 22.5 + gap_mm)))
    scene = Scene(bodies=bodies, surface=Surface(weave=weave, color=ground))
    picture = shared_renderer(WIDE_LENS, height_mm=1150).picture(scene)
    reading = open_eye(WIDE_LENS, KIT).read(picture)
    found = [piece for piece in reading.pieces if piece.kind is Kind.SAMURAI]
    assert len(found) == 1
    pair = next(o for o in reading.overlaps if o.piece == found[0].id and o.over == f"territory_{other}")
    assert pair.margin_mm == pytest.approx(-gap_mm, abs=0.25)


@pytest.mark.parametrize(("weave", "ground"), SURFACES[:2])
def test_nor_one_that_shows_only_this_side_against_another_colour(weave: str, ground: tuple[int, int, int]) -> None:
    lies = samurai("red", (480.7, 388.1), on_mm=3.0)  # over the rim of its own territory
    blue = territory("blue", (612.6, 360.0))
    scene = Scene(bodies=(territory("red", (385.0, 350.0)), blue, lies), surface=Surface(weave=weave, color=ground))
    picture = shared_renderer(WIDE_LENS, height_mm=1150).picture(scene)
    reading = open_eye(WIDE_LENS, KIT).read(picture)
    found = next(piece for piece in reading.pieces if piece.kind is Kind.SAMURAI)
    true = overlap_mm(lies.footprint, blue.footprint)
    pair = next(o for o in reading.overlaps if o.piece == found.id and o.over == "territory_blue")
    assert -3.0 < true < -0.5
    assert pair.margin_mm == pytest.approx(true, abs=0.3)
