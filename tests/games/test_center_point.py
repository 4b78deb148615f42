"""Center Point's sheet, paragraph by paragraph; the numbered rulings are worked examples. Names cite RULES.md."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from companion.game.known import game_named
from tests.games import race_help

GAME = game_named("center_point")


legal, after = (partial(of, "center_point") for of in (race_help.moves, race_help.after))


def rolled(position: str, *dice: int, turn: str = "r"):
    """The state after rolls that leave nothing to move, or up to the roll that does."""
    state = GAME.shorthand.state_of_position(position, turn=turn)
    for die in dice:
        state = GAME.rules.apply(state, GAME.text.action_of(f"d{die}", state)).state
    return state


def test_play_1_a_one_or_a_six_brings_out_cp_01() -> None:
    assert legal("r: home*4", 1) == {"enter A5"}
    assert legal("r: home*4", 5) == set()
    assert legal("r: home*4", 6) == {"enter A5"}
    assert after("r: home*4", 6, "enter A5").state.turn == "yellow"


def test_play_2_a_six_that_enters_ends_the_turn_cp_03() -> None:
    position = "r: A9 home*3; y: A5"
    assert legal(position, 6) == {"enter A5 x(y)", "A9-A15"}
    entered = after(position, 6, "enter A5 x(y)").state
    assert entered.turn == "yellow"
    assert entered.pieces["yellow"] == ("home",) * 4
    moved = after(position, 6, "A9-A15")
    assert moved.state.turn == "red"
    assert moved.rulings[-1].rule == "Center Point, Play 2"


def test_play_2_a_further_roll_may_be_declined() -> None:
    moved = after("r: A9 home*3; y: A20", 6, "A9-A15").state
    assert moved.again
    decline = GAME.text.action_of("r decline", moved)
    assert decline in [move.action for move in GAME.rules.legal(moved)]
    assert GAME.text.state_of(GAME.text.state(moved)) == moved
    declined = GAME.rules.apply(moved, decline)
    assert (declined.state.turn, declined.state.again, declined.rulings[0].rule) == (
        "yellow",
        False,
        "Center Point, Play 2",
    )
    assert GAME.rules.apply(rolled("r: A27 IN*3; g: A28", 6), decline).state.held == 0
    for state in (
        declined.state,
        rolled("r: A9 home*3"),
        GAME.rules.apply(moved, GAME.text.action_of("d3", moved)).state,
    ):
        assert not GAME.rules.explain(state, decline).is_legal
    assert GAME.rules.status(replace(moved, die=3)) != ()


@pytest.mark.parametrize(
    ("position", "die", "moves"),
    [
        ("r: A5 A8 home*2", 4, {"A8-A12"}),  # CP-05, Play 4: own markers are not passed
        ("r: A5 A8 home*2", 3, {"A8-A11"}),
        ("r: A8 home*3; g: A10", 2, set()),  # CP-07, Safety c: an owner on his safety blocks
        ("r: A8 home*3; g: A10", 4, set()),
        ("r: A8 home*3; g: A10", 6, {"enter A5"}),
        ("r: A51 IN IN home; y: A52", 5, {"A51-A0"}),  # CP-09, Safety c: the exception leads onto an own spot
        ("r: A51 IN IN home; y: A52", 4, set()),
        ("r: A54 home*3", 5, {"A54-B7"}),  # CP-23, Bypass b: the own bypass is turned into
        ("r: A54 IN*3; y: A0", 5, {"A54-B7", "A54-B7 x(y)"}),  # Bypass a: passing it sends back by choice
        ("r: A54 IN*3; y: A0; b: B7", 5, {"A54-B7 x(b)", "A54-B7 x(y) x(b)"}),
        ("r: A5 home*3", 6, {"A5-A11"}),  # CP-25, Object: the shortest way is 20
        ("r: A14! home*3", 6, {"enter A5", "A14-A20", "A14-B20"}),
    ],
)
def test_what_the_sheet_allows(position: str, die: int, moves: set[str]) -> None:
    assert legal(position, die) == moves


def test_safety_c_sixes_are_held_beyond_six_cp_11() -> None:
    position = "r: A27 IN*3; g: A28"
    held = rolled(position, 6)
    assert (held.held, held.turn) == (1, "red")
    assert [move.move for move in GAME.rules.legal(rolled(position, 6, 5))] == ["A27-A38"]
    assert legal(position, 5, held=(6,)) == {"A27-A38"}
    four = rolled(position, 6, 4)
    assert four.turn == "yellow"
    assert "A27" in four.pieces["red"]
    assert four.held == 0


def test_bypass_c_landing_exactly_opens_the_short_cut_cp_13() -> None:
    position = "r: A8 home*3"
    assert legal(position, 6) == {"A8-A14", "enter A5"}
    state = after(position, 6, "A8-A14").state
    assert state.turn == "red"
    state = GAME.rules.apply(state, GAME.text.action_of("d3", state)).state
    assert {move.move for move in GAME.rules.legal(state)} == {"A14-A17", "A14-B17"}


def test_bypass_c_an_occupied_bypass_gives_no_short_cut_cp_15() -> None:
    position = "r: A8 home*3; b: A14"
    assert legal(position, 6) == {"A8-A14 x(b)", "enter A5"}
    state = after(position, 6, "A8-A14 x(b)").state
    state = GAME.rules.apply(state, GAME.text.action_of("d3", state)).state
    assert {move.move for move in GAME.rules.legal(state)} == {"A14-A17"}


@pytest.mark.parametrize(
    ("die", "move"), [(1, "C21-C22"), (2, "C21-C23"), (3, "C21-C0"), (4, "C21-IN"), (5, "C21-C0"), (6, "C21-C0")]
)
def test_play_7_the_exact_number_enters_cp_17(die: int, move: str) -> None:
    assert legal("r: C21 IN*3", die) == {move}
    state = after("r: C21 IN*3", die, move).state
    over = GAME.rules.outcome(state)
    assert (over is not None) is (move == "C21-IN")
    if over is not None:
        assert over.winners == ("red",)
    assert state.turn == ("red" if die in (4, 6) else "yellow")


def test_play_7_on_the_last_bypass_only_a_one_enters_cp_19() -> None:
    assert legal("r: C0 IN*3", 1) == {"C0-IN"}
    for die in (2, 3, 4, 5, 6):
        assert legal("r: C0 IN*3", die) == set()
    assert rolled("r: C0 IN*3", 6).turn == "red"
    assert rolled("r: C0 IN*3", 5).turn == "yellow"


def test_safety_b_passing_sends_back_by_choice_cp_21() -> None:
    position = "r: A36 IN*3; y: A38"
    assert legal(position, 2) == {"A36-A38 x(y)"}
    assert legal(position, 4) == {"A36-A40 x(y)", "A36-A40"}
    assert "A38" in after(position, 4, "A36-A40").state.pieces["yellow"]
    assert "A38" not in after(position, 4, "A36-A40 x(y)").state.pieces["yellow"]
