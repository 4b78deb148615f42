"""Hints of the race games: every legal move with its effects and its chance to win, the best first.

After each move the guide's player plays on for some rolls. All moves get the same dice (common random numbers). Then
the guide's judge estimates the chance. Nothing in a race game is secret, so the state is all that a seat may know.
"""

import math
import random
import time
from typing import Any

from companion.game.errors import NotationError
from companion.game.says import Says
from companion.game.values import Hint
from companion.games.race import core as engine
from companion.games.race.flow import move_told, outcome
from companion.games.race.guide import Guide, guide_of
from companion.games.race.sheet import RaceSheet
from companion.games.race.state import RaceState
from companion.games.race.states import core_of

ROLLS_AHEAD = 80
"""Rolls played on before the judge speaks: with fewer its own error shows, with more the dice's."""

COVER = 1.96
"""Standard errors in the half width that covers 95 %."""

AT_LEAST = 4
"""Playouts of each move before time may end them."""


def _estimate(chances: list[float], judge_error: float) -> tuple[float, float]:
    """The mean of chances, and the half width that covers the true one in 95 of 100 cases, with the judge's error."""
    count = len(chances)
    mean = sum(chances) / count
    variance = sum((chance - mean) ** 2 for chance in chances) / count / max(1, count - 1)
    return mean, math.sqrt(COVER**2 * variance + judge_error**2)


def chances_of(
    guide: Guide,
    cores: list[engine.Core[Any]],
    side: int,
    *,
    within_ms: float = 300.0,
    seed: int = 0,
    playouts: int | None = None,
) -> list[tuple[float, float]]:
    """A side's chance from each of several positions and its error, all judged on the same dice.

    With `playouts` the answer depends on nothing but the seed; else as many are played as `within_ms` allows.
    """
    found: list[list[float]] = [[] for _ in cores]
    source = random.Random(seed)
    until_s = time.perf_counter() + within_ms / 1000.0
    while cores:
        dice = source.choices(engine.DIE, k=ROLLS_AHEAD)
        for core, chances in zip(cores, found, strict=True):
            chances.append(guide.play_on(core.copy(), dice, side))
        done = len(found[0])
        if done >= playouts if playouts is not None else done >= AT_LEAST and time.perf_counter() >= until_s:
            break
    return [_estimate(chances, guide.error) for chances in found]


def hints(sheet: RaceSheet, state: RaceState, seat: str, **effort: Any) -> tuple[Hint[Any], ...]:
    """The ranked moves of the seat to move; for any other moment the seat's chance to win now (no action).

    `effort`: that of `chances_of`. Raises: NotationError for an unknown seat.
    """
    if seat not in state.seats:
        raise NotationError(f"unknown seat {seat!r}, expected one of {', '.join(state.seats)}", "seat")
    if outcome(sheet, state) is not None or state.rolling:
        return ()
    guide = guide_of(sheet, state)
    core = core_of(sheet, state)
    side = core.t.side_of_seat[state.seats.index(seat)]
    if state.die is None:
        ((chance, error),) = chances_of(guide, [core], side, **effort)
        return _standing(sheet, seat, chance, error, 1 / len(core.t.sides))
    moves = core.moves(state.die) if seat == state.turn else []
    after = []
    for move in moves:
        then = core.copy()
        then.make(move)
        if then.winner() == engine.NOBODY:
            then.after(move, state.die)
        after.append(then)
    judged = iter(chances_of(guide, [then for then in after if then.winner() == engine.NOBODY], side, **effort))
    found = []
    for move, then in zip(moves, after, strict=True):
        is_open = then.winner() == engine.NOBODY
        chance, error = next(judged) if is_open else (float(then.winner() == side), 0.0)
        told = move_told(sheet, core, move, state.die)
        values = {"move": told.move, "chance": round(100 * chance), "error": round(100 * error)}
        says = Says("{move}: {chance} % chance to win, give or take {error} %", values)
        chances = round(chance, 4), round(error, 4)
        found.append(Hint(seat, told.action, told.move, says, told.effects, told.rule, *chances))
    return tuple(sorted(found, key=lambda hint: -(hint.chance or 0.0)))


def _standing(sheet: RaceSheet, seat: str, chance: float, error: float, even: float) -> tuple[Hint[Any], ...]:
    """The seat's chance to win before the next roll; empty if it may equal the others'."""
    if abs(chance - even) <= error:
        return ()
    values = {"seat": seat, "chance": round(100 * chance), "error": round(100 * error)}
    says = Says("{seat}: {chance} % chance to win, give or take {error} %", values)
    return (Hint(seat, None, None, says, (), sheet.cites.win, round(chance, 4), round(error, 4)),)
