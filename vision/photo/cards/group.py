"""Groups indices by card: two (or four) indices of a card are half a turn apart at a known offset."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.photo.cards.index import JOKER, Index
from vision.photo.cards.limits import LIMITS


@dataclass(frozen=True, slots=True)
class Group:
    """The indices of one card, and the card's probabilities by all of them."""

    indices: tuple[Index, ...]
    cards: NDArray[np.float64]
    corners: NDArray[np.float64]


def offset(a: Index, b: Index) -> NDArray[np.float64]:
    """The place of b relative to a: to the right and down, in a's frame and heights."""
    c, s = np.cos(a.spot.angle), np.sin(a.spot.angle)
    d = np.array([b.spot.x - a.spot.x, b.spot.y - a.spot.y]) / a.spot.height_px
    return np.array([c * d[0] + s * d[1], -s * d[0] + c * d[1]])


def turn_between(a: Index, b: Index) -> float:
    """The angle from a to b, -pi to pi."""
    return float((b.spot.angle - a.spot.angle + np.pi) % (2 * np.pi) - np.pi)


def agreement(a: Index, b: Index) -> float:
    """The probability that two independently read indices show the same card."""
    return float(a.cards @ b.cards)


def are_opposite(a: Index, b: Index) -> bool:
    """Whether b can be the index in the opposite corner of a's card."""
    if np.pi - abs(turn_between(a, b)) > LIMITS.turn_tolerance_rad:
        return False
    if not _are_alike_high(a, b, LIMITS.max_height_ratio):
        return False
    for across, down in (offset(a, b), offset(b, a)):
        if not (
            LIMITS.across_range[0] < across < LIMITS.across_range[1]
            and LIMITS.down_range[0] < down < LIMITS.down_range[1]
            and LIMITS.slant_range[0] < across / down < LIMITS.slant_range[1]
        ):
            return False
    return True


def _are_alike_high(a: Index, b: Index, most: float) -> bool:
    """Whether the higher of two indices is less than this factor higher."""
    low, high = sorted((a.spot.height_px, b.spot.height_px))
    return high < most * low


def are_loosely_opposite(a: Index, b: Index) -> bool:
    """Whether b may be a's opposite index in a slanting view, which shortens the card in one direction."""
    if np.pi - abs(turn_between(a, b)) > LIMITS.loose_turn_rad or agreement(a, b) < LIMITS.min_loose_agreement:
        return False
    if not _are_alike_high(a, b, LIMITS.loose_height_ratio):
        return False
    there, back = offset(a, b), offset(b, a)
    apart = float(np.sqrt(np.linalg.norm(there) * np.linalg.norm(back)))
    return LIMITS.loose_range[0] < apart < LIMITS.loose_range[1] and min(*there, *back) > LIMITS.min_loose_offset


def usual_down(pairs: list[tuple[int, int, float]], indices: list[Index]) -> float | None:
    """The picture's usual distance between opposite indices, in index heights; None: no clear pair."""
    downs = [
        (float(offset(indices[i], indices[j])[1]) + float(offset(indices[j], indices[i])[1])) / 2
        for i, j, same in pairs
        if same > 0.5
    ]
    return float(np.median(downs)) if downs else None


def grouped(indices: list[Index]) -> list[Group]:
    """Each index in exactly one group. Pairs with the best agreement and the most usual distance are formed first."""
    pairs = []
    for i, a in enumerate(indices):
        for j in range(i + 1, len(indices)):
            same = agreement(a, indices[j])
            if same > LIMITS.min_agreement and are_opposite(a, indices[j]):
                pairs.append((i, j, same))
    usual = usual_down(pairs, indices)

    def badness(pair: tuple[int, int, float]) -> float:
        i, j, same = pair
        there, back = offset(indices[i], indices[j]), offset(indices[j], indices[i])
        off = abs(np.log(((there[1] + back[1]) / 2) / usual)) if usual is not None else 0.0
        turn = np.pi - abs(turn_between(indices[i], indices[j]))
        return float(-np.log(same) + LIMITS.off_weight * off + LIMITS.turn_weight * turn)

    used: set[int] = set()
    groups = []
    for i, j, _ in sorted(pairs, key=badness):
        if i not in used and j not in used:
            used |= {i, j}
            groups.append(_pair(indices[i], indices[j]))
    lone = [k for k in range(len(indices)) if k not in used]
    for at, i in enumerate(lone):
        for j in lone[at + 1 :]:
            if i not in used and j not in used and are_loosely_opposite(indices[i], indices[j]):
                used |= {i, j}
                groups.append(_pair(indices[i], indices[j]))
    down = usual or LIMITS.usual_down
    singles = [index for k, index in enumerate(indices) if k not in used]
    return _four_cornered(groups, singles, down)


def _corners(first: Index, across: float, down: float) -> NDArray[np.float64]:
    """The corners, clockwise from the card's top left."""
    c, s = np.cos(first.spot.angle), np.sin(first.spot.angle)
    frame = np.array([[c, -s], [s, c]]) * first.spot.height_px
    at = np.array([first.spot.x, first.spot.y])
    box = np.array(
        [
            [-LIMITS.rim_across, -LIMITS.rim_down],
            [across + LIMITS.rim_across, -LIMITS.rim_down],
            [across + LIMITS.rim_across, down + LIMITS.rim_down],
            [-LIMITS.rim_across, down + LIMITS.rim_down],
        ]
    )
    return np.asarray(at + box @ frame.T)


def _pair(a: Index, b: Index) -> Group:
    product = a.cards * b.cards
    mixed = (product / max(product.sum(), 1e-12) + (a.cards + b.cards) / 2) / 2
    there, back = _corners(a, *offset(a, b)), _corners(b, *offset(b, a))
    return Group((a, b), mixed, (there + np.roll(back, 2, axis=0)) / 2)


def _single(a: Index, down: float) -> Group:
    return Group((a,), a.cards, _corners(a, down * LIMITS.usual_across / LIMITS.usual_down, down))


def _four_cornered(groups: list[Group], singles: list[Index], down: float) -> list[Group]:
    """Packs with four indices per card: a lone index in a free corner of a pair with its value joins that card."""
    found, left = list(groups), []
    for index in singles:
        for k, group in enumerate(found):
            if (
                len(group.indices) >= 2
                and agreement_of(group, index) > LIMITS.min_loose_agreement
                and _in_free_corner(group, index)
            ):
                found[k] = Group((*group.indices, index), group.cards, group.corners)
                break
        else:
            left.append(index)
    across = down * LIMITS.usual_across / LIMITS.usual_down
    is_four_cornered = any(len(group.indices) > 2 for group in found)
    lone = [_single(index, down) for index in left]
    if not is_four_cornered:
        return found + lone
    kept: list[Group] = []
    for group in lone:
        (index,) = group.indices
        for other in kept:
            there = offset(other.indices[0], index)
            is_beside = abs(abs(there[0]) - across) < LIMITS.corner_reach and abs(there[1]) < LIMITS.corner_reach
            is_level = abs(turn_between(other.indices[0], index)) < LIMITS.turn_tolerance_rad
            if is_beside and is_level and agreement(other.indices[0], index) > LIMITS.min_loose_agreement:
                break
        else:
            kept.append(group)
    return found + kept


def agreement_of(group: Group, index: Index) -> float:
    """The probability that an index shows the same card as a group."""
    return float(group.cards @ index.cards)


def _in_free_corner(group: Group, index: Index) -> bool:
    """Whether the index is in a free corner of a card with four indices: level with one index, below the other."""
    first, second = group.indices[:2]
    across, down = offset(first, second)
    there = offset(first, index)
    return any(float(np.hypot(*(there - corner))) < LIMITS.corner_reach for corner in ((across, 0.0), (0.0, down)))


def crowd_height_px(indices: list[Index]) -> float | None:
    """The usual height of indices that are close together, as in a fan or row; None: too few indices are."""
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
    """The groups, the most certain first. Doubtful copies of cards already seen get a lower probability, except
    jokers."""
    seen: Counter[int] = Counter()
    weighed = []
    for group in sorted(groups, key=lambda g: (-len(g.indices), -float(g.cards.max()))):
        cards = group.cards.copy()
        for card, copies in seen.items():
            cards[card] *= LIMITS.second_copy**copies
        cards /= max(float(cards.sum()), 1e-12)
        best = int(cards.argmax())
        if best < JOKER and cards[best] > LIMITS.seen_chance:
            seen[best] += 1
        weighed.append(Group(group.indices, cards, group.corners))
    return weighed
