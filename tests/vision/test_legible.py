"""What cannot be read is refused with its code, by dice and cards alike; what can be read is let through.

`read cards` once said of a black, a white and a blurred picture that no card lies there, `read dice` gave a blurred
table's dice values that were no better than guesses.
"""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.game.errors import ReadingError, ReadingFault
from tests.vision.card_table import face_of, felt, put
from tests.vision.dice_scenes import die, photograph
from vision.photo.cards.reader import CardsEye
from vision.photo.dice.reader import DiceEye
from vision.photo.legible import must_be_sharp, must_show_something
from vision.readers import Picture


def cards() -> Picture:
    table = felt()
    put(table, face_of(("A", "S")), 250, 250, 20)
    put(table, face_of(("10", "H")), 600, 300, -70)
    return table


def dice() -> Picture:
    return photograph([die(k + 1, at=(1.5 * (k % 3), 1.5 * (k // 3))) for k in range(5)], die_px=60)


def blurred(picture: Picture, sigma_px: float) -> Picture:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma_px), np.uint8)


def lit(picture: Picture, share: float) -> Picture:
    return np.clip(picture * share, 0, 255).astype(np.uint8)


@pytest.fixture(scope="module", params=["dice", "cards"])
def table(request: pytest.FixtureRequest) -> tuple[DiceEye | CardsEye, Picture]:
    return (DiceEye(), dice()) if request.param == "dice" else (CardsEye(), cards())


def test_what_shows_nothing_is_refused_with_its_code(table: tuple[DiceEye | CardsEye, Picture]) -> None:
    eye, picture = table
    for shown, code in (
        (np.zeros_like(picture), ReadingFault.TOO_DARK),
        (lit(picture, 0.02), ReadingFault.TOO_DARK),
        (np.full_like(picture, 255), ReadingFault.TOO_BRIGHT),
        (blurred(picture, 12), ReadingFault.BLURRED),
    ):
        with pytest.raises(ReadingError) as refused:
            eye.read(shown)
        assert refused.value.code == code


def test_a_picture_in_order_is_let_through(table: tuple[DiceEye | CardsEye, Picture]) -> None:
    _, picture = table
    for shown in (picture, blurred(picture, 1), lit(picture, 0.3)):
        must_show_something(shown)
        must_be_sharp(shown)
