"""Fifty fixed pictures without dice, for counting false detections.

Empty tables, hands, coins, buttons, screws, dominoes, cards, pawns, printed words, cables and a few drawn human faces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.drawn import tables as things
from bench.drawn.dice import photographed
from calibration.arrays import Floats32

PICTURES = 50
WIDTH_PX, HEIGHT_PX = 640, 480
FIRST_SEED = 9_000_000
"""Far from the seeds of the training scenes."""
OTHER_SEEDS = (9_100_000, 9_200_000, 9_300_000)
"""One set of fifty may be lucky. `bench.fit dice` fits its rule on other seeds."""
KINDS = ("empty", "hand", "coins", "buttons", "dominoes", "face", "screws", "cards", "pawns", "mixed")


def _face(rng: np.random.Generator, picture: Floats32, at: tuple[int, int], size: float) -> None:
    """A drawn human face: skin, hair, two eyes, brows, nose, mouth."""
    tone = np.array([0.5, 0.62, 0.85]) * rng.uniform(0.4, 1.15)
    hair = np.array([0.1, 0.15, 0.25]) * rng.uniform(0.3, 3)
    r = int(size)
    cv2.ellipse(picture, (at[0], at[1] - r // 4), (r, int(1.25 * r)), 0, 0, 360, hair.tolist(), -1, cv2.LINE_AA)
    cv2.ellipse(picture, at, (int(0.85 * r), int(1.1 * r)), 0, 0, 360, tone.tolist(), -1, cv2.LINE_AA)
    for side in (-1, 1):
        eye = (int(at[0] + side * 0.35 * r), int(at[1] - 0.15 * r))
        cv2.ellipse(picture, eye, (max(2, r // 6), max(1, r // 12)), 0, 0, 360, (0.95, 0.95, 0.95), -1, cv2.LINE_AA)
        cv2.circle(picture, eye, max(1, r // 13), (0.15, 0.1, 0.08), -1, cv2.LINE_AA)
        brow = (eye[0], int(eye[1] - 0.17 * r))
        cv2.ellipse(picture, brow, (r // 5, max(1, r // 20)), 0, 180, 360, hair.tolist(), max(1, r // 25), cv2.LINE_AA)
    nose = np.array([[at[0], at[1] - r // 10], [at[0] + r // 9, at[1] + r // 4], [at[0] - r // 12, at[1] + r // 4]])
    cv2.polylines(picture, [nose.astype(np.int32)], False, (tone * 0.7).tolist(), max(1, r // 30), cv2.LINE_AA)
    mouth = (at[0], int(at[1] + 0.5 * r))
    cv2.ellipse(picture, mouth, (r // 3, r // 9), 0, 0, 180, (0.3, 0.25, 0.65), -1, cv2.LINE_AA)


DRAWN: dict[str, things.Draw] = {
    "hand": things.hand,
    "coins": things._coin,
    "buttons": things._button,
    "dominoes": things._domino,
    "face": _face,
    "screws": things._screw,
    "cards": things._card,
    "pawns": things._pawn,
    "mixed": things.clutter,
}


def tables(
    kinds: Sequence[str], count: int, first_seed: int, width_px: int, height_px: int, sizes_px: tuple[float, float]
) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """(name, BGR picture) of tables, each with things of one kind; the kinds take turns."""
    for k in range(count):
        rng = np.random.default_rng(first_seed + k)
        kind = kinds[k % len(kinds)]
        picture = things.table(rng, height_px, width_px)
        size = float(rng.uniform(*sizes_px))
        for _ in range(0 if kind == "empty" else int(rng.integers(2, 12))):
            at = (int(rng.uniform(0.08, 0.92) * width_px), int(rng.uniform(0.08, 0.92) * height_px))
            DRAWN[kind](rng, picture, at, size)
        yield f"{kind}_{k:02d}", photographed(rng, picture.astype(np.float32))


def pictures(first_seed: int = FIRST_SEED) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """(name, BGR picture) of each."""
    return tables(KINDS, PICTURES, first_seed, WIDTH_PX, HEIGHT_PX, (30, 120))
