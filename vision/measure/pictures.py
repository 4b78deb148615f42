"""Picture values between pixels, JPEG, overlapping outlines, and printed tags."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32
from vision.measure.limits import LIMITS


def sampled(picture: NDArray[Any], at: NDArray[np.float32], *, repeats_edge: bool = True) -> NDArray[Any]:
    """The values of a picture (H, W) or (H, W, C) at places (rows, columns, 2) of x and y, by linear interpolation.

    Outside the picture its edge is repeated; without `repeats_edge` values there are 0.
    """
    border = cv2.BORDER_REPLICATE if repeats_edge else cv2.BORDER_CONSTANT
    return np.asarray(cv2.remap(picture, at, None, cv2.INTER_LINEAR, borderMode=border))  # type: ignore[call-overload]


def colors_at(picture: NDArray[np.uint8], at: Floats32) -> NDArray[np.uint8]:
    """Like `sampled` for many places of a BGR picture: four channels take half the time of three."""
    seen = sampled(cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA), at)
    return np.asarray(cv2.cvtColor(seen, cv2.COLOR_BGRA2BGR), np.uint8)


def coarse_places(
    to_pixels: Callable[[Floats], Floats],
    to_table: Callable[[Floats], Floats],
    size: tuple[int, int],
    height_mm: float,
    stride: int,
    first: float = 0.0,
) -> Floats32:
    """The picture's places (R, C, 2) of a view from above of this size (columns, rows), one per `stride` cells.

    They begin half a stride and half a cell before the first cell (`first`), and end beyond the last cell.
    """
    cs, rs = (np.arange(-(stride + 1) / 2, count + stride, stride) + first for count in size)
    cells = np.stack(np.meshgrid(cs, rs), axis=-1).reshape(-1, 2)
    pixels = to_pixels(np.column_stack([to_table(cells), np.full(len(cells), height_mm)]))
    return pixels.reshape(len(rs), len(cs), 2).astype(np.float32)


def all_places(coarse: Floats32, size: tuple[int, int], stride: int) -> Floats32:
    """The picture's places (rows, columns, 2) of all cells, by bilinear interpolation of the coarse places."""
    (columns, rows), (high, wide) = size, coarse.shape[:2]
    fine = cv2.resize(coarse, (wide * stride, high * stride), interpolation=cv2.INTER_LINEAR)
    return np.asarray(fine[stride : stride + rows, stride : stride + columns], np.float32)


def jpeg(picture: NDArray[Any], quality: int, width_px: int | None = None) -> bytes:
    """A BGR picture as JPEG bytes, shrunk to a width if it is wider."""
    if width_px is not None and width_px < picture.shape[1]:
        scale = width_px / picture.shape[1]
        picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return bytes(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1])


def box_about(points: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """The bounding box (left, top, right, bottom) of points (N, 2), rounded to a tenth.

    >>> box_about(np.array([(1.0, 5.0), (3.04, 2.0)]))
    (1.0, 2.0, 3.0, 5.0)
    """
    (left, top), (right, bottom) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    return round(left, 1), round(top, 1), round(right, 1), round(bottom, 1)


MOST_SHARED = 0.5
"""Maximum shared part of two outlines, as a share of the smaller outline."""


def overlapping(outlines: Sequence[NDArray[np.float64]]) -> Iterator[tuple[int, int]]:
    """The pairs of convex outlines (N, 2) that share more than half of the smaller outline.

    >>> square = np.array([(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)])
    >>> list(overlapping([square, square + (4, 0), square + (8, 0)]))
    [(0, 1), (1, 2)]
    """
    hulls = [cv2.convexHull(np.asarray(outline, np.float32)) for outline in outlines]
    boxes = [(hull.min(axis=(0, 1)), hull.max(axis=(0, 1))) for hull in hulls]
    for i, j in combinations(range(len(hulls)), 2):
        (low, high), (other_low, other_high) = boxes[i], boxes[j]
        if (low < other_high).all() and (other_low < high).all():
            smaller = min(cv2.contourArea(hulls[i]), cv2.contourArea(hulls[j]))
            if cv2.intersectConvexConvex(hulls[i], hulls[j])[0] > MOST_SHARED * smaller:
                yield i, j


DICTIONARY = cv2.aruco.DICT_APRILTAG_36H11
"""The tag family of all shipped kits."""


def is_tag(picture: NDArray[np.uint8], x: float, y: float, side_px: float) -> bool:
    """Whether a printed tag covers the place (x, y) of a BGR picture, where an object with this side was found."""
    reach = LIMITS.tag_reach * side_px / 2
    x0, y0 = max(0, round(x - reach)), max(0, round(y - reach))
    part = picture[y0 : round(y + reach) + 1, x0 : round(x + reach) + 1]
    if min(part.shape[:2], default=0) < 2:
        return False
    scale = min(1.0, LIMITS.max_tag_px / max(part.shape[:2]))
    grey = cv2.resize(cv2.cvtColor(part, cv2.COLOR_BGR2GRAY), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    corners, *_ = _detector().detectMarkers(grey)
    at = ((x - x0) * scale, (y - y0) * scale)
    return any(cv2.pointPolygonTest(tag.astype(np.float32), at, measureDist=False) >= 0 for tag in corners)


@lru_cache(maxsize=1)
def _detector() -> cv2.aruco.ArucoDetector:
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY))
