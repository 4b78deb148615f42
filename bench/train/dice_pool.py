"""Pieces of labelled pictures, one a die or a place without one, all cut to one size: what face readers learn from."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.train.dice_data import Bytes, Sample, warped
from vision.dice_find import LONG_SIDE_PX, DiceFinder

PIECE_PX, DIE_PX = 144, 54.0
"""Side of a piece, and of the die in its middle: wide enough to be turned and shifted before a crop is cut."""
NO_DIE = 7
"""The face reader's class of what is no die."""
LEAST_SEEN = 0.3
"""Dice of which less is seen are neither dice nor none."""
WHOLE = 0.85
"""A die of which more is seen than this is hidden by nothing."""
BETWEEN = 2
"""Places without a die taken from each picture."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """`pictures` (n, PIECE_PX, PIECE_PX, 3) BGR; `classes` (n,): cannot be told, 1 to 6, NO_DIE; `die_px` (n,): how
    large the die was before it was cut; `can_roll` (n,): may be turned any way."""

    pictures: Bytes
    classes: NDArray[np.int64]
    die_px: NDArray[np.float32]
    can_roll: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.classes)

    def only(self, keep: NDArray[np.bool_]) -> Pieces:
        """Those marked."""
        return Pieces(self.pictures[keep], self.classes[keep], self.die_px[keep], self.can_roll[keep])


Place = tuple[float, float, float, int]
"""x, y, side in pixels of a picture, and the class."""


def _cut(samples: list[Sample], places: list[list[Place]]) -> Pieces:
    count = sum(len(p) for p in places)
    pictures = np.empty((count, PIECE_PX, PIECE_PX, 3), np.uint8)
    classes, die_px, can_roll = np.empty(count, np.int64), np.empty(count, np.float32), np.empty(count, bool)
    k = 0
    for sample, mine in zip(samples, places, strict=True):
        picture = sample.picture() if mine else None
        for x, y, side, value in mine:
            scale = DIE_PX / side
            move = np.array([PIECE_PX / 2 - 0.5 - scale * x, PIECE_PX / 2 - 0.5 - scale * y])
            warp = np.column_stack([np.eye(2) * scale, move])
            pictures[k] = warped(picture, warp, PIECE_PX, cv2.BORDER_REPLICATE)
            classes[k], die_px[k], can_roll[k] = value, side, sample.can_roll
            k += 1
    return Pieces(pictures, classes, die_px, can_roll)


def dice_of(samples: list[Sample]) -> Pieces:
    """All dice of which enough is seen."""
    places = [
        [(float(r[0]), float(r[1]), float(np.sqrt(r[2] * r[3])), int(r[4])) for r in s.dice if r[5] >= LEAST_SEEN]
        for s in samples
    ]
    return _cut(samples, places)


def leaning_of(samples: list[Sample]) -> Pieces:
    """The dice that are seen whole and still cannot be told."""
    places = [
        [(float(r[0]), float(r[1]), float(np.sqrt(r[2] * r[3])), 0) for r in s.dice if r[4] == 0 and r[5] > WHOLE]
        for s in samples
    ]
    return _cut(samples, places)


def between(samples: list[Sample], seed: int, each: int = BETWEEN) -> Pieces:
    """Places that no die is the middle of."""
    rng = np.random.default_rng(seed)
    places = []
    for sample in samples:
        h, w = sample.picture().shape[:2]
        tried = [_between(rng, sample.dice, w, h) for _ in range(each)]
        places.append([(*place, NO_DIE) for place in tried if place is not None])
    return _cut(samples, places)


def mistaken(samples: list[Sample], finder: DiceFinder) -> Pieces:
    """What `finder` takes for a die and is none."""
    places = []
    for sample in samples:
        picture, mine = sample.picture(), []
        whole = min(1.0, LONG_SIDE_PX / max(picture.shape))
        for scale in (whole,) if len(sample.dice) else (whole / 4, whole / 2, whole):
            for one in finder.look(picture, scale):
                away = np.hypot(sample.dice[:, 0] - one.x, sample.dice[:, 1] - one.y)
                sides = np.sqrt(sample.dice[:, 2] * sample.dice[:, 3])
                is_die = (away < 0.5 * sides) & (one.side_px > 0.55 * sides) & (one.side_px < 1.8 * sides)
                if not is_die.any() and one.side_px * scale < 200:
                    mine.append((one.x, one.y, one.side_px, NO_DIE))
        places.append(mine)
    return _cut(samples, places)


def _between(rng: np.random.Generator, dice: NDArray[np.float32], w: int, h: int) -> tuple[float, float, float] | None:
    """A place (x, y, size) that no die is the middle of: anywhere, or half off a die."""
    size = float(np.exp(rng.uniform(np.log(14), np.log(120))))
    at = np.array([rng.uniform(0, w), rng.uniform(0, h)])
    if len(dice):
        pick = dice[rng.integers(len(dice))]
        size = float(np.sqrt(pick[2] * pick[3]))
        if rng.random() < 0.6:
            away = rng.uniform(0, 2 * np.pi)
            at = pick[:2] + np.array([np.cos(away), np.sin(away)]) * size * rng.uniform(0.6, 1.5)
        elif rng.random() < 0.4:  # a pip, a corner: much smaller than the die
            at = pick[:2] + rng.uniform(-0.35, 0.35, 2) * size
            return float(at[0]), float(at[1]), size * float(rng.uniform(0.2, 0.4))
        for d in dice:
            if np.linalg.norm(d[:2] - at) < 0.5 * np.sqrt(d[2] * d[3]):
                return None
    return float(at[0]), float(at[1]), size
