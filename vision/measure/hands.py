"""Detects a hand, an arm or a sleeve over the play area: neither mat nor piece, and reaching in over the edge."""

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.edges import MAD_TO_SIGMA, column_medians, median
from vision.measure.colors import is_shade, paper_mm, round_kernel
from vision.measure.limits import LIMITS
from vision.measure.prepared import AROUND_MM, STEP_MM, Floats, Mask, PreparedImage

Bools = NDArray[np.bool_]


def strange_cells(light: Floats, hidden: Bools) -> tuple[Bools, Bools]:
    """Cells (rows, columns) that differ from the mat, relative to the mat's own scatter, and cells that may be shadow.

    `light`: the logarithm of the light (rows, columns, 3). `hidden`: cells that hold known pieces.
    """
    whole_basis, basis, some, free = _sparse(light, hidden, LIMITS.mat_order)
    seen = np.flatnonzero(free)
    weight = free.astype(float)
    spread, found = np.ones(3), np.zeros((3, len(basis)))
    for _ in range(LIMITS.slow_rounds):
        found = _weighed_fit(basis, some, weight)
        left = np.abs(some - found @ basis)
        spread = MAD_TO_SIGMA * np.array([median(channel.take(seen)) for channel in left]) + LIMITS.min_noise
        weight = free / (1 + np.square(left / (3 * spread)[:, None]).max(axis=0)) ** 2
    off = _by_channel(light) - found @ whole_basis
    size = np.abs(off) / np.maximum(spread, LIMITS.min_strange_log / LIMITS.min_strange_sigmas)[:, None]
    # a shadow darkens all channels alike, an object also changes their balance: both count
    is_strange = np.asarray(size.max(axis=0) > LIMITS.min_strange_sigmas)
    return is_strange.reshape(hidden.shape), is_shade(np.exp(off.T)).reshape(hidden.shape)


def far_cells(light: Floats, hidden: Bools) -> tuple[Bools, Bools]:
    """Cells that no slow change of the mat's light explains, and cells that may be shadow. The fit begins at the median
    light, so that it does not follow a broad object."""
    whole_basis, basis, some, free = _sparse(light, hidden, LIMITS.slow_order)
    if not free.any():
        return np.zeros(hidden.shape, bool), np.zeros(hidden.shape, bool)
    found = np.zeros((3, len(basis)))
    found[:, 0] = column_medians(some.T[free])
    for _ in range(LIMITS.slow_rounds):
        left = np.abs(some - found @ basis).max(axis=0)
        found = _weighed_fit(basis, some, free / (1 + np.square(left / LIMITS.half_weight_log)) ** 2)
    off = _by_channel(light) - found @ whole_basis
    is_far = np.asarray(np.abs(off).max(axis=0) > LIMITS.min_far_log)
    return is_far.reshape(hidden.shape), is_shade(np.exp(off.T)).reshape(hidden.shape)


def _sparse(light: Floats, hidden: Bools, order: int) -> tuple[Floats, Floats, Floats, Bools]:
    """The mat's polynomial at all cells; and at every few cells: it, the light, and which cells are free."""
    every, basis = slice(None, None, LIMITS.mat_cell_step), _basis(*hidden.shape, order)
    some = np.ascontiguousarray(_by_channel(light)[:, every])
    return basis, np.ascontiguousarray(basis[:, every]), some, ~hidden.ravel()[every]


def _weighed_fit(basis: Floats, values: Floats, weight: Floats) -> Floats:
    weighed = basis * weight
    normal = weighed @ basis.T + 1e-6 * np.eye(len(basis))
    return np.asarray(np.linalg.solve(normal, weighed @ values.T).T)


def _by_channel(light: Floats) -> Floats:
    return light.reshape(-1, 3).T


@lru_cache(maxsize=4)
def _basis(rows: int, columns: int, order: int) -> Floats:
    """The terms of a polynomial over the table, one per row, the constant first."""
    y, x = np.mgrid[0:rows, 0:columns]
    u, v = (x.ravel() / columns) * 2 - 1, (y.ravel() / rows) * 2 - 1
    return np.array([u**i * v**j for i in range(order + 1) for j in range(order + 1 - i)])


def hand_mm2(image: PreparedImage, known: Mask) -> float:
    """The area of the largest strange region that reaches the edge of the view from above."""
    rows, columns = known.shape[0] // LIMITS.hand_cell_px, known.shape[1] // LIMITS.hand_cell_px
    cut = image.top[: rows * LIMITS.hand_cell_px, : columns * LIMITS.hand_cell_px]
    cells = cv2.resize(cut, (columns, rows), interpolation=cv2.INTER_AREA)
    hidden = (
        cv2.resize(
            known[: rows * LIMITS.hand_cell_px, : columns * LIMITS.hand_cell_px],
            (columns, rows),
            interpolation=cv2.INTER_AREA,
        )
        > 20
    )
    light = np.log(np.maximum(cells, 1e-6).astype(np.float64))
    seen = (cells_of(light, hidden) for cells_of in (strange_cells, far_cells))
    return max(_reaching_in_mm2(image, cells & ~hidden, shade) for cells, shade in seen)


def _reaching_in_mm2(image: PreparedImage, cells: Bools, shade: Bools) -> float:
    """The area of the largest region of these cells that reaches the edge, without fiducials and pieces' shadows."""
    strange = cells.astype(np.uint8)
    rows, columns = strange.shape
    edge = int(np.ceil(AROUND_MM / STEP_MM / LIMITS.hand_cell_px)) + 1
    border = np.ones_like(strange)
    border[edge : rows - edge, edge : columns - edge] = 0
    paper = paper_mm(image.kit.mat)
    for x, y in image.kit.mat.markers.values():
        c, r = image.to_grid(np.array([x, y])) / LIMITS.hand_cell_px
        reach = (paper + 6) / STEP_MM / LIMITS.hand_cell_px
        strange[
            max(int(r - reach), 0) : max(int(np.ceil(r + reach)) + 1, 0),
            max(int(c - reach), 0) : max(int(np.ceil(c + reach)) + 1, 0),
        ] = 0
    _, labels, stats, _ = cv2.connectedComponentsWithStats(strange, connectivity=4)
    touching = set(np.unique(labels[(border > 0) & (strange > 0)])) - {0}
    broad = cv2.morphologyEx(strange, cv2.MORPH_OPEN, round_kernel(LIMITS.broad_cells)) > 0
    touching = {i for i in touching if broad[labels == i].any() or shade[labels == i].mean() < LIMITS.max_hand_shade}
    areas = [float(stats[i, cv2.CC_STAT_AREA]) * (LIMITS.hand_cell_px * STEP_MM) ** 2 for i in touching]
    return max(areas, default=0.0)
