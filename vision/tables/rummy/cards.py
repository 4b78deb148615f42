"""From corner indices to cards of a known size: where each card lies, what it is, and how sure that is.

An index tells its card's whole place, because a pack prints all of them at one distance from the card's edges. That
distance is measured in each picture, on the cards that show both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import hypot

import numpy as np
from numpy.typing import NDArray

from vision.photo.cards.group import Group, agreement, turn_between
from vision.photo.cards.index import Index
from vision.tables.rummy.lines import MOST_OFF_RAD, turned_by_lines
from vision.tables.rummy.paper import Paper
from vision.tables.rummy.view import TableView

Floats = NDArray[np.float64]

USUAL_MM = (5.7, 11.6)
"""From a card's edges to the middle of its index, across and down, where no card of the picture shows both."""
MOST_OFF_MM = 4.5
"""So far from that the indices of one picture's pack may lie."""
SAME_MM, SAME_RAD = 9.0, 0.2
"""Two indices whose cards' middles are so near, half a turn apart, are of one card."""
SAME_CARD_MM, SAYS_SAME = 14.0, 0.5
"""The same for two that say the same with at least this chance: no meld holds a card twice."""
CONTRADICTS = 0.7
"""Clearness of two indices in one card's place from which they contradict each other; ornaments are less clear."""
LEAST_STEP_MM = 9.8
"""Cards of a fan lie at least so far from each other: else their indices cannot be seen."""
FAR_MM = 20.0
"""Cards whose middles lie farther apart than half their sides together and so much more hide nothing of each other."""
USUAL_HEIGHT_MM = 17.0
HEIGHTS = (0.68, 1.3)
"""Between these shares of the picture's usual height an index is one of this pack."""
CLEAR_INDEX, CLEAR_CARD = 0.9, 0.9
LEAST_INDEX, LEAST_CARD = 0.5, 0.35
"""Below these an index makes no card: pips and ornaments look a little like one."""
LEAST_SCORE = 0.2
ASKED_SCORE = 0.25
"""What the finder's score is taken for at a place where it found nothing."""
JOKER = 52
LEAST_AGREEMENT = 0.02
"""Two indices are of one card where they say the same with at least this chance."""


@dataclass(frozen=True, eq=False)
class Laid:
    """A card on the table: its middle (2,) in mm, its angle in rad (0: upright), and what it says (53 chances)."""

    middle_mm: Floats
    angle: float
    group: Group | None
    """None: a card that is seen, and no index of it that can be read."""
    size_mm: tuple[float, float]

    @cached_property
    def across(self) -> Floats:
        """The direction from its left edge to its right one, (2,)."""
        return np.array([np.cos(self.angle), np.sin(self.angle)])

    @cached_property
    def down(self) -> Floats:
        """The direction from its upper edge to its lower one, (2,)."""
        return np.array([-np.sin(self.angle), np.cos(self.angle)])

    @cached_property
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
    fits = turned_by_lines(fits, view.px_per_mm)
    singles = [(index, _card(index, view, paper, pack, size_mm)) for index in fits]
    singles.sort(key=lambda pair: -_weight(pair[0], pair[1], paper))
    cards: list[Laid] = []
    for _, card in singles:
        at = next((k for k, other in enumerate(cards) if _is_same(card, other) and count_of(other) == 1), None)
        if at is not None and (_agree(card, cards[at]) or _contradict(card, cards[at])):
            cards[at] = _joined(cards[at], card)
        elif not any(exclude(card, other, view) for other in cards):
            cards.append(card)
    kept = [card for card in cards if _is_told(card)]
    used = {(i.spot.x, i.spot.y) for card in kept if card.group is not None for i in card.group.indices}
    return kept, [index for index in indices if (index.spot.x, index.spot.y) not in used]


def clearness(index: Index) -> float:
    """How clearly an index tells a card that is no joker."""
    return float(index.is_index * index.cards[:JOKER].max())


def _weight(index: Index, card: Laid, paper: Paper) -> float:
    """How much speaks for a card before it is set beside others: its index, and the paper that it must lie on."""
    return float(clearness(index) * index.spot.score * paper.share_of(card.corners_mm))


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
    return laid_by(index, angle, view, pack, size_mm)


def laid_by(index: Index, angle: float, view: TableView, pack: Pack, size_mm: tuple[float, float]) -> Laid:
    """The card that has this index, turned by an angle."""
    at = view.to_table(np.array([[index.spot.x, index.spot.y]]))[0]
    card = Laid(at, angle, Group((index,), index.cards, np.zeros((4, 2))), size_mm)
    away = np.array(size_mm) / 2 - pack.index_mm
    return replace(card, middle_mm=at + card.across * away[0] + card.down * away[1])


def _is_same(one: Laid, other: Laid) -> bool:
    turn = abs((one.angle - other.angle) % (2 * np.pi) - np.pi)
    is_near = _chance_of_same(one, other) >= SAYS_SAME or _contradict(one, other)
    near_mm = SAME_CARD_MM if is_near else SAME_MM
    return bool(turn < 2 * SAME_RAD and np.linalg.norm(one.middle_mm - other.middle_mm) < near_mm)


def chances_of(card: Laid) -> Floats | None:
    """What its indices say that it is (53,); None where none was read."""
    return None if card.group is None else card.group.cards


def was_found(card: Laid) -> bool:
    """Whether the finder saw one of its indices. Others were looked for where a card was missing: never sure ones."""
    return card.group is not None and any(index.spot.score != ASKED_SCORE for index in card.group.indices)


def count_of(card: Laid) -> int:
    """How many indices tell of it."""
    return 0 if card.group is None else len(card.group.indices)


def _agree(one: Laid, other: Laid) -> bool:
    """Whether two indices may be of one card, as far as they say what it is."""
    return _chance_of_same(one, other) >= LEAST_AGREEMENT


def _contradict(one: Laid, other: Laid) -> bool:
    """Whether both indices plainly tell a card, each another one: in one place one of the two is misread."""
    return not _agree(one, other) and min(_clearest(one), _clearest(other)) >= CONTRADICTS


def _clearest(card: Laid) -> float:
    assert card.group is not None
    return max(map(clearness, card.group.indices))


def _chance_of_same(one: Laid, other: Laid) -> float:
    assert one.group is not None
    assert other.group is not None
    return float(one.group.cards @ other.group.cards)


def exclude(one: Laid, other: Laid, view: TableView) -> bool:
    """Whether two cards cannot both lie there with their indices seen: one of them is a pip, or an ornament.

    Turned alike they lie nearer to each other than any fan's, or each lies over an index of the other.
    """
    far = hypot(*(one.middle_mm - other.middle_mm))
    if far > sum(one.size_mm) / 2 + FAR_MM:
        return False
    if far < LEAST_STEP_MM and abs(half_turn(one.angle - other.angle)) < 2 * SAME_RAD:
        return True
    return _covers(one, other, view) and _covers(other, one, view)


def _covers(card: Laid, other: Laid, view: TableView) -> bool:
    """Whether an index of another card is seen where this card lies."""
    half = np.array(card.size_mm) / 2
    return any((np.abs(card.seen_from(at)) < half).all() for at in indices_mm(other, view))


def indices_mm(card: Laid, view: TableView) -> list[Floats]:
    """Where on the table (2,) the indices lie that tell of a card."""
    indices = () if card.group is None else card.group.indices
    return [view.to_table(np.array([[index.spot.x, index.spot.y]]))[0] for index in indices]


def half_turn(angle: float) -> float:
    """An angle to half a turn, about 0: both ways up are alike."""
    return (angle + np.pi / 2) % np.pi - np.pi / 2


def _joined(one: Laid, other: Laid) -> Laid:
    """One card of its two indices: its middle lies between them, and what both say is believed more."""
    assert one.group is not None
    assert other.group is not None
    mean = (one.group.cards + other.group.cards) / 2
    product = one.group.cards * other.group.cards
    both = (product / max(float(product.sum()), 1e-12) + mean) / 2 if _agree(one, other) else mean
    turn = (other.angle - np.pi - one.angle + np.pi) % (2 * np.pi) - np.pi
    group = Group((*one.group.indices, *other.group.indices), both, np.zeros((4, 2)))
    middle = (one.middle_mm + other.middle_mm) / 2
    # both ways up are alike: it is told as the picture shows it upright
    angle = (one.angle + turn / 2 + np.pi / 2) % np.pi - np.pi / 2
    return Laid(middle, float(angle), group, one.size_mm)


def _is_told(card: Laid) -> bool:
    assert card.group is not None
    return len(card.group.indices) > 1 or float(card.group.cards.max()) >= LEAST_CARD
