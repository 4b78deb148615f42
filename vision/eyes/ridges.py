"""Where the rounded edges of a die run in the picture, each with its own error.

A die's edge is rounded by two or three pixels, and its light turns along the round from one face's to the other's.
Where the second face looks away from the lamp the light fades before the outline, where it looks toward it the edge is
sharp: half of the light is then up to a pixel further in or out. How wide the flank is tells which, and so how far it
is off: the curves below follow from a round of a seventeenth of the side under a camera's blur of about a pixel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.medians import medians
from vision.eyes.bodies import Place, Solid, View
from vision.eyes.edges import profiles
from vision.eyes.sight import Floats, Sight

REACH_PX = 8.0
PARTS, SAMPLES = 2, 12
"""An edge is measured in so many parts, each by so many profiles."""
INNER_PX = (4.0, 7.5)
"""The first face's light is taken between these distances inside the edge."""
HIGH, LOW = 0.8, 0.25
"""The flank is as wide as from here to there of its height."""
WIDTHS_PX = np.array([1.0, 1.2, 1.35, 1.65, 1.95, 2.3])
OUTLINE_PX = np.array([0.95, 0.5, 0.16, -0.04, -0.10, -0.15])
"""By width, how far outside the outline the light falls below LOW."""
OUTLINE_BRIGHT_PX = np.array([0.75, 0.60, 0.42, -0.05, -0.10, -0.15])
"""The same where the face is too bright for the camera and its flank cut short."""
RIDGE_PX = np.array([2.0, 1.7, 1.40, 0.96, 0.40, 0.2])
RIDGE_BRIGHT_PX = np.array([1.65, 1.45, 1.22, 0.99, 0.98, 0.9])
"""The same beyond the middle of the round between two visible faces."""
SHARP_BLUR_PX, SHARPER = 0.65, 4.1
"""The curves hold for a blur between 0.65 and 0.92 px. A sharper camera's flanks are narrower, in squares, by so much
for each square pixel of blur that it lacks ..."""
FINE_PX_A_MM, COARSE_PX_A_MM = 1.75, 1.35
"""... where a millimetre is the second or less; where it is the first or more the round alone makes the flank. Set on
drawn scenes of cameras with a blur of 0.43 to 0.63 px and 0.9 to 1.75 px a mm."""
BRIGHT = 0.93
"""Linear light from which a channel is at its end."""
OUTLINE_SIGMA_PX, RIDGE_SIGMA_PX, FOOT_SIGMA_PX = 0.3, 0.5, 0.5
"""The scatter about the curves; and of the edge on the table, against shade."""
LEAST_CONTRAST = 0.05
"""Edges of less than this share of the paper's light are not measured."""
SEEN_COSINE = 0.04
"""A face is seen when the cosine to the camera is above this (2 degrees)."""
LEAST_WHITE = 0.3
"""A face's least channel is at least this part of its greatest, even beside a red territory."""
COVER_PX = 5.0
"""So near to what lies over a die its edges are not measured."""
LEAST_PX, LEAST_BROAD_PX = 7.0, 4.5
"""Shorter edges and narrower faces are not measured."""
UPRIGHT_COSINE = 0.6
"""Edges steeper than this stand: against their own shadow they mislead."""


@dataclass(frozen=True, eq=False)
class Ridges:
    """The measured halves of one die's visible edges (N): their middles in body mm (N, 3), the outward normals in the
    picture (N, 2), the shifts found and their errors (N,)."""

    body_mm: Floats
    normals: Floats
    offset_px: Floats
    sigma_px: Floats

    def __len__(self) -> int:
        return len(self.offset_px)

    @classmethod
    def joined(cls, several: Sequence[Ridges]) -> Ridges:
        """The ridges of several dice, one after the other."""
        return cls(
            np.concatenate([ridges.body_mm for ridges in several]),
            np.concatenate([ridges.normals for ridges in several]),
            np.concatenate([ridges.offset_px for ridges in several]),
            np.concatenate([ridges.sigma_px for ridges in several]),
        )


_NONE = Ridges(np.zeros((0, 3)), np.zeros((0, 2)), np.zeros(0), np.zeros(0))


@dataclass(frozen=True, eq=False)
class Edges:
    """The visible edges (N) of several cubes, each `of` one: `ends_mm` (N, 2, 3) of its core line in the body,
    `ends_px` (N, 2, 2), the outward `normal` (N, 2), `rise_px` and `side_px`: how far a unit of the round goes along
    the normal toward the first and second face, and how broad those are (`inside_px`, `outside_px`)."""

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


_FACES = [(axis, sign) for axis in range(3) for sign in (-1.0, 1.0)]
_FACE_SIGNS = np.array([sign * np.eye(3)[axis] for axis, sign in _FACES])
_CORNER_SIGNS = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
_PAIRS = np.array([(i, j) for i in range(6) for j in range(6) if j // 2 > i // 2])
"""The two faces that meet in each of the twelve edges."""
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
"""How pixels follow mm is measured over this."""
_T = (np.arange(PARTS * SAMPLES) + 0.5) / (PARTS * SAMPLES)
"""Where along an edge its profiles are taken."""


def visible_edges(view: View, solid: Solid, places: Sequence[Place]) -> Edges:
    """The edges of one or more cubes that the camera sees, the more upward face of each first, without such as
    mislead."""
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
    inside = 2 * np.abs(inward)
    outside = np.where(both, 2 * np.abs(_along(face_px[dice, second] - between, normal)), 99.0)
    turned = normal @ slope.transpose(0, 2, 1)
    rise, side = (_along(turned, normals[dice, which]) * solid.round_mm for which in (first, second))
    # a standing edge against its own shadow misleads
    kept = seen[dice, first] & (length >= LEAST_PX) & (inside >= LEAST_BROAD_PX) & (outside >= LEAST_BROAD_PX)
    kept &= both | (np.abs(axes[:, 2, _ALONG]) <= UPRIGHT_COSINE)
    of, which = np.nonzero(kept)
    return Edges(
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
    )


def _along(a: Floats, b: Floats) -> Floats:
    """The products of vectors, over the last axis."""
    return np.asarray(np.einsum("...i,...i->...", a, b))


def measure_ridges(sight: Sight, solid: Solid, places: Sequence[Place]) -> list[Ridges]:
    """All measurable edges of dice near these places."""
    if not places:
        return []
    edges = visible_edges(sight.view, solid, places)
    count = len(edges.of)
    if not count:
        return [_NONE for _ in places]
    rise, side = edges.rise_px, edges.side_px
    round_px = np.where(edges.is_outline, np.hypot(rise, side), (rise + side) / 2**0.5)
    t = _T[:, None]
    ends = edges.ends_px
    pixels = ends[:, :1] * (1 - t) + ends[:, 1:] * t + (edges.normal * round_px[:, None])[:, None]
    along, lights = profiles(sight.light, pixels.reshape(-1, 2), np.repeat(edges.normal, len(t), axis=0), REACH_PX)
    lights = medians(lights.reshape(count * PARTS, SAMPLES, len(along), 3))
    part = np.repeat(np.arange(count), PARTS)
    offsets, sigmas = _flanks(along, lights, sight.paper, edges, part, _lack_px2(sight))
    at = ((np.arange(count * PARTS) % PARTS + 0.5) / PARTS)[:, None]
    is_seen = sigmas > 0
    if sight.covers:
        is_seen &= ~sight.is_covered(ends[part, 0] * (1 - at) + ends[part, 1] * at, COVER_PX)
    body = edges.ends_mm[part, 0] * (1 - at) + edges.ends_mm[part, 1] * at
    of = edges.of[part]
    mine = [np.flatnonzero(is_seen & (of == k)) for k in range(len(places))]
    return [Ridges(body[i], edges.normal[part[i]], offsets[i], sigmas[i]) for i in mine]


def _lack_px2(sight: Sight) -> float:
    """By how much, in squares, a flank is narrower in this picture than the curves expect."""
    px_a_mm = sight.pose.lens.fx_px / float(sight.pose.centre_mm[2])
    share = np.clip((FINE_PX_A_MM - px_a_mm) / (FINE_PX_A_MM - COARSE_PX_A_MM), 0.0, 1.0)
    return float(SHARPER * share * max(SHARP_BLUR_PX**2 - sight.blur_px**2, 0.0))


def _flanks(
    along: Floats, profiles: Floats, paper: Floats, edges: Edges, part: NDArray[np.int64], lack_px2: float
) -> tuple[Floats, Floats]:
    """The edges in mean profiles (N, M, 3), each `part` of one: their shifts and errors in pixels (0: none)."""
    near, far = np.full(len(part), INNER_PX[0]), np.full(len(part), INNER_PX[1])
    inside_px, is_outline, is_low = edges.inside_px[part], edges.is_outline[part], edges.is_low[part]
    narrow = inside_px < far + 1
    near[narrow], far[narrow] = 1.5, np.maximum(inside_px[narrow] - 1.5, 2.5)
    relative = profiles / paper
    inner = _mean_where(relative, (along <= -near[:, None]) & (along >= -far[:, None]))
    reach = np.minimum(4.5, edges.outside_px[part] - 1.0)
    outside = (along > 0) & (along < reach[:, None])
    rows = np.arange(len(part))
    channel = np.argmax(inner - _mean_where(relative, outside), axis=1)
    flank, level = relative[rows, :, channel], inner[rows, channel]
    low = np.where(outside, flank, np.inf).min(axis=1)
    height = level - low
    high_at, half_at, low_at = (_falls(along, flank, low + height * part, far) for part in (HIGH, 0.5, LOW))
    width = np.sqrt(np.square(low_at - high_at) + lack_px2)
    bright = level * paper[channel] > BRIGHT
    curves = [np.interp(width, WIDTHS_PX, c) for c in (OUTLINE_PX, OUTLINE_BRIGHT_PX, RIDGE_PX, RIDGE_BRIGHT_PX)]
    curve = np.where(is_outline, np.where(bright, curves[1], curves[0]), np.where(bright, curves[3], curves[2]))
    sigma = np.where(is_outline, OUTLINE_SIGMA_PX, RIDGE_SIGMA_PX) * np.maximum(width / WIDTHS_PX[-1], 1.0)
    sigma = np.where(is_low, FOOT_SIGMA_PX * np.where(height < 0.15, 1.5, 1.0), sigma)
    offset = np.where(is_low, half_at, low_at - curve)
    is_white = inner.min(axis=1) >= LEAST_WHITE * inner.max(axis=1)  # else another piece lies over it
    found = is_white & (height >= LEAST_CONTRAST) & np.isfinite(width + half_at)
    return offset, np.where(found, sigma, 0.0)


def _mean_where(values: Floats, where: NDArray[np.bool_]) -> Floats:
    """Means over the second axis of (N, M, 3) where (N, M) says so."""
    return np.asarray(np.einsum("nm,nmc->nc", where.astype(values.dtype), values) / where.sum(axis=1)[:, None])


def _falls(along: Floats, flanks: Floats, level: Floats, far_px: Floats) -> Floats:
    """Where profiles (N, M) first fall through their levels, coming from inside; NaN where they do not."""
    high = flanks >= level[:, None]
    down = high[:, :-1] & ~high[:, 1:] & (along[:-1] >= -far_px[:, None])
    i = np.argmax(down, axis=1)
    rows = np.arange(len(flanks))
    first, second = flanks[rows, i], flanks[rows, i + 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        at = along[i] + (along[1] - along[0]) * (first - level) / (first - second)
    return np.where(down[rows, i], at, np.nan)
