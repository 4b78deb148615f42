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

import numpy as np
from numpy.typing import NDArray

from vision.tables.board.view import CELL_MM, Floats, Floats32

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


_REACH_OFF = int(MOST_OFF_MM / CELL_MM)
_OFFSETS = np.array(
    [
        (row, column)
        for row in range(-_REACH_OFF, _REACH_OFF + 1)
        for column in range(-_REACH_OFF, _REACH_OFF + 1)
        if np.hypot(row, column) * CELL_MM <= MOST_OFF_MM
    ]
)
_COSTS = (OFF_COST * np.hypot(*_OFFSETS.T)).astype(np.float32)
_AT_SPOT = int(np.flatnonzero(~_OFFSETS.any(axis=1))[0])


@lru_cache(maxsize=4)
def _cells(side: int) -> tuple[Floats, Floats]:
    """Where the cells of a cut-out lie, x and y in mm from its middle: (side * side,) each."""
    reach = side // 2
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1] * CELL_MM
    return x.ravel(), y.ravel()


@lru_cache(maxsize=8)
def _standing_out(side: int, across_mm: float) -> Floats32:
    """What each cell of a cut-out weighs for how a marker stands out at each offset, (side * side, offsets): the mean
    of the ring beyond its rim less that of its inside; a cell on the border stands for what lies beyond it."""
    reach = side // 2
    around = int(np.ceil((across_mm / 2 + BEYOND_MM[1] + 0.7) / CELL_MM))
    rows, columns = (grid.ravel() for grid in np.mgrid[-around : around + 1, -around : around + 1])
    far = np.hypot(rows, columns) * CELL_MM
    inside, ring = _disk_and_ring(far, across_mm)
    weights = ring / ring.sum() - INSIDE_WEIGHT * inside / inside.sum()
    table = np.zeros((side, side, len(_OFFSETS)))
    for i, (row, column) in enumerate(_OFFSETS + reach):
        at = np.clip(rows + row, 0, side - 1), np.clip(columns + column, 0, side - 1), np.full(len(rows), i)
        np.add.at(table, at, weights)
    return table.reshape(side * side, -1).astype(np.float32)


def _disk_and_ring(far_mm: Floats, across_mm: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which cells, so far from its middle, lie within a marker's rim, and which in the ring beyond it."""
    beyond_mm = far_mm - across_mm / 2
    return beyond_mm <= -WITHIN_MM, (beyond_mm >= BEYOND_MM[0]) & (beyond_mm <= BEYOND_MM[1])


def marker_edges(shown: Floats32, feet_mm: Floats, *, twins: Floats, across_mm: float) -> list[MarkerEdge]:
    """How disks `across_mm` wide stand out in cut-outs (N, H, W, 3), whose looks are those about `feet_mm` (N, 2), each
    (x, y); `twins` (N, 2) as `twins_of` tells them."""
    side = shown.shape[1]
    x, y = _cells(side)
    flat = shown.reshape(len(shown), side * side, 3)
    near = [np.hypot(x - at_x, y - at_y) <= MIDDLE_MM for at_x, at_y in feet_mm]
    looks = np.array([middle_of(of[cells]) for of, cells in zip(flat, near, strict=True)], np.float32).reshape(-1, 3)
    apart = flat - looks[:, None]
    unlike = np.sqrt(np.einsum("nkc,nkc->nk", apart, apart)) / (np.linalg.norm(looks, axis=1) + 0.1)[:, None]
    stands_out = np.minimum(unlike, np.float32(UNLIKE)) @ _standing_out(side, across_mm)
    best = (stands_out - _COSTS).argmax(axis=1)
    edges = []
    for of, plain, i, (nearest, second) in zip(unlike, stands_out, best.tolist(), twins.tolist(), strict=True):
        at_y, at_x = (_OFFSETS[i] * CELL_MM).tolist()
        inside, ring = _disk_and_ring(np.hypot(x - at_x, y - at_y), across_mm)
        edge = MarkerEdge(
            inside=_shares(of[inside], 0.8, 0.95),
            around=_shares(of[ring], 0.2, 0.5),
            plain=float(plain[i]),
            plainer=float(plain[i] - plain[_AT_SPOT]),
            off_mm=float(np.hypot(at_x, at_y)),
            twins=(nearest, second),
        )
        edges.append(edge)
    return edges


def middle_of(values: Floats32) -> Floats32:
    """The middle one of some values, by columns: their median, but for the mean of two."""
    return np.asarray(np.partition(values, len(values) // 2, axis=0)[len(values) // 2])


def _shares(values: Floats32, low: float, high: float) -> tuple[float, float]:
    """What such shares of values lie below."""
    ordered, last = np.sort(values), len(values) - 1
    return float(ordered[round(low * last)]), float(ordered[round(high * last)])


def twins_of(groups: Sequence[Sequence[int]], apart: Sequence[Floats], count: int) -> Floats:
    """For each of so many spots how unlike the two most alike ones of its group are, in shares of their light, (N, 2);
    `apart` is how unlike those of each group are to each other."""
    told = np.full((count, 2), NO_TWIN)
    for group, unlike in zip(groups, apart, strict=True):
        if len(group) > 1:
            nearest = np.sort(unlike, axis=1)[:, :2]
            told[list(group), : nearest.shape[1]] = np.minimum(nearest, NO_TWIN)
    return told


def unlike_each_other(shown: Floats32, circle_mm: float) -> Floats:
    """How unlike each two of cut-outs (N, H, W, 3) are, in shares of the light of the first: (N, N), the diagonal
    infinite."""
    seen = np.minimum(_within(shown, circle_mm, CELL_MM), np.float32(MOST_SHOWN))
    return np.asarray(_unlike(seen) / (np.linalg.norm(seen.mean(axis=1), axis=-1) + 0.1)[:, None])


def unlike_lit_alike(shown: Floats32, circle_mm: float) -> Floats:
    """The same of cut-outs that are made equally light first; seen sparsely."""
    sparse = _sparse(shown)
    light = sparse.mean(axis=(1, 2), keepdims=True).mean(axis=-1, keepdims=True) + np.float32(0.02)
    return _unlike(_within(sparse / light, circle_mm, SPARSE * CELL_MM))


def unlike_in_shape(shown: Floats32, circle_mm: float) -> Floats:
    """The same whatever colour they are: of how each differs from its own median; seen sparsely."""
    seen = _within(_sparse(shown), circle_mm, SPARSE * CELL_MM)
    light = seen.mean(axis=(1, 2))[:, None, None] + np.float32(0.02)
    return _unlike(np.asarray((seen - np.median(seen, axis=1, keepdims=True)) / light, np.float32))


def _sparse(shown: Floats32) -> Floats32:
    middle = shown.shape[1] // 2 % SPARSE
    return shown[:, middle::SPARSE, middle::SPARSE]


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
