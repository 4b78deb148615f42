"""Pips and ornaments mistaken for indices: cards with little evidence in impossible places."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from vision.tables.rummy.cards import Laid, chances_of, count_of
from vision.tables.rummy.context import is_likely
from vision.tables.rummy.limits import LIMITS
from vision.tables.rummy.melds import melds_of


def without_pips(cards: Sequence[Laid]) -> list[Laid]:
    """The cards but for faint ones: those upon a card in full view, and those without which alone a meld is one."""
    pips = {i for i, card in enumerate(cards) if _clearness(card) < LIMITS.even_chance and _is_print(card, cards)}
    kept = [card for i, card in enumerate(cards) if i not in pips]
    spoiling = {i for meld in melds_of(kept) for i in _spoiling(kept, meld)}
    return [card for i, card in enumerate(kept) if i not in spoiling]


def _spoiling(cards: Sequence[Laid], meld: Sequence[int]) -> list[int]:
    """The faintest cards of a meld without which it is one."""
    faint = sorted(
        (i for i in meld if _clearness(cards[i]) < LIMITS.max_pip_chance), key=lambda i: _clearness(cards[i])
    )
    for count in range(len(faint) + 1):
        if is_likely([chances_of(cards[i]) for i in meld if i not in faint[:count]]):
            return faint[:count]
    return []


def _is_print(card: Laid, cards: Sequence[Laid]) -> bool:
    """Whether its index is inside a card that shows both of its own. A card on top of that one would show both too."""
    at = card.corners_mm[0] + card.across * LIMITS.index_offset_mm[0] + card.down * LIMITS.index_offset_mm[1]
    inside = np.array(card.size_mm) / 2 - LIMITS.inside_mm
    return any(
        _shows_both(one) and bool((np.abs(one.seen_from(at)) < inside).all()) for one in cards if one is not card
    )


def _shows_both(card: Laid) -> bool:
    """Whether its indices stand in both of its corners: a joker's word may be two in one."""
    spots = [index.spot for index in card.group.indices] if card.group is not None else []
    return any(np.cos(one.angle - other.angle) < 0 for one, other in combinations(spots, 2))


def _clearness(card: Laid) -> float:
    """How clearly the only index of a card tells what it is; 1 for what more than one tells of, or none."""
    if card.group is None or count_of(card) > 1:
        return 1.0
    return card.group.indices[0].is_index * float(card.group.cards.max())
