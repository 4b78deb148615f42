"""Samurai near a rim may lie on it or beside it, and a fraction of a millimetre decides: both ways are weighed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from vision.eyes import support
from vision.eyes.margins import NEAR_MM
from vision.eyes.pieces import Detection, margin_mm
from vision.eyes.stacking import SWAP_AHEAD, misfit, refitted
from vision.measure import bodies
from vision.measure.prepared import PreparedImage

WAY_SIGMA_MM = 0.14
"""The standard error with which a footprint contradicts a way of lying."""
RIVAL_SHARE = 0.35
"""The part of the difference to the other way of lying that stays open near a rim."""
LEAN_WORTH = 0.5
"""How much the rim counts where a samurai that leans on another may lie flat: in blurred or compressed pictures its
samples err together more."""
BESIDE_MM, UPON_MM = (-0.7, 0.3), (-NEAR_MM, 0.9)
"""A samurai beside a rim may lie on it if its margin is between the first, and one that leans may lie flat if it is
between the second. Further away nobody asks for its margin."""


def lay_likelier(image: PreparedImage, disks: list[Detection], territories: list[Detection]) -> list[Detection]:
    """Samurai near rims laid the likelier way, on the rim or beside it; their error covers the other way."""
    judged = list(disks)
    for territory in territories:
        below = [support.support_of(territory.solid, territory.place)]
        for i, rival in _rivals(image, judged, territory, below).items():
            disk = judged[i]
            ahead = _way_cost(disk, rival, territory) - _way_cost(rival, disk, territory)
            if ahead > SWAP_AHEAD and _lies_alone(disk, below):
                disk, rival = rival, disk
            spread = _open_share(disk, rival, below) * abs(margin_mm(rival, territory) - margin_mm(disk, territory))
            judged[i] = replace(disk, spread_mm=float(np.hypot(disk.spread_mm, spread)))
    return judged


def _rivals(
    image: PreparedImage, disks: list[Detection], territory: Detection, below: list[support.Support]
) -> dict[int, Detection]:
    """The disks, by index, that may lie the other way, on the rim or beside it, laid that way."""
    margins = [margin_mm(disk, territory) for disk in disks]
    on_table = [i for i, d in enumerate(disks) if d.under.is_flat and d.under.height_mm < 0.5]
    beside = [i for i in on_table if BESIDE_MM[0] < margins[i] < BESIDE_MM[1]]
    upon = [i for i, d in enumerate(disks) if not d.under.is_flat and UPON_MM[0] < margins[i] < UPON_MM[1]]
    raised = [_drawn_in(disks[i], territory, margins[i]) for i in beside]
    unders = [support.underside_at_rest(disk.solid, disk.place, below) for disk in raised]
    laid = refitted(image, raised + [disks[i] for i in upon], unders + [support.FLAT] * len(upon))
    raised, lowered = laid[: len(beside)], laid[len(beside) :]
    raised = refitted(image, raised, [support.underside_at_rest(disk.solid, disk.place, below) for disk in raised])
    likely = {i: rival for i, rival in zip(beside, raised, strict=True) if margin_mm(rival, territory) > 0.0}
    return likely | {i: rival for i, rival in zip(upon, lowered, strict=True) if margin_mm(rival, territory) < 0.15}


def _open_share(disk: Detection, rival: Detection, below: list[support.Support]) -> float:
    """The part of the difference between two ways of lying that stays open: a constant near a rim, and for a samurai
    that leans on another what its rim leaves open (the standard deviation of a choice between two)."""
    if _lies_alone(rival if disk.under.is_flat else disk, below):
        return RIVAL_SHARE
    ahead = LEAN_WORTH * (misfit(rival, disk) - misfit(disk, rival))
    return 0.5 / math.cosh(min(abs(ahead), 50.0) / 2)


def _drawn_in(disk: Detection, territory: Detection, margin: float) -> Detection:
    """A disk moved toward a territory until it surely lies on its rim."""
    toward = territory.place.middle_mm[:2] - disk.place.middle_mm[:2]
    shift = toward / float(np.hypot(*toward)) * max(0.5 - margin, 0.0)
    moved = bodies.Place(disk.place.middle_mm + np.append(shift, 0.0), disk.place.axes)
    return replace(disk, fit=replace(disk.fit, place=moved))


def _way_cost(disk: Detection, other: Detection, territory: Detection) -> float:
    """What speaks against a way of lying: a rim that fits badly, and a footprint that contradicts it."""
    margin = margin_mm(disk, territory)
    wrong = max(margin, 0.0) if disk.under.is_flat else max(-margin, 0.0)
    return misfit(disk, other) + 0.5 * (wrong / WAY_SIGMA_MM) ** 2


def _lies_alone(disk: Detection, below: list[support.Support]) -> bool:
    """Whether nothing but the territory and the table carries a samurai."""
    under = support.underside_at_rest(disk.solid, disk.place, below)
    apart = np.hypot(under.slope_x - disk.under.slope_x, under.slope_y - disk.under.slope_y)
    return abs(under.height_mm - disk.under.height_mm) < 0.5 and float(apart) < 0.02
