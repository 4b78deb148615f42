"""Whether a photograph shows anything that can be read: light and sharpness, without fiducials.

`must_show_something` and `must_be_sharp` run before an uncalibrated reader; a calibrated table has `calibration.light`.
"""

import cv2
import numpy as np

from calibration.arrays import Picture
from companion.game.errors import ReadingError, ReadingFault
from companion.game.says import Says
from vision.measure.prepared import slopes_of
from vision.photo.limits import LIMITS


def must_show_something(picture: Picture) -> None:
    """Raises: ReadingError: too_dark, too_bright: nothing is distinct from black, or from white."""
    step = max(1, max(picture.shape) // LIMITS.long_side_px)
    shares = (LIMITS.dark_share, 1 - LIMITS.telling_share)
    darkest, brightest = np.quantile(picture[::step, ::step].max(axis=2), shares)
    if brightest < LIMITS.least_levels:
        raise ReadingError(
            ReadingFault.TOO_DARK,
            Says("almost nothing is brighter than {level} of 255: switch on a light", {"level": f"{brightest:.0f}"}),
        )
    if darkest > 255 - LIMITS.least_levels:
        raise ReadingError(
            ReadingFault.TOO_BRIGHT,
            Says("almost nothing is darker than {level} of 255: shorten the exposure", {"level": f"{darkest:.0f}"}),
        )


def must_be_sharp(picture: Picture) -> None:
    """Raises: ReadingError: blurred: even the sharpest edges are wide. A picture without edges is let through."""
    wide_px = edge_width_px(picture)
    if wide_px is not None and wide_px > LIMITS.widest_edges_px:
        raise ReadingError(
            ReadingFault.BLURRED,
            Says(
                "the picture is blurred, focus the lens and hold the camera still: the sharpest edges are {px} px wide "
                "in a picture {long} px long, expected at most {most} px",
                {"px": f"{wide_px:.1f}", "long": LIMITS.long_side_px, "most": f"{LIMITS.widest_edges_px:g}"},
            ),
        )


def edge_width_px(picture: Picture) -> float | None:
    """Width of the sharpest edges (standard deviation, pixels of a picture `LIMITS.long_side_px` long); None: no edges.

    A step blurred by s has the slope A / (s sqrt(2 pi)); blurred once more by `LIMITS.softened_px` it is less steep by
    s / hypot(s, LIMITS.softened_px), which gives s whatever A is.
    Source: Zhuo & Sim, Defocus map estimation from a single image, Pattern Recognition 44 (2011), sec. 3.
    """
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    scale = LIMITS.long_side_px / max(grey.shape)
    if scale < 1:
        height_px, width_px = (max(1, round(length * scale)) for length in grey.shape)
        grey = cv2.resize(grey, (width_px, height_px), interpolation=cv2.INTER_AREA)
    plain = cv2.GaussianBlur(grey.astype(np.float32), (0, 0), LIMITS.smoothed_px)
    slope, softened = _slope(plain), _slope(cv2.GaussianBlur(plain, (0, 0), LIMITS.softened_px))
    steep = slope >= np.quantile(slope, 1 - LIMITS.telling_share)
    if np.median(slope[steep]) < LIMITS.least_slope:
        return None
    kept = float(np.median(softened[steep] / slope[steep]))
    wide_px = LIMITS.softened_px * kept / np.sqrt(max(1 - kept * kept, 1e-6))
    return float(np.sqrt(max(wide_px * wide_px - LIMITS.smoothed_px * LIMITS.smoothed_px, 0.0)))


def _slope(grey: np.ndarray) -> np.ndarray:
    return cv2.magnitude(*slopes_of(grey))
