"""Teaches the finder: where corner indices are, how they are turned, how tall they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bench.train.cards_bank import scenes_of
from bench.train.cards_nets import (
    FIND_BACK_PX,
    FIND_BACK_RANGE_PX,
    FIND_INDEX_PX,
    FIND_RANGE_PX,
    FIND_STRIDE_PX,
    IndexFinderNet,
)
from bench.train.cards_scenes import CardScene, CardTruth
from bench.train.nets import by_minutes, coloured, trained

CROP_PX = 256
LOOKS = 2
"""Crops taken of a scene each time that it has been decoded."""
BACK_SEEN_ENOUGH, BACK_SEEN_HARDLY = 0.6, 0.15
SEEN_ENOUGH, SEEN_HARDLY = 0.55, 0.2
"""Visible shares of an index: above the first it must be found, below the second it must not."""


def target(scene: CardScene, x0: int, y0: int, quarter: int) -> NDArray[np.float32]:
    """(16, 64, 64), turned by quarters: for indices, then for backs, each: heat, sine, cosine, log height, dx, dy,
    weight of the heat, weight of the rest.
    """
    cells = CROP_PX // FIND_STRIDE_PX
    both = np.zeros((16, cells, cells), np.float32)
    both[6] = both[14] = 1
    yy, xx = np.mgrid[:cells, :cells].astype(np.float32)
    for card in scene.cards:
        if card.card is None:
            _back_target(both[8:], card, (x0, y0, quarter), xx, yy)
    out = both[:8]
    for index in scene.indices:
        x, y, angle = _turned(index.x, index.y, index.angle, x0, y0, quarter)
        cx, cy = (x + 0.5) / FIND_STRIDE_PX - 0.5, (y + 0.5) / FIND_STRIDE_PX - 0.5
        if not (-4 < cx < cells + 4 and -4 < cy < cells + 4) or index.seen < SEEN_HARDLY:
            continue
        away = np.hypot(xx - cx, yy - cy)
        radius = index.height_px / FIND_STRIDE_PX
        is_sized = FIND_RANGE_PX[0] <= index.height_px <= FIND_RANGE_PX[1]
        if index.seen < SEEN_ENOUGH or not is_sized:
            out[6][away < 0.6 * radius] = 0
            continue
        heat = np.exp(-(away**2) / (2 * max(0.7, 0.11 * radius) ** 2))
        is_mine = heat > out[0]
        out[0] = np.maximum(out[0], heat)
        near = is_mine & (away < max(1.0, 0.22 * radius))
        out[1][near], out[2][near] = np.sin(angle), np.cos(angle)
        out[3][near] = np.log(index.height_px / FIND_INDEX_PX)
        out[4][near], out[5][near] = (cx - xx)[near], (cy - yy)[near]
        out[7][near] = 1
        ix, iy = round(cx), round(cy)
        if 0 <= ix < cells and 0 <= iy < cells:
            out[0, iy, ix], out[6, iy, ix] = 1, 1
    return both


def _back_target(
    out: NDArray[np.float32],
    card: CardTruth,
    crop: tuple[int, int, int],
    xx: NDArray[np.float32],
    yy: NDArray[np.float32],
) -> None:
    """Adds a face-down card to its eight maps."""
    cells = xx.shape[0]
    middle = card.corners.mean(0)
    tall = card.corners[[2, 3]].mean(0) - card.corners[[0, 1]].mean(0)
    height = float(np.linalg.norm(tall))
    x, y, angle = _turned(middle[0], middle[1], float(np.arctan2(-tall[0], tall[1])), *crop)
    cx, cy = (x + 0.5) / FIND_STRIDE_PX - 0.5, (y + 0.5) / FIND_STRIDE_PX - 0.5
    away = np.hypot(xx - cx, yy - cy)
    radius = height / FIND_STRIDE_PX
    if card.seen < BACK_SEEN_HARDLY:
        return
    if card.seen < BACK_SEEN_ENOUGH or not FIND_BACK_RANGE_PX[0] <= height <= FIND_BACK_RANGE_PX[1]:
        out[6][away < 0.4 * radius] = 0
        return
    heat = np.exp(-(away**2) / (2 * max(1.0, 0.06 * radius) ** 2))
    out[0] = np.maximum(out[0], heat)
    near = away < 0.12 * radius
    out[1][near], out[2][near] = np.sin(2 * angle), np.cos(2 * angle)
    out[3][near] = np.log(height / FIND_BACK_PX)
    out[4][near], out[5][near] = (cx - xx)[near], (cy - yy)[near]
    out[7][near] = 1
    ix, iy = round(cx), round(cy)
    if 0 <= ix < cells and 0 <= iy < cells:
        out[0, iy, ix], out[6, iy, ix] = 1, 1


def _turned(x: float, y: float, angle: float, x0: int, y0: int, quarter: int) -> tuple[float, float, float]:
    """Place and angle in the crop after `quarter` turns by np.rot90 (anticlockwise)."""
    x, y = x - x0, y - y0
    for _ in range(quarter):
        x, y, angle = y, CROP_PX - 1 - x, angle - np.pi / 2
    return x, y, angle


def sample(scene: CardScene, rng: np.random.Generator) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """A crop of a scene, turned by quarters, and its target."""
    room = scene.picture.shape[0] - CROP_PX
    x0, y0 = int(rng.integers(room + 1)), int(rng.integers(room + 1))
    if scene.indices and rng.random() < 0.8:
        pick = scene.indices[rng.integers(len(scene.indices))]
        x0 = int(np.clip(pick.x - rng.uniform(40, CROP_PX - 40), 0, room))
        y0 = int(np.clip(pick.y - rng.uniform(40, CROP_PX - 40), 0, room))
    quarter = int(rng.integers(4))
    crop = np.rot90(scene.picture[y0 : y0 + CROP_PX, x0 : x0 + CROP_PX], quarter)
    return np.ascontiguousarray(crop), target(scene, x0, y0, quarter)


def loss_of(found: Tensor, truth: Tensor) -> Tensor:
    """The indices' loss and that of the backs."""
    return _loss(found[:, :6], truth[:, :8]) + 0.4 * _loss(found[:, 6:], truth[:, 8:])


def _loss(found: Tensor, truth: Tensor) -> Tensor:
    """CenterNet's focal loss for the heat, smooth L1 for the rest (Zhou et al., Objects as Points, 2019)."""
    heat, weight = truth[:, 0], truth[:, 6]
    p = torch.sigmoid(found[:, 0]).clamp(1e-4, 1 - 1e-4)
    is_middle = heat >= 0.999
    hit = ((1 - p) ** 2 * torch.log(p))[is_middle].sum()
    miss = ((1 - heat) ** 4 * p**2 * torch.log(1 - p) * weight)[~is_middle].sum()
    count = is_middle.sum().clamp(min=1)
    rest = truth[:, 7:8]
    off = torch.nn.functional.smooth_l1_loss(found[:, 1:] * rest, truth[:, 1:6] * rest, reduction="sum", beta=0.2)
    return -(hit + miss) / count + 2.0 * off / rest.sum().clamp(min=1)


def train_finder(shards: list[Path], minutes: float, seed: int, batch: int = 16) -> IndexFinderNet:
    """A finder trained for `minutes` of processor time."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)

    def batches() -> Iterator[tuple[Tensor, Tensor]]:
        while True:
            for path in rng.permutation(np.array(shards, object)):
                scenes = list(scenes_of(path))
                for at in range(0, len(scenes) - batch // LOOKS + 1, batch // LOOKS):
                    pairs = [sample(scene, rng) for scene in scenes[at : at + batch // LOOKS] for _ in range(LOOKS)]
                    crops, targets = (np.stack(each) for each in zip(*pairs, strict=True))
                    yield coloured(crops, rng, gain=0.2, lift=0.08), torch.from_numpy(targets)

    given = {"rate": 3e-3, "decay": 1e-4, "name": "finder"}
    return trained(IndexFinderNet(), batches(), by_minutes(minutes), loss_of, **given)


cv2.setNumThreads(1)
