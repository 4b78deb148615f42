"""Crops of licensed photographs for the reader. A label lists the cards of a picture, not the places of their indices.

The shipped models find the indices. In a picture of one card, every index found is that card's, whatever the reading.
In pictures of several cards, an index counts only if it was read as a listed card, and at most as often as the card is
there.
"""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.train.cards_art import RANKS, SUITS
from bench.train.cards_read import cut
from vision.photo.cards.index import name_of
from vision.photo.cards.reader import CardsEye

LICENSED = ("Apache-2.0", "MIT")
COPIES = 6
LEAST_SAID = 0.5


def photo_crops(folder: Path, without: str, seed: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Crops and labels as `cards_read.gather` gives them. `without`: the beginning of file names to leave out."""
    rng, eye = np.random.default_rng(seed), CardsEye()
    crops, labels = [], []
    for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        name = Path(row["image"]).name
        if row["license"] not in LICENSED or (without and name.startswith(without)) or not row.get("complete", True):
            continue
        picture = np.asarray(cv2.imread(str(folder / row["image"])), np.uint8)
        listed = [(card["rank"], card["suit"]) for card in row["cards"]]
        for group in eye.look(picture)[0]:
            best = int(group.cards.argmax())
            card = name_of(best)
            if len(listed) == 1:
                card = listed[0]
            elif card not in listed or group.cards[best] < LEAST_SAID:
                continue
            for index in group.indices:
                if index.is_index < LEAST_SAID:
                    continue
                rank, suit = RANKS.index(card[0]), SUITS.index(card[1] or "S")
                for _ in range(COPIES):
                    dx, dy = rng.normal(0, 0.05, 2)
                    grow, turn = float(np.exp(rng.normal(0, 0.09))), float(rng.normal(0, 0.1))
                    spot = index.spot
                    angle, tall = spot.angle + turn, spot.height_px * grow
                    c, s = np.cos(angle), np.sin(angle)
                    x, y = spot.x + (c * dx - s * dy) * tall, spot.y + (s * dx + c * dy) * tall
                    crops.append(cut(picture, x, y, tall, angle))
                    labels.append(np.array([rank, suit, 1, -dx, -dy, -np.log(grow), -turn, 1], np.float32))
    return np.stack(crops), np.stack(labels)
