"""Finds possible white dice: squares with the kit's side in the view from above, whiter than their surroundings."""

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32, Mask
from vision.measure.bodies import unit
from vision.measure.colors import Colors, components_of
from vision.measure.limits import LIMITS
from vision.measure.prepared import STEP_MM, PreparedImage

CELL_MM = LIMITS.cutout_cell_mm
"""Side of a cut-out's pixel."""


def cutout_light(
    image: PreparedImage, middle: Floats, angle_deg: float, extent_mm: float, height_mm: float
) -> NDArray[np.uint16]:
    """A square of the table at a height, turned by an angle, seen from straight above: linear BGR (N, N, 3), N odd."""
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
    """Like `cutout_light`, but the square root of the darkest channel's light (N, N)."""
    b, g, r = cv2.split(cutout_light(image, middle, angle_deg, extent_mm, height_mm))
    return np.asarray(cv2.sqrt(cv2.min(cv2.min(b, g), r).astype(np.float32) * np.float32(1 / 65535)), np.float32)


@dataclass(frozen=True, slots=True)
class Square:
    """A top's square in the view from above: its middle (x, y) and its angle."""

    x_mm: float
    y_mm: float
    angle_deg: float


def find_squares(image: PreparedImage, colors: Colors, side_mm: float) -> list[Square]:
    """Tops of white dice: squares of the kit's side, whiter than their surroundings."""
    white = colors.white.copy()
    contours, _ = cv2.findContours(white, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    cv2.drawContours(white, contours, -1, 255, -1)  # the eye's ink leaves holes
    deep = cv2.distanceTransform(white, cv2.DIST_L2, 5) * STEP_MM
    core = (deep > LIMITS.core_sides * side_mm).astype(np.uint8)
    count, labels, stats = components_of(core)
    low = whiteness(colors, colors.red | colors.blue, white)
    found = []
    for i in range(1, count):
        x, y, width, height = stats[i, :4]
        at = np.argwhere(labels[y : y + height, x : x + width] == i) + np.array([y, x])
        for seed in _seeds(at, stats[i], side_mm):
            square = square_near(image, low, seed, side_mm)
            if square is not None:
                found.append(square)
    return found


def whiteness(colors: Colors, spoilt: Mask, within: Mask) -> Floats32:
    """How white each pixel is, at most 1. Pixels both in `spoilt` (under ink or a piece) and in `within` (inside a die)
    count as white."""
    low = np.minimum(colors.low, np.float32(1.0))
    low[(spoilt & within) > 0] = 1.0
    return low


def square_near(image: PreparedImage, low: Floats32, seed: Floats, side_mm: float) -> Square | None:
    """The square around a seed (row, column) in the view from above, if it is whiter than its surroundings and on the
    mat."""
    row, column, angle_deg, score = _search(image, low, seed, side_mm)
    grid = np.array([column, row])
    half = np.array([image.kit.mat.width_mm, image.kit.mat.height_mm]) / 2
    is_off = np.abs(image.at_height(image.to_table(grid), side_mm) - half) > half + side_mm / 2
    if is_off.any() or score <= LIMITS.min_whiter * float(_at(low, np.array(row), np.array(column))):
        return None
    x, y = image.to_table(grid)
    return Square(float(x), float(y), angle_deg)


def _seeds(at: Floats, stats: Floats, side_mm: float) -> list[Floats]:
    """Middles (row, column) of the tops in one white core; a long core is several dice that touch."""
    reach = max(stats[cv2.CC_STAT_WIDTH], stats[cv2.CC_STAT_HEIGHT]) * STEP_MM
    count = 1 + int(reach / side_mm)
    if count == 1:
        return [at.mean(axis=0)]
    cv2.setRNGSeed(1)
    points = at.astype(np.float32)
    criteria = (cv2.TERM_CRITERIA_EPS, 0, 0.5)
    _, _, centres = cv2.kmeans(points, count, None, criteria, 2, cv2.KMEANS_PP_CENTERS)  # type: ignore[call-overload]
    return list(centres)


def _at(low: Floats32, row: Floats, column: Floats) -> Floats32:
    """The whiteness of places. Beyond the view nothing counts as white: a top that reaches out of it ends there."""
    r, c = np.rint(row).astype(int), np.rint(column).astype(int)
    r_in, c_in = r.clip(0, low.shape[0] - 1), c.clip(0, low.shape[1] - 1)
    return np.where((r == r_in) & (c == c_in), low.ravel().take(r_in * low.shape[1] + c_in), np.float32(0))


def _search(image: PreparedImage, low: Floats32, seed: Floats, side_mm: float) -> tuple[float, float, float, float]:
    """The best square near a seed: (row, column, angle in degrees, score). A side may be as white as the top: so of
    equal squares the one furthest from the point below the camera."""
    half = side_mm / 2 / STEP_MM
    reach = LIMITS.square_window * half
    along = np.linspace(-reach, reach, round(half))
    inside = np.array([(u, v) for u in along for v in along])
    rim, outside = (
        np.array([at for u in along for s in (-far, far) for at in ((u, s), (s, u))])
        for far in (reach, 2 * half - reach)
    )
    points = np.vstack([inside, rim, outside])
    shares = ((0.5, inside), (0.5, rim), (-1.0, outside))
    worth = np.concatenate([np.full(len(part), share / len(part), np.float32) for share, part in shares])
    away = unit(seed - image.to_grid(image.pose.centre_mm[:2])[::-1])
    best, found = (float(seed[0]), float(seed[1]), 0.0, -1.0), -np.inf
    angles = np.arange(0.0, 90.0, LIMITS.coarse_turn_deg)
    for step in (2.0, 1.0, 0.5):
        row, column, angle_deg, _ = best
        shifts = step * np.arange(-2, 2 + 1)
        dr, dc = np.meshgrid(shifts, shifts, indexing="ij")
        further = LIMITS.dim * ((row - seed[0] + dr) * away[0] + (column - seed[1] + dc) * away[1])
        for angle in angle_deg + angles:
            c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
            p = points @ np.array([[c, s], [-s, c]])
            score = _at(low, row + dr[..., None] + p[:, 1], column + dc[..., None] + p[:, 0]) @ worth
            i = np.unravel_index(int((score + further).argmax()), score.shape)
            if score[i] + further[i] > found:
                found = score[i] + further[i]
                best = (float(row + dr[i]), float(column + dc[i]), float(angle), float(score[i]))
        angles = step / 2 * LIMITS.coarse_turn_deg / 2 * np.array([-1, 0, 1])
    return best
