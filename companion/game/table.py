"""Plane geometry of footprints in mm: disks, convex outlines, and how deep two of them overlap.

Convention: table mm, x right, y down, angles turn x towards y. Outlines may wind either way.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """One piece on the table, seen from above, for a page to draw. `size_mm` is its diameter or side."""

    id: str
    kind: str
    color: str | None
    x_mm: float
    y_mm: float
    angle_deg: float
    size_mm: float
    value: int | None = None
    marked_up: bool | None = None


@dataclass(frozen=True, slots=True)
class Disk:
    x_mm: float
    y_mm: float
    radius_mm: float


@dataclass(frozen=True, slots=True)
class Outline:
    points_mm: tuple[Point, ...]


Footprint = Disk | Outline


def square(x_mm: float, y_mm: float, side_mm: float, angle_deg: float = 0.0) -> Outline:
    """A die's footprint: a square about its centre.

    >>> square(0, 0, 2).points_mm
    ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
    """
    half = side_mm / 2
    c, s = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    corners = ((-half, -half), (half, -half), (half, half), (-half, half))
    return Outline(tuple((x_mm + c * u - s * v, y_mm + s * u + c * v) for u, v in corners))


def overlap_mm(a: Footprint, b: Footprint) -> float:
    """Depth of the overlap: if positive, the shortest move that separates the two; if negative, minus the gap.

    Touching is 0: the two share no area (kit: overlap means that the projections share area).

    >>> overlap_mm(Disk(0, 0, 110), Disk(132, 0, 22.5))
    0.5
    >>> round(overlap_mm(Disk(622.5, 350, 110), square(746.5, 350, 28)), 6)
    0.0
    """
    if isinstance(a, Disk) and isinstance(b, Disk):
        return a.radius_mm + b.radius_mm - math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)
    if isinstance(a, Outline) and isinstance(b, Outline):
        return _outlines_overlap_mm(convex_hull(a.points_mm), convex_hull(b.points_mm))
    disk, outline = (a, b) if isinstance(a, Disk) else (b, a)
    assert isinstance(disk, Disk)
    assert isinstance(outline, Outline)
    return disk.radius_mm - signed_distance_mm((disk.x_mm, disk.y_mm), outline.points_mm)


def signed_distance_mm(p: Point, outline: Sequence[Point]) -> float:
    """Distance of a point from a convex outline's edge, negative inside."""
    inside, best = True, math.inf
    turn = _winding(outline)
    for (x0, y0), (x1, y1) in zip(outline, (*outline[1:], outline[0]), strict=True):
        dx, dy = x1 - x0, y1 - y0
        length2 = dx * dx + dy * dy
        if length2 == 0.0:
            continue
        if turn * (dx * (p[1] - y0) - dy * (p[0] - x0)) < 0:
            inside = False
        t = min(1.0, max(0.0, (dx * (p[0] - x0) + dy * (p[1] - y0)) / length2))
        best = min(best, math.hypot(x0 + t * dx - p[0], y0 + t * dy - p[1]))
    return -best if inside else best


def convex_hull(points: Sequence[Point]) -> tuple[Point, ...]:
    """The hull of a set of points (Andrew's monotone chain), without collinear points."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return tuple(ordered)

    def chain(run: Sequence[Point]) -> list[Point]:
        hull: list[Point] = []
        for p in run:
            while len(hull) > 1 and _cross(hull[-2], hull[-1], p) <= 0:
                hull.pop()
            hull.append(p)
        return hull[:-1]

    return tuple(chain(ordered) + chain(ordered[::-1]))


def _cross(o: Point, a: Point, b: Point) -> float:
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def _winding(outline: Sequence[Point]) -> float:
    area = sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(outline, (*outline[1:], outline[0]), strict=True))
    return 1.0 if area >= 0 else -1.0


def _outlines_overlap_mm(a: Sequence[Point], b: Sequence[Point]) -> float:
    """The overlap of two hulls: the shallowest depth behind one of their edges, else the gap between their corners."""
    depth_mm = math.inf
    for one, other in ((a, b), (b, a)):
        for start, end in zip(one, (*one[1:], one[0]), strict=True):
            if start != end:
                depth_mm = min(depth_mm, max(_cross(start, end, p) for p in other) / math.dist(start, end))
    if depth_mm > 0:
        return depth_mm
    return -min(signed_distance_mm(p, of) for one, of in ((a, b), (b, a)) for p in one if len(of) > 1)
