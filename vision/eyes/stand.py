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
from vision.eyes.patches import patch_cost, patch_of
from vision.eyes.sight import Floats, Sight

BESIDE_MM = 4.5
"""A die further from a rim than this stands beside it."""
AGREES_MM = 0.09
"""A footprint contradicts its way of standing with this standard error."""
LEAST_LEAN_MM = 0.2
"""A die that leans on a rim overlaps it by at least this: the rims are round."""
EDGES = 2.4
"""Edges err together: the square of their residual counts so often."""
LIFT_MM = 0.2
"""The tilt used and the tilt that the place found asks for agree to within this lift of one side."""
STEEP = 0.34
"""A die leaning on a rim of a few mm leans by less than this slope."""
LEAN_STEPS, LEAN_SETTLED_MM = 4, 0.12
"""So often a lean and the place that it is seen at are found from each other, unless they agree to this earlier."""
BORNE_MM, NEARLY_BORNE_MM = 5.0, 3.0
"""A die whose middle is seen so far inside a rim lies on the territory; so far outside it, it may yet."""
MEETS_MM = 0.4
"""A die that is to lean on a rim starts at least this far over it."""
ALIKE_SLOPE = 0.004
"""Ways that begin with slopes this near to each other end as one."""
SAME_SLOPE = 0.012
"""Ways whose slopes differ by less are one."""
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
        fit = cubes.fit_cube(sight, solid, support.laid(flat.place, solid, lying), rounds=2)
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
    if margin < 2 * solid.half_height_mm:
        start = Place(flat.place.middle_mm + np.append(toward * max(1.0 - margin, 0.0), 0.0), flat.place.axes)
        for way in _leaning(sight, solid, start, disk_middle, disk_radius, supports):
            if all(_apart(way.under, w.under) > SAME_SLOPE for w in ways):
                ways.append(way)
    patch = patch_of(sight, solid, [way.fit.place for way in ways])
    ways = [replace(way, cost=way.cost + patch_cost(sight, solid, way.fit.place, patch)) for way in ways]
    least = min(way.cost for way in ways)
    weights = np.array([np.exp(least - way.cost) for way in ways])
    weights /= weights.sum()
    order = np.argsort(-weights)
    return [(ways[i], float(weights[i])) for i in order if weights[i] > WORTH]


@dataclass(frozen=True, eq=False)
class _Lean:
    """A way of leaning on the way to be found: which, where, the underside used last and the fit with it."""

    lean: int
    place: Place
    used: support.Under
    fit: rims.Fit | None = None
    is_settled: bool = False


def _leaning(
    sight: Sight, solid: Solid, place: Place, disk_middle: Floats, disk_radius: float, supports: list[support.Support]
) -> list[Way]:
    """The die leaning in six ways: as low as it can, on one of its four lower edges, or straight at the disk."""
    leans = [_Lean(lean, place, support.FLAT) for lean in range(6)]
    for step in range(LEAN_STEPS):
        laid: list[_Lean] = []
        for now in leans:
            under = support.FLAT if now.is_settled else _under(solid, now.place, now.lean, disk_middle, supports)
            if under is None:
                continue
            if now.is_settled or (step >= 2 and 2 * solid.half_height_mm * _apart(under, now.used) < LEAN_SETTLED_MM):
                laid.append(replace(now, is_settled=True))
                continue
            if step == 0 and any(_apart(under, other.used) < ALIKE_SLOPE for other in laid):
                continue
            # a die that leans more is seen further in, one further in leans more: half steps settle between
            used = under if step < 2 else _between(now.used, under)
            laid.append(replace(now, used=used))
        moving = [i for i, now in enumerate(laid) if not now.is_settled]
        fits = cubes.fit_cubes(
            sight, solid, [support.laid(laid[i].place, solid, laid[i].used) for i in moving], rounds=1
        )
        for i, fit in zip(moving, fits, strict=True):
            at = _drawn_in(solid, fit.place, disk_middle, disk_radius) if step == 0 else fit.place
            laid[i] = replace(laid[i], fit=fit, place=at)
        leans = laid
    return [_weighed(solid, now, now.fit, disk_middle, disk_radius, supports) for now in leans if now.fit is not None]


def _drawn_in(solid: Solid, place: Place, disk_middle: Floats, disk_radius: float) -> Place:
    """A die moved toward the disk until it surely meets its rim."""
    margin = depth_in_disk(solid, place, disk_middle, disk_radius)
    if margin >= MEETS_MM:
        return place
    toward = disk_middle - place.middle_mm[:2]
    toward = toward / max(float(np.hypot(*toward)), 1e-9)
    return Place(place.middle_mm + np.append(toward * (MEETS_MM - margin), 0.0), place.axes)


def _weighed(
    solid: Solid, lean: _Lean, fit: rims.Fit, disk_middle: Floats, disk_radius: float, supports: list[support.Support]
) -> Way:
    margin = depth_in_disk(solid, fit.place, disk_middle, disk_radius)
    now = _under(solid, fit.place, lean.lean, disk_middle, supports) or support.FLAT
    lifted = 2 * solid.half_height_mm * _apart(now, lean.used)
    cost = cost_of(fit) + _against(margin, True) + 0.5 * (lifted / LIFT_MM) ** 2
    return Way(fit, lean.used, cost, True)


def _apart(a: support.Under, b: support.Under) -> float:
    """How far two undersides' slopes are apart."""
    return float(np.hypot(a.slope_x - b.slope_x, a.slope_y - b.slope_y))


def _between(a: support.Under, b: support.Under) -> support.Under:
    return support.Under((a.height_mm + b.height_mm) / 2, (a.slope_x + b.slope_x) / 2, (a.slope_y + b.slope_y) / 2)


def _under(
    solid: Solid, place: Place, lean: int, disk_middle: Floats, supports: list[support.Support]
) -> support.Under | None:
    """The underside in one of six ways of leaning, if the die can lean so here."""
    if lean == 0:
        under = support.rest(solid, place, supports)
        return None if under.is_flat else under
    toward = disk_middle - place.middle_mm[:2]
    angle = np.radians(place.angle_deg) + (lean - 1) * np.pi / 2
    if lean < 5:
        toward = np.array([np.cos(angle), np.sin(angle)])
    under = support.leaning(solid, place, toward / max(float(np.hypot(*toward)), 1e-9), supports)
    return under if under is not None and np.hypot(under.slope_x, under.slope_y) < STEEP else None


def cost_of(fit: rims.Fit) -> float:
    """What a fit leaves unexplained."""
    return EDGES * fit.residual_px**2


def _against(margin: float, is_on: bool) -> float:
    wrong = max(LEAST_LEAN_MM - margin, 0.0) if is_on else max(margin, 0.0)
    return 0.5 * (wrong / AGREES_MM) ** 2
