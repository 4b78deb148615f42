"""Only what changed is drawn anew, and it is the picture that drawing everything gives."""

from __future__ import annotations

import numpy as np
import pytest

from companion.game.brought import default_kit
from tests.scenes import SMALL_LENS, to_spot
from vision.sim.render import Renderer
from vision.sim.virtual import VirtualTable

pytestmark = pytest.mark.nightly


@pytest.mark.parametrize("game", ["center_point", "eyes_of_the_emperor"])
def test_a_frame_after_changes_is_the_frame_drawn_at_once(game: str) -> None:
    now = [0.0]
    table = VirtualTable(default_kit(game), SMALL_LENS, clock=lambda: now[0], wait=lambda _: None, seed=3)
    renderer = Renderer(table.kit, table._pose)
    for step in range(8):
        if step % 3 == 0 and game == "center_point":
            table.roll(seed=step)
            to_spot(table, "token_red_1", f"A{5 + step}")
        elif step % 3 == 0:
            table.throw("red", "ninja", (-60, 350), (600, 350), seed=step)
        elif step == 4:
            table.set_hand(table.seats[0])
        elif step == 5:
            table.set_hand(None)
        elif step == 7:
            table.set_light(0.3)
        now[0] += 0.2
        scene = table._seen()
        kept, spread = renderer.develop(scene)
        if step == 6:
            renderer.light(scene)  # who asks for the light alone leaves nothing undeveloped
        if step % 2 == 0:  # the next frame builds on this one: what is wrong here stays so
            continue
        whole, whole_spread = Renderer(table.kit, table._pose).develop(scene)
        assert np.abs(kept - whole).max() < 0.01
        assert np.abs(spread - whole_spread).max() < 0.01
