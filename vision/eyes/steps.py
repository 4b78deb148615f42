"""Several small least-squares steps at once, each body by its own samples, with outliers weighed down.

Source: iteratively reweighted least squares, P. J. Huber, Robust Statistics (1981), ch. 7; the weights are those of
Geman and McClure.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.eyes.sight import Floats


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
    starts = np.searchsorted(of, np.arange(of[-1] + 1))
    squares = slopes[:, :, None] * slopes[:, None, :]
    for _ in range(rounds):
        normal = np.add.reduceat(squares * weights[:, None, None], starts) + held
        right = np.add.reduceat(slopes * (weights * offsets)[:, None], starts)
        step = np.linalg.solve(normal, right[..., None])[..., 0]
        left = offsets - np.einsum("ij,ij->i", slopes, step[of])
        weights = certain / (1 + (left / reach) ** 2) ** 2
    return step, normal, left, weights
