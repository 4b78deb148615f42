"""The tutorial approach to dice, for comparison only: blobs are pips, blobs close to each other are a die.

Most web pages show it: SimpleBlobDetector finds round spots, clustering by distance groups them, and the count of a
cluster is the value. It has no notion of dice, faces or doubt.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.arrays import Picture
from companion.game.readings import DiceReading, DieSeen

LONG_SIDE_PX = 640
NEAR_PIP_WIDTHS = 3.2


def read(picture: Picture) -> DiceReading:
    """A die for each cluster of one to six round blobs."""
    scale = min(1.0, LONG_SIDE_PX / max(picture.shape[:2]))
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    params = cv2.SimpleBlobDetector_Params()
    params.filterByInertia = True
    params.minInertiaRatio = 0.6
    params.filterByColor = False
    params.minArea, params.maxArea = 8, 1500
    found = cv2.SimpleBlobDetector_create(params).detect(cv2.medianBlur(small, 3))
    spots = np.array([[*k.pt, k.size] for k in found], np.float32).reshape(-1, 3)
    groups: list[list[int]] = []
    left = set(range(len(spots)))
    while left:
        group, edge = [], [left.pop()]
        while edge:
            one = edge.pop()
            group.append(one)
            away = {k for k in left if np.hypot(*(spots[k, :2] - spots[one, :2])) < NEAR_PIP_WIDTHS * spots[one, 2]}
            left -= away
            edge += sorted(away)
        groups.append(group)
    dice = []
    for group in groups:
        if len(group) <= 6:
            at, size = spots[group, :2], float(spots[group, 2].mean())
            (x0, y0), (x1, y1) = (at.min(0) - 1.5 * size) / scale, (at.max(0) + 1.5 * size) / scale
            box = (float(x0), float(y0), float(x1), float(y1))
            dice.append(DieSeen(value=len(group), box=box, confidence=1.0))
    return DiceReading(dice=tuple(dice))
