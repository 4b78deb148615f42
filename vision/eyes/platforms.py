"""What a ninja may stand on: pieces with a level top, and how high the top is that the view from above shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.readings import Kind
from vision.eyes.pieces import Detection
from vision.measure.prepared import Floats, Floats32, PreparedImage


@dataclass(frozen=True, eq=False)
class Platform:
    """A piece that bears ninjas: its outline on the table (N, 2) and the height of its top, mm."""

    outline_mm: Floats32
    height_mm: float
    is_die: bool = False

    @classmethod
    def of(cls, piece: Detection) -> Platform:
        """The top of a piece found."""
        height = float(piece.place.middle_mm[2]) + piece.solid.half_height_mm
        return cls(piece.outline_mm.astype(np.float32), height, piece.kind is Kind.EMPIRE_DIE)

    def bears(self, xy_mm: Floats) -> bool:
        """Whether something with its middle at (x, y) can stand on it."""
        return cv2.pointPolygonTest(self.outline_mm, (float(xy_mm[0]), float(xy_mm[1])), False) >= 0


def platform_height_mm(xy_mm: Floats, raised: Sequence[Platform]) -> float:
    """The height of the highest piece under a point (x, y), mm; 0 on the table."""
    return max((piece.height_mm for piece in raised if piece.bears(xy_mm)), default=0.0)


def stand_on_highest(
    image: PreparedImage, seen_mm: Floats, side_mm: float, raised: Sequence[Platform]
) -> tuple[Floats, float]:
    """Where a die stands, (x, y) and the height of its underside in mm, if the view from above shows its top's middle
    at `seen_mm`: on the highest platform that bears it. The higher, the nearer to the point below the camera."""
    for piece in sorted(raised, key=lambda piece: -piece.height_mm):
        xy = image.at_height(seen_mm, piece.height_mm + side_mm)
        if piece.bears(xy):
            return xy, piece.height_mm
    return image.at_height(seen_mm, side_mm), 0.0
