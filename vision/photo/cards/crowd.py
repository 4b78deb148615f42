"""Many cards in one picture: which are close enough for a second look, and how seldom a card is there twice."""

from __future__ import annotations

from collections import Counter

import numpy as np

from vision.photo.cards.group import Group, offset, turn_between
from vision.photo.cards.index import Index
from vision.photo.cards.limits import LIMITS


def crowd_height_px(indices: list[Index]) -> float | None:
    """The height of the indices that are close together as in a fan or row; None: too few are."""
    clear = [index for index in indices if index.is_index > LIMITS.min_crowd_index]
    beside = [
        a.spot.height_px
        for a in clear
        if any(
            a is not b
            and float(np.hypot(*offset(a, b))) < LIMITS.crowd_reach
            and abs(turn_between(a, b)) < LIMITS.crowd_turn_rad
            for b in clear
        )
    ]
    return float(np.median(beside)) if len(beside) >= LIMITS.min_crowd else None


def less_doubled(groups: list[Group]) -> list[Group]:
    """The groups, the most certain first. Doubtful copies of cards already seen get a lower chance; jokers do not."""
    seen: Counter[int] = Counter()
    weighed = []
    for group in sorted(groups, key=lambda g: (-len(g.indices), -float(g.cards.max()))):
        cards = group.cards.copy()
        for card, copies in seen.items():
            cards[card] *= LIMITS.second_copy if copies == 1 else LIMITS.third_copy
        cards /= max(float(cards.sum()), 1e-12)
        best = int(cards.argmax())
        if best < 52 and cards[best] > LIMITS.seen_chance:
            seen[best] += 1
        weighed.append(Group(group.indices, cards, group.corners))
    return weighed
