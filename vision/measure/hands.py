"""Detects a hand, an arm or a sleeve over the play area: neither mat nor piece, and reaching in over the edge."""

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Mask
from calibration.edges import MAD_TO_SIGMA, medians
from vision.measure.colors import is_shade, paper_mm, round_kernel
from vision.measure.limits import LIMITS
from vision.measure.prepared import AROUND_MM, STEP_MM, PreparedImage

Bools = NDArray[np.bool_]


def strange_cells(light: Floats, hidden: Bools) -> tuple[Bools, Bools]:
    """Cells (rows, columns) that differ from the mat, relative to the mat's own scatter, and cells that may be shadow.

    `light`: the logarithm of the light (rows, columns, 3). `hidden`: cells that hold known pieces. The fit of the mat's
    light begins at the median, so that it does not follow a broad object.
    """
    by_channel, whole = light.reshape(-1, 3).T, _basis(*hidden.shape)
    every = LIMITS.median_step_px
    basis, some, free = whole[:, ::every], np.ascontiguousarray(by_channel[:, ::every]), ~hidden.ravel()[::every]
    if not free.any():
        return np.zeros(hidden.shape, bool), np.zeros(hidden.shape, bool)
    found, spread = np.zeros((3, len(basis))), np.zeros(3)
    found[:, 0] = medians(some.T[free])
    for _ in range(2 * LIMITS.fit_rounds):
        left = np.abs(some - found @ basis)
        spread = MAD_TO_SIGMA * medians(left.T[free]) + LIMITS.min_noise
        far = np.square(left / (LIMITS.outlier_sigmas * spread)[:, None]).max(axis=0)
        found = _weighed_fit(basis, some, free / (1 + far) ** 2)
    off = by_channel - found @ whole
    # a shadow darkens all channels alike, an object also changes their balance: both count
    least = np.maximum(LIMITS.min_strange_sigmas * spread, LIMITS.max_off_mat)
    is_strange = np.any(np.abs(off) > least[:, None], axis=0)
    return np.asarray(is_strange).reshape(hidden.shape), is_shade(np.exp(off.T)).reshape(hidden.shape)


def _weighed_fit(basis: Floats, values: Floats, weight: Floats) -> Floats:
    weighed = basis * weight
    normal = weighed @ basis.T + 1e-6 * np.eye(len(basis))
    return np.asarray(np.linalg.solve(normal, weighed @ values.T).T)


@lru_cache(maxsize=4)
def _basis(rows: int, columns: int) -> Floats:
    """The terms of a second-order polynomial over the table, one per row, the constant first."""
    y, x = np.mgrid[0:rows, 0:columns]
    u, v = (x.ravel() / columns) * 2 - 1, (y.ravel() / rows) * 2 - 1
    return np.array([np.ones_like(u), u, v, u * u, u * v, v * v])


def hand_mm2(image: PreparedImage, known: Mask) -> float:
    """The area of the largest strange region that reaches the edge of the view from above."""
    size = known.shape[1] // LIMITS.hand_cell_px, known.shape[0] // LIMITS.hand_cell_px
    part = (slice(size[1] * LIMITS.hand_cell_px), slice(size[0] * LIMITS.hand_cell_px))
    cells, covered = (cv2.resize(shown[part], size, interpolation=cv2.INTER_AREA) for shown in (image.top, known))
    hidden = covered > 0
    light = np.log(np.maximum(cells, 1e-6).astype(np.float64))
    strange, shade = strange_cells(light, hidden)
    return _reaching_in_mm2(image, strange & ~hidden, shade)


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
        reach = paper / STEP_MM / LIMITS.hand_cell_px
        strange[
            max(int(r - reach), 0) : max(int(np.ceil(r + reach)) + 1, 0),
            max(int(c - reach), 0) : max(int(np.ceil(c + reach)) + 1, 0),
        ] = 0
    _, labels, stats, _ = cv2.connectedComponentsWithStats(strange, connectivity=4)
    touching = set(np.unique(labels[(border > 0) & (strange > 0)])) - {0}
    broad = cv2.morphologyEx(strange, cv2.MORPH_OPEN, round_kernel(LIMITS.broad_cells)) > 0
    touching = {i for i in touching if broad[labels == i].any() or shade[labels == i].mean() < LIMITS.max_shade}
    areas = [float(stats[i, cv2.CC_STAT_AREA]) * (LIMITS.hand_cell_px * STEP_MM) ** 2 for i in touching]
    return max(areas, default=0.0)
