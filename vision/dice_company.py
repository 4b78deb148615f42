"""What a picture's finds say of each other: parts of dice, dice that lie together, and dice beside a plain one."""

from __future__ import annotations

import numpy as np

from vision.dice_find import Found

PLAINLY, AS_LARGE = 0.88, 1.6
"""What is less likely a die than the first is left out too, unless the picture holds a plain one of its size, up to so
many times: dice thrown together are alike, and a table without a plain die mostly has none."""
ALIKE, EACH = 3, 0.7
"""So many finds of one size, each at least so likely a die, are as good as plain ones: they bear each other out."""
TOGETHER, AT_LEAST = 3.0, 3
"""So many finds of one size side by side whose pips lie as their values say are likelier dice, by this in log
odds: each hides the others' edges from the networks, which know dice that lie apart better."""
SIDE_BY_SIDE, ONE_SIZE = (0.6, 1.7), 1.3
"""How far apart the middles of such two are, in sides, and how many times larger one is at most."""
RATHER_WARM, IN_PLACE = 0.5, 0.55
"""How warm such a find is at least, and how alike its pips are to those of its value."""
SMALLER = 0.67
"""What is smaller than this beside something of which it lies within is its pip or its part, or that is no die."""


def are_together(found: list[Found], has_pips: list[bool]) -> list[bool]:
    """Which finds lie with others side by side, all with their pips in place: see `TOGETHER`.

    >>> row = [Found(x, 50, 40, 40, 0.6) for x in (50, 91, 132, 300)]
    >>> are_together(row, [True] * 4), are_together(row, [True, False, True, True])
    ([True, True, True, False], [False, False, False, False])
    """
    groups: list[list[int]] = []
    for k, one in enumerate(found):
        if has_pips[k]:
            mine = [group for group in groups if any(_are_side_by_side(one, found[j]) for j in group)]
            groups = [group for group in groups if group not in mine] + [[k, *(j for group in mine for j in group)]]
    together = {k for group in groups if len(group) >= AT_LEAST for k in group}
    return [k in together for k in range(len(found))]


def _are_side_by_side(one: Found, other: Found) -> bool:
    apart = float(np.hypot(one.x - other.x, one.y - other.y)) / one.side_px
    is_one_size = 1 / ONE_SIZE < one.side_px / other.side_px < ONE_SIZE
    return is_one_size and SIDE_BY_SIDE[0] < apart < SIDE_BY_SIDE[1]


def are_whole(found: list[Found], worth: list[float]) -> list[bool]:
    """Which finds are neither a part of a die nor several dice taken for one: the worthier of two, one within another.

    >>> die, pip = Found(50, 50, 60, 60, 0.8), Found(60, 50, 12, 12, 0.9)
    >>> are_whole([die, pip], [0.9, 0.3]), are_whole([die, pip], [0.2, 0.3])
    ([True, False], [False, True])
    """
    stands = [True] * len(found)
    for k in sorted(range(len(found)), key=lambda k: -worth[k]):
        for j in range(len(found)):
            if (
                stands[k]
                and stands[j]
                and worth[j] < worth[k]
                and (_is_part(found[j], found[k]) or _is_part(found[k], found[j]))
            ):
                stands[j] = False
    return stands


def _is_part(one: Found, of: Found) -> bool:
    is_within = abs(one.x - of.x) < of.width / 2 and abs(one.y - of.y) < of.height / 2
    return is_within and one.side_px < SMALLER * of.side_px


def are_dice(likely: list[float], sides_px: list[float], plainly: float) -> list[bool]:
    """Which finds of a picture, so likely dice and so large, are taken for dice: see `PLAINLY`.

    >>> are_dice([0.9, 0.6, 0.6, 0.4], [30, 28, 80, 30], 0.86), are_dice([0.6], [30], 0.86)
    ([True, True, False, False], [False])
    """
    finds = list(zip(likely, sides_px, strict=True))

    def is_borne_out(one: float, side: float) -> bool:
        return one >= EACH and sum(o >= EACH and _is_as_large(side, s) for o, s in finds) >= ALIKE

    plain_px = [side for one, side in finds if one >= plainly or is_borne_out(one, side)]
    return [one >= 0.5 and any(_is_as_large(side, plain) for plain in plain_px) for one, side in finds]


def _is_as_large(side_px: float, other_px: float) -> bool:
    return 1 / AS_LARGE < side_px / other_px < AS_LARGE
