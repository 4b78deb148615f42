"""Dice as they stand, and the samurai that lean steeply on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.readings import Kind
from vision.eyes import die_poses, leaning_disks, support
from vision.eyes.pieces import (
    LEANING_DISK_CONFIDENCE,
    LEANING_DISK_MM,
    LEANS_MM,
    Detection,
    Lying,
    Shapes,
    margin_mm,
    radius_mm,
    stands_in,
)
from vision.measure import bodies, cube_fit, views, white_squares
from vision.measure.colors import Colors
from vision.measure.prepared import Floats, PreparedImage

BARED_MM, HALF_HIDDEN_MM = 0.3, 0.8
"""What adds to the error of a die under leaning samurai, and of one that shows little."""
HALF_HIDDEN_PX = 1.5
"""A half hidden die under one leaning samurai must fit its visible edges so well."""
LEANING_NEAR_MM = 16.0
"""A samurai found lying may be one that leans on a die nearer than this."""


def find_leaning_disks(
    image: PreparedImage, shapes: Shapes, dice: list[Detection], samurai: list[Detection], territories: list[Detection]
) -> tuple[list[Detection], list[Detection]]:
    """The dice and the samurai that lean steeply on them; a die under one is fitted again by what shows of it."""
    stood, steep = [], []
    for die in dice:
        suspects = {disk.color or "red" for disk in samurai if stands_in(disk, die)}
        bared, leaning = _fit_with_leaning(image, shapes, die, suspects, territories)
        stood.append(bared)
        steep += leaning
    return stood, steep


def find_half_hidden(
    image: PreparedImage, colors: Colors, shapes: Shapes, dice: list[Detection], territories: list[Detection]
) -> tuple[list[Detection], list[Detection]]:
    """Dice that were missed because leaning samurai hide so much of them, and those samurai."""
    side = 2 * shapes.empire_die.half_height_mm
    stood, steep = [], []
    for squares in white_squares.find_half_hidden(image, colors, side, [die.place.middle_mm[:2] for die in dice]):
        tried = []
        for square in squares:
            place = bodies.upright(square.x_mm, square.y_mm, side / 2, square.angle_deg)
            die = Detection(Kind.EMPIRE_DIE, None, shapes.empire_die, bodies.Fit(place, np.eye(6), 0.0, 0.0, 1.0, 9.0))
            tried.append(_fit_with_leaning(image, shapes, die, set(), territories))
        die, leaning = max(tried, key=lambda pair: sum(disk.fit.coverage for disk in pair[1]))
        if len(leaning) > 1 or (leaning and die.fit.residual_px < HALF_HIDDEN_PX):
            stood.append(die)
            steep += leaning
    return stood, steep


def _fit_with_leaning(
    image: PreparedImage, shapes: Shapes, die: Detection, suspects: set[str], territories: list[Detection]
) -> tuple[Detection, list[Detection]]:
    """A die and the samurai that lean on it, each fitted by what shows of it; `suspects`: colours to try."""

    def ground(xy_mm: Floats) -> Floats:
        height = np.zeros(xy_mm.shape[:-1])
        for t in territories:
            is_on = np.linalg.norm(xy_mm - t.place.middle_mm[:2], axis=-1) < shapes.territory_radius_mm
            height = np.where(is_on, np.maximum(height, 2 * t.solid.half_height_mm), height)
        return height

    disk = shapes.samurai
    prop = leaning_disks.DieSeen(
        image, die.solid, die.place, disk, shapes.samurai_radius_mm, ground, leaning_disks.LOOSE_SIGMA_MM
    )
    fits = leaning_disks.fit_leaning_disks(prop, suspects)
    if fits:
        spread = BARED_MM if die.fit.coverage > 0 else HALF_HIDDEN_MM
        bared = replace(image, covers=tuple(views.silhouette(image.view, disk, fit.place).pixels for _, fit in fits))
        x, y, _ = die.place.middle_mm.tolist()
        level = bodies.upright(x, y, die.solid.half_height_mm, die.place.angle_deg)
        fit = cube_fit.fit_cube(bared, die.solid, level)
        die = stand_die(bared, replace(die, fit=fit, under=support.FLAT), territories)
        prop = replace(prop, place=die.place, sigma_mm=leaning_disks.DIE_SIGMA_MM)
        fit = leaning_disks.held(prop, die.fit, [fit.place for _, fit in fits])
        die = replace(die.held_at(fit), spread_mm=float(np.hypot(die.spread_mm, spread)))
        prop = replace(prop, place=die.place)
        fits = [(color, leaning_disks.fitted(prop, fit.place, color)) for color, fit in fits]
    return die, [
        Detection(
            Kind.SAMURAI,
            color,
            disk,
            fit,
            confidence=LEANING_DISK_CONFIDENCE,
            spread_mm=LEANING_DISK_MM,
            is_leaning=True,
        )
        for color, fit in fits
    ]


def is_part_of_leaning(disk: Detection, steep: list[Detection], dice: list[Detection]) -> bool:
    """Whether a samurai found lying is part of one that leans on a die: a lying disk cannot stand in a die."""
    return any(stands_in(disk, die) for die in dice) and any(
        disk.color == other.color
        and float(np.hypot(*(disk.place.middle_mm - other.place.middle_mm)[:2])) < LEANING_NEAR_MM
        for other in steep
    )


def doubt_overlapping(dice: list[Detection], samurai: list[Detection]) -> tuple[list[Detection], list[Detection]]:
    """Dice and samurai; those whose footprints overlap lean on one another in an unmeasured way, and their error says
    so."""
    for d, die in enumerate(dice):
        for s, disk in enumerate(samurai):
            if stands_in(disk, die):
                dice[d] = replace(dice[d], spread_mm=max(die.spread_mm, LEANS_MM), confidence=0.5)
                samurai[s] = replace(disk, spread_mm=max(disk.spread_mm, LEANS_MM), confidence=0.5)
    return dice, samurai


def base_height_mm(xy_mm: Floats, territories: list[Detection]) -> float:
    """The height of the territory that surely bears a die with its middle there; 0 if none does."""
    inside = [
        t for t in territories if radius_mm(t) - np.hypot(*(xy_mm - t.place.middle_mm[:2])) > die_poses.ON_LAND_MM
    ]
    return max((2 * t.solid.half_height_mm for t in inside), default=0.0)


def stand_die(image: PreparedImage, die: Detection, territories: list[Detection]) -> Detection:
    """A die in the likeliest pose beside or on the nearest territory."""
    near: tuple[float, Detection] | None = None
    for territory in territories:
        margin = margin_mm(die, territory)
        if near is None or margin > near[0]:
            near = margin, territory
    if near is None or near[0] < -die_poses.BESIDE_MM:
        return die
    territory = near[1]
    middle, radius = territory.place.middle_mm[:2], radius_mm(territory)
    below = [support.support_of(t.solid, t.place) for t in territories if margin_mm(die, t) > -die_poses.BESIDE_MM]
    ways = die_poses.ways_to_stand(image, die.solid, die.fit, middle, radius, below)
    best = ways[0][0]
    depths = np.array([bodies.depth_in_disk(die.solid, way.fit.place, middle, radius) for way, _ in ways])
    shares = np.array([share for _, share in ways])
    return replace(
        die,
        fit=best.fit,
        under=best.under,
        ways=tuple(Lying(way.fit, way.under, share, way.is_on) for way, share in ways),
        land=territory.color,
        ways_mm=float(np.sqrt(shares @ np.square(depths - shares @ depths))),
        confidence=ways[0][1],
    )
