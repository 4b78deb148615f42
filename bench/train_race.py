"""Fits the numbers behind the race games' hints: `python -m bench.train_race GAME [--games N]` writes its hints.toml.

First the player: turns left by spot. They come from a multinomial logistic regression of the winner on the markers'
places, in games that the last player played against itself. This is for Basic Manipulation only: in Center Point a lone
marker's turns play as well. Then the judge: the same regression on `guide.FEATURES`, for each contest. Needs numpy and
scipy; some minutes.
"""

from __future__ import annotations

import argparse
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

import companion.games
from bench.race import CONTESTS, begin, guide_player, play
from companion.game.board import PIECES_OF_A_COLOR
from companion.game.known import game_named
from companion.games.race.core import Core
from companion.games.race.guide import FEATURES, Guide, Weights, _as_first, weights_for

SAMPLED = 0.05
"""Share of the rolls at which a position is kept."""

A_LINE = 12
RIDGE = 2e-5
ROUNDS = 3
FLAT = (0.0,) * len(FEATURES)


def played(core: Core[Any], guide: Guide, games: int, seed: int) -> tuple[list[Core[Any]], list[int]]:
    """Positions before a roll from games of the guide's player against itself, and the side that won each."""
    rnd = random.Random(seed)
    cores: list[Core[Any]] = []
    winners: list[int] = []
    for _ in range(games):
        now = core.copy()
        now.turn = rnd.randrange(len(core.t.seat_color))
        before = len(cores)

        def roll(now: Core[Any] = now) -> int:
            if rnd.random() < SAMPLED:
                cores.append(now.copy())
            return rnd.randint(1, 6)

        play(now, roll, guide_player(guide))
        winners += [now.winner()] * (len(cores) - before)
    return cores, winners


def fitted(loss_of: Any, first: np.ndarray) -> np.ndarray:
    """The weights that minimise a loss with gradient."""
    return minimize(loss_of, first, jac=True, method="L-BFGS-B", options={"maxiter": 400}).x


def softmax_loss(strengths: np.ndarray, won: np.ndarray) -> tuple[float, np.ndarray]:
    """Mean negative log likelihood, and its gradient by the strengths."""
    powers = np.exp(strengths - strengths.max(1, keepdims=True))
    chances = powers / powers.sum(1, keepdims=True)
    rows = np.arange(len(won))
    loss = float(-np.log(chances[rows, won]).mean())
    chances[rows, won] -= 1
    return loss, chances / len(won)


def fit_chance(guide: Guide, cores: list[Core[Any]], winners: list[int]) -> tuple[np.ndarray, float]:
    """The judge's weights, and its loss on a fifth of the games kept apart."""
    x = np.array([guide.features(core) for core in cores])
    won = np.array(winners)
    k = len(won) * 4 // 5

    def loss_of(w: np.ndarray) -> tuple[float, np.ndarray]:
        loss, by = softmax_loss(x[:k] @ w, won[:k])
        return loss + RIDGE * float(w @ w), np.einsum("ns,nsf->f", by, x[:k]) + 2 * RIDGE * w

    w = fitted(loss_of, np.zeros(x.shape[2]))
    return w, softmax_loss(x[k:] @ w, won[k:])[0]


def fit_left(guide: Guide, cores: list[Core[Any]], winners: list[int]) -> tuple[float, ...]:
    """Turns left by the first colour's place; nan where it has none."""
    t = guide.t
    first = [_as_first(t, c) for c in range(len(t.colors))]
    where = np.array(
        [
            [
                [
                    p
                    for c in side
                    for p in [first[c][q] for q in core.on[c]]
                    + [t.home] * core.at_home[c]
                    + [t.done] * (PIECES_OF_A_COLOR - core.at_home[c] - len(core.on[c]))
                ]
                for side in t.sides
            ]
            for core in cores
        ]
    )
    won = np.array(winners)
    prior = np.array([-turns / 10.0 for turns in guide.turns[0]])

    def loss_of(w: np.ndarray) -> tuple[float, np.ndarray]:
        loss, by = softmax_loss(w[where].sum(2), won)
        each = np.repeat(by[:, :, None], where.shape[2], 2)
        gradient = np.bincount(where.ravel(), weights=each.ravel(), minlength=len(w))
        return loss + RIDGE * float(((w - prior) ** 2).sum()), gradient + 2 * RIDGE * (w - prior)

    w = fitted(loss_of, prior.copy())
    places = (p if name and t.may_stand(0, p) else None for p, name in enumerate(t.names))
    return tuple(math.nan if p is None else round(float(-w[p]), 3) for p in places)


def main() -> None:
    """Fits the numbers and writes them."""
    parser = argparse.ArgumentParser(prog="python -m bench.train_race", description=__doc__)
    parser.add_argument("game", choices=sorted(CONTESTS))
    parser.add_argument("--games", type=int, default=8000)
    parser.add_argument("--judge-only", action="store_true", help="keep the player: the reference of bench.race stays")
    parser.add_argument("-o", "--out", type=Path, help="file to write; default: the game's hints.toml")
    asked = parser.parse_args()
    game: Any = game_named(asked.game)
    contests = CONTESTS[asked.game]
    left: tuple[float, ...] = ()
    board = game.rules.start().board
    if asked.judge_only:
        left = weights_for(game.shorthand.sheet.hints, board, next(iter(contests))).left
    elif asked.game == "basic_manipulation":
        core, _ = begin(game, *contests["four"])
        for n in range(ROUNDS):
            guide = Guide(core.t, Weights(left, FLAT))
            left = fit_left(guide, *played(core, guide, asked.games, n))
            print(f"player, round {n + 1}: {len(left)} places", flush=True)
    lines = [f"# Fitted by `python -m bench.train_race {asked.game}`; see race/guide.py."]
    lines += ["", "[chance]", "# " + ", ".join(FEATURES)]
    for name, (seats, options) in contests.items():
        core, _ = begin(game, seats, options)
        guide = Guide(core.t, Weights(left, FLAT))
        weights, loss = fit_chance(guide, *played(core, guide, asked.games, 100))
        print(f"judge, {name}: loss {loss:.4f}", flush=True)
        lines.append(f"{name} = [{', '.join(f'{w:.4f}' for w in weights)}]")
    if left:
        rows = (", ".join(map(str, left[at : at + A_LINE])) for at in range(0, len(left), A_LINE))
        lines += ["", "[left]", "# turns left by place, as the first colour may stand there", f'"{board}" = [']
        lines += [*(f"    {row}," for row in rows), "]"]
    path = asked.out or Path(companion.games.__file__).parent / asked.game / "hints.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
