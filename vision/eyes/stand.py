"""How a die stands: flat, on a territory, or leaning on a rim. Every way is fitted; the edges choose.

A die near a rim leans by five degrees when it lies on it and not at all when it stands beside it, and either way its
edges are then elsewhere. Each way is fitted and weighed by how well its edges fit and whether its footprint agrees
with it (one that leans on a territory overlaps it, one that stands flat beside it does not).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vision.eyes import cubes, rims, support
from vision.eyes.bodies import Place, Solid, depth_in_disk
from vision.eyes.leans import Rest, find_leans
from vision.eyes.patches import patch_cost, patch_of
from vision.eyes.sight import Floats, Sight

BESIDE_MM = 4.5
"""A die further from a rim than this stands beside it."""
AGREES_MM = 0.13
"""A footprint contradicts its way of standing with this standard error."""
LEAST_LEAN_MM = 0.4
"""A die that leans on a rim overlaps it by at least this: the rims are round."""
EDGES = 4.0
"""Edges err together: the square of their residual counts so often."""
BORNE_MM, NEARLY_BORNE_MM = 5.0, 3.0
"""A die whose middle is seen so far inside a rim lies on the territory; so far outside it, it may yet."""
LEANS = 1.0
"""There are several ways to lean, and only one to stand flat beside: each is less likely by this logarithm."""
SAME_SLOPE = 0.012
"""Ways whose slopes differ by less are one."""
HOPELESS = 14.0
"""Ways whose edges and footprint speak against them by so much more are not looked at by their faces."""
CLEAR_MM, CLEAR_PX = 2.0, 0.75
"""A die that stands flat, by edges that fit so well, so far from a rim does not lean on it: of 1673 labelled dice
none that leaned was seen further away and better."""
SAME_HEIGHT_MM = 0.05
"""A die that was fitted so near to this height need not be fitted again."""
WORTH = 0.015
"""Ways less likely than this are dropped."""


@dataclass(frozen=True, eq=False)
class Way:
    """One way to stand: the fit, the underside, its cost as the logarithm of a likelihood, and whether it lies on the
    territory."""

    fit: rims.Fit
    under: support.Under
    cost: float
    is_on: bool


def ways_to_stand(
    sight: Sight, solid: Solid, flat: rims.Fit, disk_middle: Floats, disk_radius: float, supports: list[support.Support]
) -> list[tuple[Way, float]]:
    """All ways near one territory with their likelihoods, the likeliest first."""
    height = max(s.height_mm for s in supports)
    outside = float(np.hypot(*(flat.place.middle_mm[:2] - disk_middle))) - disk_radius
    lying = support.Under(height, 0.0, 0.0)
    if outside < -BORNE_MM:  # its weight is borne: it can neither lean nor stand on the table
        place = support.laid(flat.place, solid, lying)
        is_there = abs(float((place.middle_mm - flat.place.middle_mm)[2])) < SAME_HEIGHT_MM
        fit = flat if is_there else cubes.fit_cube(sight, solid, place, rounds=2)
        return [(Way(fit, lying, cost_of(fit), True), 1.0)]
    margin = depth_in_disk(solid, flat.place, disk_middle, disk_radius)
    ways = [Way(flat, support.FLAT, cost_of(flat) + _against(margin, False), False)]
    toward = disk_middle - flat.place.middle_mm[:2]
    toward = toward / max(float(np.hypot(*toward)), 1e-9)
    if outside < NEARLY_BORNE_MM or len(supports) > 1:
        fit = cubes.fit_cube(sight, solid, support.laid(flat.place, solid, lying), rounds=2)
        centre = float(np.hypot(*(fit.place.middle_mm[:2] - disk_middle))) - disk_radius
        # two territories carry between them what neither could alone
        against = _against(-centre, True) if len(supports) == 1 else 0.0
        ways.append(Way(fit, lying, cost_of(fit) + against, True))
    is_clear = margin < -CLEAR_MM and flat.residual_px < CLEAR_PX
    if margin < 2 * solid.half_height_mm and not is_clear:
        start = Place(flat.place.middle_mm + np.append(toward * max(1.0 - margin, 0.0), 0.0), flat.place.axes)
        for fit, under in find_leans(sight, solid, start, Rest(disk_middle, disk_radius, supports)):
            if all(under.turned_from(way.under) > SAME_SLOPE for way in ways):
                against = _against(depth_in_disk(solid, fit.place, disk_middle, disk_radius), True)
                ways.append(Way(fit, under, cost_of(fit) + against + LEANS, True))
    best = min(way.cost for way in ways)
    ways = [way for way in ways if way.cost < best + HOPELESS]
    if len(ways) > 1:
        patch = patch_of(sight, solid, [way.fit.place for way in ways])
        ways = [replace(way, cost=way.cost + patch_cost(sight, solid, way.fit.place, patch)) for way in ways]
    least = min(way.cost for way in ways)
    weights = np.array([np.exp(least - way.cost) for way in ways])
    weights /= weights.sum()
    order = np.argsort(-weights)
    return [(ways[i], float(weights[i])) for i in order if weights[i] > WORTH]


def cost_of(fit: rims.Fit) -> float:
    """What a fit leaves unexplained."""
    return EDGES * fit.residual_px**2


def _against(margin: float, is_on: bool) -> float:
    wrong = max(LEAST_LEAN_MM - margin, 0.0) if is_on else max(margin, 0.0)
    return 0.5 * (wrong / AGREES_MM) ** 2
