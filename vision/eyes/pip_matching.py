"""A cut-out of the view compared with the patterns of pips: roughly over a region, closely about a place."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.eyes.die_tops import Top
from vision.measure.cutouts import CELL_MM, cutout
from vision.measure.masks import round_kernel
from vision.measure.pip_patterns import PATTERNS, PIP_RADIUS, WINDOW, Patterns, patterns
from vision.measure.prepared import Floats, Floats32, Mask, PreparedImage

MORE_PIPS = 0.02
"""How much each pip adds to a pattern's score: one pip of a two looks like a one beside it."""
ONE_HANDICAP = 0.08
"""By how much a one must lead everything else, because it may be one pip of more."""
HOPELESS = 0.62
"""What matches no pattern better on coarse cells is no die."""
COARSE, TURN_DEG, FINE_TURN_DEG = 2, 9.0, 4.5
"""The width of a coarse cell in cells, and the steps of angles, coarse and fine."""
RIVALS, MOST_RIVALS, RIVAL_APART = 0.1, 5, 0.3
"""A region's rival tops: within the first of the best score, at most so many, so many sides apart."""


def match_roughly(
    flat: Floats32, middle: Floats, side_mm: float, is_free: Callable[[Floats], NDArray[np.bool_]]
) -> list[Top]:
    """The best tops in an unturned cut-out about `middle`, on coarse cells, the best first."""
    half = np.asarray(cv2.resize(flat, None, fx=1 / COARSE, fy=1 / COARSE, interpolation=cv2.INTER_AREA), np.float32)
    known = patterns(side_mm, COARSE * CELL_MM, TURN_DEG)
    reach = int(known.cells.max())
    n = half.shape[0]
    if n <= 2 * reach:
        return []
    columns, rows = _inside(n, reach)
    xy = middle + (np.column_stack([columns, rows]) - (n - 1) / 2) * (flat.shape[0] / n * CELL_MM)
    free = is_free(xy)
    if not free.any():
        return []
    xy = xy[free]
    scores = known.scores(half, columns[free], rows[free])
    scores -= np.where(known.values == 1, ONE_HANDICAP, -MORE_PIPS * known.values).astype(np.float32)
    which = scores.argmax(axis=1)
    peaks = scores[np.arange(len(xy)), which]
    found: list[Top] = []
    left = peaks > max(HOPELESS, float(peaks.max()) - RIVALS)
    while left.any() and len(found) < MOST_RIVALS:
        i = int(np.where(left, peaks, -1.0).argmax())
        found.append(_rough(known, xy[i], int(which[i]), float(peaks[i])))
        left &= np.hypot(*(xy - xy[i]).T) > RIVAL_APART * side_mm
    if not any(top.value == 1 for top in found):
        # the pips of walls beside a one may look more like a two on coarse cells
        ones = np.flatnonzero(known.values == 1)
        i, k = divmod(int(scores[:, ones].argmax()), len(ones))
        score = float(scores[i, ones[k]])
        if score > HOPELESS:
            found.append(_rough(known, xy[i], int(ones[k]), score))
    return found


def _rough(known: Patterns, xy: Floats, which: int, score: float) -> Top:
    """A top that shows one of the patterns at a place (x, y)."""
    return Top(float(xy[0]), float(xy[1]), float(known.angles_deg[which]), int(known.values[which]), score)


def best_by_value(
    image: PreparedImage,
    middle: Floats,
    side: float,
    height: float,
    astray_mm: float,
    spot: Mask | None = None,
    window: float = WINDOW,
) -> dict[int, Top]:
    """Each value's best top within some mm of a place. With `spot` only what is brighter than its surroundings counts.
    `window` is the part of the top that is compared, in sides."""
    known = patterns(side, CELL_MM, FINE_TURN_DEG, window)
    reach = int(known.cells.max())
    cut = cutout(image, middle, 0.0, 2 * (astray_mm + reach * CELL_MM), height)
    if spot is not None:
        cut = cv2.morphologyEx(cut, cv2.MORPH_TOPHAT, spot).astype(np.float32)
    n = cut.shape[0]
    columns, rows = _inside(n, reach)
    scores = known.scores(cut, columns, rows)
    places = scores.argmax(axis=0)
    peaks = scores[places, np.arange(scores.shape[1])]
    best = {}
    for value in PATTERNS:
        k = int(np.where(known.values == value, peaks, -np.inf).argmax())
        i = places[k]
        x, y = middle + (np.array([columns[i], rows[i]]) - (n - 1) / 2) * CELL_MM
        best[value] = Top(float(x), float(y), float(known.angles_deg[k]), value, float(peaks[k]))
    return best


@lru_cache(maxsize=256)
def _inside(size: int, reach: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The cells (columns, rows) of a square cut-out that are this far from its border."""
    rows, columns = np.mgrid[reach : size - reach, reach : size - reach]
    return columns.ravel(), rows.ravel()


def spot_kernel(side: float) -> Mask:
    """A disk that is larger than a pip."""
    return round_kernel(round(4 * PIP_RADIUS * side / CELL_MM / 2) * 2 - 1)
