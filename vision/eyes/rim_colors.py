"""How far out the rims of each colour are drawn in a picture.

A camera blurs red and blue unlike each other, its compression keeps colour coarsely, and what lights a table from the
side ends one colour further out than the other: by up to a fifth of a pixel, but all rims of a colour in one picture
alike. A territory is as broad as the kit says, so its own rim tells how far.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.eyes.bodies import motions_of
from vision.eyes.pieces import Found
from vision.eyes.rims import Samples, measure_rims
from vision.eyes.sight import Sight
from vision.eyes.steps import robust_steps

LEAST_CLEAR = 0.5
"""A territory tells of its colour where so much of its rim lies against another."""
KEPT, MOST_PX = 0.8, 0.4
"""So much of what a territory shows holds for samurai too, and more than the second is something else."""


def rims_px(sight: Sight, territories: Sequence[Found]) -> tuple[float, float]:
    """How much further out than elsewhere the rims of red and of blue disks are drawn, px; the one whose territory
    tells nothing as the other, 0 where neither does."""
    told: dict[str | None, float] = {}
    for territory in territories:
        samples = Samples.of_disks(sight.view, territory.solid, [territory.place])
        rim = measure_rims(sight, samples, np.array([territory.color == "red"]))
        is_clear = rim.seen & rim.clear
        if is_clear.mean() < LEAST_CLEAR:
            continue
        slopes = motions_of(sight.view, [territory.place], samples.outline, samples.of, [0, 1])
        place_and_out = np.column_stack([slopes, np.ones(len(slopes))])
        certain = is_clear / rim.sigma_px**2
        held = np.eye(3) * 1e-6
        step, *_ = robust_steps(
            place_and_out, rim.offset_px, certain, certain, 2 * rim.sigma_px, samples.of, held, rounds=5
        )
        told[territory.color] = KEPT * float(np.clip(step[0, 2], -MOST_PX, MOST_PX))
    either = sum(told.values()) / max(len(told), 1)
    return told.get("red", either), told.get("blue", either)
