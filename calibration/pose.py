"""Where the camera hangs over the table, and so from pixels to table mm and back.

Source: Hartley & Zisserman, Multiple View Geometry, 2nd ed., ch. 7 (resection) and ch. 8 (a plane's homography).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens import Lens

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pose:
    """A camera over a table. `rotation` (3, 3) and `translation_mm` (3,) act on points (x, y, -height).

    `covariance` (6, 6) is of the rotation vector (rad) and the translation (mm), from the fiducials' residuals.
    """

    lens: Lens
    rotation: Floats
    translation_mm: Floats
    covariance: Floats
    reprojection_px: float
    fiducials: int

    @property
    def centre_mm(self) -> Floats:
        """The camera's place in the table frame (x, y, height), shape (3,)."""
        x, y, z = -self.rotation.T @ self.translation_mm
        return np.array([x, y, -z])

    def to_pixels(self, points_mm: Floats) -> Floats:
        """Pixels (N, 2) of table points (x, y, height), shape (N, 3)."""
        points = np.asarray(points_mm, np.float64).reshape(-1, 1, 3) * (1.0, 1.0, -1.0)
        rvec = cv2.Rodrigues(self.rotation)[0]
        pixels, _ = cv2.projectPoints(points, rvec, self.translation_mm, self.lens.matrix, self.lens.coefficients)
        return pixels.reshape(-1, 2)

    def to_table(self, points_px: Floats, height_mm: float | Floats = 0.0) -> Floats:
        """Table points (x, y), shape (N, 2) in mm, where the pixels' rays meet the plane at `height_mm` (one or N)."""
        rays = self.lens.rays(points_px)
        directions = np.column_stack([rays, np.ones(len(rays))]) @ self.rotation
        centre = -self.rotation.T @ self.translation_mm
        reach = (-np.asarray(height_mm, np.float64) - centre[2]) / directions[:, 2]
        return centre[:2] + reach[:, None] * directions[:, :2]
