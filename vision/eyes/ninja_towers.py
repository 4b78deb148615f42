"""Ninjas that stand on ninjas: the walls seen below them tell.

A top that stands higher than assumed is seen in the same place and hardly larger. The die below gives it away: its
walls are blacker than most shadows, their pips are light specks, and no die that was read explains them. The lower die
is laid where it covers most of what is black and specked. The upper one then stands a side higher, and nearer to the
point below the camera.
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

from vision.eyes.die_tops import BESIDE, Top
from vision.eyes.platforms import Platform
from vision.measure.bodies import Place, Solid, upright
from vision.measure.colors import Colors, below
from vision.measure.cutouts import CELL_MM, cutout_light
from vision.measure.masks import erase_body, round_kernel
from vision.measure.prepared import STEP_MM, Floats, Floats32, Mask, PreparedImage

LAIN_ON = "another die stands on it"
BLACK, DIM = 0.03, 0.05
"""A die's wall in its own shade is darker than the first share of paper, a shadow seldom darker than the second."""
SPECK, SPOT_MM = 0.15, 6.5
"""By how much (root of light) a pip on a wall is brighter than what is around it, within so many mm."""
LEAST_FIT = 0.87
"""The upper die is seen whole, so its pips match their pattern at least so well (correlation)."""
LEVEL = 0.05
"""What differs less from the upper die's top (root of light) may be the lower one's top."""
ZONE_MM, EXTENT_MM = 18.0, 64.0
"""How near to the upper one's foot the lower die shows, and the width of the cut-out that is searched."""
LEAST_BLACK_MM2, LEAST_SPECK_MM2 = 8.0, 2.0
"""With so much black and so much specked below a top a lower die is searched ..."""
LEAST_SCORE, MOST_LEFT, MOST_OTHER = 25.0, 0.4, 0.35
"""... which must explain so much, leave at most this share, and show at most this share of anything else."""
HELD = 0.52
"""A die stays on another if its middle is no further from the lower one's along each edge, in sides."""
LEANS_MM = 9.0
"""Nearer to a rim a die may lean on it, and then its walls show elsewhere."""
REACH_MM, BESIDE_MM = 9.0, 24.0
"""How far a lower die may be from the upper one, and one beside it that was not read."""
COARSE, FINE = (3.0, 15.0), ((1.5, 7.5), (0.8, 4.0), (0.4, 2.0))
"""The steps of the search, mm and degrees; the first over all places that can hold the upper one."""


@dataclass(frozen=True, eq=False)
class Tower:
    """A die under another: where the upper one stands, the lower one, and the evidence for it, mm2."""

    upper_mm: Floats
    lower: Top
    score: float
    is_one: bool


def find_towers(
    image: PreparedImage, colors: Colors, rest: Mask, solid: Solid, tops: list[Top], raised: Sequence[Platform]
) -> list[Top]:
    """The tops; one on another ninja at its height, followed by the lower one, whose value cannot be read. `rest`: what
    may be black dice and is not explained; what a lower one explains is erased."""
    side = 2 * solid.half_height_mm
    open_to = [top for top in _worth_it(image, colors, rest, side, tops) if not _may_lean(top, raised)]
    found = {top: _tower(image, solid, tops, top, raised) for top in open_to}
    while found:
        top = max(found, key=lambda top: found[top].score)
        tower = found.pop(top)
        if not tower.is_one:
            continue
        lower = tower.lower
        erase_body(image, rest, solid, lower.place(solid))
        near = [other for other in tops if other is not top and other.apart_mm(lower) < BESIDE * side]
        x_mm, y_mm = tower.upper_mm.tolist()
        upper = replace(top, x_mm=x_mm, y_mm=y_mm, base_mm=lower.base_mm + side)
        tops = [other for other in tops if other is not top and other not in near] + [upper, lower]
        found = {
            other: _tower(image, solid, tops, other, raised) if other.apart_mm(lower) < EXTENT_MM else known
            for other, known in found.items()
            if other not in near
        }
    return tops


def _worth_it(image: PreparedImage, colors: Colors, rest: Mask, side_mm: float, tops: list[Top]) -> Iterator[Top]:
    """The read tops that have unexplained black beside them, or that another one stands in."""
    black = below(colors.high, BLACK) & rest
    reach = round(ZONE_MM / STEP_MM)
    for top in tops:
        near = [other for other in tops if other is not top and other.apart_mm(top) < BESIDE * side_mm]
        if top.value is None or top.score < max([LEAST_FIT, *(other.score for other in near)]):
            continue
        c, r = np.rint(image.to_grid(image.seen_at(np.array([top.x_mm, top.y_mm]), top.base_mm))).astype(int).tolist()
        dark = black[max(r - reach, 0) : r + reach + 1, max(c - reach, 0) : c + reach + 1]
        if near or cv2.countNonZero(dark) * STEP_MM**2 > LEAST_BLACK_MM2:
            yield top


def _may_lean(top: Top, raised: Sequence[Platform]) -> bool:
    """Whether a disk's rim is so near that a die may lean on it."""
    at = (top.x_mm, top.y_mm)
    return any(abs(cv2.pointPolygonTest(piece.outline_mm, at, True)) < LEANS_MM for piece in raised if not piece.is_die)


class _Around:
    """What shows round a top that may stand a side higher, in a cut-out at its supposed height."""

    def __init__(self, image: PreparedImage, solid: Solid, top: Top) -> None:
        self.image, self.solid, self.top = image, solid, top
        self.side_mm = 2 * solid.half_height_mm
        self.height_mm = top.base_mm + self.side_mm
        self.middle_mm = np.array([top.x_mm, top.y_mm])
        light = cutout_light(image, self.middle_mm, 0.0, EXTENT_MM, self.height_mm)
        share = light.astype(np.float32) * (1 / 65535 / image.paper).astype(np.float32)
        b, g, r = cv2.split(share)
        self.high = cv2.max(cv2.max(b, g), r)
        self.low = cv2.min(cv2.min(b, g), r)
        self.corners_mm = self.side_mm / 2 * np.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)])

    @property
    def upper_mm(self) -> Floats:
        """Where the top is if it stands a side higher, (x, y)."""
        return self.image.at_height(self.top.seen_mm(self.image, self.side_mm), self.height_mm + self.side_mm)

    def cells(self, points_mm: Floats) -> Floats:
        """Places (column, row) of table points (N, 3) in the cut-out."""
        camera = self.image.pose.centre_mm
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
    """The cells of a cut-out that no known die hides (`visible`), those below the top that are `black` or a `speck`,
    and how much each cell speaks for a lower die (`weight`)."""

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
    beside_pip = cv2.dilate((spots > SPECK).astype(np.uint8), round_kernel(3)) > 0  # a pip's edge is of any shade
    is_open = dim | beside_pip | (np.abs(root - level) < LEVEL)
    weight = np.where(black | speck, 2.0, np.where(is_open, 0.0, -1.0)).astype(np.float32)
    weight[taken > 0] = 0.0
    return _Seen(taken == 0, black & free, speck, weight)


def _spot() -> Mask:
    """A disk that is larger than a pip."""
    return round_kernel(round(SPOT_MM / CELL_MM) | 1)


def _tower(image: PreparedImage, solid: Solid, tops: list[Top], top: Top, raised: Sequence[Platform]) -> Tower:
    """The likeliest die under a top that stands a side higher, and whether there is one."""
    around = _Around(image, solid, top)
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
    evidence = seen.black | seen.speck
    left = evidence & (cv2.dilate(shown.astype(np.uint8), round_kernel(3)) == 0)
    other = float((seen.weight[shown] < 0).sum())
    is_one = (
        score > LEAST_SCORE
        and left.sum() < MOST_LEFT * evidence.sum()
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
    """The place where a die at the top's supposed height explains most, and how much, mm2: within some mm of a point,
    in no other die, and where `is_open` (given its offset from that point, mm, and its angle)."""
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
