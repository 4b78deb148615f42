"""Samurai on the verge of tipping: flat on another one, or over its rim onto what is beside it.

Half a millimetre decides which, and no rim is met so closely under others. The two ways differ by up to 9 degrees, and
by one to two millimetres in place. So both are fitted: the rim decides, and what it leaves open widens the error.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from vision.eyes import support
from vision.eyes.pieces import Detection
from vision.eyes.stacking import Uppers, below_of, bottom_up, lay_on, misfit, refitted
from vision.measure.bodies import Place, apart_mm
from vision.measure.prepared import PreparedImage

NUDGE_MM = 1.5
"""A disk that rests differently when it is moved by so much may lie either way."""
OTHERWISE = 0.03
"""Another way to lie differs by at least this slope."""
AHEAD = 0.4
"""The other way is taken when it is likelier by this logarithm."""
WORTH = 0.5
"""How much the rim counts: its samples err together."""


def choose_tipped(
    image: PreparedImage, laid: dict[int, Detection], base: list[support.Support], uppers: Uppers
) -> dict[int, Detection]:
    """The laid samurai, from the table upward; those that may be tipped over what bears them lie the likelier way, and
    their error covers both."""
    chosen = dict(laid)
    moved: set[int] = set()
    for level in bottom_up(len(laid), uppers):
        for i in level:
            lower = [j for k, j in uppers if k == i]
            if not lower:
                continue
            below = below_of(i, chosen, base, uppers)
            disk = chosen[i]
            is_moved = bool(moved.intersection(lower))
            if is_moved:
                disk = lay_on(image, disk, below)
            other = _otherwise(image, disk, [chosen[j] for j in lower], below)
            if other is not None:
                disk, is_other = _likelier(disk, other)
                is_moved |= is_other
            if is_moved:
                moved.add(i)
            chosen[i] = disk
    return chosen


def _otherwise(
    image: PreparedImage, disk: Detection, lower: list[Detection], below: list[support.Support]
) -> Detection | None:
    """A disk laid the way that a nudge gives it; None if it lies firmly."""
    if disk.is_hidden or disk.fit.coverage <= 0:
        return None
    found: support.Underside | None = None
    for bearing in lower:
        away = disk.place.middle_mm[:2] - bearing.place.middle_mm[:2]
        far = float(np.hypot(*away))
        if far < 1.0:
            continue
        for by_mm in (NUDGE_MM, -NUDGE_MM):
            shifted = Place(disk.place.middle_mm + np.append(away / far * by_mm, 0.0), disk.place.axes)
            under = support.underside_at_rest(disk.solid, shifted, below)
            if under.turned_from(disk.under) > max(OTHERWISE, found.turned_from(disk.under) if found else 0.0):
                found = under
    return None if found is None else refitted(image, [disk], [found])[0]


def _likelier(disk: Detection, other: Detection) -> tuple[Detection, bool]:
    """The likelier of two ways to lie, its error wider by what stays open, and whether it is the other one."""
    ahead = misfit(disk, other) - misfit(other, disk)
    is_other = ahead > AHEAD
    apart = apart_mm(disk.place, other.place)
    spread = apart * 0.5 / math.cosh(min(abs(WORTH * ahead), 50.0) / 2)
    chosen = other if is_other else disk
    return replace(chosen, spread_mm=float(np.hypot(chosen.spread_mm, spread))), is_other
