"""Whether what looks like a die belongs to the set: other dice, paper, coins and caps lie on family tables too.

An empire die has corners where its size says, and edges where a cube has them. Of 2309 labelled dice none lacked more
than one corner, and none had fewer than 0.6 of its edges where they should be. Of 118 white things taken for dice three
quarters fail one of the two; most of the others are as large as a die. A ninja is black: of 949 labelled ones none had
a hue above 0.56, whatever its top mirrored. Green dice have one of 0.8.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.eyes.die_tops import Top
from vision.eyes.pieces import INTO_MM, LEANS_MM, Detection, stands_in
from vision.measure.bodies import Fit, Place, Solid, apart_mm
from vision.measure.prepared import Floats, PreparedImage
from vision.measure.ridges import measured_share, show_dice

CORNER, OUTSIDE, INSIDE = 0.85, 1.32, 0.62
"""Where a top is sampled, in half sides: just inside its corners, just beyond them, and round its middle. The eye's ink
seldom covers half of the places round the middle."""
LIKE_TOP, LIKE_BESIDE = 0.6, 1.25
"""A corner is missing where it has less than the first part of the top's light, and less than the second part of the
light beyond."""
MOST_MISSING = 1
"""One corner may be in a shadow."""
LEAST_RIGHT = 0.58
"""The share of a die's edges that lie where a cube's would."""
MOST_HUE, DIM = 0.65, 0.03
"""A black body's channels differ by at most this share of the greatest. Light below the second (paper = 1) has no hue.
"""
_GRID = np.linspace(-0.8, 0.8, 7)
_BODY = np.array([(x, y, 1.0) for x in _GRID for y in _GRID])
"""Where a ninja's top is sampled, in half sides: the darker half of these places has no pips."""
_SIGNS = np.array([(x, y) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0) if x or y])
_CORNERS = _SIGNS[(_SIGNS != 0).all(axis=1)]


def has_corners(image: PreparedImage, solid: Solid, places: list[Place]) -> NDArray[np.bool_]:
    """Whether each white top (D,) has the corners of a square."""
    at = np.vstack([CORNER * _CORNERS, OUTSIDE * _CORNERS, INSIDE * _SIGNS])
    top = np.column_stack([at, np.ones(len(at))]) * solid.half_height_mm
    light = (
        light_at(image, np.vstack([place.points(top) for place in places])).mean(axis=1).reshape(len(places), len(at))
    )
    corner, beyond, within = np.split(light, [len(_CORNERS), 2 * len(_CORNERS)], axis=1)
    is_dark = corner < LIKE_TOP * np.median(within, axis=1)[:, None]
    is_missing = is_dark & (corner < LIKE_BESIDE * beyond)
    return np.asarray(is_missing.sum(axis=1) <= MOST_MISSING)


def keep_cubes(image: PreparedImage, dice: list[Detection], samurai: list[Detection]) -> list[Detection]:
    """The dice whose edges run like a cube's, in their first or in their present place. One in which a samurai seems to
    stand stays too: it may show too few edges."""
    return [
        die
        for die in dice
        if die.is_cube
        or is_cube(float(measured_share(show_dice(image, die.solid, [die.place]))[0]), die.fit)
        or any(stands_in(disk, die) for disk in samurai)
    ]


def is_cube(share: float, fit: Fit) -> bool:
    """Whether a white thing's edges run like a cube's, by the `share` that is measured and the part of these that
    agree."""
    return share * fit.coverage >= LEAST_RIGHT


def doubt_interlocked_dice(dice: list[Detection]) -> list[Detection]:
    """The dice; those that seem to stand in one another are unsure: that is not two level dice."""
    return [
        replace(die, spread_mm=max(die.spread_mm, LEANS_MM), confidence=0.5)
        if any(other is not die and _stand_in_one_another(die, other) for other in dice)
        else die
        for die in dice
    ]


def _stand_in_one_another(a: Detection, b: Detection) -> bool:
    """Whether two dice are nearer to each other than touching ones can be."""
    return apart_mm(a.place, b.place) < 2 * a.solid.half_height_mm - INTO_MM


def black_only(image: PreparedImage, solid: Solid, tops: list[Top]) -> list[Top]:
    """The tops whose body is black beside the pips: another game's dice have pips too, but a colour."""
    if not tops:
        return tops
    points = _BODY * solid.half_height_mm
    light = light_at(image, np.vstack([top.place(solid).points(points) for top in tops])).reshape(len(tops), -1, 3)
    dark = np.argsort(light.sum(axis=2), axis=1)[:, : light.shape[1] // 2]
    body = np.median(np.take_along_axis(light, dark[:, :, None], axis=1), axis=1)
    hue = (body.max(axis=1) - body.min(axis=1)) / (body.max(axis=1) + DIM)
    return [top for top, of_it in zip(tops, hue.tolist(), strict=True) if of_it <= MOST_HUE]


def light_at(image: PreparedImage, points_mm: Floats) -> Floats:
    """The light (N, 3) of the picture at table points (N, 3), linear BGR, paper = 1."""
    height, width = image.light.shape[:2]
    columns, rows = np.rint(image.view.to_pixels(points_mm)).astype(int).T
    seen = image.light[rows.clip(0, height - 1), columns.clip(0, width - 1)] / 65535
    return np.asarray(seen / image.paper)
