"""The possible poses of a die near a rim: next to it, on the territory, or leaning. All are fitted and compared.

Near a rim a die may lean by five degrees or stand level, and its edges are then in different places. Each pose gets a
share by the fit of its edges, by a network that compares it with the picture, and by its footprint. A die that leans on
a territory overlaps it, a die next to it does not.

For a leaning die, place and tilt are one unknown. Near a rounded rim half a millimetre decides whether it leans by five
degrees or by two, and a tilted die appears elsewhere. So each step of its fit moves it along the places where it can
lean, towards its edges (a Gauss-Newton step on that surface).
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from calibration.arrays import Floats
from companion.game.readings import CHANCE_WRONG, TOLD_ODDS
from vision.measure import cube_fit
from vision.measure.bodies import Fit, Place, Solid, motions_of, unit, upright
from vision.measure.cube_fit import Ridges, covered_parts, measure_ridges, offsets_px, show_dice
from vision.measure.limits import LIMITS as SHARED
from vision.measure.prepared import PreparedImage
from vision.tables.eyes import support
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, Lying, margin_at_mm, margin_mm, own_variance
from vision.tables.eyes.pose_net import log_likelihoods


@dataclass(frozen=True, eq=False)
class Rest:
    """Supports of a leaning die: the disk of the nearest territory, and all supports near it."""

    disk_middle: Floats
    disk_radius: float
    supports: list[support.Support]


@dataclass(frozen=True, eq=False)
class Lean:
    """One leaning pose: the number of its kind, (x, y, angle in radians), and the underside there. `best`: the best
    place found yet, with its fit and underside."""

    way: int
    at: Floats
    under: support.Underside
    best: Floats
    fit: Fit | None = None
    fit_under: support.Underside = support.FLAT
    is_settled: bool = False


def fit_leaning_die(
    image: PreparedImage, solid: Solid, start: Place, rest: Rest
) -> list[tuple[Fit, support.Underside]]:
    """The die in each of six kinds of leaning pose, if possible: resting as low as it can, on one of its four lower
    edges, or straight towards the disk."""
    leans: list[Lean] = []
    for way in range(2 + len(solid.core_mm) // 2):
        under = underside_of(solid, start, way, rest)
        if under is not None and all(under.turned_from(lean.under) >= LIMITS.slope for lean in leans):
            at = np.array([*start.middle_mm[:2], math.radians(start.angle_deg)])
            leans.append(Lean(way, at, under, at))
    for step in range(2 * SHARED.fit_rounds):
        moving = [lean for lean in leans if not lean.is_settled]
        if not moving:
            break
        found = measure_ridges(image, solid, [place_of(solid, lean.at, lean.under) for lean in moving])
        pairs = list(zip(moving, found, strict=True))
        seen = [(lean, mine) for lean, mine in pairs if len(mine) >= SHARED.min_ridges]
        # a die whose new place shows too few edges stays at its last place
        lost = [
            replace(lean, is_settled=True)
            for lean, mine in pairs
            if lean.fit is not None and len(mine) < SHARED.min_ridges
        ]
        stepped = _stepped(image, solid, seen, rest) if seen else []
        leans = [lean for lean in leans if lean.is_settled] + lost + stepped
        if step > 0:
            leans = _without_twins(leans)
    return [(lean.fit, lean.fit_under) for lean in sorted(leans, key=lambda lean: lean.way) if lean.fit is not None]


def _without_twins(leans: list[Lean]) -> list[Lean]:
    kept: list[Lean] = []
    for lean in leans:
        if all(
            lean.under.turned_from(o.under) > LIMITS.slope or np.abs(lean.at - o.at).max() > LIMITS.pose_mm
            for o in kept
        ):
            kept.append(lean)
    return kept


def place_of(solid: Solid, at: Floats, under: support.Underside) -> Place:
    """A die at (x, y, angle) on an underside."""
    return support.place_on(upright(float(at[0]), float(at[1]), 0.0, math.degrees(float(at[2]))), solid, under)


def underside_of(solid: Solid, place: Place, way: int, rest: Rest) -> support.Underside | None:
    """The underside of the die in one kind of pose: resting, leaning straight towards the disk, or on one of its four
    lower edges. None: the die cannot lean so here."""
    if way == 0:
        under = support.underside_at_rest(solid, place, rest.supports)
        return None if under.is_flat else under
    toward = rest.disk_middle - place.middle_mm[:2]
    angle = math.radians(place.angle_deg) + way * math.pi / 2
    if way > 1:
        along = np.array([math.cos(angle), math.sin(angle)])
        if along @ toward < 0 and len(rest.supports) == 1:
            return None  # it would lean away from all supports
        toward = along
    lean = support.leaning_underside(solid, place, unit(toward), rest.supports)
    return lean if lean is not None and math.hypot(lean.slope_x, lean.slope_y) < LIMITS.max_slope else None


def _toward(at: Floats, rest: Rest) -> Floats:
    return unit(rest.disk_middle - at[:2])


def _stepped(image: PreparedImage, solid: Solid, seen: list[tuple[Lean, Ridges]], rest: Rest) -> list[Lean]:
    """One fitting step of each die along the possible positions of its pose."""
    is_worse = [lean.fit is not None and cube_fit.misfit_px(mine) >= lean.fit.residual_px for lean, mine in seen]
    moved = [_back(solid, lean, rest) for (lean, _), worse in zip(seen, is_worse, strict=True) if worse]
    seen = [pair for pair, worse in zip(seen, is_worse, strict=True) if not worse]
    if not seen:
        return moved
    slopes = _slopes(image, solid, seen, rest)
    held = cube_fit.held_level(solid)
    most_turn = LIMITS.max_pose_step_mm / solid.radius_mm
    for (lean, _), solved in zip(seen, cube_fit.solve([ridges for _, ridges in seen], slopes, held), strict=True):
        step = solved.step * min(1.0, LIMITS.max_pose_step_mm / max(float(np.hypot(*solved.step[:2])), LIMITS.tiny))
        step[2] = np.clip(step[2], -most_turn, most_turn)
        moved.append(_taken(solid, lean, step, solved, rest))
    return moved


def _back(solid: Solid, lean: Lean, rest: Rest) -> Lean:
    """A die moved half way back to its best place."""
    at = (lean.at + lean.best) / 2
    under = underside_of(solid, place_of(solid, at, lean.under), lean.way, rest)
    is_settled = under is None or float(np.hypot(*(at - lean.best)[:2])) < SHARED.settled_mm
    return replace(lean, at=at, under=under or lean.under, is_settled=is_settled)


def _slopes(image: PreparedImage, solid: Solid, seen: list[tuple[Lean, Ridges]], rest: Rest) -> Floats:
    """Each ridge's motion along its normal (N, 3): per mm in x and y, and per radian of turn."""
    places = [place_of(solid, lean.at, lean.under) for lean, _ in seen]
    of = np.repeat(np.arange(len(seen)), [len(ridges) for _, ridges in seen])
    lines = cube_fit.as_outline([ridges for _, ridges in seen])
    slopes = motions_of(image.view, places, lines, of, cube_fit.LEVEL_FREE)
    for k, (lean, _) in enumerate(seen):
        mine = of == k
        toward = _toward(lean.at, rest)
        inward = replace(places[k], middle_mm=places[k].middle_mm + np.append(toward * LIMITS.pose_mm, 0.0))
        under = underside_of(solid, inward, lean.way, rest)
        if under is None:
            continue
        tilted, body = place_of(solid, lean.at, under), lines.body_mm[mine]
        still, moved = image.view.to_pixels(np.vstack([places[k].points(body), tilted.points(body)])).reshape(2, -1, 2)
        by_shift = np.einsum("ij,ij->i", moved - still, lines.normals[mine]) / LIMITS.pose_mm
        slopes[mine, :2] += by_shift[:, None] * toward
    return slopes


def _taken(solid: Solid, lean: Lean, step: Floats, solved: cube_fit.Solved, rest: Rest) -> Lean:
    """The die after a step, or the part of it that keeps the die on the rim; its old place is now the best."""
    before = place_of(solid, lean.at, lean.under)
    at, under = lean.at, lean.under
    for halving in range(SHARED.fit_rounds):
        part = step / 2**halving
        tried = replace(before, middle_mm=before.middle_mm + np.array([*part[:2], 0.0]))
        found = underside_of(solid, tried, lean.way, rest)
        if found is not None:
            at, under = lean.at + part, found
            break
    is_settled = float(np.hypot(*(at - lean.at)[:2])) < SHARED.settled_mm
    covariance = np.zeros((6, 6))
    covariance[np.ix_([0, 1, 5], [0, 1, 5])] = solved.covariance
    # the last step is so short that its result is not measured again
    place, residual = (place_of(solid, at, under), solved.residual_px) if is_settled else (before, solved.before_px)
    fit = Fit(place, covariance, solved.share, solved.share, residual)
    return Lean(lean.way, at, under, lean.at, fit, under if is_settled else lean.under, is_settled)


Way = tuple[Lying, float]
"""A pose, and its cost: the negative logarithm of a likelihood."""


def _ways_to_stand(image: PreparedImage, die: Detection, territory: Detection, near: list[Detection]) -> list[Way]:
    """All poses of a die near territories, with the costs of their footprints; `territory` is the nearest."""
    solid, flat, disk_middle, disk_radius = die.solid, die.fit, territory.place.middle_mm[:2], territory.solid.radius_mm
    supports = [support.support_of(t.solid, t.place) for t in near]
    height = max(s.height_mm for s in supports)
    outside = float(np.hypot(*(flat.place.middle_mm[:2] - disk_middle))) - disk_radius
    level = support.Underside(height, 0.0, 0.0)
    if outside < -LIMITS.same_mm:  # the territory carries the die's weight: it can neither lean nor be on the table
        place = support.place_on(flat.place, solid, level)
        is_there = flat.place.middle_mm[2] > solid.half_height_mm
        fit = flat if is_there else cube_fit.fit_cube(image, solid, place, rounds=2)
        return [(Lying(fit, level, 1.0, True), 0.0)]
    margin = margin_mm(die, territory)

    def weighed(fit: Fit, under: support.Underside, depth_mm: float, *, is_on: bool) -> Way:
        way = Lying(fit, under, 1.0, is_on)
        return way, _against(depth_mm, math.sqrt(own_variance(die, way, territory)), is_on)

    ways = [weighed(flat, support.FLAT, margin, is_on=False)]
    if outside < LIMITS.same_mm or len(supports) > 1:
        fit = cube_fit.fit_cube(image, solid, support.place_on(flat.place, solid, level), rounds=2)
        centre = float(np.hypot(*(fit.place.middle_mm[:2] - disk_middle))) - disk_radius
        # two territories together can carry a die that neither could carry alone
        on_both = min(margin_at_mm(die, fit.place, t) for t in near)
        ways.append(weighed(fit, level, on_both if len(supports) > 1 else -centre, is_on=True))
    leaning: list[tuple[Fit, support.Underside]] = []
    for land in near:
        toward = unit(land.place.middle_mm[:2] - flat.place.middle_mm[:2])
        inward = toward * max(1.0 - margin_mm(die, land), 0.0)
        start = Place(flat.place.middle_mm + np.append(inward, 0.0), flat.place.axes)
        rest = Rest(land.place.middle_mm[:2], land.solid.radius_mm, supports)
        leaning += fit_leaning_die(image, solid, start, rest)
    for fit, under in sorted(leaning, key=lambda found: found[0].residual_px):  # of two like poses the closer one
        if all(under.turned_from(way.under) > LIMITS.slope for way, _ in ways):
            depths_mm = [margin_at_mm(die, fit.place, land) for land in near]
            way, against = weighed(fit, under, max(depths_mm), is_on=True)
            is_its_land = near[int(np.argmax(depths_mm))] is territory
            ways.append((replace(way, rests=is_its_land or None), against + LIMITS.lean_log_prior))
    return ways


def likely_ways(image: PreparedImage, die: Detection, territories: list[Detection]) -> list[Way]:
    """The poses of a die near these territories that its footprint and its edges allow."""
    territory = max(territories, key=lambda t: margin_mm(die, t))
    ways = _ways_to_stand(image, die, territory, territories)
    if len(ways) == 1:
        return ways
    worth = (LIMITS.reference_noise / image.noise_levels) ** LIMITS.noise_power
    by_edges = worth * edge_costs(image, die.solid, [way.fit.place for way, _ in ways])
    told = [(way, cost + edges) for (way, cost), edges in zip(ways, by_edges.tolist(), strict=True)]
    least = min(cost for _, cost in told)
    return [(way, cost) for way, cost in told if cost < least + TOLD_ODDS]


def _weighed(image: PreparedImage, die: Detection, territories: list[Detection]) -> list[Lying]:
    """The likely poses with their shares, the highest first."""
    ways, costs = zip(*likely_ways(image, die, territories), strict=True)
    if len(ways) == 1:
        return [ways[0]]
    likely = log_likelihoods(image, die.solid, [way.fit.place for way in ways], territories) - costs
    weights = np.exp(likely - likely.max())
    weights /= weights.sum()
    kept = [i for i in np.argsort(-weights).tolist() if weights[i] > CHANCE_WRONG]
    shares = weights[kept]
    return [replace(ways[i], share=float(share)) for i, share in zip(kept, shares / shares.sum(), strict=True)]


def edge_costs(image: PreparedImage, solid: Solid, places: list[Place]) -> Floats:
    """Costs (N,) of dice at these places, from the misfit of their edges, as logarithms of likelihoods."""
    shown = show_dice(image, solid, places)
    edges, flanks = shown.edges, shown.flanks
    offsets, sigmas = offsets_px(shown, image.room_light)
    square = (offsets / sigmas) ** 2
    worth = (edges.is_low | edges.is_outline)[flanks.part]
    told = 0.5 * worth * square / (1 + square / SHARED.outlier_sigmas**2)
    is_seen = flanks.is_found & ~covered_parts(image, shown)
    costs = np.bincount(edges.of[flanks.part], np.where(is_seen, told, 0.0), len(places))
    return costs.astype(np.float64)


def _against(depth_mm: float, error_mm: float, is_on: bool) -> float:
    """The cost of a die's depth in a territory, if the territory carries it (`is_on`), or if it stands next to that."""
    wrong_mm = max(LIMITS.pose_mm - depth_mm, 0.0) if is_on else max(depth_mm, 0.0)
    return min(0.5 * (wrong_mm / error_mm) ** 2, TOLD_ODDS)


def base_height_mm(xy_mm: Floats, territories: list[Detection]) -> float:
    """The height of the territory that certainly carries a die at this place; 0: no territory."""
    away_mm = [float(np.hypot(*(xy_mm - t.place.middle_mm[:2]))) for t in territories]
    inside = [t for t, away in zip(territories, away_mm, strict=True) if t.solid.radius_mm - away > LIMITS.same_mm]
    return max((2 * t.solid.half_height_mm for t in inside), default=0.0)


def stand_die(image: PreparedImage, die: Detection, territories: list[Detection]) -> Detection:
    """A die in its most probable pose next to or on the nearest territory."""
    near = [t for t in territories if margin_mm(die, t) > -LIMITS.same_mm]
    if not near:
        return die
    territory = max(near, key=lambda t: margin_mm(die, t))
    ways = _weighed(image, die, near)
    depths = np.array([margin_at_mm(die, way.fit.place, territory) for way in ways])
    shares = np.array([way.share for way in ways])
    return replace(
        die,
        fit=ways[0].fit,
        under=ways[0].under,
        ways=tuple(ways),
        land=territory.color,
        ways_mm=float(np.sqrt(shares @ np.square(depths - shares @ depths))),
        confidence=ways[0].share,
    )
