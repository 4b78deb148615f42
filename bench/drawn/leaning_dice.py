"""Sixty pictures with one die that leans by 20 to 45 degrees and two level dice. The leaning die must not get a
value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from bench.drawn.dice import MARGIN_PX, camera_of, die_of, light_of, material_of, photographed, render
from bench.drawn.die import Die
from bench.drawn.tables import table
from companion.game.readings import SURE, DiceReading

PICTURES = 60
WIDTH_PX, HEIGHT_PX = 640, 480
FIRST_SEED = 9_500_000
"""Far from the seeds of the training scenes."""
Box = tuple[float, float, float, float]


def _one(rng: np.random.Generator, at: tuple[float, float], leans: bool) -> Die:
    while True:
        die = die_of(rng, material_of(rng), at)
        if die.is_leaning == leans:
            return die


def pictures(first_seed: int = FIRST_SEED) -> Iterator[tuple[NDArray[np.uint8], Box]]:
    """(picture BGR, box in pixels of the die that leans) of each."""
    k = 0
    for seed in range(first_seed, first_seed + 100 * PICTURES):
        if k == PICTURES:
            return
        rng = np.random.default_rng(seed)
        die_px, pitch = float(rng.uniform(36, 130)), float(np.radians(rng.uniform(0, 45)))
        camera, light = camera_of(rng, WIDTH_PX, HEIGHT_PX, die_px, pitch, 0.0), light_of(rng)
        away = rng.uniform(0, 2 * np.pi)
        x, y = 3.4 * np.cos(away), 3.4 * np.sin(away)
        dice = [_one(rng, (0.0, 0.0), True), _one(rng, (x, y), False), _one(rng, (-x, -y), False)]
        level = float(light.ambient.mean() + light.key.mean() * light.toward[2])
        ground = table(rng, HEIGHT_PX + 2 * MARGIN_PX, WIDTH_PX + 2 * MARGIN_PX) * level
        picture, labels = render(camera, light, dice, ground.astype(np.float32))
        middle = camera.project(dice[0].at[None])[0]
        leaning = [label for label in labels if label.value == 0 and label.seen > 0.95 and _holds(label.box, middle)]
        if len(leaning) == 1:
            k += 1
            yield photographed(rng, picture), leaning[0].box


def _holds(box: Box, spot: NDArray[np.float32]) -> bool:
    return bool(box[0] <= spot[0] <= box[2] and box[1] <= spot[1] <= box[3])


def said_of(read: Callable[[NDArray[np.uint8]], DiceReading], most: int | None = None) -> Counter[str]:
    """Counts for these dice, at most `most`: missed, null, value not sure, value sure."""
    said: Counter[str] = Counter()
    for picture, (x0, y0, x1, y1) in islice(pictures(), most):
        middles = [(d, (d.box[0] + d.box[2]) / 2, (d.box[1] + d.box[3]) / 2) for d in read(picture).dice]
        mine = [d for d, x, y in middles if x0 < x < x1 and y0 < y < y1]
        if not mine:
            said["missed"] += 1
        elif all(d.value is None for d in mine):
            said["null"] += 1
        else:
            said["sure" if any(d.value and d.confidence >= SURE for d in mine) else "not sure"] += 1
    return said
