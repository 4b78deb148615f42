"""The virtual table's pieces can be kept and laid again, as a real table outlives a restart."""

from __future__ import annotations

import pytest

from companion.game.brought import default_kit
from vision.sim.virtual import TableError, VirtualTable


def table() -> VirtualTable:
    return VirtualTable(default_kit("eyes_of_the_emperor"), seed=3)


def test_pieces_are_kept_and_laid_again() -> None:
    first, saved = table(), []
    first.on_change(lambda: saved.append(first.saved()))
    first.throw("red", "ninja", (20, 350), (600, 350), 0.5, seed=7)
    again = table()
    again.restore(saved[-1])
    assert {p["id"] for p in again.state()["pieces"]} - {p["id"] for p in table().state()["pieces"]} == {
        "ninja_black_1"
    }
    assert again.saved() == saved[-1]


@pytest.mark.parametrize("text", ["", "{}", '{"pieces": [{"id": "x"}]}', '{"pieces": [{"id": 1, "kind": "card"}]}'])
def test_a_kept_table_that_does_not_parse_is_refused(text: str) -> None:
    with pytest.raises(TableError, match="does not parse"):
        table().restore(text)
