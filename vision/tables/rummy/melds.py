"""Which cards lie together: rows and fans along a card's short side, cascades along its long one, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from vision.tables.rummy.cards import Laid, chances_of
from vision.tables.rummy.context import is_likely
from vision.tables.rummy.limits import LIMITS


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
            if far[i, j] < LIMITS.max_neighbour_mm and (are_beside(card, cards[j]) or are_beside(cards[j], card)):
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
    if len(meld) < 2 * LIMITS.min_meld or is_likely([chances_of(cards[i]) for i in meld]):
        return []
    return [(i, j) for i, j in permutations(meld, 2) if are_beside(cards[i], cards[j])]


def _halves(cards: Sequence[Laid], meld: Sequence[int], pair: tuple[int, int]) -> list[Sequence[int]]:
    """The two melds left after parting a pair of neighbours; none if the rest is not two melds."""
    one, other = cards[pair[0]].middle_mm, cards[pair[1]].middle_mm
    near = [i for i in meld if float((cards[i].middle_mm - (one + other) / 2) @ (other - one)) < 0]
    halves = [
        _in_order(cards, part) for part in (near, [i for i in meld if i not in near]) if len(part) >= LIMITS.min_meld
    ]
    likely = [half for half in halves if is_likely([chances_of(cards[i]) for i in half])]
    return list(likely) if len(likely) == 2 else []


def are_beside(card: Laid, other: Laid) -> bool:
    """Whether two cards are neighbours in a row, a fan or a cascade."""
    turn = (other.angle - card.angle + np.pi / 2) % np.pi - np.pi / 2
    if abs(turn) > LIMITS.max_meld_turn_rad:
        return False
    dx, dy = np.abs(card.seen_from(other.middle_mm))
    wide = card.size_mm[0]
    return bool(
        (dy <= LIMITS.max_row_offset_mm and dx <= wide + LIMITS.max_row_gap_mm)
        or (dx <= LIMITS.max_row_offset_mm and dy <= LIMITS.max_cascade_step_mm)
    )


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
