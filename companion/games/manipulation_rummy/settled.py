"""Carries readings on: a card that has not moved keeps the name that an earlier reading gave it."""

import math
from dataclasses import replace
from itertools import pairwise

from companion.game.cards import PACK
from companion.game.readings import SURE, RummyReading, TableCard

SAME_MM = 5.0
"""Maximum offset of an unmoved card: places of covered cards vary by up to 4 mm."""
REMEMBERED = "it was seen there before, and its neighbours have not moved"
"""The reason for a card that this reading lacks."""


def settled(reading: RummyReading, before: RummyReading | None) -> RummyReading:
    """The newest reading, with what the one before tells of cards whose neighbours have the same names and places.

    A doubtful card keeps its clearer earlier reading. A card that is not seen is added.
    """
    if before is None:
        return reading
    still = {i: now for i, card in enumerate(before.cards) if (now := _at(card, reading)) is not None}
    same = {i for i, now in still.items() if _name(before.cards[i]) == _name(reading.cards[now])}
    cards, melds = list(reading.cards), list(reading.melds)
    for meld in before.melds:
        for k, i in enumerate(meld):
            beside = (*meld[:k][-1:], *meld[k + 1 :][:1])
            if not beside or not same.issuperset(beside):
                continue
            if i in still:
                cards[still[i]] = _clearer(cards[still[i]], before.cards[i])
                continue
            pair = still[beside[0]], still[beside[-1]]
            for n, row in enumerate(melds):
                if pair in pairwise(row):
                    at = row.index(pair[1])
                    melds[n] = (*row[:at], len(cards), *row[at:])
                    cards.append(replace(before.cards[i], reason=REMEMBERED))
    return replace(reading, cards=tuple(cards), melds=tuple(melds))


def _at(card: TableCard, reading: RummyReading) -> int | None:
    """The card of a reading at the place of this card."""
    away = [math.dist(card.middle_mm, other.middle_mm) for other in reading.cards]
    return away.index(min(away)) if away and min(away) <= SAME_MM else None


def _clearer(card: TableCard, was: TableCard) -> TableCard:
    """The card, or the more certain earlier reading of it if that does not contradict this one."""
    name, own = _name(was), max(card.chances.values(), default=0.0)
    if not name or own >= min(SURE, was.chances[name]) or card.chances.get(name, 0.0) < own / len(PACK):
        return card
    told = replace(was, corners=card.corners, corners_mm=card.corners_mm)
    return told if card.chances else replace(told, reason=REMEMBERED)


def _name(card: TableCard) -> str:
    """The most probable name of a card; empty without one."""
    return max(card.chances, key=lambda name: card.chances[name], default="")
