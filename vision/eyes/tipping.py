"""Samurai that lie on the edge of tipping over: flat on another one, or over its rim onto what is beside it.

Which of the two, half a millimetre decides, and no rim is met so closely under others; the two ways lie up to 9 degrees
apart, and the disk one to two millimetres aside. So both are fitted: the rim tells, and what it leaves open widens the
error.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from vision.eyes import support
from vision.eyes.bodies import Place, apart_mm
from vision.eyes.laying import Uppers, below_of, laid_on, misfit, refitted, upward
from vision.eyes.pieces import Found
from vision.eyes.sight import Sight

NUDGE_MM = 1.5
"""What rests otherwise when it is moved by so much may lie either way."""
OTHERWISE = 0.03
"""Another way to lie differs by such a slope at least."""
AHEAD = 0.4
"""The other way is taken when it is likelier by this logarithm."""
WORTH = 0.5
"""How much of what the rim says counts: samples err together."""


def tipped_over(sight: Sight, laid: dict[int, Found], base: list[support.Support], uppers: Uppers) -> dict[int, Found]:
    """The laid samurai; those that may as well lie tipped over what bears them lie the likelier way, from the table
    upward, and their error says of both."""
    told = dict(laid)
    moved: set[int] = set()
    for level in upward(len(laid), uppers):
        for i in level:
            lower = [j for k, j in uppers if k == i]
            if not lower:
                continue
            below = below_of(i, told, base, uppers)
            disk = told[i]
            is_moved = bool(moved.intersection(lower))
            if is_moved:
                disk = laid_on(sight, disk, below)
            other = _otherwise(sight, disk, [told[j] for j in lower], below)
            if other is not None:
                disk, is_other = _likelier(disk, other)
                is_moved |= is_other
            if is_moved:
                moved.add(i)
            told[i] = disk
    return told


def _otherwise(sight: Sight, disk: Found, lower: list[Found], below: list[support.Support]) -> Found | None:
    """A disk laid the other way that a nudge gives it; None where it lies firmly."""
    if disk.is_hidden or disk.fit.coverage <= 0:
        return None
    found: support.Under | None = None
    for bearing in lower:
        away = disk.place.middle_mm[:2] - bearing.place.middle_mm[:2]
        far = float(np.hypot(*away))
        if far < 1.0:
            continue
        for by_mm in (NUDGE_MM, -NUDGE_MM):
            shifted = Place(disk.place.middle_mm + np.append(away / far * by_mm, 0.0), disk.place.axes)
            under = support.rest(disk.solid, shifted, below)
            if under.turned_from(disk.under) > max(OTHERWISE, found.turned_from(disk.under) if found else 0.0):
                found = under
    return None if found is None else refitted(sight, [disk], [found])[0]


def _likelier(disk: Found, other: Found) -> tuple[Found, bool]:
    """The likelier of two ways to lie, its error wider by what stays open, and whether it is the other one."""
    ahead = misfit(disk, other) - misfit(other, disk)
    is_other = ahead > AHEAD
    apart = apart_mm(disk.place, other.place)
    spread = apart * 0.5 / math.cosh(min(abs(WORTH * ahead), 50.0) / 2)
    chosen = other if is_other else disk
    return replace(chosen, spread_mm=float(np.hypot(chosen.spread_mm, spread))), is_other
