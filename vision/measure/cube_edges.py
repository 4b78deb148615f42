"""Which edges of a cube a camera sees, where it shows them, and where their two faces look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.measure.bodies import Place, Solid
from vision.measure.prepared import Floats
from vision.measure.views import View

SEEN_COSINE = 0.04
"""A face is seen where the cosine toward the camera is above this (2 degrees)."""
LEAST_PX, LEAST_BROAD_PX, LEAST_BEYOND_PX = 7.0, 4.0, 1.5
"""Minimum edge length and face width. Edges next to a narrower face are not measured either."""
UPRIGHT_COSINE = 0.6
"""Steeper edges stand upright, and mislead against their own shadow."""


@dataclass(frozen=True, eq=False)
class DieEdges:
    """The visible edges (N) of several cubes; `of` is the index of the cube.

    `ends_mm`, `ends_px`: the ends of its core line in the body (N, 2, 3) and in the picture (N, 2, 2). `normal`:
    outward (N, 2). `rise_px`, `side_px`: how far the round reaches along the normal toward the first and second face.
    `inside_px`, `outside_px`: how broad these are. `first`, `second`: their normals on the table (N, 3).
    """

    of: NDArray[np.int64]
    ends_mm: Floats
    ends_px: Floats
    normal: Floats
    rise_px: Floats
    side_px: Floats
    is_outline: NDArray[np.bool_]
    is_low: NDArray[np.bool_]
    inside_px: Floats
    outside_px: Floats
    first: Floats
    second: Floats


_FACES = [(axis, sign) for axis in range(3) for sign in (-1.0, 1.0)]
_FACE_SIGNS = np.array([sign * np.eye(3)[axis] for axis, sign in _FACES])
_CORNER_SIGNS = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
_PAIRS = np.array([(i, j) for i in range(6) for j in range(6) if j // 2 > i // 2])
"""The two faces of each of the twelve edges."""
_ALONG = 3 - (_PAIRS // 2).sum(axis=1)
"""The body axis that each edge runs along."""
_END_SIGNS = np.array(
    [
        [_FACE_SIGNS[i] + _FACE_SIGNS[j] + end * np.eye(3)[c] for end in (-1.0, 1.0)]
        for (i, j), c in zip(_PAIRS, _ALONG, strict=True)
    ]
)
_ENDS = np.array([[int(np.flatnonzero((end == _CORNER_SIGNS).all(axis=1))[0]) for end in ends] for ends in _END_SIGNS])
"""Which two corners each edge joins."""
_PROBE_MM = 0.5
"""Pixels a mm are measured over this length."""


def visible_edges(view: View, solid: Solid, places: Sequence[Place]) -> DieEdges:
    """The edges of one or more cubes that the camera sees and that can be measured, the more upward face first."""
    half_core = float(np.abs(solid.core_mm[0, 0]))
    axes = np.array([place.axes for place in places])
    middle = np.array([place.middle_mm for place in places])[:, None]
    turn = axes.transpose(0, 2, 1)
    normals = _FACE_SIGNS @ turn
    centres = middle + normals * (half_core + solid.round_mm)
    toward = view.pose.centre_mm - centres
    seen = _along(normals, toward) > SEEN_COSINE * np.sqrt(_along(toward, toward))
    corners = middle + (_CORNER_SIGNS * half_core) @ turn
    points = np.concatenate([centres, corners, middle, middle + _PROBE_MM * np.eye(3)], axis=1)
    pixels = view.to_pixels(points.reshape(-1, 3)).reshape(len(places), -1, 2)
    face_px, corners_px = pixels[:, :6], pixels[:, 6:14]
    slope = (pixels[:, 15:] - pixels[:, 14:15]) / _PROBE_MM  # (P, 3, 2): pixels a mm along x, y and height
    i, j = _PAIRS.T
    swap = (normals[:, i, 2] < normals[:, j, 2]) & seen[:, j] | ~seen[:, i]
    first, second = np.where(swap, j, i), np.where(swap, i, j)
    dice = np.arange(len(places))[:, None]
    px = corners_px[:, _ENDS]
    line = px[:, :, 1] - px[:, :, 0]
    length = np.maximum(np.hypot(line[..., 0], line[..., 1]), 1e-9)
    normal = np.stack([line[..., 1], -line[..., 0]], axis=-1) / length[..., None]
    between = (px[:, :, 0] + px[:, :, 1]) / 2
    inward = _along(between - face_px[dice, first], normal)
    normal = np.where(inward[..., None] < 0, -normal, normal)
    both = seen[dice, first] & seen[dice, second]
    turned = normal @ slope.transpose(0, 2, 1)
    rise, side = (_along(turned, normals[dice, which]) * solid.round_mm for which in (first, second))
    inside = 2 * (np.abs(inward) + rise)
    outside = np.where(both, 2 * (_along(face_px[dice, second] - between, normal) - side), 99.0)
    # a standing edge against its own shadow misleads
    kept = seen[dice, first] & (length >= LEAST_PX) & (inside >= LEAST_BROAD_PX) & (outside >= LEAST_BEYOND_PX)
    kept &= np.abs(axes[:, 2, _ALONG]) <= UPRIGHT_COSINE
    of, which = np.nonzero(kept)
    return DieEdges(
        of,
        _END_SIGNS[which] * half_core,
        px[kept],
        normal[kept],
        rise[kept],
        side[kept],
        ~both[kept],
        normals[of, second[kept], 2] < -0.5,
        inside[kept],
        outside[kept],
        normals[of, first[kept]],
        normals[of, second[kept]],
    )


def _along(a: Floats, b: Floats) -> Floats:
    """The products of vectors, over the last axis."""
    return np.asarray(np.einsum("...i,...i->...", a, b))
