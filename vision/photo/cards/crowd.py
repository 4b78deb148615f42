"""Many cards in one picture: which lie so close that a second look pays, and how seldom a card lies there twice."""

from __future__ import annotations

from collections import Counter

import numpy as np

from vision.photo.cards.group import Group, offset, turn_between
from vision.photo.cards.index import Index

CROWD_SURE, CROWD_APART, CROWD_TURN_RAD, CROWD_LEAST = 0.9, 2.2, 0.7, 3
"""So many clear indices, each with another within so many of its heights and turned alike, make a crowd."""
SEEN_SURELY = 0.8
"""From this probability on a card counts as seen."""
SECOND, THIRD = 0.3, 0.02
"""How much less likely a card is where one, or two, copies of it lie in the picture already: packs come in pairs."""


def crowd_height_px(indices: list[Index]) -> float | None:
    """The height of the indices that lie side by side as in a fan or row; None: too few do."""
    clear = [index for index in indices if index.is_index > CROWD_SURE]
    beside = [
        a.spot.height_px
        for a in clear
        if any(
            a is not b and float(np.hypot(*offset(a, b))) < CROWD_APART and abs(turn_between(a, b)) < CROWD_TURN_RAD
            for b in clear
        )
    ]
    return float(np.median(beside)) if len(beside) >= CROWD_LEAST else None


def less_doubled(groups: list[Group]) -> list[Group]:
    """The groups, the surest first, doubtful copies of cards already seen made less likely; jokers are left alone."""
    seen: Counter[int] = Counter()
    weighed = []
    for group in sorted(groups, key=lambda g: (-len(g.indices), -float(g.cards.max()))):
        cards = group.cards.copy()
        for card, copies in seen.items():
            cards[card] *= SECOND if copies == 1 else THIRD
        cards /= max(float(cards.sum()), 1e-12)
        best = int(cards.argmax())
        if best < 52 and cards[best] > SEEN_SURELY:
            seen[best] += 1
        weighed.append(Group(group.indices, cards, group.corners))
    return weighed
