"""A hand, an arm or a sleeve over the play area: what is no mat and no piece, and comes in over the edge."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np

from calibration.medians import median
from vision.eyes.color import Colors
from vision.eyes.sight import AROUND_MM, STEP_MM, Floats, Mask, Sight

CELL = 6
"""Cells of this many pixels of the view from above (9 mm)."""
LEAST_LOG = 0.13
"""A cell's light differs from the mat's by at least this (logarithm of a channel)."""
LEAST_SIGMAS = 5.0
"""And by this many standard deviations of the mat's own cells."""
LEAST_MM2 = 4200.0
"""A hand covers more than any shadow or cluster of dice that reaches the edge."""
ROUNDS = 5
EVERY = 4
"""One cell of so many tells the mat's light."""


def strange_cells(sight: Sight, colors: Colors, known: Mask) -> tuple[Floats, np.ndarray]:  # type: ignore[type-arg]
    """How far each cell is from the mat, in standard deviations, and which cells hold known pieces."""
    rows, columns = known.shape[0] // CELL, known.shape[1] // CELL
    cut = sight.top[: rows * CELL, : columns * CELL]
    cells = cv2.resize(cut, (columns, rows), interpolation=cv2.INTER_AREA)
    hidden = cv2.resize(known[: rows * CELL, : columns * CELL], (columns, rows), interpolation=cv2.INTER_AREA) > 20
    light = np.log(np.maximum(cells, 1e-3).reshape(-1, 3).T.astype(np.float64))
    whole_basis = _basis(rows, columns)
    free = ~hidden.ravel()[::EVERY]
    basis, some = np.ascontiguousarray(whole_basis[:, ::EVERY]), np.ascontiguousarray(light[:, ::EVERY])
    seen = np.flatnonzero(free)
    weight = free.astype(float)
    spread, found = np.full(3, 0.3), np.zeros((3, len(basis)))
    for _ in range(ROUNDS):
        weighed = basis * weight
        normal = weighed @ basis.T + 1e-6 * np.eye(len(basis))
        found = np.linalg.solve(normal, weighed @ some.T).T
        left = np.abs(some - found @ basis)
        spread = 1.48 * np.array([median(channel.take(seen)) for channel in left]) + 0.005
        weight = free / (1 + np.square(left / (3 * spread)[:, None]).max(axis=0)) ** 2
    size = np.abs(light - found @ whole_basis) / np.maximum(spread, LEAST_LOG / LEAST_SIGMAS)[:, None]
    # a shadow darkens all channels alike, a thing changes their balance too: both count
    return size.max(axis=0).reshape(rows, columns), hidden


@lru_cache(maxsize=4)
def _basis(rows: int, columns: int) -> Floats:
    """The mat's light over the table: a polynomial of the fourth order, a column a cell."""
    y, x = np.mgrid[0:rows, 0:columns]
    u, v = (x.ravel() / columns) * 2 - 1, (y.ravel() / rows) * 2 - 1
    return np.array([u**i * v**j for i in range(5) for j in range(5 - i)])


def hand_mm2(sight: Sight, colors: Colors, known: Mask) -> float:
    """The area of the greatest strange region that reaches the edge of the view from above."""
    size, hidden = strange_cells(sight, colors, known)
    strange = ((size > LEAST_SIGMAS) & ~hidden).astype(np.uint8)
    rows, columns = strange.shape
    edge = int(np.ceil(AROUND_MM / STEP_MM / CELL)) + 1
    border = np.ones_like(strange)
    border[edge : rows - edge, edge : columns - edge] = 0
    paper = sight.kit.mat.marker_mm * 0.75
    for x, y in sight.kit.mat.markers.values():
        c, r = sight.to_grid(np.array([x, y])) / CELL
        reach = (paper + 6) / STEP_MM / CELL
        strange[
            max(int(r - reach), 0) : max(int(np.ceil(r + reach)) + 1, 0),
            max(int(c - reach), 0) : max(int(np.ceil(c + reach)) + 1, 0),
        ] = 0
    _, labels, stats, _ = cv2.connectedComponentsWithStats(strange, connectivity=4)
    touching = set(np.unique(labels[(border > 0) & (strange > 0)])) - {0}
    areas = [float(stats[i, cv2.CC_STAT_AREA]) * (CELL * STEP_MM) ** 2 for i in touching]
    return max(areas, default=0.0)
