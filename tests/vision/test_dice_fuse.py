"""Several readings of a settled throw become one."""

from __future__ import annotations

from companion.readings import SURE, DiceReading, DieSeen
from vision.dice_fuse import fused


def seen(value: int | None, x: float = 0, confidence: float = 0.99) -> DieSeen:
    reason = "the die leans" if value is None else None
    return DieSeen(value=value, box=(x, 0, x + 30, 30), confidence=confidence, reason=reason)


def one(*dice: DieSeen) -> DiceReading:
    return DiceReading(dice=dice)


def test_agreement_keeps_the_confidence() -> None:
    (die,) = fused([one(seen(3)), one(seen(3, x=2)), one(seen(3, x=1))]).dice
    assert (die.value, die.confidence) == (3, 0.99)


def test_one_picture_that_disagrees_makes_the_die_unsure() -> None:
    (die,) = fused([one(seen(3, confidence=1.0))] * 99 + [one(seen(2, confidence=0.5))]).dice
    assert die.value == 3
    assert die.confidence < SURE


def test_two_values_with_equal_support_are_no_value() -> None:
    (die,) = fused([one(seen(3)), one(seen(5))]).dice
    assert die.value is None
    assert die.reason == "the pictures do not agree"


def test_a_die_that_no_picture_could_tell_keeps_its_reason() -> None:
    (die,) = fused([one(seen(None)), one(seen(None))]).dice
    assert (die.value, die.reason) == (None, "the die leans")


def test_a_die_in_few_of_the_pictures_is_left_out_and_a_missing_one_lowers_confidence() -> None:
    whole = one(seen(1), seen(6, x=100))
    fusing = fused([whole, whole, one(seen(1)), one(seen(1), seen(2, x=200))])
    assert [(d.value, d.confidence) for d in fusing.dice] == [(1, 0.99), (6, 0.495)]


def test_touching_dice_stay_apart() -> None:
    throw = one(seen(1), seen(1, x=31))
    assert len(fused([throw, throw]).dice) == 2


def test_no_pictures_no_dice() -> None:
    assert fused([]).dice == ()
