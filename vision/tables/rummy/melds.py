"""Which cards lie together: rows and fans along a card's short side, cascades along its long one, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from vision.tables.rummy.cards import Laid, chances_of
from vision.tables.rummy.context import SMALLEST, is_likely

MOST_TURN_RAD = 0.24
"""Two neighbours of a meld are turned alike within this, whichever way up."""
MOST_ASIDE_MM = 12.0
"""So far a card may lie beside its row's line."""
MOST_GAP_MM = 13.0
"""Cards of a row leave at most so much free between them."""
MOST_DOWN_MM = 84.0
"""Cards of a cascade lie at most so far below each other: they overlap."""
MOST_FAR_MM = 100.0
"""Neighbours' middles lie nearer than so."""


def melds_of(cards: Sequence[Laid]) -> tuple[tuple[int, ...], ...]:
    """The cards' indices by meld, in the order in which they lie; melds from the upper left on."""
    parent = list(range(len(cards)))

    def root(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    middles = np.array([card.middle_mm for card in cards]).reshape(-1, 2)
    far = np.linalg.norm(middles[:, None] - middles, axis=2)
    for i, card in enumerate(cards):
        for j in range(i):
            if far[i, j] < MOST_FAR_MM and (are_beside(card, cards[j]) or are_beside(cards[j], card)):
                parent[root(i)] = root(j)
    melds: dict[int, list[int]] = {}
    for i in range(len(cards)):
        melds.setdefault(root(i), []).append(i)
    ordered = [_in_order(cards, meld) for meld in melds.values()]
    return tuple(sorted(ordered, key=lambda meld: _place(cards, meld)))


def parted(cards: Sequence[Laid], melds: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """The melds, those apart that were laid side by side: together they are none, and each of the two is one."""
    found: list[Sequence[int]] = []
    for meld in melds:
        found += next(filter(None, (_halves(cards, meld, pair) for pair in _ways(cards, meld))), [meld])
    return tuple(sorted((tuple(meld) for meld in found), key=lambda meld: _place(cards, meld)))


def _ways(cards: Sequence[Laid], meld: Sequence[int]) -> list[tuple[int, int]]:
    """Between which neighbours a meld that is none may be parted."""
    if len(meld) < 2 * SMALLEST or is_likely([chances_of(cards[i]) for i in meld]):
        return []
    return [(i, j) for i, j in permutations(meld, 2) if are_beside(cards[i], cards[j])]


def _halves(cards: Sequence[Laid], meld: Sequence[int], pair: tuple[int, int]) -> list[Sequence[int]]:
    """The two melds that are left where a pair of neighbours is parted; none where they are no two melds."""
    one, other = cards[pair[0]].middle_mm, cards[pair[1]].middle_mm
    near = [i for i in meld if float((cards[i].middle_mm - (one + other) / 2) @ (other - one)) < 0]
    halves = [_in_order(cards, part) for part in (near, [i for i in meld if i not in near]) if len(part) >= SMALLEST]
    likely = [half for half in halves if is_likely([chances_of(cards[i]) for i in half])]
    return list(likely) if len(likely) == 2 else []


def are_beside(card: Laid, other: Laid) -> bool:
    """Whether two cards are neighbours in a row, a fan or a cascade."""
    turn = (other.angle - card.angle + np.pi / 2) % np.pi - np.pi / 2
    if abs(turn) > MOST_TURN_RAD:
        return False
    dx, dy = np.abs(card.seen_from(other.middle_mm))
    wide = card.size_mm[0]
    return bool((dy <= MOST_ASIDE_MM and dx <= wide + MOST_GAP_MM) or (dx <= MOST_ASIDE_MM and dy <= MOST_DOWN_MM))


def is_cascade(cards: Sequence[Laid], meld: Sequence[int]) -> bool:
    """Whether a meld runs along its cards' long side."""
    spread = np.ptp([cards[meld[0]].seen_from(cards[i].middle_mm) for i in meld], axis=0)
    return bool(spread[1] > spread[0])


def _in_order(cards: Sequence[Laid], meld: Sequence[int]) -> tuple[int, ...]:
    """A meld's cards as most of them are read: a joker's word may stand upside down."""
    axis = 1 if is_cascade(cards, meld) else 0
    first = max((cards[i] for i in meld), key=lambda card: sum(float(card.across @ cards[i].across) for i in meld))
    return tuple(sorted(meld, key=lambda i: float(first.seen_from(cards[i].middle_mm)[axis])))


def _place(cards: Sequence[Laid], meld: Sequence[int]) -> tuple[int, float]:
    x, y = np.mean([cards[i].middle_mm for i in meld], axis=0)
    return int(y // 88), float(x)
