"""What a reading of an Eyes table tells people of the camera."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.game.readings import COARSE, EyesReading, Kind, Piece, TableFit

BARE = EyesReading(table=TableFit(reprojection_px=0.1), pieces=(), overlaps=(), rests_on=())
NINJA = Piece(id="n", kind=Kind.NINJA, color=None, x_mm=0, y_mm=0, angle_deg=0, footprint_mm=())


@pytest.mark.parametrize(
    ("px_a_mm", "is_said"), [(0.94, True), (1.19, True), (1.2, False), (1.6, False), (None, False)]
)
def test_a_coarse_camera_is_said_before_anything_is_thrown(px_a_mm: float | None, is_said: bool) -> None:
    reading = replace(BARE, table=replace(BARE.table, px_a_mm=px_a_mm))
    assert [notice.code for notice in reading.notices()] == [COARSE] * is_said
    assert replace(reading, pieces=(NINJA,)).notices() == ()
