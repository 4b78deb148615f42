"""The ways in which a die may stand near a rim: beside it, on the territory, or leaning. All are fitted and weighed.

Near a rim a die that lies on it leans by five degrees, one beside it not at all, and their edges lie in different
places. No way is taken for granted: each keeps a share by how well its edges are met, by the light of the faces that it
would show, and by whether its footprint agrees with it: one that leans on a territory overlaps it, one that stands
beside it does not. The weights are those of a conditional logit over 100 dice near rims of ten cameras, each way
labelled by how the die truly stood, drawn in to be no surer than it was right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vision.eyes import support
from vision.eyes.leaning_die_fit import Rest, fit_leaning_die
from vision.measure import bodies, cube_fit
from vision.measure.bodies import Place, Solid, depth_in_disk
from vision.measure.face_likelihood import patch_around, patch_cost
from vision.measure.prepared import Floats, PreparedImage
from vision.measure.ridges import covered_parts, offsets_px, show_dice

BESIDE_MM = 4.5
"""A die further from a rim than this stands beside it."""
AGREES_MM, MOST_AGAINST = 0.157, 14.0
"""The standard error with which a footprint contradicts a way to stand, and the most that it counts."""
LEAST_LEAN_MM = 0.2
"""A die that leans on a rim overlaps it by at least this, because rims are round."""
OUTLINES, FEET, TOLD = 1.1, 1.3, 2.5
"""How much the logarithm of the likelihood of outlines counts, and that of edges on the table: these tell most. The
edges between two visible faces move with the light as much as with the way to stand, and tell nothing. One that is off
by more than so many of its errors tells little more."""
ON_LAND_MM, NEARLY_ON_LAND_MM = 5.0, 3.0
"""A die with its middle so far inside a rim lies on the territory; with its middle so far outside it still may."""
LEANS = 2.0
"""There are several ways to lean and one to stand beside: each of the former is less likely by this logarithm."""
CALM_LEVELS, BY_NOISE = 4.5, 1.5
"""What a picture tells holds for this noise on its paper, and falls by this power of it."""
SAME_SLOPE = 0.012
"""Ways whose slopes differ by less are one."""
HOPELESS = 16.0
"""Ways whose edges and footprint cost so much more are not weighed by their faces."""
SAME_HEIGHT_MM = 0.05
"""A die fitted so near to this height is not fitted again."""
WORTH, LEAST_SHARE = 1e-4, 5e-4
"""Ways less likely than the first are dropped; what is kept has the second at least, for no picture rules out what is
possible."""


@dataclass(frozen=True, eq=False)
class Way:
    """One way to stand: the fit, the underside, its cost as the logarithm of a likelihood, and whether it lies on the
    territory."""

    fit: bodies.Fit
    under: support.Underside
    cost: float
    is_on: bool


def ways_to_stand(
    image: PreparedImage,
    solid: Solid,
    flat: bodies.Fit,
    disk_middle: Floats,
    disk_radius: float,
    supports: list[support.Support],
) -> list[tuple[Way, float]]:
    """All ways near one territory with their shares, the likeliest first."""
    height = max(s.height_mm for s in supports)
    outside = float(np.hypot(*(flat.place.middle_mm[:2] - disk_middle))) - disk_radius
    lying = support.Underside(height, 0.0, 0.0)
    if outside < -ON_LAND_MM:  # its weight is borne: it can neither lean nor stand on the table
        place = support.place_on(flat.place, solid, lying)
        is_there = abs(float((place.middle_mm - flat.place.middle_mm)[2])) < SAME_HEIGHT_MM
        fit = flat if is_there else cube_fit.fit_cube(image, solid, place, rounds=2)
        return [(Way(fit, lying, 0.0, True), 1.0)]
    margin = depth_in_disk(solid, flat.place, disk_middle, disk_radius)
    ways = [Way(flat, support.FLAT, _against(margin, False), False)]
    toward = disk_middle - flat.place.middle_mm[:2]
    toward = toward / max(float(np.hypot(*toward)), 1e-9)
    if outside < NEARLY_ON_LAND_MM or len(supports) > 1:
        fit = cube_fit.fit_cube(image, solid, support.place_on(flat.place, solid, lying), rounds=2)
        centre = float(np.hypot(*(fit.place.middle_mm[:2] - disk_middle))) - disk_radius
        # two territories carry between them what neither could alone
        against = _against(-centre, True) if len(supports) == 1 else 0.0
        ways.append(Way(fit, lying, against, True))
    start = Place(flat.place.middle_mm + np.append(toward * max(1.0 - margin, 0.0), 0.0), flat.place.axes)
    for fit, under in fit_leaning_die(image, solid, start, Rest(disk_middle, disk_radius, supports)):
        if all(under.turned_from(way.under) > SAME_SLOPE for way in ways):
            against = _against(depth_in_disk(solid, fit.place, disk_middle, disk_radius), True)
            ways.append(Way(fit, under, against + LEANS, True))
    return weighed(image, solid, ways)


def weighed(image: PreparedImage, solid: Solid, ways: list[Way]) -> list[tuple[Way, float]]:
    """The ways with their shares, the likeliest first: their costs so far, what the edges add and what the faces do."""
    worth = (CALM_LEVELS / image.noise_levels) ** BY_NOISE
    by_edges = worth * edge_costs(image, solid, [way.fit.place for way in ways])
    ways = [replace(way, cost=way.cost + cost) for way, cost in zip(ways, by_edges.tolist(), strict=True)]
    best = min(way.cost for way in ways)
    ways = [way for way in ways if way.cost < best + HOPELESS]
    if len(ways) > 1:
        patch = patch_around(image, solid, [way.fit.place for way in ways])
        ways = [replace(way, cost=way.cost + worth * patch_cost(image, solid, way.fit.place, patch)) for way in ways]
    least = min(way.cost for way in ways)
    weights = np.array([np.exp(least - way.cost) for way in ways])
    weights /= weights.sum()
    kept = [i for i in np.argsort(-weights).tolist() if weights[i] > WORTH]
    shares = np.maximum(weights[kept], LEAST_SHARE)
    return [(ways[i], float(share)) for i, share in zip(kept, shares / shares.sum(), strict=True)]


def edge_costs(image: PreparedImage, solid: Solid, places: list[Place]) -> Floats:
    """What the edges of dice at these places leave unexplained, as logarithms of likelihoods (N,)."""
    shown = show_dice(image, solid, places)
    edges, flanks = shown.edges, shown.flanks
    offsets, sigmas = offsets_px(shown, image.room_light)
    square = (offsets / sigmas) ** 2
    worth = np.where(edges.is_low, FEET, np.where(edges.is_outline, OUTLINES, 0.0))[flanks.part]
    told = 0.5 * worth * square / (1 + square / TOLD**2)
    is_seen = flanks.is_found & ~covered_parts(image, shown)
    costs = np.bincount(edges.of[flanks.part], np.where(is_seen, told, 0.0), len(places))
    return costs.astype(np.float64)


def _against(margin: float, is_on: bool) -> float:
    wrong = max(LEAST_LEAN_MM - margin, 0.0) if is_on else max(margin, 0.0)
    return min(0.5 * (wrong / AGREES_MM) ** 2, MOST_AGAINST)
