"""Readings that lie on each other: two outlines that share more than half are hardly two things."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

MOST_SHARED = 0.5
"""Of the smaller outline."""


def overlapping(outlines: Sequence[NDArray[np.float64]]) -> Iterator[tuple[int, int]]:
    """The pairs of convex outlines (N, 2) that share more than half of the smaller one.

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
