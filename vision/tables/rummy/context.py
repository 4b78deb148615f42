"""What the other cards of a meld say of a card: people lay groups and sequences, so a doubtful card is seldom another.

All groups and sequences that a meld's cards may be are weighed by what the corners say. Where one of them is far the
likeliest, its doubtful cards are taken for what it has there. What a corner says for itself stays: a card that its
corner told otherwise is never told surely, because players do lay what is no meld. And no card of a sequence is surer
than its surest corner, since one suit is taken for another in all of them alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from companion.game.readings import SURE
from vision.tables.rummy.cards import JOKER

Floats = NDArray[np.float64]

RANKS, SUITS = 13, 4
SMALLEST = 3
FLOOR = 4e-3
"""No corner is so sure that it rules out another card more than so: the networks err alike in one picture."""
UNREAD_JOKER = 0.12
"""A card whose corner tells nothing is a joker so often."""
LIKELY = 3.0
"""So much less likely, as a logarithm, than what their corners say cards may be that make a meld."""
LEAST_LEAD = 20.0
"""A meld must be so many times likelier than the next that differs in a card."""
NO_MELD = 0.05
"""Cards that lie together make neither a group nor a sequence so often."""
BELIEVED = 0.5
"""From this chance on a corner is borne out by its meld."""
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
    of_card = weights[np.arange(len(own)), _melds(len(own))]
    weighed = np.log(np.maximum(of_card, weights[:, JOKER])).sum(axis=1)
    told = np.where(weights[:, JOKER] > of_card, JOKER, _melds(len(own)))
    at = int(weighed.argmax())
    best, best_weight = [int(card) for card in told[at]], float(weighed[at])
    unlike = weighed[(told != told[at]).any(axis=1)]
    lead = float(np.exp(min(50.0, best_weight - float(unlike.max(initial=-1e9)))))
    freely = float(np.log(weights.max(axis=1)).sum())
    if best_weight < freely - LIKELY - 2.5 * _differing(own, best) or not _is_borne_out(own, best):
        return list(own)
    if lead < LEAST_LEAD:  # the likeliest meld is still likelier than cards that make none, and people are asked
        return [
            one if one.card == card else Told(card, min(one.confidence, TOLD_BY_OTHERS))
            for one, card in zip(own, best, strict=True)
        ]
    most = max((one.confidence for one, card in zip(own, best, strict=True) if one.card == card != JOKER), default=0.0)
    if len({card // SUITS for card in best if card != JOKER}) == 1:
        most = 1.0  # suits of a group are all different: each speaks for the others
    jointly = _jointly(weights, best)
    return [
        _settled(one, card, min(most, chance) if corner is not None and corner[card] >= BELIEVED else 0.0)
        for one, card, corner, chance in zip(own, best, chances, jointly, strict=True)
    ]


def without_copies(chances: Sequence[Floats | None], own: Sequence[Told]) -> list[Floats | None]:
    """What the corners of all cards of a table say, (53,) each: less of what another card is, if one pack lies there.

    Many sure cards and none of them twice tell that. Sure ones stay as they are.
    """
    sure = [one.card for one in own if one.card != JOKER and one.confidence >= SURE]
    one_pack = _chance_of_one_pack(len(sure)) if len(set(sure)) == len(sure) else 0.0
    said = np.array([np.zeros(JOKER + 1) if corner is None else corner for corner in chances]).reshape(-1, JOKER + 1)
    said[:, JOKER] = 0
    weighed: list[Floats | None] = []
    for i, (corner, one) in enumerate(zip(chances, own, strict=True)):
        if corner is not None and one.confidence < SURE:
            corner = corner * (1 - one_pack * np.delete(said, i, axis=0).max(axis=0, initial=0))
            corner /= max(float(corner.sum()), 1e-12)
        weighed.append(corner)
    return weighed


def _chance_of_one_pack(count: int) -> float:
    """That only one pack lies there where so many of its cards lie and none twice."""
    left = 2 * JOKER - np.arange(count)
    return float(1 / (1 + np.prod(1 - np.arange(count) / left)))


def is_likely(chances: Sequence[Floats | None]) -> bool:
    """Whether cards, in the order in which they lie, are about as likely a group or sequence as anything else."""
    if not SMALLEST <= len(chances) <= RANKS + 1:
        return False
    weights = np.array([_weights(one) for one in chances])
    of_card = weights[np.arange(len(chances)), _melds(len(chances))]
    best = np.log(np.maximum(of_card, weights[:, JOKER])).sum(axis=1).max()
    return bool(best > np.log(weights.max(axis=1)).sum() - LIKELY)


def _weights(chances: Floats | None) -> Floats:
    if chances is None:
        return np.append(np.full(52, (1 - UNREAD_JOKER) / 52), UNREAD_JOKER)
    return np.asarray(chances + FLOOR) / (1 + 53 * FLOOR)


def _differing(own: Sequence[Told], best: Sequence[int]) -> int:
    return sum(one.card != card for one, card in zip(own, best, strict=True))


def _is_borne_out(own: Sequence[Told], best: Sequence[int]) -> bool:
    """Whether cards that were read speak for a meld against one that it overrules: two of them, for any two cards make
    some meld with one that nobody can read."""
    told = [(one.card, card) for one, card in zip(own, best, strict=True) if one.card is not None]
    agreeing = sum(one == card for one, card in told)
    return agreeing == len(told) or agreeing >= SMALLEST - 1


def _settled(own: Told, card: int, jointly: float) -> Told:
    """A card of the likeliest meld, which bears out what its own corner says, or overrules it."""
    if own.card != card:
        return Told(card, TOLD_BY_OTHERS)
    return Told(card, max(own.confidence, jointly))


def _jointly(weights: Floats, best: Sequence[int]) -> Floats:
    """The chance of each card of `best`, (N,), by all groups and sequences that the cards may be, and by none."""
    count = len(best)
    melds = _melds(count)
    of_card, joker = weights[np.arange(count), melds], weights[:, JOKER]
    each = np.exp(np.log((of_card + joker) * JOKER).sum(axis=1)) * (1 - NO_MELD) / len(melds)
    whole = each.sum() + NO_MELD
    chances = []
    for i, card in enumerate(best):
        share = (joker[i] if card == JOKER else of_card[:, i] * (melds[:, i] == card)) / (of_card[:, i] + joker[i])
        chances.append((float(each @ share) + NO_MELD * float(weights[i, card])) / whole)
    return np.array(chances)


@cache
def _melds(count: int) -> NDArray[np.intp]:
    """Every group and sequence of so many cards (N, count), by numbers of `cards_index.name_of` (rank * 4 + suit)."""
    groups = permutations(range(SUITS), count) if count <= SUITS else ()
    melds = [[rank * SUITS + suit for suit in suits] for suits in groups for rank in range(RANKS)]
    for suit in range(SUITS):
        for low in range(RANKS + 1 - count + 1):
            row = [(low + i) % RANKS * SUITS + suit for i in range(count)]
            melds += [row, row[::-1]]
    return np.array(melds)
