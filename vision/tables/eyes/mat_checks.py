"""Checks whether pieces stand out from this mat at all, and red from blue. If not, pieces would go missing or change
sides without anybody noticing.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from calibration.edges import column_medians
from calibration.light import CLIPPED
from companion.game.errors import ReadingError, ReadingFault
from companion.game.readings import Kind
from companion.game.says import Says
from vision.measure.colors import Colors, usual
from vision.measure.limits import LIMITS as SHARED
from vision.measure.prepared import STEP_MM, PreparedImage
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, radius_mm

EVEN = Says("lay out a surface in one even colour, not red, blue, black or white")


def must_show_pieces(image: PreparedImage, colors: Colors) -> None:
    """Raises: ReadingError: not_calibrated: some pieces do not stand out from this mat; too_bright, too_dark: they
    would not stand out from any mat in this light."""
    _must_not_be_full(image, colors)
    _must_not_be_colored(colors)
    high, low = (usual(share) for share in (colors.high, colors.low))
    if high < LIMITS.darkest_mat:
        raise ReadingError(
            ReadingFault.NOT_CALIBRATED,
            Says(
                "the mat reflects {share} of the light that paper would, expected at least {least}: black dice do not"
                " stand out on it, {todo}",
                {"share": f"{high:.1%}", "least": f"{LIMITS.darkest_mat:.0%}", "todo": EVEN},
            ),
        )
    if low > LIMITS.palest_mat:
        raise ReadingError(
            ReadingFault.NOT_CALIBRATED,
            Says(
                "the mat reflects {share} of the light that paper would, expected at most {most}: white dice do not "
                "stand out on it, {todo}",
                {"share": f"{low:.1%}", "most": f"{LIMITS.palest_mat:.0%}", "todo": EVEN},
            ),
        )
    _must_not_flicker(image, colors)


def _must_not_be_full(image: PreparedImage, colors: Colors) -> None:
    mat = float((colors.mat * image.paper).max())
    if image.paper.min() >= CLIPPED and mat > LIMITS.full_scale:
        raise ReadingError(
            ReadingFault.TOO_BRIGHT,
            Says(
                "it is too bright, dim the light or shorten the exposure: the fiducials' paper is brighter than the "
                "camera can measure, and the mat is at {share} of it, expected at most {most}",
                {"share": f"{mat:.0%}", "most": f"{LIMITS.full_scale:.0%}"},
            ),
        )


def _must_not_flicker(image: PreparedImage, colors: Colors) -> None:
    colored = cv2.bitwise_or(colors.red, colors.blue)
    grain_mm = 2 * image.pose.centre_mm[2] / image.pose.lens.fx_px  # the view from above is made of pairs of pixels
    side = 2 * max(1, round(grain_mm / STEP_MM)) + 1
    specks = cv2.morphologyEx(colored, cv2.MORPH_TOPHAT, np.ones((side, side), np.uint8))
    share = cv2.countNonZero(specks) / specks.size
    if share > LIMITS.max_specks:
        raise ReadingError(
            ReadingFault.TOO_DARK,
            Says(
                "the picture is too noisy, switch on a light: {share} of the play area are red and blue specks, "
                "expected at most {most}",
                {"share": f"{share:.1%}", "most": f"{LIMITS.max_specks:.1%}"},
            ),
        )


def _must_not_be_colored(colors: Colors) -> None:
    for color, own, begins in (
        ("red", SHARED.red_share, colors.red_from),
        ("blue", SHARED.blue_share, colors.blue_from),
    ):
        share = cv2.countNonZero(colors.of(color)) / colors.red.size
        if share > LIMITS.max_color_share:
            raise ReadingError(
                ReadingFault.NOT_CALIBRATED,
                Says(
                    "{share} of the play area look {color} to the camera, as if the mat had this colour: {todo}, or "
                    "set the camera's white balance",
                    {"share": f"{share:.0%}", "color": color, "todo": EVEN},
                ),
            )
        if begins > (1 - LIMITS.min_color_step) * own:
            raise ReadingError(
                ReadingFault.NOT_CALIBRATED,
                Says(
                    "the mat looks nearly as {color} to the camera as the {color} pieces: {todo}, or set the camera's "
                    "white balance",
                    {"color": color, "todo": EVEN},
                ),
            )


def must_not_be_swapped(image: PreparedImage, colors: Colors, territories: Sequence[Detection]) -> None:
    """Raises: ReadingError(not_calibrated): red and blue are swapped in this picture.

    No single piece distinguishes red from blue, so both signs must agree: the territories are in each other's places,
    and each has the other's tint.
    """
    at_mm = {land.color: land.place.middle_mm[:2] for land in territories}
    start_mm = image.kit.piece(Kind.TERRITORY).start_mm
    if set(at_mm) != {"red", "blue"} or not set(at_mm) <= set(start_mm):
        return
    meant = np.subtract(start_mm["blue"], start_mm["red"])
    if float(meant @ (at_mm["blue"] - at_mm["red"])) >= 0:
        return
    tints = {str(land.color): _green_tint(image, colors, land) for land in territories}
    if tints["red"] > LIMITS.swapped_tint > tints["blue"]:
        raise ReadingError(
            ReadingFault.NOT_CALIBRATED,
            Says(
                "red and blue seem swapped in the picture: each territory is in the other's place with the other's "
                "tint. Set the camera's order of colours (RGB or BGR), or swap the territories"
            ),
        )


def _green_tint(image: PreparedImage, colors: Colors, land: Detection) -> float:
    """How much a territory's green exceeds its darkest channel, as a share of all its light."""
    middle = np.rint(image.shown_at(land.place.middle_mm)).astype(int).tolist()
    within = np.zeros(colors.red.shape, np.uint8)
    cv2.circle(within, middle, round(LIMITS.territory_core * radius_mm(land) / STEP_MM), 255, -1)
    own = cv2.bitwise_and(within, colors.of(str(land.color)))
    blue, green, red = column_medians(image.top[own > 0]).tolist() if own.any() else (0.0, 0.0, 0.0)
    return (green - min(blue, red)) / max(blue + green + red, 1e-6)
