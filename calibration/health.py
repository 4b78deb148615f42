"""Finds out why no fiducials are visible: too dark, too bright, blurred, mirrored, or another mat's.

`belonging` detects a lens of another camera, or of another mode of the camera.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import Floats, Picture
from calibration.lens import UNTOLD, Lens
from calibration.markers import find_mirrored, find_strange
from companion.game.errors import ReadingError, ReadingFault
from companion.game.kit import Mat
from companion.game.says import Says

DARK_GREY = 40
"""A picture whose brightest spots (percentile `BRIGHT_SHARE`) are below this grey level shows nothing."""
BRIGHT_SHARE = 99.5
CLIPPED_GREY = 230
"""A picture is overexposed if half of it exceeds this level in its brightest channel."""
BLUR_PX = 1.5
"""Maximum width of the strongest edges (standard deviation, reduced pixels) at which fiducials stay readable."""
EDGE_CONTRAST = 25
"""Minimum grey levels across an edge for measuring its width."""
LEAST_UNLIKE = 3
"""Minimum fiducials that prove a mirrored picture or another mat: with thousands of codes the detector sometimes
errs."""
WIDTH_PX, WINDOW_PX = 1152, 15
"""Edges are measured on a picture reduced to about this width, within rows and columns of this length."""
UPRIGHT = 3.0
"""Minimum ratio of the change of light across an edge to the change along it."""
LEAST_CRESTS, STRONGEST = 50, 95.0
"""Minimum pixels on edges, and the contrast percentile above which edges are measured."""
ALIKE = 0.4
"""Minimum contrast of upright edges relative to level edges, or the reverse; a lone soft shadow has less."""


def unfit(grey: Picture, picture: Picture) -> ReadingError | None:
    """The defect of a picture without the expected fiducials, given grey and in colour; None: no visible defect."""
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
    """An error that names the other mat's fiducials, or mirrored ones, in a grey picture; None: neither."""
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
    """Whether fiducials with these corners (4, 2) are arranged in the mat's mirror image."""
    seen = {i: corners.mean(axis=0) for i, corners in places.items()}
    (a, b, c), (u, v, w) = ([np.array(at[i]) for i in sorted(places)[:3]] for at in (seen, mat.markers))
    return bool(_turn(b - a, c - a) * _turn(v - u, w - u) < 0)


def _turn(u: Floats, v: Floats) -> float:
    return float(u[0] * v[1] - u[1] * v[0])


def strongest_edges_px(grey: Picture, reduced: int) -> float | None:
    """Width of the strongest edges in pixels, as the standard deviation of a step; None: no strong edge.

    The wider of upright and level edges, if both are strong: motion along an edge leaves it sharp.

    Args:
        reduced: the picture is first reduced by this factor; no edge is narrower than about 0.8 of it.
    """
    size = (grey.shape[1] // reduced, grey.shape[0] // reduced)
    small = np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)
    both = [found for found in (_upright_edges(small), _upright_edges(small.T.copy())) if found is not None]
    strongest = max((contrast for contrast, _ in both), default=0.0)
    widths = [width for contrast, width in both if contrast >= ALIKE * strongest]
    return reduced * max(widths) if widths else None


def _upright_edges(small: Picture) -> tuple[float, float] | None:
    """Contrast (grey levels) and width (pixels) of the strongest upright edges; None: too few."""
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


# Whether a lens belongs to the camera that took a picture: a test on the fiducials' own geometry. A lens of another
# mode (a cropped sensor of equal size), another focus or another camera gives points above the table a wrong parallax,
# by millimetres. Flat fiducials still fit: the camera only seems to be higher or lower. Two things in an oblique view
# show the error. The far side is smaller by a ratio that depends on the true focal length (keystone). And the
# distortion must be right inside each fiducial (residual pattern). Both are measured with a standard error. Beyond that
# error the lens is refused. Within it, the difference is added to the stated errors, unless the camera reports its
# focus.
# Source: Zhang, A flexible new technique for camera calibration, 2000, section 2 (the constraints of one homography on
# the lens); generalised least squares with the fiducials' common displacements as correlated noise.


LAID_MM = 0.4
"""Accuracy of laid fiducials, one standard error along x or y: a sheet laid askew looks slightly like another lens."""
SHAPE_PX = 0.03
"""Common error of the corners of one fiducial, in addition to their edges' scatter: print, sharpening, JPEG."""
OUTWARD = ((-1, -1), (1, -1), (1, 1), (-1, 1))
"""The corners of a fiducial from its middle, in the order of `marker_corners_mm`."""
PRIOR_DEGREES = 8.0
"""Weight of the edges' own scatter, in degrees of freedom, against the residuals of one picture's corners."""
FOREIGN_SIGMAS = 4.5
"""Standard errors that prove a foreign lens. The standard error includes fiducials laid askew and curled sheets."""
LEAST_SHARE = 0.008
"""Minimum difference in focal length of a foreign lens: less moves a die's rim by 0.1 mm at the table's corner."""
LEAST_BEND = 0.12
"""Minimum difference of the first radial coefficient of a foreign lens: soft small pictures, whose corners shrink by a
few hundredths of a pixel, seem distorted by up to 0.09."""
OPEN_FOCUS_SHARE = 0.02
"""Standard error of the focal length if the camera does not report its focus: a manual focus ring changes it by as
much."""
OPEN_MODE_SHARE = 0.3
"""The same for a lens file without a sensor mode: a cropped mode of equal size differs by as much."""


@dataclass(frozen=True, slots=True)
class Belonging:
    """`focal_share`: difference of the picture's focal length from the lens's, as a share, with its standard error.
    `pattern_sigmas`: difference of the fiducials' inner pattern in standard errors; `bend`: the same as a first radial
    coefficient."""

    focal_share: float
    sigma_share: float
    pattern_sigmas: float
    bend: float = 0.0

    @property
    def is_foreign(self) -> bool:
        """Whether the lens is of another camera, mode or focus."""
        off = abs(self.focal_share)
        return (off > LEAST_SHARE and off > FOREIGN_SIGMAS * self.sigma_share) or self.is_bent

    @property
    def is_bent(self) -> bool:
        """Whether the fiducials are distorted differently than by this lens."""
        return self.pattern_sigmas > FOREIGN_SIGMAS and self.bend > LEAST_BEND

    def open_share(self, lens: Lens) -> float:
        """Standard error of the focal length beyond the lens's own, as a share. 0 if the camera, or the owner of the
        lens file, states the focus."""
        if lens.mode is None or lens.mode.is_focus_known:
            return 0.0
        prior = (OPEN_MODE_SHARE if lens.mode == UNTOLD else OPEN_FOCUS_SHARE) ** 2
        measured = max(self.sigma_share, 1e-6) ** 2
        variance = prior * measured / (prior + measured)
        centre = variance / measured * self.focal_share
        return float(np.sqrt(variance + centre**2))


def belonging(slopes: Floats, residuals: Floats, noise_px: Floats, moved: Floats, lens: Lens) -> Belonging:
    """Tests whether the lens fits this camera, by the residuals of a pose of F fiducials.

    Args:
        slopes: derivatives of the corners' pixels with respect to the pose's 6 and the lens's 9 parameters, (8 F, 15).
        residuals: of the pose, (8 F,).
        noise_px: their standard errors, (8 F,).
        moved: derivatives by each fiducial's own place, x and y in mm, (8 F, 2 F).
    """
    noise_px = np.hypot(noise_px, SHAPE_PX)
    of_lens = np.zeros((9, 9)) if lens.covariance is None else np.array(lens.covariance, np.float64)
    known = slopes[:, 6:] @ of_lens @ slopes[:, 6:].T
    focal = slopes[:, 6] * lens.fx_px + slopes[:, 7] * lens.fy_px
    # sharpening, blur and print move all corners of all fiducials outward or inward alike
    count = moved.shape[1] // 2
    grown = (moved * np.tile(np.repeat(OUTWARD, 2, axis=0), (count, count))).sum(axis=1)
    columns = np.column_stack([slopes[:, :6], focal, grown])
    found, covariance = _solved(columns, residuals, np.diag(noise_px**2) + LAID_MM**2 * moved @ moved.T + known)
    bent = np.column_stack([columns, slopes[:, 10], slopes[:, 11]])
    pattern, of_pattern = _solved(bent, residuals, np.diag(noise_px**2) + LAID_MM**2 * moved @ moved.T + known)
    k1, sigma_k1 = pattern[8], np.sqrt(of_pattern[8, 8])
    return Belonging(
        float(found[6]), float(np.sqrt(covariance[6, 6])), float(abs(k1) / max(sigma_k1, 1e-9)), float(abs(k1))
    )


def _solved(columns: Floats, residuals: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """Generalised least squares: the parameters and their covariance, enlarged if the misfit exceeds the noise."""
    half = np.linalg.cholesky(noise + 1e-9 * np.eye(len(noise)))
    white, left = np.linalg.solve(half, columns), np.linalg.solve(half, residuals)
    inverse = np.linalg.pinv(white.T @ white, rcond=1e-14, hermitian=True)
    found = inverse @ white.T @ left
    chi2 = float(((left - white @ found) ** 2).sum())
    degrees = len(residuals) - columns.shape[1]
    return found, inverse * max((PRIOR_DEGREES + chi2) / (PRIOR_DEGREES + degrees), 1.0)
