"""A race table: who is sent back is carried to its beginning, and dice come to rest in the tray."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from companion.game.brought import default_kit
from tests.scenes import SMALL_LENS
from vision.sim.virtual import VirtualTable

pytestmark = pytest.mark.nightly

GAMES = ("center_point", "basic_manipulation")


def race_table(game: str = "center_point", **more: object) -> VirtualTable:
    """A table whose throws are over at once."""
    now = iter(range(0, 10**6, 100))
    return VirtualTable(default_kit(game), SMALL_LENS, clock=lambda: next(now), wait=lambda _: None, **more)  # type: ignore[arg-type]


def test_a_piece_that_another_is_put_on_is_carried_to_its_beginning() -> None:
    """It lay invisible under the other one, and a player looked for it."""
    table = race_table()
    sheet = table._scene.sheet
    assert sheet is not None
    for piece, spot in (
        ("token_green_1", "A13"),
        ("token_red_1", "A8"),
        ("token_red_1", "A13"),
        ("token_red_2", "A13"),
    ):
        table.move(piece, *sheet.places_mm[spot])
    at = {piece["id"]: (piece["x_mm"], piece["y_mm"]) for piece in table.state()["pieces"]}
    home = [sheet.places_mm[spot] for spot in sheet.board.roles["green"]["home"]]
    assert min(np.hypot(*np.subtract(at["token_green_1"], spot)) for spot in home) < 2
    for red in ("token_red_1", "token_red_2"):  # pieces of one colour stand on one another
        assert at[red] == pytest.approx(sheet.places_mm["A13"], abs=2)


def test_a_thrown_die_lies_flat_in_the_tray_or_is_cocked_against_its_edge() -> None:
    table = race_table(seed=5)
    values: Counter[int] = Counter()
    cocked = 0
    for _ in range(150):
        id = table.roll()
        die = next(die for die in table.truth()["dice"] if die["id"] == id)
        assert die["in_tray"]
        cocked += die["is_cocked"]
        values[die["value"]] += 1
    assert set(values) == {1, 2, 3, 4, 5, 6}
    assert max(values.values()) < 45
    assert 0 < cocked < 20
    assert sum(die["in_tray"] for die in table.truth()["dice"]) == 1
