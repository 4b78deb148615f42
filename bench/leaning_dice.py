"""Sixty pictures with one die that leans by 20 to 45 degrees and two level dice. The leaning die must not get a
value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from drawn.dice import MARGIN_PX, camera_of, die_of, light_of, material_of, photographed, render
from drawn.die import Die
from drawn.tables import table

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
