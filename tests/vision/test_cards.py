"""Cards that lie on rendered tables, read by the shipped models."""

from collections import Counter

import cv2
import numpy as np
import pytest

from companion.game.readings import SURE, CardsReading
from tests.vision.card_table import TALL_PX, Card, back, face_of, felt, put
from vision.photo.cards.reader import CardsEye, open_eye


@pytest.fixture(scope="module")
def eye() -> CardsEye:
    return open_eye()


def said(reading: CardsReading) -> Counter[tuple[str, str | None]]:
    return Counter((card.rank, card.suit) for card in reading.cards)


FIVE: list[tuple[Card, float, float, float]] = [
    (("A", "S"), 150, 150, 20),
    (("10", "H"), 420, 150, -70),
    (("Q", "C"), 700, 150, 180),
    (("7", "D"), 220, 460, 90),
    (("6", "S"), 560, 460, -35),
]


def test_five_cards_at_any_angle(eye: CardsEye) -> None:
    table = felt()
    for card, x, y, turn in FIVE:
        put(table, face_of(card), x, y, turn)
    reading = eye.read(table)
    assert said(reading) == Counter(card for card, *_ in FIVE)
    assert reading.face_down == 0


def test_a_card_whose_two_indices_disagree_is_not_two_sure_cards(eye: CardsEye) -> None:
    """One misread index made a second sure card of one card."""
    face = face_of(("7", "H"))
    face[TALL_PX // 2 :] = face_of(("9", "C"))[TALL_PX // 2 :]
    table = felt()
    put(table, face, 430, 320, 20, tall_px=300)
    reading = eye.read(table)
    assert said(reading) == Counter([("7", "H"), ("9", "C")])
    assert all(card.confidence < SURE and card.reason for card in reading.cards)


def test_in_a_row_where_cards_cover_each_other_the_corner_is_enough_to_be_sure(eye: CardsEye) -> None:
    table = felt()
    row: list[Card] = [("3", "C"), ("J", "D"), ("8", "S"), ("2", "H"), ("5", "D")]
    for k, card in enumerate(row):
        put(table, face_of(card), 250 + 48 * k, 300, 0, tall_px=240)
    reading = eye.read(table)
    assert said(reading) == Counter(row)
    assert all(card.confidence >= SURE for card in reading.cards)


def test_cards_face_down_are_counted_apart(eye: CardsEye) -> None:
    table = felt()
    put(table, back(), 200, 200, 15)
    put(table, back(), 620, 420, 80)
    put(table, face_of(("4", "C")), 620, 170, 0)
    reading = eye.read(table)
    assert reading.face_down == 2
    assert said(reading) == Counter({("4", "C"): 1})


@pytest.mark.parametrize("name", ["words", "dice", "noise"])
def test_where_no_card_lies_none_is_read(eye: CardsEye, name: str) -> None:
    table = felt()
    if name == "words":
        cv2.rectangle(table, (150, 80), (750, 560), (235, 240, 240), -1)
        for k, words in enumerate(("10 kg of A4 paper", "Q: 7 or 8?", "K 5 J 9 4 2", "see page 36")):
            cv2.putText(table, words, (180, 170 + 95 * k), (20, 20, 30), cv2.FontFace("sans"), 50, 500)
    if name == "dice":
        for k in range(5):
            x = 120 + 150 * k
            cv2.rectangle(table, (x, 250), (x + 60, 310), (240, 240, 240), -1)
            for j in range(k + 1):
                cv2.circle(table, (x + 14 + 16 * (j % 3), 266 + 22 * (j // 3)), 6, (20, 20, 20), -1)
    if name == "noise":
        table[:] = np.random.default_rng(3).integers(0, 256, table.shape)
    reading = eye.read(table)
    assert reading.cards == ()
    assert reading.face_down == 0


def test_what_is_too_blurred_to_tell_is_not_said_with_confidence(eye: CardsEye) -> None:
    table = felt()
    for card, x, y, turn in FIVE:
        put(table, face_of(card), x, y, turn, tall_px=150)
    there = Counter(card for card, *_ in FIVE)
    for sigma_px in (2, 3, 4):
        blurred = np.asarray(cv2.GaussianBlur(table, (0, 0), sigma_px), np.uint8)
        sure = Counter((c.rank, c.suit) for c in eye.read(blurred).cards if c.confidence >= SURE)
        assert not sure - there


def test_the_drawing_is_a_picture_of_the_same_size_that_differs(eye: CardsEye) -> None:
    table = felt()
    put(table, face_of(("K", "C")), 400, 300, 10)
    reading = eye.read(table)
    drawn = eye.draw(table, reading)
    assert drawn.shape == table.shape
    assert (drawn != table).any()
