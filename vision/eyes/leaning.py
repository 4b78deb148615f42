"""Dice as they stand, and samurai that lean steeply on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.readings import Kind
from vision.eyes import bodies, cubes, propped, rims, stand, support
from vision.eyes.color import Colors
from vision.eyes.pieces import LEANS_MM, PROPPED_CONFIDENCE, PROPPED_MM, Found, Shapes, margin_mm, radius_mm, stands_in
from vision.eyes.sight import Floats, Sight

BARED_MM, HALF_HIDDEN_MM = 0.3, 0.8
"""A die under leaning samurai is known worse than its edges say, and one of which little is seen worse still."""
HALF_HIDDEN_PX = 1.5
"""A die under one leaning samurai is one whose edges that are seen fit at least so well."""
PROPPED_NEAR_MM = 16.0
"""What was taken for a lying samurai may be one that leans on a die as near as this."""


def find_propped(
    sight: Sight, shapes: Shapes, dice: list[Found], samurai: list[Found], territories: list[Found]
) -> tuple[list[Found], list[Found]]:
    """Samurai that lean steeply on dice, and the dice, those under them found anew by what is seen of them."""
    stood, steep = [], []
    for die in dice:
        suspects = {disk.color or "red" for disk in samurai if stands_in(disk, die)}
        bared, leaning = _bared(sight, shapes, die, suspects, territories)
        stood.append(bared)
        steep += leaning
    return stood, steep


def find_half_hidden(
    sight: Sight, colors: Colors, shapes: Shapes, dice: list[Found], territories: list[Found]
) -> tuple[list[Found], list[Found]]:
    """Dice of which samurai that lean on them hide so much that they were not found, and those samurai."""
    side = 2 * shapes.empire_die.half_height_mm
    stood, steep = [], []
    for squares in cubes.find_half_hidden(sight, colors, side, [die.place.middle_mm[:2] for die in dice]):
        tried = []
        for square in squares:
            place = bodies.upright(square.x_mm, square.y_mm, side / 2, square.angle_deg)
            die = Found(Kind.EMPIRE_DIE, None, shapes.empire_die, rims.Fit(place, np.eye(6), 0.0, 0.0, 1.0, 9.0))
            tried.append(_bared(sight, shapes, die, set(), territories))
        die, leaning = max(tried, key=lambda pair: sum(disk.fit.coverage for disk in pair[1]))
        if len(leaning) > 1 or (leaning and die.fit.residual_px < HALF_HIDDEN_PX):
            stood.append(die)
            steep += leaning
    return stood, steep


def _bared(
    sight: Sight, shapes: Shapes, die: Found, suspects: set[str], territories: list[Found]
) -> tuple[Found, list[Found]]:
    """A die and the samurai that lean on it, each found by what is seen of it; `suspects`: colours to look for."""

    def ground(xy_mm: Floats) -> Floats:
        height = np.zeros(xy_mm.shape[:-1])
        for t in territories:
            is_on = np.linalg.norm(xy_mm - t.place.middle_mm[:2], axis=-1) < shapes.territory_radius_mm
            height = np.where(is_on, np.maximum(height, 2 * t.solid.half_height_mm), height)
        return height

    disk = shapes.samurai
    prop = propped.Prop(sight, die.solid, die.place, disk, shapes.samurai_radius_mm, ground, propped.LOOSE_SIGMA_MM)
    fits = propped.lean_on(prop, suspects)
    if fits:
        spread = BARED_MM if die.fit.coverage > 0 else HALF_HIDDEN_MM
        bared = replace(sight, covers=tuple(bodies.silhouette(sight.view, disk, fit.place).pixels for _, fit in fits))
        level = bodies.upright(*die.place.middle_mm[:2], die.solid.half_height_mm, die.place.angle_deg)
        fit = cubes.fit_cube(bared, die.solid, level)
        die = stand_die(bared, replace(die, fit=fit, under=support.FLAT), territories)
        prop = replace(prop, place=die.place, sigma_mm=propped.DIE_SIGMA_MM)
        fit = propped.held(prop, die.fit, [fit.place for _, fit in fits])
        die = replace(die, fit=fit, spread_mm=float(np.hypot(die.spread_mm, spread)))
        prop = replace(prop, place=die.place)
        fits = [(color, propped.fitted(prop, fit.place, color)) for color, fit in fits]
    return die, [
        Found(Kind.SAMURAI, color, disk, fit, confidence=PROPPED_CONFIDENCE, spread_mm=PROPPED_MM, is_propped=True)
        for color, fit in fits
    ]


def is_taken(disk: Found, steep: list[Found], dice: list[Found]) -> bool:
    """Whether a samurai found lying is part of one that leans on a die: a disk that lies cannot stand in a die."""
    return any(stands_in(disk, die) for die in dice) and any(
        disk.color == other.color
        and float(np.hypot(*(disk.place.middle_mm - other.place.middle_mm)[:2])) < PROPPED_NEAR_MM
        for other in steep
    )


def said_to_lean(dice: list[Found], samurai: list[Found]) -> tuple[list[Found], list[Found]]:
    """Dice and samurai whose footprints overlap lean on one another, in a way that is not measured: said so."""
    for d, die in enumerate(dice):
        for s, disk in enumerate(samurai):
            if stands_in(disk, die):
                dice[d] = replace(dice[d], spread_mm=max(die.spread_mm, LEANS_MM), confidence=0.5)
                samurai[s] = replace(disk, spread_mm=max(disk.spread_mm, LEANS_MM), confidence=0.5)
    return dice, samurai


def borne_mm(xy_mm: Floats, territories: list[Found]) -> float:
    """How high a die with its middle there stands for sure, on a territory that bears it; 0 where it may not."""
    inside = [t for t in territories if radius_mm(t) - np.hypot(*(xy_mm - t.place.middle_mm[:2])) > stand.BORNE_MM]
    return max((2 * t.solid.half_height_mm for t in inside), default=0.0)


def stand_die(sight: Sight, die: Found, territories: list[Found]) -> Found:
    """A die as it stands beside or on the territory nearest to it."""
    near: tuple[float, Found] | None = None
    for territory in territories:
        margin = margin_mm(die, territory)
        if near is None or margin > near[0]:
            near = margin, territory
    if near is None or near[0] < -stand.BESIDE_MM:
        return die
    territory = near[1]
    middle, radius = territory.place.middle_mm[:2], radius_mm(territory)
    below = [support.support_of(t.solid, t.place) for t in territories if margin_mm(die, t) > -stand.BESIDE_MM]
    ways = stand.ways_to_stand(sight, die.solid, die.fit, middle, radius, below)
    best = ways[0][0]
    margins = [bodies.depth_in_disk(die.solid, way.fit.place, middle, radius) for way, _ in ways]
    weights = [weight for _, weight in ways]
    mean = float(np.average(margins, weights=weights))
    spread = float(np.sqrt(np.average(np.square(np.array(margins) - mean), weights=weights)))
    toward = middle - best.fit.place.middle_mm[:2]
    x, y = (toward / max(float(np.hypot(*toward)), 1e-9) * (mean - margins[0])).tolist()
    return replace(
        die, fit=best.fit, under=best.under, spread_mm=spread, likely_mm=(x, y), confidence=ways[0][1] / sum(weights)
    )
