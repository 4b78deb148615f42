"""Reads upright crops of corner indices: rank, suit and confidence, by a small network on several views of each."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import hypot
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Picture
from vision.measure.networks import BATCH, Network, blob
from vision.photo.cards.find import IndexSpot
from vision.photo.cards.limits import LIMITS

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "JOKER")
SUITS = ("S", "H", "D", "C")
JOKER = (len(RANKS) - 1) * len(SUITS)
"""Number of the joker, after all ranks of all suits."""


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
        first = self._ask(pyramid, spots)
        spots, first = self._again(pyramid, spots, first)
        likely = [
            _moved(spot, row)
            for spot, row in zip(spots, first, strict=True)
            if _sigmoid(row[18]) >= LIMITS.min_index_chance
        ]
        if not likely:
            return []
        looks = [_jittered(spot, look) for spot in likely for look in LIMITS.views]
        rows = self._ask(pyramid, looks).reshape(len(likely), len(LIMITS.views), -1)
        ranks, suits = _softmax(rows[..., :14]).mean(axis=1), _softmax(rows[..., 14:18]).mean(axis=1)
        is_index = _sigmoid(rows[..., 18]).mean(axis=1)
        return [Index(spot, ranks[k], suits[k], float(is_index[k])) for k, spot in enumerate(likely)]

    def _again(
        self, pyramid: list[Picture], spots: list[IndexSpot], first: NDArray[np.float64]
    ) -> tuple[list[IndexSpot], NDArray[np.float64]]:
        """The spots and their answers. Spots with a doubtful size get the size that looks most like an index."""
        doubtful = [
            k
            for k, (spot, row) in enumerate(zip(spots, first, strict=True))
            if spot.score >= LIMITS.min_back_score and _sigmoid(row[18]) < LIMITS.min_index_chance
        ]
        if not doubtful:
            return spots, first
        tried = [[_jittered(spots[k], (0.0, 0.0, grow, 0.0)) for grow in LIMITS.retry_sizes] for k in doubtful]
        rows = self._ask(pyramid, [spot for sizes in tried for spot in sizes]).reshape(
            len(doubtful), len(LIMITS.retry_sizes), -1
        )
        spots, first = list(spots), first.copy()
        for k, sizes, answers in zip(doubtful, tried, rows, strict=True):
            best = int(answers[:, 18].argmax())
            spots[k], first[k] = sizes[best], answers[best]
        return spots, first

    def _ask(self, pyramid: list[Picture], spots: list[IndexSpot]) -> NDArray[np.float64]:
        crops = [crop(pyramid, spot, self._net.size_px) for spot in spots]
        said = [self._net(blob(crops[k : k + BATCH])) for k in range(0, len(crops), BATCH)]
        return np.concatenate(said).astype(np.float64)


def best_each(indices: list[Index]) -> list[Index]:
    """The best-read index of each group of overlapping indices: the others are parts of it, or contain it."""
    kept: list[Index] = []
    for index in sorted(indices, key=lambda i: -(i.is_index * i.cards.max() * i.spot.score)):
        spot = index.spot
        for k in (other.spot for other in kept):
            low, high = sorted((spot.height_px, k.height_px))
            reach = LIMITS.part_reach * high if low < LIMITS.part_height * high else LIMITS.same_index_share * low
            if hypot(spot.x - k.x, spot.y - k.y) < reach:
                break
        else:
            kept.append(index)
    return kept


def halvings(picture: Picture) -> list[Picture]:
    """The picture, followed by its halvings, each half the size of the previous."""
    levels = [picture]
    while min(levels[-1].shape[:2]) > 1:
        levels.append(np.asarray(cv2.resize(levels[-1], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8))
    return levels


def crop(pyramid: list[Picture], spot: IndexSpot, size_px: tuple[int, int]) -> Picture:
    """The upright crop around a spot, of this width and height."""
    k = LIMITS.crop_heights * spot.height_px / size_px[1]
    depth = int(np.clip(np.floor(np.log2(max(k, 1e-6))), 0, len(pyramid) - 1))
    shrink = 2.0**depth
    c, s = np.cos(spot.angle) * k / shrink, np.sin(spot.angle) * k / shrink
    to = np.array([[c, -s, 0.0], [s, c, 0.0]])
    middle = (np.array([spot.x, spot.y]) + 0.5) / shrink - 0.5
    to[:, 2] = middle - to[:, :2] @ ((np.array(size_px) - 1) / 2)
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    view = cv2.warpAffine(pyramid[depth], to, size_px, flags=how, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(view, np.uint8)


def _jittered(spot: IndexSpot, look: tuple[float, float, float, float]) -> IndexSpot:
    dx, dy, grow, turn = look
    c, s = np.cos(spot.angle), np.sin(spot.angle)
    return replace(
        spot,
        x=spot.x + (c * dx - s * dy) * spot.height_px,
        y=spot.y + (s * dx + c * dy) * spot.height_px,
        height_px=spot.height_px * grow,
        angle=spot.angle + turn,
    )


def _moved(spot: IndexSpot, row: NDArray[np.float64]) -> IndexSpot:
    """The spot, corrected by the network's answer."""
    dx, dy, grow, turn = row[19:23]
    return _jittered(spot, (float(dx), float(dy), float(np.exp(grow)), float(turn)))


def _softmax(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    e = np.exp(rows - rows.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))


def _sigmoid(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-x)))
