"""Likeness of a die's pips to each face: all faces, turned, moved and scaled, are compared with the inks of its upper
face.

A second opinion on every die. It has learned nothing, so it knows dice of every make equally well: `likeness` of crops,
and `guided` chances.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import product
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.measure.pip_patterns import PATTERNS
from vision.photo.dice.find import Floats
from vision.photo.dice.limits import LIMITS

NO_VALUES = {
    7: ((-1, -1), (-1, 0), (-1, 1), (0, 0), (1, -1), (1, 0), (1, 1)),
    8: ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)),
    9: ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0), (1, 1)),
}
"""Faces with more pips than a die has. Without them such a face looks most like a six."""
FACES = {value: pips for value, (pips, *_) in PATTERNS.items()} | NO_VALUES
QUARTER_TURNS = (1, 4, 5, 8, 9)
"""Faces that look alike after a quarter of a turn; the others do after half of one."""


class Laid(NamedTuple):
    """All faces in all tried places, over flattened pixels, by value.

    `faces` (n, square_px ** 2): each of mean 0 within its square and norm 1; `first` (9,): index of each value's first
    one; `square` (n,): each one's row of `squares` (m, square_px ** 2).
    """

    faces: Floats
    first: NDArray[np.intp]
    square: NDArray[np.intp]
    squares: Floats


@cache
def laid() -> Laid:
    """All faces in all tried places: 38 MB, made once."""
    y, x = (
        v.ravel() - (LIMITS.square_px - 1) / 2
        for v in np.mgrid[: LIMITS.square_px, : LIMITS.square_px].astype(np.float32)
    )
    faces: list[Floats] = []
    squares: list[Floats] = []
    values, square = [], []
    for side, across, down, turn_deg in product(
        LIMITS.tried_sizes, LIMITS.tried_shifts, LIMITS.tried_shifts, LIMITS.tried_turns_deg
    ):
        side_px, cos, sin = (
            LIMITS.square_px / LIMITS.square_sides * side,
            math.cos(math.radians(turn_deg)),
            math.sin(math.radians(turn_deg)),
        )
        right, below = x / side_px - across, y / side_px - down
        u, v = right * cos + below * sin, below * cos - right * sin
        inside = ((np.abs(u) < LIMITS.compared_reach) & (np.abs(v) < LIMITS.compared_reach)).astype(np.float32)
        for value, pips in FACES.items():
            steps = LIMITS.tried_pip_steps[:1] if value == 1 else LIMITS.tried_pip_steps
            ways = ((u, v),) if value in QUARTER_TURNS else ((u, v), (v, -u))
            for step, (a, b) in product(steps, ways):
                far2 = [(a - step * i) ** 2 + (b - step * j) ** 2 for i, j in pips]
                bumps = np.exp(np.min(far2, axis=0) / (-2 * LIMITS.pip_sigma**2))
                bumps = (bumps - (bumps * inside).sum() / inside.sum()) * inside
                faces.append(bumps / np.linalg.norm(bumps))
                values.append(value)
                square.append(len(squares))
        squares.append(inside)
    by_value = np.argsort(values, kind="stable")
    first = np.searchsorted(np.array(values)[by_value], list(FACES))
    return Laid(np.array(faces, np.float32)[by_value], first, np.array(square)[by_value], np.array(squares))


def likeness(inks: Floats) -> Floats:
    """The highest correlation of each die's inks with each of `FACES`, (dice, 9): pips may be darker or brighter.

    `inks` (dice, n, height, width): squares with the upper face as `vision.photo.dice.pose.face_on` shows it.
    """
    ways = laid()
    dice, count = inks.shape[:2]
    flat = inks.reshape(dice * count, *inks.shape[2:])
    small = np.stack(
        [cv2.resize(ink, (LIMITS.square_px, LIMITS.square_px), interpolation=cv2.INTER_AREA).ravel() for ink in flat],
        axis=1,
    )
    sums, sums2 = ways.squares @ small, ways.squares @ small**2
    variance = sums2 - sums**2 / ways.squares.sum(1, keepdims=True)
    alike = np.abs(ways.faces @ small) / np.sqrt(np.maximum(variance, LIMITS.min_ink_variance))[ways.square]
    best = np.maximum.reduceat(alike, ways.first, axis=0)
    return np.asarray(best.T.reshape(dice, count, len(FACES)).max(1), np.float32)


def borne_out(alike: Floats, value: int) -> float:
    """Support of the pips' places for `value`: 1 plainly this one, 0 open, -1 plainly another.

    >>> borne_out(np.array([0.4, 0.4, 0.5, 0.9, 0.7, 0.5]), 4), borne_out(np.array([0.4, 0.3, 0.3, 0.3, 0.3, 0.3]), 1)
    (1.0, 0.0)
    """
    mine, other = float(alike[value - 1]), float(np.delete(alike, value - 1).max())
    clear = np.clip((max(mine, other) - LIMITS.no_likeness) / (LIMITS.full_likeness - LIMITS.no_likeness), 0, 1)
    return float(np.clip((mine - other) / LIMITS.full_lead, -1, 1) * clear)


def is_hazy(chances: Floats) -> bool:
    """Whether no value has a high chance, by chances of (unreadable, 1, ..., 6, no die)."""
    return float(chances[1:7].max()) < LIMITS.max_guided_chance * float(chances[:7].sum())


def guided(chances: Floats, alike: Floats) -> Floats:
    """Chances of (unreadable, 1, ..., 6, no die), with higher ones for values whose face is more alike.

    Only the values' common share is divided again. None rises above `LIMITS.max_guided_chance`: the places of pips
    alone make no value sure.

    >>> was = np.array([0.1, 0.02, 0.02, 0.3, 0.02, 0.34, 0.1, 0.1], np.float32)
    >>> print(guided(was, np.array([0.4, 0.4, 0.7, 0.4, 0.5, 0.4])).round(2))
    [0.1  0.   0.   0.54 0.   0.22 0.02 0.1 ]
    """
    out = chances.copy()
    of_die, of_values = float(chances[:7].sum()), float(chances[1:7].sum())
    alike = alike[: len(PATTERNS)]
    if not is_hazy(chances) or float(alike.max()) < LIMITS.min_likeness:
        return out
    values = chances[1:7] * np.exp(LIMITS.likeness_weight * (alike - alike.max()))
    values *= of_values / values.sum()
    best, most = int(values.argmax()), LIMITS.max_guided_chance * of_die
    if values[best] > most:
        values *= (of_values - most) / (of_values - values[best])
        values[best] = most
    out[1:7] = values
    return out
