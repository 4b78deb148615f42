"""How cards are turned, by the lines on which their indices lie: an index alone tells its angle only roughly.

The indices of a row, a fan or a cascade lie on one line, along their cards' short side or their long one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.photo.cards.index import Index

Floats = NDArray[np.float64]

NEAR_MM = 75.0
"""Neighbours of a row lie at most so far from each other."""
MOST_OFF_RAD = 0.55
"""So far the angle of an index may be wrong."""
ASIDE_MM = 3.5
"""An index lies at most so far beside its line."""
PAIR_MM = 34.0
"""Two indices alone tell of a line where they lie so near; it is believed as much as they are."""


def turned_by_lines(indices: Sequence[Index], px_per_mm: float) -> list[Index]:
    """The indices, each turned as the line is that it lies on with others."""
    if len(indices) < 2:
        return list(indices)
    at = np.array([[index.spot.x, index.spot.y] for index in indices]) / px_per_mm
    angles = np.array([index.spot.angle for index in indices])
    return [
        replace(index, spot=replace(index.spot, angle=index.spot.angle + _off(k, at, angles)))
        for k, index in enumerate(indices)
    ]


def _off(k: int, at: Floats, angles: Floats) -> float:
    """By how much the angle of an index differs from its line's; 0 where it lies on none."""
    away = at - at[k]
    far = np.hypot(*away.T)
    alike = np.abs((angles - angles[k] + np.pi) % (2 * np.pi) - np.pi) < MOST_OFF_RAD
    near = np.flatnonzero((far > 0) & (far < NEAR_MM) & alike)
    if not len(near):
        return 0.0
    ways = np.arctan2(away[near, 1], away[near, 0])
    offs = _quarter(ways - angles[k])
    aside = np.abs(np.sin(ways[:, None] - ways) * far[near])
    on_line = (aside < ASIDE_MM) & (np.abs(offs) < MOST_OFF_RAD)[:, None]
    support = on_line.sum(axis=1) + far[near] / (2 * NEAR_MM)
    support[np.abs(offs) >= MOST_OFF_RAD] = 0
    best = int(support.argmax())
    if support[best] >= 2:
        points = np.vstack([at[k], at[near[on_line[best]]]])
        (x, y) = np.linalg.svd(points - points.mean(axis=0))[2][0]
        return float(_quarter(np.arctan2(y, x) - angles[k]))
    if support[best] > 0 and far[near[best]] < PAIR_MM:
        return float(offs[best]) / 2
    return 0.0


def _quarter(angles: Floats) -> Floats:
    """Angles to a quarter turn, about 0."""
    return np.asarray((angles + np.pi / 4) % (np.pi / 2) - np.pi / 4)
