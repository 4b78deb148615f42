"""The lens: camera matrix and Brown-Conrady distortion, kept in LENS.json.

Source: Hartley & Zisserman, Multiple View Geometry, 2nd ed., ch. 6 and 7.4; OpenCV's camera model (k1 k2 p1 p2 k3).
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera_mode import CameraMode, mode_of
from companion.game.errors import LensError
from companion.game.plain_json import json_of_text, named
from companion.game.text_file import how_to_write, keep_text, text_of_file, why_unread

Floats = NDArray[np.float64]

LEAST_FOCAL, MOST_FOCAL = 0.1, 100.0
"""Focal lengths of a lens, in lengths of the picture's longer side: 157 degrees and half a degree wide."""
MOST_RMS_PX = 100.0
MOST_SIGMA = 1000.0
"""Standard error of any figure, in its own unit."""
ROUNDING = 1e-6
"""Rounding tolerance of a matrix of correlations: its asymmetry, and an eigenvalue below 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """One camera's lens at one picture size.

    `distortion` is k1 k2 p1 p2 k3; `rms_px` the residual of its calibration; `covariance` (9 x 9) that of fx fy cx cy
    k1 k2 p1 p2 k3, None where it was not measured. `mode` is how the camera took the pictures, None where nobody
    noted it.
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
    mode: CameraMode | None = None

    @property
    def matrix(self) -> Floats:
        """The camera matrix, shape (3, 3)."""
        return np.array([[self.fx_px, 0, self.cx_px], [0, self.fy_px, self.cy_px], [0, 0, 1]], np.float64)

    @property
    def coefficients(self) -> Floats:
        """The distortion for OpenCV, shape (5,)."""
        return np.array(self.distortion, np.float64)

    def turned(self) -> Lens:
        """The lens of the same camera where its pictures are turned by half a turn."""
        k1, k2, p1, p2, k3 = self.distortion
        cx_px, cy_px = self.width_px - 1 - self.cx_px, self.height_px - 1 - self.cy_px
        return replace(self, cx_px=cx_px, cy_px=cy_px, distortion=(k1, k2, -p1, -p2, k3))

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
    """Writes LENS.json; what is there stays until the whole of it is written. Raises: LensError."""
    try:
        keep_text(path, json.dumps(asdict(lens), indent=1) + "\n")
    except OSError as error:
        raise LensError(f"{path}: cannot be written ({error.strerror}): {how_to_write(error)}") from error


def load_lens(path: Path | str) -> Lens:
    """The lens in a LENS.json. Raises: LensError, in one sentence."""
    path = Path(path)
    try:
        lens = Lens(**_typed(json_of_text(text_of_file(path))))
        _must_be_possible(lens)
    except OSError as error:
        raise LensError(
            f"{path}: cannot be read ({error.strerror}), expected a LENS.json of `companion calibrate lens`"
        ) from error
    except (ValueError, TypeError, RecursionError) as error:
        raise LensError(
            f"{path}: is not a lens file ({why_unread(error)}), "
            "expected the JSON that `companion calibrate lens` writes"
        ) from error
    return lens


def _typed(data: Any) -> dict[str, Any]:
    """The fields of a lens with their types. Raises: ValueError or TypeError, saying which is wrong."""
    if not isinstance(data, dict):
        raise TypeError(f"it holds {named(data)}")
    wrong = sorted((data.keys() ^ {field.name for field in fields(Lens)}) - {"pictures", "covariance", "mode"})
    if wrong:
        raise ValueError(f"the field {wrong[0]} is {'strange' if wrong[0] in data else 'missing'}")
    typed = dict(data)
    for name in ("width_px", "height_px", "fx_px", "fy_px", "cx_px", "cy_px", "rms_px"):
        value = data[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
            raise ValueError(f"{name} is {value!r}")
    if min(data["fx_px"], data["fy_px"], data["width_px"], data["height_px"]) <= 0:
        raise ValueError("a size or a focal length is 0")
    for name in ("width_px", "height_px", "pictures"):
        value = data.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise ValueError(f"{name} is {value!r}, no whole number")
    typed["distortion"] = _row(data["distortion"], "distortion", 5)
    if data.get("covariance") is not None:
        rows = data["covariance"]
        if not isinstance(rows, list) or len(rows) != 9:
            raise ValueError("covariance has not 9 rows")
        typed["covariance"] = tuple(_row(row, "covariance", 9) for row in rows)
    if data.get("mode") is not None:
        typed["mode"] = mode_of(data["mode"])
    return typed


def _must_be_possible(lens: Lens) -> None:
    """Refuses figures that no camera has. Raises: ValueError, saying which."""
    if not 0 < lens.cx_px < lens.width_px or not 0 < lens.cy_px < lens.height_px:
        raise ValueError(f"its centre ({lens.cx_px:g}, {lens.cy_px:g}) is not in the picture")
    longer_px = max(lens.width_px, lens.height_px)
    for name, focal_px in (("fx_px", lens.fx_px), ("fy_px", lens.fy_px)):
        if not LEAST_FOCAL < focal_px / longer_px < MOST_FOCAL:
            raise ValueError(f"{name} is {focal_px:g} in a picture of {longer_px} pixels")
    if lens.rms_px > MOST_RMS_PX:
        raise ValueError(f"rms_px is {lens.rms_px:g}: such a calibration tells nothing")
    within = np.array([(x, y) for x in (-0.25, 0, 0.25) for y in (-0.25, 0, 0.25)]) * (lens.width_px, lens.height_px)
    points = within + np.array((lens.cx_px, lens.cy_px))
    with np.errstate(all="ignore"):
        off_px = np.abs(lens.pixels(lens.rays(points)) - points).max()
    if not off_px < 1:
        raise ValueError("its distortion cannot be undone")
    if lens.covariance is not None:
        _must_be_a_covariance(np.array(lens.covariance))


def _must_be_a_covariance(covariance: Floats) -> None:
    """Raises: ValueError: no errors could have it, or such that the lens is not known at all."""
    variances = np.diag(covariance)
    if (variances < 0).any():
        raise ValueError("covariance holds a negative variance")
    if (variances > MOST_SIGMA**2).any():
        raise ValueError(f"covariance holds a standard error over {MOST_SIGMA:g}")
    known = variances > 0
    if np.abs(covariance[~known]).any() or np.abs(covariance[:, ~known]).any():
        raise ValueError("covariance couples a figure that has no error")
    sigmas = np.sqrt(variances[known])
    correlation = covariance[np.ix_(known, known)] / np.outer(sigmas, sigmas)
    if np.abs(correlation - correlation.T).max(initial=0.0) > ROUNDING:
        raise ValueError("covariance is not symmetric")
    if np.linalg.eigvalsh(correlation).min(initial=0.0) < -ROUNDING:
        raise ValueError("covariance is not one of any errors: an eigenvalue is negative")


def _row(value: Any, name: str, length: int) -> tuple[float, ...]:
    if not isinstance(value, list) or len(value) != length:
        raise ValueError(f"{name} has not {length} numbers")
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in value):
        raise ValueError(f"{name} holds something else than numbers")
    row = tuple(float(number) for number in value)
    if not all(math.isfinite(number) for number in row):
        raise ValueError(f"{name} holds a number that is not finite")
    return row
