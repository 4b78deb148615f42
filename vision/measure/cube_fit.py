"""The edges of a die in the picture, and the cube that fits them.

Measures the rounded edges of a die in the picture, each with its own error.

The rounding of an edge is two or three pixels wide. Its light changes from one face's light to the other's. If the
second face looks away from the lamps, the light fades before the outline. If it faces them, the rounding is as bright
as the top. So the middle of the fall moves by up to a pixel, and the light's direction must be known. The values were
measured on drawn and path-traced dice with a rounding of a seventeenth of the side, for blurs of 0.4 to 0.9 px.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats
from calibration.edges import medians
from vision.measure.bodies import Fit, Place, Silhouette, Solid, View, motions_of, robust_steps
from vision.measure.limits import LIMITS
from vision.measure.prepared import PreparedImage, RoomLight, profiles


@dataclass(frozen=True, eq=False)
class DieEdges:
    """The visible edges (N) of several cubes; `of` is the index of the cube.

    `ends_mm`, `ends_px`: the ends of the edge's core line in the body (N, 2, 3) and in the picture (N, 2, 2). `normal`:
    outward (N, 2). `rise_px`, `side_px`: extent of the rounding along the normal toward the first and second face.
    `inside_px`, `outside_px`: width of these faces. `first`, `second`: their normals on the table (N, 3).
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
_ALONG = np.array([next(axis for axis in range(3) if axis not in pair) for pair in _PAIRS // 2])
"""The body axis parallel to each edge."""
_END_SIGNS = np.array(
    [
        [_FACE_SIGNS[i] + _FACE_SIGNS[j] + end * np.eye(3)[c] for end in (-1.0, 1.0)]
        for (i, j), c in zip(_PAIRS, _ALONG, strict=True)
    ]
)
_ENDS = np.array([[int(np.flatnonzero((end == _CORNER_SIGNS).all(axis=1))[0]) for end in ends] for ends in _END_SIGNS])
"""The two corners of each edge."""
_PROBE_MM = 0.5
"""Length over which the scale in pixels per mm is measured."""


def visible_edges(view: View, solid: Solid, places: Sequence[Place]) -> DieEdges:
    """The visible, measurable edges of cubes; of an edge's two faces, the more upward face comes first."""
    half_core = float(np.abs(solid.core_mm[0, 0]))
    axes = np.array([place.axes for place in places])
    middle = np.array([place.middle_mm for place in places])[:, None]
    turn = axes.transpose(0, 2, 1)
    normals = _FACE_SIGNS @ turn
    centres = middle + normals * (half_core + solid.round_mm)
    toward = view.pose.centre_mm - centres
    seen = _along(normals, toward) > LIMITS.min_face_cosine * np.sqrt(_along(toward, toward))
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
    outside = np.where(both, 2 * (_along(face_px[dice, second] - between, normal) - side), np.inf)
    # an upright edge next to its own shadow misleads
    kept = (
        seen[dice, first]
        & (length >= LIMITS.inner_px[1])
        & (inside >= LIMITS.inner_px[0])
        & (outside >= LIMITS.min_second_px)
    )
    kept &= np.abs(axes[:, 2, _ALONG]) <= 0.5
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
    """The scalar products of vectors, over the last axis."""
    return np.asarray(np.einsum("...i,...i->...", a, b))


PARTS, SAMPLES = 2, LIMITS.face_samples
"""An edge is measured in two halves, each with several profiles."""


@dataclass(frozen=True, eq=False)
class Ridges:
    """The measured halves of one die's visible edges (N). `body_mm` (N, 3): their middles. `normals` (N, 2): outward,
    in the picture. The measured offsets and their errors, (N,). `by_light` (N, 4): change of the offsets per unit of
    the `RoomLight`'s direction (2), outlines and ridges."""

    body_mm: Floats
    normals: Floats
    offset_px: Floats
    sigma_px: Floats
    by_light: Floats

    def __len__(self) -> int:
        return len(self.offset_px)

    @classmethod
    def joined(cls, several: "Sequence[Ridges]") -> "Ridges":
        """The ridges of several dice in sequence."""
        return cls(
            np.concatenate([ridges.body_mm for ridges in several]),
            np.concatenate([ridges.normals for ridges in several]),
            np.concatenate([ridges.offset_px for ridges in several]),
            np.concatenate([ridges.sigma_px for ridges in several]),
            np.concatenate([ridges.by_light for ridges in several]),
        )


_NONE = Ridges(np.zeros((0, 3)), np.zeros((0, 2)), np.zeros(0), np.zeros(0), np.zeros((0, 4)))


@dataclass(frozen=True, eq=False)
class Flanks:
    """Fall of the light across the parts (N) of edges; `part` is the index of the edge.

    `low_px`, `half_px`: outward place where the light has fallen to `low_share` and by half. `first`, `second`:
    brightness of the faces, paper = 1. `is_found`: whether a fall was found.
    """

    part: NDArray[np.int64]
    low_px: Floats
    half_px: Floats
    first: Floats
    second: Floats
    is_saturated: NDArray[np.bool_]
    is_found: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class DiceShown:
    """The edges of dice near these places, as measured in the picture, before a room light is assumed."""

    places: Sequence[Place]
    edges: DieEdges
    flanks: Flanks


_NO_FLANKS = Flanks(np.zeros(0, np.int64), *np.zeros((4, 0)), *np.zeros((2, 0), bool))
_T = (np.arange(PARTS * SAMPLES) + 0.5) / (PARTS * SAMPLES)
"""Positions of the profiles along an edge, 0 to 1."""


def measure_ridges(image: PreparedImage, solid: Solid, places: Sequence[Place]) -> list[Ridges]:
    """All measurable edges of dice near these places, one entry per die."""
    return ridges_of(image, show_dice(image, solid, places)) if places else []


def ridges_of(image: PreparedImage, shown: DiceShown) -> list[Ridges]:
    """The ridges from known falls of the light: positions of the edges in the image's room light."""
    edges, flanks = shown.edges, shown.flanks
    if not len(flanks.part):
        return [_NONE for _ in shown.places]
    part = flanks.part
    offsets, sigmas, by_light = _offsets(edges, flanks, image.room_light)
    at = _between(part)
    is_seen = flanks.is_found & ~covered_parts(image, shown)
    body = edges.ends_mm[part, 0] * (1 - at) + edges.ends_mm[part, 1] * at
    of = edges.of[part]
    mine = [np.flatnonzero(is_seen & (of == k)) for k in range(len(shown.places))]
    return [Ridges(body[i], edges.normal[part[i]], offsets[i], sigmas[i], by_light[i]) for i in mine]


def covered_parts(image: PreparedImage, shown: DiceShown) -> NDArray[np.bool_]:
    """Whether other pieces cover each part of an edge (N,)."""
    part, ends = shown.flanks.part, shown.edges.ends_px
    if not image.covers or not len(part):
        return np.zeros(len(part), bool)
    at = _between(part)
    return np.asarray(image.is_covered(ends[part, 0] * (1 - at) + ends[part, 1] * at, LIMITS.cover_px))


def _between(part: NDArray[np.int64]) -> Floats:
    """Position of each part's middle along its edge (N, 1), from 0 to 1."""
    return np.asarray(((np.arange(len(part)) % PARTS + 0.5) / PARTS)[:, None])


def offsets_px(shown: DiceShown, room_light: RoomLight) -> tuple[Floats, Floats]:
    """Offsets of the parts of edges from their expected places, NaN if not found, and the errors, (N,)."""
    if not len(shown.flanks.part):
        return np.zeros(0), np.zeros(0)
    return _offsets(shown.edges, shown.flanks, room_light)[:2]


def measured_share(shown: DiceShown) -> Floats:
    """The share of each die's half edges that is measured (D,): small if the place is partly off the die."""
    part = shown.flanks.part
    count = len(shown.places)
    of = shown.edges.of[part] if len(part) else part
    return np.bincount(of, shown.flanks.is_found, count) / np.maximum(np.bincount(of, minlength=count), 1)


def show_dice(image: PreparedImage, solid: Solid, places: Sequence[Place]) -> DiceShown:
    """The edges of dice near these places, with the fall of the light across their halves."""
    edges = visible_edges(image.view, solid, places)
    count = len(edges.of)
    if not count:
        return DiceShown(places, edges, _NO_FLANKS)
    rise, side = edges.rise_px, edges.side_px
    round_px = np.where(edges.is_outline, np.hypot(rise, side), (rise + side) / 2**0.5)
    t = _T[:, None]
    ends = edges.ends_px
    pixels = ends[:, :1] * (1 - t) + ends[:, 1:] * t + (edges.normal * round_px[:, None])[:, None]
    along, lights = profiles(
        image.light, pixels.reshape(-1, 2), np.repeat(edges.normal, len(t), axis=0), LIMITS.inner_px[1]
    )
    lights = medians(lights.reshape(count * PARTS, SAMPLES, len(along), 3), axis=1)
    part = np.repeat(np.arange(count), PARTS)
    return DiceShown(places, edges, _flanks(along, lights, image, edges, part))


def _flanks(along: Floats, profiles: Floats, image: PreparedImage, edges: DieEdges, part: NDArray[np.int64]) -> Flanks:
    """The fall of the light in mean profiles (N, M, 3). `part`: the edge of each profile."""
    near, far = np.full(len(part), LIMITS.inner_px[0]), np.full(len(part), LIMITS.inner_px[1])
    inside_px = edges.inside_px[part]
    narrow = inside_px < far + 1
    near[narrow], far[narrow] = LIMITS.min_second_px, inside_px[narrow] - LIMITS.min_second_px
    relative = profiles / image.paper
    inner = _mean_where(relative, (along <= -near[:, None]) & (along >= -far[:, None]))
    reach = np.minimum(LIMITS.inner_px[0], edges.outside_px[part] + LIMITS.min_second_px)
    outside = (along > 0) & (along < reach[:, None])
    rows = np.arange(len(part))
    channel = np.argmax(inner - _mean_where(relative, outside), axis=1)
    flank, level = relative[rows, :, channel], inner[rows, channel]
    low = np.where(outside, flank, np.inf).min(axis=1)
    height = level - low
    half_at, low_at = (_falls(along, flank, low + height * part, far) for part in (0.5, LIMITS.low_share))
    second = _mean_where(
        relative, (along > LIMITS.beyond_px) & (along < np.maximum(reach, LIMITS.beyond_px + 1)[:, None])
    )
    is_white = inner.min(axis=1) >= LIMITS.min_white_face * inner.max(axis=1)  # otherwise another piece covers the edge
    is_found = is_white & (height >= LIMITS.min_contrast) & np.isfinite(low_at + half_at)
    is_saturated = level * image.paper[channel] > LIMITS.saturated_share * image.saturation[channel]
    return Flanks(part, low_at, half_at, level, second.mean(axis=1), is_saturated, is_found)


def _offsets(edges: DieEdges, flanks: Flanks, room_light: RoomLight) -> tuple[Floats, Floats, Floats]:
    """Offsets of the edges in pixels, their errors, and the change of the offsets with the room's light."""
    part = flanks.part
    is_outline, is_low = edges.is_outline[part], edges.is_low[part]
    first, second = edges.first[part], edges.second[part]
    direction = np.array(room_light.direction)
    level = np.maximum(first[:, :2] @ direction + first[:, 2], LIMITS.min_lit)
    lit = (second[:, :2] @ direction + second[:, 2]) / level
    dark, by_lit = (
        np.where(is_outline, outline, LIMITS.ridge_falloff) * edges.side_px[part] for outline in LIMITS.outline_falloff
    )
    swollen = np.where(flanks.is_saturated, 1.0, 0.5)  # unsaturated tops vary less between pictures
    fallen = dark + by_lit * lit.clip(-1.0, 1.0)
    fallen += swollen * np.where(is_outline, room_light.outline_px, room_light.ridge_px)
    fallen += np.where(flanks.is_saturated, LIMITS.by_saturation_px * (1 / flanks.first - 1 / LIMITS.top_light), 0.0)
    by_slant = np.where(np.abs(lit) < 1, by_lit / level, 0.0)[:, None] * second[:, :2]
    by_light = np.where(is_low[:, None], 0.0, np.column_stack([by_slant, swollen * is_outline, swollen * ~is_outline]))
    is_vague = ~is_outline & ((flanks.second > 0.5 * flanks.first) | (edges.outside_px[part] < LIMITS.narrow_px))
    sigma = np.where(
        is_outline, LIMITS.outline_sigma_px, np.where(is_vague, LIMITS.faint_sigma_px, LIMITS.ridge_sigma_px)
    )
    sigma = np.where(is_low, LIMITS.ridge_sigma_px, sigma)
    return np.where(is_low, flanks.half_px - LIMITS.foot_px, flanks.low_px - fallen), sigma, by_light


def _mean_where(values: Floats, where: NDArray[np.bool_]) -> Floats:
    return np.asarray(np.einsum("nm,nmc->nc", where.astype(values.dtype), values) / where.sum(axis=1)[:, None])


def _falls(along: Floats, flanks: Floats, level: Floats, far_px: Floats) -> Floats:
    """The places where profiles (N, M), from inside, first fall through their levels; NaN: they never do."""
    high = flanks >= level[:, None]
    down = high[:, :-1] & ~high[:, 1:] & (along[:-1] >= -far_px[:, None])
    i = np.argmax(down, axis=1)
    rows = np.arange(len(flanks))
    first, second = flanks[rows, i], flanks[rows, i + 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        at = along[i] + (along[1] - along[0]) * (first - level) / (first - second)
    return np.where(down[rows, i], at, np.nan)


LEVEL_FREE = (0, 1, -1)
"""The steps of `Place.moved` that a level die makes: in x and y, and the last, a turn about the vertical."""


def held_level(solid: Solid) -> Floats:
    """The weight (3, 3) of a level die's starting pose: its place and its edges have an error of `max_step`."""
    return np.diag([1.0, 1.0, solid.half_height_mm**2]) / LIMITS.max_step**2


def fit_cube(image: PreparedImage, solid: Solid, place: Place, rounds: int = LIMITS.fit_rounds) -> Fit:
    """The place near `place` whose edges fit best, moving and turning it on its ground."""
    return fit_cubes(image, solid, [place], rounds=rounds)[0]


def fit_cubes(
    image: PreparedImage,
    solid: Solid,
    places: Sequence[Place],
    rounds: int = LIMITS.fit_rounds,
) -> list[Fit]:
    """`fit_cube` for several places, each by itself."""
    fits = [_unfitted(place) for place in places]
    for _ in range(rounds):
        moved = _moved(image, solid, fits, measure_ridges(image, solid, [fit.place for fit in fits]))
        if moved == fits:
            break
        fits = moved
    return fits


def relocated(image: PreparedImage, solid: Solid, shown: DiceShown) -> DiceShown:
    """The dice, fitted again; a die with too few visible edges is also searched for near its place.

    Under a low window a die's side is brighter than its top. The whitest square then covers half of each.
    """
    places = list(shown.places)
    for k in np.flatnonzero(measured_share(shown) < LIMITS.min_met).tolist():
        place = places[k]
        beside = [
            Place(place.middle_mm + sign / 2 * solid.half_height_mm * place.axes[:, axis], place.axes)
            for axis in (0, 1)
            for sign in (-1.0, 1.0)
        ]
        others = fit_cubes(image, solid, beside)
        shares = measured_share(show_dice(image, solid, [fit.place for fit in others]))
        best = int(np.lexsort((np.array([fit.residual_px for fit in others]), -shares))[0])
        if shares[best] >= LIMITS.min_met:
            places[k] = others[best].place
    is_same = all(place is before for place, before in zip(places, shown.places, strict=True))
    return shown if is_same else show_dice(image, solid, places)


def fit_shown(image: PreparedImage, solid: Solid, shown: DiceShown) -> list[Fit]:
    """The dice moved once to their measured edges."""
    return _moved(image, solid, [_unfitted(place) for place in shown.places], ridges_of(image, shown))


def _unfitted(place: Place) -> Fit:
    return Fit(place, np.zeros((6, 6)), 0.0, 0.0, LIMITS.unfitted_px)


def _moved(image: PreparedImage, solid: Solid, fits: list[Fit], found: list[Ridges]) -> list[Fit]:
    """Dice moved once to their measured ridges; those with too few stay."""
    active = [i for i, ridges in enumerate(found) if len(ridges) >= (2 if image.covers else LIMITS.min_ridges)]
    moved = list(fits)
    if active:
        stepped = _stepped(image, solid, [fits[i].place for i in active], [found[i] for i in active])
        for i, fit in zip(active, stepped, strict=True):
            moved[i] = fit
    return moved


def _stepped(image: PreparedImage, solid: Solid, places: list[Place], found: list[Ridges]) -> list[Fit]:
    """Dice moved once to their measured ridges."""
    columns = list(LEVEL_FREE)
    of = np.repeat(np.arange(len(places)), [len(mine) for mine in found])
    slopes = motions_of(image.view, places, as_outline(found), of, columns)
    fits = []
    for place, solved in zip(places, solve(found, slopes, held_level(solid)), strict=True):
        whole, covariance = np.zeros(6), np.zeros((6, 6))
        whole[columns] = np.clip(solved.step, -LIMITS.max_step, LIMITS.max_step)
        covariance[np.ix_(columns, columns)] = solved.covariance
        fits.append(Fit(place.moved(whole), covariance, solved.share, solved.share, solved.residual_px))
    return fits


@dataclass(frozen=True, eq=False)
class Solved:
    """A step (F,) of a die's free motions and its covariance (F, F). `share` of the ridges agree after it; the
    residuals are RMS in sigmas, after it and before."""

    step: Floats
    covariance: Floats
    share: float
    residual_px: float
    before_px: float


def as_outline(found: list[Ridges]) -> Silhouette:
    """The ridges of several dice as an outline, for `motions_of`."""
    ridges = Ridges.joined(found)
    return Silhouette(np.zeros((0, 2)), ridges.normals, ridges.body_mm)


def misfit_px(ridges: Ridges) -> float:
    """The RMS of ridges' offsets in sigmas, with outliers weighed down."""
    return float(np.sqrt(_misfit(ridges.offset_px, ridges.sigma_px).mean()))


def _misfit(away_px: Floats, sigma_px: Floats) -> Floats:
    return np.asarray(away_px**2 / sigma_px**2 / (1 + (away_px / (LIMITS.outlier_sigmas * sigma_px)) ** 2))


def solve(found: list[Ridges], slopes: Floats, held: Floats) -> list[Solved]:
    """The step of each die that best explains its ridges' offsets; `slopes` (N, F) as in `robust_steps`."""
    counts = [len(ridges) for ridges in found]
    of, starts = np.repeat(np.arange(len(found)), counts), np.cumsum([0, *counts[:-1]])
    ridges = Ridges.joined(found)
    offset, sigma = ridges.offset_px, ridges.sigma_px
    certain = 1 / sigma**2
    step, normal, left, _ = robust_steps(slopes, offset, certain, certain, LIMITS.outlier_sigmas * sigma, of, held)
    before, after = (np.sqrt(np.add.reduceat(_misfit(away, sigma), starts) / counts) for away in (offset, left))
    share = np.add.reduceat((np.abs(left) < LIMITS.outlier_sigmas * sigma).astype(float), starts) / counts
    inverse = np.linalg.inv(normal)
    return [Solved(step[k], inverse[k], float(share[k]), float(after[k]), float(before[k])) for k in range(len(found))]
