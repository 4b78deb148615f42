"""What the network learns from that tells dice by what lies about them: finds, each seen from near and from afar."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.train.dice_blocks import NEAR, NEAR_SIZE, SAME, SAME_SIZE
from bench.train.dice_data import Sample, warped
from vision.dice_face import CROP_PX, REACH, FaceReader
from vision.dice_find import DiceFinder, Found

Bytes = NDArray[np.uint8]

REACHES = (REACH, 3 * REACH)
"""Sides of the two crops in sides of the find, as `vision.dice_context` cuts them."""
PIECE_PX = 112
"""Crops are cut out of pieces so large, in the same pixels: they may be turned, shifted and enlarged."""
LEAST_SEEN = 0.5
LEAST_HOPE, PLAIN_HEAT, PLAIN_FACE = 0.3, 0.9, 0.02
"""Hard finds: hopeful by finder and face readers together, and not plain by both."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A find from near and from afar (PIECE_PX, PIECE_PX, 3), whether it is a die, and whether that is hard to tell."""

    near: Bytes
    far: Bytes
    is_die: bool
    is_hard: bool
    can_roll: bool
    source: str


def lessons_of(samples: Iterable[Sample], processes: int = 1) -> list[Lesson]:
    """The finds in pictures of which it is known what they are."""
    with ProcessPoolExecutor(processes) as pool:
        return [lesson for some in pool.map(_lessons_of, samples, chunksize=8) for lesson in some]


@lru_cache(maxsize=1)
def _readers() -> tuple[DiceFinder, FaceReader]:
    cv2.setNumThreads(1)
    return DiceFinder(), FaceReader()


def _lessons_of(sample: Sample) -> list[Lesson]:
    finder, faces = _readers()
    picture = sample.picture()
    found = finder.find(picture)
    if not found:
        return []
    no_die = faces.look(picture, found)[:, 7].tolist()
    told = [(one, none, is_die(one, sample)) for one, none in zip(found, no_die, strict=True)]
    return [
        Lesson(*_pieces(picture, one), truth, _is_hard(one, none), sample.can_roll, sample.source)
        for one, none, truth in told
        if truth is not None
    ]


def _is_hard(one: Found, no_die: float) -> bool:
    is_plain = one.heat > PLAIN_HEAT and no_die < PLAIN_FACE
    return (one.heat * (1 - no_die)) ** 0.5 > LEAST_HOPE and not is_plain


def is_die(one: Found, sample: Sample) -> bool | None:
    """Whether a find is a die of the picture; None: neither is said."""
    told: bool | None = False
    for x, y, width, height, _, seen in sample.dice.tolist():
        side = (width * height) ** 0.5
        away, size = float(np.hypot(x - one.x, y - one.y)) / side, one.side_px / side
        if away < SAME and SAME_SIZE[0] < size < SAME_SIZE[1]:
            return True if seen >= LEAST_SEEN else None
        if away < NEAR and NEAR_SIZE[0] < size < NEAR_SIZE[1]:
            told = None
    return told


def _pieces(picture: Bytes, one: Found) -> tuple[Bytes, Bytes]:
    near, far = (
        warped(
            picture,
            np.column_stack([np.eye(2) * scale, PIECE_PX / 2 - 0.5 - scale * np.array([one.x - 0.5, one.y - 0.5])]),
            PIECE_PX,
            cv2.BORDER_REPLICATE,
        )
        for scale in (CROP_PX / (reach * one.side_px) for reach in REACHES)
    )
    return near, far
