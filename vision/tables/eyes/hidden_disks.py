"""Finds samurai under others that circle votes miss: shaded crescents on their own colour, and slivers.

No hue separates a samurai's rim from ground of its own colour. Only light does: it drops across the rim into the
samurai's own shadow.

A sliver shows too little rim for a fit. But a coloured part next to a samurai that no piece explains is another
samurai. It lifts the samurai on it, which then appear aside in the picture. So it is reported, unsure, at the place
that its colour suggests.

Samurai that lean steeply on a die: one edge on the ground, the underside on an edge or corner of the die's top.

A die that a flat disk seems to overlap is under something. Disks that touch both the ground and the die are tried in
steps of direction, slope and sideways place. The disk with the most visible outline is kept, and then fitted to its
outline in the picture and to the two contacts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Mask
from companion.game.readings import Kind
from vision.measure import bodies, cube_fit, disk_fit
from vision.measure.bodies import ALL_ROUND, Fit, Place, Solid, motion_of, robust_steps, silhouette
from vision.measure.colors import Colors, components_of
from vision.measure.limits import LIMITS as SHARED
from vision.measure.prepared import STEP_MM, PreparedImage
from vision.measure.rims import hue_of, measure_rim
from vision.tables.eyes import support
from vision.tables.eyes.die_poses import stand_die
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, Shapes, draw_over, found_samurai, stands_in


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
            for beyond in np.arange(LIMITS.same_mm, shapes.samurai.radius_mm, LIMITS.same_mm)
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
    return any(far < 2 * upper.solid.radius_mm - LIMITS.same_mm for far, upper in apart) and not any(
        far < LIMITS.reach_mm and upper.color == color for far, upper in apart
    )


def _fitted(image: PreparedImage, shapes: Shapes, starts: list[bodies.Place], color: str) -> list[bodies.Fit]:
    """The disks fitted from these starts that show enough of their rim."""
    if not starts:
        return []
    every = [True] * len(starts)
    fits = disk_fit.fit_disks(
        image, shapes.samurai, starts, [color] * len(starts), are_crescents=every, are_shaded=every
    )
    return [fit for fit in fits if fit.coverage >= LIMITS.few]


def _shaded(shapes: Shapes, color: str, fit: bodies.Fit) -> Detection:
    error_mm, confidence = LIMITS.covered_error_mm, LIMITS.in_doubt
    return found_samurai(shapes, color, fit, confidence, error_mm, is_crescent=True, is_shaded=True)


def _level_at(xy_mm: Floats, shapes: Shapes) -> bodies.Place:
    """A samurai flat on the table with its middle there."""
    x, y = xy_mm.tolist()
    return bodies.upright(x, y, shapes.samurai.half_height_mm)


def _toward(upper: Detection, xy_mm: Floats) -> Floats | None:
    """The direction from a disk's middle to a place inside or near its rim; None: the place is further away."""
    way = xy_mm - upper.place.middle_mm[:2]
    apart = float(np.hypot(*way))
    return np.asarray(way / apart) if 0 < apart < upper.solid.radius_mm + LIMITS.reach_mm else None


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
    if any(other.color == color and bodies.apart_mm(fit.place, other.place) < LIMITS.same_mm for other in known):
        return False
    core, covered = np.zeros_like(colors.red), np.zeros_like(colors.red)
    for other in known:
        draw_over(image, covered, other)
    disk = _shaded(shapes, color, fit)
    draw_over(image, core, disk, -LIMITS.same_mm)
    ring = cv2.morphologyEx(core, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0
    hidden = float((covered[ring] > 0).mean())
    if fit.coverage < LIMITS.usual * (1 - hidden):
        return False
    bare = (core > 0) & (covered == 0)
    dark_or_mine = colors.of(color)[bare] | colors.black[bare]
    if not bare.any() or (dark_or_mine == 0).mean() > 1 - LIMITS.nearly_all:
        return False
    if part is None:
        return True
    mine = np.zeros_like(part)
    draw_over(image, mine, disk)
    return bool((mine[part > 0] > 0).mean() >= LIMITS.most)


def find_slivers(image: PreparedImage, colors: Colors, shapes: Shapes, pieces: Sequence[Detection]) -> list[Detection]:
    """Samurai next to and under these pieces, from colour that no piece explains."""
    samurai = [piece for piece in pieces if piece.kind is Kind.SAMURAI]
    if not samurai:
        return []
    beside, covered = np.zeros_like(colors.red), np.zeros_like(colors.red)
    for piece in samurai:
        draw_over(image, beside, piece, LIMITS.reach_mm)
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
            is_new = all(bodies.apart_mm(piece.place, placed.place) > LIMITS.same_mm for piece in alike)
            if placed.spread_mm < LIMITS.same_mm and is_new:
                found.append(placed)
                draw_over(image, left, placed, value=0)
    return found


def _largest(left: Mask) -> Mask | None:
    """The largest part of a mask that is a sliver; None: no part is large enough."""
    count, labels, stats = components_of(left)
    if count == 1:
        return None
    largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    if stats[largest, cv2.CC_STAT_AREA] * STEP_MM**2 < LIMITS.small_mm2:
        return None
    return np.asarray(labels == largest, np.uint8)


def _placed(image: PreparedImage, shapes: Shapes, part: Mask, foreign: NDArray[np.bool_], color: str) -> Detection:
    """A samurai that shows this part and hides no foreign colour, with the error of its uncertain place."""
    radius = shapes.samurai.radius_mm / STEP_MM
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
    good = np.argwhere(score >= score.max() - (1 - LIMITS.nearly_all) * part.sum() - 0.5)[:, ::-1] + (left, top)
    xy = np.array([image.at_height(image.to_table(at), 2 * shapes.samurai.half_height_mm) for at in good.astype(float)])
    spread = float(np.hypot(LIMITS.faint_error_mm, np.sqrt(xy.var(axis=0).sum() / 2)))
    fit = bodies.Fit(_level_at(xy.mean(axis=0), shapes), np.zeros((6, 6)), 0.0, 0.0, SHARED.unfitted_px)
    return found_samurai(shapes, color, fit, LIMITS.in_doubt, spread, is_crescent=True)


Ground = Callable[[Floats], Floats]
"""The height of the ground at places (..., 2): the table's or a territory's top."""


@dataclass(frozen=True, eq=False)
class DieUnderDisks:
    """A die that disks may lean on: its solid and place, the disks' solid, the ground, and the standard
    error of the die's own place (`sigma_mm`)."""

    image: PreparedImage
    die: Solid
    place: Place
    disk: Solid
    ground: Ground
    sigma_mm: float

    @property
    def corners_mm(self) -> Floats:
        """The die's corners (8, 3)."""
        return self.place.points(np.sign(self.die.core_mm) * self.die.half_height_mm)


def _best(prop: DieUnderDisks, color: str) -> Fit | None:
    """The best samurai of that colour that leans on the die; None: no samurai fits."""
    middles_mm, axes = _tried(prop)
    scores = _scores(prop, middles_mm, axes, color)
    if not (scores >= LIMITS.half).any():
        return None
    best = int(scores.argmax())
    fit = fitted(prop, Place(middles_mm[best], axes[best]), color)
    is_steep = LIMITS.min_lean_cosine < fit.place.axes[2, 2] < LIMITS.max_lean_cosine
    return fit if is_steep and fit.coverage >= LIMITS.half else None


def _tried(prop: DieUnderDisks) -> tuple[Floats, Floats]:
    """Disks that touch the ground and the die, and rise towards the die: their middles (N, 3) and axes (N, 3, 3)."""
    radius, half, corners, middle = prop.disk.radius_mm, prop.disk.half_height_mm, prop.corners_mm, prop.place.middle_mm
    steepest, flattest = np.arccos([LIMITS.min_lean_cosine, LIMITS.max_lean_cosine])
    slope = np.arange(flattest, steepest, math.radians(SHARED.coarse_turn_deg))[None, :]
    c, s, rise, run = ALL_ROUND[:, :1], ALL_ROUND[:, 1:], np.sin(slope), np.cos(slope)
    flat = np.zeros_like(c * slope)
    up = np.stack([c * run, s * run, rise + flat], axis=-1)
    aside = np.stack([-s + flat, c + flat, flat], axis=-1)
    normal = np.stack([-c * rise, -s * rise, run + flat], axis=-1)
    reach = normal @ corners.T
    highest = reach.max(axis=2)
    is_held = reach > highest[..., None] - 1.0
    along = np.stack([c + flat, s + flat], axis=-1)
    first = corners[np.argmax(is_held, axis=2), :2]
    height = prop.ground(first - along * radius) + radius * rise + half * run
    back = (height * run - highest - half) / rise
    sideways = (aside[..., :2] @ middle[:2])[..., None] + np.arange(-radius, radius, LIMITS.same_mm)
    xy = along[:, :, None] * back[..., None, None] + aside[:, :, None, :2] * sideways[..., None]
    at = np.concatenate([xy, np.broadcast_to(height[..., None, None], (*xy.shape[:3], 1))], axis=3)
    away = np.linalg.norm(at[..., None, :] - corners, axis=4)
    touches = np.where(is_held[:, :, None], away, np.inf).min(axis=3) < radius + half
    axes = np.stack([up, aside, normal], axis=3)
    every = np.broadcast_to(axes[:, :, None], (*touches.shape, *axes.shape[2:]))
    return at[touches], every[touches]


def _scores(prop: DieUnderDisks, middles_mm: Floats, axes: Floats, color: str) -> Floats:
    """Score (N,) of each disk: the share of its outline with its colour inside and a step of light across."""
    count = len(middles_mm)
    image, radius, half = prop.image, prop.disk.radius_mm, prop.disk.half_height_mm
    parts = [
        (radius - LIMITS.rim_mm, half),
        (radius + LIMITS.rim_mm, half),
        (radius + LIMITS.rim_mm, -half),
        (0.0, half),
    ]
    body = np.vstack([np.column_stack([ALL_ROUND * far, np.full(len(ALL_ROUND), z)]) for far, z in parts])
    points = (body @ axes.transpose(0, 2, 1) + middles_mm[:, None]).reshape(-1, 3)
    pixels = image.view.to_pixels(points).reshape(count, len(parts), len(ALL_ROUND), 2)
    inside, high, low, middle = (pixels[:, k] for k in range(4))
    is_low = np.hypot(*np.moveaxis(low - middle, 2, 0)) > np.hypot(*np.moveaxis(high - middle, 2, 0))
    outside = np.where(is_low[..., None], low, high)
    mine, other = (image.nearest_px(p.reshape(-1, 2)) for p in (inside, outside))
    redness, blueness = hue_of(mine, image.paper)
    own = (redness > SHARED.bare_redness) if color == "red" else (blueness > SHARED.bare_blueness)
    step = np.abs(np.sqrt(mine) - np.sqrt(other)).max(axis=1)
    seen = np.where(own, np.clip(step / LIMITS.clear_step, 0, 1), 0.0).reshape(count, len(ALL_ROUND))
    level = np.sqrt(mine).reshape(count, len(ALL_ROUND), 3)
    uneven = np.median(np.abs(level - np.median(level, axis=1, keepdims=True)), axis=1).max(axis=1)
    return np.asarray(seen.mean(axis=1) - 2.0 * uneven - (1 - own.reshape(count, len(ALL_ROUND)).mean(axis=1)))


def _gap_mm(disk: Solid, place: Place, corners: Floats) -> float:
    """The gap between a disk's underside and a die's corners."""
    normal = place.axes[:, 2]
    return float(place.middle_mm @ normal) - disk.half_height_mm - float((corners @ normal).max())


def fitted(prop: DieUnderDisks, place: Place, color: str) -> Fit:
    """The disk near this place that agrees with the outline in the picture and with both contacts."""
    image, disk, radius, corners = prop.image, prop.disk, prop.disk.radius_mm, prop.corners_mm
    half = disk.half_height_mm

    def contacts(at: Place) -> Floats:
        normal = at.axes[:, 2]
        flat = float(np.hypot(normal[0], normal[1]))
        lowest = at.middle_mm[2] - radius * flat - half * float(normal[2])
        toward = -normal[:2] / max(flat, LIMITS.tiny)  # direction in which the disk rises
        over = prop.ground(at.middle_mm[:2] - toward * radius * float(normal[2]))
        return np.array([(lowest - float(over)) / LIMITS.die_sigma_mm, _gap_mm(prop.disk, at, corners) / prop.sigma_mm])

    covariance = np.zeros((6, 6))
    covered, residual, clear = 0.0, SHARED.unfitted_px, 0.0
    most = SHARED.max_step / np.array([1, 1, 1, radius, radius])
    for _round in range(2 * SHARED.fit_rounds):
        outline = silhouette(image.view, disk, place, SHARED.rim_spacing_px)
        rim = measure_rim(image, disk, place, outline, color, is_steep=True)
        if rim.seen.sum() < SHARED.min_rim_samples:
            break
        now, tries = contacts(place), SHARED.motion_step * np.eye(6)[:5]
        bent = np.column_stack([(contacts(place.moved(step)) - now) / SHARED.motion_step for step in tries])
        count, both = len(rim.seen), np.ones(len(now))
        certain = rim.seen / rim.sigma_px**2 / SHARED.correlated_samples
        step, normal, left, weight = robust_steps(
            np.vstack([motion_of(image.view, place, outline)[:, :5], bent]),
            np.concatenate([rim.offset_px, -now]),
            np.concatenate([certain, both]),
            np.concatenate([certain / (1 + (rim.offset_px / (2 * SHARED.trust_px)) ** 2), both]),
            np.concatenate([2 * rim.sigma_px, np.inf * both]),
            np.zeros(count + len(now), np.int64),
            np.eye(5) / SHARED.max_step**2,
        )
        place = place.moved(np.append(np.clip(step[0], -most, most), 0.0))
        left, weight = left[:count], weight[:count]
        good: NDArray[np.bool_] = rim.seen & (np.abs(left) < SHARED.fitting_sigmas * rim.sigma_px)
        covered, clear = float(good.mean()), float((good & rim.clear).mean())
        residual = float(np.sqrt((weight * left**2).sum() / max(weight.sum(), LIMITS.tiny)))
        misfit = SHARED.correlated_samples * float((weight * left**2).mean())
        covariance[:5, :5] = np.linalg.inv(normal[0]) * max(1.0, misfit)
    return Fit(place, covariance, covered, clear, residual)


def find_leaning_disks(
    image: PreparedImage, shapes: Shapes, dice: list[Detection], samurai: list[Detection], territories: list[Detection]
) -> tuple[list[Detection], list[Detection]]:
    """The dice, and the samurai that lean steeply on them; a die under samurai is fitted again to its visible edges."""

    def ground(xy_mm: Floats) -> Floats:
        height = np.zeros(xy_mm.shape[:-1])
        for t in territories:
            is_on = np.linalg.norm(xy_mm - t.place.middle_mm[:2], axis=-1) < shapes.territory.radius_mm
            height = np.where(is_on, np.maximum(height, 2 * t.solid.half_height_mm), height)
        return height

    disk = shapes.samurai
    stood, steep = list(dice), []
    for k, die in enumerate(dice):
        suspects = sorted({disk.color or "red" for disk in samurai if stands_in(disk, die)})
        prop = DieUnderDisks(image, die.solid, die.place, disk, ground, LIMITS.loose_die_sigma_mm)
        fits = [(color, fit) for color in suspects if (fit := _best(prop, color)) is not None]
        if not fits:
            continue
        covers = tuple(silhouette(image.view, disk, fit.place).pixels for _, fit in fits)
        x, y, _ = die.place.middle_mm.tolist()
        level = bodies.upright(x, y, die.solid.half_height_mm, die.place.angle_deg)
        bared = replace(image, covers=covers)
        bare = replace(die, fit=cube_fit.fit_cube(bared, die.solid, level), under=support.FLAT)
        die = stand_die(bared, bare, territories)
        stood[k] = replace(die, spread_mm=float(np.hypot(die.spread_mm, LIMITS.contact_mm)))
        prop = replace(prop, place=die.place, sigma_mm=LIMITS.die_sigma_mm)
        for color, fit in fits:
            fit = fitted(prop, fit.place, color)
            found = found_samurai(shapes, color, fit, LIMITS.most, LIMITS.contact_mm)
            steep.append(replace(found, is_leaning=True))
    return stood, steep


def is_part_of_leaning(disk: Detection, steep: list[Detection], dice: list[Detection]) -> bool:
    """Whether a flat samurai is a detection of a part of a leaning samurai: a flat disk cannot overlap a die."""
    return any(stands_in(disk, die) for die in dice) and any(
        disk.color == other.color
        and float(np.hypot(*(disk.place.middle_mm - other.place.middle_mm)[:2])) < disk.solid.radius_mm
        for other in steep
    )


def doubt_overlapping(dice: list[Detection], samurai: list[Detection]) -> tuple[list[Detection], list[Detection]]:
    """Dice and samurai; if footprints overlap, the pieces lean on each other in an unmeasured way and get a larger
    error."""
    for d, die in enumerate(dice):
        for s, disk in enumerate(samurai):
            if stands_in(disk, die):
                dice[d] = replace(dice[d], spread_mm=max(die.spread_mm, LIMITS.same_mm), confidence=LIMITS.in_doubt)
                samurai[s] = replace(disk, spread_mm=max(disk.spread_mm, LIMITS.same_mm), confidence=LIMITS.in_doubt)
    return dice, samurai
