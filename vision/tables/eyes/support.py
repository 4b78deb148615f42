"""The resting pose of a flat piece on its supports: its plane sinks until its middle is as low as possible.

A resting body has the lowest middle that its supports allow (minimum potential energy). So the plane of its underside
is the solution of a linear programme in three unknowns. Where two rims barely overlap, the upper rim slides on the
rounding of the lower rim and sinks. A disk's lower rim is modelled as a chamfer of 45 degrees. That is between round
rims, which sink less, and cut rims, which sink more. A cube's edge is modelled as two facets.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats
from vision.measure.bodies import ALL_ROUND, Place, Solid, turns
from vision.measure.limits import LIMITS as SHARED
from vision.tables.eyes.limits import LIMITS

Points = NDArray[np.complex128]

_STEPS = LIMITS.max_slope * np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
_SLOPES = [np.stack(np.meshgrid(_STEPS, _STEPS), axis=-1).reshape(-1, 2) / 2**k for k in range(9)]
"""The slopes to try around the best slope of the last step, in ever finer steps."""
_CIRCLE = ALL_ROUND @ (1, 1j)
_CORNERS = np.array([-1 - 1j, -1 + 1j, 1 - 1j, 1 + 1j])


@dataclass(frozen=True, eq=False)
class Underside:
    """A plane underside: its height below the body's middle, and its slopes along x and y (mm per mm)."""

    height_mm: float
    slope_x: float
    slope_y: float

    @property
    def is_flat(self) -> bool:
        return abs(self.slope_x) + abs(self.slope_y) < LIMITS.tiny

    def turned_from(self, other: Underside) -> float:
        """The difference between the slopes of two undersides."""
        return math.hypot(self.slope_x - other.slope_x, self.slope_y - other.slope_y)


FLAT = Underside(0.0, 0.0, 0.0)


@lru_cache(maxsize=64)
def _rim(half_mm: float, is_round: bool) -> Points:
    """Points (N,) of a circle or of a square around 0."""
    if is_round:
        return np.asarray(half_mm * np.exp(1j * turns(int(2 * math.pi * half_mm / LIMITS.touch_mm))))
    along = np.linspace(-half_mm, half_mm, int(2 * half_mm / LIMITS.touch_mm))
    return np.concatenate([along + 1j * half_mm, along - 1j * half_mm, half_mm + 1j * along, -half_mm + 1j * along])


@dataclass(frozen=True, eq=False)
class FlatUnderside:
    """The flat underside of a body from above: a disk with its rounded rim, or the flat part of a square.

    Table points are complex numbers here, x + iy: half the work of pairs.
    """

    middle: complex
    half_mm: float
    turn: complex
    is_round: bool

    def rim(self) -> Points:
        """Points (N,) of the rim."""
        return self.middle + _rim(self.half_mm, self.is_round) * self.turn

    def gap_mm(self, points: Points) -> Floats:
        """Distance of points outside the rim; for a disk negative inside."""
        d = points - self.middle
        if self.is_round:
            return np.abs(d) - self.half_mm
        d *= self.turn.conjugate()
        return np.hypot(*(np.maximum(np.abs(part) - self.half_mm, 0.0) for part in (d.real, d.imag)))

    def ground(self, round_mm: float) -> Points:
        """The points of contact with a level table, relative to the middle: a disk's rounded rim is above it."""
        if self.is_round:
            return np.asarray((self.half_mm - round_mm) * _CIRCLE)
        return self.half_mm * self.turn * _CORNERS


@dataclass(frozen=True, eq=False)
class Support:
    """A disk that can carry other pieces: the middle of its top face (x + iy), the height there, and its slopes along x
    and y as one complex number."""

    middle: complex
    half_mm: float
    round_mm: float
    height_mm: float
    slope: complex

    def top_at(self, points: Points) -> Floats:
        """The height of the plane of its top at these places."""
        return self.height_mm + ((points - self.middle) * self.slope.conjugate()).real


def up_axis(place: Place) -> Floats:
    """The body's most upward axis, directed upward."""
    i = int(np.argmax(np.abs(place.axes[2])))
    return np.asarray(place.axes[:, i] * np.sign(place.axes[2, i]))


def support_of(disk: Solid, place: Place) -> Support:
    """A resting disk as a support for other pieces."""
    up = up_axis(place)
    x, y, height = (place.middle_mm + disk.half_height_mm * up).tolist()
    return Support(complex(x, y), disk.radius_mm, disk.round_mm, height, complex(-up[0] / up[2], -up[1] / up[2]))


def underside_at_rest(solid: Solid, place: Place, supports: list[Support]) -> Underside:
    """The underside of a body with its middle at this (x, y), resting on the table and on supports."""
    up = up_axis(place)
    under = FLAT
    for _ in range(2):
        face, touching, held = contacts(solid, place, up, supports)
        if not len(touching):
            return FLAT
        ground = face.ground(solid.round_mm)
        points, heights = (
            np.concatenate([ground, touching - face.middle]),
            np.concatenate([np.zeros(len(ground)), held]),
        )
        under = _lowest(points.view(float).reshape(-1, 2), heights)
        up = _up(under)
    return under


def _up(under: Underside) -> Floats:
    """The normal of an underside, directed upward."""
    up = np.array([-under.slope_x, -under.slope_y, 1.0])
    return np.asarray(up / math.hypot(under.slope_x, under.slope_y, 1.0))


def _lowest(points: Floats, heights: Floats) -> Underside:
    """The plane above all (point, height) that is lowest at the origin: a search on a grid that narrows."""
    middle = np.zeros(2)
    for grid in _SLOPES:
        slopes = middle + grid
        middle = slopes[int((heights - slopes @ points.T).max(axis=1).argmin())]
    height = float((heights - points @ middle).max())
    return Underside(height, float(middle[0]), float(middle[1]))


def place_on(place: Place, solid: Solid, under: Underside) -> Place:
    """The body at its (x, y) and angle on that underside: rotated about the vertical, then tilted the shortest way."""
    a, b, c = _up(under).tolist()
    angle = math.radians(place.angle_deg)
    cos, sin, bent = math.cos(angle), math.sin(angle), 1 / (1 + c)
    # the columns of the shortest turn that takes the vertical to (a, b, c)
    x, y = (1 - a * a * bent, -a * b * bent, -a), (-a * b * bent, 1 - b * b * bent, -b)
    axes = [[cos * p + sin * q, cos * q - sin * p, r] for p, q, r in zip(x, y, (a, b, c), strict=True)]
    px, py, _ = place.middle_mm.tolist()
    return Place(np.array([px, py, under.height_mm + solid.half_height_mm * c]), np.array(axes))


def contacts(solid: Solid, place: Place, up: Floats, supports: list[Support]) -> tuple[FlatUnderside, Points, Floats]:
    """A body's underside, the points (N,) where supports may touch it, and its height when it rests on each point."""
    face = _underside(solid, place, up)
    points, heights = [], []
    for support in supports:
        half = support.half_mm if solid.is_round else support.half_mm - support.round_mm
        lower = FlatUnderside(support.middle, half, 1.0, True)
        together = support.round_mm + solid.round_mm
        broad = face.half_mm * (1.0 if face.is_round else math.sqrt(2))
        if abs(lower.middle - face.middle) > broad + half + together:
            continue
        rims = lower.rim(), face.rim()
        rim = np.concatenate(rims)
        gap = np.concatenate([face.gap_mm(rims[0]), lower.gap_mm(rims[1])])
        touches = gap < (0.0 if solid.is_round else together)
        rim, gap = rim[touches], gap[touches]
        if solid.is_round:
            sunk = np.maximum(together + gap, 0.0)  # rims that touch slide down each other, as if bevelled
        else:
            sunk = _sunk_mm(gap, solid.round_mm, support.round_mm)
        points.append(rim)
        heights.append(support.top_at(rim) - sunk)
    if not points:
        return face, np.zeros(0, complex), np.zeros(0)
    return (
        (face, points[0], heights[0]) if len(points) == 1 else (face, np.concatenate(points), np.concatenate(heights))
    )


def _underside(solid: Solid, place: Place, up: Floats) -> FlatUnderside:
    """The underside of a body. A cube's rounded edges begin where the flat part of its underside ends."""
    core = solid.half_height_mm - solid.round_mm
    down, half = (solid.half_height_mm, solid.radius_mm) if solid.is_round else (core, core)
    x, y, _ = (place.middle_mm - down * up).tolist()
    return FlatUnderside(complex(x, y), half, cmath.rect(1.0, math.radians(place.angle_deg)), solid.is_round)


def _sunk_mm(gap_mm: Floats, round_mm: float, chamfer_mm: float) -> Floats:
    """Drop of a cube's edge next to a rim (a chamfer of 45 degrees), by the Minkowski sum of both."""
    facet = round_mm * math.sqrt(0.5)
    gaps = [0.0, facet, facet + chamfer_mm, round_mm + chamfer_mm]
    return np.asarray(np.interp(gap_mm, gaps, [0.0, round_mm - facet, round_mm - facet + chamfer_mm, gaps[3]]))


def leaning_underside(solid: Solid, place: Place, toward: Floats, supports: list[Support]) -> Underside | None:
    """The underside of a cube on its rearmost edge or corner that leans forward on a support, rising along `toward`;
    None: it cannot lean so."""
    core = solid.radius_mm - solid.round_mm
    along = complex(*toward.tolist())
    angle = cmath.phase(along) - math.radians(place.angle_deg)
    back = core * (abs(math.cos(angle)) + abs(math.sin(angle)))
    up = up_axis(place).tolist()
    now = -(up[0] * along.real + up[1] * along.imag) / up[2]
    # the underside is further in than the middle, so a die that is still level may not touch the support
    slope = max(now, LIMITS.usual_slope)
    for _ in range(SHARED.fit_rounds):
        tilted = Underside(0.0, slope * along.real, slope * along.imag)
        face, points, heights = contacts(solid, place, _up(tilted), supports)
        if not len(points):
            return None
        arm = ((points - face.middle) * along.conjugate()).real + back
        reach = arm > LIMITS.same_mm  # a support near the standing edge would lift that edge instead
        slope = float((heights[reach] / arm[reach]).max()) if reach.any() else 0.0
    if not LIMITS.slope < slope < LIMITS.max_slope:
        return None
    return Underside(slope * back, slope * along.real, slope * along.imag)
