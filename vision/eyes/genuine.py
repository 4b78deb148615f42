"""Whether what looks like a die is one of the set: other games' dice, paper, coins and caps lie on family tables too.

An empire die of the set has corners where its size says, and its edges run where a cube's do. Of 2309 labelled dice
none lacked more than one corner, and of none was less than 0.6 of the edges where it should be; of 118 white things
that were taken for dice three quarters fail one of the two, and most of the others are as large as a die. A ninja is
black: of 949 labelled ones none had a hue of more than 0.56, whatever its top mirrored; green dice have one of 0.8.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.eyes.bodies import Place, Solid, apart_mm
from vision.eyes.pieces import INTO_MM, LEANS_MM, Found, stands_in
from vision.eyes.ridges import met, shown_of
from vision.eyes.rims import Fit
from vision.eyes.sight import Floats, Sight
from vision.eyes.tops import Top

CORNER, BEYOND, WITHIN = 0.85, 1.32, 0.62
"""A top is looked at just inside its corners, just beyond them, and round its middle, in half sides: the eye's ink
lies nearer to the middle than the corners, and seldom under half of the places between."""
LIKE_TOP, LIKE_BESIDE = 0.6, 1.25
"""A corner is missing where it has less than this part of the top's light, and little more than what lies beyond."""
MOST_MISSING = 1
"""One corner may be in a shadow."""
LEAST_RIGHT = 0.58
"""The share of a die's edges that are where a cube's of its size would be."""
MOST_HUE, DIM = 0.65, 0.03
"""A black body's channels differ by at most this share of the greatest; light of this much, paper = 1, tells no hue."""
_GRID = np.linspace(-0.8, 0.8, 7)
_BODY = np.array([(x, y, 1.0) for x in _GRID for y in _GRID])
"""Where a ninja's top is looked at, in half sides: the darker half of these places bears no pips."""
_SIGNS = np.array([(x, y) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0) if x or y])
_CORNERS = _SIGNS[(_SIGNS != 0).all(axis=1)]


def has_corners(sight: Sight, solid: Solid, places: list[Place]) -> NDArray[np.bool_]:
    """Whether each white top (D,) has a square's corners: what is round shows what lies beside it there."""
    at = np.vstack([CORNER * _CORNERS, BEYOND * _CORNERS, WITHIN * _SIGNS])
    top = np.column_stack([at, np.ones(len(at))]) * solid.half_height_mm
    light = (
        light_at(sight, np.vstack([place.points(top) for place in places])).mean(axis=1).reshape(len(places), len(at))
    )
    corner, beyond, within = np.split(light, [len(_CORNERS), 2 * len(_CORNERS)], axis=1)
    is_dark = corner < LIKE_TOP * np.median(within, axis=1)[:, None]
    is_missing = is_dark & (corner < LIKE_BESIDE * beyond)
    return np.asarray(is_missing.sum(axis=1) <= MOST_MISSING)


def genuine(sight: Sight, dice: list[Found], samurai: list[Found]) -> list[Found]:
    """The dice whose edges run as a cube's do, if not where they were first taken to stand, where they stand now; of
    one in which a samurai seems to stand too few may be seen to tell."""
    return [
        die
        for die in dice
        if die.is_cube
        or is_cube(float(met(shown_of(sight, die.solid, [die.place]))[0]), die.fit)
        or any(stands_in(disk, die) for disk in samurai)
    ]


def is_cube(share: float, fit: Fit) -> bool:
    """Whether a white thing's edges run as a cube's do; `share` of them are measured, and a part of these agree."""
    return share * fit.coverage >= LEAST_RIGHT


def doubted(dice: list[Found]) -> list[Found]:
    """The dice, those in doubt that seem to stand in one another: what is white there is no two dice that lie level."""
    return [
        replace(die, spread_mm=max(die.spread_mm, LEANS_MM), confidence=0.5)
        if any(other is not die and _stand_in_one_another(die, other) for other in dice)
        else die
        for die in dice
    ]


def _stand_in_one_another(a: Found, b: Found) -> bool:
    """Whether two dice are nearer to each other than dice that touch can be."""
    return apart_mm(a.place, b.place) < 2 * a.solid.half_height_mm - INTO_MM


def black(sight: Sight, solid: Solid, tops: list[Top]) -> list[Top]:
    """The tops whose body, beside the pips, is black: another game's dice have pips too, and a colour."""
    if not tops:
        return tops
    points = _BODY * solid.half_height_mm
    light = light_at(sight, np.vstack([top.place(solid).points(points) for top in tops])).reshape(len(tops), -1, 3)
    dark = np.argsort(light.sum(axis=2), axis=1)[:, : light.shape[1] // 2]
    body = np.median(np.take_along_axis(light, dark[:, :, None], axis=1), axis=1)
    hue = (body.max(axis=1) - body.min(axis=1)) / (body.max(axis=1) + DIM)
    return [top for top, of_it in zip(tops, hue.tolist(), strict=True) if of_it <= MOST_HUE]


def light_at(sight: Sight, points_mm: Floats) -> Floats:
    """The light (N, 3) of the picture at table points (N, 3), linear BGR, paper = 1."""
    height, width = sight.light.shape[:2]
    columns, rows = np.rint(sight.view.to_pixels(points_mm)).astype(int).T
    seen = sight.light[rows.clip(0, height - 1), columns.clip(0, width - 1)] / 65535
    return np.asarray(seen / sight.paper)
