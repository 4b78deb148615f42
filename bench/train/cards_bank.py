"""A bank of rendered scenes on disk, so that both networks learn from the same pictures.

One shard is a pickle of (JPEG bytes, indices, cards) of SCENES_PER_SHARD scenes, drawn from its own seed.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from bench.train.cards_art import load_fonts, load_packs
from bench.train.cards_scenes import CardScene, CardTruth, IndexTruth, Studio

SCENES_PER_SHARD = 250
SCENE_PX = 416
INDEX_PX = (9.0, 44.0)
"""Heights of an ordinary index, drawn log-uniformly."""
RARE_EVERY = 4
RARE_BACKS, RARE_JOKERS = 0.35, 0.15
"""Shares of face-down cards and jokers in every fourth shard; they are rare in the others."""
EMPTY_EVERY, EMPTY_SHARE = 8, 0.5
"""In every eighth shard this share of the scenes has no cards, only things that look like cards."""


def packs_of(art: Path, cache: Path | None = None) -> list:
    """The packs of `art`, rasterised once into `cache`."""
    if cache is not None and cache.exists():
        return list(pickle.loads(cache.read_bytes()))
    packs = load_packs(art)
    if cache is not None:
        cache.write_bytes(pickle.dumps(packs))
    return packs


def render_shard(art: Path, bank: Path, number: int, seed: int) -> Path:
    """Draws one shard, unless it is there."""
    path = bank / f"shard-{number:03d}.pkl"
    if path.exists():
        return path
    bank.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng([seed, number])
    studio = Studio(rng, packs_of(art, bank / "packs.pkl"), load_fonts(art))
    if number % RARE_EVERY == RARE_EVERY - 1:
        studio.back_share, studio.joker_share = RARE_BACKS, RARE_JOKERS
    rows = []
    for _ in range(SCENES_PER_SHARD):
        height = float(np.exp(rng.uniform(*np.log(INDEX_PX))))
        is_empty = number % EMPTY_EVERY == EMPTY_EVERY - 1 and rng.random() < EMPTY_SHARE
        scene = studio.scene(SCENE_PX, height, "none" if is_empty else None)
        ok, raw = cv2.imencode(".jpg", scene.picture, [cv2.IMWRITE_JPEG_QUALITY, 96])
        if ok:
            rows.append((raw.tobytes(), scene.indices, scene.cards))
    path.write_bytes(pickle.dumps(rows))
    return path


def scenes_of(path: Path) -> Iterator[CardScene]:
    """The scenes of a shard."""
    rows: list[tuple[bytes, tuple[IndexTruth, ...], tuple[CardTruth, ...]]] = pickle.loads(path.read_bytes())
    for raw, indices, cards in rows:
        yield CardScene(np.asarray(cv2.imdecode(np.frombuffer(raw, np.uint8), 1), np.uint8), indices, cards)
