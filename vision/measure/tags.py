"""Printed fiducials beside which nothing else is read: an AprilTag is no die, though its cells look like pips."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

DICTIONARY = cv2.aruco.DICT_APRILTAG_36H11
"""The family of every shipped kit."""
REACH = 3.0
"""A tag is looked for in a square of so many sides of the thing: its white rim may be taken for the thing's edge."""
LARGEST_PX = 640
"""Larger squares are shrunk to this. Others stay as they are: enlarged tags are found less often."""


def is_tag(picture: NDArray[np.uint8], x: float, y: float, side_px: float) -> bool:
    """Whether a detected tag covers the place (x, y) of a BGR picture where something of this side was found."""
    reach = REACH * side_px / 2
    x0, y0 = max(0, round(x - reach)), max(0, round(y - reach))
    part = picture[y0 : round(y + reach) + 1, x0 : round(x + reach) + 1]
    if min(part.shape[:2], default=0) < 2:
        return False
    scale = min(1.0, LARGEST_PX / max(part.shape[:2]))
    grey = cv2.resize(cv2.cvtColor(part, cv2.COLOR_BGR2GRAY), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    corners, *_ = _detector().detectMarkers(grey)
    at = ((x - x0) * scale, (y - y0) * scale)
    return any(cv2.pointPolygonTest(tag.astype(np.float32), at, measureDist=False) >= 0 for tag in corners)


@lru_cache(maxsize=1)
def _detector() -> cv2.aruco.ArucoDetector:
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY))
