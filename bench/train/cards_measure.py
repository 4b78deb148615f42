"""Measures the whole reader on renderings outside its training, and fits its confidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.train.cards_art import load_fonts
from bench.train.cards_bank import packs_of
from bench.train.cards_faces import JOKER
from bench.train.cards_scenes import Scene, Studio
from vision.photo.cards.reader import CardsEye, features

SEEN_ENOUGH, SEEN_HARDLY = 0.75, 0.12
"""Visible share above which an index must be read; below the second share it cannot be. Between them both are
accepted."""
TABLE_PX = 800
INDEX_PX = (13.0, 40.0)


@dataclass(slots=True)
class Tally:
    """The results for one kind of scene."""

    scenes: int = 0
    exact: int = 0
    must: int = 0
    right: int = 0
    said: int = 0
    wrong: int = 0
    sure: int = 0
    sure_wrong: int = 0
    backs: int = 0
    backs_said: int = 0
    backs_off: int = 0
    features: list[NDArray[np.float64]] = field(default_factory=list)
    is_right: list[bool] = field(default_factory=list)


def tables(art: Path, bank: Path, kind: str, count: int, seed: int) -> Iterator[Scene]:
    """Scenes of one kind: a layout, `jokers` (every second card one) or `backs` (every second card face down)."""
    rng = np.random.default_rng([seed, 77])
    studio = Studio(rng, packs_of(art, bank / "packs.pkl"), load_fonts(art))
    layout = {"jokers": "separate", "backs": "separate"}.get(kind, kind)
    for _ in range(count):
        height = float(np.exp(rng.uniform(*np.log(INDEX_PX))))
        studio.back_share = 0.5 if kind == "backs" else 0.06
        studio.joker_share = 0.5 if kind == "jokers" else 0.04
        yield studio.scene(TABLE_PX, height, layout)


def truth(scene: Scene) -> tuple[Counter[Any], Counter[Any], int, int]:
    """Cards that must be read, cards that may be, backs well in view, backs partly in view."""
    best: dict[int, float] = {}
    names: dict[int, Any] = {}
    for index in scene.indices:
        seen = min(index.rank_seen, index.suit_seen) if index.height_px >= 9 else min(index.seen, 0.5)
        best[index.card_number] = max(best.get(index.card_number, 0), seen)
        names[index.card_number] = ("JOKER", None) if index.card == JOKER else index.card
    must = Counter(names[k] for k, seen in best.items() if seen >= SEEN_ENOUGH)
    may = Counter(names[k] for k, seen in best.items() if SEEN_HARDLY <= seen < SEEN_ENOUGH)
    backs = [c.seen for c in scene.cards if c.card is None]
    return must, may, sum(s >= 0.9 for s in backs), sum(0.2 < s < 0.9 for s in backs)


def measure(eye: CardsEye, scenes: Iterator[Scene]) -> Tally:
    """Reads the scenes and counts."""
    tally = Tally()
    for scene in scenes:
        must, may, backs, backs_maybe = truth(scene)
        groups, found_backs = eye.look(scene.picture)
        reading = eye.told(groups, found_backs)
        said = Counter((c.rank, c.suit) for c in reading.cards)
        sure = Counter((c.rank, c.suit) for c in reading.cards if c.confidence >= 0.95)
        extra = said - must - may
        tally.scenes += 1
        tally.exact += not extra and not must - said
        tally.must += sum(must.values())
        tally.right += sum((said & must).values())
        tally.said += sum(said.values())
        tally.wrong += sum(extra.values())
        tally.sure += sum(sure.values())
        tally.sure_wrong += sum((sure - must - may).values())
        tally.backs += backs
        tally.backs_said += reading.face_down
        tally.backs_off += max(0, backs - reading.face_down, reading.face_down - backs - backs_maybe)
        left = must + may
        for group in sorted(groups, key=lambda g: -float(g.cards.max())):
            name, row = features(group)
            tally.features.append(row)
            tally.is_right.append(left[name] > 0)
            left[name] -= 1
    return tally


def fitted(rows: NDArray[np.float64], is_right: NDArray[np.bool_], strength: float = 1.0) -> NDArray[np.float64]:
    """Weights of a logistic regression (the last: its constant), by Newton's method with a ridge."""
    x = np.hstack([rows, np.ones((len(rows), 1))])
    w = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-(x @ w)))
        slope = x.T @ (p - is_right) + strength * w
        bend = (x * (p * (1 - p))[:, None]).T @ x + strength * np.eye(len(w))
        w -= np.linalg.solve(bend, slope)
    return w
