"""Where rays meet rounded solids, exactly: Newton's method on the distance to a convex body.

Along a ray the distance to a convex body is a convex function, so Newton's steps from outside never overshoot the
first hit; a ray whose distance stops falling misses. All arrays are float32 in the body's own frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vision.sim.scene import BOXES, RoundBox, RoundCube, RoundDisk, RoundPawn

Floats32 = NDArray[np.float32]

TOUCH_MM = 0.01
STEPS = 9


class Shape(Protocol):
    """A convex body: its distance and its outward normal at points outside it."""

    def nearest(self, points: Floats32) -> tuple[Floats32, Floats32]:
        """Distances (N,) and unit gradients (3, N) at points (3, N)."""


@dataclass(frozen=True, slots=True)
class Capsule:
    """A segment swelled by a radius, in the table frame: fingers and arms."""

    start_mm: tuple[float, float, float]
    end_mm: tuple[float, float, float]
    radius_mm: float


def nearest(shape: RoundDisk | RoundCube | RoundBox | Capsule, p: Floats32) -> tuple[Floats32, Floats32]:
    """Distances (N,) and unit gradients (3, N) at points (3, N) outside the shape."""
    if isinstance(shape, BOXES):
        over = np.maximum(np.abs(p) - (np.array(shape.halves_mm) - shape.bevel_mm).astype(np.float32)[:, None], 0)
        length = np.sqrt((over * over).sum(0)) + np.float32(1e-9)
        return length - np.float32(shape.bevel_mm), over * np.sign(p) / length
    if isinstance(shape, RoundPawn):
        return _nearest_pawn(shape, p)
    if isinstance(shape, RoundDisk):
        ring = np.hypot(p[0], p[1]) + np.float32(1e-9)
        out = np.maximum(ring - np.float32(shape.radius_mm - shape.bevel_mm), 0)
        up = np.maximum(np.abs(p[2]) - np.float32(shape.half_mm - shape.bevel_mm), 0)
        length = np.hypot(out, up) + np.float32(1e-9)
        side = out / (length * ring)
        return length - np.float32(shape.bevel_mm), np.stack([p[0] * side, p[1] * side, np.sign(p[2]) * up / length])
    start, along = (
        np.array(shape.start_mm, np.float32)[:, None],
        np.subtract(shape.end_mm, shape.start_mm).astype(np.float32)[:, None],
    )
    part = np.clip(((p - start) * along).sum(0) / np.float32((along * along).sum()), 0, 1)
    away = p - start - along * part
    length = np.sqrt((away * away).sum(0)) + np.float32(1e-9)
    return length - np.float32(shape.radius_mm), away / length


def _nearest_pawn(pawn: RoundPawn, p: Floats32) -> tuple[Floats32, Floats32]:
    """As `nearest`, in the half plane through a pawn's axis: its section's three sides, swelled by the bevel."""
    half, foot, head = (
        np.float32(part - pawn.bevel_mm) for part in (pawn.half_mm, pawn.radius_mm, pawn.head_mm or pawn.radius_mm)
    )
    ring, up = np.hypot(p[0], p[1]) + np.float32(1e-9), p[2]
    lean = np.array([foot - head, -2 * half], np.float32)  # along the slope, down to the foot
    part = np.clip(((ring - head) * lean[0] + (up - half) * lean[1]) / np.float32(lean @ lean), 0, 1)
    near_ring = np.where(up > half, np.minimum(ring, head), head + part * lean[0])
    near_up = np.where(up > half, half, half + part * lean[1])
    below = (up < -half) & (ring < foot)
    near_ring, near_up = np.where(below, ring, near_ring), np.where(below, -half, near_up)
    # above the head's rim the slope may still be nearer
    slope_ring, slope_up = head + part * lean[0], half + part * lean[1]
    is_slope = np.hypot(ring - slope_ring, up - slope_up) < np.hypot(ring - near_ring, up - near_up)
    near_ring, near_up = np.where(is_slope, slope_ring, near_ring), np.where(is_slope, slope_up, near_up)
    out, rise = ring - near_ring, up - near_up
    within = (np.abs(up) < half) & ((ring - head) * -lean[1] + (up - half) * lean[0] < 0)
    out, rise = np.where(within, 0, out), np.where(within, 0, rise)
    length = np.hypot(out, rise) + np.float32(1e-9)
    side = out / (length * ring)
    away = length - np.float32(pawn.bevel_mm)
    return away, np.stack([p[0] * side, p[1] * side, rise / length]).astype(np.float32)


def cast(
    shape: RoundDisk | RoundCube | RoundBox | Capsule, origins: Floats32, directions: Floats32
) -> tuple[NDArray[np.bool_], Floats32, Floats32]:
    """Which rays hit, where (3, N) and the normals there (3, N).

    Args:
        origins: points (3, N) outside the shape, before it on the ray, near enough for float32.
        directions: unit directions (3, N).
    """
    p = origins.copy()
    going = np.ones(p.shape[1], bool)
    d, g = nearest(shape, p)
    for _ in range(STEPS):
        fall = -(g * directions).sum(0)
        going &= fall > 1e-4
        step = np.where(going & (d > 0), d / np.maximum(fall, np.float32(1e-4)), 0)
        if float(step.max(initial=0.0)) < TOUCH_MM / 4:
            break
        p += directions * step
        d, g = nearest(shape, p)
    return d < TOUCH_MM, p, g
