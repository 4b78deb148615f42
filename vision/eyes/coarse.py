"""How coarsely a picture was compressed: by the steps that its detail comes in.

A JPEG keeps each 8 x 8 block as waves whose heights are rounded to steps, colour's far more coarsely than light's. The
eye of a die seen flat is a few pixels high, and where steps are coarse what is left of its colour may be the other
ink's: of 134 such eyes in scenes compressed to quality 50 and 70 thirteen were told wrongly, of 71 at 86 to 95 none.
Source: ITU-T T.81, annexes A.3 and K.1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

COARSE_STEP = 8.2
"""A picture is coarse whose steps are greater, as those of wave (3, 3) in light: quality 85 has 9, quality 86 has 8."""
WAVES = (((3, 3), (2, 3), (3, 2)), ((2, 2), (1, 2), (2, 1)))
"""The waves looked at, and longer ones where too few of these are left."""
TABLE = {(3, 3): 29, (2, 3): 24, (3, 2): 22, (2, 2): 16, (1, 2): 14, (2, 1): 13}
"""How coarse their steps are beside each other."""
EVERY = 5
"""One in so many blocks each way is looked at."""
LEAST_HEIGHT, LEAST_WAVES = 2.5, 30
"""Lower waves are the rounding of the decoded picture, and fewer that are higher tell nothing."""
FIRST = 10.0
"""The percentile of the heights of the waves that are left at which the first step lies, less half a level."""
_LUMA = np.array([0.114, 0.587, 0.299], np.float32)


def is_coarse(picture: NDArray[np.uint8]) -> bool:
    """Whether a picture (H, W, 3), BGR, was compressed so coarsely that the colour of small things may be wrong; also
    where too little detail is left to tell."""
    step = step_of(picture)
    return step is None or step > COARSE_STEP


def step_of(picture: NDArray[np.uint8]) -> float | None:
    """The step of wave (3, 3) in the light of a picture, levels, as its blocks show it; of one that was not compressed
    something below 4. None where too little detail is left."""
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
