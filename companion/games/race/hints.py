"""Hints of the race games: every legal move with its effects and its chance to win, the best first.

After each move the guide's player plays on for some rolls with the same dice (common random numbers), and the guide's
judge estimates the chance there. Nothing in a race game is secret, so the state is all that a seat may know.
"""

import math
import random
import time
from collections.abc import Callable
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


class Tally:
    """The mean of chances and how sure it is."""

    def __init__(self, judge_error: float) -> None:
        self.judge_error = judge_error
        self.count = 0
        self.total = 0.0
        self.squares = 0.0

    def add(self, chance: float) -> None:
        """Counts one playout."""
        self.count += 1
        self.total += chance
        self.squares += chance * chance

    @property
    def mean(self) -> float:
        """The chance."""
        return self.total / self.count

    @property
    def error(self) -> float:
        """Half width that covers the chance in 95 of 100 cases, the judge's own error included."""
        variance = max(0.0, self.squares / self.count - self.mean**2) / max(1, self.count - 1)
        return math.sqrt(COVER**2 * variance + self.judge_error**2)


def chances_of(
    guide: Guide,
    cores: list[engine.Core[Any]],
    side: int,
    *,
    within_ms: float,
    seed: int,
    playouts: int | None,
    clock: Callable[[], float] = time.perf_counter,
) -> list[Tally]:
    """A side's chance from each of several positions, all judged on the same dice.

    With `playouts` the answer depends on nothing but the seed; else as many are played as `within_ms` allows.
    """
    tallies = [Tally(guide.error) for _ in cores]
    source = random.Random(seed)
    until_s = clock() + within_ms / 1000.0
    faces = tuple(engine.DIE)
    while True:
        dice = source.choices(faces, k=ROLLS_AHEAD)
        for core, tally in zip(cores, tallies, strict=True):
            tally.add(guide.play_on(core.copy(), dice, side))
        done = tallies[0].count
        if done >= playouts if playouts is not None else done >= AT_LEAST and clock() >= until_s:
            return tallies


def hints(
    sheet: RaceSheet,
    state: RaceState,
    seat: str,
    *,
    within_ms: float = 300.0,
    seed: int = 0,
    playouts: int | None = None,
) -> tuple[Hint[Any], ...]:
    """The ranked moves of the seat to move; for any other moment the seat's chance to win now (no action).

    Raises: NotationError for an unknown seat.
    """
    if seat not in state.seats:
        raise NotationError(f"unknown seat {seat!r}, expected one of {', '.join(state.seats)}", "seat")
    if outcome(sheet, state) is not None or state.rolling:
        return ()
    guide = guide_of(sheet, state)
    core = core_of(sheet, state)
    side = core.t.side_of_seat[state.seats.index(seat)]
    moves = core.moves(state.die) if state.die is not None and seat == state.turn else []
    if not moves:
        return _standing(sheet, state, seat, guide, core, side, within_ms=within_ms, seed=seed, playouts=playouts)
    assert state.die is not None
    after = []
    for move in moves:
        then = core.copy()
        then.make(move)
        if then.winner() == engine.NOBODY:
            then.after(move, state.die)
        after.append(then)
    won = [then.winner() != engine.NOBODY for then in after]
    open_ = [then for then, is_won in zip(after, won, strict=True) if not is_won]
    tallies = iter(chances_of(guide, open_, side, within_ms=within_ms, seed=seed, playouts=playouts) if open_ else [])
    found = []
    for move, then, is_won in zip(moves, after, won, strict=True):
        if is_won:
            chance, error = float(then.winner() == side), 0.0
        else:
            tally = next(tallies)
            chance, error = tally.mean, tally.error
        found.append(_hint_of(sheet, core, move, state.die, seat, chance, error))
    return tuple(sorted(found, key=lambda hint: -(hint.chance or 0.0)))


def _hint_of(
    sheet: RaceSheet, core: engine.Core[Any], move: engine.Move, die: int, seat: str, chance: float, error: float
) -> Hint[Any]:
    told = move_told(sheet, core, move, die)
    values = {"move": told.move, "chance": round(100 * chance), "error": round(100 * error)}
    says = Says("{move}: {chance} % chance to win, give or take {error} %", values)
    return Hint(seat, told.action, told.move, says, told.effects, told.rule, round(chance, 4), round(error, 4))


def _standing(
    sheet: RaceSheet,
    state: RaceState,
    seat: str,
    guide: Guide,
    core: engine.Core[Any],
    side: int,
    *,
    within_ms: float,
    seed: int,
    playouts: int | None,
) -> tuple[Hint[Any], ...]:
    """The seat's chance to win before the next roll; empty where it may be even, or another's roll waits for its
    move."""
    if state.die is not None:
        return ()
    tally = chances_of(guide, [core], side, within_ms=within_ms, seed=seed, playouts=playouts)[0]
    if abs(tally.mean - 1 / len(core.t.sides)) <= tally.error:
        return ()
    values = {"seat": seat, "chance": round(100 * tally.mean), "error": round(100 * tally.error)}
    says = Says("{seat}: {chance} % chance to win, give or take {error} %", values)
    return (Hint(seat, None, None, says, (), sheet.cites.win, round(tally.mean, 4), round(tally.error, 4)),)
