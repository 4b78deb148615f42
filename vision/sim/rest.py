"""Resting poses of pieces: the lowest pose that solid pieces and the table allow, level or leaning.

A piece let down at a place sinks until its middle can sink no further. Of all planes above the points that could touch
its lower face, its plane is lowest under its middle (a linear programme in three unknowns, solved by exchange).
Friction holds it there. Steep tilts (`STEEP_DEG`) are refused, so that the piece first moves aside.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats
from companion.game.table import overlap_mm
from vision.sim.scene import (
    BOXES,
    Body,
    Quaternion,
    RoundBox,
    RoundCube,
    RoundDisk,
    RoundPawn,
    Solid,
    about,
    rotation_of,
    times,
)

STEEP_DEG = 28.0
"""Maximum tilt; a steeper piece slides off."""
LEVEL_DEG = 0.1
"""Maximum tilt that counts as level."""
DEEP_MM = 0.02
"""Maximum overlap of two solids before one is lifted."""
LIFT_MM = 0.3
"""Maximum lift over another piece's rim; a piece that only grazes the rim moves aside instead."""
DEEPEST_MM = 0.15
"""A piece that still overlaps by more than this after lifting moves aside."""
LYING_DEG = 45.0
"""A pawn with a larger tilt has fallen over."""
GRAZES_MM = 0.5
"""Maximum overlap of two cards that still count as side by side."""
UP = np.array([0.0, 0.0, 1.0])


def _levelled(turn: Quaternion, is_disk: bool) -> Quaternion:
    """The rotation made upright by the shortest way: the most upward face (of a disk: a flat face) becomes level."""
    axes = rotation_of(turn)
    axis = 2 if is_disk else int(np.argmax(np.abs(axes[2])))
    return times(_shortest(axes[:, axis] * (1.0 if axes[2, axis] >= 0 else -1.0), UP), turn)


def level(body: Body) -> Body:
    """The piece without its tilt. A pawn tilted past half-way is on its side, its head slightly lower."""
    if isinstance(body.solid, RoundPawn) and body.tilt_deg > LYING_DEG:
        foot, head, half = body.solid.radius_mm, body.solid.head_mm, body.solid.half_mm
        axis = body.rotation[:, 2]
        drop = math.atan2(foot - head, 2 * (half - body.solid.bevel_mm))
        flat = np.array([axis[0], axis[1], 0.0]) / math.hypot(axis[0], axis[1])
        down = flat * math.cos(drop) - UP * math.sin(drop)
        return body.moved(turn=times(_shortest(axis, down), body.turn))
    return body.moved(turn=_levelled(body.turn, isinstance(body.solid, RoundDisk)))


def _shortest(a: Floats, b: Floats) -> Quaternion:
    """The smallest rotation that brings unit vector `a` to `b`."""
    axis = np.cross(a, b)
    sine = float(np.linalg.norm(axis))
    if sine < 1e-12:
        return (1.0, 0.0, 0.0, 0.0)
    x, y, z = (float(v) for v in axis / sine)
    return about((x, y, z), math.degrees(math.atan2(sine, float(a @ b))))


def signed_distance(solid: Solid, points: Floats) -> Floats:
    """Distances (N,) of points (N, 3) in the solid's frame from its surface, negative inside."""
    if isinstance(solid, BOXES):
        over = np.abs(points) - (np.array(solid.halves_mm) - solid.bevel_mm)
    else:
        ring = np.hypot(points[:, 0], points[:, 1]) - (solid.radius_mm - solid.bevel_mm)
        over = np.column_stack([ring, np.abs(points[:, 2]) - (solid.half_mm - solid.bevel_mm)])
    out: Floats = np.linalg.norm(np.maximum(over, 0), axis=1) + np.minimum(over.max(1), 0) - solid.bevel_mm
    return out


def _edges(solid: Solid) -> Floats:
    """Points (N, 3) along the solid's inner edges, close enough to find contacts."""
    if isinstance(solid, RoundDisk):
        return solid.hull(240 if solid.radius_mm > 60 else 96)
    inner = np.array(solid.halves_mm) - solid.bevel_mm
    run = np.linspace(-1.0, 1.0, 15 if isinstance(solid, RoundCube) else 61)
    edges = []
    for u in (-1.0, 1.0):
        for v in (-1.0, 1.0):
            a, b = np.full(len(run), u), np.full(len(run), v)
            edges += [np.column_stack([run, a, b]), np.column_stack([a, run, b]), np.column_stack([a, b, run])]
    return np.vstack(edges) * inner


def depth_mm(a: Body, b: Body) -> float:
    """Depth of the overlap of two solids (negative: the gap, if they are near)."""
    return max(_pierces(a, b), _pierces(b, a))


def _pierces(a: Body, b: Body) -> float:
    points = _edges(a.solid) @ a.rotation.T + np.array(a.at_mm) - np.array(b.at_mm)
    return a.solid.bevel_mm - float(signed_distance(b.solid, points @ b.rotation).min())


def _reach_mm(body: Body) -> float:
    solid = body.solid
    if isinstance(solid, RoundBox):
        return math.hypot(*solid.halves_mm[:2])
    if isinstance(solid, RoundPawn):
        return max(solid.radius_mm, solid.half_mm)
    return solid.half_mm * 1.5 if isinstance(solid, RoundCube) else solid.radius_mm


def near(body: Body, others: Iterable[Body]) -> list[Body]:
    """The other pieces whose projections may overlap the piece's."""
    x, y, _ = body.at_mm
    return [
        other
        for other in others
        if other.id != body.id
        and math.hypot(x - other.at_mm[0], y - other.at_mm[1]) < _reach_mm(body) + _reach_mm(other) + 1.0
    ]


def let_down(body: Body, others: Sequence[Body]) -> Body | None:
    """The piece let down on the others, its middle above the same place; None: it would tilt too steeply."""
    below = near(body, others)
    if isinstance(body.solid, RoundBox | RoundPawn):
        return _laid(body, below)
    flat = level(body)
    solid = body.solid
    x, y, _ = body.at_mm
    normal = UP
    inner = solid.half_mm - solid.bevel_mm
    height = 0.0
    points, heights = np.zeros((0, 2)), np.zeros(0)
    for _ in range(4):
        points, heights = _touchable(flat, normal, below)
        height, slope = _lowest_plane(points - (x, y), heights)
        new = np.array([-slope[0], -slope[1], 1.0])
        new /= np.linalg.norm(new)
        if math.degrees(math.acos(min(1.0, float(new[2])))) < LEVEL_DEG:
            new = UP
        if np.allclose(new, normal, atol=1e-7):
            break
        normal = new
    if math.degrees(math.acos(min(1.0, float(normal[2])))) > STEEP_DEG:
        return None
    if normal is UP and not _is_borne(points[heights > height - 0.05] - (x, y)):
        return None
    turn = times(_shortest(UP, normal), flat.turn)
    rested = body.moved(at_mm=(x, y, height + inner / float(normal[2])), turn=turn)
    for _ in range(6):
        deep = max((depth_mm(rested, other) for other in below), default=0.0)
        deep = max(deep, -rested.lowest_mm)
        if deep < DEEP_MM:
            return rested if rested.at_mm[2] - height - inner / float(normal[2]) < LIFT_MM else None
        rested = rested.moved(at_mm=(x, y, rested.at_mm[2] + deep * 1.05))
    is_lifted = rested.at_mm[2] - height - inner / float(normal[2]) >= LIFT_MM
    return None if deep > DEEPEST_MM or is_lifted else rested


def _laid(body: Body, below: Sequence[Body]) -> Body | None:
    """A card flat on the highest piece under it; a pawn on the table, None if another piece is there."""
    flat = level(body)
    flat = flat.moved(at_mm=(*body.at_mm[:2], flat.at_mm[2] - flat.lowest_mm))
    if isinstance(body.solid, RoundBox):
        under = (other.highest_mm for other in below if _lap_mm(flat, other) > GRAZES_MM)
        return flat.moved(at_mm=(*body.at_mm[:2], flat.at_mm[2] + max(under, default=0.0)))
    return None if any(depth_mm(flat, other) > DEEPEST_MM for other in below) else flat


@lru_cache(maxsize=4096)
def _lap_mm(body: Body, other: Body) -> float:
    """The overlap of two projections; cached, because most pieces have not moved since the last call."""
    return overlap_mm(body.footprint, other.footprint)


def _is_borne(touching: Floats) -> bool:
    """Whether the origin is inside the contact points: every half plane has a contact point."""
    if len(touching) < 3:
        return False
    turns = np.sort(np.arctan2(touching[:, 1], touching[:, 0]))
    gaps = np.diff(np.append(turns, turns[0] + 2 * math.pi))
    return bool(gaps.max() < math.pi + 1e-6)


def _touchable(flat: Body, normal: Floats, below: Sequence[Body]) -> tuple[Floats, Floats]:
    """Points (N, 2) under the piece's lower inner plane, and the heights (N,) that this plane must clear there."""
    solid = flat.solid
    bevel = solid.bevel_mm
    stretch = 1 / float(normal[2])
    turn = times(_shortest(UP, normal), flat.turn)
    tilted = flat.moved(turn=turn)
    rotation = tilted.rotation
    inner = _edges(solid) @ rotation.T
    side = inner @ normal
    foot = inner[side < side.min() + 0.01] + np.array(flat.at_mm)
    points, heights = [foot[:, :2]], [np.full(len(foot), bevel)]
    for other in below:
        up = other.rotation[2]
        axis = 2 if isinstance(other.solid, RoundDisk) else int(np.argmax(np.abs(up)))
        lid = other.rotation[:, axis] * np.sign(up[axis])
        rim = _edges(other.solid) @ other.rotation.T
        along = rim @ lid
        rim = rim[along > along.max() - 0.01] + np.array(other.at_mm)
        # the other piece's rim under this piece's lower face
        local = np.column_stack([rim[:, :2], np.full(len(rim), flat.at_mm[2])]) - np.array(flat.at_mm)
        under = _is_over(solid, local @ flat.rotation, flat)
        points.append(rim[under, :2])
        heights.append(rim[under, 2] + (other.solid.bevel_mm + bevel) * stretch)
        # this piece's lower edge over the other piece's top face
        top = np.array(other.at_mm) + lid * other.solid.half_mm
        on_lid = top[2] - ((foot[:, :2] - top[:2]) @ lid[:2]) / lid[2]
        there = np.column_stack([foot[:, :2], on_lid]) - np.array(other.at_mm)
        over = _is_over(other.solid, there @ other.rotation, other)
        points.append(foot[over, :2])
        heights.append(on_lid[over] + bevel / float(lid[2]))
    return np.vstack(points), np.concatenate(heights)


def _is_over(solid: Solid, local: Floats, body: Body) -> NDArray[np.bool_]:
    """Mask of points (body's frame) that are within its upward or downward face."""
    slack = solid.bevel_mm * 0.5
    if isinstance(solid, RoundDisk):
        within: NDArray[np.bool_] = np.hypot(local[:, 0], local[:, 1]) < solid.radius_mm - slack
        return within
    axis = int(np.argmax(np.abs(body.rotation[2])))
    across = [a for a in range(3) if a != axis]
    return np.asarray((np.abs(local[:, across]) < np.array(solid.halves_mm)[across] - slack).all(1))


def _lowest_plane(points: Floats, heights: Floats) -> tuple[float, Floats]:
    """Height and slope (2,) of the plane above all points that is lowest at the origin, by exchange of three points."""
    far = 1e4
    corners = np.array([(far, 0.0), (-far * 0.5, far * 0.866), (-far * 0.5, -far * 0.866)])
    places, tops = np.vstack([corners, points]), np.concatenate([np.full(3, -1e6), heights])
    carried = [0, 1, 2]
    plane = np.zeros(3)
    for _ in range(200):
        system = np.column_stack([np.ones(3), places[carried]])
        plane = np.linalg.solve(system, tops[carried])
        over = tops - (plane[0] + places @ plane[1:])
        worst = int(over.argmax())
        if over[worst] < 1e-6:
            break
        best: tuple[float, list[int]] | None = None
        for out in range(3):
            trial = [worst if i == out else carried[i] for i in range(3)]
            a, b, c = places[trial]
            signs = [_cross(a, b), _cross(b, c), _cross(c, a)]
            if abs(_cross(b - a, c - a)) < 1e-9 or not (min(signs) >= -1e-9 or max(signs) <= 1e-9):
                continue
            lift = float(np.linalg.solve(np.column_stack([np.ones(3), places[trial]]), tops[trial])[0])
            if best is None or lift > best[0]:
                best = lift, trial
        if best is None:
            break
        carried = best[1]
    return float(plane[0]), plane[1:]


def _cross(a: Floats, b: Floats) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def settled(bodies: Sequence[Body], moved: Iterable[str] = ()) -> tuple[Body, ...]:
    """Lets all pieces settle, the pieces in `moved` last. An unstable piece slides aside.

    The order of the pieces is kept, and a settled piece stays exactly in place. The lowest middle comes first: the edge
    of a leaning piece is as low as its support.
    """
    late = set(moved)
    placed: dict[str, Body] = {}
    for body in sorted(bodies, key=lambda b: (not b.is_fixed, not b.is_base, b.id in late, b.at_mm[2])):
        others = list(placed.values())
        if body.is_fixed:
            placed[body.id] = body
        else:
            placed[body.id] = _apart(body, others) if body.is_base else _place(body, others)
    return tuple(placed[body.id] for body in bodies)


def carried(bodies: Sequence[Body], by: str) -> tuple[str, ...]:
    """The pieces on top of a piece, directly or indirectly, which move with it."""
    found = [by]
    for body in sorted(bodies, key=lambda b: b.lowest_mm):
        under = [other for other in near(body, bodies) if other.id in found and other.highest_mm <= body.highest_mm]
        x, y, _ = body.at_mm
        if body.id not in found and any(
            math.hypot(x - u.at_mm[0], y - u.at_mm[1]) < _reach_mm(u) and body.lowest_mm > u.lowest_mm + 2.0
            for u in under
        ):
            found.append(body.id)
    return tuple(found[1:])


def _apart(land: Body, others: Sequence[Body]) -> Body:
    """A base flat on the table, moved clear of other bases."""
    x, y, _ = land.at_mm
    for other in others:
        dx, dy = x - other.at_mm[0], y - other.at_mm[1]
        apart, least = math.hypot(dx, dy), _reach_mm(land) + _reach_mm(other)
        if apart < least:
            dx, dy, apart = (dx, dy, apart) if apart > 1e-6 else (1.0, 0.0, 1.0)
            x, y = other.at_mm[0] + dx * least / apart, other.at_mm[1] + dy * least / apart
    return level(land).moved(at_mm=(x, y, land.solid.half_mm))


def _place(body: Body, others: Sequence[Body]) -> Body:
    """The settled piece as near to its place as possible: moved further and further aside until it is stable."""
    golden = math.pi * (3 - math.sqrt(5))
    x, y, z = body.at_mm
    for i in range(400):
        out = 0.9 * math.sqrt(i) * (1 + i / 60)
        trial = replace(body, at_mm=(x + out * math.cos(i * golden), y + out * math.sin(i * golden), z))
        rested = let_down(trial, others)
        if rested is None:
            continue
        moved = max(abs(p - q) for p, q in zip((*rested.at_mm, *rested.turn), (*body.at_mm, *body.turn), strict=True))
        return body if moved < 1e-3 else rested
    return body
