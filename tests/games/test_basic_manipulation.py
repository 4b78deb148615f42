"""Basic Manipulation's sheet, paragraph by paragraph; the numbered rulings are worked examples. Names cite RULES.md."""

from __future__ import annotations

from functools import partial

import pytest

from companion.game.errors import NotationError
from companion.game.known import game_named
from companion.game.values import Illegal
from tests.games import race_help

GAME = game_named("basic_manipulation")


legal, after = (partial(of, "basic_manipulation") for of in (race_help.moves, race_help.after))


def test_bring_out_needs_a_one_or_a_six_bm_01() -> None:
    assert legal("r: O0 hold*3", 6) == {"O0-O6"}
    assert after("r: O0 hold*3", 6, "O0-O6").state.turn == "red"
    assert legal("r: O0 hold*3", 1) == {"O0-O1"}
    assert legal("r: hold*4", 5) == set()
    state = GAME.shorthand.state_of_position("r: hold*4", turn="r")
    sat_out = GAME.rules.apply(state, GAME.text.action_of("d5", state))
    assert sat_out.state.turn == "yellow"
    assert sat_out.rulings[0].rule == "Basic Manipulation, Sit-out"


@pytest.mark.parametrize(
    ("position", "die", "moves"),
    [
        ("r: O6 hold*3", 4, {"O6-O10", "O6-D0.3", "O6-W0.3"}),  # BM-03, Safety areas: from the BEAST one may turn in
        ("r: O4 hold*3", 4, {"O4-O8"}),  # BM-05, Safety areas: passing it gives no entry
        ("r: O5 O8 hold*2", 4, {"O8-O12"}),  # BM-09, Moving the tokens: never over the own colour
        ("r: W0.2 hold*3", 3, {"W0.2-r.hre"}),  # BM-11, The World: home by the exact roll
        ("r: W0.2 hold*3", 4, set()),
        ("r: O46 hold*3", 4, {"O46-r.r2"}),  # BM-13, Home refuge: entered past the entrance
        ("r: r.r4 r.hre hold*2", 3, {"r.hre-r.r3"}),  # BM-15, Home refuge: never overshot
        ("r: r.r4 r.hre hold*2", 4, set()),
        ("r: O10 hold*3", 2, {"O10-O12"}),  # BM-17, Home refuge entrance 2: entered to attack its owner
        ("r: O10 hold*3; y: y.hre", 2, {"O10-O12", "O10-y.hre x(y)"}),
        ("r: r.r4 r.r3 r.r2 hold; y: r.hre", 1, {"enter O0", "retake r.hre x(y)"}),  # BM-19, Special playing rule
        ("r: r.r4 r.r3 r.r2 hold; y: r.hre", 6, {"enter O0"}),
    ],
)
def test_what_the_sheet_allows(position: str, die: int, moves: set[str]) -> None:
    assert legal(position, die) == moves


@pytest.mark.parametrize(
    ("mode", "position", "die", "moves"),
    [  # BM-21, Home refuge entrance 1: a partner may use it; BM-23, Moving the tokens: two players pass their other
        ("partners", "r: r.r4 r.r3 r.r2 O22; g: O24", 2, {"O22-g.hre"}),
        ("partners", "r: r.r4 r.r3 r.r2 O22; g: g.hre", 2, {"O22-O24"}),
        ("partners", "r: r.r4 r.r3 r.r2 O22", 2, {"O22-O24", "O22-g.hre"}),
        ("two", "r: O20 hold*3; g: O22 hold*3", 3, {"r O20-O23", "g O22-g.r1"}),
        ("two", "r: O20 hold*3; g: O22 hold*3", 2, {"g O22-g.hre"}),
    ],
)
def test_what_the_sheet_allows_partners_and_two(mode: str, position: str, die: int, moves: set[str]) -> None:
    assert legal(position, die, mode=mode) == moves


def test_safety_areas_an_occupied_one_is_gone_beyond_bm_07() -> None:
    assert legal("r: O4 hold*3; y: O6", 2) == {"O4-O7"}
    assert "O6" in after("r: O4 hold*3; y: O6", 2, "O4-O7").state.pieces["yellow"]
    assert legal("r: O4 hold*3; y: O6 O7", 2) == {"O4-O7 x(y)"}
    assert after("r: O4 hold*3; y: O6 O7", 2, "O4-O7 x(y)").state.pieces["yellow"] == ("hold", "hold", "hold", "O6")


def test_gap_4_eight_sixes_go_round_bm_25() -> None:
    state = GAME.shorthand.state_of_position("r: O0 hold*3", turn="r")
    for move in ("O0-O6", "O6-O12", "O12-O18", "O18-O24", "O24-O30", "O30-O36", "O36-O42", "O42-r.hre"):
        assert state.turn == "red"
        state = GAME.rules.apply(state, GAME.text.action_of("d6", state)).state
        assert move in {legal.move for legal in GAME.rules.legal(state)}
        state = GAME.rules.apply(state, GAME.text.action_of(move, state)).state


def test_partners_assistance_bm_27() -> None:
    position = "r: r.r1 r.r2 r.r3 r.r4; g: g.r4 g.r3 g.r2 g.hre"
    assert legal(position, 1, mode="partners") == {"g.hre-g.r1"}
    assert GAME.rules.outcome(after(position, 1, "g.hre-g.r1", mode="partners").state).winners == ("red", "green")


def test_set_back_only_where_no_move_avoids_it() -> None:
    assert legal("r: r.r4 r.r3 O20 hold; g: O22", 2, mode="partners") == {"O20-O22 x(g)"}
    assert legal("r: r.r4 r.r3 O20 O40; g: O22", 2, mode="partners") == {"O40-O42"}
    state = GAME.shorthand.state_of_position("r: r.r4 r.r3 O20 O40; g: O22", turn="r", die=2, mode="partners")
    with pytest.raises(Illegal, match="only where no other move is left") as refused:
        GAME.rules.apply(state, GAME.text.action_of("O20-O22 x(g)", state))
    assert refused.value.rule == "Basic Manipulation, Set-back"


def test_gap_22_three_players_are_refused() -> None:
    with pytest.raises(NotationError, match="for 2 or 4 players, not 3"):
        GAME.rules.start(3)


def test_gap_9_the_diamond_may_be_left_where_the_option_says_so() -> None:
    assert legal("r: SB0 hold*3", 1) >= {"SB0-D0.1", "SB0-W0.1"}
    assert "SB0-O6" not in legal("r: SB0 hold*3", 1)
    assert "SB0-O6" in legal("r: SB0 hold*3", 1, options={"diamond_exit": "true"})


def test_gap_11_after_the_world_the_number_may_have_to_be_exact() -> None:
    exact = {"refuge_exact_from_world": "true"}
    assert legal("r: W0.4 r.r4 hold*2", 1, options=exact) >= {"W0.4-r.hre"}
    assert "r.hre!" in after("r: W0.4 r.r4 hold*2", 1, "W0.4-r.hre", options=exact).state.pieces["red"]
    assert legal("r: r.hre! r.r4 hold*2", 3, options=exact) == {"r.hre-r.r3"}
    assert legal("r: r.hre! r.r4 hold*2", 2, options=exact) == set()
    assert legal("r: r.hre r.r4 hold*2", 2, options=exact) == {"r.hre-r.r2"}


def test_gap_18_the_retake_may_be_for_the_next_turn_only() -> None:
    once = {"retake": "next_turn"}
    state = after("y: O46 hold*3; r: r.hre hold*3", 2, "O46-r.hre x(r)", turn="y", options=once).state
    assert "r.hre!" in state.pieces["yellow"]
    assert "retake r.hre x(y)" in legal("y: r.hre! hold*3", 1, options=once)
    assert "retake r.hre x(y)" not in legal("y: r.hre hold*3", 1, options=once)
    for seat in "gbr":
        assert "r.hre!" in state.pieces["yellow"]
        state = GAME.rules.apply(state, GAME.text.action_of(f"{seat} d3")).state
    assert "r.hre" in state.pieces["yellow"]


def test_gap_6_a_diamond_of_eight_steps() -> None:
    assert "D0.7-SB1" in legal("r: D0.7 hold*3", 1, options={"diamond_steps": "8"})
    assert "D0.6-SB1" in legal("r: D0.6 hold*3", 1)


def test_gap_2_a_six_may_be_told_not_to_roll_again() -> None:
    assert after("r: O0 hold*3", 6, "O0-O6", options={"six_rolls_again": "false"}).state.turn == "yellow"
    assert after("r: hold*4", 6, "enter O0").state.turn == "red"
    assert after("r: hold*4", 6, "enter O0", options={"six_enter_rolls_again": "false"}).state.turn == "yellow"
