"""Exact intersections of rays with rounded solids, by Newton's method on the distance to a convex body.

Along a ray the distance to a convex body is a convex function, so Newton's steps from outside never overshoot the first
hit. A ray whose distance stops falling misses. All arrays are float32 in the body's frame.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32
from vision.sim.marks import Color
from vision.sim.scene import BOXES, Body, Hand, RoundBox, RoundCube, RoundDisk, RoundPawn

TOUCH_MM = 0.01
STEPS = 9


@dataclass(frozen=True, slots=True)
class Capsule:
    """A segment grown by a radius, in the table frame: fingers and arms."""

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
    """Like `nearest` for a pawn, by the three sides of its section, grown by the bevel."""
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
    # above the head's rim the sloping side may still be nearer
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
    """Mask of the rays that hit, hit points (3, N) and normals there (3, N).

    Args:
        origins: points (3, N) outside the shape and before it on the ray, near enough for float32.
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


ARM_MM = 900.0
FINGERS = ((-16.0, 74.0, 7.5), (-5.0, 84.0, 8.0), (7.0, 80.0, 7.8), (19.0, 64.0, 6.8))
"""Each finger: offset from the hand's middle line, length beyond the palm's middle, radius (mm)."""


def capsules(hand: Hand) -> tuple[tuple[Capsule, Color], ...]:
    """The hand's parts with their colours (sRGB), lowest first."""
    out = np.array([math.cos(math.radians(hand.from_deg)), math.sin(math.radians(hand.from_deg))])
    side = np.array([-out[1], out[0]])
    palm = np.array(hand.reach_mm) + out * 84.0

    def at(along: float, aside: float, height: float) -> tuple[float, float, float]:
        x, y = palm + out * along + side * aside
        return float(x), float(y), height

    z = hand.height_mm
    parts: list[tuple[Capsule, Color]] = []
    for aside, length, radius in FINGERS:
        tip = Capsule(at(-length * 0.62, aside * 1.3, z - 12), at(-length + radius, aside * 1.4, z - 24), radius * 0.92)
        parts += [
            (tip, hand.skin),
            (Capsule(at(-20, aside, z), at(-length * 0.62, aside * 1.3, z - 12), radius), hand.skin),
        ]
    parts.append((Capsule(at(18, -26, z), at(-22, -50, z - 14), 9.0), hand.skin))
    parts.append((Capsule(at(-22, -50, z - 14), at(-44, -56, z - 20), 8.0), hand.skin))
    for aside in (-20.0, -13.0, -6.0, 0.0, 6.0, 13.0, 20.0):
        parts.append((Capsule(at(-24, aside, z), at(40, aside * 0.6, z + 2), 14.0), hand.skin))
    cuff = 48.0 + hand.bare_mm
    parts.append((Capsule(at(36, 0, z + 4), at(cuff + 30, 0, z + 18), 27.0), hand.skin))
    parts.append((Capsule(at(cuff + 42, 0, z + 20), at(ARM_MM, 0, z + 120), 46.0), hand.sleeve))
    return tuple(parts)


# Which piece hides which: a plane separates any two convex solids that do not overlap, and the camera is on one side.
# Planes along the pieces' own faces separate most pairs. Two pieces that lean on each other may not be separated by any
# of these. Then rays from the camera show which of the two they hit first.


PARTED_MM = -0.01
"""Tolerance for a plane that separates two solids: a piece on top of another touches it."""
RAYS = 600
"""Number of rays, spread evenly over each of two solids, for finding the nearer solid."""
BEFORE_MM = 100.0
"""Distance from the solids at which rays begin."""


def front_last(bodies: Sequence[Body], camera_mm: Floats) -> list[Body]:
    """The pieces in drawing order: each may be drawn over all pieces before it."""
    bodies = sorted(bodies, key=lambda body: body.at_mm[2])
    reach = [_reach_mm(body) for body in bodies]
    behind: list[set[int]] = [set() for _ in bodies]
    for i, a in enumerate(bodies):
        for j in range(i):
            b = bodies[j]
            apart = np.hypot(a.at_mm[0] - b.at_mm[0], a.at_mm[1] - b.at_mm[1])
            if apart > reach[i] + reach[j] + 30.0:  # a generous bound for a ray's shift over the tallest piece
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
            # planes also order pieces that do not hide each other, which may form a cycle
            is_strict = True
            for i in left:
                hidden = [(j, _nearer_mm(bodies[i], bodies[j], camera_mm)) for j in behind[i].intersection(left)]
                behind[i] = {j for j, nearer_mm in hidden if nearer_mm is not None}
            continue
        order.append(left[0] if free is None else free)
        left.remove(order[-1])
    return [bodies[i] for i in order]


def is_in_front(a: Body, b: Body, camera_mm: Floats) -> bool:
    """Whether `a` may hide `b`: the camera is on a's side of the best separating plane, or rays hit `a` first."""
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
    """Median distance by which `a` is nearer to the camera than `b`, over rays that hit both; None: no ray does."""
    ways = np.vstack([_spread(body, camera_mm) for body in (a, b)]) - camera_mm
    far = np.linalg.norm(ways, axis=1, keepdims=True)
    ways /= far
    origins = camera_mm + ways * (far - BEFORE_MM)
    met, along = zip(*(_met(body, origins, ways) for body in (a, b)), strict=True)
    both = met[0] & met[1]
    return float(np.median((along[1] - along[0])[both])) if both.any() else None


def _met(body: Body, origins: Floats, ways: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Mask of the rays (N, 3) that hit a piece, and their lengths (N,)."""
    start = ((origins - np.array(body.at_mm)) @ body.rotation).T
    way = (ways @ body.rotation).T
    met, at, _ = cast(body.solid, start.astype(np.float32), way.astype(np.float32))
    return met, np.asarray(((at - start) * way).sum(axis=0))


def _spread(body: Body, camera_mm: Floats) -> Floats:
    """Points (N, 3) spread evenly over the piece's disk facing the camera."""
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
    """Approximate radius of a piece around its middle."""
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
    reach, middle = body.reach_mm(body.rotation.T @ axis), float(axis @ np.array(body.at_mm))
    return middle - reach, middle + reach
