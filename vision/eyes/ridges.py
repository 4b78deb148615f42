"""Where the rounded edges of a die run in the picture, each with its own error.

A die's edge is rounded by two or three pixels, and its light turns along the round from one face's to the other's.
Where the second face looks away from the lamps the light fades before the outline, where it looks toward them the round
is as bright as the top: half of the light is then up to a pixel further in or out. So the light's direction (`slant`)
must be known to say where an edge is: the figures below were measured on drawn and on path-traced dice of which a
round is a seventeenth of the side, and hold for blurs of 0.4 to 0.9 px.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.medians import medians
from vision.eyes.bodies import Place, Solid, View
from vision.eyes.edges import profiles
from vision.eyes.sight import Floats, Glow, Sight


class Fallen(NamedTuple):
    """Where the light has fallen to LOW, in pixels outward: where the second face gets no light of the lamps, how much
    further for each unit of what it gets, and how much further where the first is flooded (by 1 / its light)."""

    dark_px: float
    lit_px: float
    flooded_px: float


REACH_PX = 8.0
PARTS, SAMPLES = 2, 12
"""An edge is measured in so many parts, each by so many profiles."""
INNER_PX = (4.0, 7.5)
"""The first face's light is taken between these distances inside the edge."""
HIGH, LOW = 0.8, 0.25
"""The flank is as wide as from here to there of its height."""
OUTLINE, RIDGE = Fallen(0.29, 0.61, 0.99), Fallen(1.14, 1.15, 1.35)
"""From the outline on, and from the middle of the round between two visible faces."""
FOOT_PX = -0.12
"""Half of the light is lost so far outside of a wall's foot."""
TOP_LIGHT = 1.6
"""How bright a white die's top is, paper = 1, glare included: a camera that ends below that shows it wider."""
BRIGHT = 0.93
"""Linear light from which a channel is at its end."""
OUTLINE_SIGMA_PX, RIDGE_SIGMA_PX, FOOT_SIGMA_PX = 0.3, 0.4, 0.4
"""The scatter about that; and of the edge on the table, against shade."""
CALM = 0.3
"""Edges of tops that are not flooded differ from one picture to the next by this part of what those do that are."""
EVEN, NARROW_PX, VAGUE_SIGMA_PX = 0.45, 3.0, 0.9
"""Where the second face is brighter than this part of the first, or narrower, the light's fall hardly tells where the
edge between them is."""
LEAST_CONTRAST = 0.05
"""Edges of less than this share of the paper's light are not measured."""
SEEN_COSINE = 0.04
"""A face is seen when the cosine to the camera is above this (2 degrees)."""
LEAST_WHITE = 0.3
"""A face's least channel is at least this part of its greatest, even beside a red territory."""
COVER_PX = 5.0
"""So near to what lies over a die its edges are not measured."""
BEYOND_PX = 2.5
"""A second face is seen from so far beyond the edge on."""
LEAST_LIT = 0.5
"""A first face gets this part of what level ground gets of the lamps' light, at least."""
SIDE_PX = 2.55
"""The figures hold where the round goes so far along the normal toward the second face, and scale with it."""
LEAST_PX, LEAST_BROAD_PX, LEAST_BEYOND_PX = 7.0, 4.0, 1.5
"""Shorter edges are not measured, nor those of narrower faces or beside narrower ones."""
LEVEL = 0.9
"""A face whose normal's height is above this is a top."""
UPRIGHT_COSINE = 0.6
"""Edges steeper than this stand: against their own shadow they mislead."""


@dataclass(frozen=True, eq=False)
class Ridges:
    """The measured halves of one die's visible edges (N): their middles in body mm (N, 3), the outward normals in the
    picture (N, 2), the shifts found and their errors (N,), and what a unit of each figure of a `Glow` (slant in x and
    y, outlines, ridges) would add to the shifts (N, 4)."""

    body_mm: Floats
    normals: Floats
    offset_px: Floats
    sigma_px: Floats
    by_glow: Floats

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
            np.concatenate([ridges.by_glow for ridges in several]),
        )


_NONE = Ridges(np.zeros((0, 3)), np.zeros((0, 2)), np.zeros(0), np.zeros(0), np.zeros((0, 4)))


@dataclass(frozen=True, eq=False)
class Edges:
    """The visible edges (N) of several cubes, each `of` one: `ends_mm` (N, 2, 3) of its core line in the body,
    `ends_px` (N, 2, 2), the outward `normal` (N, 2), `rise_px` and `side_px`: how far a unit of the round goes along
    the normal toward the first and second face, and how broad those are (`inside_px`, `outside_px`); where the two
    faces look to on the table, `first` and `second` (N, 3)."""

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


@dataclass(frozen=True, eq=False)
class Flanks:
    """How the light falls across the parts (N) of edges, `part` telling of which: where it passes LOW and half of the
    way (`low_px`, `half_px`, outward), how wide the fall is, how bright the first and second face are (paper = 1), how
    much it falls, whether the first is too bright for the camera, and whether there is anything to measure."""

    part: NDArray[np.int64]
    low_px: Floats
    half_px: Floats
    width_px: Floats
    first: Floats
    second: Floats
    height: Floats
    is_flooded: NDArray[np.bool_]
    is_found: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Shown:
    """What a picture shows of dice near these places, whatever is known of the light."""

    places: Sequence[Place]
    edges: Edges
    flanks: Flanks


_NO_FLANKS = Flanks(np.zeros(0, np.int64), *np.zeros((6, 0)), *np.zeros((2, 0), bool))
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
    turned = normal @ slope.transpose(0, 2, 1)
    rise, side = (_along(turned, normals[dice, which]) * solid.round_mm for which in (first, second))
    inside = 2 * (np.abs(inward) + rise)
    outside = np.where(both, 2 * (_along(face_px[dice, second] - between, normal) - side), 99.0)
    # a standing edge against its own shadow misleads
    kept = seen[dice, first] & (length >= LEAST_PX) & (inside >= LEAST_BROAD_PX) & (outside >= LEAST_BEYOND_PX)
    kept &= np.abs(axes[:, 2, _ALONG]) <= UPRIGHT_COSINE
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
        normals[of, first[kept]],
        normals[of, second[kept]],
    )


def _along(a: Floats, b: Floats) -> Floats:
    """The products of vectors, over the last axis."""
    return np.asarray(np.einsum("...i,...i->...", a, b))


def measure_ridges(sight: Sight, solid: Solid, places: Sequence[Place]) -> list[Ridges]:
    """All measurable edges of dice near these places."""
    return ridges_of(sight, shown_of(sight, solid, places)) if places else []


def ridges_of(sight: Sight, shown: Shown) -> list[Ridges]:
    """The same where the light's falls are known: where the edges run under the glow that the sight knows of."""
    edges, flanks = shown.edges, shown.flanks
    if not len(flanks.part):
        return [_NONE for _ in shown.places]
    part = flanks.part
    offsets, sigmas, by_glow = _offsets(edges, flanks, sight.glow)
    at = ((np.arange(len(part)) % PARTS + 0.5) / PARTS)[:, None]
    is_seen = flanks.is_found
    if sight.covers:
        is_seen = is_seen & ~sight.is_covered(edges.ends_px[part, 0] * (1 - at) + edges.ends_px[part, 1] * at, COVER_PX)
    body = edges.ends_mm[part, 0] * (1 - at) + edges.ends_mm[part, 1] * at
    of = edges.of[part]
    mine = [np.flatnonzero(is_seen & (of == k)) for k in range(len(shown.places))]
    return [Ridges(body[i], edges.normal[part[i]], offsets[i], sigmas[i], by_glow[i]) for i in mine]


def met(shown: Shown) -> Floats:
    """The share of the halves of each die's edges that are measured (D,): few of a place that is half off a die."""
    part = shown.flanks.part
    count = len(shown.places)
    of = shown.edges.of[part] if len(part) else part
    return np.bincount(of, shown.flanks.is_found, count) / np.maximum(np.bincount(of, minlength=count), 1)


def swollen_px(sight: Sight, shown: Shown) -> tuple[Floats, Floats]:
    """How much further out than they should be the outlines of each die's top are seen, on the mean (D,), NaN where
    none is measured; and at what part of each die's edges the first face is too bright for the camera (D,)."""
    edges, flanks = shown.edges, shown.flanks
    swollen, flooded = np.full(len(shown.places), np.nan), np.zeros(len(shown.places))
    if not len(flanks.part):
        return swollen, flooded
    part = flanks.part
    is_top = edges.is_outline[part] & (edges.first[part, 2] > LEVEL)
    offsets = _offsets(edges, flanks, sight.glow)[0]
    for k in range(len(shown.places)):
        mine = flanks.is_found & (edges.of[part] == k)
        if mine.any():
            flooded[k] = flanks.is_flooded[mine].mean()
        if (mine & is_top).any():
            swollen[k] = offsets[mine & is_top].mean()
    return swollen, flooded


def shown_of(sight: Sight, solid: Solid, places: Sequence[Place]) -> Shown:
    """The edges of dice near these places, and how the light falls across their halves."""
    edges = visible_edges(sight.view, solid, places)
    count = len(edges.of)
    if not count:
        return Shown(places, edges, _NO_FLANKS)
    rise, side = edges.rise_px, edges.side_px
    round_px = np.where(edges.is_outline, np.hypot(rise, side), (rise + side) / 2**0.5)
    t = _T[:, None]
    ends = edges.ends_px
    pixels = ends[:, :1] * (1 - t) + ends[:, 1:] * t + (edges.normal * round_px[:, None])[:, None]
    along, lights = profiles(sight.light, pixels.reshape(-1, 2), np.repeat(edges.normal, len(t), axis=0), REACH_PX)
    lights = medians(lights.reshape(count * PARTS, SAMPLES, len(along), 3))
    part = np.repeat(np.arange(count), PARTS)
    return Shown(places, edges, _flanks(along, lights, sight, edges, part))


def _flanks(along: Floats, profiles: Floats, sight: Sight, edges: Edges, part: NDArray[np.int64]) -> Flanks:
    """The fall of the light in mean profiles (N, M, 3), each `part` of one edge."""
    near, far = np.full(len(part), INNER_PX[0]), np.full(len(part), INNER_PX[1])
    inside_px = edges.inside_px[part]
    narrow = inside_px < far + 1
    near[narrow], far[narrow] = 1.5, np.maximum(inside_px[narrow] - 1.5, 2.5)
    relative = profiles / sight.paper
    inner = _mean_where(relative, (along <= -near[:, None]) & (along >= -far[:, None]))
    reach = np.minimum(4.5, edges.outside_px[part] + 1.5)
    outside = (along > 0) & (along < reach[:, None])
    rows = np.arange(len(part))
    channel = np.argmax(inner - _mean_where(relative, outside), axis=1)
    flank, level = relative[rows, :, channel], inner[rows, channel]
    low = np.where(outside, flank, np.inf).min(axis=1)
    height = level - low
    high_at, half_at, low_at = (_falls(along, flank, low + height * part, far) for part in (HIGH, 0.5, LOW))
    second = _mean_where(relative, (along > BEYOND_PX) & (along < np.maximum(reach, BEYOND_PX + 0.7)[:, None]))
    is_white = inner.min(axis=1) >= LEAST_WHITE * inner.max(axis=1)  # else another piece lies over it
    width = low_at - high_at
    is_found = is_white & (height >= LEAST_CONTRAST) & np.isfinite(width + half_at)
    is_flooded = level * sight.paper[channel] > BRIGHT * sight.end[channel]
    return Flanks(part, low_at, half_at, width, level, second.mean(axis=1), height, is_flooded, is_found)


def _offsets(edges: Edges, flanks: Flanks, glow: Glow) -> tuple[Floats, Floats, Floats]:
    """How far the edges are off where they were expected and the errors of that, in pixels, and how that changes with
    the glow."""
    part = flanks.part
    is_outline, is_low = edges.is_outline[part], edges.is_low[part]
    first, second = edges.first[part], edges.second[part]
    slant = np.array(glow.slant)
    level = np.maximum(first[:, :2] @ slant + first[:, 2], LEAST_LIT)
    lit = (second[:, :2] @ slant + second[:, 2]) / level
    scale = edges.side_px[part] / SIDE_PX
    dark, by_lit, by_flood = (np.where(is_outline, *pair) for pair in zip(OUTLINE, RIDGE, strict=True))
    swollen = np.where(flanks.is_flooded, 1.0, CALM)
    fallen = (dark + by_lit * lit.clip(-1.0, 1.0)) * scale
    fallen += swollen * np.where(is_outline, glow.outline_px, glow.ridge_px)
    fallen += np.where(flanks.is_flooded, by_flood * (1 / flanks.first - 1 / TOP_LIGHT), 0.0)
    by_slant = np.where(np.abs(lit) < 1, by_lit * scale / level, 0.0)[:, None] * second[:, :2]
    by_glow = np.where(is_low[:, None], 0.0, np.column_stack([by_slant, swollen * is_outline, swollen * ~is_outline]))
    is_vague = ~is_outline & ((flanks.second > EVEN * flanks.first) | (edges.outside_px[part] < NARROW_PX))
    sigma = np.where(is_outline, OUTLINE_SIGMA_PX, np.where(is_vague, VAGUE_SIGMA_PX, RIDGE_SIGMA_PX))
    sigma = np.where(is_low, FOOT_SIGMA_PX * np.where(flanks.height < 0.15, 1.5, 1.0), sigma)
    return np.where(is_low, flanks.half_px - FOOT_PX, flanks.low_px - fallen), sigma, by_glow


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
