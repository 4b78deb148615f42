"""Masks of the view from above: what may be a black die or a strange thing, and how to erase what is explained."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.medians import median
from vision.measure.bodies import Place, Solid
from vision.measure.colors import EVERY, PALE, Colors, above, below
from vision.measure.prepared import Floats, Floats32, Mask, PreparedImage

DARK_SHARE = 0.5
"""A die's body is darker than this share of the mat."""
BRIGHTER = 1.25
"""A top that mirrors a lamp is brighter than the mat by this, and pale."""
STRANGE_HUE = 0.12
"""Maximum difference in redness or blueness from the mat; beyond it a pixel belongs to a thing."""
HOLE_PX = 15
"""Maximum width, in pixels of the view from above, of a hole in a colour that counts as something on top of it."""
SHADE, DEEPEST, SAME_HUE = 0.9, 0.12, 1.4
"""A shadow keeps between the second and the first part of the mat's light. No channel keeps more than this many times
another's share, because lamps and the room's light differ in hue."""
PAPER = 0.75
"""How far a fiducial with its paper reaches from its middle, in its sides."""


def dark_or_foreign(image: PreparedImage, colors: Colors) -> Mask:
    """Candidates for a black die: darker than any shadow on the mat, or of another hue, and neither red nor blue."""
    high = colors.high
    mat_high = median(high[::EVERY, ::EVERY])
    mask: Mask = np.bitwise_or(below(high, max(0.04, DARK_SHARE * mat_high)), _pale(colors, mat_high))
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
        closed = cv2.morphologyEx(
            cv2.copyMakeBorder(piece[window], HOLE_PX, HOLE_PX, HOLE_PX, HOLE_PX, 0),
            cv2.MORPH_CLOSE,
            round_kernel(HOLE_PX),
        )
        inner = cv2.erode(closed, round_kernel(5))[HOLE_PX : HOLE_PX + h, HOLE_PX : HOLE_PX + w]
        mask[window][(inner > 0) & (colors.red[window] == 0) & (colors.blue[window] == 0)] = 255
    erase_fiducials(image, mask)
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)


def _pale(colors: Colors, mat_high: float) -> Mask:
    """Grey pixels that are brighter than any shadow on the mat."""
    bright = above(colors.low, BRIGHTER * mat_high)
    return bright & np.asarray(cv2.compare(colors.low, (1 - PALE) * colors.high, cv2.CMP_GT), np.uint8)


def is_shade(left: Floats | Floats32) -> NDArray[np.bool_]:
    """Whether what is left of the mat's light (..., 3), as shares of its channels, is what a shade leaves."""
    blue, green, red = (left[..., k] for k in range(3))  # a maximum over three along an axis takes ten times as long
    most, least = np.maximum(np.maximum(blue, green), red), np.minimum(np.minimum(blue, green), red)
    return np.asarray((most < SHADE) & (least > DEEPEST) & (most < SAME_HUE * least))


def erase_fiducials(image: PreparedImage, mask: Mask) -> None:
    """Erases the fiducials around the play area from a mask."""
    mat = image.kit.mat
    half = PAPER * mat.marker_mm
    whole = np.array([(0.0, 0.0), (mat.width_mm, mat.height_mm)])
    (left, top), (right, bottom) = np.rint(image.to_grid(whole)).astype(int)
    inside = mask[top : bottom + 1, left : right + 1].copy()
    for centre in mat.markers.values():
        low, high = np.rint(image.to_grid(np.array(centre) + half * np.array([[-1], [1]]))).astype(int)
        mask[max(low[1], 0) : max(high[1] + 1, 0), max(low[0], 0) : max(high[0] + 1, 0)] = 0
    mask[top : bottom + 1, left : right + 1] = inside


def round_kernel(size: int) -> Mask:
    """A round structuring element of this width in pixels."""
    return cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)).astype(np.uint8)


def erase_body(image: PreparedImage, mask: Mask, solid: Solid, place: Place) -> None:
    """Erases a body's outline from a mask of the view from above."""
    corners = place.points(solid.core_mm * 1.12)
    seen = np.array([image.to_grid(image.seen_at(p[:2], float(p[2]))) for p in corners], np.float32)
    hull = np.round(cv2.convexHull(seen)).astype(np.int32)
    cv2.fillConvexPoly(mask, hull, 0)
    cv2.polylines(mask, [hull], True, 0, 1)
