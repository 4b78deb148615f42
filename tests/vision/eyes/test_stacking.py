"""Which of two samurai lies above, where no rim across them tells."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from calibration.pose import find_pose
from companion.game.readings import Kind
from tests.scenes import KIT, samurai, shared_renderer
from tests.vision.eyes.test_oblique_faces import LENS, SHAPES
from vision.measure import bodies, disk_fit
from vision.measure.prepared import PreparedImage, prepare
from vision.sim.scene import Scene
from vision.tables.eyes import stacking
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection

LOW, HIGH = (300.0, 200.0), (330.0, 200.0)
APART = (700.0, 500.0)
UNDER, OVER = (300.0, 450.0), (313.0, 450.0)
"""One lies on the other, and covers its middle."""


@lru_cache(maxsize=1)
def image() -> PreparedImage:
    on_mm = KIT.piece("samurai").size_mm("height")
    scene = Scene(
        bodies=(
            samurai("blue", LOW, id="low"),
            samurai("blue", HIGH, on_mm=on_mm, id="high"),
            samurai("blue", APART, id="apart"),
            samurai("blue", UNDER, id="under"),
            samurai("blue", OVER, on_mm=on_mm, id="over"),
        )
    )
    picture = shared_renderer(LENS, height_mm=1100).picture(scene)
    return prepare(picture, find_pose(picture, LENS, KIT), KIT)


def found(at: tuple[float, float], *, is_crescent: bool = False) -> Detection:
    place = bodies.upright(*at, SHAPES.samurai.half_height_mm)
    fit = disk_fit.fit_disk(image(), SHAPES.samurai, place, "blue", rounds=2)
    return Detection(Kind.SAMURAI, "blue", SHAPES.samurai, fit, is_crescent=is_crescent)


@pytest.mark.nightly
def test_a_sure_pair_is_left_as_it_is() -> None:
    uppers, _ = stacking.stack_samurai(image(), [found(LOW), found(HIGH)], [], {(0, 1): 0.9})
    assert uppers == {(0, 1): 0.9}


@pytest.mark.nightly
def test_a_pair_that_lies_alike_either_way_and_shows_no_rim_only_touches() -> None:
    uppers, laid = stacking.stack_samurai(image(), [found(LOW), found(APART)], [], {(0, 1): 0.5})
    assert uppers == {}
    assert all(piece.under.is_flat for piece in laid.values())


@pytest.mark.nightly
def test_a_rim_far_away_makes_no_samurai_that_lies_on_another_less_sure() -> None:
    _, laid = stacking.stack_samurai(image(), [found(LOW), found(HIGH)], [], {(1, 0): 0.9})
    assert not laid[1].under.is_flat
    (alone,) = stacking.lay_likelier(image(), [laid[1]], [territory(beyond_mm=25.0)])
    (near,) = stacking.lay_likelier(image(), [laid[1]], [territory(beyond_mm=5.0)])
    assert alone.spread_mm == 0.0
    assert near.spread_mm > 0.0


def territory(beyond_mm: float) -> Detection:
    """A territory whose rim is so far from the upper samurai's."""
    reach_mm = SHAPES.territory_radius_mm + SHAPES.samurai_radius_mm + beyond_mm
    place = bodies.upright(HIGH[0] + reach_mm, HIGH[1], SHAPES.territory.half_height_mm)
    return Detection(Kind.TERRITORY, "red", SHAPES.territory, bodies.Fit(place, np.eye(6), 1.0, 1.0, 1.0, 0.1))


@pytest.mark.nightly
def test_a_crescent_lies_under_the_disk_of_its_colour_that_covers_its_middle() -> None:
    under, over = found(UNDER, is_crescent=True), found(OVER)
    assert stacking.find_layers(image(), [over, under]) == {(0, 1): LIMITS.crescent_under}
    assert stacking.find_layers(image(), [under, over]) == {(1, 0): LIMITS.crescent_under}


@pytest.mark.nightly
def test_a_crescent_whose_rim_runs_across_the_other_lies_above() -> None:
    under, over = found(UNDER), found(OVER, is_crescent=True)
    assert stacking.find_layers(image(), [over, under]) == {(0, 1): LIMITS.crescent_under}
    assert stacking.find_layers(image(), [under, over]) == {(1, 0): LIMITS.crescent_under}
