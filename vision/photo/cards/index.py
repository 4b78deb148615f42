"""Reads upright crops of corner indices: rank, suit and confidence, by a small network on several views of each."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import hypot
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.measure.networks import Network, blob
from vision.photo.cards.find import IndexSpot
from vision.photo.cards.limits import LIMITS
from vision.photo.nets import CLEAR, POSSIBLE, asked, cut, halvings, made_with, sigmoid, softmax
from vision.readers import Picture

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "JOKER")
SUITS = ("S", "H", "D", "C")
JOKER = (len(RANKS) - 1) * len(SUITS)
"""Number of the joker, after all ranks of all suits."""
_MADE_WITH = made_with("cards")
WIDTH_PX: int = _MADE_WITH["crop_width_px"]
HEIGHT_PX: int = _MADE_WITH["crop_height_px"]
SPAN: float = _MADE_WITH["crop_heights"]
"""Height of a crop in index heights."""
LOOKS = (1.0, 1 / LIMITS.other_size, LIMITS.other_size)
"""Relative sizes of the views of an index. Their answers are averaged."""


@dataclass(frozen=True, eq=False)
class Index:
    """A read index: its place, and the probabilities of 14 ranks (the last: joker) and 4 suits."""

    spot: IndexSpot
    ranks: NDArray[np.float64]
    suits: NDArray[np.float64]
    is_index: float

    @cached_property
    def cards(self) -> NDArray[np.float64]:
        """Probabilities of the 53 cards: 13 ranks x 4 suits, then the joker."""
        return np.concatenate([np.outer(self.ranks[:13], self.suits).ravel(), self.ranks[13:]])


def name_of(number: int) -> tuple[str, str | None]:
    """Rank and suit of a card number, 0 to 52.

    >>> name_of(4), name_of(52)
    (('2', 'S'), ('JOKER', None))
    """
    return ("JOKER", None) if number == JOKER else (RANKS[number // len(SUITS)], SUITS[number % len(SUITS)])


class IndexReader:
    """A network that reads crops, on several views of each. It also decides whether a spot is an index, and its exact
    place."""

    def __init__(self, model: Path) -> None:
        self._net = Network(model)

    def read(self, picture: Picture, spots: list[IndexSpot]) -> list[Index]:
        """The indices among the spots, with corrected places and their probabilities."""
        return self.read_in(halvings(picture), spots) if spots else []

    def read_in(self, pyramid: list[Picture], spots: list[IndexSpot]) -> list[Index]:
        """Like `read`, on a picture's `halvings`, for callers that read the picture several times."""
        if not spots:
            return []
        first = self._ask([crop(pyramid, spot) for spot in spots])
        spots, first = self._again(pyramid, spots, first)
        likely = [_moved(spot, row) for spot, row in zip(spots, first, strict=True) if sigmoid(row[18]) >= 1 - CLEAR]
        if not likely:
            return []
        crops = [crop(pyramid, _resized(spot, size)) for spot in likely for size in LOOKS]
        rows = self._ask(crops).reshape(len(likely), len(LOOKS), -1)
        ranks, suits = softmax(rows[..., :14]).mean(axis=1), softmax(rows[..., 14:18]).mean(axis=1)
        is_index = sigmoid(rows[..., 18]).mean(axis=1)
        return [Index(spot, ranks[k], suits[k], float(is_index[k])) for k, spot in enumerate(likely)]

    def suits_at(self, pyramid: list[Picture], spots: list[IndexSpot]) -> NDArray[np.float64]:
        """Probabilities of the suits (N, 4) in the suit's place of each spot, whatever is above it."""
        return softmax(self._ask([crop(pyramid, spot) for spot in spots])[:, 14:18])

    def _again(
        self, pyramid: list[Picture], spots: list[IndexSpot], first: NDArray[np.float64]
    ) -> tuple[list[IndexSpot], NDArray[np.float64]]:
        """The spots and their answers. Spots with a doubtful size get the size that looks most like an index."""
        doubtful = [
            k
            for k, (spot, row) in enumerate(zip(spots, first, strict=True))
            if spot.score >= POSSIBLE and sigmoid(row[18]) < 1 - CLEAR
        ]
        if not doubtful:
            return spots, first
        sizes = (1 / LIMITS.other_size**2, LIMITS.other_size**2)
        tried = [[_resized(spots[k], size) for size in sizes] for k in doubtful]
        rows = self._ask([crop(pyramid, spot) for spots_tried in tried for spot in spots_tried])
        rows = rows.reshape(len(doubtful), len(sizes), -1)
        spots, first = list(spots), first.copy()
        for k, spots_tried, answers in zip(doubtful, tried, rows, strict=True):
            best = int(answers[:, 18].argmax())
            spots[k], first[k] = spots_tried[best], answers[best]
        return spots, first

    def _ask(self, crops: list[Picture]) -> NDArray[np.float64]:
        return asked(self._net, crops, lambda one: blob([one])[0]).astype(np.float64)


def best_each(indices: list[Index]) -> list[Index]:
    """The best-read index of each group of overlapping indices: the others are parts of it, or contain it."""
    kept: list[Index] = []
    for index in sorted(indices, key=lambda i: -(i.is_index * i.cards.max() * i.spot.score)):
        spot = index.spot
        for k in (other.spot for other in kept):
            if hypot(spot.x - k.x, spot.y - k.y) < LIMITS.same_index_share * max(spot.height_px, k.height_px):
                break
        else:
            kept.append(index)
    return kept


def crop(pyramid: list[Picture], spot: IndexSpot) -> Picture:
    """The upright crop around a spot, HEIGHT_PX x WIDTH_PX."""
    return cut(pyramid, (spot.x, spot.y), SPAN * spot.height_px / HEIGHT_PX, (WIDTH_PX, HEIGHT_PX), angle=spot.angle)


def _resized(spot: IndexSpot, size: float) -> IndexSpot:
    return replace(spot, height_px=spot.height_px * size)


def _moved(spot: IndexSpot, row: NDArray[np.float64]) -> IndexSpot:
    """The spot, corrected by the network's answer."""
    dx, dy, grow, turn = row[19:23].tolist()
    c, s = np.cos(spot.angle), np.sin(spot.angle)
    return replace(
        spot,
        x=spot.x + (c * dx - s * dy) * spot.height_px,
        y=spot.y + (s * dx + c * dy) * spot.height_px,
        height_px=spot.height_px * float(np.exp(grow)),
        angle=spot.angle + turn,
    )
