"""Finds samurai under others that circle votes miss: shaded crescents on their own colour, and slivers.

No hue separates a samurai's rim from ground of its own colour. Only light does: it drops across the rim into the
samurai's own shadow.

A sliver shows too little rim for a fit. But a coloured part next to a samurai that no piece explains is another
samurai. It lifts the samurai on it, which then appear aside in the picture. So it is reported, unsure, at the place
that its colour suggests.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.game.readings import Kind
from vision.measure import bodies, disk_fit
from vision.measure.colors import Colors, components_of, erase_body
from vision.measure.prepared import STEP_MM, Floats, Mask, PreparedImage
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, Shapes, found_samurai, radius_mm


def find_shaded(
    image: PreparedImage,
    colors: Colors,
    shapes: Shapes,
    left: Sequence[Mask],
    tried: Sequence[bodies.Place],
    found: list[Detection],
    color: str,
) -> list[Detection]:
    """Samurai of a colour under those found: at most one per part of the colour in `left`, and per place in `tried`,
    where circles were seen."""
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
        more += [_shaded(shapes, color, fit) for fit in sorted(good, key=lambda fit: -fit.coverage)[:1]]
    for fit in _fitted(image, shapes, [place for place in tried if _may_lie_under(place, uppers, color)], color):
        if _explains(image, colors, shapes, fit, None, [*found, *more], color):
            more.append(_shaded(shapes, color, fit))
    return more


def _may_lie_under(place: bodies.Place, uppers: list[Detection], color: str) -> bool:
    """Whether a disk there reaches under a found disk, and is not a second detection of one."""
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


def _shaded(shapes: Shapes, color: str, fit: bodies.Fit) -> Detection:
    error_mm, confidence = LIMITS.shaded_error_mm, LIMITS.shaded_confidence
    return found_samurai(shapes, color, fit, confidence, error_mm, is_crescent=True, is_shaded=True)


def _level_at(xy_mm: Floats, shapes: Shapes) -> bodies.Place:
    """A samurai flat on the table with its middle there."""
    x, y = xy_mm.tolist()
    return bodies.upright(x, y, shapes.samurai.half_height_mm)


def _toward(upper: Detection, xy_mm: Floats) -> Floats | None:
    """The direction from a disk's middle to a place inside or near its rim; None: the place is further away."""
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
    """Whether a disk explains the picture: it is partly under others, and its bare part has its colour."""
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
    """The pixel of a disk's middle in the view from above."""
    column, row = image.shown_at(place.middle_mm)
    return round(float(column)), round(float(row))


def find_slivers(image: PreparedImage, colors: Colors, shapes: Shapes, pieces: Sequence[Detection]) -> list[Detection]:
    """Samurai next to and under these pieces, from colour that no piece explains."""
    samurai = [piece for piece in pieces if piece.kind is Kind.SAMURAI]
    if not samurai:
        return []
    beside, covered = np.zeros_like(colors.red), np.zeros_like(colors.red)
    for piece in samurai:
        draw_over(image, beside, piece, LIMITS.sliver_reach_mm)
    for piece in pieces:
        if piece.kind is not Kind.TERRITORY:
            draw_over(image, covered, piece)
    found: list[Detection] = []
    for color in ("red", "blue"):
        left = colors.of(color) & beside & ~covered
        for land in pieces:
            if land.kind is Kind.TERRITORY and land.color == color:
                draw_over(image, left, land, value=0)
        foreign = ~(covered | colors.of(color)) > 0
        while (part := _largest(left)) is not None:
            placed = _placed(image, shapes, part, foreign, color)
            left[part > 0] = 0
            alike = [piece for piece in samurai + found if piece.color == color]
            is_new = all(bodies.apart_mm(piece.place, placed.place) > LIMITS.other_samurai_mm for piece in alike)
            if placed.spread_mm < LIMITS.max_sliver_error_mm and is_new:
                found.append(placed)
                draw_over(image, left, placed, value=0)
    return found


def _largest(left: Mask) -> Mask | None:
    """The largest part of a mask that is a sliver; None: no part is large enough."""
    count, labels, stats = components_of(left)
    if count == 1:
        return None
    largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    if stats[largest, cv2.CC_STAT_AREA] * STEP_MM**2 < LIMITS.min_sliver_mm2:
        return None
    return np.asarray(labels == largest, np.uint8)


def draw_over(image: PreparedImage, mask: Mask, piece: Detection, beyond_mm: float = 0.0, value: int = 255) -> None:
    """Draws a piece into the view from above, with its blurred rim and a margin of `beyond_mm`."""
    if piece.solid.is_round and not piece.is_leaning:
        reach = (radius_mm(piece) + beyond_mm) / STEP_MM + LIMITS.blurred_rim_px
        column, row = image.shown_at(piece.place.middle_mm)
        x, y, around = (round(float(size) * 2**LIMITS.subpixel_bits) for size in (column, row, reach))
        cv2.circle(mask, (x, y), around, value, -1, shift=LIMITS.subpixel_bits)
    else:
        bare = np.full_like(mask, 255)
        erase_body(image, bare, piece.solid, piece.place)
        mask[bare == 0] = value


def _placed(image: PreparedImage, shapes: Shapes, part: Mask, foreign: NDArray[np.bool_], color: str) -> Detection:
    """A samurai that shows this part and hides no foreign colour, with the error of its uncertain place."""
    radius = shapes.samurai_radius_mm / STEP_MM
    reach = int(np.ceil(radius)) + 1
    rows, columns = np.nonzero(part)
    top, left = max(int(rows.min()) - 2 * reach, 0), max(int(columns.min()) - 2 * reach, 0)
    window = slice(top, int(rows.max()) + 2 * reach), slice(left, int(columns.max()) + 2 * reach)
    step = np.arange(-reach, reach + 1)
    disk = (np.hypot(*np.meshgrid(step, step)) <= radius).astype(np.float32)
    shown, hidden = (
        cv2.filter2D(mask[window].astype(np.float32), cv2.CV_32F, disk, borderType=cv2.BORDER_CONSTANT)
        for mask in (part, foreign)
    )
    score = shown - hidden
    good = np.argwhere(score >= score.max() - (1 - LIMITS.near_best_share) * part.sum() - 0.5)[:, ::-1] + (left, top)
    xy = np.array([image.at_height(image.to_table(at), 2 * shapes.samurai.half_height_mm) for at in good.astype(float)])
    spread = float(np.hypot(LIMITS.min_sliver_error_mm, np.sqrt(xy.var(axis=0).sum() / 2)))
    fit = bodies.Fit(_level_at(xy.mean(axis=0), shapes), np.zeros((6, 6)), 0.0, 0.0, 1.0, bodies.UNFITTED_PX)
    return found_samurai(shapes, color, fit, LIMITS.sliver_confidence, spread, is_crescent=True)
