"""Whether pieces can be told from the mat at all: what cannot be told from it is not seen, and nobody would miss it."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.light import CLIPPED
from calibration.medians import median
from companion.errors import ReadingError, ReadingFault
from vision.eyes.color import BLUE_SHARE, EVERY, RED_SHARE, Colors
from vision.eyes.sight import STEP_MM, Sight

MAT_SHARE = 0.75
"""Pieces of one colour never cover more of the play area than a tenth."""
LEAST_AHEAD = 0.13
"""Red or blue counts from half way between mat and piece on; where that is less than this share of a piece's own colour
below it, the rims of pieces get lost. The least of the samples is 0.22."""
DARKEST, PALEST = 0.06, 0.87
"""Light that the mat sends back, as a share of what paper would: ninjas are lost on darker ones, empire dice on paler.
Those of the samples are from 0.18 to 0.40."""
MOST_SPECKS = 0.025
"""Share of the play area that flickers in red and blue from which on pieces are lost; at most 0.001 in the samples."""
FULL = 0.9
"""Light of the mat (1: full scale) beyond which the colours of paler pieces are cut off."""
EVEN = "lay a surface of an even colour but red, blue, black or white"


def must_show_pieces(sight: Sight, colors: Colors) -> None:
    """Raises: ReadingError: not_calibrated: some pieces cannot be told from this mat; too_bright, too_dark: or from
    none, in this light."""
    _must_not_be_full(sight, colors)
    _must_not_be_colored(colors)
    high, low = (median(share[::EVERY, ::EVERY]) for share in (colors.high, colors.low))
    if high < DARKEST:
        raise ReadingError(
            ReadingFault.NOT_CALIBRATED,
            f"the mat sends back {high:.1%} of the light that paper would, expected at least {DARKEST:.0%}: black dice "
            f"cannot be told from it, {EVEN}",
        )
    if low > PALEST:
        raise ReadingError(
            ReadingFault.NOT_CALIBRATED,
            f"the mat sends back {low:.1%} of the light that paper would, expected at most {PALEST:.0%}: white dice "
            f"cannot be told from it, {EVEN}",
        )
    _must_not_flicker(sight, colors)


def _must_not_be_full(sight: Sight, colors: Colors) -> None:
    mat = float((colors.mat * sight.paper).max())
    if sight.paper.min() >= CLIPPED and mat > FULL:
        raise ReadingError(
            ReadingFault.TOO_BRIGHT,
            "it is too bright, dim the light or shorten the exposure: the fiducials' paper is beyond what the camera "
            f"can tell and the mat at {mat:.0%} of it, expected at most {FULL:.0%}",
        )


def _must_not_flicker(sight: Sight, colors: Colors) -> None:
    colored = cv2.bitwise_or(colors.red, colors.blue)
    grain_mm = 2 * sight.pose.centre_mm[2] / sight.pose.lens.fx_px  # the view from above is made of pairs of pixels
    side = 2 * max(1, round(grain_mm / STEP_MM)) + 1
    specks = cv2.morphologyEx(colored, cv2.MORPH_TOPHAT, np.ones((side, side), np.uint8))
    share = cv2.countNonZero(specks) / specks.size
    if share > MOST_SPECKS:
        raise ReadingError(
            ReadingFault.TOO_DARK,
            f"the picture is too noisy, switch on a light: {share:.1%} of the play area are red and blue "
            f"specks, expected at most {MOST_SPECKS:.1%}",
        )


def _must_not_be_colored(colors: Colors) -> None:
    for color, own, begins in (("red", RED_SHARE, colors.red_from), ("blue", BLUE_SHARE, colors.blue_from)):
        share = cv2.countNonZero(colors.of(color)) / colors.red.size
        if share > MAT_SHARE:
            raise ReadingError(
                ReadingFault.NOT_CALIBRATED,
                f"{share:.0%} of the play area look {color} to the camera, as if the mat were: {EVEN}, or set the "
                "camera's white balance",
            )
        if begins > (1 - LEAST_AHEAD) * own:
            raise ReadingError(
                ReadingFault.NOT_CALIBRATED,
                f"the mat looks nearly as {color} to the camera as the {color} pieces: {EVEN}, or set the camera's "
                "white balance",
            )
