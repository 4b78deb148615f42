"""A race table: the printed board, its tokens and the dice tray are seen back where the kit and the board say."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from companion.game.brought import default_kit
from companion.game.kit import kit_of_text
from companion.game.known import folder_of
from tests.scenes import SMALL_LENS, to_spot
from vision.sim.marks import PAINT
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


def seen_color(table: VirtualTable, picture: np.ndarray, at_mm: tuple[float, float, float]) -> str:
    """The colour's word nearest in hue and whiteness to what a place shows."""
    u, v = np.round(table._pose.to_pixels(np.array([at_mm]))[0]).astype(int)
    seen = picture[v - 1 : v + 2, u - 1 : u + 2].reshape(-1, 3).mean(0)[::-1]

    def chroma(rgb) -> np.ndarray:  # type: ignore[no-untyped-def]
        light = (np.asarray(rgb, float) / 255) ** 2.2
        return light / light.sum()

    words = ("red", "yellow", "green", "blue", "white")
    return min(words, key=lambda word: float(np.linalg.norm(chroma(PAINT[word]) - chroma(seen))))


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


def test_pawns_stand_fall_over_and_are_stood_up() -> None:
    text = (folder_of("center_point") / "kit.toml").read_text(encoding="utf-8")
    pawns = text.replace('shape = "disk"', 'shape = "pawn"').replace("height_mm = 5\n", "height_mm = 24\n")
    table = VirtualTable(kit_of_text(pawns), SMALL_LENS, wait=lambda _: None)
    id = "token_red_1"

    def pawn() -> dict:  # type: ignore[type-arg]
        return next(p for p in table.truth()["pieces"] if p["id"] == id)

    to_spot(table, id, "A10")
    x, y = pawn()["x_mm"], pawn()["y_mm"]
    for is_lying, high_mm in ((False, 23.0), (True, 10.0), (False, 23.0)):
        assert (pawn()["shape"], pawn()["is_lying"]) == ("pawn", is_lying)
        assert seen_color(table, table.frame(), (x, y, high_mm)) == "red"
        table.flip(id)
