"""Pips and ornaments that were taken for indices: cards that hardly anything tells of and that spoil their meld."""

from __future__ import annotations

from collections.abc import Sequence

from vision.tables.rummy_cards import Floats, Laid
from vision.tables.rummy_context import is_likely
from vision.tables.rummy_melds import melds_of

MOST_CLEAR = 0.3
"""A card that its only index tells less clearly may be none."""


def without_pips(cards: Sequence[Laid]) -> list[Laid]:
    """The cards but for faint ones whose neighbours make a meld without them, and none with them."""
    spoiling = {
        i
        for meld in melds_of(cards)
        for i in meld
        if _is_faint(cards[i])
        and is_likely([_chances(cards[j]) for j in meld if j != i])
        and not is_likely([_chances(cards[j]) for j in meld])
    }
    return [card for i, card in enumerate(cards) if i not in spoiling]


def _is_faint(card: Laid) -> bool:
    if card.group is None or len(card.group.indices) > 1:
        return False
    return card.group.indices[0].is_index * float(card.group.cards.max()) < MOST_CLEAR


def _chances(card: Laid) -> Floats | None:
    return None if card.group is None else card.group.cards
