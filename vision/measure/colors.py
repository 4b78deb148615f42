"""Which pixels of the view from above are red, blue, white or black, as masks.

A colour is compared with white in the mat's own brightness at that place. So a lamp to one side or a tinted bulb
changes nothing.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32, Mask
from calibration.edges import MAD_TO_SIGMA, median
from calibration.markers import cells_across
from companion.game.kit import Mat
from vision.measure.bodies import Place, Solid
from vision.measure.limits import LIMITS
from vision.measure.prepared import AROUND_MM, STEP_MM, PreparedImage

MOST_SHORT = 65535
"""Maximum number of labels in 16 bits; each block of two by two pixels may need one label."""


def components_of(mask: Mask) -> tuple[int, NDArray[np.int32], NDArray[np.int32]]:
    """The number of labels (0 is the background), the labels (H, W), and OpenCV's statistics of each label except 0.

    Only the bounding box of the mask is labelled, in blocks of pixels and with 16 bits if possible. On mostly empty
    masks this takes a third of OpenCV's usual time.
    Source: C. Grana et al., Optimized block-based connected components labeling, IEEE Trans. Image Process. 19 (2010).
    """
    labels = np.zeros(mask.shape, np.int32)
    x, y, width, height = cv2.boundingRect(mask)
    if not width:
        return 1, labels, np.zeros((1, 5), np.int32)
    window = (slice(y, y + height), slice(x, x + width))
    kind = cv2.CV_16U if (width + 1) // 2 * ((height + 1) // 2) < MOST_SHORT else cv2.CV_32S
    count, found, stats, _ = cv2.connectedComponentsWithStatsWithAlgorithm(
        mask[window], connectivity=8, ltype=kind, ccltype=cv2.CCL_GRANA
    )
    labels[window] = found
    stats[:, : cv2.CC_STAT_WIDTH] += (x, y)
    return count, labels, np.asarray(stats, np.int32)


@dataclass(frozen=True, eq=False)
class Colors:
    """Colour masks (0 or 255) of the view from above, and the values that they were made from.

    `high`, `low`: the strongest and weakest channel, as shares of white in that light. `mat`: the mat's colour, linear
    BGR, paper = 1. `shade`: the mat's brightness everywhere. `red_from`, `blue_from`: thresholds of red and blue.
    """

    image: PreparedImage
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

    @cached_property
    def dark_or_foreign(self) -> Mask:
        """Candidates for a black die: darker than any shadow on the mat or of another hue, but neither red nor blue."""
        return _dark_or_foreign(self.image, self)

    @cached_property
    def off_mat(self) -> Mask:
        """Everything that differs from the mat and from a shadow on it."""
        mask = self.dark_or_foreign | self.white
        at = np.flatnonzero(mask)
        mat = (self.mat / usual(self.shade)).astype(np.float32) * self.shade.take(at)[:, None]
        soft = cv2.blur(self.image.top, (3, 3)).reshape(-1, 3)
        mask.ravel()[at[is_shade(soft.take(at, axis=0) / mat)]] = 0
        return mask


def usual(values: NDArray[Any]) -> float:
    """The median of pixels (H, W), sampled every fifth pixel along each axis."""
    return median(values[:: LIMITS.median_step_px, :: LIMITS.median_step_px])


def colors_of(image: PreparedImage) -> Colors:
    """The colour masks of a picture."""
    b, g, r = (np.asarray(channel, np.float32) for channel in cv2.split(image.top))
    total = b + g + r
    total += np.float32(LIMITS.dim)
    cold = np.maximum(b, g)
    redness = _divided(r - cold, total)
    blueness = _divided(b - np.maximum(r, g), total)
    mat = np.array([usual(channel) for channel in (b, g, r)])
    mat_total = float(mat.sum()) + LIMITS.dim
    mat_red = (mat[2] - max(mat[0], mat[1])) / mat_total
    mat_blue = (mat[0] - max(mat[1], mat[2])) / mat_total
    red_from = max(LIMITS.min_redness, (mat_red + LIMITS.red_share) / 2)
    blue_from = max(LIMITS.bare_blueness, (mat_blue + LIMITS.blue_share) / 2)
    red, blue = above(redness, red_from), above(blueness, blue_from)
    shade = _shade(g if mat[1] >= mat[2] else r, red | blue)
    whole = shade * np.float32(_mat_at_paper(image, shade))
    flat = np.minimum(np.minimum(b, g), r)
    high, low = _divided(np.maximum(cold, r), whole), _divided(flat, whole)
    mat_low = usual(low)
    # under a mirrored lamp the mat looks bright, and a die there looks no brighter than paper
    lit = cv2.compare(
        flat, np.maximum(shade * np.float32(LIMITS.mirror_share), np.float32(LIMITS.lit_paper)), cv2.CMP_GT
    )
    bright = above(low, (mat_low + LIMITS.lit_paper) / 2) | np.asarray(lit, np.uint8)
    white = bright & np.asarray(cv2.compare(low, high * np.float32(1 - LIMITS.max_pale), cv2.CMP_GT), np.uint8)
    black = below(high, LIMITS.max_black)
    return Colors(image, red, blue, white, black, redness, blueness, high, low, mat, shade, red_from, blue_from)


def above(values: Floats32, level: float) -> Mask:
    """Mask (255, else 0) of values above a level."""
    return np.asarray(cv2.compare(values, level, cv2.CMP_GT), np.uint8)  # type: ignore[call-overload]


def below(values: Floats32, level: float) -> Mask:
    """Mask (255, else 0) of values below a level."""
    return np.asarray(cv2.compare(values, level, cv2.CMP_LT), np.uint8)  # type: ignore[call-overload]


def _divided(values: Floats32, by: Floats32) -> Floats32:
    """Division of arrays, faster than numpy's."""
    return np.asarray(cv2.divide(values, by), np.float32)


def _shade(channel: Floats32, pieces: Mask) -> Floats32:
    """The mat's brightness everywhere, in one channel: medians of cells, smoothed."""
    cell = LIMITS.mat_cell_px
    rows, columns = channel.shape[0] // cell, channel.shape[1] // cell
    window = (slice(0, rows * cell, 2), slice(0, columns * cell, 2))
    half = cell // 2
    cells = channel[window].reshape(rows, half, columns, half).transpose(0, 2, 1, 3).reshape(rows, columns, -1)
    middle = np.partition(cells, cells.shape[2] // 2, axis=2)[:, :, cells.shape[2] // 2]
    bare = (pieces[window].reshape(rows, half, columns, half).max(axis=(1, 3)) == 0).astype(np.float32)
    both = cv2.merge([middle * bare, bare])
    top, base = cv2.split(
        cv2.GaussianBlur(both, (0, 0), LIMITS.mat_blur_cells) + LIMITS.dim * np.asarray(cv2.mean(both)[:2], np.float32)
    )
    coarse = top / np.maximum(base, 1e-6)
    grown = cv2.resize(coarse, (columns * cell, rows * cell), interpolation=cv2.INTER_LINEAR)
    bottom, right = channel.shape[0] - rows * cell, channel.shape[1] - columns * cell
    whole = cv2.copyMakeBorder(grown, 0, bottom, 0, right, cv2.BORDER_REPLICATE)
    return np.asarray(np.maximum(whole, 1e-6), np.float32)


def _mat_at_paper(image: PreparedImage, shade: Floats32) -> float:
    """The factor that scales the mat's brightness near the fiducials to 1, the brightness of paper."""
    rows, columns = shade.shape
    edge = round(AROUND_MM / STEP_MM) + LIMITS.mat_cell_px // 2
    near = []
    for x, y in image.kit.mat.markers.values():
        c, r = image.to_grid(np.array([x, y]))
        near.append(shade[int(np.clip(r, edge, rows - 1 - edge)), int(np.clip(c, edge, columns - 1 - edge))])
    return 1.0 / float(np.mean(near))


def paper_mm(mat: Mat) -> float:
    """Distance from a fiducial's middle to a place beyond its paper, which is printed one and a half cells wide."""
    return mat.marker_mm * (0.5 + 2 / cells_across(mat))


def _dark_or_foreign(image: PreparedImage, colors: Colors) -> Mask:
    high = colors.high
    mat_high = usual(high)
    mask: Mask = np.bitwise_or(below(high, LIMITS.dark_share * mat_high), _pale(colors, mat_high))
    for hue in (colors.redness, colors.blueness):
        soft = cv2.blur(hue, (3, 3))
        some = soft[:: LIMITS.median_step_px, :: LIMITS.median_step_px]
        middle = median(some)
        scatter = MAD_TO_SIGMA * median(np.abs(some - middle))
        astray = max(LIMITS.min_foreign_sigmas * scatter, LIMITS.max_off_mat)
        cv2.bitwise_or(mask, cv2.bitwise_not(cv2.inRange(soft, middle - astray, middle + astray)), dst=mask)
    hidden = cv2.dilate(cv2.bitwise_or(colors.red, colors.blue), np.ones((3, 3), np.uint8))
    cv2.bitwise_and(mask, cv2.bitwise_not(hidden), dst=mask)
    for piece in (colors.red, colors.blue):
        x, y, w, h = cv2.boundingRect(piece)
        window, hole = (slice(y, y + h), slice(x, x + w)), LIMITS.hole_px
        padded = cv2.copyMakeBorder(piece[window], hole, hole, hole, hole, 0)
        closed = cv2.morphologyEx(padded, cv2.MORPH_CLOSE, round_kernel(hole))
        inner = cv2.erode(closed, np.ones((3, 3), np.uint8), iterations=2)[hole : hole + h, hole : hole + w]
        mask[window][(inner > 0) & (colors.red[window] == 0) & (colors.blue[window] == 0)] = 255
    erase_fiducials(image, mask)
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)


def _pale(colors: Colors, mat_high: float) -> Mask:
    """Grey pixels that are brighter than any shadow on the mat."""
    bright = above(colors.low, LIMITS.mirror_share * mat_high)
    return bright & np.asarray(cv2.compare(colors.low, (1 - LIMITS.max_pale) * colors.high, cv2.CMP_GT), np.uint8)


def is_shade(left: Floats | Floats32) -> NDArray[np.bool_]:
    """Whether the remaining shares (..., 3) of the mat's light, per channel, are possible for a shadow."""
    blue, green, red = (left[..., k] for k in range(3))  # a maximum along an axis of three takes ten times as long
    most, least = np.maximum(np.maximum(blue, green), red), np.minimum(np.minimum(blue, green), red)
    return np.asarray((most < LIMITS.max_shade) & (least > LIMITS.min_shade) & (most < LIMITS.max_shade_ratio * least))


def erase_fiducials(image: PreparedImage, mask: Mask) -> None:
    """Erases the fiducials at the edge of the mat from a mask."""
    mat = image.kit.mat
    half = paper_mm(mat)
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
    corners = place.points(solid.core_mm * LIMITS.erased)
    seen = image.to_grid(image.seen_at(corners[:, :2], corners[:, 2]))
    hull = np.round(cv2.convexHull(seen.astype(np.float32))).astype(np.int32)
    cv2.fillConvexPoly(mask, hull, 0)
    cv2.polylines(mask, [hull], True, 0, 1)
