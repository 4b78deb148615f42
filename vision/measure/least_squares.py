"""Small least-squares steps for several bodies at once, each by its own samples, with outliers weighed down.

Source: iteratively reweighted least squares, P. J. Huber, Robust Statistics (1981), ch. 7; the weights are those of
Geman and McClure.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.measure.prepared import Floats

STILL_PX = 1e-3
"""A step that moves no sample by more is the last."""


def robust_steps(
    slopes: Floats,
    offsets: Floats,
    certain: Floats,
    weights: Floats,
    reach: Floats,
    of: NDArray[np.int64],
    held: Floats,
    rounds: int,
) -> tuple[Floats, Floats, Floats, Floats]:
    """The step of each of D bodies that explains the `offsets` (N,) of its samples, which `of` assigns in order.

    Args:
        slopes: (N, F), what a unit of each free step adds to an offset.
        certain, weights: (N,), what samples weigh at most, and at first.
        reach: (N,), samples that stay off by more than about this lose their weight.
        held: (F, F), added to each body's normal matrix.
    Returns: the steps (D, F), the normal matrices (D, F, F), what is left of the offsets and the last weights (N,).
    """
    bodies, free = int(of[-1]) + 1, slopes.shape[1]
    count = np.arange(len(of))
    mine, apart = np.zeros((bodies, len(of))), np.zeros((len(of), bodies, free))
    apart[count, of] = slopes
    squares = (slopes[:, :, None] * slopes[:, None, :]).reshape(len(of), -1)
    terms = np.hstack([squares, slopes * offsets[:, None]])
    last = np.full(len(of), np.inf)
    for _ in range(rounds):
        mine[of, count] = weights
        sums = mine @ terms  # all bodies' sums in one product
        normal = sums[:, : free * free].reshape(bodies, free, free) + held
        step = np.linalg.solve(normal, sums[:, free * free :, None])[..., 0]
        left = offsets - apart.reshape(len(of), -1) @ step.ravel()
        if np.abs(left - last).max() < STILL_PX:
            break
        last = left
        weights = certain / (1 + (left / reach) ** 2) ** 2
    return np.asarray(step, np.float64), normal, left, weights
