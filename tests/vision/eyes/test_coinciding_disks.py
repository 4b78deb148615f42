"""Two samurai of one colour exactly on each other: they look like one whose wall is twice as high."""

from __future__ import annotations

import math

import pytest

from companion.readings import SURE, EyesReading, Kind, Piece
from tests.scenes import KIT, samurai
from tests.vision.wide_table import read

HEIGHT_MM = KIT.piece(Kind.SAMURAI).size_mm("height")
LAND_MM = KIT.piece(Kind.TERRITORY).size_mm("height")
RED = KIT.piece("territory").start_mm["red"]


def samurai_in(reading: EyesReading) -> list[Piece]:
    return [piece for piece in reading.pieces if piece.kind is Kind.SAMURAI]


@pytest.mark.parametrize(
    ("color", "at", "aside_mm"),
    [
        ("blue", (90.0, 610.0), 0.0),
        ("red", (120.0, 580.0), 0.0),
        ("red", (880.0, 600.0), 1.0),
    ],
)
def test_both_of_a_pair_are_told_and_the_people_asked(color: str, at: tuple[float, float], aside_mm: float) -> None:
    above = (at[0] + aside_mm, at[1])
    reading = read(samurai(color, at), samurai(color, above, on_mm=HEIGHT_MM))
    found = samurai_in(reading)
    assert [piece.color for piece in found] == [color, color]
    assert all(piece.confidence < SURE for piece in found)
    # taken for one they were measured by the parallax of one disk, up to 1.8 mm aside
    assert all(math.dist((piece.x_mm, piece.y_mm), above) < 1.0 for piece in found)
    (rest,) = reading.rests_on
    assert {rest.piece, rest.on} == {piece.id for piece in found}
    assert rest.confidence < SURE


@pytest.mark.parametrize("aside_mm", [(-70.0, 20.0), (-70.0, 70.0), (-90.0, -40.0)])
def test_a_pair_that_can_hardly_be_told_from_one_is_in_doubt_and_its_error_says_so(
    aside_mm: tuple[float, float],
) -> None:
    at = (RED[0] + aside_mm[0], RED[1] + aside_mm[1])
    reading = read(samurai("blue", at, on_mm=LAND_MM), samurai("blue", at, on_mm=LAND_MM + HEIGHT_MM))
    found = samurai_in(reading)
    assert all(piece.confidence < SURE for piece in found)
    said = [o.sigma_mm for o in reading.overlaps if o.over == "territory_red"]
    assert len(said) == len(found)
    assert min(said) > 0.5


@pytest.mark.parametrize("at", [(90.0, 610.0), (905.0, 100.0), (880.0, 600.0), (150.0, 120.0)])
@pytest.mark.parametrize("color", ["red", "blue"])
def test_one_by_itself_is_one_and_sure(color: str, at: tuple[float, float]) -> None:
    (found,) = samurai_in(read(samurai(color, at)))
    assert found.confidence >= SURE
    assert math.dist((found.x_mm, found.y_mm), at) < 0.25


def test_one_on_another_of_the_other_colour_is_one() -> None:
    at = (90.0, 610.0)
    reading = read(samurai("red", at), samurai("blue", (98.0, 604.0), on_mm=HEIGHT_MM))
    assert sorted(str(piece.color) for piece in samurai_in(reading)) == ["blue", "red"]
