"""A samurai beyond whose rim its colour goes on is not trusted: another may lie under it."""

from __future__ import annotations

import pytest

from companion.game.readings import EyesReading, Kind
from tests.scenes import KIT, WIDE_LENS, samurai, shared_renderer, territory
from vision.sim.scene import Body, Scene
from vision.tables.eyes import open_eye
from vision.tables.eyes.limits import LIMITS

pytestmark = pytest.mark.nightly

LANDS = (territory("red"), territory("blue"))


def read(*bodies: Body) -> EyesReading:
    picture = shared_renderer(WIDE_LENS, height_mm=1100).picture(Scene(bodies=LANDS + bodies))
    return open_eye(WIDE_LENS, KIT).read(picture)


def samurai_of(reading: EyesReading) -> list[float]:
    return [piece.confidence for piece in reading.pieces if piece.kind is Kind.SAMURAI]


def sigma_of(reading: EyesReading, over: str) -> float:
    return next(o.sigma_mm for o in reading.overlaps if o.over == over and o.piece.startswith("samurai"))


@pytest.mark.parametrize("color", ["red", "blue"])
def test_two_that_all_but_cover_each_other_are_not_taken_for_one(color: str) -> None:
    at = (377.5, 350.0 + 134.0)
    alone = read(samurai(color, at))
    twice = read(samurai(color, at), samurai(color, (at[0] + 1.0, at[1] + 3.2), on_mm=4.0, id="upper"))
    assert len(samurai_of(alone)) == 1
    assert samurai_of(alone)[0] > LIMITS.unseen_confidence
    assert len(samurai_of(twice)) == 2 or max(samurai_of(twice)) <= LIMITS.unseen_confidence
    assert sigma_of(twice, "territory_red") > LIMITS.unseen_error_mm > 2 * sigma_of(alone, "territory_red")


def test_neighbours_and_ones_own_territory_explain_colour() -> None:
    bodies = [
        samurai("red", (200, 500), id="a"),
        samurai("red", (245.2, 500), id="b"),
        samurai("red", (360, 380), on_mm=3.0, id="own"),
        samurai("blue", (800, 500), id="c"),
        samurai("blue", (845.2, 500), id="d"),
    ]
    assert min(samurai_of(read(*bodies))) > LIMITS.unseen_confidence
