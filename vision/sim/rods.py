"""Bent rods: how they are shaped, where they lie in piles, and how they hang on the stand.

A rod is a wire with one bend, small notches and a tip of its colour at each end; sizes are the kit's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.game.kit import BoxMm, Kit, PieceKind

Floats = NDArray[np.float64]

POINTS_MM = 2.0
"""Distance between points of a wire's middle line."""
V_DEG, ARC_DEG = (28.0, 70.0), (35.0, 90.0)
"""How far a wire is bent in all, at one place or over its whole length."""
V_MM, NOTCH_MM, NOTCH_WIDE_MM = 14.0, 2.0, 2.6
TIP_BREADTH = 1.8
"""Width of a tip in wire widths."""
TRIES, FREE_MM = 120, 9.0
"""Minimum distance between the ends of rods, if such a place is found."""
STAND_HIGH_MM, STAND_ARM_MM = 170.0, 46.0
"""Height of hanging rods, and the reach of their arm from the stand's middle."""


@dataclass(frozen=True, slots=True)
class Rod:
    """A rod: where its middle line runs, points (x, y, height) in mm from tip to tip."""

    id: str
    color: str
    path_mm: tuple[tuple[float, float, float], ...]
    wire_mm: float
    tip_mm: float
    is_hung: bool = False

    @property
    def path(self) -> Floats:
        return np.array(self.path_mm)

    @property
    def middle_mm(self) -> tuple[float, float]:
        x, y, _ = self.path.mean(axis=0)
        return float(x), float(y)


def rod_kind(kit: Kit) -> PieceKind | None:
    """The kit's rods; None in a kit without any."""
    return next((piece for piece in kit.pieces if piece.shape == "wire" and piece.lengths_mm), None)


def bent(piece: PieceKind, color: str, rng: np.random.Generator) -> Floats:
    """A rod's middle line (N, 2) in a plane, its middle at the origin."""
    length = piece.lengths_mm[color]
    count = max(12, round(length / POINTS_MM))
    s = np.linspace(0, length, count)
    if rng.random() < 0.6:
        turn = math.radians(rng.uniform(*V_DEG)) * np.clip((s - length / 2) / V_MM, -0.5, 0.5)
    else:
        turn = math.radians(rng.uniform(*ARC_DEG)) * (s / length - 0.5)
    steps = np.column_stack([np.cos(turn), np.sin(turn)]) * (length / (count - 1))
    path = np.cumsum(steps, axis=0)
    across = np.column_stack([-np.sin(turn), np.cos(turn)])
    notches = piece.notches.get(color, 0)
    places = np.linspace(0.17, 0.83, notches) * length if notches else np.zeros(0)
    aside = NOTCH_MM * np.exp(-(((s[:, None] - places) / NOTCH_WIDE_MM) ** 2)).sum(axis=1)
    path = path + across * aside[:, None]
    return np.asarray(path - path.mean(axis=0))


def lying(
    piece: PieceKind,
    id: str,
    color: str,
    box: BoxMm,
    others: Sequence[Rod],
    rng: np.random.Generator,
    clear_of: tuple[float, float, float] | None = None,
) -> Rod:
    """A rod dropped into a zone, its tips clear of others where a place is found, and of a circle (x, y, radius)."""
    x0, y0, x1, y1 = box
    ends = np.array([p for rod in others for p in (rod.path_mm[0][:2], rod.path_mm[-1][:2])]).reshape(-1, 2)
    lines = np.vstack([rod.path[:, :2] for rod in others if not rod.is_hung] or [np.zeros((0, 2))])
    best: tuple[float, Floats] | None = None
    for _ in range(TRIES):
        flat = bent(piece, color, rng)
        turn = rng.uniform(0, 2 * math.pi)
        c, s = math.cos(turn), math.sin(turn)
        flat = flat @ np.array([[c, s], [-s, c]])
        low, high = flat.min(axis=0) - 6, flat.max(axis=0) + 6
        room = np.array([x1 - x0, y1 - y0]) - (high - low)
        at = np.array([x0, y0]) - low + np.where(room > 0, rng.uniform(0, 1, 2) * room, room / 2)
        path = flat + at
        tips = path[[0, -1]]
        free = min(
            [FREE_MM * 4.0]
            + [float(np.linalg.norm(other - tips, axis=1).min()) for other in ends]
            + ([float(np.linalg.norm(lines[None] - tips[:, None], axis=2).min())] if len(lines) else [])
        )
        if (room <= 0).any():
            free -= 20.0
        if clear_of is not None:
            free += min(0.0, float(np.hypot(*(path - clear_of[:2]).T).min()) - clear_of[2])
        if best is None or free > best[0]:
            best = (free, path)
        if free >= FREE_MM * 2:
            break
    assert best is not None
    flat = best[1]
    z = np.full(len(flat), piece.size_mm("wire") * TIP_BREADTH / 2)
    for rod in others:
        if rod.is_hung:
            continue
        near = np.linalg.norm(flat[:, None] - rod.path[None, :, :2], axis=2).min(axis=1)
        crossing = near < piece.size_mm("wire")
        if crossing.any():
            where = np.flatnonzero(crossing)
            along = np.abs(np.arange(len(flat))[:, None] - where[None]).min(axis=1) * POINTS_MM
            z = np.maximum(z, z + piece.size_mm("wire") * np.exp(-((along / 24.0) ** 2)))
    return _rod(piece, id, color, np.column_stack([flat, z]), is_hung=False)


def hanging(
    piece: PieceKind, id: str, color: str, stand: BoxMm, others: Sequence[Rod], rng: np.random.Generator
) -> Rod:
    """A rod that hangs by its bend on the stand, its ends lower than the bend."""
    middle = np.array([(stand[0] + stand[2]) / 2, (stand[1] + stand[3]) / 2])
    flat = bent(piece, color, rng)
    arm = STAND_ARM_MM * rng.uniform(-1, 1)
    at = middle + arm * np.array([1.0, 0.25])
    level = STAND_HIGH_MM - 5.0 * sum(rod.is_hung for rod in others) % 60
    turn = rng.uniform(0, 2 * math.pi)
    hook = flat[len(flat) // 2]
    along, drop = flat[:, 0] - hook[0], flat[:, 1] - hook[1]
    lean = 0.25
    x = at[0] + along * math.cos(turn) - drop * lean * math.sin(turn)
    y = at[1] + along * math.sin(turn) + drop * lean * math.cos(turn)
    z = np.maximum(level - np.abs(drop) * math.sqrt(1 - lean * lean), 40.0)
    return _rod(piece, id, color, np.column_stack([x, y, z]), is_hung=True)


def _rod(piece: PieceKind, id: str, color: str, path: Floats, *, is_hung: bool) -> Rod:
    points = tuple((round(float(x), 2), round(float(y), 2), round(float(z), 2)) for x, y, z in path)
    return Rod(id, color, points, piece.size_mm("wire"), piece.size_mm("tip"), is_hung)
