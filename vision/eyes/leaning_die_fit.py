"""A die that leans on a rim: the tilt follows from the place, so both are fitted as one.

Near a rounded rim half a millimetre decides whether a die leans by five degrees or by two, and a tilted die is seen
elsewhere. Finding place and tilt in turns diverges there. Instead each step moves the die along the places where it can
lean (a Gauss-Newton step on that surface), towards where its edges are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from vision.eyes import support
from vision.measure import cube_fit
from vision.measure.bodies import Fit, Place, Solid, depth_in_disk, upright
from vision.measure.prepared import Floats, PreparedImage
from vision.measure.ridges import Ridges, measure_ridges
from vision.measure.views import motions_of

STEEP = 0.34
"""The steepest slope of a die on a rim of a few mm."""
STEPS = 5
"""The most steps."""
SETTLED_MM = 0.1
"""A step this short is the last."""
MOST_MM, MOST_TURN = 1.5, 0.12
"""The longest step and turn (radians): further away the edges are measured again."""
SHIFT_MM = 0.15
"""How tilt follows from place is measured over this length."""
HALVINGS = 3
"""How often a step that would part the die from the rim is halved."""
MEETS_MM = 0.4
"""A die that is to lean on a rim starts at least this far over it."""
ALIKE_SLOPE = 0.004
"""Ways that begin with slopes this close end as one."""
WAYS = 6
SAME_SLOPE, SAME_MM = 0.004, 0.1
"""Ways that come this close are one."""
PROMISING_STEPS, HOPELESS_PX2 = 2, 5.0
"""After so many steps a way is dropped whose mean square is worse than the best one's by the second."""


@dataclass(frozen=True, eq=False)
class Rest:
    """What a die may lean on: the disk of the territory nearest to it, and all supports near it."""

    disk_middle: Floats
    disk_radius: float
    supports: list[support.Support]


@dataclass(frozen=True, eq=False)
class Lean:
    """One way to lean: which, (x, y, angle in radians) and the underside there; the `best` place so far, with its fit
    and what it lies on."""

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
    """The die in each of six ways of leaning, if possible: as low as it can, on one of its four lower edges, or
    straight at the disk."""
    leans: list[Lean] = []
    for way in range(WAYS):
        under = underside_of(solid, start, way, rest)
        if under is not None and all(under.turned_from(lean.under) >= ALIKE_SLOPE for lean in leans):
            at = np.array([*start.middle_mm[:2], math.radians(start.angle_deg)])
            leans.append(_met(solid, Lean(way, at, under, at), rest))
    for step in range(STEPS):
        moving = [lean for lean in leans if not lean.is_settled]
        if not moving:
            break
        found = measure_ridges(image, solid, [place_of(solid, lean.at, lean.under) for lean in moving])
        pairs = list(zip(moving, found, strict=True))
        seen = [(lean, mine) for lean, mine in pairs if len(mine) >= cube_fit.LEAST_RIDGES]
        # one that came to where too few edges are seen stays where enough were
        lost = [
            replace(lean, is_settled=True)
            for lean, mine in pairs
            if lean.fit is not None and len(mine) < cube_fit.LEAST_RIDGES
        ]
        stepped = _stepped(image, solid, seen, rest) if seen else []
        leans = [lean for lean in leans if lean.is_settled] + lost + stepped
        if step + 1 >= PROMISING_STEPS:
            leans = _promising(leans)
    return [(lean.fit, lean.fit_under) for lean in sorted(leans, key=lambda lean: lean.way) if lean.fit is not None]


def _promising(leans: list[Lean]) -> list[Lean]:
    """The ways without those that fit much worse than the best one, and without duplicates."""
    least = min((lean.fit.residual_px for lean in leans if lean.fit is not None), default=0.0)
    kept: list[Lean] = []
    for lean in leans:
        if lean.fit is not None and lean.fit.residual_px**2 > least**2 + HOPELESS_PX2:
            continue
        if all(lean.under.turned_from(o.under) > SAME_SLOPE or np.abs(lean.at - o.at).max() > SAME_MM for o in kept):
            kept.append(lean)
    return kept


def place_of(solid: Solid, at: Floats, under: support.Underside) -> Place:
    """A die at (x, y, angle) on an underside."""
    return support.place_on(upright(float(at[0]), float(at[1]), 0.0, math.degrees(float(at[2]))), solid, under)


def underside_of(solid: Solid, place: Place, way: int, rest: Rest, steepest: float = STEEP) -> support.Underside | None:
    """The underside in one of six ways of leaning, if the die can lean so here and no more steeply."""
    if way == 0:
        under = support.underside_at_rest(solid, place, rest.supports)
        return None if under.is_flat else under
    toward = rest.disk_middle - place.middle_mm[:2]
    angle = math.radians(place.angle_deg) + (way - 1) * math.pi / 2
    if way < 5:
        along = np.array([math.cos(angle), math.sin(angle)])
        if along @ toward < 0 and len(rest.supports) == 1:
            return None  # it would lean away from all that there is
        toward = along
    lean = support.leaning_underside(solid, place, toward / max(float(np.hypot(*toward)), 1e-9), rest.supports)
    return lean if lean is not None and math.hypot(lean.slope_x, lean.slope_y) < steepest else None


def _met(solid: Solid, lean: Lean, rest: Rest) -> Lean:
    """A die moved toward the disk until it surely meets its rim."""
    margin = depth_in_disk(solid, place_of(solid, lean.at, lean.under), rest.disk_middle, rest.disk_radius)
    if margin >= MEETS_MM:
        return lean
    at = lean.at + np.append(_toward(lean.at, rest) * (MEETS_MM - margin), 0.0)
    return replace(lean, at=at, best=at)


def _toward(at: Floats, rest: Rest) -> Floats:
    way = rest.disk_middle - at[:2]
    return np.asarray(way / max(float(np.hypot(*way)), 1e-9))


def _stepped(image: PreparedImage, solid: Solid, seen: list[tuple[Lean, Ridges]], rest: Rest) -> list[Lean]:
    """One step of each die along the places where it leans that way."""
    is_worse = [lean.fit is not None and cube_fit.misfit_px(mine) >= lean.fit.residual_px for lean, mine in seen]
    moved = [_back(solid, lean, rest) for (lean, _), worse in zip(seen, is_worse, strict=True) if worse]
    seen = [pair for pair, worse in zip(seen, is_worse, strict=True) if not worse]
    if not seen:
        return moved
    slopes = _slopes(image, solid, seen, rest)
    held = np.diag([cube_fit.HELD[0], cube_fit.HELD[0], cube_fit.HELD[1]])
    for (lean, _), solved in zip(seen, cube_fit.solve([ridges for _, ridges in seen], slopes, held), strict=True):
        step = solved.step * min(1.0, MOST_MM / max(float(np.hypot(*solved.step[:2])), 1e-9))
        step[2] = np.clip(step[2], -MOST_TURN, MOST_TURN)
        moved.append(_taken(solid, lean, step, solved, rest))
    return moved


def _back(solid: Solid, lean: Lean, rest: Rest) -> Lean:
    """A die moved half way back to where its edges fitted better."""
    at = (lean.at + lean.best) / 2
    under = underside_of(solid, place_of(solid, at, lean.under), lean.way, rest)
    is_settled = under is None or float(np.hypot(*(at - lean.best)[:2])) < SETTLED_MM
    return replace(lean, at=at, under=under or lean.under, is_settled=is_settled)


def _slopes(image: PreparedImage, solid: Solid, seen: list[tuple[Lean, Ridges]], rest: Rest) -> Floats:
    """How far each ridge moves along its normal for a mm in x, in y and a radian: (N, 3). The tilt follows the way
    toward the disk; the others hardly change it."""
    places = [place_of(solid, lean.at, lean.under) for lean, _ in seen]
    of = np.repeat(np.arange(len(seen)), [len(ridges) for _, ridges in seen])
    lines = cube_fit.as_outline([ridges for _, ridges in seen])
    slopes = motions_of(image.view, places, lines, of, [0, 1, 5])
    for k, (lean, _) in enumerate(seen):
        mine = of == k
        toward = _toward(lean.at, rest)
        inward = replace(places[k], middle_mm=places[k].middle_mm + np.append(toward * SHIFT_MM, 0.0))
        under = underside_of(solid, inward, lean.way, rest)
        if under is None:
            continue
        tilted, body = place_of(solid, lean.at, under), lines.body_mm[mine]
        still, moved = image.view.to_pixels(np.vstack([places[k].points(body), tilted.points(body)])).reshape(2, -1, 2)
        by_shift = np.einsum("ij,ij->i", moved - still, lines.normals[mine]) / SHIFT_MM
        slopes[mine, :2] += by_shift[:, None] * toward
    return slopes


def _taken(solid: Solid, lean: Lean, step: Floats, solved: cube_fit.Solved, rest: Rest) -> Lean:
    """The die after a step, or after as much of it as leaves it on the rim; where it was is the best place so far."""
    before = place_of(solid, lean.at, lean.under)
    at, under = lean.at, lean.under
    for halving in range(HALVINGS):
        part = step / 2**halving
        tried = replace(before, middle_mm=before.middle_mm + np.array([*part[:2], 0.0]))
        found = underside_of(solid, tried, lean.way, rest)
        if found is not None:
            at, under = lean.at + part, found
            break
    is_settled = float(np.hypot(*(at - lean.at)[:2])) < SETTLED_MM
    covariance = np.zeros((6, 6))
    covariance[np.ix_([0, 1, 5], [0, 1, 5])] = solved.covariance
    # the last step is short enough to be believed unseen
    place, residual = (place_of(solid, at, under), solved.residual_px) if is_settled else (before, solved.before_px)
    fit = Fit(place, covariance, solved.share, solved.share, 1.0, residual)
    return Lean(lean.way, at, under, lean.at, fit, under if is_settled else lean.under, is_settled)
