"""The engine's moves against a second generator written apart from it, at random positions of each game."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

from companion.game.known import game_named
from companion.games.race.flow import action_of_move
from companion.games.race.sheet import tables_of
from companion.games.race.states import move_text
from tests.games import slow_center_point as slow_cp
from tests.games.slow_basic_manipulation import Slow

pytestmark = pytest.mark.slow

POSITIONS = int(os.environ.get("RACE_POSITIONS", "1000"))
"""Random positions of each game; `make nightly` has more."""


def spread(rnd: random.Random, tables: Any, colors: str, favour: float = 0.0) -> dict[str, list[str]]:
    """Random spots for each colour's four: some at the beginning, some arrived, the rest anywhere it may stand."""
    taken: set[str] = set()
    pieces: dict[str, list[str]] = {}
    crowd = rnd.choice((0.1, 0.3, 0.6))
    stretch = rnd.random() < 0.4  # all near each other, so that they meet
    low = rnd.randrange(tables.home)
    for letter in colors:
        c = tables.letters.index(letter)
        reach = tables.reach(c)
        pieces[letter] = []
        if favour and rnd.random() < 0.7 and tables.names[tables.done]:  # one or two left, so that few moves are
            pieces[letter] = [tables.names[tables.done]] * rnd.choice((2, 3))
        while len(pieces[letter]) < 4:
            if rnd.random() < crowd:
                done = tables.names[tables.done]
                pieces[letter].append(done if done and rnd.random() < 0.4 else tables.names[tables.home])
                continue
            place = (
                (low + rnd.randrange(14)) % tables.home
                if stretch and rnd.random() < 0.8
                else rnd.randrange(tables.home)
            )
            if rnd.random() < favour:  # own safeties and bypasses, so that paths are blocked
                place = rnd.choice([p for p in range(tables.home) if tables.bit[p] & tables.special[c]])
            name = tables.names[place]
            circle = name.removesuffix("!")
            if circle in taken or circle not in reach or not tables.may_stand(c, place):
                continue
            taken.add(circle)
            pieces[letter].append(name)
    return pieces


def put(tables: Any, make: Any, pieces: dict[str, list[str]]) -> Any:
    core = make(tables)
    for letter, spots in pieces.items():
        for spot in spots:
            if spot != tables.names[tables.home]:
                core.put(tables.letters.index(letter), tables.place[spot])
    return core


def texts(game: Any, core: Any, die: int) -> set[str]:
    found = [
        move_text(game.shorthand.sheet, core, action_of_move(game.shorthand.sheet, core, move))
        for move in core.moves(die)
    ]
    assert len(found) == len(set(found)), found
    return set(found)


@pytest.mark.parametrize("strict", ["true", "false"])
def test_center_point_agrees_with_the_slow_generator(strict: str) -> None:
    game: Any = game_named("center_point")
    tables = tables_of(game.shorthand.sheet, game.rules.start(4, {"exception_strict": strict}))
    rnd = random.Random(f"center point {strict}")
    exceptions = 0
    for _ in range(POSITIONS // 2):
        die, held, turn = rnd.randint(1, 6), rnd.choice((0, 0, 0, 1, 2, 3)), rnd.randrange(4)
        mine = "rygb"[turn]
        pieces = spread(rnd, tables, "rygb", favour=rnd.choice((0.0, 0.5)))
        if rnd.random() < 0.3:  # a lone marker just so far from an own safety or bypass as the dice say
            far = [p for p in range(tables.home) for jump in tables.jumps[turn][p] if jump[0] == die + 6 * held]
            near = tables.names[rnd.choice(far)] if far else "IN"
            taken = {spot.removesuffix("!") for other in "rygb" if other != mine for spot in pieces[other]}
            if near.removesuffix("!") in tables.reach(turn) - taken and tables.may_stand(turn, tables.place[near]):
                pieces[mine] = [near, "IN", "IN", rnd.choice(("IN", "home"))]
        core = put(tables, game.shorthand.sheet.core, pieces)
        core.turn, core.held = turn, held
        expected = slow_cp.moves(pieces, mine, die, core.held, strict == "true")
        assert texts(game, core, die) == expected, (pieces, mine, die, core.held)
        exceptions += any(
            game.shorthand.sheet.rule(core, m, die).endswith(("Safety c", "gap 20")) for m in core.moves(die)
        )
    assert exceptions > POSITIONS // 1000


HOUSES: list[dict[str, str]] = [
    {"mode": "four"},
    {"mode": "partners"},
    {"mode": "two"},
    {"mode": "partners", "diamond_exit": "true", "retake": "next_turn"},
    {"mode": "two", "refuge_exact_from_world": "true", "diamond_steps": "8"},
]


@pytest.mark.parametrize("options", HOUSES, ids=[",".join(o.values()) for o in HOUSES])
def test_basic_manipulation_agrees_with_the_slow_generator(options: dict[str, str]) -> None:
    game: Any = game_named("basic_manipulation")
    tables = tables_of(game.shorthand.sheet, game.rules.start(None, options))
    rnd = random.Random(str(options))
    for _ in range(POSITIONS // len(HOUSES)):
        pieces = spread(rnd, tables, "rygb")
        core = put(tables, game.shorthand.sheet.core, pieces)
        core.turn = rnd.randrange(len(tables.seat_color))
        die = rnd.randint(1, 6)
        mine = "rygb"[core.turn]
        assert texts(game, core, die) == Slow(pieces, **options).moves(mine, die), (pieces, mine, die)
