"""Places samurai on each other and on the territories, from the table upward: the order of overlapping samurai, and
their poses.

The order follows from the colour of the overlap, or from the rim that is visible across it. If both are inconclusive,
both orders are fitted and the rims decide. Near a territory's rim a samurai may be on it or next to it, which a
fraction of a millimetre decides. There both poses are fitted too, and any remaining doubt enlarges the error.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats
from vision.measure import bodies, disk_fit, rims
from vision.measure.bodies import apart_mm
from vision.measure.prepared import HEIGHT_MM, PreparedImage
from vision.tables.eyes import support
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, margin_mm


def find_layers(image: PreparedImage, samurai: list[Detection]) -> dict[tuple[int, int], float]:
    """(upper, lower) of overlapping samurai, with the probability of that order: the upper samurai's rim is visible
    across the lower one."""
    uppers: dict[tuple[int, int], float] = {}
    for i in range(len(samurai)):
        for j in range(i):
            a, b = samurai[i], samurai[j]
            radius = a.solid.radius_mm
            apart = apart_mm(a.place, b.place)
            if apart > 2 * radius + LIMITS.pose_mm:
                continue
            if a.color == b.color and a.is_crescent != b.is_crescent and apart < radius:
                whole, crescent = (j, i) if a.is_crescent else (i, j)
                mine, other = _lines(image, samurai[crescent], samurai[whole], radius)
                is_above = mine > other + LIMITS.line_lead  # its rim runs across the other samurai
                uppers[(crescent, whole) if is_above else (whole, crescent)] = LIMITS.most
                continue
            others = [disk for k, disk in enumerate(samurai) if k not in (i, j)]
            ahead = _ahead(image, a, b, radius, others)
            pair = (i, j) if ahead > 0 else (j, i)
            uppers[pair] = 0.5 + 0.5 * min(abs(ahead), 1.0)
    return uppers


def _lines(image: PreparedImage, a: Detection, b: Detection, radius: float) -> tuple[float, float]:
    """Visibility of each samurai's rim across the other. For two of one colour, only places of that colour count,
    if there are any."""
    ways = ((a, b.place.middle_mm[:2]), (b, a.place.middle_mm[:2]))
    for color in [a.color, None] if a.color == b.color else [None]:
        shown = [rims.line_strength(image, disk.solid, disk.place, over, radius, color) for disk, over in ways]
        if color is None or None not in shown:
            break
    return shown[0] or 0.0, shown[1] or 0.0


def _ahead(image: PreparedImage, a: Detection, b: Detection, radius: float, others: Sequence[Detection] = ()) -> float:
    """Certainty that `a` is above `b` (negative: below): by the colour of the overlap, or else by the visible rim.

    Where `others` cover the overlap, the colour may be theirs.
    """
    if a.color != b.color:
        middle = (a.place.middle_mm + b.place.middle_mm) / 2
        toward = b.place.middle_mm[:2] - a.place.middle_mm[:2]
        apart = max(float(np.hypot(*toward)), LIMITS.tiny)
        across = np.array([-toward[1], toward[0]]) / apart
        half = float(np.sqrt(max(radius**2 - (apart / 2) ** 2, 0.0)))
        spread = np.linspace(-1, 1, LIMITS.face_samples)
        u, v = np.meshgrid(spread * (radius - apart / 2), spread * half)
        points = middle[:2] + u.reshape(-1, 1) * toward / apart + v.reshape(-1, 1) * across
        inside = [np.hypot(*(points - s.place.middle_mm[:2]).T) < radius - LIMITS.bare_mm for s in (a, b)]
        points = points[inside[0] & inside[1]]
        if len(points):
            pixels = image.view.to_pixels(np.column_stack([points, np.full(len(points), middle[2] + HEIGHT_MM)]))
            red, blue = rims.hue_of(image.light_px(pixels), image.paper)
            is_red = red > blue
            bare = ~_are_covered(points, is_red, others, radius)
            is_bare = bare.mean() > LIMITS.trace
            worth = 1.0 if is_bare else LIMITS.some
            share = float((is_red[bare] if is_bare else is_red).mean())
            return worth * (2 * share - 1) * (1.0 if a.color == "red" else -1.0)
    mine, other = _lines(image, a, b, radius)
    return (mine - other) / max(mine + other, LIMITS.tiny)


def _are_covered(
    points: Floats, are_red: NDArray[np.bool_], others: Sequence[Detection], radius: float
) -> NDArray[np.bool_]:
    """Whether places (N, 2) are within other samurai of the colour seen there (`are_red`)."""
    covered = np.zeros(len(points), bool)
    for other in others:
        within = np.hypot(*(points - other.place.middle_mm[:2]).T) < radius + LIMITS.bare_mm
        covered |= within & (are_red == (other.color == "red"))
    return covered


Uppers = dict[tuple[int, int], float]


def stack_samurai(
    image: PreparedImage, samurai: list[Detection], base: list[support.Support], uppers: Uppers
) -> tuple[Uppers, dict[int, Detection]]:
    """Places samurai on each other; pairs with an unsure order are tried in both orders.

    The right order gives each disk the height and tilt that bring its outline onto the rim in the picture. So the order
    with more of both rims and the closer fit is chosen. A pair that fits alike in both orders and shows no rim across
    only touches, and is left out.
    """
    laid: dict[int, Detection] = {}
    for left in range(LIMITS.max_swaps, -1, -1):
        open_to = LIMITS.nearly_all if left else LIMITS.half + LIMITS.trace
        unsure = [pair for pair, sure in uppers.items() if sure < open_to]
        laid, tried = _laid_in_orders(image, samurai, base, uppers, unsure, laid)
        gains = {p: 0.5 + _gained([laid[k] for k in p], [other[k] for k in p]) for p, other in tried.items()}
        better = [pair for pair in unsure if gains[pair] > uppers[pair]]
        if not (left and better):
            break
        pair = max(better, key=lambda p: gains[p])
        uppers, laid = _swapped(uppers, pair) | {pair[::-1]: min(gains[pair], 1.0)}, tried[pair]
    for pair, other in tried.items():
        moved = [np.linalg.norm(other[k].place.middle_mm - laid[k].place.middle_mm) for k in pair]
        if uppers[pair] < LIMITS.half + LIMITS.trace and max(moved) < LIMITS.pose_mm:
            uppers = {p: sure for p, sure in uppers.items() if p != pair}
    return uppers, laid


def _gained(disks: list[Detection], others: list[Detection]) -> float:
    """The gain of the other order: how much more of their rims the disks show, and how much more closely these fit."""
    gain = 0.0
    for disk, other in zip(disks, others, strict=True):
        seen = (disk.fit.coverage + other.fit.coverage) / 2
        closer = math.log(max(disk.fit.residual_px, LIMITS.fit_px) / max(other.fit.residual_px, LIMITS.fit_px))
        gain += other.fit.coverage - disk.fit.coverage + seen * closer / 2
    return gain


def misfit(disk: Detection, other: Detection) -> float:
    """The misfit of the rim in one of two poses, as the logarithm of a likelihood."""
    return LIMITS.rim_weight * (disk.fit.coverage + other.fit.coverage) / 2 * disk.fit.residual_px**2


def _swapped(uppers: Uppers, pair: tuple[int, int]) -> Uppers:
    """One pair in the other order."""
    return {(p if p != pair else pair[::-1]): sure for p, sure in uppers.items()}


def _laid_in_orders(
    image: PreparedImage,
    samurai: list[Detection],
    base: list[support.Support],
    uppers: Uppers,
    unsure: list[tuple[int, int]],
    known: dict[int, Detection],
) -> tuple[dict[int, Detection], dict[tuple[int, int], dict[int, Detection]]]:
    """The samurai in this order, and with each of some pairs swapped: the pair and everything on it is placed again.

    Those of one level are fitted together in all orders. `known`: the samurai, if they are in this order already.
    """
    orders = [uppers, *(_swapped(uppers, pair) for pair in unsure)]
    moved = [set(range(len(samurai))) - known.keys(), *map(set, unsure)]
    for order, mine in zip(orders[1:], moved[1:], strict=True):
        while more := {i for i, j in order if j in mine and i not in mine}:
            mine.update(more)
    laid = [{i: disk for i, disk in known.items() if i not in mine} for mine in moved]
    for level in zip_longest(*(bottom_up(len(samurai), order) for order in orders), fillvalue=()):
        jobs = [(k, i) for k, each in enumerate(level) for i in each if i in moved[k]]
        below = [
            base
            + [support.support_of(laid[k][j].solid, laid[k][j].place) for j in sorted(laid[k]) if (i, j) in orders[k]]
            for k, i in jobs
        ]
        for (k, i), disk in zip(jobs, _lie(image, [samurai[i] for _, i in jobs], below), strict=True):
            laid[k][i] = disk
        for mine, each in zip(moved, laid, strict=True):
            each.update({i: disk for i, disk in laid[0].items() if i not in mine})
    return laid[0], dict(zip(unsure, laid[1:], strict=True))


def drop_coinciding(alike: list[Detection]) -> list[int]:
    """The indices of pieces of one kind to keep: of two at one place, the piece with more visible outline."""
    kept: list[int] = []
    for i in sorted(range(len(alike)), key=lambda k: -alike[k].fit.coverage):
        color = alike[i].color
        if all(alike[k].color != color or apart_mm(alike[k].place, alike[i].place) > 2.0 for k in kept):
            kept.append(i)
    return sorted(kept)


def bottom_up(count: int, uppers: dict[tuple[int, int], float]) -> list[list[int]]:
    """Samurai from the table upward, level by level: each after all samurai under it."""
    levels: list[list[int]] = []
    left = list(range(count))
    while left:
        free = [i for i in left if not any((i, j) in uppers for j in left)] or left[:1]
        levels.append(free)
        left = [i for i in left if i not in free]
    return levels


def refitted(image: PreparedImage, disks: list[Detection], unders: list[support.Underside]) -> list[Detection]:
    """Disks of one kind, fitted again on these undersides."""
    if not disks:
        return []
    places = [support.place_on(disk.place, disk.solid, under) for disk, under in zip(disks, unders, strict=True)]
    fits = disk_fit.fit_disks(
        image,
        disks[0].solid,
        places,
        [disk.color or "red" for disk in disks],
        rounds=2,
        are_crescents=[0 < disk.fit.coverage < LIMITS.some for disk in disks],
        are_shaded=[disk.is_shaded for disk in disks],
    )
    return [replace(disk, fit=fit, under=under) for disk, fit, under in zip(disks, fits, unders, strict=True)]


def _lie(image: PreparedImage, disks: list[Detection], below: list[list[support.Support]]) -> list[Detection]:
    """Disks placed on their supports, and fitted again at each change of tilt."""
    laid = list(disks)
    moving = list(range(len(laid)))
    for _ in range(3):
        unders = {i: support.underside_at_rest(laid[i].solid, laid[i].place, below[i]) for i in moving}
        moving = [i for i in moving if _change(laid[i].under, unders[i], laid[i].solid.radius_mm) >= LIMITS.pose_mm]
        for i, disk in zip(
            moving, refitted(image, [laid[i] for i in moving], [unders[i] for i in moving]), strict=True
        ):
            laid[i] = disk
    return laid


def _change(old: support.Underside, new: support.Underside, radius_mm: float) -> float:
    """The movement of an underside, in mm at a samurai's rim."""
    slopes = abs(new.slope_x - old.slope_x) + abs(new.slope_y - old.slope_y)
    return abs(new.height_mm - old.height_mm) + radius_mm * slopes


def lay_likelier(image: PreparedImage, disks: list[Detection], territories: list[Detection]) -> list[Detection]:
    """Samurai near rims in their more probable pose, on the rim or next to it; their error covers the other pose."""
    judged = list(disks)
    for territory in territories:
        below = [support.support_of(territory.solid, territory.place)]
        for i, rival in _rivals(image, judged, territory, below).items():
            disk = judged[i]
            ahead = _way_cost(disk, rival, territory) - _way_cost(rival, disk, territory)
            if ahead > 0 and _lies_alone(disk, below):
                disk, rival = rival, disk
            spread = _open_share(disk, rival, below) * abs(margin_mm(rival, territory) - margin_mm(disk, territory))
            judged[i] = replace(disk, spread_mm=float(np.hypot(disk.spread_mm, spread)))
    return judged


def _rivals(
    image: PreparedImage, disks: list[Detection], territory: Detection, below: list[support.Support]
) -> dict[int, Detection]:
    """The disks that may have the other pose (on the rim or next to it), fitted in that pose, by index."""
    margins = [margin_mm(disk, territory) for disk in disks]
    on_table = [i for i, d in enumerate(disks) if d.under.is_flat and d.under.height_mm < 0.5]
    beside = [i for i in on_table if -LIMITS.touch_mm < margins[i] < LIMITS.contact_mm]
    upon = [
        i for i, d in enumerate(disks) if not d.under.is_flat and -LIMITS.measured_mm < margins[i] < LIMITS.touch_mm
    ]
    raised = [_drawn_in(disks[i], territory, margins[i]) for i in beside]
    unders = [support.underside_at_rest(disk.solid, disk.place, below) for disk in raised]
    laid = refitted(image, raised + [disks[i] for i in upon], unders + [support.FLAT] * len(upon))
    raised, lowered = laid[: len(beside)], laid[len(beside) :]
    again = [_drawn_in(disk, territory, margin_mm(disk, territory)) for disk in raised]
    raised = refitted(image, raised, [support.underside_at_rest(disk.solid, disk.place, below) for disk in again])
    likely = {
        i: rival for i, rival in zip(beside, raised, strict=True) if margin_mm(rival, territory) > -LIMITS.contact_mm
    }
    return likely | {
        i: rival for i, rival in zip(upon, lowered, strict=True) if margin_mm(rival, territory) < LIMITS.pose_mm
    }


def _open_share(disk: Detection, rival: Detection, below: list[support.Support]) -> float:
    """The share of two poses' difference that stays an error: constant near a rim, otherwise by the fit."""
    if _lies_alone(rival if disk.under.is_flat else disk, below):
        return LIMITS.some
    ahead = (misfit(rival, disk) - misfit(disk, rival)) / 2
    against = math.exp(-abs(ahead))
    return math.sqrt(against) / (1 + against)


def _drawn_in(disk: Detection, territory: Detection, margin: float) -> Detection:
    """A disk moved toward a territory until it certainly overlaps its rim."""
    toward = territory.place.middle_mm[:2] - disk.place.middle_mm[:2]
    shift = toward / float(np.hypot(*toward)) * max(0.5 - margin, 0.0)
    moved = bodies.Place(disk.place.middle_mm + np.append(shift, 0.0), disk.place.axes)
    return replace(disk, fit=replace(disk.fit, place=moved))


def _way_cost(disk: Detection, other: Detection, territory: Detection) -> float:
    """The cost of a pose: a rim that fits badly, and a footprint that contradicts it."""
    margin = margin_mm(disk, territory)
    wrong = max(margin, 0.0) if disk.under.is_flat else max(-margin, 0.0)
    return misfit(disk, other) + 0.5 * (wrong / LIMITS.pose_mm) ** 2


def _lies_alone(disk: Detection, below: list[support.Support]) -> bool:
    """Whether only the territory and the table carry a samurai."""
    under = support.underside_at_rest(disk.solid, disk.place, below)
    return abs(under.height_mm - disk.under.height_mm) < 0.5
