"""How alike a die's pips lie to each face: the six, turned, moved and scaled, are laid over the inks of its crop.

A second opinion on dice that the networks are in doubt about. It has learned nothing, so it knows dice of every make
equally well: `likeness` of crops, and `guided` chances.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice_find import Floats
from vision.measure.pip_patterns import PATTERNS

QUARTER_TURNS = (1, 4, 5)
"""Faces that look alike after a quarter of a turn; the others do after half of one."""
PIP_STEP, PIP_SPREAD, FACE_EDGE = 0.24, 0.065, 0.47
"""Of a face's side: from pip to pip, a pip's Gaussian radius, and how far from its middle a face is looked at."""
GRID = 24
"""A crop is looked at with so many pixels a side."""
TURNS = 24
"""Tried within half a turn."""
SCALES = (0.78, 0.9, 1.02)
SHIFTS = (-0.12, -0.06, 0.0, 0.06, 0.12)
"""Tried sizes, of what a square's box tells of its side, and places, in sides of the box, across and down."""
ROUNDED = 0.75
"""A turned square's box is larger than its side by |cos| + |sin|; a die's, whose corners are round, by this power."""
LEAST_VARIANCE = 1e-3
"""Of an ink, summed over a face: below this it is flat."""
PULL = 10.0
"""A face more alike by 0.1 is likelier by exp(0.1 PULL)."""
LEAST_ALIKE = 0.45
"""Where no face is as alike as this, their likeness tells nothing."""
NOT_ALIKE, PLAINLY_ALIKE, CLEARLY_APART = 0.4, 0.55, 0.08
"""Correlations: at the first a face tells nothing, at the second it is seen; so far above the next best it is clear."""
HAZY = 0.6
"""Chances of a value below this are guided, and to no more than this."""


class Laid(NamedTuple):
    """All faces laid all ways, over pixels flattened: `faces` (n, GRID ** 2), each of mean 0 within its square and norm
    1; `values` (n,); `square` (n,) is its row of `squares` (m, GRID ** 2)."""

    faces: Floats
    values: NDArray[np.intp]
    square: NDArray[np.intp]
    squares: Floats


@cache
def laid(reach: float) -> Laid:
    """Every way to lay the faces over a crop of `reach` times a die's box: 19 MB, made once."""
    box_px = GRID / reach
    turns = np.arange(TURNS) * np.pi / TURNS
    turn, scale, across, down = (v.ravel() for v in np.meshgrid(turns, SCALES, SHIFTS, SHIFTS, indexing="ij"))
    c, s = np.cos(turn)[:, None], np.sin(turn)[:, None]
    side = (box_px * scale)[:, None] / (np.abs(c) + np.abs(s)) ** ROUNDED
    y, x = (v.ravel() - (GRID - 1) / 2 for v in np.mgrid[:GRID, :GRID].astype(np.float32))
    x, y = x - box_px * across[:, None], y - box_px * down[:, None]
    u, v = ((x * c + y * s) / side).astype(np.float32), ((y * c - x * s) / side).astype(np.float32)
    squares = ((np.abs(u) < FACE_EDGE) & (np.abs(v) < FACE_EDGE)).astype(np.float32)
    faces, values, square = [], [], []
    for value, (pips, *_) in PATTERNS.items():
        which = np.nonzero(turn < np.pi / 2 - 1e-6)[0] if value in QUARTER_TURNS else np.arange(len(turn))
        inside = squares[which]
        bumps = np.zeros_like(inside)
        for a, b in pips:
            far2 = (u[which] - PIP_STEP * a) ** 2 + (v[which] - PIP_STEP * b) ** 2
            np.maximum(bumps, np.exp(far2 / np.float32(-2 * PIP_SPREAD**2)), out=bumps)
        bumps = (bumps - (bumps * inside).sum(1, keepdims=True) / inside.sum(1, keepdims=True)) * inside
        faces.append(bumps / np.linalg.norm(bumps, axis=1, keepdims=True))
        values.append(np.full(len(which), value))
        square.append(which)
    return Laid(np.concatenate(faces), np.concatenate(values), np.concatenate(square), squares)


def likeness(inks: Floats, reach: float) -> Floats:
    """The highest correlation of each die's inks with each face, (dice, 6), whichever of pips and body is brighter.

    `inks` (dice, n, height, width): squares of `reach` times a die's box, the die in their middle.
    """
    ways = laid(reach)
    dice, count = inks.shape[:2]
    flat = inks.reshape(dice * count, *inks.shape[2:])
    small = np.stack([cv2.resize(ink, (GRID, GRID), interpolation=cv2.INTER_AREA).ravel() for ink in flat], axis=1)
    sums, sums2 = ways.squares @ small, ways.squares @ small**2
    variance = sums2 - sums**2 / ways.squares.sum(1, keepdims=True)
    alike = np.abs(ways.faces @ small) / np.sqrt(np.maximum(variance, LEAST_VARIANCE))[ways.square]
    best = np.stack([alike[ways.values == value].max(0) for value in PATTERNS], axis=1)
    return np.asarray(best.reshape(dice, count, len(PATTERNS)).max(1), np.float32)


def borne_out(alike: Floats, value: int) -> float:
    """How far the pips' places say that a face is `value`: 1 plainly, 0 they tell nothing, -1 plainly another.

    >>> borne_out(np.array([0.4, 0.4, 0.5, 0.9, 0.7, 0.5]), 4), borne_out(np.array([0.4, 0.3, 0.3, 0.3, 0.3, 0.3]), 1)
    (1.0, 0.0)
    """
    mine, other = float(alike[value - 1]), float(np.delete(alike, value - 1).max())
    clear = np.clip((max(mine, other) - NOT_ALIKE) / (PLAINLY_ALIKE - NOT_ALIKE), 0, 1)
    return float(np.clip((mine - other) / CLEARLY_APART, -1, 1) * clear)


def is_hazy(chances: Floats) -> bool:
    """Whether no value is likely, by chances of (cannot be told, 1, ..., 6, no die)."""
    return float(chances[1:7].max()) < HAZY * float(chances[:7].sum())


def guided(chances: Floats, alike: Floats) -> Floats:
    """Chances of (cannot be told, 1, ..., 6, no die) in which values are likelier the more alike their face.

    Only what is shared among the values is shared anew, and none becomes likelier than `HAZY`: where pips lie makes no
    value sure.

    >>> was = np.array([0.1, 0.02, 0.02, 0.3, 0.02, 0.34, 0.1, 0.1], np.float32)
    >>> print(guided(was, np.array([0.4, 0.4, 0.7, 0.4, 0.5, 0.4])).round(2))
    [0.1  0.   0.   0.54 0.   0.22 0.02 0.1 ]
    """
    out = chances.copy()
    of_die, of_values = float(chances[:7].sum()), float(chances[1:7].sum())
    if not is_hazy(chances) or float(alike.max()) < LEAST_ALIKE:
        return out
    values = chances[1:7] * np.exp(PULL * (alike - alike.max()))
    values *= of_values / values.sum()
    best, most = int(values.argmax()), HAZY * of_die
    if values[best] > most:
        values *= (of_values - most) / (of_values - values[best])
        values[best] = most
    out[1:7] = values
    return out
