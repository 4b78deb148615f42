"""Whether a die's faces lie where its light says: each visible face of one light, all around of the ground's.

A way of standing that puts a face where the ground is seen, or ground where a face is, costs what those pixels differ.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.eyes.bodies import Place, Solid
from vision.eyes.sight import Floats, Floats32, Sight

AROUND_PX = 3
"""Pixels so far outside all the ways' outlines are compared too."""
RING_PX = 9
"""The ground's colours are taken from a ring of this width beyond."""
GROUNDS = 4
"""Colours of the ground: mat, territories, their shadows."""
SIGMA = 0.08
"""How far the root of light strays within a face."""
MOST = 3.0
"""A pixel counts at most as so many sigmas."""
PIXELS_AS_ONE = 30.0
"""Neighbouring pixels stray together: so many count as one."""


@dataclass(frozen=True, eq=False)
class Patch:
    """The surroundings of a die: the root of light (H, W, 3), the pixels to explain, and the ground's cost of each."""

    corner: tuple[int, int]
    root: Floats32
    where: NDArray[np.bool_]
    ground: Floats32


def patch_of(sight: Sight, solid: Solid, places: list[Place]) -> Patch:
    """The pixels that any of these places covers, with a margin."""
    hulls = [cv2.convexHull(_swollen(sight, solid, place).astype(np.float32)) for place in places]
    points = np.vstack(hulls)[:, 0]
    height, width = sight.light.shape[:2]
    reach = AROUND_PX + RING_PX + 2
    x0, y0 = np.maximum(np.floor(points.min(axis=0)).astype(int) - reach, 0)
    x1, y1 = np.minimum(np.ceil(points.max(axis=0)).astype(int) + reach, (width - 1, height - 1))
    root = np.sqrt(sight.light[y0 : y1 + 1, x0 : x1 + 1].astype(np.float32) * np.float32(1 / 65535))
    covered = np.zeros(root.shape[:2], np.uint8)
    for hull in hulls:
        cv2.fillConvexPoly(covered, np.round(hull[:, 0] - (x0, y0)).astype(np.int32), 255)
    where = cv2.dilate(covered, np.ones((2 * AROUND_PX + 1,) * 2, np.uint8))
    ring = cv2.dilate(where, np.ones((2 * RING_PX + 1,) * 2, np.uint8)) & ~where
    seen = root[ring > 0]
    cv2.setRNGSeed(7)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 12, 0.002)
    _, _, colors = cv2.kmeans(seen[::2].copy(), GROUNDS, None, criteria, 2, cv2.KMEANS_PP_CENTERS)
    far = np.min([np.square(root - color).sum(axis=2) for color in colors], axis=0)
    return Patch((int(x0), int(y0)), root, where > 0, _cost(far))


def patch_cost(sight: Sight, solid: Solid, place: Place, patch: Patch) -> float:
    """How badly the faces of a die at this place agree with the patch."""
    labels = np.zeros(patch.root.shape[:2], np.uint8)
    half = solid.half_height_mm
    faces = 0
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = place.axes[:, axis] * sign
            centre = place.middle_mm + normal * half
            if normal @ (sight.pose.centre_mm - centre) <= 0:
                continue
            u, v = (a for a in range(3) if a != axis)
            body = np.zeros((4, 3))
            body[:, axis] = sign * half
            body[:, u], body[:, v] = [-half, half, half, -half], [-half, -half, half, half]
            pixels = sight.view.to_pixels(place.points(body * 0.985)) - patch.corner
            faces += 1
            cv2.fillConvexPoly(labels, np.round(pixels * 16).astype(np.int32), faces, shift=4)
    cost = patch.ground.copy()
    for face in range(1, faces + 1):
        mine = labels == face
        if mine.sum() < 12:
            continue
        color = np.median(patch.root[mine], axis=0)
        cost[mine] = _cost(np.square(patch.root[mine] - color).sum(axis=1))
    return float(cost[patch.where].sum()) / PIXELS_AS_ONE


def _cost(square: Floats32) -> Floats32:
    return np.minimum(square / np.float32(SIGMA**2), np.float32(MOST**2))


def _swollen(sight: Sight, solid: Solid, place: Place) -> Floats:
    return sight.view.to_pixels(place.points(np.sign(solid.core_mm) * solid.half_height_mm))
