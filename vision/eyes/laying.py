"""Samurai laid on each other and on the territories, from the table upward: who lies on whom, and how."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np

from vision.eyes import bodies, rims, support
from vision.eyes.bodies import apart_mm
from vision.eyes.hidden import TWINS_MM, kept_in_sight
from vision.eyes.margins import NEAR_MM
from vision.eyes.pieces import Found, margin_mm, radius_mm
from vision.eyes.sight import Sight

LITTLE_RIM = 0.3
"""A samurai of whose rim less is seen is held near where its crescent says."""
RIM_WORTH = 180.0
"""A whole rim's mean square (pixels) counts so often as the logarithm of a likelihood: its samples err together."""
WAY_SIGMA_MM = 0.14
"""A footprint contradicts the way in which a samurai lies with this standard error."""
SWAP_AHEAD = 0.4
"""The other way is taken when it is likelier by this logarithm."""
RIVAL_SHARE = 0.35
"""The part of the difference to the other way of lying that stays open near a rim."""
LEAN_WORTH = 0.5
"""How much of what the rim says counts where a samurai that leans on another may as well lie flat: samples err together
more where the picture is soft or compressed."""
BESIDE_MM, UPON_MM = (-0.7, 0.3), (-NEAR_MM, 0.9)
"""A samurai taken to lie beside a rim may as well lie on it where its margin is between these, and one that leans may
lie flat. Further away nobody asks for its margin."""
TOUCH_MM = 0.15
"""Disks seen further apart by this, before they are laid, do not touch."""
CRESCENT_SURE = 0.85
"""How sure it is that a samurai of which a crescent is seen lies under the one of its colour that covers its middle."""
TWIN_SURE = 0.6
"""The same where two lie so nearly in one place that the crescent may be the upper one's, beyond the lower one."""
DRAWN_AHEAD = 1.5
"""Unless its own rim is drawn across that one more clearly, by so many standard errors. Of 49 such pairs in 750
labelled scenes, both bare enough, 13 lay so, all but one ahead by 2.3 or more; of the others one by more than 0.7."""
UNSURE = 0.61
"""Below this confidence in which of two samurai lies above, both ways are laid."""
EVEN = 0.51
"""At most this confidence comes from a pair that shows no rim across at all."""
LEAST_GAIN, CLOSER_WORTH = 0.02, 0.5
"""The other way must show so much more of the two rims (shares summed), or meet them more closely: a whole rim by a
factor e is worth so much. Of 52 pairs as unsure in 840 labelled scenes that tells four wrongly; squares of the misfit
instead, by which a rim that fits badly either way outweighs one that fits well in one way only, seven."""
CLOSEST_PX = 0.05
"""No rim is met more closely, but by luck."""
ALIKE_MM = 0.1
"""Places nearer than this are the same."""
LAID_MM, RIM_MM = 0.15, 15.0
"""A disk whose underside moves by less, as far out as its rim, lies."""
MOST_SWAPS = 3
"""Pairs of one table laid the other way, at most."""


Uppers = dict[tuple[int, int], float]


def lay_samurai(
    sight: Sight, samurai: list[Found], base: list[support.Support], uppers: Uppers
) -> tuple[Uppers, dict[int, Found]]:
    """Samurai laid on each other; pairs of which it is not sure who lies above are laid the other way too.

    The height and the tilt that the right order gives a disk bring its outline onto the rim in the picture, so the
    order counts in which more of both rims is met, and more closely. A pair that fits alike either way, and shows no
    rim across, only touches: it is left out.
    """
    laid = _all_laid(sight, samurai, base, uppers)
    for _ in range(MOST_SWAPS):
        best: tuple[float, Uppers, dict[int, Found]] | None = None
        for pair in [pair for pair, sure in uppers.items() if sure < UNSURE]:
            swapped, other = _swapped(sight, samurai, base, uppers, laid, pair)
            gain = _gained([laid[k] for k in pair], [other[k] for k in pair])
            if gain > LEAST_GAIN and (best is None or gain > best[0]):
                swapped[pair[::-1]] = min(0.5 + gain, 1.0)
                best = gain, swapped, other
        if best is None:
            break
        _, uppers, laid = best
    for pair in [pair for pair, sure in uppers.items() if sure <= EVEN]:
        _, other = _swapped(sight, samurai, base, uppers, laid, pair)
        moved = [np.linalg.norm(other[k].place.middle_mm - laid[k].place.middle_mm) for k in pair]
        if max(moved) < ALIKE_MM:
            uppers = {p: sure for p, sure in uppers.items() if p != pair}
    return uppers, laid


def _gained(disks: list[Found], others: list[Found]) -> float:
    """How much more of their rims disks show when they are laid the other way, and how much more closely."""
    gain = 0.0
    for disk, other in zip(disks, others, strict=True):
        seen = (disk.fit.coverage + other.fit.coverage) / 2
        closer = math.log(max(disk.fit.residual_px, CLOSEST_PX) / max(other.fit.residual_px, CLOSEST_PX))
        gain += other.fit.coverage - disk.fit.coverage + CLOSER_WORTH * seen * closer
    return gain


def misfit(disk: Found, other: Found) -> float:
    """How badly the rim fits a way of lying, of two, as the logarithm of a likelihood."""
    return RIM_WORTH * (disk.fit.coverage + other.fit.coverage) / 2 * disk.fit.residual_px**2


def _all_laid(sight: Sight, samurai: list[Found], base: list[support.Support], uppers: Uppers) -> dict[int, Found]:
    """The samurai laid in this order, from the table upward."""
    return _laid_again(sight, samurai, base, uppers, {}, set(range(len(samurai))))


def _swapped(
    sight: Sight,
    samurai: list[Found],
    base: list[support.Support],
    uppers: Uppers,
    laid: dict[int, Found],
    pair: tuple[int, int],
) -> tuple[Uppers, dict[int, Found]]:
    """One pair the other way round, with all that lies on it; the others stay as they were laid."""
    other = {(p if p != pair else pair[::-1]): sure for p, sure in uppers.items()}
    moved = set(pair)
    while more := {i for i, j in other if j in moved and i not in moved}:
        moved |= more
    return other, _laid_again(sight, samurai, base, other, laid, moved)


def _laid_again(
    sight: Sight,
    samurai: list[Found],
    base: list[support.Support],
    uppers: Uppers,
    known: dict[int, Found],
    moved: set[int],
) -> dict[int, Found]:
    laid = {i: disk for i, disk in known.items() if i not in moved}
    for level in upward(len(samurai), uppers):
        mine = [i for i in level if i in moved]
        below = [below_of(i, laid, base, uppers) for i in mine]
        laid |= dict(zip(mine, _lie(sight, [samurai[i] for i in mine], below), strict=True))
    return laid


def below_of(i: int, laid: dict[int, Found], base: list[support.Support], uppers: Uppers) -> list[support.Support]:
    """What may bear a samurai: the territories, and those that were laid under it."""
    return base + [support.support_of(laid[j].solid, laid[j].place) for j in sorted(laid) if (i, j) in uppers]


def laid_on(sight: Sight, disk: Found, below: list[support.Support]) -> Found:
    """A samurai laid on what is below it."""
    return _lie(sight, [disk], [below])[0]


def in_places_apart(samurai: list[Found]) -> list[int]:
    """Which samurai to keep: of two that came to lie in one place the one whose rim is seen better."""
    kept: list[int] = []
    for i in sorted(range(len(samurai)), key=lambda k: -samurai[k].fit.coverage):
        color = samurai[i].color
        if all(samurai[k].color != color or apart_mm(samurai[k].place, samurai[i].place) > 2.0 for k in kept):
            kept.append(i)
    return sorted(kept)


def laid_likelier(sight: Sight, disks: list[Found], territories: list[Found]) -> list[Found]:
    """Samurai near rims laid the likelier way, on the rim or beside it, with what the other way would measure."""
    judged = list(disks)
    for territory in territories:
        below = [support.support_of(territory.solid, territory.place)]
        for i, rival in _rivals(sight, judged, territory, below).items():
            disk = judged[i]
            ahead = _way_cost(disk, rival, territory) - _way_cost(rival, disk, territory)
            if ahead > SWAP_AHEAD and _lies_alone(disk, below):
                disk, rival = rival, disk
            spread = _open_share(disk, rival, below) * abs(margin_mm(rival, territory) - margin_mm(disk, territory))
            judged[i] = replace(disk, spread_mm=float(np.hypot(disk.spread_mm, spread)))
    return judged


def _rivals(sight: Sight, disks: list[Found], territory: Found, below: list[support.Support]) -> dict[int, Found]:
    """The disks (by their places in the list) that may as well lie the other way, on the rim or beside it, laid so."""
    margins = [margin_mm(disk, territory) for disk in disks]
    on_table = [i for i, d in enumerate(disks) if d.under.is_flat and d.under.height_mm < 0.5]
    beside = [i for i in on_table if BESIDE_MM[0] < margins[i] < BESIDE_MM[1]]
    upon = [i for i, d in enumerate(disks) if not d.under.is_flat and UPON_MM[0] < margins[i] < UPON_MM[1]]
    raised = [_drawn_in(disks[i], territory, margins[i]) for i in beside]
    unders = [support.rest(disk.solid, disk.place, below) for disk in raised]
    laid = refitted(sight, raised + [disks[i] for i in upon], unders + [support.FLAT] * len(upon))
    raised, lowered = laid[: len(beside)], laid[len(beside) :]
    raised = refitted(sight, raised, [support.rest(disk.solid, disk.place, below) for disk in raised])
    likely = {i: rival for i, rival in zip(beside, raised, strict=True) if margin_mm(rival, territory) > 0.0}
    return likely | {i: rival for i, rival in zip(upon, lowered, strict=True) if margin_mm(rival, territory) < 0.15}


def _open_share(disk: Found, rival: Found, below: list[support.Support]) -> float:
    """The part of the difference to the other way of lying that stays open: near a rim always much the same, and of a
    samurai that leans on another what its own rim leaves open (the standard deviation of a choice between two)."""
    if _lies_alone(rival if disk.under.is_flat else disk, below):
        return RIVAL_SHARE
    ahead = LEAN_WORTH * (misfit(rival, disk) - misfit(disk, rival))
    return 0.5 / math.cosh(min(abs(ahead), 50.0) / 2)


def _drawn_in(disk: Found, territory: Found, margin: float) -> Found:
    """A disk moved toward a territory until it surely lies on its rim."""
    toward = territory.place.middle_mm[:2] - disk.place.middle_mm[:2]
    shift = toward / float(np.hypot(*toward)) * max(0.5 - margin, 0.0)
    moved = bodies.Place(disk.place.middle_mm + np.append(shift, 0.0), disk.place.axes)
    return replace(disk, fit=replace(disk.fit, place=moved))


def _way_cost(disk: Found, other: Found, territory: Found) -> float:
    """What speaks against a way of lying: how badly the rim fits, and a footprint that contradicts it."""
    margin = margin_mm(disk, territory)
    wrong = max(margin, 0.0) if disk.under.is_flat else max(-margin, 0.0)
    return misfit(disk, other) + 0.5 * (wrong / WAY_SIGMA_MM) ** 2


def _lies_alone(disk: Found, below: list[support.Support]) -> bool:
    """Whether nothing but the territory and the table carries a samurai."""
    under = support.rest(disk.solid, disk.place, below)
    apart = np.hypot(under.slope_x - disk.under.slope_x, under.slope_y - disk.under.slope_y)
    return abs(under.height_mm - disk.under.height_mm) < 0.5 and float(apart) < 0.02


def upward(count: int, uppers: dict[tuple[int, int], float]) -> list[list[int]]:
    """Samurai from the table upward, level by level: each after all that it lies on."""
    levels: list[list[int]] = []
    left = list(range(count))
    while left:
        free = [i for i in left if not any((i, j) in uppers for j in left)] or left[:1]
        levels.append(free)
        left = [i for i in left if i not in free]
    return levels


def find_layers(sight: Sight, samurai: list[Found]) -> dict[tuple[int, int], float]:
    """(upper, lower) of samurai that overlap: the one whose rim is seen across the other lies above."""
    uppers: dict[tuple[int, int], float] = {}
    for i in range(len(samurai)):
        for j in range(i):
            a, b = samurai[i], samurai[j]
            radius = radius_mm(a)
            apart = apart_mm(a.place, b.place)
            if apart > 2 * radius + TOUCH_MM:
                continue
            is_hidden = a.is_hidden or b.is_hidden
            if a.color == b.color and a.is_crescent != b.is_crescent and (apart < radius or is_hidden):
                sure = TWIN_SURE if is_hidden and apart <= TWINS_MM else CRESCENT_SURE
                whole, crescent = (j, i) if a.is_crescent else (i, j)
                is_drawn = _is_drawn_across(sight, samurai[crescent], samurai[whole], radius)
                uppers[(crescent, whole) if is_drawn else (whole, crescent)] = sure
                continue
            ahead = _ahead(sight, a, b, radius)
            pair = (i, j) if ahead > 0 else (j, i)
            uppers[pair] = 0.5 + 0.5 * min(abs(ahead), 1.0)
    return uppers


def _is_drawn_across(sight: Sight, crescent: Found, whole: Found, radius: float) -> bool:
    """Whether the rim of a samurai, of which little is seen, runs across another one: then it lies above after all."""
    lines = _bare_lines(sight, crescent, whole, radius)
    if lines is None:
        if apart_mm(crescent.place, whole.place) >= radius:
            return False
        lines = _all_lines(sight, crescent, whole, radius)
    return lines[0] > lines[1] + DRAWN_AHEAD


def _lines(sight: Sight, a: Found, b: Found, radius: float) -> tuple[float, float]:
    """How clearly the rim of each of two samurai is drawn across the other: where nothing of another colour covers
    them, if enough of both is bare."""
    return _bare_lines(sight, a, b, radius) or _all_lines(sight, a, b, radius)


def _bare_lines(sight: Sight, a: Found, b: Found, radius: float) -> tuple[float, float] | None:
    """The same of two of one colour where nothing of another covers them; None where that is too little."""
    if a.color != b.color:
        return None
    mine = rims.line_strength(sight, a.solid, a.place, b.place.middle_mm[:2], radius, a.color)
    other = rims.line_strength(sight, b.solid, b.place, a.place.middle_mm[:2], radius, a.color)
    return None if mine is None or other is None else (mine, other)


def _all_lines(sight: Sight, a: Found, b: Found, radius: float) -> tuple[float, float]:
    """The same whatever covers them."""
    mine = rims.line_strength(sight, a.solid, a.place, b.place.middle_mm[:2], radius)
    other = rims.line_strength(sight, b.solid, b.place, a.place.middle_mm[:2], radius)
    return mine or 0.0, other or 0.0


def _ahead(sight: Sight, a: Found, b: Found, radius: float) -> float:
    """How surely `a` lies above `b` (negative: below): by the colour where they overlap, else by whose rim is drawn."""
    if a.color != b.color:
        middle = (a.place.middle_mm + b.place.middle_mm) / 2
        toward = b.place.middle_mm[:2] - a.place.middle_mm[:2]
        apart = max(float(np.hypot(*toward)), 1e-6)
        across = np.array([-toward[1], toward[0]]) / apart
        half = float(np.sqrt(max(radius**2 - apart**2 / 4, 0.0)))
        u, v = np.meshgrid(np.linspace(-0.5, 0.5, 5) * (2 * radius - apart), np.linspace(-0.8, 0.8, 9) * half)
        points = middle[:2] + u.reshape(-1, 1) * toward / apart + v.reshape(-1, 1) * across
        inside = [np.hypot(*(points - s.place.middle_mm[:2]).T) < radius - 0.4 for s in (a, b)]
        points = points[inside[0] & inside[1]]
        if len(points) >= 3:
            pixels = sight.view.to_pixels(np.column_stack([points, np.full(len(points), middle[2] + 3.0)]))
            light = cv2.remap(
                sight.light, pixels[:, :1].astype(np.float32), pixels[:, 1:].astype(np.float32), cv2.INTER_LINEAR
            )
            red, blue = rims.hue_of(light.reshape(-1, 3) / 65535.0, sight.paper)
            share = float((red > blue).mean())
            return (2 * share - 1) * (1.0 if a.color == "red" else -1.0)
    mine, other = _lines(sight, a, b, radius)
    return (mine - other) / max(mine + other, 1e-6)


def refitted(sight: Sight, disks: list[Found], unders: list[support.Under]) -> list[Found]:
    """Disks of one kind found anew, each laid on its underside."""
    if not disks:
        return []
    places = [support.laid(disk.place, disk.solid, under) for disk, under in zip(disks, unders, strict=True)]
    fits = rims.fit_disks(
        sight,
        disks[0].solid,
        places,
        [disk.color or "red" for disk in disks],
        rounds=2,
        are_crescents=[0 < disk.fit.coverage < LITTLE_RIM for disk in disks],
        are_shaded=[disk.is_shaded for disk in disks],
    )
    return [
        replace(kept_in_sight(sight, disk, place) if disk.is_hidden else replace(disk, fit=fit), under=under)
        for disk, place, fit, under in zip(disks, places, fits, unders, strict=True)
    ]


def _lie(sight: Sight, disks: list[Found], below: list[list[support.Support]]) -> list[Found]:
    """Disks laid each on what is below it, their places found anew at each change of their tilt."""
    laid = list(disks)
    moving = list(range(len(laid)))
    for _ in range(3):
        unders = {i: support.rest(laid[i].solid, laid[i].place, below[i]) for i in moving}
        moving = [i for i in moving if _change(laid[i].under, unders[i]) >= LAID_MM]
        for i, disk in zip(
            moving, refitted(sight, [laid[i] for i in moving], [unders[i] for i in moving]), strict=True
        ):
            laid[i] = disk
    return laid


def _change(old: support.Under, new: support.Under) -> float:
    """How far an underside moved, in mm at a samurai's rim."""
    slopes = abs(new.slope_x - old.slope_x) + abs(new.slope_y - old.slope_y)
    return abs(new.height_mm - old.height_mm) + RIM_MM * slopes
