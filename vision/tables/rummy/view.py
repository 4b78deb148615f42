"""A card table seen straight from above, so that all cards have one size: where the card networks look.

Convention: the view's pixel (column, row) shows the table's point ``(pixel - EDGE_PX) / px_per_mm`` mm at the height of
a card's face.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.pose import Pose
from companion.game.kit import Mat
from vision.photo.cards.index import halvings
from vision.readers import Picture

Floats = NDArray[np.float64]

LEAST_PX_MM, MOST_PX_MM = 1.2, 2.0
"""A view finer than the picture shows no more."""
EDGE_MM = 12.0
"""So much is seen beyond the mat: a card may lie over its edge."""
STRIDE = 16
"""The picture's places are worked out every so many pixels and are bilinear between."""


@dataclass(frozen=True, eq=False)
class TableView:
    """What a picture shows of the mat, at `px_per_mm` pixels a mm."""

    picture: Picture
    pose: Pose
    px_per_mm: float
    height_mm: float

    @cached_property
    def small(self) -> Picture:
        """The same at a pixel a mm."""
        scale = 1 / self.px_per_mm
        return np.asarray(cv2.resize(self.picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)

    @cached_property
    def pyramid(self) -> list[Picture]:
        """Its halvings, as the index reader takes them."""
        return halvings(self.picture)

    def to_table(self, pixels: Floats) -> Floats:
        """Table points (N, 2) in mm of the view's pixels (N, 2)."""
        return np.asarray(pixels, np.float64) / self.px_per_mm - EDGE_MM

    def to_view(self, xy_mm: Floats) -> Floats:
        """The view's pixels (N, 2) of table points (N, 2)."""
        return (np.asarray(xy_mm, np.float64) + EDGE_MM) * self.px_per_mm

    def to_picture(self, xy_mm: Floats) -> Floats:
        """The picture's pixels (N, 2) of table points (N, 2)."""
        points = np.asarray(xy_mm, np.float64).reshape(-1, 2)
        return np.asarray(self.pose.to_pixels(np.column_stack([points, np.full(len(points), self.height_mm)])))


def view_of(picture: Picture, pose: Pose, mat: Mat, height_mm: float) -> TableView:
    """The mat in a BGR picture, about as fine as the picture shows its middle."""
    across = np.array([[x, mat.height_mm / 2, height_mm] for x in (mat.width_mm / 2 - 50, mat.width_mm / 2 + 50)])
    px_per_mm = float(np.clip(np.linalg.norm(np.diff(pose.to_pixels(across), axis=0)) / 100, LEAST_PX_MM, MOST_PX_MM))
    columns, rows = (round((side + 2 * EDGE_MM) * px_per_mm) for side in (mat.width_mm, mat.height_mm))
    cs, rs = (np.arange(-(STRIDE + 1) / 2, count + STRIDE, STRIDE) + 0.5 for count in (columns, rows))
    gx, gy = np.meshgrid(cs / px_per_mm - EDGE_MM, rs / px_per_mm - EDGE_MM)
    points = np.column_stack([gx.ravel(), gy.ravel(), np.full(gx.size, height_mm)])
    coarse = pose.to_pixels(points).reshape(len(rs), len(cs), 2).astype(np.float32)
    size = (coarse.shape[1] * STRIDE, coarse.shape[0] * STRIDE)
    # pixel 0 lies half a stride beyond the coarse grid's first, which is half a stride before it
    places = cv2.resize(coarse, size, interpolation=cv2.INTER_LINEAR)[STRIDE : STRIDE + rows, STRIDE : STRIDE + columns]
    seen = cv2.remap(picture, places, np.empty(0), cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return TableView(np.asarray(seen, np.uint8), pose, px_per_mm, height_mm)
