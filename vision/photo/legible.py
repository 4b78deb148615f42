"""Whether a photograph shows anything that can be read: light and sharpness, without fiducials.

`must_show_something` and `must_be_sharp` run before an uncalibrated reader; a calibrated table has `calibration.light`.
"""

import cv2
import numpy as np

from companion.game.errors import ReadingError, ReadingFault
from companion.game.says import Says
from vision.measure.prepared import slopes_of
from vision.readers import Picture

DARK_LEVEL, BRIGHT_LEVEL = 14, 253
"""Grey levels, 0 to 255: a picture almost entirely below, or almost entirely above, shows nothing."""
LEAST_LIGHT, LEAST_DARK = 0.5, 2.0
"""Minimum per cent of a picture that is brighter, or darker. Labelled pictures are up to 77 % black or 13 % white:
small dice on black cloth leave few bright pixels. A picture of entirely white paper is overexposed."""
LONG_SIDE_PX = 640
"""Sharpness is measured at this long side or less: people still recognise the same things."""
WIDEST_EDGES_PX = 3.2
"""Maximum width of the sharpest edges. None of 685 labelled photographs exceeds 1.6; 44 of them blurred by 12 px and
saved as poor JPEGs all exceed 3.7. At 3 px three in four dice and cards are still read, beyond 3.5 px less than
half."""
SHARPEST = 99.9
"""Percentile of slopes for the edges that count: part of every picture is plain table."""
LEAST_SLOPE = 0.6
"""Minimum slope of an edge, grey levels per pixel; smaller slopes are shading."""
LEAST_EDGE_PX = 50
"""Minimum pixels on edges for a judgement."""
SMOOTHED_PX = 1.0
"""Blur before edges are measured. Without it JPEG blocks and noise count as edges."""
SOFTENED_PX = 2.0


def must_show_something(picture: Picture) -> None:
    """Raises: ReadingError: too_dark, too_bright: nothing is distinct from black, or from white."""
    step_y, step_x = (max(1, side // 200) for side in picture.shape[:2])
    blue, green, red = np.moveaxis(picture[::step_y, ::step_x], 2, 0)
    grey = np.maximum(np.maximum(blue, green), red)
    low, high = np.percentile(grey, (LEAST_DARK, 100 - LEAST_LIGHT))
    if high < DARK_LEVEL:
        raise ReadingError(
            ReadingFault.TOO_DARK,
            Says("almost nothing is brighter than {level} of 255: switch on a light", {"level": f"{high:.0f}"}),
        )
    if low > BRIGHT_LEVEL:
        raise ReadingError(
            ReadingFault.TOO_BRIGHT,
            Says("almost nothing is darker than {level} of 255: shorten the exposure", {"level": f"{low:.0f}"}),
        )


def must_be_sharp(picture: Picture) -> None:
    """Raises: ReadingError: blurred: even the sharpest edges are wide. A picture without edges is let through."""
    wide_px = edge_width_px(picture)
    if wide_px is not None and wide_px > WIDEST_EDGES_PX:
        raise ReadingError(
            ReadingFault.BLURRED,
            Says(
                "the picture is blurred, focus the lens and hold the camera still: the sharpest edges are {px} px wide "
                "in a picture {long} px long, expected at most {most} px",
                {"px": f"{wide_px:.1f}", "long": LONG_SIDE_PX, "most": f"{WIDEST_EDGES_PX:g}"},
            ),
        )


def edge_width_px(picture: Picture) -> float | None:
    """Width of the sharpest edges (standard deviation, pixels of a picture `LONG_SIDE_PX` long); None: no edges.

    A step blurred by s has the slope A / (s sqrt(2 pi)); blurred once more by `SOFTENED_PX` it is less steep by
    s / hypot(s, SOFTENED_PX), which gives s whatever A is.
    Source: Zhuo & Sim, Defocus map estimation from a single image, Pattern Recognition 44 (2011), sec. 3.
    """
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    scale = LONG_SIDE_PX / max(grey.shape)
    if scale < 1:
        height_px, width_px = (max(1, round(length * scale)) for length in grey.shape)
        grey = cv2.resize(grey, (width_px, height_px), interpolation=cv2.INTER_AREA)
    plain = cv2.GaussianBlur(grey.astype(np.float32), (0, 0), SMOOTHED_PX)
    slope, softened = _slope(plain), _slope(cv2.GaussianBlur(plain, (0, 0), SOFTENED_PX))
    first = int(slope.size * SHARPEST / 100)
    steep = slope >= max(float(np.partition(slope.ravel(), first)[first]), LEAST_SLOPE)
    if int(steep.sum()) < LEAST_EDGE_PX:
        return None
    kept = float(np.median(softened[steep] / slope[steep]))
    wide_px = SOFTENED_PX * kept / np.sqrt(max(1 - kept * kept, 1e-6))
    return float(np.sqrt(max(wide_px * wide_px - SMOOTHED_PX * SMOOTHED_PX, 0.0)))


def _slope(grey: np.ndarray) -> np.ndarray:
    return cv2.magnitude(*slopes_of(grey))
