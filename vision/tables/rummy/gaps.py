"""Cards that the finder passed over in a row, found by reading along the line on which its indices lie.

All indices of a fan lie on one line, turned alike and of one size. So where two neighbours leave room for another
card, the line between them is read every few millimetres: what is an index there is a card's, however faint it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import hypot

import numpy as np

from vision.photo.cards.find import Spot
from vision.photo.cards.index import Index, IndexReader
from vision.tables.rummy.cards import (
    ASKED_SCORE,
    FAR_MM,
    JOKER,
    LEAST_STEP_MM,
    Floats,
    Laid,
    Pack,
    clearness,
    exclude,
    half_turn,
    indices_mm,
    laid_by,
)
from vision.tables.rummy.paper import Paper
from vision.tables.rummy.view import TableView

MOST_ROOM_MM = 110.0
"""Neighbours of a fan that lost three cards lie at most so far apart."""
MOST_TURN_RAD = 0.25
EVERY_MM = 4.0
LEAST_APART_MM = LEAST_STEP_MM - 1.5
"""A card lies at least so far from its neighbours, as far as indices tell."""
ASIDE_MM = 6.0
"""So far a card may lie beside the line of its neighbours."""
LEAST_CLEAR, LEAST_CLEAR_NARROW, NARROW_MM = 0.5, 0.85, 36.0
"""So clearly it must say what it is; more so in a room that neighbours of an uneven fan leave without another card."""


@dataclass(frozen=True, slots=True)
class Room:
    """Two neighbours in line with room for a card between them. Its index is between two table points (2,), in mm."""

    start_mm: Floats
    end_mm: Floats
    angle: float
    """How a card lies there whose index is upright on this line."""

    @property
    def step_mm(self) -> float:
        """How far its neighbours lie from each other."""
        return float(np.linalg.norm(self.end_mm - self.start_mm))

    def places(self) -> list[Floats]:
        """Where indices may be, each (2,) in mm."""
        shares = np.arange(LEAST_APART_MM, self.step_mm - LEAST_APART_MM + 0.1, EVERY_MM) / self.step_mm
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
            spot = Spot(float(x), float(y), pack.height_mm * view.px_per_mm, room.angle, ASKED_SCORE)
            as_if = laid_by(Index(spot, np.zeros(14), np.zeros(4), 0.0), room.angle, view, pack, size_mm)
            is_near = np.linalg.norm(middles_mm - as_if.middle_mm, axis=1) <= sum(size_mm) + FAR_MM
            if not any(exclude(as_if, cards[k], view) for k in np.flatnonzero(is_near).tolist()):
                asked.append((spot, room))
    found: list[Laid] = []
    for index in sorted(reader.read_in(view.pyramid, [spot for spot, _ in asked]), key=clearness, reverse=True):
        if clearness(index) < LEAST_CLEAR:
            break
        room = min(asked, key=lambda one: abs(one[0].x - index.spot.x) + abs(one[0].y - index.spot.y))[1]
        card = laid_by(index, room.angle, view, pack, size_mm)
        is_clear = clearness(index) >= LEAST_CLEAR_NARROW or room.step_mm >= NARROW_MM
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
    if hypot(*(other.middle_mm - one.middle_mm)) > MOST_ROOM_MM + ASIDE_MM:
        return False
    away = np.sort(np.abs(one.seen_from(other.middle_mm)))
    is_wide = 2 * LEAST_APART_MM <= away[1] < MOST_ROOM_MM
    return bool(is_wide and away[0] <= ASIDE_MM and abs(half_turn(one.angle - other.angle)) <= MOST_TURN_RAD)


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
    return 0.01 < share < 0.99 and aside < ASIDE_MM
