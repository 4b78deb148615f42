"""Rooms by chance: every camera sees the whole mat, and a seed is a room."""

from __future__ import annotations

import numpy as np
import pytest

from companion.game.brought import default_kit
from companion.game.known import GAMES
from vision.sim.rooms import room_by_chance
from vision.sim.virtual import height_for


@pytest.mark.parametrize("game", GAMES)
def test_every_camera_sees_all_fiducials(game: str) -> None:
    kit = default_kit(game)
    for seed in range(4):
        room = room_by_chance(kit, seed, height_for(kit), is_fine=True)
        half_mm = kit.mat.marker_mm / 2
        corners = [
            (x + u, y + v, 0.0)
            for x, y in kit.mat.markers.values()
            for u in (-half_mm, half_mm)
            for v in (-half_mm, half_mm)
        ]
        px = room.pose.to_pixels(np.array(corners))
        assert ((px > 0) & (px < (room.lens.width_px, room.lens.height_px))).all()


def test_a_seed_is_a_room_and_another_one_is_not() -> None:
    kit = default_kit("center_point")
    first, again, other = (room_by_chance(kit, seed, height_for(kit), is_fine=False) for seed in (5, 5, 6))
    assert (first.lens, first.film, first.lighting) == (again.lens, again.film, again.lighting)
    assert first.lens != other.lens
    assert first.surface != other.surface
