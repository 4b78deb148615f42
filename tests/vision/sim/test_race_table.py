"""A race table: the printed board, its tokens and the dice tray are seen back where the kit and the board say."""

from __future__ import annotations

from collections import Counter

import pytest

from companion.game.brought import default_kit
from tests.scenes import SMALL_LENS, to_spot
from vision.sim.virtual import TableError, VirtualTable

pytestmark = pytest.mark.nightly


def race_table(game: str = "center_point", **more: object) -> VirtualTable:
    """A table whose throws are over at once."""
    now = iter(range(0, 10**6, 100))
    return VirtualTable(default_kit(game), SMALL_LENS, clock=lambda: next(now), wait=lambda _: None, **more)  # type: ignore[arg-type]


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


def test_no_two_markers_of_a_new_game_lie_alike() -> None:
    # laid to the hair they looked like print: a reader takes three circles of a colour that look alike for empty ones
    off_mm = [piece["off_mm"] for piece in race_table().truth()["pieces"] if piece.get("kind") == "token"]
    assert len(set(off_mm)) > len(off_mm) / 2


def test_pieces_of_a_race_table_are_kept_and_laid_again() -> None:
    table = race_table()
    table.roll(seed=2)
    to_spot(table, "token_blue_2", "A30")
    again = race_table()
    again.restore(table.saved())
    assert again.truth() == table.truth()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda t: t.move("tray_left", 1, 1), "tray_left belongs to the table"),
        (lambda t: t.roll("token_red_1"), "token_red_1 is no die"),
        (lambda t: t.flip("token_red_1"), "a disk cannot be turned over"),
        (lambda t: t.set_hand("north"), "there is no seat 'north', expected red or yellow or green or blue"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(wrong, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TableError, match=said):
        wrong(race_table())
