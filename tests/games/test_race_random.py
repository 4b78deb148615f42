"""Random matches of the race games agree with their engine."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from typing import Any

import pytest

from companion.game.game import state_json, state_of_json
from companion.game.known import game_named
from companion.games.race.core import NOBODY, Core
from companion.games.race.flow import action_of_move
from companion.games.race.states import core_of, state_after

pytestmark = pytest.mark.slow

WHOLE = int(os.environ.get("RACE_MATCHES", "8"))
"""Whole matches, played through the public game state by state."""
CONTESTS: list[tuple[str, int, dict[str, str]]] = [
    ("center_point", 4, {}),
    ("center_point", 3, {}),
    ("center_point", 2, {"exception_strict": "false", "occupied_bypass": "capture_shortcut"}),
    ("basic_manipulation", 4, {}),
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
    for match in range(max(1, WHOLE // len(CONTESTS))):
        rnd = random.Random(f"{name} {seats} {match}")
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


def sequences(core: Core[Any], rolls: int) -> int:
    """Distinct sequences of rolls and moves, all six values at each roll; a roll without a move counts once."""
    if rolls == 0:
        return 1
    count = 0
    for die in range(1, 7):
        moves = core.moves(die)
        if not moves:
            then = core.copy()
            then.sit_out(die)
            count += sequences(then, rolls - 1)
        for move in moves:
            then = core.copy()
            then.make(move)
            if then.winner() != NOBODY:
                count += 1
                continue
            then.after(move, die)
            count += sequences(then, rolls - 1)
    return count
