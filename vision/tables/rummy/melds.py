"""Groups cards into melds: rows and fans along a card's short side, cascades along its long side.

`in_context` corrects a doubtful card by its meld. `without_pips` drops pips that were read as indices.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from math import hypot

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats
from companion.game.readings import SURE
from vision.photo.cards.index import JOKER
from vision.photo.cards.index import SUITS as SUIT_NAMES
from vision.tables.rummy.cards import LaidCard, chances_of, count_of
from vision.tables.rummy.limits import LIMITS


def melds_of(cards: Sequence[LaidCard]) -> tuple[tuple[int, ...], ...]:
    """The cards' numbers by meld, each meld in table order, the melds from the upper left on."""
    parent = list(range(len(cards)))

    def root(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    middles = np.array([card.middle_mm for card in cards]).reshape(-1, 2)
    far = np.linalg.norm(middles[:, None] - middles, axis=2)
    for i, card in enumerate(cards):
        for j in range(i):
            if far[i, j] < hypot(*card.size_mm) and (are_beside(card, cards[j]) or are_beside(cards[j], card)):
                parent[root(i)] = root(j)
    melds: dict[int, list[int]] = {}
    for i in range(len(cards)):
        melds.setdefault(root(i), []).append(i)
    ordered = [_in_order(cards, meld) for meld in melds.values()]
    return tuple(sorted(ordered, key=lambda meld: _place(cards, meld)))


def parted(cards: Sequence[LaidCard], melds: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """The melds, with two melds that touch split: their cards together do not form a meld, each part does."""
    found: list[Sequence[int]] = []
    for meld in melds:
        found += next(filter(None, (_halves(cards, meld, pair) for pair in _ways(cards, meld))), [meld])
    return tuple(sorted((tuple(meld) for meld in found), key=lambda meld: _place(cards, meld)))


def _ways(cards: Sequence[LaidCard], meld: Sequence[int]) -> list[tuple[int, int]]:
    """The neighbours between which a group of cards that does not form a meld may be split."""
    if len(meld) < 2 * MIN_MELD or is_likely([chances_of(cards[i]) for i in meld]):
        return []
    return [(i, j) for i, j in permutations(meld, 2) if are_beside(cards[i], cards[j])]


def _halves(cards: Sequence[LaidCard], meld: Sequence[int], pair: tuple[int, int]) -> list[Sequence[int]]:
    """The two melds left after parting a pair of neighbours; none if the rest is not two melds."""
    one, other = cards[pair[0]].middle_mm, cards[pair[1]].middle_mm
    near = [i for i in meld if float((cards[i].middle_mm - (one + other) / 2) @ (other - one)) < 0]
    halves = [_in_order(cards, part) for part in (near, [i for i in meld if i not in near]) if len(part) >= MIN_MELD]
    likely = [half for half in halves if is_likely([chances_of(cards[i]) for i in half])]
    return list(likely) if len(likely) == 2 else []


def are_beside(card: LaidCard, other: LaidCard) -> bool:
    """Whether two cards are neighbours in a row, a fan or a cascade."""
    turn = (other.angle - card.angle + np.pi / 2) % np.pi - np.pi / 2
    if abs(turn) > LIMITS.same_card_rad:
        return False
    dx, dy = np.abs(card.seen_from(other.middle_mm))
    wide, long = card.size_mm
    return bool(
        (dy <= LIMITS.max_row_mm and dx <= wide + LIMITS.max_row_mm) or (dx <= LIMITS.max_row_mm and dy <= long)
    )


def is_cascade(cards: Sequence[LaidCard], meld: Sequence[int]) -> bool:
    """Whether a meld runs along its cards' long side."""
    spread = np.ptp([cards[meld[0]].seen_from(cards[i].middle_mm) for i in meld], axis=0)
    return bool(spread[1] > spread[0])


def _in_order(cards: Sequence[LaidCard], meld: Sequence[int]) -> tuple[int, ...]:
    """The numbers of a meld's cards in reading order, upright for most cards: a joker may be upside down."""
    axis = 1 if is_cascade(cards, meld) else 0
    first = max((cards[i] for i in meld), key=lambda card: sum(float(card.across @ cards[i].across) for i in meld))
    return tuple(sorted(meld, key=lambda i: float(first.seen_from(cards[i].middle_mm)[axis])))


def _place(cards: Sequence[LaidCard], meld: Sequence[int]) -> tuple[int, float]:
    """The row of a meld, in heights of a card, and its place along it."""
    x, y = np.mean([cards[i].middle_mm for i in meld], axis=0)
    return int(y // cards[meld[0]].size_mm[1]), float(x)


# Evidence from the other cards of a meld for a doubtful card: people lay groups and sequences. All groups and sequences
# are compared with the corners' evidence. If one is by far the most probable, its values replace the doubtful ones. A
# value that contradicts its own corner is never sure, because players do lay illegal melds. No card of a sequence is
# more certain than the sequence's most certain corner: one mistaken suit is mistaken in all of them.


SUITS = len(SUIT_NAMES)
RANKS = JOKER // SUITS
MIN_MELD = SUITS - 1
"""A group has all suits or all but one; a sequence is as long at least."""


@dataclass(frozen=True, slots=True)
class CardGuess:
    """A card by number (52: a joker; None: unread) with its confidence."""

    card: int | None
    confidence: float


def in_context(chances: Sequence[Floats | None], own: Sequence[CardGuess]) -> list[CardGuess]:
    """The cards of a meld in table order. `chances` (53,): each corner's probabilities; `own`: the guess by the corner
    alone."""
    if len(own) < MIN_MELD or len(own) > RANKS + 1:
        return list(own)
    weights = np.array([_weights(one) for one in chances])
    of_card = weights[np.arange(len(own)), _melds(len(own))]
    weighed = np.log(np.maximum(of_card, weights[:, JOKER])).sum(axis=1)
    told = np.where(weights[:, JOKER] > of_card, JOKER, _melds(len(own)))
    at = int(weighed.argmax())
    best, best_weight = [int(card) for card in told[at]], float(weighed[at])
    unlike = weighed[(told != told[at]).any(axis=1)]
    log_lead = best_weight - float(unlike.max(initial=-np.inf))
    freely = float(np.log(weights.max(axis=1)).sum())
    lead = LIMITS.meld_log_lead * (1 + _differing(own, best))
    if best_weight < freely - lead or not _is_borne_out(own, best):
        return list(own)
    if log_lead < LIMITS.meld_log_lead:  # the best meld is still more probable than no meld, and people are asked
        return [
            one if one.card == card else CardGuess(card, min(one.confidence, LIMITS.by_meld_confidence))
            for one, card in zip(own, best, strict=True)
        ]
    most = max((one.confidence for one, card in zip(own, best, strict=True) if one.card == card != JOKER), default=0.0)
    if len({card // SUITS for card in best if card != JOKER}) == 1:
        most = 1.0  # the suits of a group all differ: each confirms the others
    jointly = _jointly(weights, best)
    return [
        _settled(one, card, min(most, chance) if corner is not None and corner[card] >= LIMITS.even_chance else 0.0)
        for one, card, corner, chance in zip(own, best, chances, jointly, strict=True)
    ]


def without_copies(chances: Sequence[Floats | None], own: Sequence[CardGuess]) -> list[Floats | None]:
    """Probabilities (53,) of each card, lowered for values that other cards have, if only one pack is on the table.

    Many sure cards without a repeat prove one pack. Sure cards stay as they are.
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
    """Probability of a single pack, given this many sure cards and no repeat among them."""
    left = 2 * JOKER - np.arange(count)
    return float(1 / (1 + np.prod(1 - np.arange(count) / left)))


def is_likely(chances: Sequence[Floats | None]) -> bool:
    """Whether cards in table order are about as likely to be a group or sequence as not."""
    if not MIN_MELD <= len(chances) <= RANKS + 1:
        return False
    weights = np.array([_weights(one) for one in chances])
    of_card = weights[np.arange(len(chances)), _melds(len(chances))]
    best = np.log(np.maximum(of_card, weights[:, JOKER])).sum(axis=1).max()
    return bool(best > np.log(weights.max(axis=1)).sum() - LIMITS.meld_log_lead)


def _weights(chances: Floats | None) -> Floats:
    if chances is None:
        return np.append(np.full(JOKER, (1 - LIMITS.unread_is_joker) / JOKER), LIMITS.unread_is_joker)
    return np.asarray(chances + LIMITS.min_corner_chance) / (1 + (JOKER + 1) * LIMITS.min_corner_chance)


def _differing(own: Sequence[CardGuess], best: Sequence[int]) -> int:
    return sum(one.card != card for one, card in zip(own, best, strict=True))


def _is_borne_out(own: Sequence[CardGuess], best: Sequence[int]) -> bool:
    """Whether the corners agree with the meld, all or two: one card always fits some meld."""
    told = [(one.card, card) for one, card in zip(own, best, strict=True) if one.card is not None]
    agreeing = sum(one == card for one, card in told)
    return agreeing == len(told) or agreeing >= MIN_MELD - 1


def _settled(own: CardGuess, card: int, jointly: float) -> CardGuess:
    """A card of the most probable meld: confirmed if its corner agrees, in doubt if not."""
    if own.card != card:
        return CardGuess(card, LIMITS.by_meld_confidence)
    return CardGuess(card, max(own.confidence, jointly))


def _jointly(weights: Floats, best: Sequence[int]) -> Floats:
    """Probability of each card of `best`, (N,): a weighted mean over all groups and sequences, and no meld."""
    count = len(best)
    melds = _melds(count)
    of_card, joker = weights[np.arange(count), melds], weights[:, JOKER]
    each = np.exp(np.log((of_card + joker) * JOKER).sum(axis=1)) * (1 - LIMITS.rare) / len(melds)
    whole = each.sum() + LIMITS.rare
    chances = []
    for i, card in enumerate(best):
        share = (joker[i] if card == JOKER else of_card[:, i] * (melds[:, i] == card)) / (of_card[:, i] + joker[i])
        chances.append((float(each @ share) + LIMITS.rare * float(weights[i, card])) / whole)
    return np.array(chances)


@cache
def _melds(count: int) -> NDArray[np.intp]:
    """Every group and sequence of this many cards (N, count), by numbers of `cards_index.name_of` (rank * 4 + suit)."""
    groups = permutations(range(SUITS), count) if count <= SUITS else ()
    melds = [[rank * SUITS + suit for suit in suits] for suits in groups for rank in range(RANKS)]
    for suit in range(SUITS):
        for low in range(RANKS + 1 - count + 1):
            row = [(low + i) % RANKS * SUITS + suit for i in range(count)]
            melds += [row, row[::-1]]
    return np.array(melds)


def without_pips(cards: Sequence[LaidCard]) -> list[LaidCard]:
    """The cards without faint indices that are probably pips. Dropped are indices inside a card that shows both its
    indices, and the fewest cards that keep a meld from being likely."""
    pips = {i for i, card in enumerate(cards) if _clearness(card) < LIMITS.even_chance and _is_print(card, cards)}
    kept = [card for i, card in enumerate(cards) if i not in pips]
    spoiling = {i for meld in melds_of(kept) for i in _spoiling(kept, meld)}
    return [card for i, card in enumerate(kept) if i not in spoiling]


def _spoiling(cards: Sequence[LaidCard], meld: Sequence[int]) -> list[int]:
    """The fewest of a meld's faintest cards whose removal leaves a likely group or sequence."""
    faint = sorted((i for i in meld if _clearness(cards[i]) < LIMITS.maybe), key=lambda i: _clearness(cards[i]))
    for count in range(len(faint) + 1):
        if is_likely([chances_of(cards[i]) for i in meld if i not in faint[:count]]):
            return faint[:count]
    return []


def _is_print(card: LaidCard, cards: Sequence[LaidCard]) -> bool:
    """Whether the index is a pip inside a card: a card on top would show both its indices."""
    at = card.corners_mm[0] + card.across * LIMITS.index_offset_mm[0] + card.down * LIMITS.index_offset_mm[1]
    inside = np.array(card.size_mm) / 2 - LIMITS.slack_mm
    return any(
        _shows_both(one) and bool((np.abs(one.seen_from(at)) < inside).all()) for one in cards if one is not card
    )


def _shows_both(card: LaidCard) -> bool:
    """Whether the card's indices are in opposite corners: a joker's word may be read as two indices in one corner."""
    spots = [index.spot for index in card.group.indices] if card.group is not None else []
    return any(np.cos(one.angle - other.angle) < 0 for one, other in combinations(spots, 2))


def _clearness(card: LaidCard) -> float:
    """Clarity of the card's only index; 1 for a card with several indices or none."""
    if card.group is None or count_of(card) > 1:
        return 1.0
    return card.group.indices[0].is_index * float(card.group.cards.max())
