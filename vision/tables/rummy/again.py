"""Reads unclear indices a second time, with the size and angle that indices on this table have.

The finder gives the size and angle of an index only roughly. All indices of a pack have one size, known on a calibrated
table. Neighbouring indices have one angle.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.photo.cards.find import IndexSpot
from vision.photo.cards.index import JOKER, RANKS, SUITS, Index, IndexReader, best_each
from vision.tables.rummy.cards import Floats, LaidCard, Pack, chances_of, clearness, half_turn, turned_by_lines
from vision.tables.rummy.limits import LIMITS
from vision.tables.rummy.paper import MatView


def read_again(indices: Sequence[Index], view: MatView, pack: Pack, reader: IndexReader) -> list[Index]:
    """The best reading of each index: as found, or with the pack's size and its neighbours' angle."""
    lined = turned_by_lines(indices, view.px_per_mm)
    clear = [index for index in lined if clearness(index) >= LIMITS.clear]
    asked = [
        spot
        for index, turned in zip(indices, lined, strict=True)
        if clearness(index) < LIMITS.clear and _is_near_size(index, pack, view)
        for spot in _ways(turned.spot, clear, view, pack)
        if _shows_more(spot, index.spot)
    ]
    return best_each([*indices, *reader.read_in(view.pyramid, asked)])


def _is_near_size(index: Index, pack: Pack, view: MatView) -> bool:
    return LIMITS.index_heights[0] < index.spot.height_px / view.px_per_mm / pack.height_mm < LIMITS.index_heights[1]


def _ways(spot: IndexSpot, clear: Sequence[Index], view: MatView, pack: Pack) -> list[IndexSpot]:
    own = replace(spot, height_px=pack.height_mm * view.px_per_mm)
    near = min((one.spot for one in clear), key=lambda one: np.hypot(one.x - spot.x, one.y - spot.y), default=own)
    off = half_turn(near.angle - spot.angle)
    is_near = np.hypot(near.x - spot.x, near.y - spot.y) < LIMITS.row_neighbour_mm * view.px_per_mm
    return [own, replace(own, angle=spot.angle + off)] if is_near and abs(off) > LIMITS.same_card_rad else [own]


def _shows_more(spot: IndexSpot, found: IndexSpot) -> bool:
    return (
        abs(np.log(spot.height_px / found.height_px)) > LIMITS.same_spot
        or abs(spot.angle - found.angle) > LIMITS.same_spot
    )


# The suit of a card with an unclear index, read from the large pips in the middle: they are three times as large. In an
# index, spades and clubs differ by a few pixels, diamonds and hearts by hardly more. Pips that no other card can cover
# are read like the suit of an index. If they change a card's suit, the card is never sure, whatever its meld says.


UPPER = 0.2
PLACES = {"A": ((0.5, 0.5),), "2": ((0.5, UPPER),), "3": ((0.5, UPPER),)}
USUAL_PLACES = ((0.5 - UPPER, UPPER), (0.5 + UPPER, UPPER))
"""Places of a rank's upper pips, as shares of the card's width and height. Ranks 4 to 10 have two columns."""


def with_big_pips(cards: Sequence[LaidCard], view: MatView, pack: Pack, reader: IndexReader) -> list[Floats | None]:
    """Probabilities of each card's values, (53,), from its indices and its large pips. None: no index was read."""
    chances = [chances_of(card) for card in cards]
    for i, said in enumerate(chances):
        if said is not None and _is_doubtful(said):
            spots = _spots(i, said, cards, view, pack)
            chances[i] = _weighed(said, reader.suits_at(view.pyramid, spots).mean(axis=0)) if spots else said
    return chances


def _is_doubtful(chances: Floats) -> bool:
    if chances.max() >= LIMITS.clear or int(chances.argmax()) == JOKER:
        return False
    ranks = chances[:JOKER].reshape(-1, len(SUITS)).sum(axis=1)
    return bool(ranks.max() >= LIMITS.rather_clear and RANKS[int(ranks.argmax())] not in "JQK")


def _spots(i: int, chances: Floats, cards: Sequence[LaidCard], view: MatView, pack: Pack) -> list[IndexSpot]:
    """Places of this card's pips that no other card covers, each in several sizes."""
    card, others = cards[i], [one for k, one in enumerate(cards) if k != i]
    rank = RANKS[int(chances[:JOKER].argmax()) // len(SUITS)]
    ways = [card]
    if rank != "A":  # an ace has one pip, and an upside-down spade looks like a heart
        ways.append(LaidCard(card.middle_mm, card.angle + np.pi, card.group, card.size_mm))
    spots = []
    for way in ways:
        for place in PLACES.get(rank, USUAL_PLACES):
            across, down = (np.array(place) - 0.5) * card.size_mm
            at = card.middle_mm + way.across * across + way.down * down
            if any((np.abs(one.seen_from(at)) < np.array(one.size_mm) / 2).all() for one in others):
                continue
            for grown in LIMITS.ace_pip_sizes if rank == "A" else LIMITS.pip_sizes:
                tall_mm = pack.height_mm * grown
                ((x, y),) = view.to_view((at - way.down * LIMITS.suit_offset * tall_mm)[None])
                spots.append(IndexSpot(float(x), float(y), tall_mm * view.px_per_mm, way.angle, LIMITS.unfound_score))
    return spots


def _weighed(chances: Floats, suits: Floats) -> Floats:
    """The probabilities after the evidence of pips (4,), or unchanged if the pips have the other colour."""
    is_red = np.isin(np.array(SUITS), ("H", "D"))
    suit = int(chances[:JOKER].argmax()) % len(SUITS)
    if suits[is_red == is_red[suit]].sum() < LIMITS.contradicting:
        return chances
    weighed = chances * np.append(np.tile(suits + LIMITS.min_suit_chance, len(RANKS) - 1), 1.0)
    return np.asarray(weighed / weighed.sum())
