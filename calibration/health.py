"""Why no fiducials are seen: too dark, too bright, blurred, mirrored, or those of another mat."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from calibration.edges import Floats, Picture
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
