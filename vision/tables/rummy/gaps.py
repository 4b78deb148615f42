"""Cards of a row that the finder missed, found by reading along the line of the row's indices.

All indices of a fan are on one line, at one angle and of one size. So if two neighbours leave room for another card,
the line between them is read every few millimetres. Even a faint index there is a card's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import hypot

import numpy as np

from vision.photo.cards.find import Spot
from vision.photo.cards.index import Index, IndexReader
from vision.tables.rummy.cards import JOKER, Floats, Laid, Pack, clearness, exclude, half_turn, indices_mm, laid_by
from vision.tables.rummy.limits import LIMITS
from vision.tables.rummy.paper import Paper
from vision.tables.rummy.view import TableView


@dataclass(frozen=True, slots=True)
class Room:
    """Two neighbours in line with room for a card between them. Its index is between two table points (2,), in mm."""

    start_mm: Floats
    end_mm: Floats
    angle: float
    """The place of a card whose index is upright on this line."""

    @property
    def step_mm(self) -> float:
        """How far its neighbours lie from each other."""
        return float(np.linalg.norm(self.end_mm - self.start_mm))

    def places(self) -> list[Floats]:
        """Where indices may be, each (2,) in mm."""
        shares = (
            np.arange(LIMITS.min_gap_card_mm, self.step_mm - LIMITS.min_gap_card_mm + 0.1, LIMITS.gap_step_mm)
            / self.step_mm
        )
        return [self.start_mm + share * (self.end_mm - self.start_mm) for share in shares]


def passed_over(cards: Sequence[Laid], view: TableView, pack: Pack, paper: Paper, reader: IndexReader) -> list[Laid]:
    """The cards between neighbours of a row that no index told of."""
    if not cards:
        return []
    size_mm = cards[0].size_mm
    middles_mm = np.array([card.middle_mm for card in cards])
    asked: list[tuple[Spot, Room]] = []
    for room in _rooms(cards, view, paper):
        for at_mm in room.places():
            (x, y) = view.to_view(at_mm[None])[0]
            spot = Spot(float(x), float(y), pack.height_mm * view.px_per_mm, room.angle, LIMITS.unfound_score)
            as_if = laid_by(Index(spot, np.zeros(14), np.zeros(4), 0.0), room.angle, view, pack, size_mm)
            is_near = np.linalg.norm(middles_mm - as_if.middle_mm, axis=1) <= sum(size_mm) + LIMITS.far_mm
            if not any(exclude(as_if, cards[k], view) for k in np.flatnonzero(is_near).tolist()):
                asked.append((spot, room))
    found: list[Laid] = []
    for index in sorted(reader.read_in(view.pyramid, [spot for spot, _ in asked]), key=clearness, reverse=True):
        if clearness(index) < LIMITS.even_chance:
            break
        room = min(asked, key=lambda one: abs(one[0].x - index.spot.x) + abs(one[0].y - index.spot.y))[1]
        card = laid_by(index, room.angle, view, pack, size_mm)
        is_clear = clearness(index) >= LIMITS.min_narrow_gap_chance or room.step_mm >= LIMITS.narrow_gap_mm
        if is_clear and not any(exclude(card, other, view) for other in (*cards, *found)):
            found.append(card)
    return found


def _rooms(cards: Sequence[Laid], view: TableView, paper: Paper) -> list[Room]:
    """Between which cards another may lie: those in line, turned alike, with paper and no card between them."""
    rooms = []
    plainest_first = sorted(cards, key=lambda card: len(_plain_indices(card, view)), reverse=True)
    for one, other in combinations(plainest_first, 2):
        if not _are_in_line(one, other) or paper.share_along(one.middle_mm, other.middle_mm) < 1:
            continue
        if any(_lies_between(card.middle_mm, one, other) for card in cards):
            continue
        step = other.middle_mm - one.middle_mm
        for index, start_mm in _plain_indices(one, view):
            turn = 0.0 if np.cos(index.spot.angle - one.angle) > 0 else np.pi
            rooms.append(Room(start_mm, _end_of(other, index, start_mm + step, view), one.angle + turn))
    return rooms


def _are_in_line(one: Laid, other: Laid) -> bool:
    """Whether two cards lie as a row's do, with room for another one between them."""
    if hypot(*(other.middle_mm - one.middle_mm)) > LIMITS.max_room_mm + LIMITS.max_gap_offset_mm:
        return False
    away = np.sort(np.abs(one.seen_from(other.middle_mm)))
    is_wide = 2 * LIMITS.min_gap_card_mm <= away[1] < LIMITS.max_room_mm
    return bool(
        is_wide
        and away[0] <= LIMITS.max_gap_offset_mm
        and abs(half_turn(one.angle - other.angle)) <= LIMITS.max_gap_turn_rad
    )


def _end_of(other: Laid, like: Index, guess_mm: Floats, view: TableView) -> Floats:
    """Where the other card has the index that is turned as this one; where none was read, about where it must be."""
    for index, at_mm in _plain_indices(other, view):
        if np.cos(index.spot.angle - like.spot.angle) > 0:
            return at_mm
    return guess_mm


def _plain_indices(card: Laid, view: TableView) -> list[tuple[Index, Floats]]:
    """A card's indices and where they are, (2,) in mm; a joker's word is none: it stands elsewhere on the card."""
    indices = card.group.indices if card.group is not None else ()
    at_mm = zip(indices, indices_mm(card, view), strict=True)
    return [(index, at) for index, at in at_mm if int(index.cards.argmax()) != JOKER]


def _lies_between(middle_mm: Floats, one: Laid, other: Laid) -> bool:
    away = other.middle_mm - one.middle_mm
    share = float((middle_mm - one.middle_mm) @ away / (away @ away))
    aside = float(np.linalg.norm(middle_mm - one.middle_mm - share * away))
    return 0.01 < share < 0.99 and aside < LIMITS.max_gap_offset_mm
