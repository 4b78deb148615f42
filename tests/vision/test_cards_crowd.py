"""Fans, rows and doubles, told from indices as read."""

from __future__ import annotations

import pytest

from tests.vision.test_cards_group import index
from vision.photo.cards.group import crowd_height_px, grouped, less_doubled
from vision.photo.cards.index import RANKS, SUITS


def test_a_doubtful_copy_of_a_card_in_view_gives_way_to_what_else_it_may_be() -> None:
    eight, queen = index("8", "D", 100, 100), index("8", "D", 400, 100)
    queen.ranks[:] = 0.001
    queen.ranks[RANKS.index("8")], queen.ranks[RANKS.index("Q")] = 0.6, 0.388
    said = [RANKS[int(group.cards.argmax()) // 4] for group in less_doubled(grouped([eight, queen]))]
    assert said == ["8", "Q"]


def test_a_clear_copy_stays_one() -> None:
    groups = less_doubled(grouped([index("8", "D", 100, 100), index("8", "D", 400, 100)]))
    assert [int(group.cards.argmax()) for group in groups] == [RANKS.index("8") * 4 + SUITS.index("D")] * 2


def test_indices_side_by_side_are_a_crowd_and_scattered_ones_are_none() -> None:
    row = [index("K", "H", 100 + 24 * k, 100, 4 * k, tall_px=20 + k) for k in range(4)]
    assert crowd_height_px(row) == pytest.approx(21.5)
    assert crowd_height_px([index("K", "H", 100 + 90 * k, 100) for k in range(4)]) is None
