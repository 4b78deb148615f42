"""Why not: each refusal of the race games, and why a position cannot be. What is best: hints, ranked with reasons."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from companion.game.errors import NotationError
from companion.game.known import game_named
from companion.game.values import Illegal
from companion.games.basic_manipulation.engine import tables_for
from companion.games.race.guide import GUIDES, guide_for, guide_of
from tests.games.test_every_game import assert_cited

CP: Any = game_named("center_point")
BM: Any = game_named("basic_manipulation")
cp_at, bm_at = CP.shorthand.state_of_position, BM.shorthand.state_of_position

# game, options, position, die (0: none), held, action, part of the reason, paragraph
PARTNERS, TWO, EXACT = {"mode": "partners"}, {"mode": "two"}, {"refuge_exact_from_world": "true"}
WHY_NOT: list[tuple[Any, dict[str, str], str, int, int, str, str, str]] = [
    (CP, {}, "r: A9 IN*3", 3, 0, "r A9-A13", "from A9 to A13: 4, the die shows 3", "Play 2"),
    (CP, {}, "r: A9 IN*3", 6, 0, "r A9-A12", "from A9 to A12: 3, the die shows 6", "Play 5"),
    (CP, {}, "r: A9 IN*3", 3, 0, "r A9-A3", "no path of red leads from A9 to A3", "Bypass b"),
    (CP, {}, "r: A9 IN*3", 3, 0, "r A9-Z1", "the board has no spot Z1", "gap 1"),
    (CP, {}, "r: A9 A11 IN*2", 3, 0, "r A9-A12", "own piece on A11 may not be passed", "Play 4"),
    (CP, {}, "r: A9 A12 IN*2", 3, 0, "r A9-A12", "own piece is on A12", "gap 6"),
    (CP, {}, "r: A9 IN*3; g: A10", 3, 0, "r A9-A12", "green's piece on its own A10 blocks the path", "Safety c"),
    (CP, {}, "r: A9 IN*3; g: A10", 1, 0, "r A9-A10", "rests on its own A10 and is not sent back", "gap 8"),
    (CP, {}, "r: A9 IN*3; y: A12", 3, 0, "r A9-A12", "yellow's piece on A12 must be sent back", "Play 6"),
    (CP, {}, "r: A9 IN*3", 3, 0, "r A9-A12 x(y)", "this move cannot send back yellow", "Play 6"),
    (CP, {}, "r: A36 IN*3; y: A38", 4, 0, "r A36-A40 x(g)", "may send back other pieces, but not green", "Safety b"),
    (CP, {}, "r: home*4", 3, 0, "r enter A5", "a 3 brings no piece out", "Play 1"),
    (CP, {}, "r: A5 home*3", 1, 0, "r enter A5", "own piece is on A5", "gap 7"),
    (CP, {}, "r: A14 IN*3", 3, 0, "r A14-B17", "has no right to the short cut", "gap 13"),
    (CP, {}, "r: C21 IN*3", 3, 0, "r C21-IN", "a 4 is needed, not a 3", "Play 7"),
    (CP, {}, "r: A9 IN*3", 3, 0, "r A9-IN", "too far from the inner circle", "Play 7"),
    (CP, {}, "r: A9 IN*3", 3, 0, "r IN-A9", "has arrived and stays", "Play 8"),
    (CP, {}, "r: A51 A5 IN IN; y: A52", 5, 0, "r A51-A0", "there is another move for this roll", "Safety c"),
    (CP, {}, "r: A27 IN*3; g: A28", 4, 1, "r A27-A38", "the sixes held and the die make 10", "gap 20"),
    (CP, {}, "r: A27 A5 IN*2; g: A28", 5, 1, "r A27-A38", "there is another move for a 5", "gap 20"),
    (CP, {}, "r: A9 IN*3", 0, 0, "r A9-A12", "red has not rolled yet", "Play 2"),
    (CP, {}, "r: A9 IN*3", 3, 0, "r d3", "red has rolled a 3 and moves before anybody rolls", "Play 3"),
    (CP, {}, "r: A9 IN*3", 0, 0, "y d3", "red rolls, not yellow", "Play 2"),
    (CP, {}, "r: IN*4", 0, 0, "r d3", "the game is over", "Play 8"),
    (BM, {}, "r: O3 r.r4 hold*2", 3, 0, "r O3-O7", "O6 is free: a piece goes beyond it only", "Safety areas"),
    # whoever wrote THE WORLD itself as the end of the move got a traceback
    (BM, {}, "r: W0.2 hold*3", 3, 0, "r W0.2-W", "it leads to r.hre at once: say W0.2-r.hre", "The World"),
    (BM, {}, "r: O3 hold*3; y: O6", 3, 0, "r O3-O6", "rests safe: go one space beyond", "Safety areas"),
    (BM, {}, "r: O3 O9 hold*2", 2, 0, "r enter O0", "a 2 brings no piece out", "Bring out"),
    (BM, {}, "r: O3 hold*3", 6, 0, "r retake r.hre", "a 6 does not retake", "Special playing rule"),
    (BM, {}, "r: O3 hold*3", 1, 0, "r retake r.hre", "no opponent stands on r.hre", "Special playing rule"),
    (BM, {"retake": "next_turn"}, "r: O3 hold*3; y: r.hre", 1, 0, "r retake r.hre x(y)", "only on the turn", "gap 18"),
    (BM, {}, "r: O10 hold*3", 2, 0, "r O10-y.hre", "entered only to attack yellow's piece", "Home refuge entrance 2"),
    (BM, {}, "r: O4 hold*3", 3, 0, "r O4-SB0", "only a piece that starts from O6 may turn inwards", "Safety areas"),
    (BM, {}, "r: W0.2 hold*3", 2, 0, "r W0.2-r.hre", "W0.2 to THE WORLD: 3", "gap 10"),
    (BM, EXACT, "r: r.hre! hold*3", 2, 0, "r r.hre-r.r2", "takes 4, the number of free spaces", "gap 11"),
    (BM, TWO, "r: O3 hold*3; g: O5 hold*3", 2, 0, "r O3-O5", "of the same player, stands on O5", "gap 13"),
    (BM, TWO, "r: O4 hold*3; g: O6 hold*3", 2, 0, "r O4-O7", "of the same player is on O6", "gap 13"),
    (BM, TWO, "r: O22 hold*3; g: g.hre hold*3", 2, 0, "r O22-g.hre", "green, of the same player", "gap 13"),
    (BM, PARTNERS, "r: O4 O30 hold*2; g: O6", 2, 0, "r O4-O6", "green rests safe on O6", "Safety areas"),
    (BM, PARTNERS, "r: O3 O30 hold*2; g: O5", 2, 0, "r O3-O5", "would be set back", "Set-back"),
]


@pytest.mark.parametrize(
    ("game", "options", "position", "die", "held", "action", "reason", "paragraph"),
    WHY_NOT,
    ids=[f"{row[0].name[:2]} {row[2]} d{row[3]} {row[5]}" for row in WHY_NOT],
)
def test_a_refusal_gives_its_reason_and_paragraph(
    game: Any, options: dict[str, str], position: str, die: int, held: int, action: str, reason: str, paragraph: str
) -> None:
    state = game.shorthand.state_of_position(position, turn="r", die=die or None, held=(6,) * held, options=options)
    with pytest.raises(Illegal) as refused:
        game.rules.apply(state, game.text.action_of(action, state))
    assert reason in str(refused.value)
    assert refused.value.rule == f"{game.title}, {paragraph}"
    assert_cited(game, refused.value.rule)
    assert not game.rules.explain(state, game.text.action_of(action, state)).is_legal


@pytest.mark.parametrize("game", [CP, BM], ids=lambda game: game.name)
def test_the_first_turn_is_rolled_for_and_ties_roll_again(game: Any) -> None:
    state = game.rules.start()
    with pytest.raises(Illegal, match="the first turn is not settled"):
        game.rules.apply(
            state, game.shorthand.sheet.moved("red", game.shorthand.sheet.home, "A5" if game is CP else "O0")
        )
    for roll in ("b d5", "r d2", "g d5"):
        state = game.rules.apply(state, game.text.action_of(roll)).state
    with pytest.raises(Illegal, match="yellow rolls for the first turn, not red"):
        game.rules.apply(state, game.text.action_of("r d6"))
    tied = game.rules.apply(state, game.text.action_of("y d1"))
    assert tied.state.rolling == ("green", "blue")
    assert "roll again" in str(tied.rulings[0].says)
    state = game.rules.apply(tied.state, game.text.action_of("b d3")).state
    assert game.text.state_of(game.text.state(state)) == state
    state = game.rules.apply(state, game.text.action_of("g d4")).state
    assert (state.turn, state.rolling) == ("green", ())


# game, position, options, the reasons in order
CANNOT_BE: list[tuple[Any, str, dict[str, str], list[str]]] = [
    (CP, "r: A5 home*3", {}, []),
    (CP, "r: A5 A6 A7 A8 A9", {}, ["red pieces: 5, expected 4"]),
    (CP, "r: A9; y: A9", {}, ["two on A9: red and yellow"]),
    (CP, "r: A2", {}, ["A2 is on no path of red"]),
    (CP, "r: IN*4; y: IN*4", {}, ["more than one has won"]),
    (CP, "b: A9", {"colors": "rg"}, ["blue does not play, expected red or green"]),
    (BM, "r: r.r1 y.r1", {}, ["red cannot stand on y.r1"]),
    (BM, "r: r.hre!", {}, ["the ! on r.hre marks a right that red cannot have there: leave it out"]),
    (BM, "r: W", {}, ["red: the board has no spot W"]),
    (BM, "r: g.hre", {"mode": "two"}, ["g.hre is on no path of red"]),
]


@pytest.mark.parametrize(("game", "position", "options", "reasons"), CANNOT_BE, ids=[row[1] for row in CANNOT_BE])
def test_status_lists_every_reason(game: Any, position: str, options: dict[str, str], reasons: list[str]) -> None:
    state = game.shorthand.state_of_position(position, turn="r", options=options)
    faults = game.rules.status(state)
    assert [str(fault.says) for fault in faults] == reasons
    for fault in faults:
        assert_cited(game, fault.rule)
    if faults and "no path" not in reasons[0] and "won" not in reasons[0]:
        with pytest.raises(NotationError, match=reasons[0].replace("!", "!")):
            game.rules.legal(state)


def test_a_winning_move_is_certain_and_first() -> None:
    (hint,) = CP.page.hints(cp_at("r: C0 IN*3; y: A9", turn="r", die=1), "red", playouts=4)
    assert (hint.move, hint.chance, hint.error) == ("C0-IN", 1.0, 0.0)
    assert [str(says) for says in hint.why] == ["enters the inner circle"]


def test_hints_rank_every_legal_move_with_its_effects() -> None:
    state = cp_at("r: A8 A14! home*2; y: C5 IN*2 A13", turn="r", die=5)
    hints = CP.page.hints(state, "red", playouts=30)
    assert {hint.move for hint in hints} == {move.move for move in CP.rules.legal(state)}
    chances = [hint.chance for hint in hints]
    assert chances == sorted(chances, reverse=True)
    by_move = {hint.move: hint for hint in hints}
    assert "sends yellow's piece from A13 back to its beginning" in [str(says) for says in by_move["A8-A13 x(y)"].why]
    for hint in hints:
        assert 0 <= hint.chance <= 1
        assert 0 < hint.error < 0.5
        assert f"{hint.move}: " in str(hint.text)
        assert_cited(CP, hint.rule)


def test_guides_of_boards_that_nobody_plays_on_any_more_are_freed() -> None:
    """A weak dictionary held each guide, each guide its tables, and the tables were its key: nothing was ever freed."""
    guide_for.cache_clear()
    made = []
    for _ in range(GUIDES + 1):
        tables_for.cache_clear()  # as other boards would push these out
        made.append(weakref.ref(guide_of(BM.shorthand.sheet, BM.rules.start()).t))
    tables_for.cache_clear()
    gc.collect()
    assert [tables() is None for tables in made] == [True, *[False] * GUIDES]
