"""Where rays meet rounded solids, exactly: Newton's method on the distance to a convex body.

Along a ray the distance to a convex body is a convex function, so Newton's steps from outside never overshoot the
first hit; a ray whose distance stops falling misses. All arrays are float32 in the body's own frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vision.scene import RoundCube, RoundDisk

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


def nearest(shape: RoundDisk | RoundCube | Capsule, p: Floats32) -> tuple[Floats32, Floats32]:
    """Distances (N,) and unit gradients (3, N) at points (3, N) outside the shape."""
    if isinstance(shape, RoundCube):
        over = np.maximum(np.abs(p) - np.float32(shape.half_mm - shape.bevel_mm), 0)
        length = np.sqrt((over * over).sum(0)) + np.float32(1e-9)
        return length - np.float32(shape.bevel_mm), over * np.sign(p) / length
    if isinstance(shape, RoundDisk):
        ring = np.hypot(p[0], p[1]) + np.float32(1e-9)
        out = np.maximum(ring - np.float32(shape.radius_mm - shape.bevel_mm), 0)
        up = np.maximum(np.abs(p[2]) - np.float32(shape.half_mm - shape.bevel_mm), 0)
        length = np.hypot(out, up) + np.float32(1e-9)
        side = out / (length * ring)
        return length - np.float32(shape.bevel_mm), np.stack([p[0] * side, p[1] * side, np.sign(p[2]) * up / length])
    start, along = np.float32(shape.start_mm)[:, None], np.float32(np.subtract(shape.end_mm, shape.start_mm))[:, None]
    part = np.clip(((p - start) * along).sum(0) / np.float32((along * along).sum()), 0, 1)
    away = p - start - along * part
    length = np.sqrt((away * away).sum(0)) + np.float32(1e-9)
    return length - np.float32(shape.radius_mm), away / length


def cast(
    shape: RoundDisk | RoundCube | Capsule, origins: Floats32, directions: Floats32
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
