"""Move choice and evaluation for the playouts: the most promising move, and a side's chance without playing on.

The player takes the move that leaves the fewest turns, its own and (weighted) its opponents' together. The judge is a
softmax over the sides of a few features of the turns left; its weights, and turns better than the lone marker's, come
from a game's own file, fitted by `bench/train_race.py`. A board without a table is judged by the lone marker's.
"""

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from companion.game.board import PIECES_OF_A_COLOR
from companion.games.race.core import DIE, NOBODY, SIX, Core, Move, Tables
from companion.games.race.sheet import RaceSheet, tables_of
from companion.games.race.state import RaceState

FEATURES = ("left", "turns", "root", "log", "home", "nearly", "to_roll", "roots", "logs", "depth")
UNFITTED = (0.0, 0.5, *(0.0 for _ in FEATURES[2:]))
FITTED_ERROR, UNFITTED_ERROR = 0.034, 0.15
"""Half width that covers 95 % of the judge's error after `hints.ROLLS_AHEAD` rolls: fitted, measured by
`bench/race.py`; unfitted."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Fitted weights. `left`: turns left by the first colour's place (empty, nan: the lone marker's turns). `chance`:
    the judge's weights in the order of `FEATURES`. `error`: half width of the judge's error."""

    left: tuple[float, ...] = ()
    chance: tuple[float, ...] = UNFITTED
    error: float = UNFITTED_ERROR


@lru_cache(maxsize=8)
def _file(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def weights_for(hints: Path | None, board: str, contest: str) -> Weights:
    """The weights for a board by name and a contest (the mode, or the number of players)."""
    if hints is None:
        return Weights()
    data = _file(hints)
    return Weights(tuple(data.get("left", {}).get(board, ())), tuple(data["chance"][contest]), FITTED_ERROR)


SWEEPS = 60
"""Sweeps of the value iteration; after 40 no turn count of the shipped boards moves by a hundredth."""


def solo_turns(tables: Tables, color: int) -> list[float]:
    """Expected turns that a lone marker needs from each place, choosing well if it has a choice; a six rolls again.

    Value iteration on T(p) = 1 + sum over the die of T(best end) / 6, less the turn that a six saves.
    """
    places = range(len(tables.names))
    arrived = tables.arrives
    never = [not (p == tables.home or tables.may_stand(color, p)) for p in places]
    ahead = [[] if arrived[p] or never[p] else [tables.ends_alone(color, p, die) for die in DIE] for p in places]
    turns = [0.0 if arrived[p] else 1.0 for p in places]
    for _ in range(SWEEPS):
        for p in reversed(places):
            if arrived[p] or never[p]:
                continue
            total = 0.0
            for die, to in zip(DIE, ahead[p], strict=True):
                best = min([turns[q] for q in to], default=turns[p])
                total += best - (die == SIX and best >= 1.0 and p != tables.home)
            turns[p] = 1.0 + total / SIX
    return turns


TENS = 10.0
NEAR_TURNS = 6.0
"""Keeps the logarithm of the turns left gentle at the end of a game."""

CLOSE_TURNS = 3.0
"""Difference in turns of one colour of a side that counts as close."""

GUIDES = 8
"""Guides that are kept: each holds its tables, and a match needs one."""


class Guide:
    """The player and the judge of one board, its seats and house rules."""

    def __init__(self, tables: Tables, weights: Weights) -> None:
        self.t = tables
        colors = range(len(tables.colors))
        self.turns = [solo_turns(tables, c) for c in colors]
        self.left = self.turns
        if weights.left:
            self.left = [
                [turns[p] if math.isnan(weights.left[p]) else weights.left[p] for p in _as_first(tables, c)]
                for c, turns in zip(colors, self.turns, strict=True)
            ]
        self.chance_weights, self.error = weights.chance, weights.error
        self.sent_back_weight = 1.0 / max(1, len(tables.sides) - 1)

    def choose(self, core: Core[Any], moves: Sequence[Move]) -> Move:
        """The move that leaves the fewest turns; the first of equals."""
        left = self.left
        best = moves[0]
        best_gain = -math.inf
        for move in moves:
            color, origin, to, sent = move
            row = left[color]
            gain = row[origin] - row[to]
            if sent:
                gain += self._sent_back(core, color, sent)
            if gain > best_gain:
                best, best_gain = move, gain
        return best

    def _sent_back(self, core: Core[Any], color: int, sent: int) -> float:
        t = self.t
        gain = 0.0
        for x in t.in_play:
            if core.own[x] & sent:
                lost = sum(self.left[x][t.home] - self.left[x][p] for p in core.on[x] if t.bit[p] & sent)
                is_friend = t.side_of_color[x] == t.side_of_color[color]
                gain += -lost if is_friend else self.sent_back_weight * lost
        return gain

    def features(self, core: Core[Any]) -> list[tuple[float, ...]]:
        """Each side's features, in the order of `FEATURES`; the more, the better for that side."""
        t = self.t
        found: list[tuple[float, ...]] = []
        to_roll = t.side_of_seat[core.turn]
        for i, side in enumerate(t.sides):
            left = turns = 0.0
            roots = logs = 0.0
            home = arrived = depth = 0
            for c in side:
                of_turns, of_left = self.turns[c], self.left[c]
                n = core.at_home[c]
                home += n
                arrived += core.arrived[c]
                own = n * of_turns[t.home]
                left += n * of_left[t.home]
                for p in core.on[c]:
                    own += of_turns[p]
                    left += of_left[p]
                    depth += t.depth[p]
                turns += own
                roots += math.sqrt(own)
                logs += math.log(own + CLOSE_TURNS)
            is_nearly = arrived >= (PIECES_OF_A_COLOR - 1) * len(side)
            found.append(
                (
                    -left / TENS,
                    -turns / TENS,
                    -math.sqrt(turns),
                    -math.log(turns + NEAR_TURNS),
                    -float(home),
                    float(is_nearly),
                    float(i == to_roll),
                    -roots,
                    -logs,
                    -float(depth),
                )
            )
        return found

    def chances(self, core: Core[Any]) -> list[float]:
        """Each side's chance to win, by the evaluation."""
        weights = self.chance_weights
        strengths = [sum(w * f for w, f in zip(weights, of, strict=True)) for of in self.features(core)]
        top = max(strengths)
        powers = [math.exp(s - top) for s in strengths]
        total = sum(powers)
        return [power / total for power in powers]

    def play_on(self, core: Core[Any], dice: Sequence[int], side: int) -> float:
        """The chance of a side after the player has moved all seats for these dice: 1 or 0 if the game has ended."""
        for die in dice:
            moves = core.moves(die)
            if not moves:
                core.sit_out(die)
                continue
            move = moves[0] if len(moves) == 1 else self.choose(core, moves)
            core.make(move)
            if core.arrived[move[0]] == PIECES_OF_A_COLOR:
                winner = core.winner()
                if winner != NOBODY:
                    return float(winner == side)
            core.after(move, die)
        return self.chances(core)[side]


@lru_cache(maxsize=GUIDES)
def guide_for(tables: Tables, hints: Path | None, board: str, contest: str) -> Guide:
    """The guide of tables with the weights fitted for them, made once."""
    return Guide(tables, weights_for(hints, board, contest))


def guide_of(sheet: RaceSheet, state: RaceState) -> Guide:
    """The player and judge behind the hints, made once for a board and its seats."""
    board = state.board if state.board_file is None else ""
    return guide_for(tables_of(sheet, state), sheet.hints, board, sheet.contest(state))


def _as_first(tables: Tables, color: int) -> list[int]:
    """The first colour's place for each place of a colour: the board is turned by `color` quarter turns."""
    board = tables.board
    places = []
    for p, name in enumerate(tables.names):
        if p >= tables.home:
            places.append(p)
            continue
        x_mm, y_mm = board.spots[tables.circle(p)]
        for _ in range(color):
            x_mm, y_mm = y_mm, board.size_mm[0] - x_mm
        near = min(board.spots, key=lambda spot: math.dist(board.spots[spot], (x_mm, y_mm)))
        places.append(tables.place.get(near + "!" * name.endswith("!"), tables.place.get(near, p)))
    return places
