"""What the other cards of a meld say of a card: people lay groups and sequences, so a doubtful card is seldom another.

All groups and sequences that a meld's cards may be are weighed by what the corners say. Where one of them is far the
likeliest, its doubtful cards are taken for what it has there. What a corner says for itself stays: a card that its
corner told otherwise is never told surely, because players do lay what is no meld.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from vision.tables.rummy_cards import JOKER

Floats = NDArray[np.float64]

RANKS, SUITS = 13, 4
SMALLEST = 3
FLOOR = 2e-3
"""No corner is so sure that it rules out another card more than so: the networks err alike in one picture."""
UNREAD_JOKER = 0.12
"""A card whose corner tells nothing is a joker so often."""
LEAST_LEAD = 20.0
"""A meld must be so many times likelier than the next that differs in a card."""
BELIEVED = 0.6
"""From this confidence of its own corner on, a card becomes surer where its meld bears it out,"""
DOUBT_LEFT = 0.25
"""so that this share of the doubt is left."""
TOLD_BY_OTHERS = 0.6
"""How sure a card is that its meld alone tells."""


@dataclass(frozen=True, slots=True)
class Told:
    """A card by number (52: a joker; None: not told) and how sure that is."""

    card: int | None
    confidence: float


def in_context(chances: Sequence[Floats | None], own: Sequence[Told]) -> list[Told]:
    """The cards of a meld, in the order in which they lie: `chances` (53,) of each corner, `own` what it said alone."""
    if len(own) < SMALLEST or len(own) > RANKS + 1:
        return list(own)
    weights = np.array([_weights(one) for one in chances])
    told = sorted(((_weight(weights, cards), cards) for cards in _melds(len(own))), reverse=True)
    if not told:
        return list(own)
    best_weight, best = told[0]
    best_weight, best = best_weight, tuple(_joker_or(weights[i], card) for i, card in enumerate(best))
    unlike = (weight for weight, cards in told[1:] if not _agree(weights, cards, best))
    lead = float(np.exp(min(50.0, best_weight - next(unlike, -1e9))))
    freely = float(np.log(weights.max(axis=1)).sum())
    if lead < LEAST_LEAD or best_weight < freely - 3.0 - 2.5 * _differing(own, best):
        return list(own)
    most = max((one.confidence for one, card in zip(own, best, strict=True) if one.card == card != JOKER), default=0.0)
    if len({card // SUITS for card in best if card != JOKER}) == 1:
        most = 1.0  # suits of a group are all different: each speaks for the others
    return [_settled(one, card, most) for one, card in zip(own, best, strict=True)]


def _weights(chances: Floats | None) -> Floats:
    if chances is None:
        return np.append(np.full(52, (1 - UNREAD_JOKER) / 52), UNREAD_JOKER)
    return np.asarray(chances + FLOOR) / (1 + 53 * FLOOR)


def _weight(weights: Floats, cards: tuple[int, ...]) -> float:
    rows = np.arange(len(cards))
    return float(np.log(np.maximum(weights[rows, cards], weights[:, JOKER])).sum())


def _joker_or(weights: Floats, card: int) -> int:
    return JOKER if weights[JOKER] > weights[card] else card


def _agree(weights: Floats, cards: tuple[int, ...], best: tuple[int, ...]) -> bool:
    return all(_joker_or(row, card) == other for row, card, other in zip(weights, cards, best, strict=True))


def _differing(own: Sequence[Told], best: Sequence[int]) -> int:
    return sum(one.card != card for one, card in zip(own, best, strict=True))


def _settled(own: Told, card: int, most: float) -> Told:
    """A card of the likeliest meld. `most`: no card of a sequence is surer than its surest corner, since one suit is
    taken for another in all of them alike."""
    if own.card != card:
        return Told(card, TOLD_BY_OTHERS)
    if own.confidence < BELIEVED:
        return Told(card, max(own.confidence, TOLD_BY_OTHERS))
    return Told(card, max(own.confidence, min(most, 1 - (1 - own.confidence) * DOUBT_LEFT)))


def _melds(count: int) -> Iterator[tuple[int, ...]]:
    """Every group and sequence of so many cards, by numbers of `cards_index.name_of` (rank * 4 + suit)."""
    if count <= SUITS:
        for rank in range(RANKS):
            for suits in permutations(range(SUITS), count):
                yield tuple(rank * SUITS + suit for suit in suits)
    for suit in range(SUITS):
        for low in range(RANKS + 1 - count + 1):
            row = tuple((low + i) % RANKS * SUITS + suit for i in range(count))
            yield row
            yield row[::-1]
