"""A picture at places between its pixels."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray


def sampled(picture: NDArray[Any], at: NDArray[np.float32], *, repeats_edge: bool = True) -> NDArray[Any]:
    """The values of a picture (H, W) or (H, W, C) at places (rows, columns, 2) of x and y, by linear interpolation.

    Beyond the picture its edge is repeated, or all is 0 without `repeats_edge`.
    """
    border = cv2.BORDER_REPLICATE if repeats_edge else cv2.BORDER_CONSTANT
    return np.asarray(cv2.remap(picture, at, None, cv2.INTER_LINEAR, borderMode=border))  # type: ignore[call-overload]


def box_about(points: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """The upright box (left, top, right, bottom) about points (N, 2), to a tenth.

    >>> box_about(np.array([(1.0, 5.0), (3.04, 2.0)]))
    (1.0, 2.0, 3.0, 5.0)
    """
    (left, top), (right, bottom) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    return round(left, 1), round(top, 1), round(right, 1), round(bottom, 1)
