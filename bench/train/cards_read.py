"""Teaches the reader: which rank and suit an upright crop shows, and whether it is an index at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bench.train.cards_art import RANKS, SUITS, Card
from bench.train.cards_bank import scenes_of
from bench.train.cards_nets import READ_HEIGHT_PX, READ_SPAN, READ_WIDTH_PX, IndexReaderNet
from bench.train.cards_scenes import CardScene, IndexTruth
from bench.train.nets import by_minutes, coloured, trained

JITTER_AT, JITTER_LOG, JITTER_RAD = 0.09, 0.16, 0.2
SEEN_ENOUGH = 0.45
LEAST_PX, CLEAR_PX = 9, 14
"""Minimum height of an index for training; from the second height on it gives several crops."""
LABELS = 8
"""A row: rank (0..13, -1: no index), suit (0..3, -1: none), whether it is an index (1, 0, -1: unknown), four
corrections of its position, weight."""


def cut(picture: NDArray[np.uint8], x: float, y: float, height_px: float, angle: float, widen: float = 1.0) -> NDArray:
    """The upright crop around an index, READ_HEIGHT_PX x READ_WIDTH_PX."""
    k = READ_SPAN * height_px / READ_HEIGHT_PX
    c, s = np.cos(angle) * k, np.sin(angle) * k
    to = np.array([[c * widen, -s, 0.0], [s * widen, c, 0.0]])
    to[:, 2] = np.array([x, y]) - to[:, :2] @ [(READ_WIDTH_PX - 1) / 2, (READ_HEIGHT_PX - 1) / 2]
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    if k > 1.6:  # many pixels to one: shrink first
        picture = cv2.blur(picture, (round(k),) * 2)
    return cv2.warpAffine(picture, to, (READ_WIDTH_PX, READ_HEIGHT_PX), flags=how, borderMode=cv2.BORDER_REPLICATE)


def label_of(index: IndexTruth) -> tuple[int, int]:
    """Numbers of rank and suit; a joker has no suit."""
    return label_of_card(index.card)


def label_of_card(card: Card) -> tuple[int, int]:
    """Numbers of rank and suit; a joker has no suit."""
    rank, suit = card
    return (13, -1) if rank == "JOKER" else (RANKS.index(rank), SUITS.index(suit))


def crops_of(
    scene: CardScene, rng: np.random.Generator, copies: int
) -> list[tuple[NDArray[np.uint8], NDArray[np.float32]]]:
    """Crops of every index in view, with jitter, and as many crops of other things."""
    rows = []
    size = scene.picture.shape[0]
    for index in scene.indices:
        if index.seen < 0.3 or not LEAST_PX <= index.height_px <= 60:
            continue
        rank, suit = label_of(index)
        is_index = 1 if index.seen >= SEEN_ENOUGH else -1
        weight = min(1.0, index.rank_seen + 0.2)
        for _ in range(copies if index.height_px >= CLEAR_PX else 1):
            dx, dy = rng.normal(0, JITTER_AT / 1.6, 2)
            grow, turn = np.exp(rng.normal(0, JITTER_LOG / 1.6)), rng.normal(0, JITTER_RAD / 1.6)
            angle, tall = index.angle + turn, index.height_px * grow
            c, s = np.cos(angle), np.sin(angle)
            x, y = index.x + (c * dx - s * dy) * tall, index.y + (s * dx + c * dy) * tall
            crop = cut(scene.picture, x, y, tall, angle, float(np.exp(rng.normal(0, 0.1))))
            rows.append((crop, np.array([rank, suit, is_index, -dx, -dy, -np.log(grow), -turn, weight], np.float32)))
        if rng.random() < 0.5:  # the right place, wrongly taken
            turn = rng.choice([np.pi, np.pi / 2, -np.pi / 2]) + rng.normal(0, 0.3)
            off = rng.normal(0, 0.1, 2)
            if rng.random() < 0.5:
                turn, off = rng.normal(0, 0.3), rng.choice([-1, 1], 2) * rng.uniform(0.45, 1.2, 2)
            x, y = np.array([index.x, index.y]) + off * index.height_px
            near = [o for o in scene.indices if np.hypot(o.x - x, o.y - y) < 0.4 * index.height_px and o is not index]
            if not near:
                crop = cut(scene.picture, x, y, index.height_px, index.angle + turn)
                rows.append((crop, np.array([-1, -1, 0, 0, 0, 0, 0, 1], np.float32)))
    places = np.array([(i.x, i.y) for i in scene.indices if i.seen > 0.15]).reshape(-1, 2)
    for _ in range(8):
        tall = float(np.exp(rng.uniform(np.log(9), np.log(60))))
        x, y = rng.uniform(0, size, 2)
        if scene.cards and rng.random() < 0.6:
            corners = scene.cards[rng.integers(len(scene.cards))].corners
            a, b = rng.uniform(0, 1, 2)
            x, y = corners[0] + a * (corners[1] - corners[0]) + b * (corners[3] - corners[0])
            tall = float(np.linalg.norm(corners[3] - corners[0])) * rng.uniform(0.12, 0.35)
            if not (0 < x < size and 0 < y < size and 7 < tall < 90):
                continue
        if len(places) == 0 or np.hypot(*(places - [x, y]).T).min() > 0.6 * tall:
            crop = cut(scene.picture, x, y, tall, rng.uniform(0, 2 * np.pi))
            rows.append((crop, np.array([-1, -1, 0, 0, 0, 0, 0, 1], np.float32)))
    return rows


def gather(shards: list[Path], seed: int, copies: int = 2) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """All crops of the shards: (N, 56, 40, 3) and (N, LABELS)."""
    rng = np.random.default_rng(seed)
    crops, labels = [], []
    for path in shards:
        rows = [row for scene in scenes_of(path) for row in crops_of(scene, rng, copies)]
        crops.append(np.stack([r[0] for r in rows]))
        labels.append(np.stack([r[1] for r in rows]))
    return np.concatenate(crops), np.concatenate(labels)


def loss_of(said: Tensor, truth: Tensor) -> Tensor:
    """Cross-entropies of rank, suit and "is it an index", smooth L1 of the corrections."""
    cross = torch.nn.functional.cross_entropy
    rank, suit, valid = truth[:, 0].long(), truth[:, 1].long(), truth[:, 2]
    weight = truth[:, 7]
    loss = (cross(said[:, :14], rank, ignore_index=-1, reduction="none") * weight).sum() / (rank >= 0).sum().clamp(
        min=1
    )
    loss += (cross(said[:, 14:18], suit, ignore_index=-1, reduction="none") * weight).sum() / (suit >= 0).sum().clamp(
        min=1
    )
    told = valid >= 0
    loss += torch.nn.functional.binary_cross_entropy_with_logits(said[told, 18], valid[told])
    has = (rank >= 0) & (rank < 13)
    loss += 2.0 * torch.nn.functional.smooth_l1_loss(said[has, 19:23], truth[has, 3:7], beta=0.05)
    return loss


def train_reader(
    crops: NDArray[np.uint8], labels: NDArray[np.float32], minutes: float, seed: int, batch: int = 192
) -> IndexReaderNet:
    """A reader trained for `minutes` of processor time."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)

    def batches() -> Iterator[tuple[Tensor, Tensor]]:
        while True:
            order = rng.permutation(len(crops))
            for at in range(0, len(order) - batch + 1, batch):
                pick = np.sort(order[at : at + batch])
                yield coloured(crops[pick], rng, gain=0.25, lift=0.1), torch.from_numpy(labels[pick])

    given = {"rate": 3e-3, "decay": 1e-3, "name": "reader"}
    return trained(IndexReaderNet(), batches(), by_minutes(minutes), loss_of, **given)
