"""Round things of a household that are red or blue are no samurai for sure: a chip of 42 mm was measured as one."""

from __future__ import annotations

import pytest

from companion.readings import SURE, Kind
from tests.scenes import ninja, samurai
from tests.vision.foreign_things import Rgb, StrangeTable, circle

AT = (150.0, 150.0)
RED, BLUE = (190, 25, 30), (25, 70, 180)


def sure_samurai(table: StrangeTable) -> list[tuple[int, int]]:
    samurai = [piece for piece in table.read().pieces if piece.kind is Kind.SAMURAI and piece.confidence >= SURE]
    return [(round(piece.x_mm), round(piece.y_mm)) for piece in samurai]


@pytest.mark.parametrize("color", [RED, BLUE])
@pytest.mark.parametrize(
    ("diameter_mm", "height_mm"), [(38, 16.0), (40, 3.5), (42, 3.5), (50, 3.5)], ids=["cap", "chip", "large", "larger"]
)
def test_a_disk_of_another_size_is_no_sure_samurai(diameter_mm: float, height_mm: float, color: Rgb) -> None:
    table = StrangeTable(samurai("red", (150, 600)))
    table.stand(circle(AT, diameter_mm), height_mm, color)
    assert sure_samurai(table) == [(150, 600)]


def test_a_samurai_by_itself_is_sure_also_where_a_ninja_stands_on_it() -> None:
    bodies = samurai("blue", (150, 600)), samurai("red", (850, 600)), ninja(4, (866, 600), on_mm=4.0)
    assert sorted(sure_samurai(StrangeTable(*bodies))) == [(150, 600), (850, 600)]
