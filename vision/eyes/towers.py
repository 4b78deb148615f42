"""Ninjas that stand on ninjas: told by the walls that are seen below them.

A top that stands higher than it was taken to is seen in the same place and hardly larger; what gives it away is the die
below. That one's walls are blacker than most shadows, their pips are seen as light specks in them, and no die that was
read explains them. The die below is then laid where it covers most of what is black and specked, and the upper one
stands a side higher, which is nearer to the point below the camera.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.eyes.bodies import Place, Solid, upright
from vision.eyes.color import Colors
from vision.eyes.cuts import CELL_MM, cut_light
from vision.eyes.foreign import disk, strike
from vision.eyes.raised import Raised
from vision.eyes.sight import STEP_MM, Floats, Floats32, Mask, Sight
from vision.eyes.tops import BESIDE, Top

LAIN_ON = "another die stands on it"
BLACK, DIM = 0.03, 0.05
"""A die's wall in its own shade sends back less than the first share of paper's light, a shadow seldom less than the
second."""
SPECK, SPOT_MM = 0.15, 6.5
"""A pip on a wall is brighter than what is around it, within so many mm, by this (of the root of light)."""
LEAST_FIT = 0.87
"""The upper die hides the lower one and is itself seen whole: its pips match their pattern so well (correlation)."""
LEVEL = 0.05
"""What is as bright as the upper die's top within this (of the root of light) may be the lower one's top."""
ZONE_MM, EXTENT_MM = 18.0, 64.0
"""The lower die is seen so near to the upper one's foot, and looked for in a cut-out so wide."""
LEAST_BLACK_MM2, LEAST_SPECK_MM2 = 8.0, 2.0
"""What is black and what is specked below a top, no less of each, makes it worth looking for a lower die ..."""
LEAST_SCORE, MOST_LEFT, MOST_OTHER = 25.0, 0.4, 0.35
"""... which explains this much, leaves so little of it over and shows so little that is neither: shares of its view."""
HELD = 0.52
"""A die stays on another while its middle is no further than this from the lower one's, along each of its edges."""
LEANS_MM = 9.0
"""So near to a rim a die may lean on it, and its walls are seen elsewhere."""
REACH_MM, BESIDE_MM = 9.0, 24.0
"""A lower die lies within the first of the upper one; one that stands beside it and was not read within the second."""
COARSE, FINE = (3.0, 15.0), ((1.5, 7.5), (0.8, 4.0), (0.4, 2.0))
"""The lower die is looked for at such steps, mm and degrees; the first over all places that can hold the upper one."""


@dataclass(frozen=True, eq=False)
class Tower:
    """A die found under another: where the upper one stands, the lower one, and how much of what is seen tells so."""

    upper_mm: Floats
    lower: Top
    score: float
    is_one: bool


def with_towers(
    sight: Sight, colors: Colors, rest: Mask, solid: Solid, tops: list[Top], raised: Sequence[Raised]
) -> list[Top]:
    """The tops again, those that stand on another ninja at their height and with the lower one, whose value cannot be
    read, beside them. `rest` is what may be black dice and is not explained; what a lower one explains is taken out."""
    side = 2 * solid.half_height_mm
    open_to = [top for top in _worth_it(sight, colors, rest, side, tops) if not _may_lean(top, raised)]
    found = {top: _tower(sight, solid, tops, top, raised) for top in open_to}
    while found:
        top = max(found, key=lambda top: found[top].score)
        tower = found.pop(top)
        if not tower.is_one:
            continue
        lower = tower.lower
        strike(sight, rest, solid, lower.place(solid))
        near = [other for other in tops if other is not top and other.apart_mm(lower) < BESIDE * side]
        x_mm, y_mm = tower.upper_mm.tolist()
        upper = replace(top, x_mm=x_mm, y_mm=y_mm, base_mm=lower.base_mm + side)
        tops = [other for other in tops if other is not top and other not in near] + [upper, lower]
        found = {
            other: _tower(sight, solid, tops, other, raised) if other.apart_mm(lower) < EXTENT_MM else known
            for other, known in found.items()
            if other not in near
        }
    return tops


def _worth_it(sight: Sight, colors: Colors, rest: Mask, side_mm: float, tops: list[Top]) -> Iterator[Top]:
    """The tops that were read beside which something black is not explained, or another stands in them."""
    black = cv2.bitwise_and(cv2.compare(colors.high, BLACK, cv2.CMP_LT), rest)
    reach = round(ZONE_MM / STEP_MM)
    for top in tops:
        near = [other for other in tops if other is not top and other.apart_mm(top) < BESIDE * side_mm]
        if top.value is None or top.score < max([LEAST_FIT, *(other.score for other in near)]):
            continue
        c, r = np.rint(sight.to_grid(sight.seen_at(np.array([top.x_mm, top.y_mm]), top.base_mm))).astype(int).tolist()
        below = black[max(r - reach, 0) : r + reach + 1, max(c - reach, 0) : c + reach + 1]
        if near or cv2.countNonZero(below) * STEP_MM**2 > LEAST_BLACK_MM2:
            yield top


def _may_lean(top: Top, raised: Sequence[Raised]) -> bool:
    """Whether a disk's rim is so near that a die may lean on it."""
    at = (top.x_mm, top.y_mm)
    return any(abs(cv2.pointPolygonTest(piece.outline_mm, at, True)) < LEANS_MM for piece in raised if not piece.is_die)


class _Around:
    """What is seen round a top that may stand a side higher, in a cut-out at the height it was taken to have."""

    def __init__(self, sight: Sight, solid: Solid, top: Top) -> None:
        self.sight, self.solid, self.top = sight, solid, top
        self.side_mm = 2 * solid.half_height_mm
        self.height_mm = top.base_mm + self.side_mm
        self.middle_mm = np.array([top.x_mm, top.y_mm])
        light = cut_light(sight, self.middle_mm, 0.0, EXTENT_MM, self.height_mm)
        share = light.astype(np.float32) * (1 / 65535 / sight.paper).astype(np.float32)
        b, g, r = cv2.split(share)
        self.high = cv2.max(cv2.max(b, g), r)
        self.low = cv2.min(cv2.min(b, g), r)
        self.corners_mm = self.side_mm / 2 * np.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)])

    @property
    def upper_mm(self) -> Floats:
        """Where the top is if it stands a side higher, (x, y)."""
        return self.sight.at_height(self.top.seen_mm(self.sight, self.side_mm), self.height_mm + self.side_mm)

    def cells(self, points_mm: Floats) -> Floats:
        """Places (column, row) of table points (N, 3) in the cut-out."""
        camera = self.sight.pose.centre_mm
        grow = (camera[2] - self.height_mm) / (camera[2] - points_mm[:, 2:])
        seen = camera[:2] + (points_mm[:, :2] - camera[:2]) * grow
        return np.asarray((seen - self.middle_mm) / CELL_MM + (self.high.shape[0] - 1) / 2)

    def shown(self, points_mm: Floats) -> Mask:
        """The convex outline of table points (N, 3), filled."""
        mask = np.zeros(self.high.shape, np.uint8)
        hull = cv2.convexHull(self.cells(points_mm).astype(np.float32))
        cv2.fillConvexPoly(mask, np.round(hull * 16).astype(np.int32), 255, shift=4)
        return mask

    def die(self, place: Place, grow: float = 1.0) -> Mask:
        """Where a die is seen, so much larger than it is."""
        return self.shown(place.points(self.corners_mm * grow))


@dataclass(frozen=True, eq=False)
class _Seen:
    """What of a cut-out no known die hides (`visible`, bool), what below the top is black or a speck (`black`,
    `speck`), and how much each cell speaks for a lower die (`weight`)."""

    visible: NDArray[np.bool_]
    black: NDArray[np.bool_]
    speck: NDArray[np.bool_]
    weight: Floats32


def _seen(around: _Around, known: list[Place], solid_known: Mask) -> _Seen:
    """The evidence below a top; `solid_known` is where empire dice are seen."""
    own = around.die(around.top.place(around.solid), 1.06)
    taken = cv2.bitwise_or(own, solid_known)
    for place in known:
        cv2.bitwise_or(taken, around.die(place, 1.1), dst=taken)
    zone = np.zeros_like(own)
    foot = around.cells(np.array([[*around.upper_mm, around.top.base_mm + around.side_mm / 3]]))[0]
    cv2.circle(zone, tuple(np.rint(foot).astype(int).tolist()), round(ZONE_MM / CELL_MM), 255, -1)
    free = (taken == 0) & (zone > 0)
    root = cv2.sqrt(around.high)
    level = float(np.median(root[around.shown(around.top.place(around.solid).points(around.corners_mm[4:])) > 0]))
    spots = cv2.morphologyEx(cv2.sqrt(around.low), cv2.MORPH_TOPHAT, _spot())
    dim = around.high < DIM
    within = cv2.morphologyEx(((dim & free) | (own > 0)).astype(np.uint8), cv2.MORPH_CLOSE, _spot())
    speck = free & (within > 0) & ~dim & (spots > SPECK)
    black = around.high < BLACK
    beside_pip = cv2.dilate((spots > SPECK).astype(np.uint8), disk(3)) > 0  # a pip's edge is of any shade
    is_open = dim | beside_pip | (np.abs(root - level) < LEVEL)
    weight = np.where(black | speck, 2.0, np.where(is_open, 0.0, -1.0)).astype(np.float32)
    weight[taken > 0] = 0.0
    return _Seen(taken == 0, black & free, speck, weight)


def _spot() -> Mask:
    """A disk that is larger than a pip."""
    return disk(round(SPOT_MM / CELL_MM) | 1)


def _tower(sight: Sight, solid: Solid, tops: list[Top], top: Top, raised: Sequence[Raised]) -> Tower:
    """The likeliest die under a top that stands a side higher, and whether there is one."""
    around = _Around(sight, solid, top)
    side = around.side_mm
    others = [
        other
        for other in tops
        if (other.value is not None or other.reason == LAIN_ON) and BESIDE * side < other.apart_mm(top) < EXTENT_MM
    ]
    walls = np.zeros(around.high.shape, np.uint8)
    for die in raised:
        if die.is_die:
            outline = die.outline_mm.astype(np.float64)
            ends = [np.column_stack([outline, np.full(len(outline), z)]) for z in (0.0, die.height_mm)]
            cv2.bitwise_or(walls, around.shown(np.vstack(ends)), dst=walls)
    seen = _seen(around, [other.place(solid) for other in others], walls)
    cell_mm2 = CELL_MM**2
    none = Tower(around.middle_mm, replace(top, value=None, reason=LAIN_ON), 0.0, False)
    if seen.black.sum() * cell_mm2 < LEAST_BLACK_MM2 or seen.speck.sum() * cell_mm2 < LEAST_SPECK_MM2:
        return none
    height = top.base_mm + solid.half_height_mm
    level_mm = [np.array([other.x_mm, other.y_mm]) for other in others if other.base_mm < height]
    score, place = _best_place(around, seen, level_mm, around.upper_mm, REACH_MM, partial(_can_hold, side))
    if place is None:
        return none
    shown = around.die(place) > 0
    told = seen.black | seen.speck
    left = told & (cv2.dilate(shown.astype(np.uint8), disk(3)) == 0)
    other = float((seen.weight[shown] < 0).sum())
    is_one = (
        score > LEAST_SCORE
        and left.sum() < MOST_LEFT * told.sum()
        and other < MOST_OTHER * float((shown & seen.visible).sum())
    )
    if is_one:
        beside, _ = _best_place(around, seen, level_mm, around.middle_mm, BESIDE_MM, partial(_can_be_beside, side))
        is_one = beside < score
    x_mm, y_mm, _ = place.middle_mm.tolist()
    lower = Top(x_mm, y_mm, place.angle_deg, None, 0.5, LAIN_ON, top.base_mm)
    return Tower(around.upper_mm, lower, score, is_one)


def _can_hold(side_mm: float, dx_mm: float, dy_mm: float, angle_deg: float) -> bool:
    """Whether a die at this angle holds one whose middle is so far from its own."""
    c, s = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    return max(abs(dx_mm * c + dy_mm * s), abs(dy_mm * c - dx_mm * s)) <= HELD * side_mm


def _can_be_beside(side_mm: float, dx_mm: float, dy_mm: float, _: float) -> bool:
    """Whether two dice with their middles so far apart may stand side by side."""
    return BESIDE * side_mm <= math.hypot(dx_mm, dy_mm) <= BESIDE_MM


def _best_place(
    around: _Around,
    seen: _Seen,
    others_mm: list[Floats],
    about_mm: Floats,
    reach_mm: float,
    is_open: Callable[[float, float, float], bool],
) -> tuple[float, Place | None]:
    """Where a die that stands as the top was taken to explains most, and how much that is, mm2: within some mm of a
    point, in no other die, and where `is_open` to it, which is given its place from that point, mm, and its angle."""
    side, base = around.side_mm, around.top.base_mm

    def tried(dx_mm: float, dy_mm: float, angle_deg: float) -> tuple[float, float, float, float] | None:
        x_mm, y_mm = float(about_mm[0]) + dx_mm, float(about_mm[1]) + dy_mm
        if not is_open(dx_mm, dy_mm, angle_deg):
            return None
        if any(math.hypot(x_mm - x, y_mm - y) < BESIDE * side for x, y in others_mm):
            return None
        shown = around.die(upright(x_mm, y_mm, base + side / 2, angle_deg))
        return float(seen.weight[shown > 0].sum()), dx_mm, dy_mm, angle_deg

    step, turn = COARSE
    along = np.arange(-reach_mm, reach_mm + step / 2, step).tolist()
    turns = np.arange(0.0, 90.0, turn).tolist()
    ways = [way for a in turns for x in along for y in along if (way := tried(x, y, a)) is not None]
    if not ways:
        return 0.0, None
    best = max(ways)
    for step, turn in FINE:
        _, x0, y0, a0 = best
        nearby = itertools.product((-1, 0, 1), repeat=3)
        near = [tried(x0 + i * step, y0 + j * step, a0 + k * turn) for i, j, k in nearby]
        best = max(way for way in near if way is not None)
    score, dx, dy, angle = best
    return score * CELL_MM**2, upright(float(about_mm[0]) + dx, float(about_mm[1]) + dy, base + side / 2, angle)
