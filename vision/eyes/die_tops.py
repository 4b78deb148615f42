"""The top of a ninja, as it was found in the view from above."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from vision.measure.bodies import Place, Solid, upright
from vision.measure.prepared import Floats, PreparedImage

BESIDE = 0.94
"""Dice that stand side by side have their middles at least so far apart, in sides."""


@dataclass(frozen=True, slots=True)
class Top:
    """A ninja's top: its middle (x, y), its angle, the value or None, and how well the pattern fits."""

    x_mm: float
    y_mm: float
    angle_deg: float
    value: int | None
    score: float
    reason: str | None = None
    base_mm: float = 0.0
    """How high it stands."""

    def place(self, solid: Solid) -> Place:
        """The die under this top."""
        return upright(self.x_mm, self.y_mm, self.base_mm + solid.half_height_mm, self.angle_deg)

    def seen_mm(self, image: PreparedImage, side_mm: float) -> Floats:
        """Where the view from above shows its middle: table points (x, y)."""
        return image.seen_at(np.array([self.x_mm, self.y_mm]), self.base_mm + side_mm)

    def apart_mm(self, other: Top) -> float:
        """How far two dice are from each other on the table."""
        return math.hypot(self.x_mm - other.x_mm, self.y_mm - other.y_mm)
