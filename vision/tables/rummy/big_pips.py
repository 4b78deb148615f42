"""A suit that a small index leaves in doubt, told by the pips in the middle of the card: they are three times as large.

Spades and clubs differ by a few pixels of an index, diamonds and hearts by hardly more. Pips that no other card can
cover are read as an index is, where its suit would be. A card whose suit they change is never sure, whatever its meld
says.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.photo.cards.find import Spot
from vision.photo.cards.index import RANKS, SUITS, IndexReader
from vision.tables.rummy.cards import ASKED_SCORE, JOKER, Floats, Laid, Pack, chances_of
from vision.tables.rummy.view import TableView

CLEAR = 0.9
"""A card this likely is not in doubt."""
LEAST_RANK = 0.8
"""So much of a doubt is about the suit, else it is not known where pips are."""
PLACES = {"A": ((0.5, 0.5),), "2": ((0.5, 0.2),), "3": ((0.5, 0.2),)}
USUAL_PLACES = ((0.3, 0.2), (0.7, 0.2))
"""Where a rank's upper pips are, in shares of the card's width and height: 4 to 10 have two columns of them."""
GROWN, GROWN_ACE = (2.0, 2.6, 3.2), (2.6, 3.2, 4.0)
"""So many times as large as an index's suit they may be."""
SUIT_BELOW = 0.3
"""An index's suit is so far below its middle, in its heights."""
LEAST_COLOR = 0.7
"""What is read so seldom as a suit of the index's colour is no pip."""
FLOOR = 0.1
"""A pip never rules a suit out."""


def with_big_pips(cards: Sequence[Laid], view: TableView, pack: Pack, reader: IndexReader) -> list[Floats | None]:
    """What all cards may be, (53,) each, or None where nothing tells: `chances_of`, and what their large pips say."""
    chances = [chances_of(card) for card in cards]
    for i, said in enumerate(chances):
        if said is not None and _is_doubtful(said):
            spots = _spots(i, said, cards, view, pack)
            chances[i] = _weighed(said, reader.suits_at(view.pyramid, spots).mean(axis=0)) if spots else said
    return chances


def _is_doubtful(chances: Floats) -> bool:
    if chances.max() >= CLEAR or int(chances.argmax()) == JOKER:
        return False
    ranks = chances[:JOKER].reshape(-1, len(SUITS)).sum(axis=1)
    return bool(ranks.max() >= LEAST_RANK and RANKS[int(ranks.argmax())] not in "JQK")


def _spots(i: int, chances: Floats, cards: Sequence[Laid], view: TableView, pack: Pack) -> list[Spot]:
    """Where a card that may be so has pips that no other one lies over, each at some sizes."""
    card, others = cards[i], [one for k, one in enumerate(cards) if k != i]
    rank = RANKS[int(chances[:JOKER].argmax()) // len(SUITS)]
    ways = [card]
    if rank != "A":  # that has one pip, and a spade on its head is a heart
        ways.append(Laid(card.middle_mm, card.angle + np.pi, card.group, card.size_mm))
    spots = []
    for way in ways:
        for place in PLACES.get(rank, USUAL_PLACES):
            across, down = (np.array(place) - 0.5) * card.size_mm
            at = card.middle_mm + way.across * across + way.down * down
            if any((np.abs(one.seen_from(at)) < np.array(one.size_mm) / 2).all() for one in others):
                continue
            for grown in GROWN_ACE if rank == "A" else GROWN:
                tall_mm = pack.height_mm * grown
                ((x, y),) = view.to_view((at - way.down * SUIT_BELOW * tall_mm)[None])
                spots.append(Spot(float(x), float(y), tall_mm * view.px_per_mm, way.angle, ASKED_SCORE))
    return spots


def _weighed(chances: Floats, suits: Floats) -> Floats:
    """The chances where pips look like suits (4,), if that is a suit of the same colour."""
    is_red = np.isin(np.array(SUITS), ("H", "D"))
    suit = int(chances[:JOKER].argmax()) % len(SUITS)
    if suits[is_red == is_red[suit]].sum() < LEAST_COLOR:
        return chances
    weighed = chances * np.append(np.tile(suits + FLOOR, len(RANKS) - 1), 1.0)
    return np.asarray(weighed / weighed.sum())
