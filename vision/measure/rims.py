"""Measures the rim of a disk in the picture.

Across a rim the light is unmixed into the disk's colour and the colour around it. Both shares show where the rim is,
and both can mislead. The disk's colour ends early if the rounded rim is dark. The mat's colour begins late behind the
disk's shadow or a shaded wall. A mat lit by the disk mirrors the disk's colour. The difference between both (`gap`)
shows which of these happens, and so the error of the disk's share. The curves in `limits` come from labelled scenes: a
rim of half a millimetre, a wall of a few, a camera's blur of about a pixel.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats
from calibration.edges import MAD_TO_SIGMA
from vision.measure.bodies import Place, Silhouette, Solid, View, silhouette, silhouettes
from vision.measure.limits import LIMITS
from vision.measure.prepared import STEP_PX, PreparedImage, profiles


@dataclass(frozen=True, eq=False)
class Rim:
    """The samples of an outline: `offset_px` outward with its `sigma_px`. `seen`: a rim was found. `clear`: the rim
    borders on another colour."""

    offset_px: Floats
    sigma_px: Floats
    seen: NDArray[np.bool_]
    clear: NDArray[np.bool_]


def hue_of(light: Floats, paper: Floats) -> tuple[Floats, Floats]:
    """Redness and blueness (as in `colors`) of linear BGR colours (N, 3)."""
    b, g, r = (light / paper).T
    total = b + g + r + LIMITS.dim
    return (r - np.maximum(b, g)) / total, (b - np.maximum(r, g)) / total


def spacing_px(solid: Solid) -> float:
    """Distance between samples of a disk's rim; larger on a large disk, whose neighbouring samples are alike."""
    return LIMITS.rim_spacing_px * (2.0 if len(solid.core_mm) > LIMITS.fine_core else 1.0)


@dataclass(frozen=True, eq=False)
class Samples:
    """The outlines of D disks in sequence: N samples. `of`: the disk of each sample. `starts`: each disk's first
    sample. `core_px` as in `Outlines`."""

    outline: Silhouette
    of: NDArray[np.int64]
    starts: NDArray[np.int64]
    core_px: Floats

    @classmethod
    def of_disks(cls, view: View, solid: Solid, places: Sequence[Place]) -> "Samples":
        """Samples of the silhouettes of disks."""
        found = silhouettes(view, solid, places, spacing_px(solid))
        starts = np.cumsum(found.counts) - found.counts
        return cls(found.outline, np.repeat(np.arange(len(places)), found.counts), starts, found.core_px)


def _beside(of: NDArray[np.int64], width: int, is_ring: bool) -> NDArray[np.int64]:
    """The numbers (N, 2 width + 1) of each sample's neighbours on the same disk."""
    counts = np.bincount(of).tolist()
    starts = np.cumsum([0, *counts[:-1]]).tolist()
    return np.vstack([_beside_one(n, width, is_ring) + first for n, first in zip(counts, starts, strict=True)])


@lru_cache(maxsize=1024)
def _beside_one(count: int, width: int, is_ring: bool) -> NDArray[np.int64]:
    """Neighbours around a ring, or mirrored at the ends; in a too short ring each sample is its own."""
    place = np.arange(count)[:, None] + np.arange(-width, width + 1)
    if is_ring:
        return place % count if count > 2 * width else np.repeat(np.arange(count)[:, None], 2 * width + 1, 1)
    place = np.where(place < 0, -place - 1, place)
    return np.where(place >= count, 2 * count - place - 1, place).clip(0, max(count - 1, 0))


def measure_rim(
    image: PreparedImage, solid: Solid, place: Place, outline: Silhouette, color: str, is_steep: bool
) -> Rim:
    """The rim near the outline of one disk, as in `measure_rims`."""
    core_px = image.view.to_pixels(place.points(solid.core_mm))[None]
    samples = Samples(outline, np.zeros(len(outline.pixels), np.int64), np.zeros(1, np.int64), core_px)
    return measure_rims(image, samples, np.array([color == "red"]), is_steep)


def measure_rims(
    image: PreparedImage,
    samples: Samples,
    is_red: NDArray[np.bool_],
    is_steep: bool = False,
    is_shaded: NDArray[np.bool_] | None = None,
) -> Rim:
    """The rims near the outlines of disks; `is_red` (D,), otherwise blue. `is_steep`: the wall has another light than
    the top. `is_shaded` (D,): a step of brightness also counts as a rim."""
    outline, of = samples.outline, samples.of
    along, lights = profiles(image.light, outline.pixels, outline.normals, LIMITS.rim_far_px[1] + 1)
    lights = _mean_beside(lights, _beside(of, 1, False))
    near, far = LIMITS.rim_far_px
    ring = _beside(of, LIMITS.edge_smooth_samples, True)
    inner = _mean_beside(lights[:, (along <= -near) & (along >= -far)].mean(axis=1), ring)
    outer = _mean_beside(lights[:, along >= near + 1].mean(axis=1), ring)
    redness, blueness = hue_of(inner, image.paper)
    own = np.where(is_red[of], redness > LIMITS.bare_redness, blueness > LIMITS.bare_blueness)
    ii, oo, io = (np.einsum("ij,ij->i", a, b) for a, b in ((inner, inner), (outer, outer), (inner, outer)))
    determinant = ii * oo - io * io
    clear = own & (determinant > LIMITS.min_rim_sine**2 * ii * oo)
    safe = np.maximum(determinant, 1e-12)[:, None]
    pi, po = (np.matmul(lights, side[:, :, None])[..., 0] for side in (inner, outer))
    mine = (pi * oo[:, None] - po * io[:, None]) / safe
    other = (po * ii[:, None] - pi * io[:, None]) / safe
    beside, shares = _strips(image, along, lights, inner, outer, of, is_red)
    clear[beside] = own[beside]
    mine[beside], other[beside] = shares[..., 0], shares[..., 1:].sum(axis=2)
    # a rim that faces a window is brighter than the disk
    mine, other = mine.clip(LIMITS.share_range[0], 1.0), other.clip(*LIMITS.share_range)
    least = np.minimum.accumulate(other[:, ::-1], axis=1)[:, ::-1]
    other = np.minimum(other, least + LIMITS.max_glint)
    window = np.abs(along) <= LIMITS.rim_window_px
    ends = mine[:, window].sum(axis=1) * STEP_PX - LIMITS.rim_window_px - STEP_PX / 2
    begins = LIMITS.rim_window_px + STEP_PX / 2 - other[:, window].sum(axis=1) * STEP_PX
    gap = begins - ends
    walls = 0.0 if is_steep else walls_px(samples)
    offset = ends - np.interp(gap, LIMITS.rim_gaps_px, LIMITS.rim_bias_px)
    offset += walls * np.interp(gap, LIMITS.rim_gaps_px, LIMITS.wall_shares)
    offset -= np.where(is_red[of], *image.rim_shift_px)
    sigma = np.interp(gap, LIMITS.rim_gaps_px, LIMITS.rim_sigma_px)
    # beyond the window's end a share is meaningless
    clear &= (np.abs(ends) < LIMITS.max_ends_px) & (np.abs(begins) < LIMITS.max_begins_px)
    unclear = np.flatnonzero(own & ~clear)
    seen = clear.copy()
    if len(unclear):
        faint_offset, faint_seen = _faint(along, lights[unclear], inner[unclear], of[unclear])
        offset[unclear], sigma[unclear], seen[unclear] = faint_offset, LIMITS.faint_sigma_px, faint_seen
        dark = unclear[is_shaded[of[unclear]]] if is_shaded is not None else unclear[:0]
        if len(dark):
            drops, seen[dark] = _step(along, lights[dark], inner[dark], of[dark])
            offset[dark], sigma[dark] = drops + LIMITS.step_bias_px, LIMITS.step_sigma_px
    return Rim(offset, sigma, seen, clear)


def _strips(
    image: PreparedImage,
    along: Floats,
    lights: Floats,
    inner: Floats,
    outer: Floats,
    of: NDArray[np.int64],
    is_red: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], Floats]:
    """Samples (K,) that face another piece across table, and the shares (K, M, 3) of disk, piece and table."""
    redness, blueness = hue_of(outer, image.paper)
    is_other = np.where(is_red[of], blueness > LIMITS.bare_blueness, redness > LIMITS.bare_redness)
    none = np.zeros(0, np.int64), np.zeros((0, lights.shape[1], 3))
    if not is_other.any():
        return none
    near_other = is_other[_beside(of, LIMITS.strip_samples, True)].any(axis=1)
    is_bare = ~near_other & (redness < LIMITS.bare_redness) & (blueness < LIMITS.bare_blueness)
    count = int(of[-1]) + 1
    bare, other = np.bincount(of[is_bare], minlength=count), np.bincount(of[is_other], minlength=count)
    found = np.flatnonzero(near_other & (bare[of] >= LIMITS.min_bare))
    if not len(found):
        return none
    sums = np.stack([np.column_stack([np.bincount(of[k], c[k], count) for c in outer.T]) for k in (is_other, is_bare)])
    piece, table = sums / np.maximum([other, bare], 1)[..., None]
    three = np.stack([inner[found], piece[of[found]], table[of[found]]], axis=2)
    apart = np.abs(np.linalg.det(three / np.linalg.norm(three, axis=1)[:, None]))
    found, three = found[apart > LIMITS.min_apart], three[apart > LIMITS.min_apart]
    shares = np.einsum("kij,kmj->kmi", np.linalg.inv(three), lights[found])
    # without a strip, two colours fit better: a shadow on another piece also has some of the table's hue
    is_strip = (
        shares[:, (along > -1) & (along < LIMITS.rim_far_px[0] + 1), 2].clip(0, None).sum(axis=1) * STEP_PX
        > LIMITS.min_strip_px
    )
    return found[is_strip], shares[is_strip]


def _mean_beside(values: Floats, beside: NDArray[np.int64]) -> Floats:
    """The mean over each sample's neighbours, given by their numbers, one row per sample."""
    total = values.take(beside[:, 0], axis=0)
    for k in range(1, beside.shape[1]):
        total += values.take(beside[:, k], axis=0)
    total /= beside.shape[1]
    return total


def _brightness(lights: Floats, inner: Floats, of: NDArray[np.int64]) -> Floats:
    """Profiles (N, M, 3) as shares (N, M) of the disk's own colour (N, 3), the mean of neighbours on the same disk."""
    square = np.maximum(np.einsum("ij,ij->i", inner, inner), 1e-9)
    ratio = np.matmul(lights, inner[:, :, None])[..., 0] / square[:, None]
    return _mean_beside(ratio, _beside(np.unique(of, return_inverse=True)[1], 2, False))


def _faint(along: Floats, lights: Floats, inner: Floats, of: NDArray[np.int64]) -> tuple[Floats, NDArray[np.bool_]]:
    """The dark line of a rim between equal colours: the place of its deepest point, and whether a line was found."""
    ratio = _brightness(lights, inner, of)
    middle = np.abs(along) <= LIMITS.faint_reach_px
    away = np.abs(ratio - _median(ratio)[:, None])
    noise = MAD_TO_SIGMA * _median(away) + LIMITS.min_noise
    depth = away[:, middle]
    best = depth.argmax(axis=1)
    return along[middle][best], depth[np.arange(len(depth)), best] > LIMITS.min_faint * noise


def _step(along: Floats, lights: Floats, inner: Floats, of: NDArray[np.int64]) -> tuple[Floats, NDArray[np.bool_]]:
    """The place of the largest drop of light outward without a change of colour, and whether it is large."""
    ratio = _brightness(lights, inner, of)
    plate = round(LIMITS.step_plate_px / STEP_PX)
    sums = np.cumsum(np.pad(ratio, ((0, 0), (1, 0))), axis=1)
    means = (sums[:, plate:] - sums[:, :-plate]) / plate
    drop = means[:, : -plate - 1] - means[:, plate + 1 :]
    at = along[plate : plate + drop.shape[1]]
    near = np.abs(at) <= LIMITS.rim_far_px[0]
    rows, best = np.arange(len(drop)), drop[:, near].argmax(axis=1)
    first = np.flatnonzero(near)[0] + best
    noise = MAD_TO_SIGMA * _median(np.abs(np.diff(ratio, axis=1)))
    level = np.maximum(means[rows, first], 1e-9)
    return at[near][best], (drop[rows, first] > LIMITS.min_step * level) & (
        drop[rows, first] > LIMITS.min_faint * noise
    )


def _median(values: Floats) -> Floats:
    half = values.shape[1] // 2
    return np.asarray(np.partition(values, half, axis=1)[:, half])


def line_strength(
    image: PreparedImage, solid: Solid, place: Place, over_mm: Floats, radius_mm: float, color: str | None
) -> float | None:
    """Strength of a disk's rim where it crosses a round place: the step or line in the mean profile, in standard
    errors. 0 if too little of the rim is there. With a `color`, only samples with that colour on both sides count:
    nothing else is on top there. None: too few such samples."""
    outline = silhouette(image.view, solid, place, spacing_px=LIMITS.line_px)
    at = place.points(outline.body_mm)[:, :2]
    within = np.hypot(*(at - over_mm).T) < radius_mm - LIMITS.rim_margin_mm
    if within.sum() < LIMITS.min_line_samples:
        return 0.0 if color is None else None
    along, lights = profiles(image.light, outline.pixels[within], outline.normals[within], LIMITS.line_reach_px)
    if color is not None:
        hue = hue_of(lights.reshape(-1, 3), image.paper)[int(color == "blue")].reshape(lights.shape[:2])
        lights = lights[hue[:, np.abs(along) > LIMITS.line_px].min(axis=1) > LIMITS.bare_blueness]
        if len(lights) < LIMITS.min_line_samples:
            return None
    root = np.sqrt(lights)
    mean = root.mean(axis=0)
    error = root.std(axis=0).mean(axis=0) / np.sqrt(len(root) / 2) + LIMITS.min_noise / 2
    far = np.abs(along) > LIMITS.line_reach_px / 2
    basis = np.column_stack([np.ones_like(along), along])
    left = mean - basis @ np.linalg.lstsq(basis[far], mean[far], rcond=None)[0]
    line = np.abs(left[np.abs(along) <= 2.0]).max(axis=0)
    sides = (mean[(at > LIMITS.line_px) & (at < LIMITS.rim_far_px[0])].mean(axis=0) for at in (along, -along))
    step = np.abs(np.subtract(*sides))
    return float((np.maximum(line, step) / error).max() * min(1.0, len(root) / LIMITS.sure_line_samples))


def walls_px(samples: Samples) -> Floats:
    """Visible width of a disk's wall outside its top's rim, along each normal."""
    rings = samples.core_px.reshape(len(samples.core_px), 2, -1, 2)
    most = np.empty((2, len(samples.of)))
    ends = [*samples.starts[1:].tolist(), len(samples.of)]
    for ring, first, end in zip(rings, samples.starts.tolist(), ends, strict=True):
        most[:, first:end] = (ring @ samples.outline.normals[first:end].T).max(axis=1)
    return np.asarray(np.maximum(most[0] - most[1], 0.0))
