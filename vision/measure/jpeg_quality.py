"""How coarsely a picture was compressed, by the steps of its detail.

A JPEG keeps each block of 8 x 8 pixels as waves and rounds their heights to steps, for colour far more coarsely than
for light. The eye of a die seen flat is a few pixels high, and coarse steps may turn its colour into the other ink's.
Of 134 such eyes in scenes at quality 50 and 70 thirteen were read wrongly, of 71 at quality 86 to 95 none.
Source: ITU-T T.81, annexes A.3 and K.1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

COARSE_STEP = 8.2
"""A picture is coarse where the step of wave (3, 3) in light is greater: quality 85 has 9, quality 86 has 8."""
WAVES = (((3, 3), (2, 3), (3, 2)), ((2, 2), (1, 2), (2, 1)))
"""The waves to look at, and longer ones where too few of these are left."""
TABLE = {(3, 3): 29, (2, 3): 24, (3, 2): 22, (2, 2): 16, (1, 2): 14, (2, 1): 13}
"""Their steps in the standard's table."""
EVERY = 5
"""Every fifth block each way is looked at."""
LEAST_HEIGHT, LEAST_WAVES = 2.5, 30
"""Lower waves come from rounding the decoded picture; with fewer waves than the second nothing is said."""
FIRST = 10.0
"""Percentile of the remaining heights at the first step, less half a level."""
_LUMA = np.array([0.114, 0.587, 0.299], np.float32)


def is_coarse_jpeg(picture: NDArray[np.uint8]) -> bool:
    """Whether the compression of a picture (H, W, 3), BGR, may turn the colour of small things; true also where too
    little detail is left to tell."""
    step = quantization_step(picture)
    return step is None or step > COARSE_STEP


def quantization_step(picture: NDArray[np.uint8]) -> float | None:
    """The step of wave (3, 3) in the light of a picture, in levels, as its blocks show it. Below 4 for a picture that
    was not compressed; None where too little detail is left."""
    rows, columns = (size // 8 * 8 for size in picture.shape[:2])
    blocks = picture[:rows, :columns].reshape(rows // 8, 8, columns // 8, 8, 3)[::EVERY, :, ::EVERY]
    light = (blocks @ _LUMA).transpose(0, 2, 1, 3).reshape(-1, 64)
    for waves in WAVES:
        steps = []
        for wave in waves:
            heights = np.abs(light @ _wave(*wave))
            heights = heights[heights > LEAST_HEIGHT]
            if len(heights) >= LEAST_WAVES:
                steps.append(float(np.percentile(heights, FIRST)) * TABLE[3, 3] / TABLE[wave])
        if steps:
            return float(np.median(steps))
    return None


def _wave(down: int, across: int) -> NDArray[np.float64]:
    """A wave of the cosine transform over a block (64,), of length 1."""
    at = (2 * np.arange(8) + 1) * np.pi / 16
    return (np.outer(np.cos(at * down), np.cos(at * across)) / 4).ravel()
