"""Positions of edges to a fraction of a pixel, from profiles across an expected outline, in linear light.

In linear light, blur and sharpening are symmetric about an edge. So the edge is where half of the light has the inner
colour. Where the two colours differ in hue, unmixing them gives this share; shading does not change it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.measure.limits import LIMITS

Floats = NDArray[np.float64]


MAD_TO_SIGMA = 1.48
"""Standard error of noise in medians of its absolute values."""
_SRGB_SLOPE, _SRGB_LIFT, _SRGB_POWER = 12.92, 0.055, 2.4


def linear_of(shown: Floats) -> Floats:
    """Linear light of picture values from 0 to 1 (sRGB)."""
    curve = ((np.maximum(shown, 0) + _SRGB_LIFT) / (1 + _SRGB_LIFT)) ** _SRGB_POWER
    return np.where(shown <= 0.04045, shown / _SRGB_SLOPE, curve)


def shown_of(light: Floats) -> Floats:
    """Picture values (sRGB) of linear light; the curve continues above white."""
    curve = (1 + _SRGB_LIFT) * np.maximum(light, 0) ** (1 / _SRGB_POWER) - _SRGB_LIFT
    return np.where(light <= 0.0031308, _SRGB_SLOPE * light, curve)


def slopes_of(shown: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The change of a picture per pixel, to the right and down."""
    right, down = (cv2.Sobel(shown, cv2.CV_32F, x, y, ksize=3, scale=1 / 8) for x, y in ((1, 0), (0, 1)))
    return np.asarray(right, np.float32), np.asarray(down, np.float32)


STEP_PX = 0.5
"""Distance between two samples of a profile."""


@dataclass(frozen=True, eq=False)
class Edges:
    """One edge per sample: `offset_px` outward from the expected place, `strength` in noise units (0: none found),
    `inner` and `outer` colours (N, 3), linear BGR."""

    offset_px: Floats
    strength: Floats
    inner: Floats
    outer: Floats


def linear_table() -> NDArray[np.uint16]:
    """sRGB bytes to linear light as 16 bits. Source: IEC 61966-2-1."""
    v = np.arange(256) / 255.0
    light = linear_of(v)
    return np.round(light * 65535).astype(np.uint16)


def profiles(light: NDArray[np.uint16], pixels: Floats, normals: Floats, reach_px: float) -> tuple[Floats, Floats]:
    """Colours along the normals: offsets (M,) in pixels and samples (N, M, 3) in 0..1."""
    along = np.arange(-reach_px, reach_px + STEP_PX / 2, STEP_PX)
    x = (pixels[:, :1] + normals[:, :1] * along).astype(np.float32)
    y = (pixels[:, 1:] + normals[:, 1:] * along).astype(np.float32)
    taken = cv2.remap(light, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lights: NDArray[Any] = taken.astype(np.float32) * np.float32(1 / 65535)
    return along, lights


def smoothed(values: Floats, width: int) -> Floats:
    """The running mean along a closed outline, so that a noisy sample does not set a side's colour."""
    if len(values) < 2 * width + 1:
        return values
    padded = np.concatenate([values[-width:], values, values[:width]])
    return np.asarray(cv2.blur(padded, (1, 2 * width + 1))[width:-width])


def find_edges(light: NDArray[np.uint16], pixels: Floats, normals: Floats, search_px: float) -> Edges:
    """The edge nearest to each expected place, searched within `search_px` along its normal."""
    reach = search_px + LIMITS.edge_blur_px + LIMITS.plate_px
    along, lights = profiles(light, pixels, normals, reach)
    count = len(pixels)
    plate = round(LIMITS.plate_px / STEP_PX)
    # colours of the sides are taken beyond the search range, so that they do not contain the edge
    inner = smoothed(lights[:, :plate].mean(axis=1), LIMITS.edge_smooth_samples)
    outer = smoothed(lights[:, -plate:].mean(axis=1), LIMITS.edge_smooth_samples)
    share = inner_share(lights, inner, outer)
    noise = 0.5 * (lights[:, :plate].std(axis=1) + lights[:, -plate:].std(axis=1)).max(axis=1) + 0.004
    contrast = np.abs(inner - outer).max(axis=1)
    # the place nearest to the middle where the share falls through one half
    high = share >= 0.5
    crosses = high[:, :-1] & ~high[:, 1:]
    middle = (along[:-1] + along[1:]) / 2
    cost = np.where(crosses & (np.abs(middle) <= search_px)[None], np.abs(middle)[None], np.inf)
    best = cost.argmin(axis=1)
    rows = np.arange(count)
    found = np.isfinite(cost[rows, best])
    s0, s1 = share[rows, best], share[rows, best + 1]
    offset = along[best] + STEP_PX * (s0 - 0.5) / np.maximum(s0 - s1, 1e-6)
    # the flank must be steep: the share falls from high to low within a short distance on both sides
    back, ahead = np.maximum(best - 3, 0), np.minimum(best + 4, len(along) - 1)
    rise = (share[rows, back] - share[rows, ahead]).clip(0, 1)
    strength = np.where(found, contrast / noise * rise, 0.0)
    return Edges(offset, strength, inner, outer)


def inner_share(lights: Floats, inner: Floats, outer: Floats) -> Floats:
    """The inner colour's share of each sample (N, M): by hue if the colours differ in hue, otherwise by brightness."""
    difference = inner - outer
    square = np.einsum("ij,ij->i", difference, difference)
    plain = np.matmul(lights - outer[:, None], difference[:, :, None])[..., 0] / np.maximum(square, 1e-9)[:, None]
    ii, oo = np.einsum("ij,ij->i", inner, inner), np.einsum("ij,ij->i", outer, outer)
    io = np.einsum("ij,ij->i", inner, outer)
    determinant = ii * oo - io * io
    sine2 = determinant / np.maximum(ii * oo, 1e-12)
    pi, po = (np.matmul(lights, side[:, :, None])[..., 0] for side in (inner, outer))
    safe = np.maximum(determinant, 1e-12)[:, None]
    u = ((pi * oo[:, None] - po * io[:, None]) / safe).clip(0, None)
    v = ((po * ii[:, None] - pi * io[:, None]) / safe).clip(0, None)
    by_hue = u / np.maximum(u + v, 1e-6)
    return np.asarray(np.where((sine2 > LIMITS.min_hue_sine**2)[:, None], by_hue, plain))
