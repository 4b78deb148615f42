"""Cards are dealt, turned over, laid on each other and seen back by their ink."""

from __future__ import annotations

import pytest

from companion.game.brought import default_kit
from tests.scenes import WIDE_LENS
from vision.sim.virtual import TableError, VirtualTable


@pytest.fixture
def table() -> VirtualTable:
    return VirtualTable(default_kit("manipulation_rummy"), WIDE_LENS, seats=("A", "B"), wait=lambda _: None, seed=1)


def card(table: VirtualTable, id: str) -> dict:  # type: ignore[type-arg]
    return next(piece for piece in table.truth()["pieces"] if piece["id"] == id)


def test_fans_lie_where_the_mat_is_free_and_one_that_cannot_leaves_nothing(table: VirtualTable) -> None:
    table.lay_fan(["5H", "5D", "5S"])
    table.lay_fan(["9C", "10C", "JC", "QC"])
    pieces = {piece["card"]: piece for piece in table.truth()["pieces"]}
    assert len(pieces) == 7
    assert len({round(piece["height_mm"], 1) for piece in pieces.values()}) == 4  # no fan lies on another
    with pytest.raises(TableError, match="5H"):
        table.lay_fan(["KC", "5H"])
    assert len(table.truth()["pieces"]) == 7
    with pytest.raises(TableError, match="no room is left"):
        table.lay_fan(["KC"] * 40)


def test_hands_are_dealt_drawn_and_laid_as_the_match_tells(table: VirtualTable) -> None:
    table.holds(1, {"A": 10, "B": 10}, 0, "B")
    assert [len(hand) for hand in table.hands.values()] == [10, 10]
    assert len({*table.hands["A"], *table.hands["B"]}) == 20
    table.holds(1, {"A": 10, "B": 11}, 0, "B")
    drawn = table.hands["B"][-1]
    table.holds(1, {"A": 10, "B": 10}, 0, "B")  # the draw was taken back
    assert drawn not in table.hands["B"]
    melded = table.hands["B"][:3]
    table.lay_from("B", melded, (300, 200))
    table.holds(1, {"A": 10, "B": 10}, 0, "B")  # laid, and not yet entered: nothing is drawn
    assert len(table.hands["B"]) == 7
    lying = table.state()["pieces"]
    assert [piece["card"] for piece in sorted(lying, key=lambda piece: piece["x_mm"])] == melded
    with pytest.raises(TableError, match="not in that hand"):
        table.lay_from("A", melded)
    table.move_together([piece["id"] for piece in lying], 200, 100)
    moved = {piece["card"]: piece for piece in table.state()["pieces"]}
    for piece in lying:
        at = moved[piece["card"]]
        assert (at["x_mm"], at["y_mm"]) == pytest.approx((piece["x_mm"] + 200, piece["y_mm"] + 100), abs=0.1)
    assert sorted(moved, key=lambda card: moved[card]["height_mm"]) == melded  # still in the same order
    with pytest.raises(TableError, match="leaves the table"):
        table.move_together([piece["id"] for piece in lying], 900, 0)
    table.take_up([piece["id"] for piece in lying[:2]], "B")
    assert len(table.hands["B"]) == 9
    assert len(table.state()["pieces"]) == 1
    again = VirtualTable(table.kit, WIDE_LENS, seats=("A", "B"))
    again.restore(table.saved())
    assert again.hands == table.hands
    table.holds(2, {"A": 10, "B": 10}, 0, "A")
    assert [len(hand) for hand in table.hands.values()] == [10, 10]
    assert not table.state()["pieces"]
