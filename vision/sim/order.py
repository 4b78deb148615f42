"""Which piece hides which: two convex solids that do not meet are parted by a plane, and the camera is on one side.

The planes along the pieces' own faces part most pairs. Two that lean on each other may be parted by none of these: then
rays from the camera tell which of the two they meet first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.sim.scene import BOXES, Body, RoundBox, RoundCube
from vision.sim.solids import cast

Floats = NDArray[np.float64]

PARTED_MM = -0.01
"""Tolerance for a plane that separates two solids: a piece on top of another touches it."""
RAYS = 600
"""Number of rays, spread evenly over each of two solids, that show the nearer one."""
BEFORE_MM = 100.0
"""Distance from the solids at which rays begin."""


def front_last(bodies: Sequence[Body], camera_mm: Floats) -> list[Body]:
    """The pieces in an order in which each may be drawn over those before it."""
    bodies = sorted(bodies, key=lambda body: body.at_mm[2])
    reach = [_reach_mm(body) for body in bodies]
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
    is_strict = False
    while left:
        free = next((i for i in left if not behind[i].intersection(left)), None)
        if free is None and not is_strict:
            # planes part pieces that do not hide each other too, and such can go round in a ring
            is_strict = True
            for i in left:
                hidden = [(j, _nearer_mm(bodies[i], bodies[j], camera_mm)) for j in behind[i].intersection(left)]
                behind[i] = {j for j, nearer_mm in hidden if nearer_mm is not None}
            continue
        order.append(left[0] if free is None else free)
        left.remove(order[-1])
    return [bodies[i] for i in order]


def is_in_front(a: Body, b: Body, camera_mm: Floats) -> bool:
    """Whether `a` may hide `b`: the camera is on a's side of the plane that parts them best, or rays meet it first."""
    best, front = -np.inf, True
    for axis in _axes(a, b):
        (a0, a1), (b0, b1), eye = _extent(a, axis), _extent(b, axis), float(axis @ camera_mm)
        gap, a_above = (a0 - b1, True) if a0 - b1 > b0 - a1 else (b0 - a1, False)
        middle = (a0 + b1) / 2 if a_above else (b0 + a1) / 2
        if gap > best + 1e-9:
            best, front = gap, (eye > middle) == a_above
    if best < PARTED_MM:
        nearer_mm = _nearer_mm(a, b, camera_mm)
        return front if nearer_mm is None else nearer_mm > 0
    return front


def _nearer_mm(a: Body, b: Body, camera_mm: Floats) -> float | None:
    """How much nearer to the camera `a` is than `b` where rays meet both, in the middle; None where none does."""
    ways = np.vstack([_spread(body, camera_mm) for body in (a, b)]) - camera_mm
    far = np.linalg.norm(ways, axis=1, keepdims=True)
    ways /= far
    origins = camera_mm + ways * (far - BEFORE_MM)
    met, along = zip(*(_met(body, origins, ways) for body in (a, b)), strict=True)
    both = met[0] & met[1]
    return float(np.median((along[1] - along[0])[both])) if both.any() else None


def _met(body: Body, origins: Floats, ways: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Which rays (N, 3) meet a piece, and how far along (N,)."""
    start = ((origins - np.array(body.at_mm)) @ body.rotation).T
    way = (ways @ body.rotation).T
    met, at, _ = cast(body.solid, start.astype(np.float32), way.astype(np.float32))
    return met, np.asarray(((at - start) * way).sum(axis=0))


def _spread(body: Body, camera_mm: Floats) -> Floats:
    """Points (N, 3) spread evenly over a piece as the camera sees it."""
    toward = camera_mm - np.array(body.at_mm)
    toward /= np.linalg.norm(toward)
    across = np.cross(toward, [1.0, 0.0, 0.0] if abs(toward[0]) < 0.7 else [0.0, 1.0, 0.0])
    across /= np.linalg.norm(across)
    count = np.arange(RAYS)
    radius, turn = _reach_mm(body) * np.sqrt((count + 0.5) / RAYS), count * math.pi * (3 - math.sqrt(5))
    return np.asarray(
        np.array(body.at_mm)
        + np.outer(radius * np.cos(turn), across)
        + np.outer(radius * np.sin(turn), np.cross(toward, across))
    )


def _reach_mm(body: Body) -> float:
    """How far a piece reaches from its middle, about."""
    solid = body.solid
    if isinstance(solid, RoundCube):
        return solid.half_mm * 1.75
    if isinstance(solid, RoundBox):
        return math.hypot(*solid.halves_mm)
    return max(solid.radius_mm, solid.half_mm)


def _axes(a: Body, b: Body) -> list[Floats]:
    across = np.subtract(a.at_mm, b.at_mm)
    across[2] = 0.0
    length = float(np.linalg.norm(across))
    axes = [np.array([0.0, 0.0, 1.0]), across / length if length > 0.1 else np.array([1.0, 0.0, 0.0])]
    for body in (a, b):
        columns = body.rotation.T
        axes += list(columns) if isinstance(body.solid, BOXES) else [columns[2]]
    return axes


def _extent(body: Body, axis: Floats) -> tuple[float, float]:
    along = body.rotation.T @ axis
    solid = body.solid
    if isinstance(solid, RoundCube):
        reach = float(np.abs(along).sum()) * (solid.half_mm - solid.bevel_mm) + solid.bevel_mm
    elif isinstance(solid, RoundBox):
        reach = float(np.abs(along) @ (np.array(solid.halves_mm) - solid.bevel_mm)) + solid.bevel_mm
    else:
        ring, half = solid.radius_mm - solid.bevel_mm, solid.half_mm - solid.bevel_mm
        reach = float(np.hypot(along[0], along[1])) * ring + abs(float(along[2])) * half + solid.bevel_mm
    middle = float(axis @ np.array(body.at_mm))
    return middle - reach, middle + reach
