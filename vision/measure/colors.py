"""Which pixels of the view from above are red, blue, white or black, as masks.

A colour is judged against the white that the mat's own brightness predicts for that place. So a lamp to one side or a
tinted bulb changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.medians import median
from vision.measure.prepared import AROUND_MM, STEP_MM, Floats, Floats32, Mask, PreparedImage

RED_SHARE = 0.72
"""By what share of a red piece's light its red exceeds the next channel, under white light."""
BLUE_SHARE = 0.5
"""The same for a blue piece."""
WHITE_LEAST = 0.40
"""In every channel a white piece reflects at least this share of what paper does."""
BLACK_MOST = 0.10
"""In every channel a black piece reflects less than this."""
LIT, LIT_AHEAD = 0.85, 1.35
"""Pixels almost as bright as paper are white too if they are brighter than the nearby mat by this factor."""
PALE = 0.38
"""A white or black piece's channels differ by at most this share of the greatest."""
CELL = 16
"""Side, in pixels, of the cells in which the mat's brightness is measured."""
EVERY = 5
"""Medians over the mat take every fifth pixel along each axis."""


@dataclass(frozen=True, eq=False)
class Colors:
    """Masks (0 or 255) of the view from above, and what they were made from.

    `high`, `low`: the greatest and least channel as shares of white in that light. `mat`: the mat's colour, linear BGR,
    paper = 1. `shade`: the mat's brightness everywhere. `red_from`, `blue_from`: where red and blue begin.
    """

    red: Mask
    blue: Mask
    white: Mask
    black: Mask
    redness: Floats32
    blueness: Floats32
    high: Floats32
    low: Floats32
    mat: Floats
    shade: Floats32
    red_from: float
    blue_from: float

    def of(self, color: str) -> Mask:
        return self.red if color == "red" else self.blue


def colors_of(image: PreparedImage) -> Colors:
    """The masks of a picture."""
    b, g, r = (np.asarray(channel, np.float32) for channel in cv2.split(image.top))
    total = b + g + r
    total += np.float32(0.02)
    cold = np.maximum(b, g)
    redness = _divided(r - cold, total)
    blueness = _divided(b - np.maximum(r, g), total)
    mat = np.array([median(channel[::EVERY, ::EVERY]) for channel in (b, g, r)])
    mat_total = float(mat.sum()) + 0.02
    mat_red = (mat[2] - max(mat[0], mat[1])) / mat_total
    mat_blue = (mat[0] - max(mat[1], mat[2])) / mat_total
    red_from, blue_from = max(0.4, (mat_red + RED_SHARE) / 2), max(0.2, (mat_blue + BLUE_SHARE) / 2)
    red, blue = above(redness, red_from), above(blueness, blue_from)
    shade = _shade(g if mat[1] >= mat[2] else r, red | blue)
    whole = shade * np.float32(_mat_at_paper(image, shade, mat))
    flat = np.minimum(np.minimum(b, g), r)
    high, low = _divided(np.maximum(cold, r), whole), _divided(flat, whole)
    mat_low = median(low[::EVERY, ::EVERY])
    # under a mirrored lamp the mat looks bright, and a die there no brighter than paper
    lit = cv2.compare(flat, np.maximum(shade * np.float32(LIT_AHEAD), np.float32(LIT)), cv2.CMP_GT)
    bright = above(low, max(WHITE_LEAST, (mat_low + 0.9) / 2)) | np.asarray(lit, np.uint8)
    white = bright & np.asarray(cv2.compare(low, high * np.float32(1 - PALE), cv2.CMP_GT), np.uint8)
    black = below(high, BLACK_MOST)
    return Colors(red, blue, white, black, redness, blueness, high, low, mat, shade, red_from, blue_from)


def above(values: Floats32, level: float) -> Mask:
    """Where values are greater than a level (255, else 0)."""
    return np.asarray(cv2.compare(values, level, cv2.CMP_GT), np.uint8)  # type: ignore[call-overload]


def below(values: Floats32, level: float) -> Mask:
    """Where values are less than a level (255, else 0)."""
    return np.asarray(cv2.compare(values, level, cv2.CMP_LT), np.uint8)  # type: ignore[call-overload]


def _divided(values: Floats32, by: Floats32) -> Floats32:
    """One array by another, faster than numpy."""
    return np.asarray(cv2.divide(values, by), np.float32)


def _shade(channel: Floats32, pieces: Mask) -> Floats32:
    """The mat's brightness in one of its brighter channels, everywhere: medians of cells, smoothed."""
    rows, columns = channel.shape[0] // CELL, channel.shape[1] // CELL
    window = (slice(0, rows * CELL, 2), slice(0, columns * CELL, 2))
    half = CELL // 2
    some = np.where(pieces[window] > 0, np.float32(0), channel[window]).reshape(rows, half, columns, half)
    cells = some.transpose(0, 2, 1, 3).reshape(rows, columns, -1)
    middle = np.partition(cells, cells.shape[2] // 2, axis=2)[:, :, cells.shape[2] // 2]
    bare = (cells > 0).mean(axis=2)
    weight = np.where(bare > 0.9, 1.0, 0.0).astype(np.float32)
    top = cv2.GaussianBlur(middle * weight, (0, 0), 2.5)
    base = cv2.GaussianBlur(weight, (0, 0), 2.5)
    far_top = cv2.GaussianBlur(middle * weight, (0, 0), 9)
    far_base = cv2.GaussianBlur(weight, (0, 0), 9)
    coarse = (top + 0.02 * far_top) / np.maximum(base + 0.02 * far_base, 1e-6)
    grown = cv2.resize(coarse, (columns * CELL, rows * CELL), interpolation=cv2.INTER_LINEAR)
    bottom, right = channel.shape[0] - rows * CELL, channel.shape[1] - columns * CELL
    return np.maximum(cv2.copyMakeBorder(grown, 0, bottom, 0, right, cv2.BORDER_REPLICATE), 1e-4)


def _mat_at_paper(image: PreparedImage, shade: Floats32, mat: Floats) -> float:
    """One over the mat's brightness near the fiducials, where paper has the brightness 1."""
    rows, columns = shade.shape
    edge = round((AROUND_MM + 12) / STEP_MM)
    near = []
    for x, y in image.kit.mat.markers.values():
        c, r = image.to_grid(np.array([x, y]))
        near.append(shade[int(np.clip(r, edge, rows - 1 - edge)), int(np.clip(c, edge, columns - 1 - edge))])
    return 1.0 / max(float(np.mean(near)), 1e-4)
