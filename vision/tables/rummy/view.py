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
from vision.tables.rummy.limits import LIMITS

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TableView:
    """The mat in a picture, at `px_per_mm` pixels a mm."""

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
        return np.asarray(pixels, np.float64) / self.px_per_mm - LIMITS.beyond_mat_mm

    def to_view(self, xy_mm: Floats) -> Floats:
        """The view's pixels (N, 2) of table points (N, 2)."""
        return (np.asarray(xy_mm, np.float64) + LIMITS.beyond_mat_mm) * self.px_per_mm

    def to_picture(self, xy_mm: Floats) -> Floats:
        """The picture's pixels (N, 2) of table points (N, 2)."""
        points = np.asarray(xy_mm, np.float64).reshape(-1, 2)
        return np.asarray(self.pose.to_pixels(np.column_stack([points, np.full(len(points), self.height_mm)])))


def view_of(picture: Picture, pose: Pose, mat: Mat, height_mm: float) -> TableView:
    """The mat in a BGR picture, about as fine as the picture shows its middle."""
    across = np.array([[x, mat.height_mm / 2, height_mm] for x in (mat.width_mm / 2 - 50, mat.width_mm / 2 + 50)])
    px_per_mm = float(
        np.clip(
            np.linalg.norm(np.diff(pose.to_pixels(across), axis=0)) / 100, LIMITS.min_px_per_mm, LIMITS.max_px_per_mm
        )
    )
    columns, rows = (round((side + 2 * LIMITS.beyond_mat_mm) * px_per_mm) for side in (mat.width_mm, mat.height_mm))
    cs, rs = (
        np.arange(-(LIMITS.view_stride_px + 1) / 2, count + LIMITS.view_stride_px, LIMITS.view_stride_px) + 0.5
        for count in (columns, rows)
    )
    gx, gy = np.meshgrid(cs / px_per_mm - LIMITS.beyond_mat_mm, rs / px_per_mm - LIMITS.beyond_mat_mm)
    points = np.column_stack([gx.ravel(), gy.ravel(), np.full(gx.size, height_mm)])
    coarse = pose.to_pixels(points).reshape(len(rs), len(cs), 2).astype(np.float32)
    size = (coarse.shape[1] * LIMITS.view_stride_px, coarse.shape[0] * LIMITS.view_stride_px)
    # pixel 0 is half a stride beyond the coarse grid's first, which is half a stride before it
    places = cv2.resize(coarse, size, interpolation=cv2.INTER_LINEAR)[
        LIMITS.view_stride_px : LIMITS.view_stride_px + rows, LIMITS.view_stride_px : LIMITS.view_stride_px + columns
    ]
    seen = cv2.remap(picture, places, np.empty(0), cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return TableView(np.asarray(seen, np.uint8), pose, px_per_mm, height_mm)
