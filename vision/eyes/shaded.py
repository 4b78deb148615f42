"""Samurai of which a shaded crescent is seen beside the one that lies on them, on a ground of their own colour.

No hue tells their rim from the ground: only the light does, which drops across it into their own shadow.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from companion.readings import Kind
from vision.eyes import bodies, rims
from vision.eyes.color import Colors
from vision.eyes.pieces import TWIN_MM, Found, Shapes, radius_mm
from vision.eyes.sight import STEP_MM, Floats, Mask, Sight

BEYOND_MM = (4.0, 7.0, 10.0, 14.0)
"""A samurai is looked for so far beyond the middle of the one that lies on it, toward the colour left over."""
NEAR_MM = 8.0
"""Colour left over tells of a samurai under another whose rim is so near."""
LEAST_COVERAGE, MOST_RESIDUAL_PX = 0.16, 0.7
"""So much of its whole rim must be seen, and fit so well."""
LEAST_OF_BARE, LEAST_HIDDEN = 0.6, 0.15
"""So much of the rim that nothing covers must be seen, and others must cover so much of it."""
ASTRAY_MM, REACHES_MM = 7.0, 3.0
"""A circle of votes as near as this to a disk of its colour is that disk's; one that lies under another reaches at
least so far under it."""
MOST_FOREIGN = 0.1
"""At most so much of what is bare of it may have another colour and yet light."""
LEAST_EXPLAINED = 0.8
"""It must explain so much of the colour left over."""
SHADED_MM, SHADED_CONFIDENCE = 0.5, 0.6
"""How well and how surely such a samurai is known."""
SOFT_PX = 1.5
"""The view from above blurs rims by so much."""


def find_shaded(
    sight: Sight,
    colors: Colors,
    shapes: Shapes,
    left: Sequence[Mask],
    tried: Sequence[bodies.Place],
    found: list[Found],
    color: str,
) -> list[Found]:
    """The samurai of a colour under those found: one at most for each part of the colour that is `left` over, and for
    each place that was `tried` since circles were seen there."""
    more: list[Found] = []
    uppers = [piece for piece in found if piece.kind is Kind.SAMURAI]
    for part in left:
        rows, columns = np.nonzero(part)
        middle = sight.to_table(np.array([columns.mean(), rows.mean()]))
        starts = [
            bodies.upright(*(upper.place.middle_mm[:2] + toward * beyond), shapes.samurai.half_height_mm)
            for upper in uppers
            if (toward := _toward(upper, middle)) is not None
            for beyond in BEYOND_MM
        ]
        good = [
            fit
            for fit in _fitted(sight, shapes, starts, color)
            if _explains(sight, colors, shapes, fit, part, [*found, *more], color)
        ]
        more += [_shaded(shapes, fit, color) for fit in sorted(good, key=lambda fit: -fit.coverage)[:1]]
    for fit in _fitted(sight, shapes, [place for place in tried if _may_lie_under(place, uppers, color)], color):
        if _explains(sight, colors, shapes, fit, None, [*found, *more], color):
            more.append(_shaded(shapes, fit, color))
    return more


def _may_lie_under(place: bodies.Place, uppers: list[Found], color: str) -> bool:
    """Whether a disk at a place reaches under one that was found, and is not one of them seen twice."""
    apart = [(float(np.hypot(*(place.middle_mm - upper.place.middle_mm)[:2])), upper) for upper in uppers]
    return any(far < 2 * radius_mm(upper) - REACHES_MM for far, upper in apart) and not any(
        far < ASTRAY_MM and upper.color == color for far, upper in apart
    )


def _fitted(sight: Sight, shapes: Shapes, starts: list[bodies.Place], color: str) -> list[rims.Fit]:
    """The disks that starts lead to, those of whose rim enough is seen."""
    if not starts:
        return []
    every = [True] * len(starts)
    fits = rims.fit_disks(
        sight, shapes.samurai, starts, [color] * len(starts), rounds=4, are_crescents=every, are_shaded=every
    )
    return [fit for fit in fits if fit.coverage >= LEAST_COVERAGE and fit.residual_px < MOST_RESIDUAL_PX]


def _shaded(shapes: Shapes, fit: rims.Fit, color: str) -> Found:
    return Found(
        Kind.SAMURAI,
        color,
        shapes.samurai,
        fit,
        confidence=SHADED_CONFIDENCE,
        spread_mm=SHADED_MM,
        is_crescent=True,
        is_shaded=True,
    )


def _toward(upper: Found, xy_mm: Floats) -> Floats | None:
    """The direction from a disk's middle to a place beside its rim; None where it is not beside it."""
    way = xy_mm - upper.place.middle_mm[:2]
    apart = float(np.hypot(*way))
    return np.asarray(way / apart) if 0 < apart < radius_mm(upper) + NEAR_MM else None


def _explains(
    sight: Sight, colors: Colors, shapes: Shapes, fit: rims.Fit, part: Mask | None, known: list[Found], color: str
) -> bool:
    """Whether a disk fits what is seen: under others for a part of it, bare only where its colour is seen."""
    if any(other.color == color and bodies.apart_mm(fit.place, other.place) < TWIN_MM for other in known):
        return False
    radius = shapes.samurai_radius_mm / STEP_MM
    core, covered = np.zeros_like(colors.red), np.zeros_like(colors.red)
    for disk in known:
        cv2.circle(covered, _seen_at(sight, disk.place), round(radius), 1, -1)
    cv2.circle(core, _seen_at(sight, fit.place), round(radius - SOFT_PX), 1, -1)
    ring = cv2.morphologyEx(core, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0
    hidden = float((covered[ring] > 0).mean())
    if hidden < LEAST_HIDDEN or fit.coverage < LEAST_OF_BARE * (1 - hidden):
        return False
    bare = (core > 0) & (cv2.dilate(covered, np.ones((3, 3), np.uint8)) == 0)
    dark_or_mine = colors.of(color)[bare] | colors.black[bare]
    if not bare.any() or (dark_or_mine == 0).mean() > MOST_FOREIGN:
        return False
    if part is None:
        return True
    mine = np.zeros_like(part)
    cv2.circle(mine, _seen_at(sight, fit.place), round(radius + SOFT_PX), 1, -1)
    return bool((mine[part > 0] > 0).mean() >= LEAST_EXPLAINED)


def _seen_at(sight: Sight, place: bodies.Place) -> tuple[int, int]:
    """The pixel of the view from above that shows a disk's middle."""
    column, row = sight.shown_at(place.middle_mm)
    return round(float(column)), round(float(row))
