"""White things of a household are no empire dice: each of these was read as one, surely and with a bare top."""

from __future__ import annotations

import pytest

from companion.readings import Kind
from tests.scenes import empire_die
from tests.vision.foreign_things import Rgb, StrangeTable, circle, oblong

AT = (150.0, 150.0)
WHITE, STEEL = (240, 240, 236), (215, 215, 212)


@pytest.mark.parametrize(
    ("outline_mm", "height_mm", "color"),
    [
        pytest.param(circle(AT, 29), 14.0, WHITE, id="a bottle's cap"),
        pytest.param(circle(AT, 30), 3.5, WHITE, id="a small chip"),
        pytest.param(circle(AT, 40), 3.5, WHITE, id="a large chip"),
        pytest.param(circle(AT, 27), 2.0, STEEL, id="a coin"),
        pytest.param(oblong(AT, 36, 31, 20), 0.5, WHITE, id="a scrap of paper"),
        pytest.param(oblong(AT, 42, 24, 20), 11.0, WHITE, id="an eraser"),
        pytest.param(oblong(AT, 22, 22, 20), 22.0, WHITE, id="another game's die"),
        pytest.param(oblong(AT, 35, 35, 20), 20.0, WHITE, id="a box"),
    ],
)
def test_only_dice_of_the_set_are_dice(outline_mm, height_mm: float, color: Rgb) -> None:  # type: ignore[no-untyped-def]
    table = StrangeTable(empire_die("red", (150, 600)))
    table.stand(outline_mm, height_mm, color)
    dice = [piece for piece in table.read().pieces if piece.kind is Kind.EMPIRE_DIE]
    assert [(round(die.x_mm), round(die.y_mm)) for die in dice] == [(150, 600)]
