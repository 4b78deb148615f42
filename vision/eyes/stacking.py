"""Samurai laid on each other and on the territories, from the table upward: who lies on whom, and how."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from vision.eyes import support
from vision.eyes.hidden_disks import keep_in_view
from vision.eyes.pieces import Detection
from vision.eyes.stack_order import EVEN
from vision.measure import disk_fit
from vision.measure.bodies import apart_mm
from vision.measure.prepared import PreparedImage

LITTLE_RIM = 0.3
"""A samurai that shows less of its rim is held near its crescent."""
RIM_WORTH = 180.0
"""What a whole rim's mean square (pixels) counts in the logarithm of the likelihood: its samples err together."""
SWAP_AHEAD = 0.4
"""The other way is taken when it is likelier by this logarithm."""
UNSURE = 0.61
"""Below this confidence in which of two samurai lies above, both ways are laid."""
LEAST_GAIN, CLOSER_WORTH = 0.02, 0.5
"""The other way must show so much more of the two rims (shares summed) or meet them more closely, where a whole rim by
a factor e is worth the second. Of 52 unsure pairs in 840 labelled scenes this gets four wrong. Squares of the misfit
get seven wrong, because a rim that fits badly either way outweighs one that fits well one way."""
CLOSEST_PX = 0.05
"""A closer match is luck."""
ALIKE_MM = 0.1
"""Places nearer than this are the same."""
LAID_MM, RIM_MM = 0.15, 15.0
"""A disk is at rest if its underside moves by less at its rim, and what counts as its rim."""
MOST_SWAPS = 3
"""Pairs of one table laid the other way, at most."""


Uppers = dict[tuple[int, int], float]


def stack_samurai(
    image: PreparedImage, samurai: list[Detection], base: list[support.Support], uppers: Uppers
) -> tuple[Uppers, dict[int, Detection]]:
    """Samurai laid on each other; pairs with an unsure order are laid both ways.

    The right order gives each disk the height and tilt that bring its outline onto the rim in the picture. So the order
    counts that meets more of both rims, and more closely. A pair that fits alike either way and shows no rim across
    only touches: it is left out.
    """
    laid = _all_laid(image, samurai, base, uppers)
    for _ in range(MOST_SWAPS):
        best: tuple[float, Uppers, dict[int, Detection]] | None = None
        for pair in [pair for pair, sure in uppers.items() if sure < UNSURE]:
            swapped, other = _swapped(image, samurai, base, uppers, laid, pair)
            gain = _gained([laid[k] for k in pair], [other[k] for k in pair])
            if gain > LEAST_GAIN and (best is None or gain > best[0]):
                swapped[pair[::-1]] = min(0.5 + gain, 1.0)
                best = gain, swapped, other
        if best is None:
            break
        _, uppers, laid = best
    for pair in [pair for pair, sure in uppers.items() if sure <= EVEN]:
        _, other = _swapped(image, samurai, base, uppers, laid, pair)
        moved = [np.linalg.norm(other[k].place.middle_mm - laid[k].place.middle_mm) for k in pair]
        if max(moved) < ALIKE_MM:
            uppers = {p: sure for p, sure in uppers.items() if p != pair}
    return uppers, laid


def _gained(disks: list[Detection], others: list[Detection]) -> float:
    """How much more of their rims disks show the other way, and how much more closely."""
    gain = 0.0
    for disk, other in zip(disks, others, strict=True):
        seen = (disk.fit.coverage + other.fit.coverage) / 2
        closer = math.log(max(disk.fit.residual_px, CLOSEST_PX) / max(other.fit.residual_px, CLOSEST_PX))
        gain += other.fit.coverage - disk.fit.coverage + CLOSER_WORTH * seen * closer
    return gain


def misfit(disk: Detection, other: Detection) -> float:
    """How badly the rim fits one of two ways of lying, as the logarithm of a likelihood."""
    return RIM_WORTH * (disk.fit.coverage + other.fit.coverage) / 2 * disk.fit.residual_px**2


def _all_laid(
    image: PreparedImage, samurai: list[Detection], base: list[support.Support], uppers: Uppers
) -> dict[int, Detection]:
    """The samurai laid in this order, from the table upward."""
    return _laid_again(image, samurai, base, uppers, {}, set(range(len(samurai))))


def _swapped(
    image: PreparedImage,
    samurai: list[Detection],
    base: list[support.Support],
    uppers: Uppers,
    laid: dict[int, Detection],
    pair: tuple[int, int],
) -> tuple[Uppers, dict[int, Detection]]:
    """One pair the other way round, with all that lies on it; the others stay as they were laid."""
    other = {(p if p != pair else pair[::-1]): sure for p, sure in uppers.items()}
    moved = set(pair)
    while more := {i for i, j in other if j in moved and i not in moved}:
        moved |= more
    return other, _laid_again(image, samurai, base, other, laid, moved)


def _laid_again(
    image: PreparedImage,
    samurai: list[Detection],
    base: list[support.Support],
    uppers: Uppers,
    known: dict[int, Detection],
    moved: set[int],
) -> dict[int, Detection]:
    laid = {i: disk for i, disk in known.items() if i not in moved}
    for level in bottom_up(len(samurai), uppers):
        mine = [i for i in level if i in moved]
        below = [below_of(i, laid, base, uppers) for i in mine]
        laid |= dict(zip(mine, _lie(image, [samurai[i] for i in mine], below), strict=True))
    return laid


def below_of(i: int, laid: dict[int, Detection], base: list[support.Support], uppers: Uppers) -> list[support.Support]:
    """What may bear a samurai: the territories, and those that were laid under it."""
    return base + [support.support_of(laid[j].solid, laid[j].place) for j in sorted(laid) if (i, j) in uppers]


def lay_on(image: PreparedImage, disk: Detection, below: list[support.Support]) -> Detection:
    """A samurai laid on what is below it."""
    return _lie(image, [disk], [below])[0]


def drop_coinciding(samurai: list[Detection]) -> list[int]:
    """The indices of samurai to keep: of two in one place the one that shows more of its rim."""
    kept: list[int] = []
    for i in sorted(range(len(samurai)), key=lambda k: -samurai[k].fit.coverage):
        color = samurai[i].color
        if all(samurai[k].color != color or apart_mm(samurai[k].place, samurai[i].place) > 2.0 for k in kept):
            kept.append(i)
    return sorted(kept)


def bottom_up(count: int, uppers: dict[tuple[int, int], float]) -> list[list[int]]:
    """Samurai from the table upward, level by level: each after all that it lies on."""
    levels: list[list[int]] = []
    left = list(range(count))
    while left:
        free = [i for i in left if not any((i, j) in uppers for j in left)] or left[:1]
        levels.append(free)
        left = [i for i in left if i not in free]
    return levels


def refitted(image: PreparedImage, disks: list[Detection], unders: list[support.Underside]) -> list[Detection]:
    """Disks of one kind fitted again, each laid on its underside."""
    if not disks:
        return []
    places = [support.place_on(disk.place, disk.solid, under) for disk, under in zip(disks, unders, strict=True)]
    fits = disk_fit.fit_disks(
        image,
        disks[0].solid,
        places,
        [disk.color or "red" for disk in disks],
        rounds=2,
        are_crescents=[0 < disk.fit.coverage < LITTLE_RIM for disk in disks],
        are_shaded=[disk.is_shaded for disk in disks],
    )
    return [
        replace(keep_in_view(image, disk, place) if disk.is_hidden else replace(disk, fit=fit), under=under)
        for disk, place, fit, under in zip(disks, places, fits, unders, strict=True)
    ]


def _lie(image: PreparedImage, disks: list[Detection], below: list[list[support.Support]]) -> list[Detection]:
    """Disks laid on what is below them, their places fitted again at each change of tilt."""
    laid = list(disks)
    moving = list(range(len(laid)))
    for _ in range(3):
        unders = {i: support.underside_at_rest(laid[i].solid, laid[i].place, below[i]) for i in moving}
        moving = [i for i in moving if _change(laid[i].under, unders[i]) >= LAID_MM]
        for i, disk in zip(
            moving, refitted(image, [laid[i] for i in moving], [unders[i] for i in moving]), strict=True
        ):
            laid[i] = disk
    return laid


def _change(old: support.Underside, new: support.Underside) -> float:
    """How far an underside moved, in mm at a samurai's rim."""
    slopes = abs(new.slope_x - old.slope_x) + abs(new.slope_y - old.slope_y)
    return abs(new.height_mm - old.height_mm) + RIM_MM * slopes
