"""Cards that the finder passed over in the middle of a fan, found by reading along the line on which its indices lie.

All indices of a fan lie on one line, turned alike and of one size. So where two neighbours leave room for another
card, the line between them is read every few millimetres: what is an index there is a card's, however faint it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from vision.cards_find import Spot
from vision.cards_group import Group
from vision.cards_index import Index, IndexReader
from vision.tables.rummy_cards import JOKER, LEAST_STEP_MM, Floats, Laid, Pack
from vision.tables.rummy_melds import is_cascade, melds_of
from vision.tables.rummy_view import TableView

MOST_ROOM_MM = (58.0, 66.0)
"""From so wide a step on, along the short side and along the long one, cards lie free and show both their indices.
Where one does not, the step may be up to twice as wide: two or three cards lie on it."""
EVERY_MM = 4.0
LEAST_APART_MM = LEAST_STEP_MM - 1.5
"""A card lies at least so far from its neighbours, as far as indices tell."""
ASIDE_MM = 5.0
"""So far an index may lie beside the line."""
LEAST_CLEAR = 0.5
"""So clearly it must say what it is."""
SCORE = 0.5
"""What the finder's score is taken for at a place where it found nothing: never one that makes a card sure."""


@dataclass(frozen=True, slots=True)
class Room:
    """Two neighbours of a meld with room between them, one of which lies as what is between them would."""

    one: Laid
    other: Laid
    like: Laid

    @property
    def step_mm(self) -> float:
        """How far the neighbours lie from each other."""
        return float(np.linalg.norm(self.other.middle_mm - self.one.middle_mm))

    def places(self, to_index: Floats) -> Floats:
        """Where indices may be, (N, 2) in mm; `to_index`: from a card's middle to its index."""
        along = np.arange(LEAST_APART_MM, self.step_mm - LEAST_APART_MM + 0.1, EVERY_MM) / self.step_mm
        away = self.other.middle_mm - self.one.middle_mm
        return np.asarray(self.one.middle_mm + along[:, None] * away + to_index @ self._axes)

    def card(self, index: Index, at_mm: Floats, to_index: Floats) -> Laid:
        """The card whose index this is."""
        middle = at_mm - to_index @ self._axes
        return Laid(middle, self.like.angle, Group((index,), index.cards, np.zeros((4, 2))), self.like.size_mm)

    def holds(self, card: Laid) -> bool:
        """Whether a card lies between the neighbours, far enough from both."""
        away = self.other.middle_mm - self.one.middle_mm
        along = float((card.middle_mm - self.one.middle_mm) @ away) / self.step_mm
        aside = np.linalg.norm(card.middle_mm - self.one.middle_mm - along / self.step_mm * away)
        return bool(aside < ASIDE_MM and LEAST_APART_MM <= along <= self.step_mm - LEAST_APART_MM)

    @property
    def _axes(self) -> Floats:
        return np.array([self.like.across, self.like.down])


def passed_over(cards: Sequence[Laid], view: TableView, pack: Pack, reader: IndexReader) -> list[Laid]:
    """The cards between neighbours of a meld that no index told of."""
    if not cards:
        return []
    rooms = [room for meld in melds_of(cards) for room in _rooms(cards, meld)]
    to_index = np.array(pack.index_mm) - np.array(cards[0].size_mm) / 2
    height = pack.height_mm * view.px_per_mm
    spots = [
        Spot(float(x), float(y), height, room.like.angle, SCORE)
        for room in rooms
        for x, y in view.to_view(room.places(to_index))
    ]
    found: list[Laid] = []
    for index in sorted(reader.read(view.picture, spots), key=_clearness, reverse=True):
        if _clearness(index) < LEAST_CLEAR:
            break
        at_mm = view.to_table(np.array([[index.spot.x, index.spot.y]]))[0]
        between = [room.card(index, at_mm, to_index) for room in rooms]
        card = next((card for card, room in zip(between, rooms, strict=True) if room.holds(card)), None)
        if card is not None and all(_are_apart(card, other) for other in (*cards, *found)):
            found.append(card)
    return found


def _rooms(cards: Sequence[Laid], meld: Sequence[int]) -> list[Room]:
    most_mm = MOST_ROOM_MM[1 if is_cascade(cards, meld) else 0]
    rooms = [Room(cards[i], cards[j], min((cards[i], cards[j]), key=_count_of)) for i, j in pairwise(meld)]
    return [r for r in rooms if 2 * LEAST_APART_MM <= r.step_mm < most_mm * (2 if _count_of(r.like) == 1 else 1)]


def _are_apart(card: Laid, other: Laid) -> bool:
    return bool(np.linalg.norm(card.middle_mm - other.middle_mm) >= LEAST_APART_MM)


def _count_of(card: Laid) -> int:
    """How many indices tell of it: a card under another shows one, and so does what lies between."""
    return 9 if card.group is None else len(card.group.indices)


def _clearness(index: Index) -> float:
    return float(index.is_index * index.cards[:JOKER].max())
