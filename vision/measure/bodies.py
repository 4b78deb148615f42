"""Pieces as solids with rounded edges: their outlines in a picture and their footprints on the table.

A rounded solid is a small convex core, grown by a ball. So its silhouette is the hull of the projected core, grown by
the ball's radius, and so is its footprint. Convention: table mm (x, y, height), pixels (x, y). Source: Minkowski sums
of convex bodies, e.g. de Berg et al., Computational Geometry, 3rd ed., ch. 13.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats
from calibration.pose import Pose
from vision.measure.limits import LIMITS


@dataclass(frozen=True, eq=False)
class Solid:
    """`core_mm` (K, 3) around the body's middle, in the body's frame, grown by a ball of `round_mm`.

    `half_height_mm`: height of the middle over the table if the body is flat on it.
    """

    core_mm: Floats
    round_mm: float
    half_height_mm: float
    is_round: bool

    @cached_property
    def radius_mm(self) -> float:
        """A disk's radius, or half a cube's side."""
        core = float(np.abs(self.core_mm[:, 0]).max())
        return (core / corner_factor(len(self.core_mm) // 2) if self.is_round else core) + self.round_mm


def turns(count: int) -> Floats:
    """`count` directions around the circle, in radians."""
    return np.asarray(np.arange(count) * (2 * math.pi / count), np.float64)


ALL_ROUND = np.column_stack([np.cos(turns(LIMITS.circle_points)), np.sin(turns(LIMITS.circle_points))])
"""Unit vectors (N, 2) in all directions."""


def corner_factor(sides: int) -> float:
    """The radius of a polygon's corners, as a multiple of its mean extent in all directions."""
    half_turn = math.pi / sides
    return half_turn / math.sin(half_turn)


def disk(diameter_mm: float, height_mm: float, round_mm: float, sides: int) -> Solid:
    """A flat disk with a rounded rim. Its polygon of `sides` corners has the circle's mean radius."""
    radius = (diameter_mm / 2 - round_mm) * corner_factor(sides)
    ring = np.column_stack([np.cos(turns(sides)), np.sin(turns(sides))]) * radius
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
    """The pose of a body: its middle (x, y, height) and its axes, the columns of `axes`, in the table frame."""

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

    def moved(self, step: Floats) -> "Place":
        """The pose after a small step (dx, dy, dz, turn about x, about y, about z), mm and radians."""
        return Place(self.middle_mm + step[:3], turned(step[3:]) @ self.axes)


def turned(vector: Floats) -> Floats:
    """The rotation by a rotation vector, in radians."""
    return np.asarray(cv2.Rodrigues(np.asarray(vector, np.float64))[0], np.float64)


def upright(x_mm: float, y_mm: float, middle_height_mm: float, angle_deg: float = 0.0) -> Place:
    """A body flat on the table."""
    c, s = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    return Place(np.array([x_mm, y_mm, middle_height_mm]), np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))


def unit(way: Floats) -> Floats:
    """A direction (x, y) scaled to length 1; a zero vector is returned unchanged."""
    length = float(np.hypot(*way))
    return way / length if length > 0 else way


def apart_mm(a: Place, b: Place) -> float:
    """Distance between two middles on the table."""
    return float(np.hypot(*(a.middle_mm - b.middle_mm)[:2]))


def footprint(solid: Solid, place: Place) -> Floats:
    """The vertical projection, a convex outline (N, 2) in mm, with rounded corners."""
    if solid.is_round and abs(place.axes[2, 2]) > 1 - 1e-9:
        return _level_footprint(solid) + place.middle_mm[:2]
    return _footprint(solid, place)


def top_face(solid: Solid, place: Place) -> Floats:
    """The outline of the face that looks up, including its rounded edge: (N, 3) in mm, tilted like the body."""
    up = 2 if solid.is_round else int(np.abs(place.axes[2]).argmax())
    level = _level_footprint(solid)
    face = np.zeros((len(level), 3))
    face[:, [(up + 1) % 3, (up + 2) % 3]] = level
    face[:, up] = math.copysign(solid.half_height_mm, place.axes[2, up])
    return place.points(face)


@lru_cache(maxsize=16)
def _level_footprint(solid: Solid) -> Floats:
    return _footprint(solid, upright(0.0, 0.0, solid.half_height_mm))


def _footprint(solid: Solid, place: Place) -> Floats:
    core = cv2.convexHull(place.points(solid.core_mm)[:, :2].astype(np.float32))[:, 0].astype(np.float64)
    ball = ALL_ROUND * solid.round_mm
    # both turn from x towards y; a Minkowski sum has the edges of both outlines, sorted by direction
    edges = np.vstack([core[1:], core[:1], ball[1:], ball[:1]]) - np.vstack([core, ball])
    angles = np.arctan2(edges[:, 1], edges[:, 0])
    start = core[angles[: len(core)].argmin()] + ball[angles[len(core) :].argmin()]
    way = edges[angles.argsort()].cumsum(axis=0)
    return np.asarray(np.vstack([start, start + way[:-1]]))


def depth_in_disk(solid: Solid, place: Place, centre_mm: Floats, radius_mm: float) -> float:
    """Overlap of the footprint with a disk on the table, as a depth (negative: the gap). Exact for rounded bodies."""
    core = cv2.convexHull(place.points(solid.core_mm)[:, :2].astype(np.float32))
    apart = -cv2.pointPolygonTest(core, (float(centre_mm[0]), float(centre_mm[1])), True)
    return radius_mm + solid.round_mm - apart


@dataclass(frozen=True, eq=False)
class Fit:
    """A body fitted to its outline. `covariance` (6, 6): of the steps of `Place.moved`, mm and radians. `coverage`:
    visible share of the outline. `clear`: share against another colour. `residual_px`: weighted RMS."""

    place: Place
    covariance: Floats
    coverage: float
    clear: float
    residual_px: float


_DOWN = np.array([1.0, 1.0, -1.0])


class View:
    """A pose with a fast projection: many points to pixels, with lens distortion, and the scale in pixels per mm."""

    def __init__(self, pose: Pose) -> None:
        self.pose = pose
        self._turn = pose.rotation * _DOWN
        self._turn_rad = cv2.Rodrigues(pose.rotation)[0]
        self._matrix, self._coefficients = pose.lens.matrix, pose.lens.coefficients
        self._shift = np.asarray(pose.translation_mm, np.float64).reshape(3, 1)
        self._scale_px = np.array([pose.lens.fx_px, pose.lens.fy_px])
        self._middle_px = np.array([pose.lens.cx_px, pose.lens.cy_px])
        self._focal_px = (pose.lens.fx_px + pose.lens.fy_px) / 2
        k1, k2, p1, p2, k3 = pose.lens.distortion
        self._bends, self._tilt = (k1, k2, k3), complex(p2, p1)

    def to_pixels(self, points_mm: Floats) -> Floats:
        """Pixels (N, 2) of table points (N, 3)."""
        if not 0 < len(points_mm) <= LIMITS.few_points:
            return self.project(points_mm)[0]
        shown = cv2.projectPoints(points_mm * _DOWN, self._turn_rad, self._shift, self._matrix, self._coefficients)[0]
        return np.asarray(shown[:, 0], np.float64)

    def project(self, points_mm: Floats) -> tuple[Floats, Floats]:
        """Pixels (N, 2) of table points (N, 3), and the scale there in pixels per mm (N,)."""
        k1, k2, k3 = self._bends
        x, y, depth = self._turn @ points_mm.T + self._shift
        at = np.empty(len(x), np.complex128)  # x + iy: half as many steps as with pairs
        np.divide(x, depth, out=at.real)
        np.divide(y, depth, out=at.imag)
        r2 = np.square(at.real) + np.square(at.imag)
        grown = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        grown += (at * (2 * self._tilt.conjugate())).real
        at *= grown
        at += self._tilt * r2
        pixels = at.view(np.float64).reshape(-1, 2)
        pixels *= self._scale_px
        pixels += self._middle_px
        return pixels, self._focal_px / depth


def faces_seen(view: View, solid: Solid, place: Place, least_cosine: float) -> list[tuple[int, float, float, bool]]:
    """The visible faces of a cube: body axis, sign, cosine toward the camera, whether the face looks up."""
    up = int(np.argmax(np.abs(place.axes[2])))
    found = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = place.axes[:, axis] * sign
            toward = view.pose.centre_mm - place.middle_mm - normal * solid.half_height_mm
            cosine = float(normal @ toward / np.linalg.norm(toward))
            if cosine >= least_cosine:
                found.append((axis, sign, cosine, bool(axis == up and normal[2] > 0)))
    return found


@dataclass(frozen=True, eq=False)
class Silhouette:
    """Samples along a silhouette: pixels (N, 2), outward unit normals (N, 2), and their body points (N, 3)."""

    pixels: Floats
    normals: Floats
    body_mm: Floats


@dataclass(frozen=True, eq=False)
class Outlines:
    """The outlines of D bodies in sequence: `outline` holds all samples, `counts[k]` of them for body k. `core_px` (D,
    K, 2): the cores' points in pixels."""

    outline: Silhouette
    counts: NDArray[np.int64]
    core_px: Floats


def silhouette(view: View, solid: Solid, place: Place, spacing_px: float = LIMITS.rim_spacing_px) -> Silhouette:
    """The outline of a body in the picture, sampled evenly; the corners of a cube are left out."""
    return silhouettes(view, solid, [place], spacing_px).outline


def silhouettes(view: View, solid: Solid, places: Sequence[Place], spacing_px: float) -> Outlines:
    """The outlines of bodies of one shape in sequence, with the points of their cores."""
    points = np.array([place.points(solid.core_mm) for place in places])
    shown, scales = view.project(points.reshape(-1, 3))
    core_px, size = shown.reshape(len(places), -1, 2), len(solid.core_mm)
    exact = core_px.astype(np.float32)
    hulls = [cv2.convexHull(each, returnPoints=False)[:, 0] for each in exact]
    corners = np.array([len(hull) for hull in hulls])
    first = np.cumsum(corners) - corners
    order = np.concatenate([hull + k * size for k, hull in enumerate(hulls)])
    after = np.arange(1, len(order) + 1)
    after[first + corners - 1] = first  # the last corner of a hull is followed by its first
    a, scale = shown[order], scales[order]
    along = a[after] - a
    length = np.hypot(along[:, 0], along[:, 1])
    # hulls run from x towards y: the direction turned by 90 degrees, from y towards x, points outward
    normal = np.column_stack([along[:, 1], -along[:, 0]]) / np.maximum(length, 1e-9)[:, None]
    grow = solid.round_mm * (scale + scale[after]) / 2
    if solid.is_round:
        ends = np.cumsum(length)
        whole = np.add.reduceat(length, first)
        begin = ends[first] - length[first]
        steps = [np.arange(0.0, total, spacing_px) for total in whole.tolist()]
        counts = np.array([len(step) for step in steps])
        at = np.concatenate(steps) + np.repeat(begin, counts)
        lows, highs = np.repeat(first, counts), np.repeat(first + corners - 1, counts)
        which = np.searchsorted(ends, at, side="right").clip(lows, highs)
        t = (at - (ends - length)[which]) / np.maximum(length[which], 1e-9)
    else:
        parts = np.maximum((length / spacing_px).astype(int), 1)
        which = np.repeat(np.arange(len(order)), parts)
        t = (np.arange(len(which)) - (np.cumsum(parts) - parts)[which] + 0.5) / parts[which]
        counts = np.add.reduceat(parts, first)
    body = solid.core_mm[order % size]
    outline = Silhouette(
        a[which] + along[which] * t[:, None] + normal[which] * grow[which, None],
        normal[which],
        body[which] + (body[after] - body)[which] * t[:, None],
    )
    return Outlines(outline, counts, core_px)


def outlines_px(view: View, bodies: Sequence[tuple[Solid, Place]], spacing_px: float) -> list[Floats]:
    """The outline (N, 2) of each body in the picture. Bodies of one shape are computed together."""
    outlines: list[Floats] = [np.zeros((0, 2))] * len(bodies)
    alike: dict[int, list[int]] = {}
    for i, (solid, _) in enumerate(bodies):
        alike.setdefault(id(solid), []).append(i)
    for mine in alike.values():
        found = silhouettes(view, bodies[mine[0]][0], [bodies[i][1] for i in mine], spacing_px)
        for i, pixels in zip(mine, np.split(found.outline.pixels, np.cumsum(found.counts)[:-1]), strict=True):
            outlines[i] = pixels
    return outlines


def motion_of(view: View, place: Place, outline: Silhouette) -> Floats:
    """Motion of each outline sample along its normal per unit of each step of `Place.moved`: (N, 6)."""
    return motions_of(view, [place], outline, np.zeros(len(outline.body_mm), np.int64), range(6))


def motions_of(
    view: View, places: Sequence[Place], outline: Silhouette, of: NDArray[np.int64], steps: Sequence[int]
) -> Floats:
    """Like `motion_of` for samples of several bodies (`of`: body numbers), with selected steps: (N, len(steps))."""
    axes, middles = np.array([place.axes for place in places]), np.array([place.middle_mm for place in places])
    table = np.einsum("ni,nji->nj", outline.body_mm, axes[of]) if len(places) > 1 else outline.body_mm @ axes[0].T
    middle = middles[of]
    moved = [table + middle]
    for i in steps:
        step = np.zeros(6)
        step[i] = LIMITS.motion_step
        moved.append(table @ turned(step[3:]).T + middle + step[:3])
    pixels = view.to_pixels(np.vstack(moved)).reshape(len(moved), -1, 2)
    away = np.einsum("kij,ij->ik", pixels[1:] - pixels[0], outline.normals)
    return np.asarray(away / LIMITS.motion_step)


# Small least-squares steps for several bodies at once, each with its own samples and with outliers weighed down.
# Source: iteratively reweighted least squares, P. J. Huber, Robust Statistics (1981), ch. 7; weights by Geman and
# McClure.


def robust_steps(
    slopes: Floats,
    offsets: Floats,
    certain: Floats,
    weights: Floats,
    reach: Floats,
    of: NDArray[np.int64],
    held: Floats,
) -> tuple[Floats, Floats, Floats, Floats]:
    """The step of each of D bodies that best explains its samples' `offsets` (N,). `of`: body numbers, in order.

    Args:
        slopes: (N, F), change of the offsets per unit of each free step.
        certain, weights: (N,), maximum and initial weights of the samples.
        reach: (N,), samples that stay off by more than about this distance lose their weight.
        held: (F, F), added to each body's normal matrix.
    Returns: the steps (D, F), the normal matrices (D, F, F), the remaining offsets (N,) and the last weights (N,).
    """
    bodies, free = int(of[-1]) + 1, slopes.shape[1]
    count, mine = np.arange(len(of)), np.zeros((bodies, len(of)))
    squares = (slopes[:, :, None] * slopes[:, None, :]).reshape(len(of), -1)
    terms = np.hstack([squares, slopes * offsets[:, None]])
    last = np.full(len(of), np.inf)
    for _ in range(2 * LIMITS.fit_rounds):
        mine[of, count] = weights
        sums = mine @ terms  # all bodies' sums in one product
        normal = sums[:, : free * free].reshape(bodies, free, free) + held
        step = np.linalg.solve(normal, sums[:, free * free :, None])[..., 0]
        left = offsets - (slopes * step[of]).sum(axis=1)
        if np.abs(left - last).max() < LIMITS.still:
            break
        last = left
        weights = certain / (1 + (left / reach) ** 2) ** 2
    return np.asarray(step, np.float64), normal, left, weights
