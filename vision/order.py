"""Which piece hides which: two convex solids that do not meet are parted by a plane, and the camera is on one side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.scene import Body, RoundCube

Floats = NDArray[np.float64]


def front_last(bodies: Sequence[Body], camera_mm: Floats) -> list[Body]:
    """The pieces in an order in which each may be drawn over those before it."""
    bodies = sorted(bodies, key=lambda body: body.at_mm[2])
    reach = [
        body.solid.half_mm * 1.75 if isinstance(body.solid, RoundCube) else body.solid.radius_mm for body in bodies
    ]
    behind: list[set[int]] = [set() for _ in bodies]
    for i, a in enumerate(bodies):
        for j in range(i):
            b = bodies[j]
            apart = np.hypot(a.at_mm[0] - b.at_mm[0], a.at_mm[1] - b.at_mm[1])
            if apart > reach[i] + reach[j] + 30.0:  # a ray's shift over the tallest piece, generously
                continue
            if is_in_front(a, b, camera_mm):
                behind[i].add(j)
            else:
                behind[j].add(i)
    order: list[int] = []
    left = list(range(len(bodies)))
    while left:
        free = next((i for i in left if not behind[i] - set(order)), left[0])
        order.append(free)
        left.remove(free)
    return [bodies[i] for i in order]


def is_in_front(a: Body, b: Body, camera_mm: Floats) -> bool:
    """Whether `a` may hide `b`: the camera is on a's side of the plane that parts them best."""
    best, front = -np.inf, True
    for axis in _axes(a, b):
        (a0, a1), (b0, b1), eye = _extent(a, axis), _extent(b, axis), float(axis @ camera_mm)
        gap, a_above = (a0 - b1, True) if a0 - b1 > b0 - a1 else (b0 - a1, False)
        middle = (a0 + b1) / 2 if a_above else (b0 + a1) / 2
        if gap > best + 1e-9:
            best, front = gap, (eye > middle) == a_above
    return front


def _axes(a: Body, b: Body) -> list[Floats]:
    across = np.subtract(a.at_mm, b.at_mm)
    across[2] = 0.0
    length = float(np.linalg.norm(across))
    axes = [np.array([0.0, 0.0, 1.0]), across / length if length > 0.1 else np.array([1.0, 0.0, 0.0])]
    for body in (a, b):
        columns = body.rotation.T
        axes += list(columns) if isinstance(body.solid, RoundCube) else [columns[2]]
    return axes


def _extent(body: Body, axis: Floats) -> tuple[float, float]:
    along = body.rotation.T @ axis
    solid = body.solid
    if isinstance(solid, RoundCube):
        reach = float(np.abs(along).sum()) * (solid.half_mm - solid.bevel_mm) + solid.bevel_mm
    else:
        ring, half = solid.radius_mm - solid.bevel_mm, solid.half_mm - solid.bevel_mm
        reach = float(np.hypot(along[0], along[1])) * ring + abs(float(along[2])) * half + solid.bevel_mm
    middle = float(axis @ np.array(body.at_mm))
    return middle - reach, middle + reach
