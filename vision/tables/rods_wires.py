"""Whether a wire of a rod's length runs between two tips: its possible shapes, and what the network sees there.

A rod that lies on the table is a wire of its kit's length with one bend: two straight legs of equal length and an arc
between them, short (a V) or as long as the wire. So length and the distance of the tips leave a few shapes a side.
Along each it is asked whether a rod is seen. A hanging rod shows its tips too, but it lies in another plane: its wire
is not where a lying one's would be.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.tables.board_view import CELL_MM, BoardView, Floats, Floats32
from vision.tables.rods_net import FINE, Seen

ARCS = (0.08, 0.3, 0.55, 0.8, 1.0)
"""Shares of the wire that the arc may take."""
MOST_BEND_RAD = 2.6
LEAST_CHORD, MOST_CHORD, SLACK_MM = 0.62, 1.0, 2.5
"""How far apart the tips are, as shares of the wire, and by how much they are read wrong."""
ALIKE_MM = 1.8
"""Shapes that differ by less are one."""
STEP_MM = 2.4
"""The wire is looked at every so often."""
OFF_MM, OFF_STEP_MM = 4.2, 0.6
"""It may run so far beside the shape: notches, and heights where it lies on others."""
EVERY = 5
"""A quick look takes every fifth place."""
TURN_COST = 0.12
"""A step aside costs so much."""


@dataclass(frozen=True, eq=False)
class Lines:
    """Where rods are seen (0 to 1), and where they hang, at every second cell of a view."""

    rods: Floats32
    hangs: Floats32
    view: BoardView


def lines_of(view: BoardView, seen: Seen) -> Lines:
    """Where a view shows rods at all."""
    return Lines(np.asarray(1 - seen.classes["mat"], np.float32), seen.hangs, view)


def may_join(apart_mm: Floats, length_mm: float) -> NDArray[np.bool_]:
    """Whether points so far apart may be the ends of a wire of this length."""
    return (apart_mm >= LEAST_CHORD * length_mm - SLACK_MM) & (apart_mm <= MOST_CHORD * length_mm + SLACK_MM)


def shapes(a_mm: Floats, b_mm: Floats, length_mm: float) -> Floats:
    """The shapes (M, N, 2) of a wire of this length from one point to another, in table mm; none where it is too long
    or too short."""
    chord = float(np.hypot(*(b_mm - a_mm)))
    if not may_join(np.array(chord), length_mm):
        return np.zeros((0, 0, 2))
    share = min(chord / length_mm, 0.9985)
    count = max(8, round(length_mm / STEP_MM))
    s = (np.arange(count) + 0.5) / count - 0.5
    along = (b_mm - a_mm) / max(chord, 1e-6)
    aside = np.array([-along[1], along[0]])
    middle = (a_mm + b_mm) / 2
    found: list[Floats] = []
    tried: list[Floats] = []
    for arc in ARCS:
        bend = _bend(share, arc)
        if bend is None:
            continue
        turn = bend * np.clip(s / arc, -0.5, 0.5)
        steps = np.column_stack([np.cos(turn), np.sin(turn)]) * (length_mm / count)
        path = np.cumsum(steps, axis=0) - steps / 2
        total = steps.sum(axis=0)
        path = (path - total / 2) * (chord / max(float(np.hypot(*total)), 1e-6))
        # the legs turn symmetrically, so the path ends where it began across
        path[:, 1] -= path[:, 1].mean() - _sagitta(path)
        if any(np.abs(path - other).max() < ALIKE_MM for other in tried):
            continue
        tried.append(path)
        for side in (1.0, -1.0):
            found.append(middle + path[:, :1] * along + side * path[:, 1:] * aside)
    return np.array(found) if found else np.zeros((0, 0, 2))


def _sagitta(path: Floats) -> float:
    """The mean height over the chord of a symmetrical path."""
    return float((path[:, 1] - (path[0, 1] + path[-1, 1]) / 2).mean())


@lru_cache(maxsize=16)
def _bends(arc: float) -> tuple[Floats, Floats]:
    """Angles in all, and the share of the wire that the chord then is, growing, where the arc takes `arc` of it."""
    bends = np.linspace(MOST_BEND_RAD, 0.0, 400)
    half = bends / 2
    return bends, np.asarray(arc * np.sinc(half / np.pi) + (1 - arc) * np.cos(half))


def _bend(share: float, arc: float) -> float | None:
    """The angle in all that makes the chord this share of the wire where the arc takes `arc` of it."""
    bends, shares = _bends(arc)
    return None if share < shares[0] else float(np.interp(share, shares, bends))


def hopeful(lines: Lines, paths_mm: Floats, least: float) -> NDArray[np.bool_]:
    """Which of paths (M, N, 2) may show a wire as plainly as `least`: a quick look at a few places of each."""
    if not len(paths_mm):
        return np.zeros(0, bool)
    return np.asarray(_values(lines, paths_mm[:, 2::EVERY])[0].max(axis=2).mean(axis=1) > least)


def evidence(lines: Lines, paths_mm: Floats) -> tuple[Floats, Floats]:
    """How plainly a wire runs along paths (M, N, 2): a mean value (M,) of 0 to 1 each, and the wire's own middle line
    (M, N, 2) beside the path."""
    if not len(paths_mm):
        return np.zeros(0), paths_mm
    values, cells, across = _values(lines, paths_mm)
    best, offsets = _followed(values)
    steps = (offsets - values.shape[2] // 2) * (OFF_STEP_MM / CELL_MM)
    middle = cells + across * steps[..., None]
    return best, lines.view.to_table(middle.reshape(-1, 2)).reshape(paths_mm.shape)


def hanging(lines: Lines, path_mm: Floats) -> float:
    """How likely what shows along a path (N, 2) hangs."""
    return float(np.median(_at(lines.view, lines.hangs, path_mm)))


def _values(lines: Lines, paths_mm: Floats) -> tuple[Floats, Floats, Floats]:
    """How plainly rods are seen along paths and beside them (M, N, offsets), 0 to 1; the paths in cells, and the
    directions across."""
    cells = lines.view.to_cells(paths_mm.reshape(-1, 2)).reshape(paths_mm.shape)
    tangents = np.gradient(cells, axis=1)
    tangents /= np.linalg.norm(tangents, axis=2, keepdims=True) + 1e-9
    across = np.stack([-tangents[..., 1], tangents[..., 0]], axis=2)
    half = round(OFF_MM / OFF_STEP_MM)
    taps = np.arange(-half, half + 1) * (OFF_STEP_MM / CELL_MM)
    at = cells[:, :, None, :] + across[:, :, None, :] * taps[None, None, :, None]
    return np.asarray(_mapped(lines.rods, at.reshape(-1, 2)).reshape(at.shape[:3]), np.float64), cells, across


def _at(view: BoardView, map_: Floats32, points_mm: Floats) -> Floats32:
    """A map's values at table points (N, 2)."""
    return _mapped(map_, view.to_cells(points_mm))


def _mapped(map_: Floats32, cells: Floats) -> Floats32:
    """A map's values at cells (N, 2) of the view."""
    flat = np.asarray(cells / FINE, np.float32).reshape(-1, 1, 2)
    # OpenCV maps at most 32767 rows
    parts = np.array_split(flat, len(flat) // 30000 + 1)
    found = [
        cv2.remap(map_, part[..., 0], part[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for part in parts
        if len(part)
    ]
    return np.asarray(np.concatenate(found).ravel(), np.float32)


def _followed(values: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """The best way through values (M, N, K), a cell aside a step at most: its mean, and the cells (M, N)."""
    m, n, k = values.shape
    total = values[:, 0].copy()
    came = np.zeros((m, n, k), np.int8)
    for i in range(1, n):
        padded = np.full((m, k + 2), -1e9, np.float32)
        padded[:, 1:-1] = total
        ways = np.stack([padded[:, :-2] - TURN_COST, padded[:, 1:-1], padded[:, 2:] - TURN_COST])
        which = ways.argmax(axis=0)
        came[:, i] = which - 1
        total = np.take_along_axis(ways, which[None], axis=0)[0] + values[:, i]
    at = total.argmax(axis=1)
    path = np.zeros((m, n), np.int64)
    rows = np.arange(m)
    for i in range(n - 1, -1, -1):
        path[:, i] = at
        if i:
            at = at + came[rows, i, at]
    return np.take_along_axis(values, path[..., None], axis=2)[..., 0].mean(axis=1), path
