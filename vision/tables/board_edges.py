"""What speaks for a marker by its edge, and for print by its twins: spots of one role and colour are printed alike.

A flat marker on a circle printed in its own colour differs from it in three ways: it is all of one look up to its own
rim, which stands a little beside the circle's; beyond that rim something else shows; and no other circle of that role
looks the same, for no two markers lie alike. A circle without a marker looks like its twins.

Convention: cut-outs are `board_signs.Patches.shown`, (2 REACH + 1) cells wide, their middle on the spot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from vision.tables.board_view import CELL_MM, Floats, Floats32

MIDDLE_MM = 4.0
"""What is so near to a marker's middle shows its look."""
WITHIN_MM, BEYOND_MM = 1.0, (0.4, 1.8)
"""A marker's inside ends so far within its rim; so far beyond it lies what is around it."""
MOST_OFF_MM, OFF_COST = 4.3, 0.003
"""A marker stands no further off its spot; one a cell further off must stand out by so much more."""
UNLIKE, INSIDE_WEIGHT = 0.5, 1.5
"""What is more unlike is just another thing; an uneven inside counts so much more than a plain rim."""
SPARSE = 2
"""What is strange shows on every second cell too."""
NO_TWIN, TWIN_RIM_MM, MOST_SHOWN = 0.6, 0.3, 1.4
"""How unlike a spot without twins is to them; a circle's own line is left out, and what is brighter is as bright."""


@dataclass(frozen=True, slots=True)
class MarkerEdge:
    """How a disk of a marker's size stands out on a spot, in shares of its own light.

    `inside` is how unlike its middle the disk is, at its 80th and 95th percentile, `around` how unlike the ring beyond
    its rim, at the 20th and 50th; `plain` is how plainly it stands out where it does so best, `off_mm` from the spot,
    and `plainer` how much more than at the spot itself. `twins` is how unlike the two most alike spots of its role are.
    """

    inside: tuple[float, float]
    around: tuple[float, float]
    plain: float
    plainer: float
    off_mm: float
    twins: tuple[float, float]

    @property
    def terms(self) -> tuple[float, ...]:
        """What a rule weighs of it."""
        (even, evenest), (least, usual), (nearest, second) = self.inside, self.around, self.twins
        return (
            3 * even,
            2 * evenest,
            2 * least,
            2 * usual,
            3 * self.plain,
            3 * self.plainer,
            0.3 * self.off_mm,
            4 * nearest,
            4 * second,
            float(nearest < NO_TWIN),
        )


@lru_cache(maxsize=4)
def _cells(side: int) -> tuple[Floats, Floats]:
    reach = side // 2
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1] * CELL_MM
    return x, y


@lru_cache(maxsize=8)
def _kernels(across_mm: float) -> tuple[Floats32, Floats32]:
    """Means over a marker's inside, and over the ring beyond its rim."""
    radius = across_mm / 2
    reach = int(np.ceil((radius + BEYOND_MM[1] + 0.7) / CELL_MM))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1] * CELL_MM
    far = np.hypot(x, y)
    inside = (far <= radius - WITHIN_MM).astype(np.float32)
    ring = ((far >= radius + BEYOND_MM[0]) & (far <= radius + BEYOND_MM[1])).astype(np.float32)
    return inside / inside.sum(), ring / ring.sum()


_REACH_OFF = int(MOST_OFF_MM / CELL_MM)
_OFFSETS = np.array(
    [
        (row, column)
        for row in range(-_REACH_OFF, _REACH_OFF + 1)
        for column in range(-_REACH_OFF, _REACH_OFF + 1)
        if np.hypot(row, column) * CELL_MM <= MOST_OFF_MM
    ]
)


def marker_edge(shown: Floats32, foot_mm: tuple[float, float], *, twins: Floats, across_mm: float) -> MarkerEdge:
    """How a disk `across_mm` wide stands out in a cut-out (H, W, 3), whose look is that about `foot_mm` (x, y)."""
    x, y = _cells(shown.shape[0])
    near = shown[np.hypot(x - foot_mm[0], y - foot_mm[1]) <= MIDDLE_MM]
    look = np.partition(near, len(near) // 2, axis=0)[len(near) // 2]
    unlike = np.sqrt(np.square(shown - look).sum(axis=-1)) / np.float32(np.linalg.norm(look) + 0.1)
    capped = np.minimum(unlike, np.float32(UNLIKE))
    inside, ring = (cv2.filter2D(capped, -1, k, borderType=cv2.BORDER_REPLICATE) for k in _kernels(across_mm))
    stands_out = ring - INSIDE_WEIGHT * inside
    middle = shown.shape[0] // 2
    rows, columns = (middle + _OFFSETS).T
    best = int((stands_out[rows, columns] - OFF_COST * np.hypot(*_OFFSETS.T)).argmax())
    at_y, at_x = (_OFFSETS[best] * CELL_MM).tolist()
    far, radius = np.hypot(x - at_x, y - at_y), across_mm / 2
    within = _shares(unlike[far <= radius - WITHIN_MM], 0.8, 0.95)
    around = _shares(unlike[(far >= radius + BEYOND_MM[0]) & (far <= radius + BEYOND_MM[1])], 0.2, 0.5)
    plain = float(stands_out[rows[best], columns[best]])
    return MarkerEdge(
        inside=within,
        around=around,
        plain=plain,
        plainer=plain - float(stands_out[middle, middle]),
        off_mm=float(np.hypot(at_x, at_y)),
        twins=(float(twins[0]), float(twins[1])),
    )


def _shares(values: Floats32, low: float, high: float) -> tuple[float, float]:
    """What such shares of values lie below."""
    ordered, last = np.sort(values), len(values) - 1
    return float(ordered[round(low * last)]), float(ordered[round(high * last)])


def twins_of(shown: Floats32, groups: Sequence[Sequence[int]], circle_mm: float) -> Floats:
    """For each spot of cut-outs (N, H, W, 3) how unlike the two most alike ones of its group are, in shares of their
    light, (N, 2)."""
    told = np.full((len(shown), 2), NO_TWIN)
    seen = np.minimum(_within(shown, circle_mm, CELL_MM), np.float32(MOST_SHOWN))
    light = np.linalg.norm(seen.mean(axis=1), axis=-1) + 0.1
    for group in groups:
        if len(group) > 1:
            members = list(group)
            nearest = np.sort(_unlike(seen[members]) / light[members], axis=1)[:, :2]
            told[members, : nearest.shape[1]] = np.minimum(nearest, NO_TWIN)
    return told


def strangeness(shown: Floats32, circle_mm: float) -> Floats:
    """For each spot of cut-outs (N, H, W, 3) how unlike the most alike other one of the board is, lit alike: (N,)."""
    middle = shown.shape[1] // 2 % SPARSE
    sparse = shown[:, middle::SPARSE, middle::SPARSE]
    light = sparse.mean(axis=(1, 2), keepdims=True).mean(axis=-1, keepdims=True) + np.float32(0.02)
    return np.asarray(_unlike(_within(sparse / light, circle_mm, SPARSE * CELL_MM)).min(axis=1))


def _within(shown: Floats32, circle_mm: float, cell_mm: float) -> Floats32:
    """What lies within the circles: (N, cells, 3)."""
    reach = shown.shape[1] // 2
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1] * cell_mm
    cells = np.flatnonzero(np.hypot(x, y) < circle_mm / 2 - TWIN_RIM_MM)
    return np.ascontiguousarray(shown).reshape(len(shown), -1, 3).take(cells, axis=1)


def _unlike(seen: Floats32) -> Floats:
    """How unlike each two of (N, cells, 3) are, (N, N), the diagonal infinite."""
    flat = seen.reshape(len(seen), -1)
    squares = np.square(flat).sum(axis=1)
    apart = np.maximum(squares[:, None] + squares[None] - 2 * flat @ flat.T, 0) / seen.shape[1]
    unlike = np.sqrt(apart, dtype=np.float64)
    np.fill_diagonal(unlike, np.inf)
    return np.asarray(unlike)
