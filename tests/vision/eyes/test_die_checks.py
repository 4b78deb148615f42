"""Things of a household are no dice of the set: white ones were read as empire dice, surely and with a bare top, and
another game's green dice as ninjas, with their values."""

from __future__ import annotations

import pytest

from companion.game.errors import ReadingError
from companion.game.readings import Kind
from tests.scenes import empire_die, ninja
from tests.vision.foreign_things import Rgb, StrangeTable, circle, oblong

pytestmark = pytest.mark.nightly

AT = (150.0, 150.0)
WHITE, STEEL = (240, 240, 236), (215, 215, 212)


@pytest.mark.parametrize(
    ("outline_mm", "height_mm", "color"),
    [
        pytest.param(circle(AT, 29), 14.0, WHITE, id="a bottle's cap"),
        pytest.param(circle(AT, 30), 3.5, WHITE, id="a small chip"),
        pytest.param(circle(AT, 27), 2.0, STEEL, id="a coin"),
        pytest.param(oblong(AT, 36, 31, 20), 0.5, WHITE, id="a scrap of paper"),
        pytest.param(oblong(AT, 42, 24, 20), 11.0, WHITE, id="an eraser"),
        pytest.param(oblong(AT, 22, 22, 20), 22.0, WHITE, id="another game's die"),
    ],
)
def test_only_dice_of_the_set_are_dice(outline_mm, height_mm: float, color: Rgb) -> None:  # type: ignore[no-untyped-def]
    table = StrangeTable(empire_die("red", (150, 600)))
    table.stand(outline_mm, height_mm, color)
    dice = [piece for piece in table.read().pieces if piece.kind is Kind.EMPIRE_DIE]
    assert [(round(die.x_mm), round(die.y_mm)) for die in dice] == [(150, 600)]


@pytest.mark.parametrize(
    ("outline_mm", "height_mm"),
    [
        pytest.param(circle(AT, 40), 3.5, id="a large chip"),
        pytest.param(oblong(AT, 35, 35, 20), 20.0, id="a box"),
    ],
)
def test_what_is_as_broad_as_a_samurai_is_to_be_taken_away(outline_mm, height_mm: float) -> None:  # type: ignore[no-untyped-def]
    table = StrangeTable(empire_die("red", (150, 600)))
    table.stand(outline_mm, height_mm, WHITE)
    with pytest.raises(ReadingError, match="something that is not a piece"):
        table.read()


def test_dice_that_would_stand_in_each_other_are_in_doubt() -> None:
    """A strip of paper 50 mm long was read as two dice 22 mm apart, both for sure; two that touch are no such thing."""
    table = StrangeTable(empire_die("red", (150, 600)), empire_die("red", (178.3, 600), id="empire_die_red_1"))
    table.lay(oblong((500, 90), 50, 28), WHITE)
    dice = [piece for piece in table.read().pieces if piece.kind is Kind.EMPIRE_DIE]
    assert {(round(die.x_mm), die.confidence) for die in dice if die.y_mm > 400} == {(150, 1.0), (178, 1.0)}
    assert [die.confidence for die in dice if die.y_mm < 400] == [0.5, 0.5]


def test_a_green_die_of_a_ninja_s_size_is_no_ninja() -> None:
    table = StrangeTable(ninja(3, (150, 600)))
    table.stand(oblong(AT, 16, 16, 20), 16.0, (20, 110, 50))
    for pip in oblong(AT, 8, 8, 20).tolist():
        table.lay(circle((pip[0], pip[1]), 3.3), (245, 245, 245), 16.0)
    ninjas = [piece for piece in table.read().pieces if piece.kind is Kind.NINJA]
    assert [(round(die.x_mm), round(die.y_mm), die.value) for die in ninjas] == [(150, 600, 3)]
