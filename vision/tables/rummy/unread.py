"""Cards without a readable index, found by unexplained white: jokers, and cards with covered corners.

White on the mat is a card. White that no read card explains is another card, placed like its neighbours. The card's
corners are searched for a joker's word. Without one the card is unreadable, and people are asked. A step of double
width in a fan is searched too: an index or a joker's word there is a card's, and without one it is a hole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import hypot
from statistics import median_low

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Mask
from vision.photo.cards.find import IndexSpot
from vision.photo.cards.group import Group
from vision.photo.cards.index import JOKER, Index, IndexReader
from vision.tables.rummy.cards import LaidCard, Pack, clearness, count_of, exclude, half_turn, indices_mm, laid_by
from vision.tables.rummy.limits import LIMITS, SAME_CARD_MM
from vision.tables.rummy.melds import MIN_MELD, RANKS, SUITS, is_cascade, melds_of
from vision.tables.rummy.paper import MatView, Paper

# Cards of a row that the finder missed, found by reading along the line of the row's indices. All indices of a fan are
# on one line, with one angle and size. If two neighbours leave room for another card, the line between them is read
# every few millimetres. Even a faint index there belongs to a card.


_LOOKED_MM = LIMITS.slack_mm * np.arange(-1, 2)
"""Offsets at which an index is searched: fans are laid by hand."""


@dataclass(frozen=True, slots=True)
class CardGap:
    """Two neighbours in line with room for a card between them: its index is between two table points (2,), in mm."""

    start_mm: Floats
    end_mm: Floats
    angle: float
    """The angle of a card whose index is upright on this line."""

    @property
    def step_mm(self) -> float:
        """Distance between the two neighbours' indices."""
        return float(np.linalg.norm(self.end_mm - self.start_mm))

    def places(self) -> list[Floats]:
        """Possible places of the missing index, each (2,) in mm."""
        along_mm = np.arange(LIMITS.min_step_mm, self.step_mm - LIMITS.min_step_mm, LIMITS.slack_mm)
        return [self.start_mm + share * (self.end_mm - self.start_mm) for share in along_mm / self.step_mm]


def passed_over(
    cards: Sequence[LaidCard], view: MatView, pack: Pack, paper: Paper, reader: IndexReader
) -> list[LaidCard]:
    """Cards of a row whose index the finder missed."""
    if not cards:
        return []
    middles_mm = np.array([card.middle_mm for card in cards])
    asked: list[tuple[IndexSpot, CardGap]] = []
    for room in _rooms(cards, view, paper):
        for at_mm in room.places():
            (x, y) = view.to_view(at_mm[None])[0]
            spot = IndexSpot(float(x), float(y), pack.height_mm * view.px_per_mm, room.angle, LIMITS.min_spot_score)
            as_if = laid_by(Index(spot, np.zeros(14), np.zeros(4), 0.0), room.angle, view, pack)
            is_near = np.linalg.norm(middles_mm - as_if.middle_mm, axis=1) <= hypot(*pack.size_mm)
            if not any(exclude(as_if, cards[k], view) for k in np.flatnonzero(is_near).tolist()):
                asked.append((spot, room))
    found: list[LaidCard] = []
    for index in sorted(reader.read_in(view.pyramid, [spot for spot, _ in asked]), key=clearness, reverse=True):
        if clearness(index) < LIMITS.even_chance:
            break
        room = min(asked, key=lambda one: abs(one[0].x - index.spot.x) + abs(one[0].y - index.spot.y))[1]
        card = laid_by(index, room.angle, view, pack)
        is_clear = clearness(index) >= LIMITS.rather_clear or room.step_mm >= 2 * LIMITS.usual_step_mm
        if is_clear and not any(exclude(card, other, view) for other in (*cards, *found)):
            found.append(card)
    return found


def _rooms(cards: Sequence[LaidCard], view: MatView, paper: Paper) -> list[CardGap]:
    """Gaps between two cards of one line and angle, with paper but no card between them."""
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
            rooms.append(CardGap(start_mm, _end_of(other, index, start_mm + step, view), one.angle + turn))
    return rooms


def _are_in_line(one: LaidCard, other: LaidCard) -> bool:
    """Whether two cards are in one row, with room for another card between them."""
    if hypot(*(other.middle_mm - one.middle_mm)) > hypot(*one.size_mm) + LIMITS.max_offset_mm:
        return False
    away = np.sort(np.abs(one.seen_from(other.middle_mm)))
    is_wide = 2 * LIMITS.min_step_mm <= away[1] < hypot(*one.size_mm)
    return bool(
        is_wide and away[0] <= LIMITS.max_offset_mm and abs(half_turn(one.angle - other.angle)) <= LIMITS.same_card_rad
    )


def _end_of(other: LaidCard, like: Index, guess_mm: Floats, view: MatView) -> Floats:
    """The place of the other card's index with this index's direction; `guess_mm` if none was read."""
    for index, at_mm in _plain_indices(other, view):
        if np.cos(index.spot.angle - like.spot.angle) > 0:
            return at_mm
    return guess_mm


def _plain_indices(card: LaidCard, view: MatView) -> list[tuple[Index, Floats]]:
    """A card's indices with their places (2,) in mm; without a joker's word, which has another place on the card."""
    indices = card.group.indices if card.group is not None else ()
    at_mm = zip(indices, indices_mm(card, view), strict=True)
    return [(index, at) for index, at in at_mm if int(index.cards.argmax()) != JOKER]


def _lies_between(middle_mm: Floats, one: LaidCard, other: LaidCard) -> bool:
    away = other.middle_mm - one.middle_mm
    share = float((middle_mm - one.middle_mm) @ away / (away @ away))
    aside = float(np.linalg.norm(middle_mm - one.middle_mm - share * away))
    return 0 < share < 1 and aside < LIMITS.max_offset_mm


def with_unread(
    cards: list[LaidCard],
    left: Sequence[Index],
    view: MatView,
    paper: Paper,
    pack: Pack,
    reader: IndexReader,
) -> list[LaidCard]:
    """The given cards, and the cards whose index was not found: jokers where a corner shows a joker's word, otherwise
    unread."""
    found = [card for card in cards if _is_clear(card) or paper.share_of(card.corners_mm) >= _least_on_paper(card)]
    for _ in range(LIMITS.max_unread):
        part = _largest(paper.left_of([card.corners_mm for card in found]))
        if part is None:
            break
        card = _laid_over(part, found, paper, pack.size_mm)
        found.append(_read(card, left, view, pack, reader))
    found += passed_over(found, view, pack, paper, reader)
    known: dict[tuple[float, ...], LaidCard] = {}

    def read(card: LaidCard) -> LaidCard:
        place = (*card.middle_mm.tolist(), card.angle)
        if place not in known:
            known[place] = _read(card, left, view, pack, reader)
        return known[place]

    for least in (LIMITS.rather_clear, LIMITS.min_joker):  # the cards found first may fill the room of others
        for gap in _between(found, view):
            missing = _most_told([[read(card) for card in way] for way in gap.ways])
            joker = next((k for k, card in enumerate(found) if _is_word_of(card, missing, view)), None)
            # the word in this room belongs to that joker: two jokers this near to each other are asked about
            if joker is not None:
                found[joker] = _doubted(found[joker])
                continue
            enough = least if gap.wide >= LIMITS.very_wide_step else LIMITS.clear
            found += [card for k, card in enumerate(missing) if _says(card) >= enough or fits(missing, k, gap)]
    return [card for card in found if not is_across_word(card, found, view)]


def _is_word_of(joker: LaidCard, cards: Sequence[LaidCard], view: MatView) -> bool:
    """Whether a joker's word read on one of the cards is in a corner of this joker."""
    words = [card for card in cards if _number(card) == JOKER]
    return _number(joker) == JOKER and any(_has_print_of(joker, card, view, SAME_CARD_MM) for card in words)


def _has_print_of(joker: LaidCard, card: LaidCard, view: MatView, off_mm: float = 0.0) -> bool:
    """Whether an index of a card is where this joker has its word, within this distance."""
    corners = (joker, _turned_round(joker))
    return any(_is_in_corner(corner, at, off_mm) for corner in corners for at in indices_mm(card, view))


def is_across_word(card: LaidCard, cards: Sequence[LaidCard], view: MatView) -> bool:
    """Whether the card's only index is the end of a joker's word, read across it."""
    return count_of(card) == 1 and any(
        abs(half_turn(card.angle - joker.angle)) > LIMITS.max_index_turn_rad and _has_print_of(joker, card, view)
        for joker in cards
        if _number(joker) == JOKER
    )


def _doubted(joker: LaidCard) -> LaidCard:
    """The joker, marked as doubtful: people are asked."""
    assert joker.group is not None
    indices = tuple(
        replace(index, spot=replace(index.spot, score=LIMITS.min_spot_score)) for index in joker.group.indices
    )
    return replace(joker, group=replace(joker.group, indices=indices))


def fits(missing: Sequence[LaidCard], k: int, gap: Gap) -> bool:
    """Whether the k-th card between two neighbours is the card that their sequence or group lacks there."""
    one, card, other = (_number(laid) for laid in (gap.one, missing[k], gap.other))
    if one is None or card is None or other is None or JOKER in (one, card, other):
        return False
    suits = {one % SUITS, card % SUITS, other % SUITS}
    steps = ((card // SUITS - one // SUITS) % RANKS, (other // SUITS - one // SUITS) % RANKS)
    up, down = (k + 1, len(missing) + 1), (RANKS - k - 1, RANKS - len(missing) - 1)
    return (len(suits) == 1 and steps in (up, down)) or (len(suits) == MIN_MELD and steps == (0, 0))


def _number(card: LaidCard) -> int | None:
    return None if card.group is None else int(card.group.cards.argmax())


def _turned_round(card: LaidCard) -> LaidCard:
    return replace(card, angle=card.angle + np.pi)


def _most_told(ways: Sequence[list[LaidCard]]) -> list[LaidCard]:
    """The best way to fill a wide step: most readable cards, then fewest cards. A word read twice is one joker's."""
    told = [len({int(card.group.cards.argmax()) for card in way if card.group is not None}) for way in ways]
    return ways[told.index(max(told))] if any(told) else ways[-1]


def _is_clear(card: LaidCard) -> bool:
    """Whether its indices prove a card there, whatever the light on its paper."""
    return count_of(card) > 1 or _says(card) >= LIMITS.rather_clear


def _least_on_paper(card: LaidCard) -> float:
    index = None if card.group is None else card.group.indices[0]
    is_certain = index is not None and index.is_index >= LIMITS.clear and index.cards.max() >= LIMITS.even_chance
    return LIMITS.even_chance if is_certain else LIMITS.rather_clear


def _says(card: LaidCard) -> float:
    """Evidence of the card's first index for a card or a joker."""
    return 0.0 if card.group is None else float(card.group.indices[0].is_index * card.group.indices[0].cards.max())


def _largest(left: Mask) -> Mask | None:
    """The largest unexplained part, as a mask; None: no part is large enough."""
    if cv2.countNonZero(left) < LIMITS.min_part_mm2:  # the usual case
        return None
    _, labels, stats, _ = cv2.connectedComponentsWithStats(left, connectivity=4)
    part = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    return (labels == part).astype(np.uint8) if stats[part, cv2.CC_STAT_AREA] >= LIMITS.min_part_mm2 else None


def _laid_over(part: Mask, cards: Sequence[LaidCard], paper: Paper, size_mm: tuple[float, float]) -> LaidCard:
    """The card that explains a part: in line with a neighbour, or alone, on paper."""
    rows, columns = np.nonzero(part)
    some = slice(None, None, 1 + len(rows) // LIMITS.max_part_points)
    points = np.column_stack([columns[some], rows[some]]).astype(np.float64) + 0.5 - LIMITS.beyond_mat_mm
    own = _by_itself(points, size_mm)
    tried = [own, *(card for other in cards for card in _beside(other, points, size_mm))]
    return max(tried, key=lambda card: paper.share_of(card.corners_mm) + _covered(card, points))


def _by_itself(points: NDArray[np.float64], size_mm: tuple[float, float]) -> LaidCard:
    (x, y), (wide, long), angle = cv2.minAreaRect(points.astype(np.float32))
    turned = np.radians(angle if wide < long else angle + 90)
    return LaidCard(np.array([x, y]), float(turned), None, size_mm)


def _beside(other: LaidCard, points: NDArray[np.float64], size_mm: tuple[float, float]) -> list[LaidCard]:
    """Cards in the row or column of `other`, at its angle, that end at the end of the visible part."""
    away = (points - other.middle_mm) @ np.array([other.across, other.down]).T
    if np.abs(away).min(axis=0).max() > sum(size_mm):
        return []
    (x0, y0), (x1, y1) = np.quantile(away, (LIMITS.rare, 1 - LIMITS.rare), axis=0)
    half_x, half_y = size_mm[0] / 2, size_mm[1] / 2
    cards = []
    for x in (x0 + half_x, x1 - half_x):
        for y in (y0 + half_y, y1 - half_y):
            in_row, in_column = abs(y) < SAME_CARD_MM, abs(x) < SAME_CARD_MM
            if in_row or in_column:
                cards.append(LaidCard(other.middle_mm + x * other.across + y * other.down, other.angle, None, size_mm))
    for at, half in ((0, half_x), (1, half_y)):
        for end, sign in (((x0, y0)[at], 1), ((x1, y1)[at], -1)):
            step = (other.across, other.down)[at] * (end + sign * half)
            cards.append(LaidCard(other.middle_mm + step, other.angle, None, size_mm))
    return cards


def _covered(card: LaidCard, points: NDArray[np.float64]) -> float:
    away = np.abs((points - card.middle_mm) @ np.array([card.across, card.down]).T)
    return float((away <= np.array(card.size_mm) / 2 + 2).all(axis=1).mean())


@dataclass(frozen=True, eq=False, slots=True)
class Gap:
    """Room for one or more cards between two neighbours of a fan. `ways`: the cards for each possible number. `wide`:
    its width relative to the fan's other steps."""

    one: LaidCard
    other: LaidCard
    ways: list[list[LaidCard]]
    wide: float


def _between(cards: Sequence[LaidCard], view: MatView) -> list[Gap]:
    """Gaps where a fan may miss a card: a step about twice as wide as the others, or two cards left of a meld."""
    gaps = []
    for meld in melds_of(cards):
        axis = 1 if is_cascade(cards, meld) else 0
        steps = np.diff(_places(cards, meld, axis, view))
        for k, step in enumerate(steps):
            others = np.delete(steps, k)
            few = [*others, LIMITS.usual_step_mm][: max(2, len(others))]
            # a second card may be missing from the fan: the narrower steps are usual then
            is_other_wide = len(others) > 1 and max(others) >= LIMITS.wide_step * min(others)
            usual = float(median_low(few) if is_other_wide else np.median(few)) if len(others) else step / 2
            usual = max(usual, LIMITS.min_step_mm)
            if not LIMITS.wide_step * max(usual, LIMITS.usual_step_mm) <= step < cards[meld[k]].size_mm[axis]:
                continue
            count = max(1, round(step / usual) - 1)
            one, other = cards[meld[k]], cards[meld[k + 1]]
            ways = [_spread(one, other, n) for n in range(1, count + 1)]
            gaps.append(Gap(one, other, ways, float(step / usual)))
    return gaps


def _spread(one: LaidCard, other: LaidCard, count: int) -> list[LaidCard]:
    """This many cards placed evenly between two."""
    shares = [n / (count + 1) for n in range(1, count + 1)]
    return [
        LaidCard(one.middle_mm + (other.middle_mm - one.middle_mm) * t, one.angle, None, one.size_mm) for t in shares
    ]


def _places(cards: Sequence[LaidCard], meld: Sequence[int], axis: int, view: MatView) -> list[float]:
    """Positions of the cards along their row, measured at the indices of one end: their places are most exact."""
    lie = [cards[i] for i in meld]
    first = max(lie, key=lambda card: sum(float(card.across @ other.across) for other in lie))
    places = []
    for card in lie:
        same = [
            index
            for index in (card.group.indices if card.group is not None else ())
            if int(index.cards.argmax()) != JOKER and np.cos(index.spot.angle - first.angle) > 0
        ]
        if not same:
            corners = card.corners_mm
            nearest = corners[0] if float(card.across @ first.across) > 0 else corners[2]
            inward = np.sign(float(card.across @ first.across))
            at = nearest + inward * (card.across * LIMITS.index_offset_mm[0] + card.down * LIMITS.index_offset_mm[1])
        else:
            at = view.to_table(np.array([[same[0].spot.x, same[0].spot.y]]))[0]
        places.append(float(first.seen_from(at)[axis]))
    return places


def _read(card: LaidCard, left: Sequence[Index], view: MatView, pack: Pack, reader: IndexReader) -> LaidCard:
    """The card with the value in its corners: a joker's word, or an index that the finder missed."""
    ways = [card, _turned_round(card)]
    around = [_around(way, view, pack, reader) for way in ways]
    plain = [(index, way) for way, indices in zip(ways, around, strict=True) for index in indices if _is_plain(index)]
    words = [max(indices, key=_word, default=None) for indices in around]
    jokers = [_joker_in(way, left, view, word) for way, word in zip(ways, words, strict=True)]
    joker = max((0, 1), key=lambda k: jokers[k][0])
    if plain:
        index, way = max(plain, key=lambda one: _clearness(one[0]))
        if _clearness(index) > jokers[joker][0]:
            return laid_by(index, way.angle, view, pack)
    if jokers[joker][0] < LIMITS.min_joker:
        return card
    group = Group(tuple(jokers[joker][1]), _joker_chances(jokers[joker][0]), np.zeros((4, 2)))
    return LaidCard(card.middle_mm, ways[joker].angle, group, card.size_mm)


def _around(card: LaidCard, view: MatView, pack: Pack, reader: IndexReader) -> list[Index]:
    """The indices that the reader finds around the place of this card's index, a joker's word included."""
    middle = card.corners_mm[0] + card.across * pack.index_mm[0] + card.down * pack.index_mm[1]
    ats = [middle + x * card.across + y * card.down for x in _LOOKED_MM for y in _LOOKED_MM]
    height = pack.height_mm * view.px_per_mm
    spots = [
        IndexSpot(float(x), float(y), height, card.angle, LIMITS.min_spot_score) for x, y in view.to_view(np.array(ats))
    ]
    return reader.read_in(view.pyramid, spots)


def _is_plain(index: Index) -> bool:
    return index.is_index >= LIMITS.clear and int(index.cards.argmax()) != JOKER


def _word(index: Index) -> float:
    return float(index.cards[JOKER] * index.is_index)


def _clearness(index: Index) -> float:
    return float(index.is_index * index.cards[:JOKER].max())


def _joker_in(
    card: LaidCard, left: Sequence[Index], view: MatView, at_place: Index | None
) -> tuple[float, list[Index]]:
    said = [(_word(at_place), at_place)] if at_place is not None and _word(at_place) >= LIMITS.min_joker else []
    for index in left:
        if _is_in_corner(card, view.to_table(np.array([[index.spot.x, index.spot.y]]))[0]):
            said.append((_word(index), index))
    said.sort(key=lambda pair: -pair[0])
    return (said[0][0], [index for _, index in said[:2]]) if said else (0.0, [])


def _is_in_corner(card: LaidCard, at_mm: NDArray[np.float64], off_mm: float = 0.0) -> bool:
    """Whether a table point (2,) is where the joker's word is, in the upper left corner, within this distance."""
    away = at_mm - card.corners_mm[0]
    (x0, x1), (y0, y1) = LIMITS.joker_zone_mm
    return bool(x0 - off_mm < away @ card.across < x1 + off_mm and y0 - off_mm < away @ card.down < y1 + off_mm)


def _joker_chances(chance: float) -> NDArray[np.float64]:
    chances = np.full(JOKER + 1, (1 - chance) / JOKER)
    chances[JOKER] = chance
    return chances
