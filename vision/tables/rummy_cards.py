"""From corner indices to cards of a known size: where each card lies, what it is, and how sure that is.

An index tells its card's whole place, because a pack prints all of them at one distance from the card's edges. That
distance is measured in each picture, on the cards that show both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.cards_group import Group, agreement, turn_between
from vision.cards_index import Index
from vision.tables.rummy_paper import Paper
from vision.tables.rummy_view import TableView

Floats = NDArray[np.float64]

USUAL_MM = (5.7, 11.6)
"""From a card's edges to the middle of its index, across and down, where no card of the picture shows both."""
MOST_OFF_MM = 4.5
"""So far from that the indices of one picture's pack may lie."""
SAME_MM, SAME_RAD = 9.0, 0.2
"""Two indices whose cards' middles are so near, half a turn apart, are of one card."""
LEAST_STEP_MM = 12.5
"""Cards of a fan lie at least so far from each other: else their indices cannot be seen."""
USUAL_HEIGHT_MM = 17.0
HEIGHTS = (0.72, 1.36)
"""Between these shares of the picture's usual height an index is one of this pack."""
CLEAR_INDEX, CLEAR_CARD = 0.9, 0.9
LEAST_INDEX, LEAST_CARD = 0.5, 0.35
"""Below these an index makes no card: pips and ornaments look a little like one."""
LEAST_SCORE = 0.2
MOST_OFF_RAD = 0.55
"""So far the angle of an index may be wrong."""
NEAR_MM = 60.0
"""Indices so near are of one meld, or beside it."""
JOKER = 52


@dataclass(frozen=True, eq=False)
class Laid:
    """A card on the table: its middle (2,) in mm, its angle in rad (0: upright), and what it says (53 chances)."""

    middle_mm: Floats
    angle: float
    group: Group | None
    """None: a card that is seen, and no index of it that can be read."""
    size_mm: tuple[float, float]

    @property
    def across(self) -> Floats:
        """The direction from its left edge to its right one, (2,)."""
        return np.array([np.cos(self.angle), np.sin(self.angle)])

    @property
    def down(self) -> Floats:
        """The direction from its upper edge to its lower one, (2,)."""
        return np.array([-np.sin(self.angle), np.cos(self.angle)])

    @property
    def corners_mm(self) -> Floats:
        """Its corners (4, 2), clockwise from its own top left."""
        wide, long = self.size_mm
        signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
        return np.asarray(self.middle_mm + signs @ np.array([self.across * wide, self.down * long]))

    def seen_from(self, point_mm: Floats) -> Floats:
        """A table point (2,) from the card's middle, along its own directions."""
        away = np.asarray(point_mm, np.float64) - self.middle_mm
        return np.array([away @ self.across, away @ self.down])


@dataclass(frozen=True, slots=True)
class Pack:
    """What a picture tells of its pack: where the index lies on a card (across, down), and how high it is, in mm."""

    index_mm: tuple[float, float]
    height_mm: float


def pack_of(indices: Sequence[Index], view: TableView, size_mm: tuple[float, float]) -> Pack:
    """The picture's pack, from indices that say clearly what they are."""
    clear = [i for i in indices if i.is_index > CLEAR_INDEX and i.cards[:JOKER].max() > CLEAR_CARD]
    heights = [i.spot.height_px / view.px_per_mm for i in clear]
    across, down = [], []
    for at, one in enumerate(clear):
        for other in clear[at + 1 :]:
            if np.pi - abs(turn_between(one, other)) > SAME_RAD or agreement(one, other) < 0.5:
                continue
            apart = _turned(np.array([other.spot.x - one.spot.x, other.spot.y - one.spot.y]), one) / view.px_per_mm
            place = (np.array(size_mm) - apart) / 2
            if np.abs(place - USUAL_MM).max() < MOST_OFF_MM:
                across.append(place[0])
                down.append(place[1])
    index_mm = (float(np.median(across)), float(np.median(down))) if len(across) > 1 else USUAL_MM
    return Pack(index_mm, float(np.median(heights)) if len(heights) > 2 else USUAL_HEIGHT_MM)


def cards_of(
    indices: Sequence[Index], view: TableView, paper: Paper, pack: Pack, size_mm: tuple[float, float]
) -> tuple[list[Laid], list[Index]]:
    """The cards that indices tell of, each once, and the indices that are left over: jokers' corners are among them."""
    fits = [i for i in indices if _is_of(i, pack, view)]
    fits = [_turned_as_others(i, fits, view) for i in fits]
    singles = [(index, _card(index, view, paper, pack, size_mm)) for index in fits]
    singles.sort(key=lambda pair: -float(pair[0].cards[:JOKER].max() * pair[0].is_index * pair[0].spot.score))
    cards: list[Laid] = []
    for _, card in singles:
        for at, other in enumerate(cards):
            if _hides(other, card):
                break
            if _is_same(card, other) and other.group is not None and len(other.group.indices) == 1:
                cards[at] = _joined(other, card)
                break
        else:
            cards.append(card)
    kept = [card for card in cards if _is_told(card)]
    used = {(i.spot.x, i.spot.y) for card in kept if card.group is not None for i in card.group.indices}
    return kept, [index for index in indices if (index.spot.x, index.spot.y) not in used]


def _turned_as_others(index: Index, indices: Sequence[Index], view: TableView) -> Index:
    """The index, its angle that of its neighbours where it alone is turned otherwise, by no more than it may err."""
    near = [
        other
        for other in indices
        if other is not index
        and np.hypot(other.spot.x - index.spot.x, other.spot.y - index.spot.y) < NEAR_MM * view.px_per_mm
    ]
    off = [(other.spot.angle - index.spot.angle + np.pi / 2) % np.pi - np.pi / 2 for other in near]
    if len(off) < 2 or min(map(abs, off)) < SAME_RAD or float(np.ptp(off)) > SAME_RAD:
        return index
    turn = float(np.median(off))
    return (
        index if abs(turn) > MOST_OFF_RAD else replace(index, spot=replace(index.spot, angle=index.spot.angle + turn))
    )


def _turned(vector: Floats, index: Index) -> Floats:
    c, s = np.cos(index.spot.angle), np.sin(index.spot.angle)
    return np.array([c * vector[0] + s * vector[1], -s * vector[0] + c * vector[1]])


def _is_of(index: Index, pack: Pack, view: TableView) -> bool:
    share = index.spot.height_px / view.px_per_mm / pack.height_mm
    return (
        HEIGHTS[0] < share < HEIGHTS[1]
        and index.is_index >= LEAST_INDEX
        and index.spot.score >= LEAST_SCORE
        and int(index.cards.argmax()) != JOKER
    )


def _card(index: Index, view: TableView, paper: Paper, pack: Pack, size_mm: tuple[float, float]) -> Laid:
    at = view.to_table(np.array([[index.spot.x, index.spot.y]]))[0]
    angle, turn = index.spot.angle, paper.turn_at(at)
    if turn is not None:  # the sides of a row of cards tell their angle better than an index does
        off = (angle - turn + np.pi / 4) % (np.pi / 2) - np.pi / 4
        angle -= off if abs(off) < MOST_OFF_RAD else 0.0
    card = Laid(at, angle, Group((index,), index.cards, np.zeros((4, 2))), size_mm)
    away = np.array(size_mm) / 2 - pack.index_mm
    return replace(card, middle_mm=at + card.across * away[0] + card.down * away[1])


def _is_same(one: Laid, other: Laid) -> bool:
    turn = abs((one.angle - other.angle) % (2 * np.pi) - np.pi)
    return bool(turn < 2 * SAME_RAD and np.linalg.norm(one.middle_mm - other.middle_mm) < SAME_MM)


def _hides(one: Laid, other: Laid) -> bool:
    """Whether two cards turned alike lie nearer to each other than any fan's: then `other` is a pip of `one`."""
    around = np.pi if one.group is not None and len(one.group.indices) > 1 else 2 * np.pi  # both ways up are alike
    turn = abs((one.angle - other.angle + around / 2) % around - around / 2)
    return bool(turn < 2 * SAME_RAD and np.linalg.norm(one.middle_mm - other.middle_mm) < LEAST_STEP_MM)


def _joined(one: Laid, other: Laid) -> Laid:
    """One card of its two indices: between them lies its middle, and what both say is believed more."""
    assert one.group is not None
    assert other.group is not None
    product = one.group.cards * other.group.cards
    both = 0.5 * product / max(float(product.sum()), 1e-12) + 0.25 * (one.group.cards + other.group.cards)
    turn = (other.angle - np.pi - one.angle + np.pi) % (2 * np.pi) - np.pi
    group = Group((*one.group.indices, *other.group.indices), both, np.zeros((4, 2)))
    middle = (one.middle_mm + other.middle_mm) / 2
    # both ways up are alike: it is told as the picture shows it upright
    angle = (one.angle + turn / 2 + np.pi / 2) % np.pi - np.pi / 2
    return Laid(middle, float(angle), group, one.size_mm)


def _is_told(card: Laid) -> bool:
    assert card.group is not None
    return len(card.group.indices) > 1 or float(card.group.cards.max()) >= LEAST_CARD
