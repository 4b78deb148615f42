"""How a camera sees bodies: points to pixels, outlines, and how these move with a body.

Convention: table mm (x, y, height), pixels (x, y).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.pose import Pose
from vision.measure.bodies import Floats, Place, Solid, turned

FEW = 60
"""Number of points up to which OpenCV projects faster than numpy."""
_DOWN = np.array([1.0, 1.0, -1.0])


class View:
    """A pose made quick: many points to pixels, with the lens's distortion, and pixels a millimetre."""

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
        if not 0 < len(points_mm) <= FEW:
            return self.project(points_mm)[0]
        shown = cv2.projectPoints(points_mm * _DOWN, self._turn_rad, self._shift, self._matrix, self._coefficients)[0]
        return np.asarray(shown[:, 0], np.float64)

    def project(self, points_mm: Floats) -> tuple[Floats, Floats]:
        """Pixels (N, 2) of table points (N, 3), and the pixels that a millimetre measures there (N,)."""
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
    """The visible faces of a cube: body axis, its sign, the cosine toward the camera, whether it looks up."""
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
class Outline:
    """Samples along a silhouette: pixels (N, 2), outward unit normals (N, 2), the body points behind them (N, 3)."""

    pixels: Floats
    normals: Floats
    body_mm: Floats


@dataclass(frozen=True, eq=False)
class Outlines:
    """The outlines of D bodies, one after the other: `outline` holds all samples, `counts[k]` of body k. `core_px`
    (D, K, 2): the pixels of their cores' points."""

    outline: Outline
    counts: NDArray[np.int64]
    core_px: Floats


def silhouette(view: View, solid: Solid, place: Place, spacing_px: float = 2.5) -> Outline:
    """The outline of a body in the picture, sampled evenly; the corners of a cube are left out."""
    return silhouettes(view, solid, [place], spacing_px).outline


def silhouettes(view: View, solid: Solid, places: Sequence[Place], spacing_px: float = 2.5) -> Outlines:
    """The outlines of one or more bodies of one shape, one after the other, with the points of their cores."""
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
    # hulls turn x towards y: a quarter turn of the direction, the other way, points outward
    normal = np.column_stack([along[:, 1], -along[:, 0]]) / np.maximum(length, 1e-9)[:, None]
    grow = solid.round_mm * (scale + scale[after]) / 2
    if solid.is_round:
        ends = np.cumsum(length)
        whole = np.add.reduceat(length, first)
        begin = ends[first] - length[first]
        steps = [np.arange(0.0, total, max(spacing_px, total / 400)) for total in whole.tolist()]
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
    outline = Outline(
        a[which] + along[which] * t[:, None] + normal[which] * grow[which, None],
        normal[which],
        body[which] + (body[after] - body)[which] * t[:, None],
    )
    return Outlines(outline, counts, core_px)


def outlines_px(view: View, bodies: Sequence[tuple[Solid, Place]], spacing_px: float) -> list[Floats]:
    """Each body's outline in the picture (N, 2); all of one shape are drawn at once."""
    outlines: list[Floats] = [np.zeros((0, 2))] * len(bodies)
    alike: dict[int, list[int]] = {}
    for i, (solid, _) in enumerate(bodies):
        alike.setdefault(id(solid), []).append(i)
    for mine in alike.values():
        found = silhouettes(view, bodies[mine[0]][0], [bodies[i][1] for i in mine], spacing_px)
        for i, pixels in zip(mine, np.split(found.outline.pixels, np.cumsum(found.counts)[:-1]), strict=True):
            outlines[i] = pixels
    return outlines


STEPS = (0.1, 0.1, 0.1, 1e-3, 1e-3, 1e-3)
"""Motions are measured over these steps, mm and radians."""


def motion_of(view: View, place: Place, outline: Outline) -> Floats:
    """How far each outline sample moves along its normal for a unit of each step of `Place.moved`: (N, 6)."""
    return motions_of(view, [place], outline, np.zeros(len(outline.body_mm), np.int64), range(6))


def motions_of(
    view: View, places: Sequence[Place], outline: Outline, of: NDArray[np.int64], steps: Sequence[int]
) -> Floats:
    """The same for samples `of` several bodies, and for some of the steps only: (N, len(steps))."""
    axes, middles = np.array([place.axes for place in places]), np.array([place.middle_mm for place in places])
    table = np.einsum("ni,nji->nj", outline.body_mm, axes[of]) if len(places) > 1 else outline.body_mm @ axes[0].T
    middle = middles[of]
    moved = [table + middle]
    for i in steps:
        if i < 3:
            shift = np.zeros(3)
            shift[i] = STEPS[i]
            moved.append(moved[0] + shift)
        else:
            axis = np.zeros(3)
            axis[i - 3] = STEPS[i]
            moved.append(table @ turned(axis).T + middle)
    pixels = view.to_pixels(np.vstack(moved)).reshape(len(moved), -1, 2)
    away = np.einsum("kij,ij->ik", pixels[1:] - pixels[0], outline.normals)
    return np.asarray(away / np.array([STEPS[i] for i in steps]))
