"""Measures the position of a black-white edge to a few hundredths of a pixel, by profiles across it in linear light.

An edge is where the light is half way between its two sides. Blur is symmetric in linear light, but not in the sRGB
values of a picture, where half way is inside the black.
"""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Picture


def median(values: NDArray[Any]) -> float:
    """The median of all values of an array without NaN. Raises: ValueError: no values."""
    return float(medians(values.ravel().astype(np.float64)))


def medians(values: NDArray[Any], axis: int = 0) -> NDArray[Any]:
    """The medians over an axis of values without NaN: numpy's own take several times as long.

    Raises: ValueError: no values.

    >>> medians(np.array([[4.0, 1.0], [3.0, 9.0], [8.0, 2.0]]))
    array([4., 2.])
    >>> medians(np.array([[4, 1], [3, 9]]), axis=1)
    array([2.5, 6. ])
    """
    half, is_odd = divmod(values.shape[axis], 2)
    if not half and not is_odd:
        raise ValueError("the median of no values was asked for")
    parted = np.partition(values, half, axis)
    upper = parted.take(half, axis)
    return np.asarray(upper if is_odd else parted.take(np.arange(half), axis).max(axis) / 2 + upper / 2)


REACH_PX = 3.5
"""Maximum length of an edge's profile on either side."""
SAMPLES = 15
"""Samples along a profile."""
WIDTH_STEP_PX = 0.2
"""Step in which profiles are averaged for measuring an edge's width."""
LEAST_CONTRAST = 0.004
"""Minimum difference of light between white and black, of a full scale of 1, for a measurement."""
LEAST_SHARE = 0.3
"""Minimum contrast of an edge relative to the median; with less contrast something covers the edge."""

MAD_TO_SIGMA = 1.4826
"""Ratio of the standard deviation to the median deviation in a normal distribution."""
_SRGB_SLOPE, SRGB_LIFT, _SRGB_POWER = 12.92, 0.055, 2.4


def linear_of(shown: Floats) -> Floats:
    """Linear light of picture values from 0 to 1. Source: IEC 61966-2-1 (sRGB)."""
    curve = ((np.maximum(shown, 0) + SRGB_LIFT) / (1 + SRGB_LIFT)) ** _SRGB_POWER
    return np.where(shown <= 0.04045, shown / _SRGB_SLOPE, curve)


def shown_of(light: Floats) -> Floats:
    """Picture values (sRGB) of linear light; the curve continues above white."""
    curve = (1 + SRGB_LIFT) * np.maximum(light, 0) ** (1 / _SRGB_POWER) - SRGB_LIFT
    return np.where(light <= 0.0031308, _SRGB_SLOPE * light, curve)


LIGHT: NDArray[np.float32] = linear_of(np.arange(256) / 255).astype(np.float32)
"""Linear light (0 to 1) of each grey level."""


@dataclass(frozen=True, eq=False, slots=True)
class Profiles:
    """Profiles across edges. `away_px` (N,): distance from each point to the edge, positive towards the white.

    `sharp` (N,): whether an edge was found. `shares` (N, M): the white's share along each profile at `offsets_px` (M,).
    """

    away_px: Floats
    sharp: NDArray[np.bool_]
    shares: Floats
    offsets_px: Floats

    def blur_px(self, which: NDArray[np.bool_]) -> float:
        """The width of the edges selected by the mask `which` (N,), as the standard deviation of a Gaussian step."""
        kept = self.sharp & which
        if not kept.any():
            return float("inf")
        return _width(self.shares[kept], self.away_px[kept], self.offsets_px)


def offsets_px(reach_px: float) -> Floats:
    """Sampled places along an edge's normal."""
    return np.linspace(-1, 1, SAMPLES) * min(REACH_PX, reach_px)


def mapped(homography: Floats, points: Floats) -> Floats:
    """Points (N, 2) on the other side of a homography (3, 3)."""
    lifted = np.column_stack([points, np.ones(len(points))]) @ homography.T
    return lifted[:, :2] / lifted[:, 2:]


def crossings(grey: Picture, points: Floats, normals: Floats, offsets: Floats, by: int) -> Profiles:
    """Profiles through `points` (N, 2) along `normals` (N, 2), which point towards the white.

    Args:
        by: number of adjacent points on one stretch of edge, which share black and white levels; N is a multiple of it.
    """
    reach = float(np.abs(offsets).max())
    left, top = np.maximum(np.floor(points.min(axis=0) - reach).astype(int) - 1, 0)
    right, bottom = np.maximum(np.ceil(points.max(axis=0) + reach).astype(int) + 2, 0)
    window = grey[top:bottom, left:right]
    if window.size == 0:
        nothing = np.zeros(len(points))
        return Profiles(nothing, nothing > 0, np.zeros((len(points), len(offsets))), offsets)
    x, y = (
        (points[:, k, None] - start + offsets * normals[:, k, None]).astype(np.float32)
        for k, start in enumerate((left, top))
    )
    light = cv2.remap(cv2.LUT(window, LIGHT), x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    levels = light.astype(np.float64)
    by_stretch = levels.reshape(-1, by, len(offsets))
    white = by_stretch[..., -3:].mean(axis=(1, 2)).repeat(by)
    black = by_stretch[..., :3].mean(axis=(1, 2)).repeat(by)
    contrast = white - black
    sharp = contrast > max(LEAST_CONTRAST, LEAST_SHARE * median(contrast))
    shares = (levels - black[:, None]) / np.where(sharp, contrast, 1.0)[:, None]
    step = offsets[1] - offsets[0]
    rises = (shares[:, :-1] < 0.5) & (shares[:, 1:] >= 0.5)
    far = np.where(rises, np.abs(offsets[:-1] + step / 2), np.inf)
    first = far.argmin(axis=1)
    rows = np.arange(len(levels))
    sharp &= rises[rows, first]
    low, high = shares[rows, first], shares[rows, first + 1]
    away = offsets[first] + step * (0.5 - low) / np.where(high > low, high - low, 1.0)
    return Profiles(away, sharp, shares, offsets)


def _width(shares: Floats, away: Floats, offsets: Floats) -> float:
    """The standard deviation of a Gaussian step in pixels, by the slope of the mean profile's middle half."""
    run = offsets[None, :] - away[:, None]
    bins = np.rint((run - run.min()) / WIDTH_STEP_PX).astype(int).ravel()
    counts = np.maximum(np.bincount(bins), 1)
    rise = np.bincount(bins, shares.ravel()) / counts - 0.5
    where = np.bincount(bins, run.ravel()) / counts
    middle = (np.abs(rise) < 0.25) & (np.abs(where) <= offsets[-1] / 2) & (counts > 1)
    if not middle.any():
        return float("inf")
    weights = counts[middle] * where[middle]
    slope = float((weights * rise[middle]).sum() / max((weights * where[middle]).sum(), 1e-12))
    return float(1 / (np.sqrt(2 * np.pi) * max(slope, 1e-6)))
