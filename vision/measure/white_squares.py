"""Finds possible white dice: squares with the kit's side in the view from above, whiter than their surroundings."""

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.measure.colors import Colors, components_of
from vision.measure.limits import LIMITS
from vision.measure.prepared import STEP_MM, Floats, Floats32, Mask, PreparedImage

CELL_MM = 0.8
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


def edge_angles(cut: Floats32, most: int) -> list[float]:
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


@dataclass(frozen=True, slots=True)
class Square:
    """A top's square in the view from above: its middle (x, y), its angle, and its contrast in whiteness to its
    surroundings."""

    x_mm: float
    y_mm: float
    angle_deg: float
    score: float


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
        for seed in _seeds(at, stats[i]):
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
    """The square around a seed (row, column) in the view from above, if it is whiter than its surroundings."""
    middle = image.at_height(image.to_table(np.array([seed[1], seed[0]])), side_mm)
    return _whiter(image, low, _search(low, seed, side_mm, _angles(image, middle, side_mm, 2)), side_mm)


def _angles(image: PreparedImage, middle: Floats, side_mm: float, most: int) -> list[float]:
    return edge_angles(cutout(image, middle, 0.0, 1.7 * side_mm, side_mm), most)


def _whiter(
    image: PreparedImage, low: Floats32, square: tuple[float, float, float, float], side_mm: float
) -> Square | None:
    """The square in mm, if it is whiter than its surroundings and on the mat."""
    at = image.at_height(image.to_table(np.array([square[1], square[0]])), side_mm)
    half = np.array([image.kit.mat.width_mm, image.kit.mat.height_mm]) / 2
    if (np.abs(at - half) >= half + 5).any() or square[3] <= LIMITS.min_whiter:
        return None
    square = _outermost(low, square, side_mm, image)
    x, y = image.to_table(np.array([square[1], square[0]]))
    return Square(float(x), float(y), square[2], square[3])


def _seeds(at: Floats, stats: Floats) -> list[Floats]:
    """Middles (row, column) of the tops in one white core; a long core is several dice that touch."""
    reach = max(stats[cv2.CC_STAT_WIDTH], stats[cv2.CC_STAT_HEIGHT]) * STEP_MM
    count = 1 + int(reach > 26) + int(reach > 52)
    if count == 1:
        return [at.mean(axis=0)]
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 20, 0.5)
    cv2.setRNGSeed(1)
    points = at.astype(np.float32)
    _, _, centres = cv2.kmeans(points, count, None, criteria, 3, cv2.KMEANS_PP_CENTERS)  # type: ignore[call-overload]
    return list(centres)


def _outermost(
    low: Floats32, square: tuple[float, float, float, float], side_mm: float, image: PreparedImage
) -> tuple[float, float, float, float]:
    """The square, moved away from the point below the camera while it stays white: there the top ends."""
    foot = image.to_grid(image.pose.centre_mm[:2])
    away = np.array([square[0] - foot[1], square[1] - foot[0]])
    away /= max(float(np.hypot(*away)), 1e-6)
    angle = np.radians(square[2])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    ring = 0.9 * np.linspace(-1, 1, 9) * side_mm / 2 / STEP_MM
    inside = np.array([(u, v) for u in ring for v in ring]) @ turn.T
    whole = float(_mean(low, square[0], square[1], inside))
    best = square
    for step in np.arange(0.5, 7.0, 0.5):
        r, c = square[0] + away[0] * step, square[1] + away[1] * step
        if float(_mean(low, r, c, inside)) < whole - 0.015:
            break
        best = (r, c, square[2], square[3])
    return best


def _mean(low: Floats32, row: float, column: float, points: Floats) -> float:
    return float(_at(low, row + points[:, 1], column + points[:, 0]).mean())


def _at(low: Floats32, row: Floats, column: Floats) -> Floats32:
    """The whiteness of places. Beyond the view nothing counts as white: a top that reaches out of it ends there."""
    r, c = np.rint(row).astype(int), np.rint(column).astype(int)
    r_in, c_in = r.clip(0, low.shape[0] - 1), c.clip(0, low.shape[1] - 1)
    return np.where((r == r_in) & (c == c_in), low.ravel().take(r_in * low.shape[1] + c_in), np.float32(0))


def _search(low: Floats32, seed: Floats, side_mm: float, likely: list[float]) -> tuple[float, float, float, float]:
    """The best square near a seed: (row, column, angle in degrees, score)."""
    half = side_mm / 2 / STEP_MM
    ring = 0.8 * np.linspace(-1, 1, 5)
    inside = np.array([(u * half, v * half) for u in ring for v in ring])
    edge = 0.85 * np.linspace(-1, 1, 6)
    out = 1.22 * half
    outside = np.array(
        [(e * half, s * out) for e in edge for s in (-1, 1)] + [(s * out, e * half) for e in edge for s in (-1, 1)]
    )
    rim = 0.88 * half
    inner_rim = np.array(
        [(e * half, s * rim) for e in edge for s in (-1, 1)] + [(s * rim, e * half) for e in edge for s in (-1, 1)]
    )
    points = np.vstack([inside, inner_rim, outside])
    shares = [(0.5, inside), (0.5, inner_rim), (-1.0, outside)]
    worth = np.concatenate([np.full(len(p), share / len(p), np.float32) for share, p in shares])
    best = (float(seed[0]), float(seed[1]), 0.0, -1.0)
    for step, reach, angles in ((1.5, 4.5, np.array(likely)), (0.7, 1.4, np.arange(-3, 3.1, 1.5))):
        origin = best
        shifts = np.arange(-reach, reach + 0.01, step)
        dr, dc = np.meshgrid(shifts, shifts, indexing="ij")
        for angle in angles + (0.0 if step == 1.5 else origin[2]):
            c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
            turn = np.array([[c, -s], [s, c]])
            p = points @ turn.T
            score = _at(low, origin[0] + dr[..., None] + p[:, 1], origin[1] + dc[..., None] + p[:, 0]) @ worth
            i = np.unravel_index(int(score.argmax()), score.shape)
            if score[i] > best[3]:
                best = (origin[0] + dr[i], origin[1] + dc[i], float(angle), float(score[i]))
    return best
