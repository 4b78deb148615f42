"""The reader of card tables on drawn ones: cards, melds, order, what lies face down, what it cannot read."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import cv2
import numpy as np
import pytest

from companion.kit import default_kit
from companion.readings import SURE, RummyReading
from tests.scenes import WIDE_LENS
from vision.sim.virtual import VirtualTable
from vision.tables.rummy import RummyEye, open_eye

KIT = default_kit("manipulation_rummy")
ROWS = (
    (150, 150, 22, "5C 6C 7C 8C"),
    (450, 150, 24, "QH QS QD"),
    (150, 400, 68, "10D 10S JK 10H"),
    (650, 400, 25, "AS 2S 3S 4S"),
)


@cache
def eye() -> RummyEye:
    return open_eye(WIDE_LENS, KIT)


def table(rows: Iterable[tuple[int, int, int, str]] = ROWS) -> VirtualTable:
    table = VirtualTable(KIT, WIDE_LENS, seats=("A", "B"), wait=lambda _: None, seed=1)
    for x, y, step, cards in rows:
        for i, card in enumerate(cards.split()):
            table.deal(x + step * i, y, card)
    return table


@cache
def read() -> RummyReading:
    laid = table()
    laid.deal(850, 150, "KH", is_face_up=False)
    picture = laid.frame()
    assert picture is not None
    return eye().read(picture)


def melds(reading: RummyReading) -> list[str]:
    names = [f"{card.rank}{card.suit or ''}".replace("JOKER", "JK") for card in reading.cards]
    return sorted(" ".join(names[i] for i in meld) for meld in reading.melds)


def test_fans_and_rows_are_read_with_their_order() -> None:
    assert melds(read()) == sorted(cards for *_, cards in ROWS)


def test_what_is_sure_is_right_and_most_is_sure() -> None:
    laid = {card for *_, cards in ROWS for card in cards.split()}
    sure = [f"{card.rank}{card.suit}" for card in read().cards if card.confidence >= SURE]
    assert set(sure) <= laid
    assert len(sure) >= len(laid) / 2


def test_cards_have_their_places() -> None:
    by_name = {f"{card.rank}{card.suit}": card for card in read().cards}
    for x, y, step, cards in ROWS:
        for i, name in enumerate(cards.split()):
            if name != "JK":
                assert by_name[name].middle_mm == pytest.approx((x + step * i, y), abs=5)


def test_a_card_face_down_is_counted_and_not_read() -> None:
    assert read().face_down == 1


def test_a_fan_without_an_index_is_never_a_table_without_the_card() -> None:
    """The index of a card is covered by a coin's shadow: the card is told as one that cannot be read."""
    picture = table(((400, 300, 24, "5C 6C 7C 8C"),)).frame()
    assert picture is not None
    whole = eye().read(picture)
    (hidden,) = [card for card in whole.cards if card.rank == "6"]
    corner = np.array(hidden.corners) * [[0.9], [0.05], [0.0], [0.05]]
    x, y = np.rint(corner.sum(axis=0)).astype(int)
    covered = picture.copy()
    cv2.rectangle(covered, (x - 8, y - 8), (x + 14, y + 26), (235, 240, 240), cv2.FILLED)
    reading = eye().read(np.asarray(covered, np.uint8))
    assert len(reading.cards) == 4
    assert any(card.confidence < SURE for card in reading.cards)


def test_an_empty_mat_has_no_cards() -> None:
    picture = table(()).frame()
    assert picture is not None
    reading = eye().read(picture)
    assert (reading.cards, reading.melds, reading.face_down) == ((), (), 0)


def test_pictures_that_disagree_make_a_card_doubtful() -> None:
    reading = read()
    fewer = RummyReading(cards=reading.cards[1:], melds=(), face_down=1)
    fused = eye().fuse([fewer, reading])
    assert not fused.agree
    assert fused.reading.cards[0].confidence < SURE
