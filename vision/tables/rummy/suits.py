"""Clubs and spades of a table, weighed by all its black cards.

Small spades look like clubs: how much depends on the pack, the camera and the light, which all cards of a table share.
So the log odds of a card's club are compared with those of the other black cards.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.arrays import Floats
from vision.photo.cards.index import JOKER, SUITS
from vision.tables.rummy.cards import LaidCard
from vision.tables.rummy.limits import LIMITS

TINY = float(np.finfo(np.float64).tiny)
"""No probability is lower: its logarithm is finite."""
SPADES, CLUBS = (slice(SUITS.index(suit), JOKER, len(SUITS)) for suit in "SC")


def with_suits_of_pack(cards: Sequence[LaidCard]) -> list[LaidCard]:
    """The cards, with the probabilities of black suits by all of them."""
    told = list(cards)
    black = [(k, card.group) for k, card in enumerate(cards) if card.group is not None and _is_black(card.group.cards)]
    own = [np.diff(np.log([of.cards[suit].sum() + TINY for suit in (SPADES, CLUBS)]))[0] for _, of in black]
    for (k, group), odds in zip(black, _fitted(np.array(own)), strict=True):
        whole, club = group.cards.copy(), 1 / (1 + np.exp(-odds))
        either = whole[SPADES] + whole[CLUBS]
        whole[SPADES], whole[CLUBS] = either * (1 - club), either * club
        told[k] = replace(cards[k], group=replace(group, cards=whole))
    return told


def _is_black(chances: Floats) -> bool:
    return bool(chances[SPADES].sum() + chances[CLUBS].sum() > LIMITS.even_chance)


def _fitted(own: Floats) -> Floats:
    """Log odds (N,) of clubs, from each card's own.

    Two normal distributions are fitted by expectation maximization; the usual ones count as some cards more.
    Source: Dempster, Laird & Rubin, Maximum likelihood from incomplete data, JRSS B 39 (1977).
    """
    worth, usual = LIMITS.usual_cards, LIMITS.usual_club_odds * np.array([-1.0, 1.0])
    means, variances, before = usual, (usual / 2) ** 2, np.zeros(2)
    while not np.allclose(means, before):
        before = means
        weights = np.exp(-np.logaddexp(0, np.outer(_odds(own, means, variances), (1, -1))))
        count = worth + weights.sum(axis=0)
        means = (worth * usual + own @ weights) / count
        off = ((own[:, None] - means) ** 2 * weights).sum(axis=0)
        variances = (worth * (usual / 2) ** 2 + off) / count
    return _odds(own, means, variances)


def _odds(own: Floats, means: Floats, variances: Floats) -> Floats:
    """Log odds (N,) of the second distribution."""
    likely = -((own[:, None] - means) ** 2) / (2 * variances) - np.log(variances) / 2
    return np.asarray(likely[:, 1] - likely[:, 0])
