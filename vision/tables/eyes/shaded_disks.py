"""Samurai of which a shaded crescent shows beside the one that lies on them, on ground of their own colour.

No hue separates their rim from the ground. Only the light does: it drops across the rim into their own shadow.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from companion.game.readings import Kind
from vision.measure import bodies, disk_fit
from vision.measure.colors import Colors
from vision.measure.prepared import STEP_MM, Floats, Mask, PreparedImage
from vision.tables.eyes.pieces import SAME_DISK_MM, Detection, Shapes, radius_mm

BEYOND_MM = (4.0, 7.0, 10.0, 14.0)
"""How far beyond the middle of the one on it a samurai is tried, toward the colour left over."""
NEAR_MM = 8.0
"""How near to another samurai's rim the colour left over must be."""
LEAST_COVERAGE, MOST_RESIDUAL_PX = 0.16, 0.7
"""The share of its whole rim that must show, and how well it must fit."""
LEAST_OF_BARE, LEAST_HIDDEN = 0.6, 0.15
"""The share of its bare rim that must show, and the share that others must cover."""
ASTRAY_MM, REACHES_MM = 7.0, 3.0
"""A circle nearer to a disk of its colour is that disk's. One under another reaches at least so far under it."""
MOST_FOREIGN = 0.1
"""The most of its bare part that may be light and of another colour."""
LEAST_EXPLAINED = 0.8
"""The share of the colour left over that it must explain."""
SHADED_MM, SHADED_CONFIDENCE = 0.5, 0.6
"""The error of such a samurai, and the confidence in it."""
SOFT_PX = 1.5
"""How far the view from above blurs rims."""


def find_shaded(
    image: PreparedImage,
    colors: Colors,
    shapes: Shapes,
    left: Sequence[Mask],
    tried: Sequence[bodies.Place],
    found: list[Detection],
    color: str,
) -> list[Detection]:
    """The samurai of a colour under the found ones: at most one for each part of the colour that is `left` over, and
    for each place `tried` where circles were seen."""
    more: list[Detection] = []
    uppers = [piece for piece in found if piece.kind is Kind.SAMURAI]
    for part in left:
        rows, columns = np.nonzero(part)
        middle = image.to_table(np.array([columns.mean(), rows.mean()]))
        starts = [
            _level_at(upper.place.middle_mm[:2] + toward * beyond, shapes)
            for upper in uppers
            if (toward := _toward(upper, middle)) is not None
            for beyond in BEYOND_MM
        ]
        good = [
            fit
            for fit in _fitted(image, shapes, starts, color)
            if _explains(image, colors, shapes, fit, part, [*found, *more], color)
        ]
        more += [_shaded(shapes, fit, color) for fit in sorted(good, key=lambda fit: -fit.coverage)[:1]]
    for fit in _fitted(image, shapes, [place for place in tried if _may_lie_under(place, uppers, color)], color):
        if _explains(image, colors, shapes, fit, None, [*found, *more], color):
            more.append(_shaded(shapes, fit, color))
    return more


def _may_lie_under(place: bodies.Place, uppers: list[Detection], color: str) -> bool:
    """Whether a disk there reaches under a found one, and is not one of them seen twice."""
    apart = [(float(np.hypot(*(place.middle_mm - upper.place.middle_mm)[:2])), upper) for upper in uppers]
    return any(far < 2 * radius_mm(upper) - REACHES_MM for far, upper in apart) and not any(
        far < ASTRAY_MM and upper.color == color for far, upper in apart
    )


def _fitted(image: PreparedImage, shapes: Shapes, starts: list[bodies.Place], color: str) -> list[bodies.Fit]:
    """The disks fitted from these starts that show enough of their rim."""
    if not starts:
        return []
    every = [True] * len(starts)
    fits = disk_fit.fit_disks(
        image, shapes.samurai, starts, [color] * len(starts), rounds=4, are_crescents=every, are_shaded=every
    )
    return [fit for fit in fits if fit.coverage >= LEAST_COVERAGE and fit.residual_px < MOST_RESIDUAL_PX]


def _shaded(shapes: Shapes, fit: bodies.Fit, color: str) -> Detection:
    return Detection(
        Kind.SAMURAI,
        color,
        shapes.samurai,
        fit,
        confidence=SHADED_CONFIDENCE,
        spread_mm=SHADED_MM,
        is_crescent=True,
        is_shaded=True,
    )


def _level_at(xy_mm: Floats, shapes: Shapes) -> bodies.Place:
    """A samurai that lies on the table with its middle there."""
    x, y = xy_mm.tolist()
    return bodies.upright(x, y, shapes.samurai.half_height_mm)


def _toward(upper: Detection, xy_mm: Floats) -> Floats | None:
    """The direction from a disk's middle to a place beside its rim; None where it is not beside it."""
    way = xy_mm - upper.place.middle_mm[:2]
    apart = float(np.hypot(*way))
    return np.asarray(way / apart) if 0 < apart < radius_mm(upper) + NEAR_MM else None


def _explains(
    image: PreparedImage,
    colors: Colors,
    shapes: Shapes,
    fit: bodies.Fit,
    part: Mask | None,
    known: list[Detection],
    color: str,
) -> bool:
    """Whether a disk explains what is seen: it lies under others in part, and is bare only where its colour shows."""
    if any(other.color == color and bodies.apart_mm(fit.place, other.place) < SAME_DISK_MM for other in known):
        return False
    radius = shapes.samurai_radius_mm / STEP_MM
    core, covered = np.zeros_like(colors.red), np.zeros_like(colors.red)
    for disk in known:
        cv2.circle(covered, _seen_at(image, disk.place), round(radius), 1, -1)
    cv2.circle(core, _seen_at(image, fit.place), round(radius - SOFT_PX), 1, -1)
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
    cv2.circle(mine, _seen_at(image, fit.place), round(radius + SOFT_PX), 1, -1)
    return bool((mine[part > 0] > 0).mean() >= LEAST_EXPLAINED)


def _seen_at(image: PreparedImage, place: bodies.Place) -> tuple[int, int]:
    """The pixel of the view from above that shows a disk's middle."""
    column, row = image.shown_at(place.middle_mm)
    return round(float(column)), round(float(row))
