"""What cannot be read is refused with its code, by dice and cards alike.

`read cards` once said of a black, a white and a blurred picture that no card lies there, `read dice` gave a blurred
table's dice values that were no better than guesses.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from calibration.arrays import Picture
from companion.game.errors import ReadingError, ReadingFault
from tests.vision.card_table import face_of, felt, put
from tests.vision.dice_scenes import die, photograph
from vision.photo.cards.reader import CardsEye
from vision.photo.dice.reader import DiceEye


def cards() -> Picture:
    table = felt()
    put(table, face_of(("A", "S")), 250, 250, 20)
    put(table, face_of(("10", "H")), 600, 300, -70)
    return table


def dice() -> Picture:
    return photograph([die(5)], die_px=60)


@pytest.mark.parametrize(("eye", "drawn"), [(DiceEye, dice), (CardsEye, cards)])
def test_what_shows_nothing_is_refused_with_its_code(
    eye: type[DiceEye | CardsEye], drawn: Callable[[], Picture]
) -> None:
    picture = drawn()
    for shown, code in (
        (np.zeros_like(picture), ReadingFault.TOO_DARK),
        (np.full_like(picture, 255), ReadingFault.TOO_BRIGHT),
        (np.asarray(cv2.GaussianBlur(picture, (0, 0), 12), np.uint8), ReadingFault.BLURRED),
    ):
        with pytest.raises(ReadingError) as refused:
            eye().read(shown)
        assert refused.value.code == code
