"""What in the view from above may be a black die, and what of it a piece found explains."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.medians import median
from vision.eyes.bodies import Place, Solid
from vision.eyes.color import EVERY, PALE, Colors
from vision.eyes.sight import Mask, Sight

DARK_SHARE = 0.5
"""A die's body is darker than this share of the mat."""
BRIGHTER = 1.25
"""A top that mirrors a lamp is brighter than the mat by this, and pale."""
STRANGE_HUE = 0.12
"""Redness or blueness further from the mat's than this is another thing's."""
HOLE_PX = 15
"""A hole in a colour up to so many pixels of the view from above wide is covered by something."""
PAPER = 0.75
"""A fiducial with the paper round it reaches so far from its middle, in its sides."""


def foreign_mask(sight: Sight, colors: Colors) -> Mask:
    """What may be a black die: darker than any shade of the mat or of another hue, and no red or blue."""
    high = colors.high
    mat_high = median(high[::EVERY, ::EVERY])
    mask = cv2.bitwise_or(cv2.compare(high, max(0.04, DARK_SHARE * mat_high), cv2.CMP_LT), _pale(colors, mat_high))
    for hue in (colors.redness, colors.blueness):
        soft = cv2.blur(hue, (3, 3))
        middle = median(soft[::EVERY, ::EVERY])
        scatter = 1.48 * median(np.abs(soft[::EVERY, ::EVERY] - middle))
        astray = max(6 * scatter, STRANGE_HUE)
        cv2.bitwise_or(mask, cv2.bitwise_not(cv2.inRange(soft, middle - astray, middle + astray)), dst=mask)
    hidden = cv2.dilate(cv2.bitwise_or(colors.red, colors.blue), np.ones((3, 3), np.uint8))
    mask[hidden > 0] = 0
    for piece in (colors.red, colors.blue):
        x, y, w, h = cv2.boundingRect(piece)
        window = (slice(y, y + h), slice(x, x + w))
        closed = cv2.morphologyEx(cv2.copyMakeBorder(piece[window], *[HOLE_PX] * 4, 0), cv2.MORPH_CLOSE, disk(HOLE_PX))
        inner = cv2.erode(closed, disk(5))[HOLE_PX : HOLE_PX + h, HOLE_PX : HOLE_PX + w]
        mask[window][(inner > 0) & (colors.red[window] == 0) & (colors.blue[window] == 0)] = 255
    without_fiducials(sight, mask)
    return cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))


def _pale(colors: Colors, mat_high: float) -> Mask:
    """What is brighter than any shade of the mat, and grey."""
    bright = cv2.compare(colors.low, BRIGHTER * mat_high, cv2.CMP_GT)
    return cv2.bitwise_and(bright, cv2.compare(colors.low, (1 - PALE) * colors.high, cv2.CMP_GT))


def without_fiducials(sight: Sight, mask: Mask) -> None:
    """Takes the fiducials' prints, beside the play area, out of a mask."""
    mat = sight.kit.mat
    half = PAPER * mat.marker_mm
    whole = np.array([(0.0, 0.0), (mat.width_mm, mat.height_mm)])
    (left, top), (right, bottom) = np.rint(sight.to_grid(whole)).astype(int)
    inside = mask[top : bottom + 1, left : right + 1].copy()
    for centre in mat.markers.values():
        low, high = np.rint(sight.to_grid(np.array(centre) + half * np.array([[-1], [1]]))).astype(int)
        mask[max(low[1], 0) : max(high[1] + 1, 0), max(low[0], 0) : max(high[0] + 1, 0)] = 0
    mask[top : bottom + 1, left : right + 1] = inside


def disk(size: int) -> Mask:
    return cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)).astype(np.uint8)


def strike(sight: Sight, mask: Mask, solid: Solid, place: Place) -> None:
    """Takes a die's outline out of a mask of the view from above."""
    corners = place.points(solid.core_mm * 1.12)
    seen = np.array([sight.to_grid(sight.seen_at(p[:2], float(p[2]))) for p in corners], np.float32)
    hull = np.round(cv2.convexHull(seen)).astype(np.int32)
    cv2.fillConvexPoly(mask, hull, 0)
    cv2.polylines(mask, [hull], True, 0, 1)
