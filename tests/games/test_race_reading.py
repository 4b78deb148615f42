"""From a board's reading to a roll, a move or a question."""

from __future__ import annotations

from typing import Any

import pytest

from companion.game import Doubt, Proposal
from companion.games import game_named
from companion.games._race.reading import standing
from companion.readings import BetweenSeen, BoardDie, BoardReading, SpotSeen

CP: Any = game_named("center_point")
BM: Any = game_named("basic_manipulation")


def seen(spaces: dict[str, str], *dice: int | None, confidence: float = 1.0, in_tray: bool = True) -> BoardReading:
    spots = {spot: SpotSeen(color=color, confidence=confidence) for spot, color in spaces.items()}
    shown = tuple(
        BoardDie(value=v, in_tray=in_tray, x_mm=600, y_mm=250, box=(0, 0, 9, 9), confidence=confidence) for v in dice
    )
    return BoardReading(spaces=spots, between=(), dice=shown)


def test_a_die_in_the_tray_is_the_roll_of_the_seat_to_roll() -> None:
    state = CP.state_of_position("r: A5", turn="r")
    proposal = CP.interpret(state, seen({"A5": "red"}, 4))
    assert isinstance(proposal, Proposal)
    assert CP.action_text(proposal.actions[0]) == "r d4"
    assert CP.interpret(state, seen({"A5": "red"}, 4, in_tray=False)) is None
    assert CP.interpret(state, seen({"A5": "red"}, 4, 5)) is None


def test_a_die_that_cannot_be_read_or_may_lie_there_still_is_asked_about() -> None:
    state = CP.state_of_position("r: A5", turn="r")
    asked = CP.interpret(state, seen({"A5": "red"}, None))
    assert isinstance(asked, Doubt)
    assert [choice.key for choice in asked.choices] == ["1", "2", "3", "4", "5", "6"]
    again = CP.interpret(state, seen({"A5": "red"}, 4), CP.action_of_text("b d4"))
    assert isinstance(again, Doubt)
    assert [choice.key for choice in again.choices] == ["yes", "no"]


def test_a_table_that_one_legal_move_makes_is_that_move() -> None:
    state = CP.state_of_position("r: A5 A9; y: A8", turn="r", die=3)
    same = {"A5": "red", "A9": "red", "A8": "yellow", "home.r1": "red"}
    assert CP.interpret(state, seen(same, 3)) is None
    moved = CP.interpret(state, seen({"A8": "red", "A9": "red"}, 3))
    assert isinstance(moved, Proposal)
    assert CP.action_text(moved.actions[0]) == "r A5-A8 x(y)"
    doubtful = CP.interpret(state, seen({"A8": "red", "A9": "red"}, 3, confidence=0.6))
    assert isinstance(doubtful, Doubt)
    assert [choice.key for choice in doubtful.choices] == ["A5-A8 x(y)"]


def test_a_table_that_no_legal_move_makes_is_asked_about() -> None:
    state = BM.state_of_position("r: O5", turn="r", die=3)
    asked = BM.interpret(state, seen({"O9": "red"}, 3))
    assert isinstance(asked, Doubt)
    assert [choice.key for choice in asked.choices] == ["O5-O8"]
    assert "no move of red with a 3" in str(asked.says)


def test_nothing_is_said_while_a_marker_stands_between_or_after_the_end() -> None:
    state = CP.state_of_position("r: A5", turn="r", die=3)
    between = BoardReading(spaces={}, between=(BetweenSeen(color="red", x_mm=1, y_mm=1, spots=("A5", "A6")),), dice=())
    assert CP.interpret(state, between) is None
    assert CP.interpret(CP.state_of_position("r: IN*4", turn="r"), seen({}, 3)) is None


@pytest.mark.parametrize("game", [CP, BM], ids=lambda game: game.name)
def test_standing_leaves_out_what_is_at_the_beginning_or_arrived(game: Any) -> None:
    text = "r: A5 C18! IN home" if game is CP else "r: O5 r.hre r.r1 hold"
    expected = {"A5": "red", "C18": "red"} if game is CP else {"O5": "red", "r.hre": "red", "r.r1": "red"}
    assert standing(game, game.state_of_position(text, turn="r")) == expected
