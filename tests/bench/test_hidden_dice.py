"""The benchmark of hidden dice, in small."""

from __future__ import annotations

import pytest

from bench.hidden_dice import outcome, told
from companion.game.readings import EyesReading, Hideout, Kind, TableFit


def test_a_die_counts_as_gone_where_no_place_is_told() -> None:
    reading = EyesReading(table=TableFit(reprojection_px=0.1), pieces=(), overlaps=(), rests_on=(), hideouts=())
    place = Hideout(kind=Kind.EMPIRE_DIE, x_mm=100, y_mm=0)
    near = EyesReading(table=reading.table, pieces=(), overlaps=(), rests_on=(), hideouts=(place,))
    assert told(reading, (100, 0)) == "gone"
    assert told(near, (110, 0)) == "told"
    assert told(near, (150, 0)) == "told elsewhere"


@pytest.mark.parametrize(
    ("room", "way", "table"),
    [
        (2, "stack", 0),
        (9, "stack", 0),
        (2, "leaning", 1),
        pytest.param(1, "stack", 2, marks=pytest.mark.nightly),
        pytest.param(10, "under one", 1, marks=pytest.mark.nightly),
    ],
)
def test_a_die_under_a_piece_of_doubtful_height_does_not_count_as_gone(room: int, way: str, table: int) -> None:
    """`bench.hidden_dice`: an upper die fitted better on a ninja than on a die, and a samurai on a die was read as
    level: no shadow falls on its rim, so it looks smaller."""
    assert outcome(room, way, table) == "told"
