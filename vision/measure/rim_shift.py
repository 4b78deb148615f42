"""How far out the rims of each colour are drawn in a picture.

A camera blurs red and blue unlike each other, its compression keeps colour coarsely, and light from one side moves the
end of one colour further out than the other's: by up to a fifth of a pixel, but all rims of a colour in one picture
alike. A large disk is as broad as the kit says, so its own rim tells how far.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vision.measure.bodies import Place, Solid
from vision.measure.least_squares import robust_steps
from vision.measure.prepared import PreparedImage
from vision.measure.rims import Samples, measure_rims
from vision.measure.views import motions_of

LEAST_CLEAR = 0.5
"""Minimum share of a disk's rim against another colour for the disk to count."""
KEPT, MOST_PX = 0.8, 0.4
"""The part of a large disk's shift that holds for small ones, and the most that a shift can be."""


def rim_shift_px(image: PreparedImage, disks: Mapping[str, tuple[Solid, Place]]) -> tuple[float, float]:
    """How much further out than elsewhere the rims of red and of blue disks are drawn, px, by one large disk a colour.

    A colour whose disk tells nothing takes the other's figure; 0 where neither does.
    """
    shifts: dict[str, float] = {}
    for color, (solid, place) in disks.items():
        samples = Samples.of_disks(image.view, solid, [place])
        rim = measure_rims(image, samples, np.array([color == "red"]))
        is_clear = rim.seen & rim.clear
        if is_clear.mean() < LEAST_CLEAR:
            continue
        slopes = motions_of(image.view, [place], samples.outline, samples.of, [0, 1])
        place_and_out = np.column_stack([slopes, np.ones(len(slopes))])
        certain = is_clear / rim.sigma_px**2
        held = np.eye(3) * 1e-6
        step, *_ = robust_steps(
            place_and_out, rim.offset_px, certain, certain, 2 * rim.sigma_px, samples.of, held, rounds=5
        )
        shifts[color] = KEPT * float(np.clip(step[0, 2], -MOST_PX, MOST_PX))
    either = sum(shifts.values()) / max(len(shifts), 1)
    return shifts.get("red", either), shifts.get("blue", either)
