"""Where the rounded edges of a die run in the picture, each with its own error.

A die's edge is rounded by two or three pixels, and its light turns along the round from one face's to the other's.
Where the second face looks away from the lamp the light fades before the outline, where it looks toward it the edge is
sharp: half of the light is then up to a pixel further in or out. How wide the flank is tells which, and so how far it
is off: the curves below follow from a round of a seventeenth of the side under a camera's blur of about a pixel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.eyes.bodies import Place, Solid, View
from vision.eyes.edges import profiles
from vision.eyes.sight import Floats, Sight

REACH_PX = 8.0
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
LEAST_PX = 7.0
"""Shorter edges and narrower faces are not measured."""
UPRIGHT_COSINE = 0.6
"""Edges steeper than this stand: against their own shadow they mislead."""


@dataclass(frozen=True, eq=False)
class Ridge:
    """One half of a visible edge: its middle in body mm and pixels, the outward normal, the shift found and its error.

    `is_outline` tells an edge against what lies behind from one between two visible faces; `contrast` is in shares of
    the paper's light.
    """

    body_mm: Floats
    normal: Floats
    offset_px: float
    sigma_px: float
    is_outline: bool
    is_low: bool
    contrast: float


@dataclass(frozen=True, eq=False)
class Edge:
    """Geometry of a visible edge: `ends_mm` (2, 3) of its core line in the body, `ends_px`, the outward `normal`,
    `rise_px` and `side_px`: how far a unit of the round goes along the normal toward the first and second face."""

    ends_mm: Floats
    ends_px: Floats
    normal: Floats
    rise_px: float
    side_px: float
    is_outline: bool
    is_low: bool
    inside_px: float
    outside_px: float


def visible_edges(view: View, solid: Solid, place: Place) -> list[Edge]:
    """The edges of a cube that the camera sees, the more upward face of each first, without such as mislead."""
    half_core = float(np.abs(solid.core_mm[0, 0]))
    half = half_core + solid.round_mm
    axes, middle = place.axes, place.middle_mm
    faces = [(a, s) for a in range(3) for s in (-1.0, 1.0)]
    centres = np.array([middle + axes[:, a] * s * half for a, s in faces])
    normals = np.array([axes[:, a] * s for a, s in faces])
    toward = view.pose.centre_mm - centres
    cosine = np.einsum("ij,ij->i", normals, toward) / np.linalg.norm(toward, axis=1)
    signs = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    corners_mm = place.points(signs * half_core)
    step = 0.5
    pixels = view.to_pixels(np.vstack([centres, corners_mm, middle, middle + step * np.eye(3)]))
    face_px, corners_px = pixels[:6], pixels[6:14]
    slope = ((pixels[15:] - pixels[14]) / step).T
    edges = []
    for i, (a, s) in enumerate(faces):
        for j, (b, t) in enumerate(faces):
            if b <= a:
                continue
            first, second = (i, j) if normals[i, 2] >= normals[j, 2] else (j, i)
            seen_first, seen_second = cosine[first] > SEEN_COSINE, cosine[second] > SEEN_COSINE
            if not (seen_first or seen_second):
                continue
            if not seen_first:
                first, second = second, first
            c = 3 - a - b
            ends = np.zeros((2, 3))
            ends[:, a], ends[:, b] = s * half_core, t * half_core
            ends[0, c], ends[1, c] = -half_core, half_core
            px = corners_px[[_corner(end) for end in ends]]
            line = px[1] - px[0]
            length = float(np.hypot(*line))
            if length < LEAST_PX:
                continue
            normal = np.array([line[1], -line[0]]) / length
            if (px.mean(axis=0) - face_px[first]) @ normal < 0:
                normal = -normal
            rise, side = normal @ slope @ normals[first], normal @ slope @ normals[second]
            both = bool(seen_first and seen_second)
            inside = 2 * abs(float((px.mean(axis=0) - face_px[first]) @ normal))
            outside = 2 * abs(float((face_px[second] - px.mean(axis=0)) @ normal)) if both else 99.0
            if inside < 4.5 or outside < 4.5:
                continue
            if abs(axes[2, c]) > UPRIGHT_COSINE and not both:
                continue  # a standing edge against its own shadow misleads
            low = bool(normals[second, 2] < -0.5)
            edges.append(
                Edge(
                    ends,
                    px,
                    normal,
                    float(rise) * solid.round_mm,
                    float(side) * solid.round_mm,
                    not both,
                    low,
                    inside,
                    outside,
                )
            )
    return edges


def _corner(end: Floats) -> int:
    """The place of a corner in the order of signs (x slowest)."""
    return int(end[0] > 0) * 4 + int(end[1] > 0) * 2 + int(end[2] > 0)


def measure_ridges(sight: Sight, solid: Solid, place: Place, parts: int = 2) -> list[Ridge]:
    """All measurable edges of a die near `place`."""
    edges = visible_edges(sight.view, solid, place)
    if not edges:
        return []
    count = 12 * parts
    t = ((np.arange(count) + 0.5) / count)[:, None]
    pixels, normals = [], []
    for edge in edges:
        round_px = np.hypot(edge.rise_px, edge.side_px) if edge.is_outline else (edge.rise_px + edge.side_px) / 2**0.5
        pixels.append(edge.ends_px[0] * (1 - t) + edge.ends_px[1] * t + edge.normal * round_px)
        normals.append(np.repeat(edge.normal[None], count, 0))
    along, lights = profiles(sight.light, np.vstack(pixels), np.vstack(normals), REACH_PX)
    lights = lights.reshape(len(edges) * parts, count // parts, len(along), 3)
    offsets, sigmas, contrasts = _flanks(along, _middle(lights), sight.paper, np.repeat(np.array(edges), parts))
    ridges = []
    for k in np.flatnonzero(sigmas > 0):
        edge, at = edges[k // parts], (k % parts + 0.5) / parts
        middle_px = edge.ends_px[:1] * (1 - at) + edge.ends_px[1:] * at
        if sight.covers and sight.is_covered(middle_px, COVER_PX)[0]:
            continue
        body = edge.ends_mm[0] * (1 - at) + edge.ends_mm[1] * at
        found = float(offsets[k]), float(sigmas[k])
        ridges.append(Ridge(body, edge.normal, *found, edge.is_outline, edge.is_low, float(contrasts[k])))
    return ridges


def _middle(lights: Floats) -> Floats:
    """The median over the second axis."""
    ordered = np.sort(lights, axis=1)
    half = lights.shape[1] // 2
    return np.asarray((ordered[:, half] + ordered[:, -half - 1]) / 2)


def _flanks(
    along: Floats, profiles: Floats, paper: Floats, edges: NDArray[np.object_]
) -> tuple[Floats, Floats, Floats]:
    """The edges in mean profiles (N, M, 3): their shifts and errors in pixels (0: there is none) and contrasts."""
    near, far = np.full(len(edges), INNER_PX[0]), np.full(len(edges), INNER_PX[1])
    inside_px = np.array([edge.inside_px for edge in edges])
    narrow = inside_px < far + 1
    near[narrow], far[narrow] = 1.5, np.maximum(inside_px[narrow] - 1.5, 2.5)
    relative = profiles / paper
    inner = _mean_where(relative, (along <= -near[:, None]) & (along >= -far[:, None]))
    reach = np.minimum(4.5, np.array([edge.outside_px for edge in edges]) - 1.0)
    outside = (along > 0) & (along < reach[:, None])
    rows = np.arange(len(edges))
    channel = np.argmax(inner - _mean_where(relative, outside), axis=1)
    flank, level = relative[rows, :, channel], inner[rows, channel]
    low = np.where(outside, flank, np.inf).min(axis=1)
    height = level - low
    high_at, half_at, low_at = (_falls(along, flank, low + height * part, far) for part in (HIGH, 0.5, LOW))
    width = low_at - high_at
    bright = level * paper[channel] > BRIGHT
    is_outline, is_low = (np.array([getattr(e, name) for e in edges], np.bool_) for name in ("is_outline", "is_low"))
    curves = [np.interp(width, WIDTHS_PX, c) for c in (OUTLINE_PX, OUTLINE_BRIGHT_PX, RIDGE_PX, RIDGE_BRIGHT_PX)]
    curve = np.where(is_outline, np.where(bright, curves[1], curves[0]), np.where(bright, curves[3], curves[2]))
    sigma = np.where(is_outline, OUTLINE_SIGMA_PX, RIDGE_SIGMA_PX) * np.maximum(width / WIDTHS_PX[-1], 1.0)
    sigma = np.where(is_low, FOOT_SIGMA_PX * np.where(height < 0.15, 1.5, 1.0), sigma)
    offset = np.where(is_low, half_at, low_at - curve)
    is_white = inner.min(axis=1) >= LEAST_WHITE * inner.max(axis=1)  # else another piece lies over it
    found = is_white & (height >= LEAST_CONTRAST) & np.isfinite(width + half_at)
    return offset, np.where(found, sigma, 0.0), height


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
