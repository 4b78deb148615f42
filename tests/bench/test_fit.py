"""Rules are fitted to what was seen, then made frugal and cautious."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")

from bench.fit.dice import (
    LEANING_BUT_SURE,
    SURE_BUT_WRONG,
    Examples,
    Find,
    LabelledPicture,
    fit,
    made_cautious,
    says,
)
from companion.game.readings import SURE
from vision.photo.dice.find import Found


def drawn(count: int, seed: int, slope: float = 2.0, constant: float = -1.0) -> Examples:
    """Evidence of two numbers, of which the first alone tells, by a logistic rule."""
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 2, (count, 2))
    yes = rng.random(count) < 1 / (1 + np.exp(-(slope * x[:, 0] + constant)))
    return [((float(a), float(b)), bool(y)) for (a, b), y in zip(x, yes, strict=True)]


def test_the_fit_finds_the_rule_that_made_the_answers_and_gives_no_weight_to_what_tells_nothing() -> None:
    rows = drawn(6000, 1)
    slope, other, constant = fit(rows, np.ones(len(rows)))
    assert slope == pytest.approx(2, abs=0.25)
    assert constant == pytest.approx(-1, abs=0.2)
    assert 0 <= other < 0.08


BY_HEAT = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def shown(truth: tuple[int, ...], *made: tuple[float, float, int]) -> LabelledPicture:
    """A picture with these dice and finds of such a first sign, side and value, right where it is one of the dice."""
    made_of = [
        Find(Found(0, 0, side, side, 0.5), (sign, 0.0, 0.0, 0.0, 0.0), (sign, 0.0, 0.0), value, False, value in truth)
        for sign, side, value in made
    ]
    return LabelledPicture(truth, tuple(made_of))


def test_a_picture_is_read_right_when_the_kept_finds_say_its_dice() -> None:
    picture = shown((2, 5), (3.0, 30, 2), (0.5, 32, 5), (-1.0, 30, 4))
    assert picture.is_read_right(BY_HEAT, 0.86)
    assert not picture.is_read_right((*BY_HEAT[:-1], -0.6), 0.86)  # the five is lost
    assert not picture.is_read_right((*BY_HEAT[:-1], 1.1), 0.86)  # a four is made up
    assert shown((), (0.5, 30, 3)).is_read_right(BY_HEAT, 0.86)  # nothing plain beside it
    assert not shown((), (0.5, 30, 3)).is_read_right(BY_HEAT, 0.0)


def test_a_cautious_rule_is_hardly_ever_sure_and_wrong_and_hardly_of_what_is_no_die() -> None:
    rows = drawn(2000, 4)
    leaning, bare = ([(evidence, False) for evidence, _ in drawn(100, seed)] for seed in (5, 6))
    rule = made_cautious(fit(rows, np.ones(len(rows))), rows, leaning, bare, 1)
    right = np.array([answer for _, answer in rows])
    assert (says(rule, rows, SURE) & ~right).sum() <= SURE_BUT_WRONG * len(rows)
    assert says(rule, leaning, SURE).sum() <= LEANING_BUT_SURE * len(leaning)
    assert says(rule, bare, SURE).sum() <= 1
