"""Samurai that show only a sliver outside those on top of them.

Too little of their rim shows for circle votes. But a part next to a samurai, of a samurai's colour and not a found
piece, is another samurai. It lifts the ones on it by its height, and that moves the upper ones aside in the picture. So
it is reported, unsure, at the place that its colour suggests.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.game.readings import Kind
from vision.measure import bodies
from vision.measure.colors import Colors, components_of, erase_body
from vision.measure.prepared import STEP_MM, Mask, PreparedImage
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, Shapes, radius_mm


def find_slivers(image: PreparedImage, colors: Colors, shapes: Shapes, pieces: Sequence[Detection]) -> list[Detection]:
    """The samurai next to and under these pieces that no piece explains."""
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
    """The largest part of a mask that is a sliver; None where there is none."""
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
    """A samurai that shows this part and hides no foreign colour, with the error that its open place has."""
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
    x, y = xy.mean(axis=0).tolist()
    place = bodies.upright(x, y, shapes.samurai.half_height_mm)
    fit = bodies.Fit(place, np.zeros((6, 6)), 0.0, 0.0, 1.0, 9.0)
    return Detection(
        Kind.SAMURAI,
        color,
        shapes.samurai,
        fit,
        confidence=LIMITS.sliver_confidence,
        spread_mm=spread,
        is_crescent=True,
    )
