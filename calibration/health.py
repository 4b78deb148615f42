"""Why no fiducials are seen: too dark, too bright, blurred, mirrored, or those of another mat.

`belonging` tells a lens of another camera or of another mode of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.edges import Picture
from calibration.lens import UNTOLD, Floats, Lens
from calibration.markers import find_mirrored, find_strange
from companion.game.errors import ReadingError, ReadingFault
from companion.game.kit import Mat
from companion.game.says import Says

DARK_GREY = 40
"""A picture whose brightest spots (`BRIGHT_SHARE`) stay below this grey level shows nothing."""
BRIGHT_SHARE = 99.5
CLIPPED_GREY = 230
"""A picture is overexposed if half of it is above this level in its brightest channel."""
BLUR_PX = 1.5
"""Width of the picture's strongest edges (standard deviation) beyond which fiducials dissolve, reduced pixels."""
EDGE_CONTRAST = 25
"""Grey levels that an edge must span before its width says something."""
LEAST_UNLIKE = 3
"""Minimum number of fiducials that prove a mirrored picture or another mat: among thousands of codes the detector errs
at times."""
WIDTH_PX, WINDOW_PX = 1152, 15
"""Edges are looked at on a picture reduced to about this width, in rows and columns of this length."""
UPRIGHT = 3.0
"""Along an edge light changes this much less than across it."""
LEAST_CRESTS, STRONGEST = 50, 95.0
"""Minimum number of pixels on edges, those with a contrast beyond this percentile, for a verdict on sharpness."""
ALIKE = 0.4
"""Upright and level edges of a table have much the same contrast; a lone soft shadow has less."""


def unfit(grey: Picture, picture: Picture) -> ReadingError | None:
    """The defect of a picture without the expected fiducials, given grey and as it came; None: no visible defect."""
    brightest = float(np.percentile(grey[::4, ::4], BRIGHT_SHARE))
    if brightest < DARK_GREY:
        return ReadingError(
            ReadingFault.TOO_DARK,
            Says(
                "the brightest spots of the picture are at {level} of 255, expected at least {least}: switch on "
                "a light",
                {"level": round(brightest), "least": DARK_GREY},
            ),
        )
    # a coloured mat is overexposed as soon as one channel is full
    usual = float(np.median(picture[::4, ::4].reshape(*grey[::4, ::4].shape, -1).max(axis=2)))
    if usual > CLIPPED_GREY:
        return ReadingError(
            ReadingFault.TOO_BRIGHT,
            Says(
                "half of the picture is at {level} of 255 or above, expected less than {most}: shorten the exposure",
                {"level": round(usual), "most": CLIPPED_GREY},
            ),
        )
    reduced = max(1, round(grey.shape[1] / WIDTH_PX))
    blur_px = strongest_edges_px(grey, reduced)
    if blur_px is not None and blur_px > BLUR_PX * reduced:
        return ReadingError(
            ReadingFault.BLURRED,
            Says(
                "the sharpest edges of the picture are {px} px wide, expected at most {most}: hold camera and table "
                "still, and focus the lens",
                {"px": f"{blur_px:.1f}", "most": f"{BLUR_PX * reduced:g}"},
            ),
        )
    return None


def unlike(grey: Picture, mat: Mat) -> ReadingError | None:
    """The mat whose fiducials a grey picture shows instead of the expected ones; None: no other mat."""
    mirrored = find_mirrored(grey, mat)
    if len(mirrored) >= LEAST_UNLIKE:
        ids = ", ".join(map(str, sorted(mirrored)))
        if _is_mirrored(mirrored, mat):
            words = (
                "the picture is mirrored (fiducials {ids}): switch off the camera's mirroring (flip), or turn the "
                "picture back"
            )
        else:
            words = "printed mirrored: fiducials {ids}. Print them as they are, and lay them print side up"
        return ReadingError(ReadingFault.NOT_CALIBRATED, Says(words, {"ids": ids}))
    strange = find_strange(grey, mat)
    if len(strange) >= LEAST_UNLIKE:
        seen, known = (", ".join(map(str, ids)) for ids in (strange, sorted(mat.markers)))
        return ReadingError(
            ReadingFault.NOT_CALIBRATED,
            Says(
                "the fiducials {seen} are seen, expected {known}: use this mat's kit, or lay out this kit's mat",
                {"seen": seen, "known": known},
            ),
        )
    return None


def _is_mirrored(places: Mapping[int, Floats], mat: Mat) -> bool:
    """Whether fiducials with these corners (4, 2) lie about each other the other way round than on the mat."""
    seen = {i: corners.mean(axis=0) for i, corners in places.items()}
    (a, b, c), (u, v, w) = ([np.array(at[i]) for i in sorted(places)[:3]] for at in (seen, mat.markers))
    return bool(_turn(b - a, c - a) * _turn(v - u, w - u) < 0)


def _turn(u: Floats, v: Floats) -> float:
    return float(u[0] * v[1] - u[1] * v[0])


def strongest_edges_px(grey: Picture, reduced: int) -> float | None:
    """Width of the strongest edges in pixels, as the standard deviation of a step; None where no edge is strong.

    Of upright and level edges, whichever are wider where both are strong: what moves along an edge leaves it sharp.

    Args:
        reduced: the picture is looked at reduced by this factor; no edge is narrower than about 0.8 of it.
    """
    size = (grey.shape[1] // reduced, grey.shape[0] // reduced)
    small = np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)
    both = [found for found in (_upright_edges(small), _upright_edges(small.T.copy())) if found is not None]
    strongest = max((contrast for contrast, _ in both), default=0.0)
    widths = [width for contrast, width in both if contrast >= ALIKE * strongest]
    return reduced * max(widths) if widths else None


def _upright_edges(small: Picture) -> tuple[float, float] | None:
    """Contrast (grey levels) and width (pixels) of the strongest edges that run up and down; None: too few."""
    row = np.ones((1, WINDOW_PX), np.uint8)
    span = cv2.subtract(cv2.dilate(small, row), cv2.erode(small, row))
    across = np.abs(cv2.Sobel(small, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8))
    down = np.abs(cv2.Sobel(small, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8))
    is_crest = (across >= cv2.dilate(across, row)) & (across > UPRIGHT * down) & (span >= EDGE_CONTRAST)
    if np.count_nonzero(is_crest) < LEAST_CRESTS:
        return None
    strong = float(np.percentile(span[is_crest], STRONGEST))
    at = is_crest & (span >= strong)
    return strong, float(np.median(span[at] / across[at])) / float(np.sqrt(2 * np.pi))


# Whether a lens belongs to the camera that took a picture: a test on the fiducials' own geometry.
# A lens of another mode (a cropped sensor of equal size), another focus or another camera gives every height above
# the table a wrong parallax, by millimetres. The fiducials are flat and hardly miss their places: the camera only
# seems to hang higher or lower. An oblique view shows it all the same. The far side is smaller by a ratio that
# depends on the true focal length (keystone), and inside each fiducial the distortion must be right (residual
# pattern). Both are figures with an error. Beyond that error the lens is refused. Within it, the rest is added to
# the stated errors unless the camera vouches for its focus.
# Source: Zhang, A flexible new technique for camera calibration, 2000, section 2 (the constraints of one homography
# on the lens); generalised least squares with the fiducials' common displacements as correlated noise.


LAID_MM = 0.4
"""How well people lay fiducials, one standard error along x or y: a sheet laid askew looks a little like another
lens."""
SHAPE_PX = 0.03
"""Error common to the corners of one fiducial, beyond their edges' scatter: print, sharpening, JPEG."""
PRIOR_DEGREES = 8.0
"""Degrees of freedom that the edges' own scatter is worth against the residuals of one picture's corners."""
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
    """Tests how well the lens fits this camera, by the residuals of a pose of F fiducials.

    Args:
        slopes: derivatives of the corners' pixels by the pose's six and the lens's nine figures, (8 F, 15).
        residuals: those of the pose, (8 F,).
        noise_px: standard error of each.
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
