"""The benchmark of hidden dice, in small."""

from __future__ import annotations

import pytest

from bench.hidden_dice import outcome


@pytest.mark.parametrize(
    ("room", "way", "table"), [(1, "stack", 2), (9, "stack", 0), (2, "leaning", 1), (10, "under one", 1)]
)
def test_a_die_under_a_piece_of_doubtful_height_does_not_count_as_gone(room: int, way: str, table: int) -> None:
    """`bench.hidden_dice`: an upper die fitted better on a ninja than on a die, and a samurai on a die was read as
    level: no shadow falls on its rim, so it looks smaller."""
    assert outcome(room, way, table) == "told"
