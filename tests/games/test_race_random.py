"""Random matches of the race games keep what must be kept."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from companion.game.game import state_json, state_of_json
from companion.game.known import game_named
from companion.games.race.core import NOBODY, Core, play
from companion.games.race.flow import action_of_move
from companion.games.race.guide import guide_of
from companion.games.race.states import core_of, state_after

pytestmark = pytest.mark.slow

ROLL_LIMIT = 20_000

CONTESTS: list[tuple[str, int, dict[str, str]]] = [
    ("center_point", 4, {}),
    ("center_point", 2, {"exception_strict": "false", "occupied_bypass": "capture_shortcut"}),
    ("basic_manipulation", 4, {"mode": "partners", "refuge_exact_from_world": "true"}),
    ("basic_manipulation", 2, {"diamond_exit": "true", "retake": "next_turn", "diamond_steps": "8"}),
]
IDS = [f"{name}-{seats}{'-options' if options else ''}" for name, seats, options in CONTESTS]


def begin(name: str, seats: int, options: dict[str, str]) -> tuple[Any, Any, Core[Any]]:
    game: Any = game_named(name)
    state = game.rules.start(seats, options)
    state = replace(state, rolling=(), turn=state.seats[0])
    return game, state, core_of(game.shorthand.sheet, state)


@pytest.mark.parametrize(("name", "seats", "options"), CONTESTS, ids=IDS)
def test_whole_matches_agree_with_the_engine(name: str, seats: int, options: dict[str, str]) -> None:
    """Through `apply`, every state valid, through JSON, and equal to what the engine makes of the same dice."""
    game, state, core = begin(name, seats, options)
    rnd = random.Random(f"{name} {seats}")
    now, engine = state, core.copy()
    while game.rules.to_move(now):
        die = rnd.randint(1, 6)
        now = game.rules.apply(now, game.text.action_of(f"d{die}", now)).state
        moves = engine.moves(die)
        if not moves:
            engine.sit_out(die)
        else:
            actions = [action_of_move(game.shorthand.sheet, engine, move) for move in moves]
            listed = [move.action for move in game.rules.legal(now)]
            assert len(listed) == len(actions)
            assert set(listed) == set(actions)
            n = rnd.randrange(len(moves))
            engine.make(moves[n])
            now = game.rules.apply(now, actions[n]).state
            if engine.winner() == NOBODY:
                engine.after(moves[n], die)
        assert game.rules.status(now) == ()
        if engine.winner() == NOBODY:
            assert replace(now, again=False) == state_after(game.shorthand.sheet, now, engine, None)
    assert state_of_json(game, state_json(game, now)) == now
    won = {seat for seat, side in zip(now.seats, core.t.side_of_seat, strict=True) if side == engine.winner()}
    assert set(game.rules.outcome(now).winners) == won


def test_play_ends_with_the_winner_or_at_the_limit() -> None:
    _, state, core = begin("basic_manipulation", 2, {"mode": "two"})
    guide = guide_of(game_named("basic_manipulation").shorthand.sheet, state)
    rnd = random.Random(2)
    assert play(core.copy(), lambda: rnd.randint(1, 6), guide.choose, 10) == NOBODY
    now = core.copy()
    assert play(now, lambda: rnd.randint(1, 6), guide.choose, ROLL_LIMIT) == now.winner() != NOBODY
