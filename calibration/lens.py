"""What the glass does: camera matrix and Brown-Conrady distortion, kept in LENS.json.

Source: Hartley & Zisserman, Multiple View Geometry, 2nd ed., ch. 6 and 7.4; OpenCV's camera model (k1 k2 p1 p2 k3).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import LensError

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """One camera's lens at one picture size.

    `distortion` is k1 k2 p1 p2 k3; `rms_px` the residual of its calibration; `covariance` (9 x 9) that of fx fy cx cy
    k1 k2 p1 p2 k3, None where it was not measured.
    """

    width_px: int
    height_px: int
    fx_px: float
    fy_px: float
    cx_px: float
    cy_px: float
    distortion: tuple[float, float, float, float, float]
    rms_px: float
    pictures: int = 0
    covariance: tuple[tuple[float, ...], ...] | None = None

    @property
    def matrix(self) -> Floats:
        """The camera matrix, shape (3, 3)."""
        return np.array([[self.fx_px, 0, self.cx_px], [0, self.fy_px, self.cy_px], [0, 0, 1]], np.float64)

    @property
    def coefficients(self) -> Floats:
        """The distortion for OpenCV, shape (5,)."""
        return np.array(self.distortion, np.float64)

    def pixels(self, rays: Floats) -> Floats:
        """Pixels (N, 2) of directions (x/z, y/z), shape (N, 2), the lens's distortion put in."""
        x, y = np.asarray(rays, np.float64).T
        k1, k2, p1, p2, k3 = self.distortion
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        bent_x = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
        bent_y = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
        return np.column_stack([self.fx_px * bent_x + self.cx_px, self.fy_px * bent_y + self.cy_px])

    def rays(self, points_px: Floats) -> Floats:
        """Directions (x/z, y/z) of pixels, shape (N, 2), the lens's distortion taken out."""
        points = np.asarray(points_px, np.float64).reshape(-1, 1, 2)
        criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 1e-10)
        rays = cv2.undistortPoints(points, self.matrix, self.coefficients, None, None, None, criteria)
        return np.asarray(rays, np.float64).reshape(-1, 2)


def save_lens(lens: Lens, path: Path) -> None:
    """Writes LENS.json."""
    path.write_text(json.dumps(asdict(lens), indent=1) + "\n", encoding="utf-8")


def load_lens(path: Path | str) -> Lens:
    """The lens in a LENS.json. Raises: LensError, in one sentence."""
    path = Path(path)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        data["distortion"] = tuple(map(float, data["distortion"]))
        return Lens(**data)
    except OSError as error:
        raise LensError(
            f"{path}: cannot be read ({error.strerror}), expected a LENS.json of `companion calibrate lens`"
        ) from error
    except (ValueError, TypeError, KeyError) as error:
        raise LensError(
            f"{path}: is not a lens file ({error}), expected the JSON that `companion calibrate lens` writes"
        ) from error
