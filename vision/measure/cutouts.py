"""Small views of the table from straight above, at a height and turned as asked, and the directions of their edges."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.measure.prepared import Floats, Floats32, PreparedImage

CELL_MM = 0.8
"""The side of a cut-out's pixel."""


def cutout_light(
    image: PreparedImage, middle: Floats, angle_deg: float, extent_mm: float, height_mm: float
) -> NDArray[np.uint16]:
    """A square of the table at a height, turned by an angle, from straight above: linear BGR (N, N, 3), N odd."""
    size = round(extent_mm / CELL_MM) | 1
    half = (size - 1) / 2 * CELL_MM
    c, s = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    square = (
        np.array([(-half, -half), (half, -half), (half, half), (-half, half)]) @ np.array([[c, s], [-s, c]]) + middle
    )
    pixels = image.view.to_pixels(np.column_stack([square, np.full(4, height_mm)])).astype(np.float32)
    to = np.array([(0, 0), (size - 1, 0), (size - 1, size - 1), (0, size - 1)], np.float32)
    warp = cv2.getPerspectiveTransform(to, pixels)
    taken = cv2.warpPerspective(
        image.light, warp, (size, size), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(taken, np.uint16)


def cutout(image: PreparedImage, middle: Floats, angle_deg: float, extent_mm: float, height_mm: float) -> Floats32:
    """The same, as the root of the light in its darkest channel (N, N)."""
    b, g, r = cv2.split(cutout_light(image, middle, angle_deg, extent_mm, height_mm))
    return np.asarray(cv2.sqrt(cv2.min(cv2.min(b, g), r).astype(np.float32) * np.float32(1 / 65535)), np.float32)


def edge_angles(cut: Floats32, most: int = 3) -> list[float]:
    """Most probable directions of straight edges in a cut-out, degrees in [0, 90)."""
    gx, gy = cv2.Sobel(cut, cv2.CV_32F, 1, 0), cv2.Sobel(cut, cv2.CV_32F, 0, 1)
    size = cv2.magnitude(gx, gy)
    angle = np.degrees(np.arctan2(gy, gx)) % 90.0
    bins = 30
    histogram = np.bincount(
        (angle.ravel() / (90 / bins)).astype(int) % bins, weights=size.ravel() ** 1.5, minlength=bins
    )
    weights = ((-2, 0.3), (-1, 0.8), (0, 1.0), (1, 0.8), (2, 0.3))
    smooth = np.sum([np.roll(histogram, k) * w for k, w in weights], axis=0)
    peaks = [i for i in range(bins) if smooth[i] >= smooth[i - 1] and smooth[i] >= smooth[(i + 1) % bins]]
    peaks.sort(key=lambda i: -smooth[i])
    return [(i + 0.5) * 90 / bins for i in peaks[:most]]
