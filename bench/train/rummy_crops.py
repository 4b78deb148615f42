"""Crops of rendered card tables with exact labels, as the index reader of calibrated tables sees them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.drawn.labels import lens_of
from calibration.pose import find_pose
from companion.game.brought import default_kit
from vision.photo.cards.find import IndexSpot
from vision.photo.cards.index import RANKS, SUITS, crop, halvings
from vision.tables.rummy.paper import MatView, view_of

KIT = default_kit("manipulation_rummy")
MARKS_MM = {"letele": (5.7, 11.2, 16.1), "svgcards": (5.0, 11.4, 19.6)}
"""Position and height of a design's index: across, down, height."""
DESIGNS = {"@letele/playing-cards": "letele", "svg-cards": "svgcards"}
COPIES, LEAST_SEEN, SEEN_ENOUGH, TURNED_SHARE = 3, 0.3, 0.55, 0.25
JITTER = (0.05, 0.05, 0.07, 0.07)
"""Error of a crop: across and down in index heights, log of the height, angle in rad."""
NONE = [-1, -1, 0, 0, 0, 0, 0, 1]
"""The label of a crop that is not an index."""


def crops_of(
    folder: Path, cameras: frozenset[str], rng: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Crops (N, 56, 40, 3) and labels (N, 8), as `cards_read.gather` gives them, of the tables that cameras saw."""
    crops, labels = [], []
    for path in sorted(folder.glob("*_rummy_*.json")):
        label = json.loads(path.read_text(encoding="utf-8"))
        if label["camera_id"] not in cameras:
            continue
        picture = np.asarray(cv2.imread(str(path.with_suffix(".jpg"))), np.uint8)
        height_mm = KIT.piece("card").size_mm("height")
        view = view_of(picture, find_pose(picture, lens_of(label), KIT), KIT.mat, height_mm)
        pyramid = halvings(view.picture)
        for spot, said in _lessons(label, view, rng):
            crops.append(crop(pyramid, spot))
            labels.append(said)
    return np.array(crops, np.uint8), np.array(labels, np.float32)


def _lessons(label: dict[str, Any], view: MatView, rng: np.random.Generator) -> Iterator[tuple[IndexSpot, list[float]]]:
    across, down, high = MARKS_MM[DESIGNS[label["design"]]]
    tall, indices = high * view.px_per_mm, []
    for card in label["cards"]:
        outline = _flat(card["corners_mm"], label["camera"]["centre_mm"], view.height_mm)
        for corner, seen in ((0, card["index_tl_visible"]), (2, card["index_br_visible"])):
            along, below = (_unit(outline[(corner + k) % 4] - outline[corner]) for k in (1, 3))
            if card["face_down"] or seen < LEAST_SEEN:
                continue
            x, y = view.to_view((outline[corner] + along * across + below * down)[None])[0]
            spot = IndexSpot(float(x), float(y), tall, float(np.arctan2(along[1], along[0])), 1.0)
            indices.append(spot)
            rank, suit = RANKS.index(card["rank"]), SUITS.index(card["suit"]) if card["suit"] else -1
            for _ in range(COPIES):
                moved, off = _jittered(spot, rng)
                yield moved, [rank, suit, 1 if seen >= SEEN_ENOUGH else -1, *off, min(1.0, seen + 0.1)]
            if rng.random() < TURNED_SHARE:
                turn = float(rng.choice([np.pi, np.pi / 2, -np.pi / 2]))
                yield IndexSpot(spot.x, spot.y, tall, spot.angle + turn, 1.0), NONE
    places = np.array([[spot.x, spot.y] for spot in indices])
    for card in label["cards"]:  # pips, courts, jokers' pictures and backs are not indices
        outline = _flat(card["corners_mm"], label["camera"]["centre_mm"], view.height_mm)
        for right, low in rng.uniform(0.05, 0.95, (2, 2)):
            at = outline[0] + (outline[1] - outline[0]) * right + (outline[3] - outline[0]) * low
            x, y = view.to_view(at[None])[0]
            if np.hypot(*(places - [x, y]).T).min() > 0.55 * tall:
                turn = float(np.arctan2(*(outline[1] - outline[0])[::-1]) + rng.choice([0, np.pi, np.pi / 2]))
                yield IndexSpot(float(x), float(y), tall * float(np.exp(rng.normal(-0.1, 0.2))), turn, 1.0), NONE


def _flat(corners_mm: list[list[float]], camera_mm: list[float], height_mm: float) -> NDArray[np.float64]:
    """A card's corners (4, 2), each moved along its line of sight to the same height."""
    corners, camera = np.array(corners_mm), np.array(camera_mm)
    share = (camera[2] - height_mm) / (camera[2] - corners[:, 2])
    return np.asarray(camera[:2] + (corners[:, :2] - camera[:2]) * share[:, None])


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(vector / np.linalg.norm(vector))


def _jittered(spot: IndexSpot, rng: np.random.Generator) -> tuple[IndexSpot, list[float]]:
    dx, dy, grow, turn = rng.normal(0, JITTER)
    angle, tall = spot.angle + turn, spot.height_px * float(np.exp(grow))
    c, s = np.cos(angle) * tall, np.sin(angle) * tall
    return IndexSpot(spot.x + c * dx - s * dy, spot.y + s * dx + c * dy, tall, angle, 1.0), [-dx, -dy, -grow, -turn]
