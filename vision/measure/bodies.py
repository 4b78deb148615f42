"""Pieces as solids with rounded edges: their outlines in a picture and their footprints on the table.

A rounded solid is a small convex core, grown by a ball. So its silhouette is the hull of the projected core, grown by
the ball's radius, and its footprint likewise. Convention: table mm (x, y, height), pixels (x, y).
Source: Minkowski sums of convex bodies, e.g. de Berg et al., Computational Geometry, 3rd ed., ch. 13.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Solid:
    """`core_mm` (K, 3) in the body's frame about its middle, grown by a ball of `round_mm`.

    `half_height_mm` is the middle's height over the table for a flat body.
    """

    core_mm: Floats
    round_mm: float
    half_height_mm: float
    is_round: bool


def disk(diameter_mm: float, height_mm: float, round_mm: float, sides: int) -> Solid:
    """A flat disk with a rounded rim; the polygon of `sides` has the circle's mean radius."""
    turns = np.arange(sides) * (2 * math.pi / sides)
    # a polygon's mean radius is short of its corners' by this factor
    radius = (diameter_mm / 2 - round_mm) * (1 + (math.pi / sides) ** 2 / 6)
    ring = np.column_stack([np.cos(turns), np.sin(turns)]) * radius
    half = height_mm / 2 - round_mm
    core = np.vstack([np.column_stack([ring, np.full(sides, z)]) for z in (-half, half)])
    return Solid(core, round_mm, height_mm / 2, True)


def cube(side_mm: float, round_mm: float) -> Solid:
    """A cube with rounded edges."""
    half = side_mm / 2 - round_mm
    core = np.array([(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)])
    return Solid(core, round_mm, side_mm / 2, False)


@dataclass(frozen=True, eq=False)
class Place:
    """Where a body is: its middle (x, y, height) and its axes, the columns of `axes`, in the table frame."""

    middle_mm: Floats
    axes: Floats

    def points(self, body_mm: Floats) -> Floats:
        """Body points (N, 3) in the table frame."""
        return body_mm @ self.axes.T + self.middle_mm

    @property
    def tilt_deg(self) -> float:
        """The angle between the body's most upward axis and the vertical."""
        return math.degrees(math.acos(min(1.0, float(np.abs(self.axes[2]).max()))))

    @cached_property
    def angle_deg(self) -> float:
        """The turn of the flattest axis about the vertical, within [0, 90): x towards y."""
        heights = [abs(height) for height in self.axes[2].tolist()]
        x, y, _ = self.axes[:, heights.index(min(heights))].tolist()
        return math.degrees(math.atan2(y, x)) % 90.0

    def moved(self, step: Floats) -> Place:
        """This place after a small step (dx, dy, dz, turn about x, about y, about z), mm and radians."""
        return Place(self.middle_mm + step[:3], turned(step[3:]) @ self.axes)


def turned(vector: Floats) -> Floats:
    """The rotation by a vector (its length the angle in radians)."""
    return np.asarray(cv2.Rodrigues(np.asarray(vector, np.float64))[0], np.float64)


def upright(x_mm: float, y_mm: float, middle_height_mm: float, angle_deg: float = 0.0) -> Place:
    """A body flat on the table."""
    c, s = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    return Place(np.array([x_mm, y_mm, middle_height_mm]), np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))


def unit(way: Floats) -> Floats:
    """A direction (x, y) with length 1; one without length stays."""
    length = float(np.hypot(*way))
    return way / length if length > 0 else way


def apart_mm(a: Place, b: Place) -> float:
    """How far two middles are from each other on the table."""
    return float(np.hypot(*(a.middle_mm - b.middle_mm)[:2]))


def footprint(solid: Solid, place: Place, steps: int = 5) -> Floats:
    """The vertical projection, a convex outline (N, 2) in mm; the round has `steps` corners a quarter turn."""
    if solid.is_round and abs(place.axes[2, 2]) > 1 - 1e-9:
        return _level_footprint(solid, steps) + place.middle_mm[:2]
    return _footprint(solid, place, steps)


def top_face(solid: Solid, place: Place, steps: int = 5) -> Floats:
    """The outline of the face that looks up, its rounded edge with it: (N, 3) in mm, leaning as the body does."""
    up = 2 if solid.is_round else int(np.abs(place.axes[2]).argmax())
    level = _level_footprint(solid, steps)
    face = np.zeros((len(level), 3))
    face[:, [(up + 1) % 3, (up + 2) % 3]] = level
    face[:, up] = math.copysign(solid.half_height_mm, place.axes[2, up])
    return place.points(face)


@lru_cache(maxsize=16)
def _level_footprint(solid: Solid, steps: int) -> Floats:
    """Footprint of a flat body about the origin, unturned. A disk has the same footprint at every turn."""
    return _footprint(solid, upright(0.0, 0.0, solid.half_height_mm), steps)


def _footprint(solid: Solid, place: Place, steps: int) -> Floats:
    core = cv2.convexHull(place.points(solid.core_mm)[:, :2].astype(np.float32))[:, 0].astype(np.float64)
    turns = np.arange(4 * steps) * (math.pi / (2 * steps))
    ball = np.column_stack([np.cos(turns), np.sin(turns)]) * solid.round_mm
    # both turn x towards y, and the edges of a sum of convex outlines are theirs in the order of their directions
    edges = [np.vstack([outline[1:], outline[:1]]) - outline for outline in (core, ball)]
    angles = [np.arctan2(edge[:, 1], edge[:, 0]) for edge in edges]
    start = core[angles[0].argmin()] + ball[angles[1].argmin()]
    order = np.concatenate(angles).argsort()
    way = np.vstack(edges)[order].cumsum(axis=0)
    return np.asarray(np.vstack([start, start + way[:-1]]))


def depth_in_disk(solid: Solid, place: Place, centre_mm: Floats, radius_mm: float) -> float:
    """Depth of the footprint's overlap with a disk on the table (negative: the gap). Exact for the rounded body."""
    core = cv2.convexHull(place.points(solid.core_mm)[:, :2].astype(np.float32))
    apart = -cv2.pointPolygonTest(core, (float(centre_mm[0]), float(centre_mm[1])), True)
    return radius_mm + solid.round_mm - apart


@dataclass(frozen=True, eq=False)
class Fit:
    """A body fitted to its outline: `covariance` (6, 6) of `Place.moved`'s steps, mm and radians; `coverage` the
    share of its outline that was seen, `clear` the share against another colour, `residual_px` the weighted RMS."""

    place: Place
    covariance: Floats
    coverage: float
    clear: float
    own: float
    residual_px: float
