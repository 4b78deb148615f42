"""A margin over several ways of lying: called only where all but a little of it lies on one side of the rim."""

from __future__ import annotations

import numpy as np
import pytest

from companion.game.margin import Call
from vision.measure.prepared import Floats
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.margins import mixture

OPEN = np.array([0, 0])
BESIDE_OR_ON = np.array([-1, 1])


def shares(other: float) -> Floats:
    return np.array([1 - other, other])


@pytest.mark.parametrize(
    ("other", "call"),
    [(0.0, Call.CLEAR), (0.5 * LIMITS.max_other_side, Call.CLEAR), (2 * LIMITS.max_other_side, Call.TOO_CLOSE)],
)
def test_a_die_is_called_where_all_but_a_little_says_the_same(other: float, call: Call) -> None:
    """One that leaned by 5 degrees on a rim was called clear of it by 2.5 mm with an error of 0.15 mm."""
    margin = mixture(np.array([-2.5, 1.4]), np.array([0.02, 0.02]), shares(other), BESIDE_OR_ON)
    assert margin.call() is call
    assert margin.margin_mm == pytest.approx(-2.5, abs=0.05)


def test_one_way_with_its_side_open_has_the_error_of_its_fit() -> None:
    margin = mixture(np.array([1.2]), np.array([0.04]), np.array([1.0]), np.array([0]))
    assert (margin.margin_mm, margin.sigma_mm) == (1.2, 0.2)
    assert margin.call() is Call.OVERLAPS


def test_two_ways_on_one_side_differ_and_still_overlap() -> None:
    margin = mixture(np.array([1.8, 2.6]), np.array([0.02, 0.02]), shares(0.4), OPEN)
    assert margin.margin_mm == pytest.approx(2.12)
    assert margin.sigma_mm == pytest.approx(np.hypot(0.141, 0.392), abs=0.01)
    assert margin.call() is Call.OVERLAPS


def test_a_piece_that_surely_rests_on_the_rim_overlaps_however_little() -> None:
    near = np.array([0.2]), np.array([0.15**2]), np.array([1.0])
    assert mixture(*near, np.array([1])).call() is Call.OVERLAPS
    assert mixture(*near, np.array([0])).call() is Call.TOO_CLOSE


def test_where_the_picture_shows_too_little_the_way_decides_nothing() -> None:
    poor = np.array([0.4]), np.array([(LIMITS.max_margin_error_mm + 0.1) ** 2]), np.array([1.0])
    assert mixture(*poor, np.array([1])).call() is Call.TOO_CLOSE


def test_calls_are_wrong_no_more_often_than_the_ways_say() -> None:
    rng = np.random.default_rng(3)
    wrong = called = 0
    for _ in range(400):
        other = float(rng.choice([0.0005, 0.002, 0.01, 0.2]))
        depths = np.array([-rng.uniform(0.2, 2.0), rng.uniform(0.2, 2.5)])
        call = mixture(depths, np.array([0.02, 0.02]), shares(other), BESIDE_OR_ON).call()
        is_on = bool(rng.random() < other)
        called += call is not Call.TOO_CLOSE
        wrong += call is (Call.CLEAR if is_on else Call.OVERLAPS)
    assert called > 150
    assert wrong <= 3
