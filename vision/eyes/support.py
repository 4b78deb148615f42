"""How a flat piece comes to rest on what lies under it: its plane sinks until its middle is as low as it can be.

A body at rest on supports has the least height of its middle that the supports allow (its potential energy), so the
plane of its underside is a linear programme in three unknowns. Where two rims barely overlap, the upper one rides on
the round of the lower and lies lower. A disk's rim, low as it is, is taken for a chamfer of half a right angle: that
lies between round and cut rims, which sink less and more, and a cube's edge for one of two facets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from vision.eyes.bodies import Place, Solid, turned
from vision.eyes.sight import Floats

STEEPEST = 0.6
"""The slope beyond which a piece would slide (31 degrees)."""
RIM_STEP_MM = 1.2
"""Rims are sampled this finely where they may touch."""
_STEPS = np.linspace(-STEEPEST, STEEPEST, 7)
_SLOPES = [np.stack(np.meshgrid(_STEPS, _STEPS), axis=-1).reshape(-1, 2) / 2.5**k for k in range(6)]
"""The slopes tried about the best so far, ever finer."""
_TURN = np.arange(24) * (math.pi / 12)
_CIRCLE = np.column_stack([np.cos(_TURN), np.sin(_TURN)])
LIKELY_SLOPE, LEAN_ROUNDS, FOUND_SLOPE = 0.12, 3, 2e-3
"""A die leans by about this slope on a rim of a few mm; how far it does is found in so many rounds, or to so little."""
ROUNDS = 2
"""A tilted body's underside is not below its middle: the tilt is found again from where it is."""


@dataclass(frozen=True, eq=False)
class Under:
    """A plane underside: its height below the body's middle and its slopes along x and y (mm a mm)."""

    height_mm: float
    slope_x: float
    slope_y: float

    @property
    def is_flat(self) -> bool:
        return abs(self.slope_x) + abs(self.slope_y) < 1e-3

    def turned_from(self, other: Under) -> float:
        """How far the slopes of two undersides are apart."""
        return math.hypot(self.slope_x - other.slope_x, self.slope_y - other.slope_y)


FLAT = Under(0.0, 0.0, 0.0)


@lru_cache(maxsize=512)
def _counted(count: int) -> Floats:
    """0, 1, ..., count - 1."""
    return np.arange(float(count))


@lru_cache(maxsize=64)
def _square_rim(half_mm: float, round_mm: float) -> Floats:
    """Points (N, 2) of the rim of a square with rounded corners about the origin."""
    core = half_mm - round_mm
    count = max(int(2 * core / RIM_STEP_MM), 8)
    along = np.linspace(-core, core, count)
    end = np.full(count, half_mm)
    sides = [np.column_stack(p) for p in ((along, end), (along, -end), (end, along), (-end, along))]
    if not round_mm:
        return np.vstack(sides)
    turn = np.arange(24) * (math.pi / 12) + math.pi / 24
    corners = np.column_stack([np.cos(turn), np.sin(turn)]) * round_mm
    return np.vstack([*sides, corners + np.sign(corners) * core])


@dataclass(frozen=True, eq=False)
class Face:
    """A flat face of a body seen from above: a disk or a square about `middle_mm`, with a rounded rim."""

    middle_mm: Floats
    half_mm: float
    angle: float
    round_mm: float
    is_round: bool

    @property
    def core(self) -> Face:
        """What is flat of it: the face without its rounded rim."""
        return Face(self.middle_mm, self.half_mm - self.round_mm, self.angle, 0.0, self.is_round)

    def depth_mm(self, xy_mm: Floats) -> Floats:
        """How far points (N, 2) lie inside the rim (negative: outside)."""
        d = xy_mm - self.middle_mm
        if self.is_round:
            return np.asarray(self.half_mm - np.hypot(d[:, 0], d[:, 1]))
        c, s = math.cos(self.angle), math.sin(self.angle)
        core = self.half_mm - self.round_mm
        beyond = np.abs(d @ np.array([[c, -s], [s, c]])) - core
        u, v = np.maximum(beyond, 0.0).T
        return np.asarray(self.round_mm - np.hypot(u, v) - np.minimum(beyond.max(axis=1), 0.0))

    def rim(self, near_mm: Floats, reach_mm: float) -> Floats:
        """Points (N, 2) of the rim within reach of a place."""
        if self.is_round:
            d = near_mm - self.middle_mm
            far = math.hypot(d[0], d[1])
            open_ = math.pi if far < 1e-6 else min(math.pi, 1.2 * reach_mm / max(self.half_mm, far, 1e-6))
            if far + self.half_mm < 1.5 * reach_mm:
                open_ = math.pi
            count = max(int(2 * open_ * self.half_mm / RIM_STEP_MM), 8)
            turn = _counted(count) * (2 * open_ / (count - 1)) + (math.atan2(d[1], d[0]) - open_)
            points = np.empty((count, 2))
            points[:, 0], points[:, 1] = np.cos(turn), np.sin(turn)
            points *= self.half_mm
            points += self.middle_mm
            return points
        return self._turned(_square_rim(self.half_mm, self.round_mm))

    def ground(self) -> Floats:
        """Points (N, 2) on which the body stands on a table: the rounded rim is above it."""
        inner = self.half_mm - self.round_mm
        if self.is_round:
            return np.asarray(self.middle_mm + inner * _CIRCLE)
        return self._turned(np.array([(x, y) for x in (-inner, inner) for y in (-inner, inner)]))

    def _turned(self, square: Floats) -> Floats:
        c, s = math.cos(self.angle), math.sin(self.angle)
        return np.asarray(self.middle_mm + square @ np.array([[c, s], [-s, c]]))


@dataclass(frozen=True, eq=False)
class Support:
    """A lower body as a support: its top face, the height of that face at its middle, and its slopes."""

    face: Face
    height_mm: float
    slope_x: float
    slope_y: float

    def top_at(self, xy_mm: Floats) -> Floats:
        d = xy_mm - self.face.middle_mm
        return np.asarray(self.height_mm + d @ np.array([self.slope_x, self.slope_y]))


def up_of(place: Place) -> Floats:
    """The body's most upward axis, pointing up."""
    i = int(np.argmax(np.abs(place.axes[2])))
    return np.asarray(place.axes[:, i] * np.sign(place.axes[2, i]))


def _face(solid: Solid, place: Place, up: Floats, side: float) -> Face:
    half = float(np.abs(solid.core_mm[:, 0]).max()) + solid.round_mm
    middle = place.middle_mm[:2] + side * solid.half_height_mm * up[:2]
    return Face(middle, half, math.radians(place.angle_deg), solid.round_mm, solid.is_round)


def support_of(solid: Solid, place: Place) -> Support:
    """A resting body as a support for others."""
    up = up_of(place)
    slopes = -up[:2] / up[2]
    top = float(place.middle_mm[2] + solid.half_height_mm * up[2])
    return Support(_face(solid, place, up, 1.0), top, float(slopes[0]), float(slopes[1]))


def rest(solid: Solid, place: Place, supports: list[Support]) -> Under:
    """The underside of a body whose middle is at this (x, y), lying on the table and on supports."""
    up = up_of(place)
    under = FLAT
    for _ in range(ROUNDS):
        face, touching, held = contacts(solid, place, up, supports)
        ground = face.ground()
        points, heights = np.vstack([ground, touching]), np.concatenate([np.zeros(len(ground)), held])
        under = _lowest(points - face.middle_mm, heights)
        if not len(touching):
            break
        up = np.array([-under.slope_x, -under.slope_y, 1.0])
        up /= math.hypot(*up)
    return under


def _lowest(points: Floats, heights: Floats) -> Under:
    """The plane over all (point, height) whose height at the origin is least: a search on a grid that narrows."""
    if heights.max() <= 0:
        return FLAT
    middle = np.zeros(2)
    for grid in _SLOPES:
        slopes = middle + grid
        middle = slopes[int((heights - slopes @ points.T).max(axis=1).argmin())]
    height = float((heights - points @ middle).max())
    return Under(height, float(middle[0]), float(middle[1]))


def laid(place: Place, solid: Solid, under: Under) -> Place:
    """The body at its (x, y) and angle, laid on that underside."""
    up = np.array([-under.slope_x, -under.slope_y, 1.0])
    up /= math.hypot(*up)
    axis = np.array([-up[1], up[0], 0.0])
    size = math.hypot(axis[0], axis[1])
    turn = turned(axis / size * math.asin(min(size, 1.0))) if size > 1e-9 else np.eye(3)
    middle = np.array([*place.middle_mm[:2], under.height_mm + solid.half_height_mm * up[2]])
    angle = math.radians(place.angle_deg)
    c, s = math.cos(angle), math.sin(angle)
    return Place(middle, turn @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))


def _reach(face: Face) -> float:
    return face.half_mm * (1.0 if face.is_round else math.sqrt(2))


def contacts(solid: Solid, place: Place, up: Floats, supports: list[Support]) -> tuple[Face, Floats, Floats]:
    """The underside, the points (N, 2) where supports may touch it, and how high they hold it there."""
    face = _face(solid, place, up, -1.0) if solid.is_round else _core_face(solid, place, up)
    points, heights = [np.zeros((0, 2))], [np.zeros(0)]
    for support in supports:
        lower = support.face if solid.is_round else support.face.core
        together = support.face.round_mm + solid.round_mm
        apart = math.hypot(*(lower.middle_mm - face.middle_mm))
        if apart > _reach(face) + _reach(lower) + together:
            continue
        for rim, other in (
            (lower.rim(face.middle_mm, 1.5 * face.half_mm), face),
            (face.rim(lower.middle_mm, 4 * face.half_mm), lower),
        ):
            depth = other.depth_mm(rim)
            if solid.is_round:
                inside = depth > 0
                sunk = np.maximum(together - depth[inside], 0.0)  # two rims slide on each other like chamfers
            else:
                inside = depth > -together
                sunk = _sunk_mm(np.maximum(-depth[inside], 0.0), solid.round_mm, support.face.round_mm)
            points.append(rim[inside])
            heights.append(support.top_at(rim[inside]) - sunk)
    return face, np.vstack(points), np.concatenate(heights)


def _core_face(solid: Solid, place: Place, up: Floats) -> Face:
    """The flat part of a cube's underside: its rounded edges begin where it ends."""
    core = solid.half_height_mm - solid.round_mm
    return Face(place.middle_mm[:2] - core * up[:2], core, math.radians(place.angle_deg), 0.0, False)


def _sunk_mm(gap_mm: Floats, round_mm: float, chamfer_mm: float) -> Floats:
    """How much lower a cube's edge lies beside a rim than on top of it, by the gap between what is flat of both.

    The rim is a chamfer of half a right angle and the edge one of two facets, which lies between round and cut: the
    boundary of the sum of the two.
    """
    facet = round_mm * math.sqrt(0.5)
    gaps = [0.0, facet, facet + chamfer_mm, round_mm + chamfer_mm]
    return np.asarray(np.interp(gap_mm, gaps, [0.0, round_mm - facet, round_mm - facet + chamfer_mm, gaps[3]]))


def leaning(solid: Solid, place: Place, toward: Floats, supports: list[Support]) -> Under | None:
    """A cube that stands on what of it is furthest back and leans forward on a support, rising along `toward`."""
    core = float(np.abs(solid.core_mm[:, 0]).max())
    angle = math.atan2(toward[1], toward[0]) - math.radians(place.angle_deg)
    back = core * (abs(math.cos(angle)) + abs(math.sin(angle)))
    up = up_of(place)
    now = -float(up[:2] @ toward) / float(up[2])
    # its underside is further in than its middle: a die that is still level may not touch at all
    slope = max(now, LIKELY_SLOPE)
    for _ in range(LEAN_ROUNDS):
        up = np.array([*(-slope * toward), 1.0])
        face, points, heights = contacts(solid, place, up / math.hypot(*up), supports)
        if not len(points):
            return None
        arm = (points - face.middle_mm) @ toward + back
        reach = arm > 4.0  # a support beside the standing edge lifts it instead
        last, slope = slope, float((heights[reach] / arm[reach]).max()) if reach.any() else 0.0
        if abs(slope - last) < FOUND_SLOPE:
            break
    if not 0.01 < slope < STEEPEST:
        return None
    return Under(slope * back, float(slope * toward[0]), float(slope * toward[1]))
