"""Hints of the race games: ranked, told with reasons, honest about their error, the same for a seed."""

from __future__ import annotations

import gc
import weakref
from typing import Any

from companion.game.known import game_named
from companion.games.basic_manipulation.engine import tables_for
from companion.games.race.guide import GUIDES, guide_for, guide_of
from tests.games.test_every_game import assert_cited

CP: Any = game_named("center_point")
BM: Any = game_named("basic_manipulation")
cp_at, bm_at = CP.shorthand.state_of_position, BM.shorthand.state_of_position


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
    assert "sends back yellow's piece from A13: carry it to its beginning" in [
        str(says) for says in by_move["A8-A13 x(y)"].why
    ]
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
