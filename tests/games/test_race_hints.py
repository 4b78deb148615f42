"""Hints of the race games: ranked, told with reasons, honest about their error, the same for a seed."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from typing import Any

import pytest

from companion.game.game import state_json, state_of_json
from companion.game.known import game_named
from companion.games.basic_manipulation.engine import tables_for
from companion.games.race.guide import GUIDES, guide_for, guide_of
from companion.games.race.hints import AT_LEAST, chances_of
from companion.games.race.states import core_of
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


@pytest.mark.parametrize("game", [CP, BM], ids=lambda game: game.name)
def test_the_same_seed_and_playouts_give_the_same_hints(game: Any) -> None:
    text = "r: A8 A20 A30 home" if game is CP else "r: O3 O9 O20 hold; y: O30"
    state = game.shorthand.state_of_position(text, turn="r", die=2)
    first = game.page.hints(state, "red", seed=3, playouts=10)
    assert first == game.page.hints(state, "red", seed=3, playouts=10)
    assert first == game.page.hints(state_of_json(game, state_json(game, state)), "red", seed=3, playouts=10)
    assert first != game.page.hints(state, "red", seed=4, playouts=10)


def test_at_other_moments_the_chance_alone_is_told() -> None:
    state = bm_at("r: r.r4 r.r3 r.r2 O40; y: hold*4", turn="r")
    for seat, low, high in (("red", 0.6, 1.0), ("yellow", 0.0, 0.3)):
        (hint,) = BM.page.hints(state, seat, playouts=30)
        assert hint.action is None
        assert low < hint.chance <= high
    assert BM.page.hints(replace(state, die=3), "yellow") == ()
    assert BM.page.hints(BM.rules.start(), "red") == ()
    assert BM.page.hints(replace(BM.rules.start(), rolling=(), turn="red"), "red", playouts=30) == ()  # about even
    assert BM.page.hints(bm_at("r: r.r1 r.r2 r.r3 r.r4", turn="r"), "red") == ()


def test_time_ends_the_playouts() -> None:
    """The clock is told: three readings, then the time is up."""
    state = cp_at("r: A8 A20 home*2", turn="r")
    readings = iter([0.0, *[0.1] * 3, *[9.0] * 100])
    tallies = chances_of(
        guide_of(CP.shorthand.sheet, state),
        [core_of(CP.shorthand.sheet, state)],
        0,
        within_ms=1000,
        seed=0,
        playouts=None,
        clock=lambda: next(readings),
    )
    assert tallies[0].count == AT_LEAST + 3


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
