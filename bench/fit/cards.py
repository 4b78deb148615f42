"""Fits the confidence of cards on renderings outside training, and measures the reader on other renderings.

`python -m bench.fit cards --art DIR --bank DIR -o vision/models/`; the bank is that of `bench.train.cards`.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.fit import logistic
from bench.train.cards_art import load_fonts
from bench.train.cards_bank import packs_of
from bench.train.cards_faces import JOKER
from bench.train.cards_scenes import CardScene, Studio
from docs.sections import as_table
from vision.photo.cards.reader import CardsEye, features

SEEN_ENOUGH, SEEN_HARDLY = 0.75, 0.12
"""Visible share above which an index must be read; below the second share it cannot be. Between them both are
accepted."""
KINDS = ("separate", "touching", "cascade", "fan", "pile", "jokers", "backs", "none")
FITTED_SEED, MEASURED_SEED, PULL = 2, 3, 1.0
TABLE_PX = 800
INDEX_PX = (13.0, 40.0)


@dataclass(slots=True)
class SceneTally:
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


def tables(art: Path, bank: Path, kind: str, count: int, seed: int) -> Iterator[CardScene]:
    """Scenes of one kind: a layout, `jokers` (half of the cards are jokers) or `backs` (half lie face down)."""
    rng = np.random.default_rng([seed, 77])
    studio = Studio(rng, packs_of(art, bank / "packs.pkl"), load_fonts(art))
    layout = {"jokers": "separate", "backs": "separate"}.get(kind, kind)
    for _ in range(count):
        height = float(np.exp(rng.uniform(*np.log(INDEX_PX))))
        studio.back_share = 0.5 if kind == "backs" else 0.06
        studio.joker_share = 0.5 if kind == "jokers" else 0.04
        yield studio.scene(TABLE_PX, height, layout)


def truth(scene: CardScene) -> tuple[Counter[Any], Counter[Any], int, int]:
    """Cards that must be read, cards that may be read, backs well in view, backs partly in view."""
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


def measure(eye: CardsEye, scenes: Iterator[CardScene]) -> SceneTally:
    """Reads the scenes and counts the results."""
    tally = SceneTally()
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


def main(argv: Sequence[str]) -> int:
    """Writes `cards_sure.json`, fitted on one seed of every kind, and prints the results for another seed."""
    parser = argparse.ArgumentParser(prog="python -m bench.fit cards", description=__doc__)
    parser.add_argument("--art", type=Path, required=True)
    parser.add_argument("--bank", type=Path, required=True)
    parser.add_argument("--scenes", type=int, default=40, help="scenes of each kind")
    parser.add_argument("-o", "--out", type=Path, required=True, help="folder of the models")
    asked = parser.parse_args(argv)
    weights = asked.out / "cards_sure.json"
    if not weights.exists():
        weights.write_text(json.dumps({"weights": [1.0, 0.5, 0.0, 0.5, 0.0, 0.0]}), encoding="utf-8")
    eye = CardsEye(asked.out)
    fit = [measure(eye, tables(asked.art, asked.bank, kind, asked.scenes, FITTED_SEED)) for kind in KINDS]
    rows = np.array([row for tally in fit for row in tally.features])
    right = np.array([ok for tally in fit for ok in tally.is_right])
    found = logistic(rows, right, np.full(rows.shape[1] + 1, PULL))
    weights.write_text(json.dumps({"weights": [round(float(w), 4) for w in found]}), encoding="utf-8")
    eye = CardsEye(asked.out)
    head = [
        "scenes",
        "number",
        "exact",
        "cards",
        "read",
        "wrong",
        "sure",
        "sure but wrong",
        "backs",
        "backs reported",
        "off by",
    ]
    lines: list[list[object]] = []
    for kind in KINDS:
        t = measure(eye, tables(asked.art, asked.bank, kind, asked.scenes, MEASURED_SEED))
        shares = [f"{t.exact / t.scenes:.3f}", t.must, f"{t.right / max(t.must, 1):.4f}"]
        lines.append([kind, t.scenes, *shares, t.wrong, t.sure, t.sure_wrong, t.backs, t.backs_said, t.backs_off])
    print(as_table(head, lines))
    return 0
