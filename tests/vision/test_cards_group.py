"""Which indices are one card, told from their places alone."""

from __future__ import annotations

import numpy as np
import pytest

from vision.photo.cards.find import IndexSpot
from vision.photo.cards.group import are_opposite, grouped
from vision.photo.cards.index import RANKS, SUITS, Index, best_each


def index(rank: str, suit: str, x: float, y: float, turn_deg: float = 0.0, tall_px: float = 20.0) -> Index:
    """An index that is read almost surely."""
    ranks, suits = np.full(14, 0.001), np.full(4, 0.01)
    ranks[RANKS.index(rank)], suits[SUITS.index(suit)] = 0.987, 0.97
    return Index(IndexSpot(x, y, tall_px, float(np.deg2rad(turn_deg)), 0.9), ranks, suits, 0.99)


def opposite(first: Index, across: float = 3.1, down: float = 4.1, rank: str = "K", suit: str = "H") -> Index:
    """The index in the other corner of its card, so many index heights away."""
    a, tall = first.spot.angle, first.spot.height_px
    x = first.spot.x + (np.cos(a) * across - np.sin(a) * down) * tall
    y = first.spot.y + (np.sin(a) * across + np.cos(a) * down) * tall
    return index(rank, suit, x, y, float(np.rad2deg(a)) + 180, tall)


@pytest.mark.parametrize("turn_deg", [0, 37, 90, 181, -120])
def test_two_indices_half_a_turn_apart_are_one_card(turn_deg: float) -> None:
    first = index("K", "H", 200, 200, turn_deg)
    (group,) = grouped([first, opposite(first)])
    assert len(group.indices) == 2
    places = [(spot.x, spot.y) for spot in (first.spot, opposite(first).spot)]
    middle = np.mean(places, axis=0)
    assert group.corners.mean(axis=0) == pytest.approx(middle, abs=1)


def test_two_copies_of_a_card_stay_two() -> None:
    one, other = index("K", "H", 100, 100), index("K", "H", 400, 160, 70)
    assert len(grouped([one, opposite(one), other, opposite(other)])) == 2


def test_two_copies_side_by_side_of_which_one_corner_shows_stay_two() -> None:
    assert len(grouped([index("K", "H", 100, 100), index("K", "H", 200, 104, 3)])) == 2


def test_indices_that_say_different_cards_are_two() -> None:
    first = index("K", "H", 200, 200)
    assert are_opposite(first, opposite(first, rank="9", suit="C"))
    assert len(grouped([first, opposite(first, rank="9", suit="C")])) == 2


def test_four_indices_of_one_card_are_one() -> None:
    top_left, top_right = index("7", "D", 100, 100), index("7", "D", 162, 100)
    low_right, low_left = index("7", "D", 162, 182, 180), index("7", "D", 100, 182, 180)
    assert len(grouped([top_left, top_right, low_left, low_right])) == 1


def test_of_two_readings_on_one_place_the_better_is_kept() -> None:
    good, worse = index("K", "H", 100, 100), index("9", "C", 108, 104, tall_px=44)
    worse.ranks[:] = 1 / 14
    assert best_each([worse, good]) == [good]
