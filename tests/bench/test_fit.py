"""Rules are fitted to what was seen, then made frugal and cautious."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")

from bench.fit.dice import (
    LEANING_BUT_SURE,
    SURE_BUT_WRONG,
    Examples,
    fit,
    made_cautious,
    says,
)
from companion.game.readings import SURE


def drawn(count: int, seed: int, slope: float = 2.0, constant: float = -1.0) -> Examples:
    """Evidence of two numbers, of which the first alone tells, by a logistic rule."""
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 2, (count, 2))
    yes = rng.random(count) < 1 / (1 + np.exp(-(slope * x[:, 0] + constant)))
    return [((float(a), float(b)), bool(y)) for (a, b), y in zip(x, yes, strict=True)]


def test_a_cautious_rule_is_hardly_ever_sure_and_wrong_and_hardly_of_what_is_no_die() -> None:
    rows = drawn(2000, 4)
    leaning, bare = ([(evidence, False) for evidence, _ in drawn(100, seed)] for seed in (5, 6))
    rule = made_cautious(fit(rows, np.ones(len(rows))), rows, leaning, bare, 1)
    right = np.array([answer for _, answer in rows])
    assert (says(rule, rows, SURE) & ~right).sum() <= SURE_BUT_WRONG * len(rows)
    assert says(rule, leaning, SURE).sum() <= LEANING_BUT_SURE * len(leaning)
    assert says(rule, bare, SURE).sum() <= 1
