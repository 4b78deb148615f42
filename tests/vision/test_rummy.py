"""The reader of card tables on drawn ones: cards, melds, order, what lies face down, what it cannot read."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from calibration.arrays import Floats, Picture
from calibration.pose import find_pose
from companion.game.brought import default_kit
from companion.game.readings import SURE, RummyReading, TableCard
from tests.scenes import WIDE_LENS
from vision.photo.cards.find import IndexSpot
from vision.photo.cards.group import Group
from vision.photo.cards.index import RANKS, Index
from vision.sim.virtual import VirtualTable
from vision.tables.rummy.cards import LaidCard, chances_of
from vision.tables.rummy.melds import CardGuess, in_context, melds_of, parted
from vision.tables.rummy.paper import MatView
from vision.tables.rummy.reader import RummyEye, open_eye
from vision.tables.rummy.suits import with_suits_of_pack
from vision.tables.rummy.unread import Gap, fits, is_across_word

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
    table = VirtualTable(KIT, WIDE_LENS, seats=("A", "B", "C"), wait=lambda _: None, seed=1)
    for x, y, step, cards in rows:
        for i, card in enumerate(cards.split()):
            table.deal(x + step * i, y, card)
    return table


def frame(laid: VirtualTable) -> Picture:
    picture = laid.frame()
    assert picture is not None
    return np.asarray(picture, np.uint8)


@cache
def read() -> RummyReading:
    laid = table()
    laid.deal(850, 150, "KH", is_face_up=False)
    return eye().read(frame(laid))


def name_in(card: TableCard) -> str:
    return f"{card.rank}{card.suit or ''}".replace("JOKER", "JK")


def melds(reading: RummyReading) -> list[str]:
    names = [name_in(card) for card in reading.cards]
    return sorted(" ".join(names[i] for i in meld) for meld in reading.melds)


def test_fans_and_rows_are_read_with_their_order() -> None:
    assert melds(read()) == sorted(cards for *_, cards in ROWS)


def test_cards_have_their_places_and_most_are_sure() -> None:
    by_name = {name_in(card): card for card in read().cards}
    for x, y, step, cards in ROWS:
        for i, name in enumerate(cards.split()):
            assert by_name[name].middle_mm == pytest.approx((x + step * i, y), abs=5)
    assert sum(card.confidence >= SURE for card in by_name.values()) >= len(by_name) / 2
    assert read().face_down == 1


def test_a_fan_without_an_index_is_never_a_table_without_the_card() -> None:
    """The index of a card is covered by a coin's shadow: the card is told as one that cannot be read."""
    picture = frame(table(((400, 300, 24, "5C 6C 7C 8C"),)))
    whole = eye().read(picture)
    (hidden,) = [card for card in whole.cards if card.rank == "6"]
    corner = np.array(hidden.corners) * [[0.9], [0.05], [0.0], [0.05]]
    x, y = np.rint(corner.sum(axis=0)).astype(int)
    covered = picture.copy()
    cv2.rectangle(covered, (x - 8, y - 8), (x + 14, y + 26), (235, 240, 240), cv2.FILLED)
    reading = eye().read(np.asarray(covered, np.uint8))
    assert len(reading.cards) == 4
    assert any(card.confidence < SURE for card in reading.cards)


def test_a_hole_in_a_fan_is_no_card() -> None:
    """Where a card was taken out of a fan, a card or a joker was told, and the players were asked in every turn."""
    laid = table(((150, 200, 25, "KD QD"), (225, 200, 25, "AD JD"), (500, 200, 50, "JH JS"), (150, 450, 24, "AC AH")))
    assert sorted(map(name_in, eye().read(frame(laid)).cards)) == ["AC", "AD", "AH", "JD", "JH", "JS", "KD", "QD"]


@pytest.mark.parametrize(
    ("card", "other", "missing", "does_fit"),
    [("4H", "6H", "5H", True), ("4H", "6H", "5D", False), ("KC", "2C", "AC", True), ("9H", "9S", "9D", True),
     ("9H", "9S", "9H", False)],
)  # fmt: skip
def test_a_faint_card_is_told_where_its_meld_lacks_it(card: str, other: str, missing: str, does_fit: bool) -> None:
    one, two, between = (laid(x, number(name), 0.9) for x, name in ((100, card), (140, other), (120, missing)))
    assert fits([between], 0, Gap(one, two, [[between]], 1.6)) is does_fit


def test_the_end_of_a_jokers_word_is_no_card_across_it() -> None:
    """It was read as an eight of diamonds, and people were asked what was laid."""
    view = MatView(np.zeros((1, 1, 3), np.uint8), find_pose(frame(table(())), WIDE_LENS, KIT), 1.0, 0.0)
    joker, eight = replace(laid(0.0, 52, 0.9), middle_mm=np.array([10.0, 27.0])), laid(0.0, number("8D"), 0.9)
    assert is_across_word(replace(eight, angle=1.5), [joker], view)
    assert not is_across_word(eight, [joker], view)


def test_an_empty_mat_has_no_cards() -> None:
    reading = eye().read(frame(table(())))
    assert (reading.cards, reading.melds, reading.face_down) == ((), (), 0)


def test_pictures_that_disagree_make_a_card_doubtful() -> None:
    reading = read()
    fewer = RummyReading(cards=reading.cards[1:], melds=(), face_down=1)
    fused = eye().fuse([fewer, reading])
    assert not fused.agree
    assert fused.reading.cards[0].confidence < SURE


def test_two_melds_laid_side_by_side_are_two() -> None:
    """Five diamonds in a row ended beside a cascade of spades: no meld, and a five was told a jack."""
    row = [laid(40.0 + 64 * i, 4 * rank + 3, 0.98) for i, rank in enumerate((7, 8, 9, 10))]
    beside = [laid(40.0 + 64 * (4 + i), 4 * rank, 0.98) for i, rank in enumerate((2, 3, 4))]
    cards = [*row, *beside]
    (together,) = melds_of(cards)
    assert parted(cards, [together]) == ((0, 1, 2, 3), (4, 5, 6))
    longer = [*row, laid(40.0 + 64 * 4, 4 * 11 + 3, 0.98), laid(40.0 + 64 * 5, 4 * 12 + 3, 0.98)]
    assert parted(longer, melds_of(longer)) == (tuple(range(6)),)  # one sequence stays one


def test_a_meld_bears_out_a_corner_that_is_not_clear_and_never_one_that_said_otherwise() -> None:
    clear, fair = CardGuess(4 * 5 + 2, 0.97), CardGuess(4 * 6 + 2, 0.8)
    chances = [chances_for(clear.card, 0.99), chances_for(fair.card, 0.85), chances_for(4 * 7 + 2, 0.99)]
    told = in_context(chances, [clear, fair, CardGuess(4 * 7 + 2, 0.97)])
    assert [one.confidence >= SURE for one in told] == [True, True, True]
    said_otherwise = [chances[0], chances_for(4 * 6 + 3, 0.6), chances[2]]
    told = in_context(said_otherwise, [clear, CardGuess(4 * 6 + 3, 0.6), CardGuess(4 * 7 + 2, 0.97)])
    assert told[1].card == fair.card
    assert told[1].confidence < SURE


def test_a_spade_that_looks_like_a_club_is_weighed_by_the_other_black_cards() -> None:
    """One camera took four of a hundred spades for clubs: its spades looked less clear than its clubs."""
    spades = [black(4 * rank, odds) for rank, odds in enumerate((-8.0, -4.0, -3.0, -2.0, 1.0, 2.0))]
    cards = [*spades, *(black(4 * rank + 3, 11.0) for rank in range(6))]
    doubtful = black(4 * 8, 1.0)
    alone, among = (chances_of(with_suits_of_pack([*others, doubtful])[-1]) for others in ([], cards))
    assert alone is not None
    assert among is not None
    assert alone[4 * 8] < 0.5
    assert among[4 * 8] > 0.7


def black(spade_or_club: int, club_odds: float) -> LaidCard:
    chances, spade = np.zeros(53), spade_or_club // 4 * 4
    chances[[spade, spade + 3]] = 1 / (1 + np.exp([club_odds, -club_odds]))
    return replace(laid(0.0, 0, 1.0), group=Group((), chances, np.zeros((4, 2))))


def test_a_card_that_nobody_can_read_overrules_no_corner() -> None:
    """Seven and eight of clubs, laid with a wide step, were told as seven, joker and nine."""
    own = [CardGuess(4 * 6 + 2, 0.99), CardGuess(None, 0.0), CardGuess(4 * 7 + 2, 0.99)]
    assert in_context([chances_for(4 * 6 + 2, 0.99), None, chances_for(4 * 7 + 2, 0.99)], own) == own
    doubtful = [own[0], own[1], CardGuess(4 * 8 + 2, 0.5)]  # overrules nothing: the one between is worked out
    told = in_context([chances_for(4 * 6 + 2, 0.99), None, chances_for(4 * 8 + 2, 0.99)], doubtful)
    assert [one.card for one in told][::2] == [4 * 6 + 2, 4 * 8 + 2]


def chances_for(card: int | None, chance: float) -> Floats:
    chances = np.full(53, (1 - chance) / 52)
    chances[card] = chance
    return chances


def number(name: str) -> int:
    return RANKS.index(name[:-1]) * 4 + "CDHS".index(name[-1])


def laid(x_mm: float, card: int, chance: float) -> LaidCard:
    chances = chances_for(card, chance)
    index = Index(IndexSpot(0.0, 0.0, 20.0, 0.0, 0.9), np.zeros(14), np.zeros(4), 0.7)
    return LaidCard(np.array([x_mm, 100.0]), 0.0, Group((index,), chances, np.zeros((4, 2))), (63.0, 88.0))
