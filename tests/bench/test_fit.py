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
    Shown,
    finds,
    fit,
    made_cautious,
    says,
    values,
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


def test_what_counts_ten_times_pulls_the_rule_as_ten_of_it_would() -> None:
    rows, heavy = drawn(400, 2), [((1.0, 0.0), False)]
    once = fit(rows + heavy * 10, np.ones(410))
    weighed = fit(rows + heavy, np.array([1.0] * 400 + [10.0]))
    np.testing.assert_allclose(weighed, once, atol=0.01)


BY_HEAT = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def shown(truth: tuple[int, ...], *made: tuple[float, float, int]) -> Shown:
    """A picture with these dice and finds of such a first sign, side and value, right where it is one of the dice."""
    made_of = [
        Find(Found(0, 0, side, side, 0.5), (sign, 0.0, 0.0, 0.0, 0.0), (sign, 0.0, 0.0), value, False, value in truth)
        for sign, side, value in made
    ]
    return Shown(truth, tuple(made_of))


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


def test_a_find_is_the_labelled_die_that_it_lies_in_and_is_as_large_as_and_each_die_is_found_once() -> None:
    truth = [{"box": [10, 10, 50, 50], "value": 3}]
    chances = np.array([[0.0, 0.0, 0.0, 0.99, 0.0, 0.0, 0.0, 0.01]] * 4, np.float32)
    places = [(30, 30, 8, 0.99), (30, 30, 40, 0.95), (31, 30, 40, 0.9), (90, 30, 40, 0.8)]
    found = [Found(x, y, side, side, heat) for x, y, side, heat in places]
    assert [
        find.is_right
        for find in finds(found, chances, np.zeros((len(found), 6), np.float32), [0.0] * len(found), truth)
    ] == [
        False,
        True,
        False,
        False,
    ]


def test_only_values_of_what_the_rule_takes_for_dice_count_and_none_that_face_readers_doubt() -> None:
    sure, hazy = [0.0, 0.0, 0.0, 0.99, 0.0, 0.0, 0.0, 0.01], [0.0, 0.1, 0.1, 0.5, 0.1, 0.1, 0.09, 0.01]
    found = [Found(30, 30, 40, 40, heat) for heat in (0.9, 0.3, 0.8)]
    made = finds(
        found,
        np.array([sure, sure, hazy], np.float32),
        np.zeros((3, 6), np.float32),
        [0.0] * 3,
        [{"box": [10, 10, 50, 50], "value": 3}],
    )
    assert values([Shown((3,), made)], BY_HEAT, 0.86) == [(made[0].evidence, True)]
    assert values([Shown((3,), made)], (*BY_HEAT[:-1], -9.0), 0.86) == []
