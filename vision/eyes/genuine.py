"""Whether what is white is a die of the set: paper, coins, caps and cards are white too, and lie on family tables.

A die of the set has corners where its size says, and its edges run where a cube's do. Of 2309 labelled dice none
lacked more than one corner, and of none was less than 0.6 of the edges where it should be; of 118 white things that
were taken for dice three quarters fail one of the two, and most of the others are as large as a die.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.eyes.bodies import Place, Solid
from vision.eyes.pieces import Found, stands_in
from vision.eyes.ridges import met, shown_of
from vision.eyes.sight import Floats, Sight

CORNER, BEYOND, WITHIN = 0.85, 1.32, 0.62
"""A top is looked at just inside its corners, just beyond them, and round its middle, in half sides: the eye's ink
lies nearer to the middle than the corners, and seldom under half of the places between."""
LIKE_TOP, LIKE_BESIDE = 0.6, 1.25
"""A corner is missing where it has less than this part of the top's light, and little more than what lies beyond."""
MOST_MISSING = 1
"""One corner may be in a shadow."""
LEAST_RIGHT = 0.58
"""The share of a die's edges that are where a cube's of its size would be."""
_SIGNS = np.array([(x, y) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0) if x or y])
_CORNERS = _SIGNS[(_SIGNS != 0).all(axis=1)]


def has_corners(sight: Sight, solid: Solid, places: list[Place]) -> NDArray[np.bool_]:
    """Whether each white top (D,) has a square's corners: what is round shows what lies beside it there."""
    at = np.vstack([CORNER * _CORNERS, BEYOND * _CORNERS, WITHIN * _SIGNS])
    top = np.column_stack([at, np.ones(len(at))]) * solid.half_height_mm
    light = _light(sight, np.vstack([place.points(top) for place in places])).reshape(len(places), len(at))
    corner, beyond, within = np.split(light, [len(_CORNERS), 2 * len(_CORNERS)], axis=1)
    is_dark = corner < LIKE_TOP * np.median(within, axis=1)[:, None]
    is_missing = is_dark & (corner < LIKE_BESIDE * beyond)
    return np.asarray(is_missing.sum(axis=1) <= MOST_MISSING)


def genuine(sight: Sight, dice: list[Found], samurai: list[Found]) -> list[Found]:
    """The dice whose edges run as a cube's do; of one in which a samurai seems to stand too few may be seen to tell."""
    if not dice:
        return dice
    shares = met(shown_of(sight, dice[0].solid, [die.place for die in dice])).tolist()
    return [
        die
        for die, share in zip(dice, shares, strict=True)
        if share * die.fit.coverage >= LEAST_RIGHT or any(stands_in(disk, die) for disk in samurai)
    ]


def _light(sight: Sight, points_mm: Floats) -> Floats:
    """The light of the picture at table points (N, 3), paper = 1, all channels together."""
    height, width = sight.light.shape[:2]
    columns, rows = np.rint(sight.view.to_pixels(points_mm)).astype(int).T
    seen = sight.light[rows.clip(0, height - 1), columns.clip(0, width - 1)] / 65535
    return np.asarray((seen / sight.paper).mean(axis=1))
