"""Samurai on ground of their own colour that show a shaded crescent outside the samurai on top of them.

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
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, Shapes, radius_mm


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
            for beyond in LIMITS.shaded_offsets_mm
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
    return any(far < 2 * radius_mm(upper) - LIMITS.min_under_mm for far, upper in apart) and not any(
        far < LIMITS.own_circle_mm and upper.color == color for far, upper in apart
    )


def _fitted(image: PreparedImage, shapes: Shapes, starts: list[bodies.Place], color: str) -> list[bodies.Fit]:
    """The disks fitted from these starts that show enough of their rim."""
    if not starts:
        return []
    every = [True] * len(starts)
    fits = disk_fit.fit_disks(
        image, shapes.samurai, starts, [color] * len(starts), rounds=4, are_crescents=every, are_shaded=every
    )
    return [
        fit
        for fit in fits
        if fit.coverage >= LIMITS.min_shaded_coverage and fit.residual_px < LIMITS.max_shaded_residual_px
    ]


def _shaded(shapes: Shapes, fit: bodies.Fit, color: str) -> Detection:
    return Detection(
        Kind.SAMURAI,
        color,
        shapes.samurai,
        fit,
        confidence=LIMITS.shaded_confidence,
        spread_mm=LIMITS.shaded_error_mm,
        is_crescent=True,
        is_shaded=True,
    )


def _level_at(xy_mm: Floats, shapes: Shapes) -> bodies.Place:
    """A samurai flat on the table with its middle there."""
    x, y = xy_mm.tolist()
    return bodies.upright(x, y, shapes.samurai.half_height_mm)


def _toward(upper: Detection, xy_mm: Floats) -> Floats | None:
    """The direction from a disk's middle to a place inside or near its rim; None where it is further away."""
    way = xy_mm - upper.place.middle_mm[:2]
    apart = float(np.hypot(*way))
    return np.asarray(way / apart) if 0 < apart < radius_mm(upper) + LIMITS.shaded_reach_mm else None


def _explains(
    image: PreparedImage,
    colors: Colors,
    shapes: Shapes,
    fit: bodies.Fit,
    part: Mask | None,
    known: list[Detection],
    color: str,
) -> bool:
    """Whether a disk explains the picture: it is partly under others, and its bare part shows its colour."""
    if any(other.color == color and bodies.apart_mm(fit.place, other.place) < LIMITS.same_disk_mm for other in known):
        return False
    radius = shapes.samurai_radius_mm / STEP_MM
    core, covered = np.zeros_like(colors.red), np.zeros_like(colors.red)
    for disk in known:
        cv2.circle(covered, _seen_at(image, disk.place), round(radius), 1, -1)
    cv2.circle(core, _seen_at(image, fit.place), round(radius - LIMITS.shaded_blur_px), 1, -1)
    ring = cv2.morphologyEx(core, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0
    hidden = float((covered[ring] > 0).mean())
    if hidden < LIMITS.min_hidden_rim or fit.coverage < LIMITS.min_bare_rim * (1 - hidden):
        return False
    bare = (core > 0) & (cv2.dilate(covered, np.ones((3, 3), np.uint8)) == 0)
    dark_or_mine = colors.of(color)[bare] | colors.black[bare]
    if not bare.any() or (dark_or_mine == 0).mean() > LIMITS.max_foreign:
        return False
    if part is None:
        return True
    mine = np.zeros_like(part)
    cv2.circle(mine, _seen_at(image, fit.place), round(radius + LIMITS.shaded_blur_px), 1, -1)
    return bool((mine[part > 0] > 0).mean() >= LIMITS.min_explained)


def _seen_at(image: PreparedImage, place: bodies.Place) -> tuple[int, int]:
    """The pixel of the view from above that shows a disk's middle."""
    column, row = image.shown_at(place.middle_mm)
    return round(float(column)), round(float(row))
