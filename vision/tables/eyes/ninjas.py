"""Finds black dice with white pips by the pattern of their tops, and separates dice that touch.

Dark parts that are not mat are cut out of the view from above, at the height of a die's top. They are compared with the
nine patterns of pips: first roughly over a region, then closely around a place. The best match is kept and its die
erased. Then the rest is searched again.
Source: normalised cross-correlation, J. P. Lewis, Fast template matching, Vision Interface (1995).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32, Mask
from companion.game.readings import Kind
from vision.measure import bodies
from vision.measure.bodies import Place, Solid, apart_mm, upright
from vision.measure.colors import Colors, components_of, erase_body, round_kernel, usual
from vision.measure.limits import LIMITS as SHARED
from vision.measure.pip_patterns import PATTERNS, PIP_RADIUS, Patterns, patterns
from vision.measure.prepared import STEP_MM, PreparedImage
from vision.measure.white_squares import CELL_MM, cutout
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import (
    Detection,
    Platform,
    Shapes,
    is_above,
    shared_mm2,
    stand_on_highest,
)


@dataclass(frozen=True, slots=True)
class Top:
    """A ninja's top: its middle (x, y), its angle, the value or None, and the score of the pattern's fit."""

    x_mm: float
    y_mm: float
    angle_deg: float
    value: int | None
    score: float
    reason: str | None = None
    base_mm: float = 0.0
    """Height of the ninja's underside."""

    def place(self, solid: Solid) -> Place:
        """The die under this top."""
        return upright(self.x_mm, self.y_mm, self.base_mm + solid.half_height_mm, self.angle_deg)

    def seen_mm(self, image: PreparedImage, side_mm: float) -> Floats:
        """The table point (x, y) at which the view from above shows the top's middle."""
        return image.seen_at(np.array([self.x_mm, self.y_mm]), self.base_mm + side_mm)

    def apart_mm(self, other: Top) -> float:
        """The distance of two dice on the table."""
        return math.hypot(self.x_mm - other.x_mm, self.y_mm - other.y_mm)


def match_roughly(
    flat: Floats32, middle: Floats, side_mm: float, is_free: Callable[[Floats], NDArray[np.bool_]]
) -> list[Top]:
    """The best tops in an unturned cut-out around `middle`, on coarse cells, best first."""
    half = np.asarray(
        cv2.resize(flat, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA),
        np.float32,
    )
    known = patterns(side_mm, 2 * CELL_MM, SHARED.coarse_turn_deg)
    reach = int(known.cells.max())
    n = half.shape[0]
    columns, rows = _inside(n, reach)
    xy = middle + (np.column_stack([columns, rows]) - (n - 1) / 2) * (flat.shape[0] / n * CELL_MM)
    free = is_free(xy)
    if not free.any():
        return []
    xy = xy[free]
    scores = known.scores(half, columns[free], rows[free])
    scores -= np.where(known.values == 1, SHARED.one_behind, -SHARED.more_pips * known.values).astype(np.float32)
    which = scores.argmax(axis=1)
    peaks = scores[np.arange(len(xy)), which]
    found: list[Top] = []
    left = peaks > max(LIMITS.usual, float(peaks.max()) - LIMITS.rival_score)
    while left.any() and len(found) < LIMITS.max_rivals:
        i = int(np.where(left, peaks, -1.0).argmax())
        found.append(_rough(known, xy[i], int(which[i]), float(peaks[i])))
        left &= np.hypot(*(xy - xy[i]).T) > LIMITS.some * side_mm
    if not any(top.value == 1 for top in found):
        # on coarse cells a one next to a wall's pip may look more like a two
        ones = np.flatnonzero(known.values == 1)
        i, k = divmod(int(scores[:, ones].argmax()), len(ones))
        score = float(scores[i, ones[k]])
        if score > LIMITS.usual:
            found.append(_rough(known, xy[i], int(ones[k]), score))
    return found


def _rough(known: Patterns, xy: Floats, which: int, score: float) -> Top:
    """A top that shows one of the patterns at a place (x, y)."""
    return Top(float(xy[0]), float(xy[1]), float(known.angles_deg[which]), int(known.values[which]), score)


def best_by_value(
    image: PreparedImage,
    middle: Floats,
    side: float,
    height: float,
    astray_mm: float,
    window: float = SHARED.pattern_window,
) -> dict[int, Top]:
    """The best top for each value within `astray_mm` of a place. `window`: the compared part of the top, in sides."""
    known = patterns(side, CELL_MM, SHARED.coarse_turn_deg / 2, window)
    reach = int(known.cells.max())
    cut = cutout(image, middle, 0.0, 2 * (astray_mm + reach * CELL_MM), height)
    n = cut.shape[0]
    columns, rows = _inside(n, reach)
    scores = known.scores(cut, columns, rows)
    places = scores.argmax(axis=0)
    peaks = scores[places, np.arange(scores.shape[1])]
    best = {}
    for value in PATTERNS:
        k = int(np.where(known.values == value, peaks, -np.inf).argmax())
        i = places[k]
        x, y = middle + (np.array([columns[i], rows[i]]) - (n - 1) / 2) * CELL_MM
        best[value] = Top(float(x), float(y), float(known.angles_deg[k]), value, float(peaks[k]))
    return best


@lru_cache(maxsize=256)
def _inside(size: int, reach: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The cells (columns, rows) of a square cut-out at least this far from its border."""
    rows, columns = np.mgrid[reach : size - reach, reach : size - reach]
    return columns.ravel(), rows.ravel()


def spot_kernel(side: float) -> Mask:
    """A disk larger than a pip."""
    return round_kernel(round(2 * PIP_RADIUS * side / CELL_MM) * 2 - 1)


DARK_REACH_PX = round(LIMITS.reach_mm / STEP_MM)
"""Search around a dark region: if a top mirrors the room, only walls are dark."""
THIN = np.ones((3, 3), np.uint8)
"""A part is thin if this does not fit inside, in pixels of the view from above."""
UNREADABLE = "its top cannot be read: it leans, or a lamp is mirrored in it"


_GRID = LIMITS.most * np.linspace(-1, 1, LIMITS.face_samples)
_TOP = np.array([(x, y, 1.0) for x in _GRID for y in _GRID])
"""Sampled places of a ninja's top, in half sides."""


@dataclass(frozen=True, eq=False, slots=True)
class Region:
    """A connected part of a mask of the view from above: the first column and row of its box, and the mask in it."""

    left: int
    top: int
    mask: Mask

    def left_of(self, whole: Mask) -> Mask:
        """The part of the region that is still set in a mask of the whole view."""
        height, width = self.mask.shape
        window = whole[self.top : self.top + height, self.left : self.left + width]
        return cv2.bitwise_and(self.mask, window).astype(np.uint8)


def find_ninjas(image: PreparedImage, colors: Colors, dark: Mask, solid: Solid, raised: list[Platform]) -> list[Top]:
    """All ninjas in the dark parts; `raised`: pieces that they may be on."""
    side = 2 * solid.half_height_mm
    rest = dark.copy()
    found: list[Top] = []
    seen: list[Floats] = []
    regions = _regions(dark, side)
    while regions:  # each round takes at most one die from each dark region
        fresh = []
        for region in regions:
            top = _best(image, region, side, raised, seen)
            if top is not None:
                found.append(top)
                seen.append(top.seen_mm(image, side))
                fresh.append((region, top))
        for _, top in fresh:
            erase_body(image, rest, solid, top.place(solid))
        regions = [
            part for region, _ in fresh for part in _regions(region.left_of(rest), side, region.left, region.top)
        ]
    found = black_only(image, solid, found)
    return found + _unread(image, colors, rest, solid, [piece for piece in raised if not piece.is_die])


def _regions(mask: Mask, side: float, left: int = 0, top: int = 0) -> list[Region]:
    """The connected parts of a mask that may hold dice; `left`, `top`: first column and row of the mask. In a blurred
    picture a disk's rim is a line that joins the dice next to it. So parts that are too large are split where they are
    thin."""
    count, labels, stats = components_of(mask)
    regions = []
    for i in range(1, count):
        x, y, w, h, area = stats[i].tolist()
        if area * STEP_MM**2 < LIMITS.some * side * side:
            continue
        own = (labels[y : y + h, x : x + w] == i).astype(np.uint8) * np.uint8(255)
        if max(w, h) * STEP_MM <= LIMITS.max_ninja_length * side:
            regions.append(Region(left + x, top + y, own))
        else:
            thick = cv2.morphologyEx(own, cv2.MORPH_OPEN, THIN)
            if (thick != own).any():
                regions += _regions(np.asarray(thick, np.uint8), side, left + x, top + y)
    return regions


def _unread(image: PreparedImage, colors: Colors, rest: Mask, solid: Solid, raised: list[Platform]) -> list[Top]:
    """Dice with unrecognised tops, because of glare or a tilt: dark and bright objects in the `rest`."""
    side = 2 * solid.half_height_mm
    middle_mm = 0.5 * side  # height of the middle of what is seen of one
    # otherwise a gap between disks shows a pale mat
    least_pale = max(LIMITS.some, SHARED.mirror_share * usual(colors.low))
    deep = cv2.distanceTransform(rest, cv2.DIST_L2, 3) * STEP_MM
    count, labels, stats = components_of((deep > LIMITS.same_mm).astype(np.uint8))
    found: list[Top] = []
    for i in range(1, count):
        if stats[i, cv2.CC_STAT_AREA] * STEP_MM**2 > LIMITS.max_core * side * side:
            continue
        x, y, w, h = stats[i, :4]
        rows, columns = np.nonzero(labels[y : y + h, x : x + w] == i)
        rows, columns = rows + y, columns + x
        middle = image.to_table(np.array([columns.mean(), rows.mean()]))
        r, c = round(rows.mean()), round(columns.mean())
        reach = round(middle_mm / STEP_MM)
        window = (slice(max(r - reach, 0), r + reach + 1), slice(max(c - reach, 0), c + reach + 1))
        high, low = (share[window][rest[window] > 0] for share in (colors.high, colors.low))
        pale = low > least_pale
        black = (high < SHARED.max_black) & (high - low < LIMITS.max_grey_hue * np.maximum(high, SHARED.dim))
        size = float((rest[window] > 0).sum()) * STEP_MM**2 / side**2
        is_mirror = pale.mean() > 0.5 and 0.5 < size < 2.0
        if not is_mirror and (pale.mean() < LIMITS.trace or black.mean() < LIMITS.trace):
            continue
        (x, y), base = stand_on_highest(image, middle, middle_mm, raised)
        if not (0 <= x <= image.kit.mat.width_mm and 0 <= y <= image.kit.mat.height_mm):
            continue
        glance = replace(_glance(image, np.array([x, y]), side, base + side), base_mm=base)
        if glance.value is not None:
            found.append(glance)
            continue
        angle = glance.angle_deg
        found.append(Top(float(x), float(y), angle, None, LIMITS.in_doubt, UNREADABLE, base))
    return found


def _glance(image: PreparedImage, middle: Floats, side: float, height: float) -> Top:
    """A second reading of a pale top: its faint pips must fit one value much better than any other."""
    best = best_by_value(image, middle, side, height, LIMITS.same_mm, LIMITS.most)
    many = sorted((v for v in best if v > 1), key=lambda v: -best[v].score)
    value: int | None = None
    if best[1].score > max(LIMITS.nearly_all, best[many[0]].score + SHARED.one_behind):
        value = 1  # one spot in the middle, and no pattern with more pips
    elif best[many[0]].score > LIMITS.min_match and best[many[0]].score - best[many[1]].score > SHARED.one_behind:
        value = many[0]
    return replace(best[value or many[0]], value=value)


def _best(
    image: PreparedImage, region: Region, side: float, raised: list[Platform], taken_mm: list[Floats]
) -> Top | None:
    """The best top in one dark region, away from tops that the view from above shows at `taken_mm`."""
    x, y, (h, w) = region.left, region.top, region.mask.shape
    corner = image.to_table(np.array([[x, y], [x + w - 1, y + h - 1]], np.float64))
    middle = corner.mean(axis=0)
    height = side + stand_on_highest(image, middle, side, [piece for piece in raised if not piece.is_die])[1]
    middle = image.at_height(middle, height)
    extent = float((corner[1] - corner[0]).max()) + (1 + LIMITS.some) * side
    flat = cutout(image, middle, 0.0, extent, height)
    if not _has_spot(flat, side, float(np.sqrt(image.paper.min()))):
        return None
    border = np.pad(region.mask, DARK_REACH_PX)
    near = cv2.dilate(border, np.ones((2 * DARK_REACH_PX + 1,) * 2, np.uint8))
    # all tops are compared at one height, as the view shows them
    others = image.at_height(np.array(taken_mm).reshape(-1, 2), height).tolist()

    def is_free(xy: Floats) -> NDArray[np.bool_]:
        """Whether tops with these middles (N, 2) are in the play area, over the region and away from other tops."""
        inside = ((xy >= 0) & (xy <= (image.kit.mat.width_mm, image.kit.mat.height_mm))).all(axis=1)
        grid = image.to_grid(image.seen_at(xy, height)).round().astype(int) - (
            x - DARK_REACH_PX,
            y - DARK_REACH_PX,
        )
        c, r = grid.T.clip(0, np.array([near.shape[1], near.shape[0]])[:, None] - 1)
        inside &= (near[r, c] > 0) & (grid == np.column_stack([c, r])).all(axis=1)
        for x_mm, y_mm in others:
            inside &= np.hypot(xy[:, 0] - x_mm, xy[:, 1] - y_mm) > LIMITS.nearly_all * side
        return np.asarray(inside)

    matched = [_matched(image, rough, side, height) for rough in match_roughly(flat, middle, side, is_free)]
    best = max(matched, key=lambda top: top.score - _handicap(top), default=None)
    if best is None or best.score < LIMITS.min_match or not is_free(np.array([[best.x_mm, best.y_mm]]))[0]:
        return None
    xy, base = stand_on_highest(image, image.seen_at(np.array([best.x_mm, best.y_mm]), height), side, raised)
    return replace(best, x_mm=float(xy[0]), y_mm=float(xy[1]), base_mm=base)


def _matched(image: PreparedImage, rough: Top, side: float, height: float) -> Top:
    """The best-fitting top near a rough match; its value is None if another value fits nearly as well."""
    fits = best_by_value(image, np.array([rough.x_mm, rough.y_mm]), side, height, LIMITS.same_mm)
    best = max(fits.values(), key=lambda top: top.score + SHARED.more_pips * (top.value or 0) - _handicap(top))
    near = [
        top.score
        for top in fits.values()
        if top is not best and math.hypot(top.x_mm - best.x_mm, top.y_mm - best.y_mm) < LIMITS.same_mm
    ]
    if best.score >= LIMITS.min_match and best.score - max(near, default=0.0) >= SHARED.one_behind:
        return best
    return replace(best, value=None, reason="the top's pips are not clear")


def _handicap(top: Top) -> float:
    return SHARED.one_behind if top.value == 1 else 0.0


def _has_spot(cut: Floats32, side: float, white: float) -> bool:
    """Whether a cut-out contains a spot as distinct as a pip; shadows and grain are not."""
    return float(cv2.morphologyEx(cut, cv2.MORPH_TOPHAT, spot_kernel(side)).max()) > LIMITS.some * white


def black_only(image: PreparedImage, solid: Solid, tops: list[Top]) -> list[Top]:
    """The tops that are black and white almost everywhere: dice of other games have pips too, but in colour."""
    if not tops:
        return tops
    points = _TOP * solid.half_height_mm
    light = image.light_at(np.vstack([top.place(solid).points(points) for top in tops])).reshape(len(tops), -1, 3)
    high = light.max(axis=2)
    hue = np.quantile((high - light.min(axis=2)) / (high + SHARED.dim), LIMITS.most, axis=1)
    return [top for top, of_it in zip(tops, hue.tolist(), strict=True) if of_it <= LIMITS.max_grey_hue]


def read_ninjas(image: PreparedImage, colors: Colors, shapes: Shapes, pieces: list[Detection]) -> list[Detection]:
    """The ninjas, each level on its support: a value means the face seen on top, also of one that leans."""
    foreign = colors.dark_or_foreign.copy()
    dice = [piece for piece in pieces if piece.kind is Kind.EMPIRE_DIE]
    for die in dice:
        erase_body(image, foreign, die.solid, die.place)
    raised = [Platform.of(piece) for piece in pieces if piece.tilt_deg < LIMITS.same_tilt_deg]
    found = [
        Detection(
            Kind.NINJA,
            "black",
            shapes.ninja,
            bodies.Fit(top.place(shapes.ninja), np.zeros((6, 6)), 1.0, 1.0, 0.0),
            value=top.value,
            confidence=top.score,
            reason=top.reason,
        )
        for top in find_ninjas(image, colors, foreign, shapes.ninja, raised)
    ]
    return without_walls(found, [piece for piece in pieces if piece.kind is not Kind.TERRITORY])


def without_walls(found: list[Detection], others: list[Detection]) -> list[Detection]:
    """The ninjas. An unclear one inside another is left out: the gap between two or a die's wall may look like a top.
    One that touches another piece is unsure: a covered die's corner at a shadow may look like a pip."""
    kept = [n for n in found if n.confidence >= LIMITS.nearly_all]
    for n in (n for n in found if n.confidence < LIMITS.nearly_all):
        inside = (o for o in found if o.value is not None and o.confidence > n.confidence)
        if all(apart_mm(n.place, o.place) > 2 * LIMITS.nearly_all * n.solid.half_height_mm for o in inside):
            touches = any(shared_mm2(n, o) > LIMITS.small_mm2 and not is_above(n, o) for o in others)
            kept.append(replace(n, confidence=min(n.confidence, LIMITS.in_doubt)) if touches else n)
    return kept
