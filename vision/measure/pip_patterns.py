"""Tops of pipped dice as seen from above, and how well a cut-out of the picture agrees with them.

The windows are squares that turn with the die, so their means and lengths are sums over one mask a turn.
Source: normalised cross-correlation, e.g. J. P. Lewis, Fast normalized cross-correlation, Vision Interface (1995).
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32
from vision.measure.limits import LIMITS

PIP_PITCH, PIP_RADIUS = LIMITS.pip_pitch, LIMITS.pip_radius
"""The distance between pips and their radius, in sides of the die."""
_PIPS: tuple[tuple[tuple[tuple[int, int], ...], ...], ...] = (
    (((0, 0),),),
    (((-1, -1), (1, 1)), ((-1, 1), (1, -1))),
    (((-1, -1), (0, 0), (1, 1)), ((-1, 1), (0, 0), (1, -1))),
    (((-1, -1), (-1, 1), (1, -1), (1, 1)),),
    (((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),),
    (
        ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
        ((-1, -1), (0, -1), (1, -1), (-1, 1), (0, 1), (1, 1)),
    ),
)
PATTERNS = dict(enumerate(_PIPS, start=1))
"""The pips of each value, in every turn that looks different."""


def _inked(u: Floats, v: Floats, pips: tuple[tuple[int, int], ...]) -> Floats32:
    """Pips drawn at places (u, v) in sides from the top's middle."""
    near = [np.hypot(u - a * PIP_PITCH, v - b * PIP_PITCH) < PIP_RADIUS for a, b in pips]
    return np.asarray(np.any(near, axis=0), np.float32)


def _seen(ink: Floats32, point_mm: float) -> Floats32:
    """A drawing at `LIMITS.drawn_samples` points a cell as the camera sees it, a value a cell."""
    soft = cv2.GaussianBlur(ink, (0, 0), LIMITS.pattern_blur_mm / point_mm)
    size = (ink.shape[1] // LIMITS.drawn_samples, ink.shape[0] // LIMITS.drawn_samples)
    return np.asarray(cv2.resize(soft, size, interpolation=cv2.INTER_AREA), np.float32)


@dataclass(frozen=True, eq=False, slots=True)
class Patterns:
    """The expected look of a die's top for every value and angle.

    `cells`: all cells (N, 2) that any window covers, as (column, row) from the middle. `masks` (N, A): the cells
    inside each angle's window. `looks` (N, M): the patterns, of mean 0 and length 1 within their window, with their
    values and angles, sorted by angle, equally many for each.
    """

    cells: NDArray[np.int64]
    masks: Floats32
    looks: Floats32
    values: NDArray[np.int64]
    angles_deg: Floats

    def scores(self, cut: Floats32, columns: NDArray[np.int64], rows: NDArray[np.int64]) -> Floats32:
        """Correlation (P, M) of each pattern with a cut-out at each of P places."""
        width = cut.shape[1]
        window = self.cells[:, 1] * width + self.cells[:, 0]
        seen = cut.ravel().take((rows * width + columns)[:, None] + window)
        seen -= seen.mean(axis=1, keepdims=True)  # keeps the differences below small
        held = self.masks.sum(axis=0)
        total = seen @ self.masks
        square = (seen * seen) @ self.masks - total * total / held
        length = np.sqrt(np.maximum(square, 1e-9))
        return np.asarray((seen @ self.looks) / np.repeat(length, len(self.values) // length.shape[1], axis=1))


@lru_cache(maxsize=8)
def patterns(side_mm: float, cell_mm: float, turn_deg: float, window: float = LIMITS.pattern_window) -> Patterns:
    """The patterns of a die of this side, blurred as the camera does; `window` as WINDOW."""
    half = window / 2
    reach = int(half * 2**0.5 * side_mm / cell_mm)
    rows, columns = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    fine = (
        ((np.arange((2 * reach + 1) * LIMITS.drawn_samples) + 0.5) / LIMITS.drawn_samples - 0.5 - reach)
        * cell_mm
        / side_mm
    )
    x, y = np.meshgrid(fine, fine)
    masks, looks, values, angles = [], [], [], []
    for angle in np.arange(0.0, 90.0, turn_deg):
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        across, along = (columns * c + rows * s) * cell_mm / side_mm, (rows * c - columns * s) * cell_mm / side_mm
        mask = (np.maximum(np.abs(across), np.abs(along)) <= half).ravel()
        masks.append(mask)
        for value, turns in PATTERNS.items():
            for pips in turns:
                look = _seen(_inked(x * c + y * s, y * c - x * s, pips), cell_mm / LIMITS.drawn_samples).ravel()
                look = np.where(mask, look - look[mask].mean(), 0)
                looks.append(look / np.linalg.norm(look))
                values.append(value)
                angles.append(float(angle))
    held = np.any(masks, axis=0)
    cells = np.column_stack([columns.ravel()[held], rows.ravel()[held]]).astype(np.int64)
    return Patterns(
        cells,
        np.column_stack(masks)[held].astype(np.float32),
        np.column_stack(looks)[held].astype(np.float32),
        np.array(values),
        np.array(angles),
    )
