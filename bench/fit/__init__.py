"""Fits a reader's confidence and writes it to a file: `python -m bench.fit READER` (dice, rods, board).

Use other pictures than in the network's training: it is too confident about pictures that it was trained on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats

ROUNDS = 60


def logistic(
    looks: Floats,
    is_so: NDArray[np.bool_] | Floats,
    pull: Floats,
    *,
    counts: Floats | float = 1.0,
    base: Floats | None = None,
    is_positive: bool = False,
) -> Floats:
    """Weights of a logistic model, its constant last, by Newton's method; steps that do not help are halved.

    `pull` (one per weight): strength of the regularisation towards `base` (0). `counts`: weight of each example.
    `is_positive`: all weights but the constant are at least 0.
    Source: Hastie, Tibshirani & Friedman, The Elements of Statistical Learning, 2nd ed., ch. 4.4.
    """
    x = np.column_stack([looks, np.ones(len(looks))])
    y, held = np.asarray(is_so, float), np.diag(pull)
    base = np.zeros(x.shape[1]) if base is None else base

    def cost(w: Floats) -> float:
        told = x @ w
        return float((counts * (np.logaddexp(0, told) - y * told)).sum() + (w - base) @ held @ (w - base) / 2)

    w, before = base.copy(), cost(base)
    for _ in range(ROUNDS):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -40, 40)))
        slope = x.T @ (counts * (p - y)) + held @ (w - base)
        bend = (x * (counts * (p * (1 - p) + 1e-9))[:, None]).T @ x + held + 1e-9 * np.eye(len(w))
        step = np.linalg.solve(bend, slope)

        def moved(step: Floats, w: Floats = w) -> Floats:
            return np.append(np.maximum((w - step)[:-1], 0), (w - step)[-1]) if is_positive else w - step

        while cost(moved(step)) > before and np.abs(step).max() > 1e-7:
            step = step / 2
        w, after = moved(step), cost(moved(step))
        if before - after < 1e-7:
            break
        before = after
    return w
