"""From corner indices to cards of a known size: the place, value and confidence of each card.

An index gives its card's whole place, because a pack prints all of them at one distance from the card's edges. That
distance is measured in each picture, on the cards that show both indices.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import hypot

import numpy as np

from calibration.arrays import Floats
from vision.photo.cards.group import Group, agreement, turn_between
from vision.photo.cards.index import JOKER, Index
from vision.tables.rummy.limits import LIMITS, SAME_CARD_MM
from vision.tables.rummy.paper import MatView, Paper

# The cards' angles, from the lines of their indices: a single index gives its angle only roughly.
# The indices of a row, a fan or a cascade are on one line, along their cards' short side or their long one.


def turned_by_lines(indices: Sequence[Index], px_per_mm: float, long_mm: float) -> list[Index]:
    """The indices, each turned to the line that it shares with others nearer than a card's length."""
    if len(indices) < 2:
        return list(indices)
    at = np.array([[index.spot.x, index.spot.y] for index in indices]) / px_per_mm
    angles = np.array([index.spot.angle for index in indices])
    return [
        replace(index, spot=replace(index.spot, angle=index.spot.angle + _off(k, at, angles, long_mm)))
        for k, index in enumerate(indices)
    ]


def _off(k: int, at: Floats, angles: Floats, long_mm: float) -> float:
    """Difference of an index's angle from its line's; 0 without a line."""
    away = at - at[k]
    far = np.hypot(*away.T)
    alike = np.abs((angles - angles[k] + np.pi) % (2 * np.pi) - np.pi) < LIMITS.max_index_turn_rad
    near = np.flatnonzero((far > 0) & (far < long_mm) & alike)
    if not len(near):
        return 0.0
    ways = np.arctan2(away[near, 1], away[near, 0])
    offs = _quarter(ways - angles[k])
    aside = np.abs(np.sin(ways[:, None] - ways) * far[near])
    on_line = (aside < LIMITS.max_offset_mm) & (np.abs(offs) < LIMITS.max_index_turn_rad)[:, None]
    support = on_line.sum(axis=1) + far[near] / (2 * long_mm)
    support[np.abs(offs) >= LIMITS.max_index_turn_rad] = 0
    best = int(support.argmax())
    if support[best] >= 2:
        points = np.vstack([at[k], at[near[on_line[best]]]])
        (x, y) = np.linalg.svd(points - points.mean(axis=0))[2][0]
        return float(_quarter(np.arctan2(y, x) - angles[k]))
    return 0.0


def _quarter(angles: Floats) -> Floats:
    """Angles to a quarter turn, about 0."""
    return np.asarray((2 * angles + np.pi / 2) % np.pi - np.pi / 2) / 2


@dataclass(frozen=True, eq=False)
class LaidCard:
    """A card on the table: its middle (2,) in mm, its angle in rad (0: upright), and its indices."""

    middle_mm: Floats
    angle: float
    group: Group | None
    """None: no index of this card could be read."""
    size_mm: tuple[float, float]

    @cached_property
    def across(self) -> Floats:
        """Unit vector (2,) from the card's left edge to its right edge."""
        return np.array([np.cos(self.angle), np.sin(self.angle)])

    @cached_property
    def down(self) -> Floats:
        """Unit vector (2,) from the card's upper edge to its lower edge."""
        return np.array([-np.sin(self.angle), np.cos(self.angle)])

    @cached_property
    def corners_mm(self) -> Floats:
        """The corners (4, 2), clockwise from the card's top left."""
        wide, long = self.size_mm
        signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
        return np.asarray(self.middle_mm + signs @ np.array([self.across * wide, self.down * long]))

    def seen_from(self, point_mm: Floats) -> Floats:
        """A table point (2,) relative to the card's middle, along the card's width and length."""
        away = np.asarray(point_mm, np.float64) - self.middle_mm
        return np.array([away @ self.across, away @ self.down])


@dataclass(frozen=True, slots=True)
class Pack:
    """The pack of a picture: the place of the index on a card (across, down), its height, and the kit's card, in mm."""

    index_mm: tuple[float, float]
    height_mm: float
    size_mm: tuple[float, float]


def pack_of(indices: Sequence[Index], view: MatView, size_mm: tuple[float, float]) -> Pack:
    """The picture's pack, measured on the clear indices."""
    clear = [i for i in indices if i.is_index > LIMITS.clear and i.cards[:JOKER].max() > LIMITS.clear]
    heights = [i.spot.height_px / view.px_per_mm for i in clear]
    across, down = [], []
    for at, one in enumerate(clear):
        for other in clear[at + 1 :]:
            if np.pi - abs(turn_between(one, other)) > LIMITS.same_card_rad or agreement(one, other) < 0.5:
                continue
            apart = _turned(np.array([other.spot.x - one.spot.x, other.spot.y - one.spot.y]), one) / view.px_per_mm
            place = (np.array(size_mm) - apart) / 2
            if np.abs(place - LIMITS.index_offset_mm).max() < LIMITS.max_offset_mm:
                across.append(place[0])
                down.append(place[1])
    index_mm = (float(np.median(across)), float(np.median(down))) if len(across) > 1 else LIMITS.index_offset_mm
    return Pack(index_mm, float(np.median(heights)) if len(heights) > 2 else LIMITS.index_height_mm, size_mm)


def cards_of(indices: Sequence[Index], view: MatView, paper: Paper, pack: Pack) -> tuple[list[LaidCard], list[Index]]:
    """The cards with a readable index, each once, and the unused indices. Corners of jokers are among these."""
    fits = [i for i in indices if _is_of(i, pack, view)]
    fits = turned_by_lines(fits, view.px_per_mm, pack.size_mm[1])
    singles = [(index, _card(index, view, paper, pack)) for index in fits]
    singles.sort(key=lambda pair: -_weight(pair[0], pair[1], paper))
    cards: list[LaidCard] = []
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
    """How clearly this index shows a card that is not a joker."""
    return float(index.is_index * index.cards[:JOKER].max())


def _weight(index: Index, card: LaidCard, paper: Paper) -> float:
    """Evidence for a card before it is compared with others: its index, and the paper around it."""
    return float(clearness(index) * index.spot.score * paper.share_of(card.corners_mm))


def _turned(vector: Floats, index: Index) -> Floats:
    c, s = np.cos(index.spot.angle), np.sin(index.spot.angle)
    return np.array([c * vector[0] + s * vector[1], -s * vector[0] + c * vector[1]])


def _is_of(index: Index, pack: Pack, view: MatView) -> bool:
    share = index.spot.height_px / view.px_per_mm / pack.height_mm
    return (
        LIMITS.heights[0] < share < LIMITS.heights[1]
        and index.is_index >= LIMITS.even_chance
        and int(index.cards.argmax()) != JOKER
    )


def _card(index: Index, view: MatView, paper: Paper, pack: Pack) -> LaidCard:
    at = view.to_table(np.array([[index.spot.x, index.spot.y]]))[0]
    angle, turn = index.spot.angle, paper.turn_at(at)
    if turn is not None:  # the sides of a row of cards give their angle more exactly than an index
        angle -= float(_quarter(np.array(angle - turn)))
    return laid_by(index, angle, view, pack)


def laid_by(index: Index, angle: float, view: MatView, pack: Pack) -> LaidCard:
    """The card that has this index, turned by an angle."""
    at = view.to_table(np.array([[index.spot.x, index.spot.y]]))[0]
    card = LaidCard(at, angle, Group((index,), index.cards, np.zeros((4, 2))), pack.size_mm)
    away = np.array(pack.size_mm) / 2 - pack.index_mm
    return replace(card, middle_mm=at + card.across * away[0] + card.down * away[1])


def _is_same(one: LaidCard, other: LaidCard) -> bool:
    turn = abs((one.angle - other.angle) % (2 * np.pi) - np.pi)
    away_mm = np.linalg.norm(one.middle_mm - other.middle_mm)
    return bool(turn < 2 * LIMITS.same_card_rad and away_mm < SAME_CARD_MM)


def chances_of(card: LaidCard) -> Floats | None:
    """Probabilities (53,) of the card's values from its indices; None: no index was read."""
    return None if card.group is None else card.group.cards


def was_found(card: LaidCard) -> bool:
    """Whether the finder saw an index of this card. If not, an index was read where a card was missing: never sure."""
    return card.group is not None and any(index.spot.score != LIMITS.min_spot_score for index in card.group.indices)


def count_of(card: LaidCard) -> int:
    """Number of indices read of this card."""
    return 0 if card.group is None else len(card.group.indices)


def _agree(one: LaidCard, other: LaidCard) -> bool:
    """Whether the indices of two possible cards agree well enough to be two indices of one card."""
    return _chance_of_same(one, other) >= LIMITS.rare


def _contradict(one: LaidCard, other: LaidCard) -> bool:
    """Whether two clear indices show different values. If they are of one card, one of them is misread."""
    return not _agree(one, other) and min(_clearest(one), _clearest(other)) >= LIMITS.rather_clear


def _clearest(card: LaidCard) -> float:
    assert card.group is not None
    return max(map(clearness, card.group.indices))


def _chance_of_same(one: LaidCard, other: LaidCard) -> float:
    assert one.group is not None
    assert other.group is not None
    return float(one.group.cards @ other.group.cards)


def exclude(one: LaidCard, other: LaidCard, view: MatView) -> bool:
    """Whether two cards cannot both show their indices here. Then one of the indices is a pip or an ornament.

    Either the cards have one angle and are nearer than in any fan, or each covers an index of the other.
    """
    far = hypot(*(one.middle_mm - other.middle_mm))
    if far > hypot(*one.size_mm):
        return False
    if far < LIMITS.min_step_mm and abs(half_turn(one.angle - other.angle)) < 2 * LIMITS.same_card_rad:
        return True
    return _covers(one, other, view) and _covers(other, one, view)


def _covers(card: LaidCard, other: LaidCard, view: MatView) -> bool:
    """Whether an index of another card is seen inside this card."""
    half = np.array(card.size_mm) / 2
    return any((np.abs(card.seen_from(at)) < half).all() for at in indices_mm(other, view))


def indices_mm(card: LaidCard, view: MatView) -> list[Floats]:
    """Table points (2,) of the card's indices."""
    indices = () if card.group is None else card.group.indices
    return [view.to_table(np.array([[index.spot.x, index.spot.y]]))[0] for index in indices]


def half_turn(angle: float) -> float:
    """An angle reduced to a half turn around 0, because a card looks the same both ways up."""
    return (angle + np.pi / 2) % np.pi - np.pi / 2


def _joined(one: LaidCard, other: LaidCard) -> LaidCard:
    """One card from its two indices. Its middle is half-way between theirs; equal values become more certain."""
    assert one.group is not None
    assert other.group is not None
    mean = (one.group.cards + other.group.cards) / 2
    product = one.group.cards * other.group.cards
    both = (product / max(float(product.sum()), 1e-12) + mean) / 2 if _agree(one, other) else mean
    turn = (other.angle - np.pi - one.angle + np.pi) % (2 * np.pi) - np.pi
    group = Group((*one.group.indices, *other.group.indices), both, np.zeros((4, 2)))
    middle = (one.middle_mm + other.middle_mm) / 2
    # both ways up look the same: reported is the way up that the picture shows
    angle = (one.angle + turn / 2 + np.pi / 2) % np.pi - np.pi / 2
    return LaidCard(middle, float(angle), group, one.size_mm)


def _is_told(card: LaidCard) -> bool:
    assert card.group is not None
    return len(card.group.indices) > 1 or float(card.group.cards.max()) >= LIMITS.maybe
