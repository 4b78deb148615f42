"""Where a die could lie unseen: a hidden die never counts as gone, and an open table hides none."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from companion.game.readings import EyesReading, Kind
from tests.scenes import KIT, empire_die, ninja, samurai
from tests.vision.wide_table import read
from vision.measure.bodies import Fit, Place
from vision.sim.rest import settled
from vision.sim.scene import Body
from vision.tables.eyes import hideouts
from vision.tables.eyes.pieces import Detection, Shapes

SIDE_MM = KIT.piece(Kind.EMPIRE_DIE).size_mm("side")
NEAR_MM = 20.0
"""A hideout is told for all places near it."""
OTHERS = [
    empire_die("red", (160.0, 120.0), angle_deg=10, id="a"),
    empire_die("blue", (840.0, 580.0), angle_deg=20, id="b"),
    empire_die("blue", (160.0, 580.0), angle_deg=50, id="c"),
]


def dice_of(reading: EyesReading) -> int:
    return sum(piece.kind is Kind.EMPIRE_DIE for piece in reading.pieces)


def under(at: tuple[float, float]) -> list[Body]:
    """A die wholly under a level samurai, beside one that lies flat."""
    return [samurai("blue", (at[0] + 1.0, at[1]), on_mm=SIDE_MM, id="s1"), samurai("blue", (300.0, 600.0), id="s2")]


def in_a_heap(at: tuple[float, float]) -> list[Body]:
    """A die under samurai that lean on it and on a ninja."""
    x, y = at
    return [
        ninja(3, (x + 30.0, y + 5.0), id="n1"),
        samurai("red", (x + 8.0, y - 6.0), on_mm=40.0, id="s1"),
        samurai("blue", (x - 14.0, y + 9.0), on_mm=50.0, id="s2"),
    ]


@pytest.mark.parametrize(("at", "hides"), [((640.0, 350.0), under), ((520.0, 240.0), in_a_heap)])
def test_a_die_that_others_hide_does_not_count_as_gone(
    at: tuple[float, float], hides: Callable[[tuple[float, float]], list[Body]]
) -> None:
    over = hides(at)
    die = empire_die("red", at, angle_deg=30, id="h")
    bodies = settled([die, *OTHERS, *over], [body.id for body in over])
    reading = read(*bodies)
    assert dice_of(reading) == 3
    assert reading.hideouts
    nearest = min(reading.hideouts, key=lambda h: math.dist((h.x_mm, h.y_mm), at))
    assert math.dist((nearest.x_mm, nearest.y_mm), at) < NEAR_MM
    kinds = {piece.kind for piece in reading.pieces if piece.id in nearest.behind}
    assert Kind.SAMURAI in kinds


def test_an_open_table_hides_no_die() -> None:
    pieces = [
        *OTHERS,
        samurai("red", (640.0, 350.0)),
        samurai("blue", (400.0, 330.0)),
        samurai("blue", (300.0, 600.0)),
        ninja(3, (500.0, 240.0), angle_deg=20),
        ninja(6, (700.0, 640.0)),
    ]
    reading = read(*pieces)
    assert dice_of(reading) == 3
    assert reading.hideouts == ()


def cells(ball: np.ndarray, *changes: tuple[slice, slice, float]) -> set[tuple[int, int]]:
    """The cells of an open mat, some of it at another height, where little of a ball would be seen."""
    heights = np.zeros((40, 40), np.float32)
    for rows, columns, height in changes:
        heights[rows, columns] = height
    return {(int(row), int(column)) for row, column in hideouts._little_seen(heights, ball)}


def test_a_ball_hides_only_where_the_mat_does_not_show() -> None:
    ball, bulge_mm = hideouts._ball(SIDE_MM / 2)
    assert bulge_mm.max() == SIDE_MM / 2
    assert cells(ball) == set()
    wide, narrow = slice(15, 25), slice(17, 22)
    assert (20, 20) in cells(ball, (wide, wide, 28.0))
    assert cells(ball, (narrow, narrow, 16.0)) == set()
    assert (20, 20) in cells(ball, (wide, wide, np.inf))


def test_a_ball_meets_what_fills_its_place() -> None:
    filled = np.array([[0.0, 0.0, 2.0], [100.0, 0.0, 28.0]])
    middles = np.array([[5.0, 0.0, 14.0], [30.0, 0.0, 14.0], [100.0, 0.0, 14.0]])
    assert hideouts._is_free(middles, filled, 11.5).tolist() == [True, True, True]
    assert hideouts._is_free(middles, filled, 14.5).tolist() == [False, True, False]


def test_places_that_touch_are_one_and_name_what_hides_them() -> None:
    ball, _ = hideouts._ball(SIDE_MM / 2)
    owners = np.full((40, 40), hideouts.NOBODY, np.int32)
    owners[10:20, 10:20] = 3
    hidden = np.array([[14, 14], [14, 15], [30, 30]])
    places = np.array([[40.0, 40.0, 14.0], [43.0, 40.0, 14.0], [90.0, 90.0, 14.0]])
    found = hideouts._grouped(hidden, places, np.zeros((3, 4), bool), owners, ball)
    assert [(h.at_mm[1], h.behind, h.on_it) for h in found] == [(40.0, (3,), ()), (90.0, (), ())]
    stand = np.zeros((3, 4), bool)
    stand[0, 3] = True  # a die at the first place would carry the piece that hides it, and at the second it would not
    found = hideouts._grouped(hidden, places, stand, owners, ball)
    assert sorted((h.at_mm, h.on_it) for h in found) == [((40.0, 40.0), (3,)), ((43.0, 40.0), ()), ((90.0, 90.0), ())]


@pytest.mark.parametrize(("z_mm", "is_borne"), [(30.0, True), (35.0, True), (38.5, False), (42.0, False)])
def test_a_ninja_carries_a_die_no_higher_than_its_top_allows(z_mm: float, is_borne: bool) -> None:
    one = Detection(
        Kind.NINJA,
        None,
        Shapes.of(KIT).ninja,
        Fit(Place(np.array([20.0, 80.0, 8.0]), np.eye(3)), np.eye(6), 1.0, 1.0, 1.0, 0.0),
    )
    borne = hideouts._is_borne(np.array([[5.0, 75.0]]), z_mm, [one], [16.0], SIDE_MM / 2)
    assert borne.tolist() == [is_borne]


def test_no_die_hides_outside_the_picture_beside_a_ninja() -> None:
    """Seed 9102: 17 of its 19 questions were about such a place, as if the ninja were two dice high."""
    assert read(*OTHERS, ninja(3, (21.5, 87.3), angle_deg=20)).hideouts == ()


def test_a_die_under_two_ninjas_would_have_to_carry_one() -> None:
    """Seed 11: two ninjas that lay close together hid a die, as if both stood on it."""
    ninjas = [ninja(1, (71.0, 7.5), angle_deg=13, id="n1"), ninja(5, (62.5, 23.6), angle_deg=26, id="n2")]
    reading = read(*OTHERS, *ninjas)
    found = {piece.id for piece in reading.pieces if piece.kind is Kind.NINJA}
    assert len(found) == 2
    assert reading.hideouts
    assert all(hideout.on_it and found >= set(hideout.on_it) for hideout in reading.hideouts)
