"""Whether pieces can be told from the mat at all, and red ones from blue: what is not told is not seen or is another's,
and nobody would notice."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from calibration.light import CLIPPED
from calibration.medians import column_medians, median
from companion.errors import ReadingError, ReadingFault
from companion.readings import Kind
from vision.eyes.color import BLUE_SHARE, EVERY, RED_SHARE, Colors
from vision.eyes.pieces import Found, radius_mm
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
SWAPPED_TINT = 0.03
"""Green beyond the darkest channel, as a share of all light: at least 0.07 in the samples' blue territories and at most
0.01 in the red ones, so more in a red one and less in a blue one is what swapped channels make of them."""
WITHIN = 0.9
"""The share of a territory's radius in which its colour is looked at."""
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


def must_not_be_swapped(sight: Sight, colors: Colors, territories: Sequence[Found]) -> None:
    """Raises: ReadingError(not_calibrated): red is blue in this picture, and blue is red.

    No piece tells red from blue for sure, so both signs are asked for: the territories lie in each other's places, and
    each has the other's tint.
    """
    at_mm = {land.color: land.place.middle_mm[:2] for land in territories}
    start_mm = sight.kit.piece(Kind.TERRITORY).start_mm
    if set(at_mm) != {"red", "blue"} or not set(at_mm) <= set(start_mm):
        return
    meant = np.subtract(start_mm["blue"], start_mm["red"])
    if float(meant @ (at_mm["blue"] - at_mm["red"])) >= 0:
        return
    tints = {str(land.color): _green_tint(sight, colors, land) for land in territories}
    if tints["red"] > SWAPPED_TINT > tints["blue"]:
        raise ReadingError(
            ReadingFault.NOT_CALIBRATED,
            "red and blue seem to be swapped in the picture: each territory lies in the other's place and has the "
            "other's tint: set the camera's order of colours (RGB or BGR), or exchange the territories",
        )


def _green_tint(sight: Sight, colors: Colors, land: Found) -> float:
    """How much green a territory sends back beyond its darkest channel, as a share of all its light."""
    middle = np.rint(sight.shown_at(land.place.middle_mm)).astype(int).tolist()
    within = np.zeros(colors.red.shape, np.uint8)
    cv2.circle(within, middle, round(WITHIN * radius_mm(land) / STEP_MM), 255, -1)
    own = cv2.bitwise_and(within, colors.of(str(land.color)))
    blue, green, red = column_medians(sight.top[own > 0]).tolist() if own.any() else (0.0, 0.0, 0.0)
    return (green - min(blue, red)) / max(blue + green + red, 1e-6)
