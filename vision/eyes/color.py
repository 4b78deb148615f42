"""Which pixels of the view from above can be red, blue, white or black, whatever the light: a table of masks.

Colours are judged as shares of the white that the mat's own brightness tells for each place, so that a lamp to one
side or a tinted bulb changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.medians import median
from vision.eyes.sight import AROUND_MM, STEP_MM, Floats, Floats32, Mask, Sight

RED_SHARE = 0.72
"""How much of a red piece's light its red has beyond the next channel, under white light."""
BLUE_SHARE = 0.5
"""The same of a blue piece."""
WHITE_LEAST = 0.40
"""A white piece sends back at least this share of what paper would, in every channel."""
BLACK_MOST = 0.10
"""A black piece sends back less than this in every channel."""
LIT, LIT_AHEAD = 0.85, 1.35
"""What is as bright as paper and so much brighter than the mat beside it is white too."""
PALE = 0.38
"""A white or black piece's channels differ by at most this share of the greatest."""
CELL = 16
"""Cells of this many pixels a side tell the mat's brightness."""
EVERY = 5
"""One of so many pixels along each axis tells what the mat is like on the whole, one of so many in a row its grain."""


@dataclass(frozen=True, eq=False)
class Colors:
    """Masks (0 or 255) of the view from above; the greatest and least channel as shares of the white that the light
    gives there (`high`, `low`); the mat's colour (linear BGR, paper = 1) and the light's unevenness; the
    redness and blueness from which on a place is red or blue."""

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


def colors_of(sight: Sight) -> Colors:
    """The masks of a picture."""
    b, g, r = cv2.split(sight.top)
    total = cv2.add(cv2.add(b, g), r)
    total += np.float32(0.02)
    cold = cv2.max(b, g)
    redness = cv2.divide(cv2.subtract(r, cold), total)
    blueness = cv2.divide(cv2.subtract(b, cv2.max(r, g)), total)
    mat = np.array([median(channel[::EVERY, ::EVERY]) for channel in (b, g, r)])
    mat_total = float(mat.sum()) + 0.02
    mat_red = (mat[2] - max(mat[0], mat[1])) / mat_total
    mat_blue = (mat[0] - max(mat[1], mat[2])) / mat_total
    red_from, blue_from = max(0.4, (mat_red + RED_SHARE) / 2), max(0.2, (mat_blue + BLUE_SHARE) / 2)
    red, blue = cv2.compare(redness, red_from, cv2.CMP_GT), cv2.compare(blueness, blue_from, cv2.CMP_GT)
    shade = _shade(g if mat[1] >= mat[2] else r, cv2.bitwise_or(red, blue))
    whole = shade * np.float32(_mat_at_paper(sight, shade, mat))
    flat = cv2.min(cv2.min(b, g), r)
    high, low = cv2.divide(cv2.max(cold, r), whole), cv2.divide(flat, whole)
    mat_low = median(low[::EVERY, ::EVERY])
    # under a mirrored lamp the mat looks bright and a die beside it no brighter than paper
    lit = cv2.compare(flat, cv2.max(shade * np.float32(LIT_AHEAD), LIT), cv2.CMP_GT)
    bright = cv2.bitwise_or(cv2.compare(low, max(WHITE_LEAST, (mat_low + 0.9) / 2), cv2.CMP_GT), lit)
    white = cv2.bitwise_and(bright, cv2.compare(low, high * np.float32(1 - PALE), cv2.CMP_GT))
    black = cv2.compare(high, BLACK_MOST, cv2.CMP_LT)
    return Colors(red, blue, white, black, redness, blueness, high, low, mat, shade, red_from, blue_from)


def _shade(channel: Floats32, pieces: Mask) -> Floats32:
    """The mat's brightness in one of its brighter channels, everywhere: medians of cells, smoothed."""
    rows, columns = channel.shape[0] // CELL, channel.shape[1] // CELL
    window = (slice(0, rows * CELL, 2), slice(0, columns * CELL, 2))
    half = CELL // 2
    some = np.where(pieces[window] > 0, np.float32(0), channel[window]).reshape(rows, half, columns, half)
    some = some.transpose(0, 2, 1, 3).reshape(rows, columns, -1)
    middle = np.partition(some, some.shape[2] // 2, axis=2)[:, :, some.shape[2] // 2]
    bare = (some > 0).mean(axis=2)
    weight = np.where(bare > 0.9, 1.0, 0.0).astype(np.float32)
    top = cv2.GaussianBlur(middle * weight, (0, 0), 2.5)
    base = cv2.GaussianBlur(weight, (0, 0), 2.5)
    far_top = cv2.GaussianBlur(middle * weight, (0, 0), 9)
    far_base = cv2.GaussianBlur(weight, (0, 0), 9)
    coarse = (top + 0.02 * far_top) / np.maximum(base + 0.02 * far_base, 1e-6)
    grown = cv2.resize(coarse, (columns * CELL, rows * CELL), interpolation=cv2.INTER_LINEAR)
    bottom, right = channel.shape[0] - rows * CELL, channel.shape[1] - columns * CELL
    return np.maximum(cv2.copyMakeBorder(grown, 0, bottom, 0, right, cv2.BORDER_REPLICATE), 1e-4)


def _mat_at_paper(sight: Sight, shade: Floats32, mat: Floats) -> float:
    """One over the mat's brightness near the fiducials, where the paper's brightness is 1."""
    rows, columns = shade.shape
    edge = round((AROUND_MM + 12) / STEP_MM)
    near = []
    for x, y in sight.kit.mat.markers.values():
        c, r = sight.to_grid(np.array([x, y]))
        near.append(shade[int(np.clip(r, edge, rows - 1 - edge)), int(np.clip(c, edge, columns - 1 - edge))])
    return 1.0 / max(float(np.mean(near)), 1e-4)
