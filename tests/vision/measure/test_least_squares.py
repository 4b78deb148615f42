"""Least-squares steps that outliers do not draw away."""

from __future__ import annotations

import numpy as np

from vision.measure.bodies import robust_steps


def test_outliers_lose_their_weight_round_by_round() -> None:
    rng = np.random.default_rng(4)
    counts, true = (40, 25), np.array([[0.8, -0.3], [-0.5, 0.6]])
    of = np.repeat(np.arange(2), counts)
    slopes = rng.normal(size=(len(of), 2))
    offsets = np.einsum("ni,ni->n", slopes, true[of]) + rng.normal(0, 0.01, len(of))
    offsets[::6] += 2.5
    alike = np.ones(len(of))
    arguments = (slopes, offsets, alike, alike, np.full(len(of), 0.6), of, np.eye(2) * 1e-6)
    steps, normal, left, weights = robust_steps(*arguments, rounds=12)
    np.testing.assert_allclose(steps, true, atol=0.02)
    assert weights[::6].max() < 0.05
    assert np.median(weights) > 0.9
    assert normal.shape == (2, 2, 2)
    assert np.abs(np.delete(left, np.s_[::6])).max() < 0.1
    once = robust_steps(*arguments, rounds=1)[0]
    assert np.abs(once - true).max() > 0.1
