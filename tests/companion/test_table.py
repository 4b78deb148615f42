"""Depths of overlaps against formulas of their own: boxes in their own frame, and sums of what is nearest."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.game.table import Disk, Footprint, Outline, Point, overlap_mm, square

places_mm = st.floats(-60, 60)
sizes_mm = st.floats(5, 40)
angles_deg = st.floats(-180, 180)


def turned(x_mm: float, y_mm: float, angle_deg: float) -> Point:
    """A place after a turn about the origin, x towards y."""
    place = complex(x_mm, y_mm) * complex(math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg)))
    return place.real, place.imag


def box_distance_mm(x_mm: float, y_mm: float, half_x_mm: float, half_y_mm: float) -> float:
    """Distance of a place from the edge of a box about the origin, negative inside."""
    beyond_x, beyond_y = abs(x_mm) - half_x_mm, abs(y_mm) - half_y_mm
    return math.hypot(max(beyond_x, 0), max(beyond_y, 0)) + min(max(beyond_x, beyond_y), 0)


@given(places_mm, places_mm, sizes_mm, angles_deg, places_mm, places_mm, st.floats(1, 50))
def test_a_disk_lies_in_a_square_as_deep_as_in_the_squares_own_frame(
    x_mm: float, y_mm: float, side_mm: float, angle_deg: float, at_x_mm: float, at_y_mm: float, radius_mm: float
) -> None:
    die, disk = square(x_mm, y_mm, side_mm, angle_deg), Disk(at_x_mm, at_y_mm, radius_mm)
    own = turned(at_x_mm - x_mm, at_y_mm - y_mm, -angle_deg)
    expected = pytest.approx(radius_mm - box_distance_mm(*own, side_mm / 2, side_mm / 2), abs=1e-9)
    assert overlap_mm(disk, die) == overlap_mm(die, disk) == expected


@given(places_mm, places_mm, sizes_mm, angles_deg, places_mm, places_mm, sizes_mm)
def test_two_squares_of_one_turn_overlap_as_two_boxes_do(
    x_mm: float, y_mm: float, side_mm: float, angle_deg: float, at_x_mm: float, at_y_mm: float, other_mm: float
) -> None:
    one = square(*turned(x_mm, y_mm, angle_deg), side_mm, angle_deg)
    other = square(*turned(at_x_mm, at_y_mm, angle_deg), other_mm, angle_deg)
    half_mm = (side_mm + other_mm) / 2
    expected = pytest.approx(-box_distance_mm(x_mm - at_x_mm, y_mm - at_y_mm, half_mm, half_mm), abs=1e-9)
    assert overlap_mm(one, other) == overlap_mm(other, one) == expected


@pytest.mark.parametrize(
    ("a", "b", "depth_mm"),
    [
        (Disk(1, 2, 110), Disk(4, 6, 22.5), 127.5),
        (Disk(4, 6, 22.5), Disk(304, 406, 110), -367.5),
        # a corner that points at an edge, as no box in a box's frame does
        (square(0, 0, 2), square(1 + math.sqrt(2), 0, 2, 45), 0.0),
        (square(0, 0, 2), square(3, 0, 2, 45), math.sqrt(2) - 2),
        (square(0, 0, 2), square(2, 0, 2, 45), math.sqrt(2) - 1),
        # a corner told twice is one
        (Outline((*square(0, 0, 2).points_mm, (-1.0, 1.0))), Disk(3, 0, 1), -1.0),
    ],
)
def test_depths_that_one_can_reckon(a: Footprint, b: Footprint, depth_mm: float) -> None:
    assert overlap_mm(a, b) == pytest.approx(depth_mm, abs=1e-9)
    assert overlap_mm(b, a) == pytest.approx(depth_mm, abs=1e-9)
