"""The cards' angles, from the lines of their indices: a single index gives its angle only roughly.

The indices of a row, a fan or a cascade are on one line, along their cards' short side or their long one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.photo.cards.index import Index
from vision.tables.rummy.limits import LIMITS

Floats = NDArray[np.float64]


def turned_by_lines(indices: Sequence[Index], px_per_mm: float) -> list[Index]:
    """The indices, each turned to the line that it shares with others."""
    if len(indices) < 2:
        return list(indices)
    at = np.array([[index.spot.x, index.spot.y] for index in indices]) / px_per_mm
    angles = np.array([index.spot.angle for index in indices])
    return [
        replace(index, spot=replace(index.spot, angle=index.spot.angle + _off(k, at, angles)))
        for k, index in enumerate(indices)
    ]


def _off(k: int, at: Floats, angles: Floats) -> float:
    """Difference of an index's angle from its line's; 0 without a line."""
    away = at - at[k]
    far = np.hypot(*away.T)
    alike = np.abs((angles - angles[k] + np.pi) % (2 * np.pi) - np.pi) < LIMITS.max_index_turn_rad
    near = np.flatnonzero((far > 0) & (far < LIMITS.row_neighbour_mm) & alike)
    if not len(near):
        return 0.0
    ways = np.arctan2(away[near, 1], away[near, 0])
    offs = _quarter(ways - angles[k])
    aside = np.abs(np.sin(ways[:, None] - ways) * far[near])
    on_line = (aside < LIMITS.max_line_offset_mm) & (np.abs(offs) < LIMITS.max_index_turn_rad)[:, None]
    support = on_line.sum(axis=1) + far[near] / (2 * LIMITS.row_neighbour_mm)
    support[np.abs(offs) >= LIMITS.max_index_turn_rad] = 0
    best = int(support.argmax())
    if support[best] >= 2:
        points = np.vstack([at[k], at[near[on_line[best]]]])
        (x, y) = np.linalg.svd(points - points.mean(axis=0))[2][0]
        return float(_quarter(np.arctan2(y, x) - angles[k]))
    if support[best] > 0 and far[near[best]] < LIMITS.max_pair_mm:
        return float(offs[best]) / 2
    return 0.0


def _quarter(angles: Floats) -> Floats:
    """Angles to a quarter turn, about 0."""
    return np.asarray((angles + np.pi / 4) % (np.pi / 2) - np.pi / 4)
