"""The light on the table and the sharpness of the picture, judged from the fiducials' paper and ink.

`judge` follows `find_pose` and precedes every reading: it refuses a picture that is too dark, too bright or blurred.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import Floats, Picture
from calibration.edges import LIGHT, medians
from calibration.markers import cells_across
from calibration.pose import PAPER_MM, Pose
from companion.game.errors import ReadingError, ReadingFault
from companion.game.kit import Kit
from companion.game.says import Says

DARK_PAPER = 0.02
"""Minimum light of the paper (1: full scale): darker colours drown in noise; a grey level of 39 of 255."""
BRIGHT_INK = 0.3
"""Maximum light of the ink: with brighter ink the paper is far beyond full scale; a grey level of 148 of 255."""
CLIPPED = 0.97
"""Minimum light of a clipped channel, whose true value is unknown."""
WORST_BLUR_PX, WORST_BLUR_MM = 1.85, 2.0
"""Maximum width of the fiducials' edges (standard deviation), in the picture and on the table: wider edges blur pips
away."""
MOST_VEIL = 0.25
"""Maximum light of the ink as a share of the paper's: beyond it haze hides black dice and then colours; at most 0.14 in
the samples."""
COLORLESS_LEVELS, COLOR_CELL_PX, COLOR_ROWS = 3, 64, 16
"""A picture has no colours if the channels differ by fewer levels in every cell of this many pixels a side. For speed
only one row in this many is averaged: all rows take as long as half of the pose, and territories are wider."""
RING = 0.5
"""Half a cell outside the black square is white paper, half a cell inside is black ink, on all sides."""


@dataclass(frozen=True, eq=False, slots=True)
class Light:
    """The light of paper and ink. All light is linear, 0 to 1, in the order blue, green, red, shape (3,).

    `white_bgr` and `black_bgr`: median of the fiducials' paper and ink. `paper_bgr`: each fiducial's own paper, which
    shows how even the light is. `is_clipped`: all fiducials' paper is overexposed, so `white_bgr` is a lower bound.
    `blur_px`, `blur_mm`: width of the fiducials' edges as a standard deviation.
    """

    white_bgr: Floats
    black_bgr: Floats
    paper_bgr: Mapping[int, Floats]
    is_clipped: bool
    blur_px: float
    blur_mm: float


def judge(picture: Picture, pose: Pose, kit: Kit) -> Light:
    """Measures the light of a picture, and refuses unusable light.

    Raises: ReadingError (`too_dark`, `too_bright`, `blurred`; `not_an_image`: a picture without colours), with advice.
    """
    if not _has_colors(picture):
        raise ReadingError(
            ReadingFault.NOT_AN_IMAGE,
            Says(
                "the picture is grey, expected colours to tell red from blue: set the camera to colour, or use the "
                "picture as the camera took it"
            ),
        )
    light = measure(picture, pose, kit)
    paper, ink = light.white_bgr.max(), light.black_bgr.max()
    if paper < DARK_PAPER:
        raise ReadingError(
            ReadingFault.TOO_DARK,
            Says(
                "it is too dark, switch on a light or lengthen the exposure: the paper of the fiducials is at {level} "
                "of 255, expected at least {least}",
                {"level": grey_level(paper), "least": grey_level(DARK_PAPER)},
            ),
        )
    if ink > BRIGHT_INK:
        raise ReadingError(
            ReadingFault.TOO_BRIGHT,
            Says(
                "it is too bright, dim the light or shorten the exposure: the ink of the fiducials is at {level} of "
                "255, expected at most {most}",
                {"level": grey_level(ink), "most": grey_level(BRIGHT_INK)},
            ),
        )
    if ink > MOST_VEIL * paper and not light.is_clipped:
        raise ReadingError(
            ReadingFault.BLURRED,
            Says(
                "the picture is hazy, wipe the lens and keep lamps from shining into it or onto the fiducials: the "
                "ink is at {share} of the paper's brightness, expected at most {most}",
                {"share": f"{ink / paper:.0%}", "most": f"{MOST_VEIL:.0%}"},
            ),
        )
    if light.blur_px > WORST_BLUR_PX or light.blur_mm > WORST_BLUR_MM:
        raise ReadingError(
            ReadingFault.BLURRED,
            Says(
                "the picture is blurred, hold camera and table still and focus the lens: the edges of the fiducials "
                "are {px} px ({mm} mm) wide, expected at most {most_px} px and {most_mm} mm",
                {
                    "px": f"{light.blur_px:.1f}",
                    "mm": f"{light.blur_mm:.1f}",
                    "most_px": f"{WORST_BLUR_PX:g}",
                    "most_mm": f"{WORST_BLUR_MM:g}",
                },
            ),
        )
    return light


def _has_colors(picture: Picture) -> bool:
    """Whether a BGR picture is more than a grey picture whose three channels differ by noise."""
    rows = np.ascontiguousarray(picture[::COLOR_ROWS])
    size = (max(1, rows.shape[1] // COLOR_CELL_PX), max(1, rows.shape[0] * COLOR_ROWS // COLOR_CELL_PX))
    cells = cv2.resize(rows, size, interpolation=cv2.INTER_AREA).astype(np.int16)
    return bool((cells.max(axis=2) - cells.min(axis=2)).max() >= COLORLESS_LEVELS)


def measure(picture: Picture, pose: Pose, kit: Kit) -> Light:
    """The light of a BGR picture, measured at the fiducials of `pose`."""
    ids = [fiducial.id for fiducial in pose.seen]
    step = 2 * RING / cells_across(kit.mat)
    papers = dict(zip(ids, _rings(picture, pose, kit, ids, 1 + step), strict=True))
    inks = _rings(picture, pose, kit, ids, 1 - step)
    white = np.array(list(papers.values()))
    honest = white[(white < CLIPPED).all(axis=1)]
    usual = medians(honest if len(honest) else white)
    side_px = float(np.median([np.linalg.norm(f.corners_px[1] - f.corners_px[0]) for f in pose.seen]))
    return Light(
        white_bgr=usual,
        black_bgr=medians(np.array(inks)),
        paper_bgr=papers,
        is_clipped=not len(honest),
        blur_px=pose.blur_px,
        blur_mm=pose.blur_px * kit.mat.marker_mm / side_px,
    )


def _rings(picture: Picture, pose: Pose, kit: Kit, markers: list[int], scale: float) -> list[Floats]:
    """The median light (3,) on a square around each fiducial's middle, `scale` times as large as its black square."""
    half = kit.mat.marker_mm / 2 * scale
    run = np.linspace(-half, half, 17)[:-1]
    ends = np.full(16, half)
    square = np.vstack([np.column_stack(c) for c in ((run, -ends), (ends, run), (-run, ends), (-ends, -run))])
    around = (square + np.array([kit.mat.markers[marker] for marker in markers])[:, None]).reshape(-1, 2)
    pixels = pose.to_pixels(np.column_stack([around, np.full(len(around), PAPER_MM)]))
    columns, rows = np.rint(pixels).astype(int).T.reshape(2, len(markers), -1)
    inside = (columns >= 0) & (rows >= 0) & (columns < picture.shape[1]) & (rows < picture.shape[0])
    return [
        medians(LIGHT[picture[row[seen], column[seen]]]).astype(np.float64)
        for row, column, seen in zip(rows, columns, inside, strict=True)
    ]


def grey_level(light: float) -> int:
    """The grey level (0 to 255) of linear light.

    >>> grey_level(0.02)
    39
    """
    return int(np.searchsorted(LIGHT, light))
