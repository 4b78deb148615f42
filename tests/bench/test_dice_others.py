"""Things that are no dice: each is drawn where it should be, alike for the same seed, and nothing is labelled a die."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from bench.train.dice_others import REACH, THINGS, Sticker, thing

SIDE_PX, SIZE_PX = 240, 60.0


@pytest.mark.parametrize("draw", list(THINGS), ids=lambda draw: draw.__name__)
def test_each_thing_shows_in_its_place_and_nowhere_else(draw: Callable[[Sticker], None]) -> None:
    for seed in range(4):
        picture = np.full((SIDE_PX, SIDE_PX, 3), 0.5, np.float32)
        sticker = Sticker(np.random.default_rng(seed), SIZE_PX)
        draw(sticker)
        sticker.lay(picture, (130.0, 110.0))
        changed = np.abs(picture - 0.5).max(2) > 0.02
        rows, columns = np.nonzero(changed)
        assert changed.sum() > 0.1 * SIZE_PX**2
        reach = REACH * SIZE_PX * 1.2  # and its shadow
        assert np.abs(columns - 130).max() <= reach
        assert np.abs(rows - 110).max() <= reach
        assert np.isfinite(picture).all()
        assert picture.min() >= 0


def test_a_thing_may_lie_half_or_wholly_outside_the_picture() -> None:
    picture = np.full((80, 90, 3), 0.5, np.float32)
    for seed, at in enumerate(((0.0, 0.0), (90.0, 40.0), (45.0, 80.0), (400.0, -300.0))):
        before = picture.copy()
        thing(np.random.default_rng(seed), picture, at, 40.0)
        assert picture.shape == (80, 90, 3)
        assert (np.abs(picture - before).max() > 0.02) == (at[0] < 200)


def test_the_same_seed_draws_the_same_thing_and_another_seed_another() -> None:
    def drawn(seed: int) -> np.ndarray:
        picture = np.full((120, 120, 3), 0.5, np.float32)
        thing(np.random.default_rng(seed), picture, (60.0, 60.0), 40.0)
        return picture

    np.testing.assert_array_equal(drawn(5), drawn(5))
    assert np.abs(drawn(5) - drawn(6)).max() > 0.1
