"""Real output of the finder as lessons for the reader: hits with their position errors, and false alarms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.train.cards_bank import scenes_of
from bench.train.cards_nets import READ_HEIGHT_PX, READ_WIDTH_PX
from bench.train.cards_read import LABELS, cut, label_of
from bench.train.cards_scenes import CardScene, IndexTruth
from vision.photo.cards.find import IndexFinder, IndexSpot

HIT_SHARE = 0.4
"""A spot within this share of an index' height is a hit, if its size and angle are roughly right too."""
HIT_LOG, HIT_RAD = 0.45, 0.7
LEAST_SCORE = 0.2


def mined(finder: Path, shards: list[Path], most_scenes: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Crops and labels, as `cards_read.gather` gives them, of the spots that the finder sees in the shards' scenes."""
    eye = IndexFinder(finder)
    crops = [np.zeros((0, READ_HEIGHT_PX, READ_WIDTH_PX, 3), np.uint8)]
    labels, count = [np.zeros((0, LABELS), np.float32)], 0
    for path in shards:
        for scene in scenes_of(path):
            count += 1
            if count > most_scenes:
                return np.concatenate(crops), np.concatenate(labels)
            for spot in eye.find(scene.picture, LEAST_SCORE)[0]:
                row = _row(scene, spot)
                if row is not None:
                    crops.append(cut(scene.picture, spot.x, spot.y, spot.height_px, spot.angle)[None])
                    labels.append(row[None])
    return np.concatenate(crops), np.concatenate(labels)


def _row(scene: CardScene, spot: IndexSpot) -> NDArray[np.float32] | None:
    """The label of a spot; None if the truth leaves it open."""
    none = np.array([-1, -1, 0, 0, 0, 0, 0, 1], np.float32)
    near = [i for i in scene.indices if np.hypot(i.x - spot.x, i.y - spot.y) < 0.6 * i.height_px and i.seen > 0.1]
    if not near:
        return none
    index = min(near, key=lambda i: np.hypot(i.x - spot.x, i.y - spot.y) / i.height_px)
    grow, turn = float(np.log(index.height_px / spot.height_px)), _turn(spot, index)
    away = np.hypot(index.x - spot.x, index.y - spot.y) / index.height_px
    if abs(grow) > 0.65 or abs(turn) > 1.2:
        return none
    if index.seen < 0.3 or away > HIT_SHARE or abs(grow) > HIT_LOG or abs(turn) > HIT_RAD:
        return None
    c, s = np.cos(spot.angle), np.sin(spot.angle)
    dx, dy = (index.x - spot.x) / spot.height_px, (index.y - spot.y) / spot.height_px
    rank, suit = label_of(index)
    is_index = 1 if index.seen >= 0.45 else -1
    return np.array([rank, suit, is_index, c * dx + s * dy, -s * dx + c * dy, grow, turn, 1], np.float32)


def _turn(spot: IndexSpot, index: IndexTruth) -> float:
    return float((index.angle - spot.angle + np.pi) % (2 * np.pi) - np.pi)
