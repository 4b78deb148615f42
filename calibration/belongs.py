"""Whether a lens belongs to the camera that took a picture: a test on the fiducials' own geometry.

A lens of another mode (a cropped sensor of equal size), another focus or another camera gives every height above the
table a wrong parallax, by millimetres. The fiducials are flat and hardly miss their places: the camera only seems to
hang higher or lower. An oblique view shows it all the same. The far side is smaller by a ratio that depends on the true
focal length (keystone), and inside each fiducial the distortion must be right (residual pattern). Both are figures with
an error. Beyond that error the lens is refused. Within it, the rest is added to the stated errors unless the camera
vouches for its focus.

Source: Zhang, A flexible new technique for camera calibration, 2000, section 2 (the constraints of one homography on
the lens); generalised least squares with the fiducials' common displacements as correlated noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera_mode import UNTOLD
from calibration.lens import Floats, Lens

LAID_MM = 0.4
"""How well people lay fiducials, one standard error along x or y: a sheet laid askew looks a little like another
lens."""
SHAPE_PX = 0.03
"""Error common to the corners of one fiducial, beyond their edges' scatter: print, sharpening, JPEG."""
PRIOR_DEGREES = 8.0
FOREIGN_SIGMAS = 4.5
"""Number of standard errors that prove a foreign lens. Fiducials laid askew and a curl are part of the error."""
LEAST_SHARE = 0.008
"""A focal length that is off by less is never called foreign: it moves a die's rim by 0.1 mm at the table's corner."""
LEAST_BEND = 0.12
"""A first radial coefficient that differs by less is not called foreign: soft small pictures, whose corners are drawn
together by a few hundredths of a pixel, seem bent by up to 0.09."""
OPEN_FOCUS_SHARE = 0.02
"""One standard error of a focal length whose focus the camera does not tell: a ring turned by hand breathes by as
much."""
OPEN_MODE_SHARE = 0.3
"""The same of a lens file that does not even tell the sensor mode: a cropped one of equal size is as far off."""


@dataclass(frozen=True, slots=True)
class Belonging:
    """By which share the picture's focal length differs from the lens's, with its standard error, and how much the
    fiducials' inner pattern differs, in standard errors; `bend` is that difference as a first radial coefficient."""

    focal_share: float
    sigma_share: float
    pattern_sigmas: float
    bend: float = 0.0

    @property
    def is_foreign(self) -> bool:
        """Whether the lens is another camera's, or of another mode or focus."""
        off = abs(self.focal_share)
        return (off > LEAST_SHARE and off > FOREIGN_SIGMAS * self.sigma_share) or self.is_bent

    @property
    def is_bent(self) -> bool:
        """Whether the fiducials are bent otherwise than the lens says."""
        return self.pattern_sigmas > FOREIGN_SIGMAS and self.bend > LEAST_BEND

    def open_share(self, lens: Lens) -> float:
        """Error of the focal length beyond the lens's own, as one standard error. 0 if the camera, or the owner of the
        lens file, vouches for the focus."""
        if lens.mode is None or lens.mode.is_focus_known:
            return 0.0
        prior = (OPEN_MODE_SHARE if lens.mode == UNTOLD else OPEN_FOCUS_SHARE) ** 2
        measured = max(self.sigma_share, 1e-6) ** 2
        variance = prior * measured / (prior + measured)
        centre = variance / measured * self.focal_share
        return float(np.sqrt(variance + centre**2))


def belonging(slopes: Floats, residuals: Floats, noise_px: Floats, by_place: Floats, lens: Lens) -> Belonging:
    """Tests the lens with a pose's residuals.

    Args:
        slopes: how the corners' pixels follow the pose's six and the lens's nine figures, (8 F, 15).
        residuals: those of the pose, (8 F,); `noise_px` the standard error of each.
        by_place: pixels per mm at each corner, (4 F, 2, 2).
    """
    noise_px = np.hypot(noise_px, SHAPE_PX)
    fiducials = len(by_place) // 4
    laid = np.zeros((fiducials, 8, fiducials, 2))
    for i, block in enumerate(by_place.reshape(fiducials, 8, 2)):
        laid[i, :, i] = block
    moved = laid.reshape(8 * fiducials, 2 * fiducials)
    of_lens = np.zeros((9, 9)) if lens.covariance is None else np.array(lens.covariance, np.float64)
    known = slopes[:, 6:] @ of_lens @ slopes[:, 6:].T
    focal = slopes[:, 6] * lens.fx_px + slopes[:, 7] * lens.fy_px
    columns = np.column_stack([slopes[:, :6], focal])
    found, covariance = _solved(columns, residuals, np.diag(noise_px**2) + LAID_MM**2 * moved @ moved.T + known)
    bent = np.column_stack([columns, slopes[:, 10], slopes[:, 11]])
    pattern, of_pattern = _solved(bent, residuals, np.diag(noise_px**2) + LAID_MM**2 * moved @ moved.T + known)
    k1, sigma_k1 = pattern[7], np.sqrt(of_pattern[7, 7])
    return Belonging(
        float(found[6]), float(np.sqrt(covariance[6, 6])), float(abs(k1) / max(sigma_k1, 1e-9)), float(abs(k1))
    )


def _solved(columns: Floats, residuals: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """Generalised least squares: the figures and their covariance, widened where the misfit is beyond the noise."""
    half = np.linalg.cholesky(noise + 1e-9 * np.eye(len(noise)))
    white, left = np.linalg.solve(half, columns), np.linalg.solve(half, residuals)
    inverse = np.linalg.pinv(white.T @ white, rcond=1e-14, hermitian=True)
    found = inverse @ white.T @ left
    chi2 = float(((left - white @ found) ** 2).sum())
    degrees = len(residuals) - columns.shape[1]
    return found, inverse * max((PRIOR_DEGREES + chi2) / (PRIOR_DEGREES + degrees), 1.0)
