"""The measuring tools themselves: the renderer's labels, the empty pictures, the page, the tutorial approach."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np

from bench.dice import made_up_of_cards, reliability
from companion.game.readings import DiceReading, DieSeen


def test_reliability_counts_what_is_right() -> None:
    lines = [{"image": "a", "dice": [{"box": [0, 0, 10, 10], "value": 3}]}]
    right = {"value": 3, "box": [1, 1, 11, 11], "confidence": 0.97}
    wrong = {"value": 4, "box": [1, 1, 11, 11], "confidence": 0.6}
    text = reliability(lines, [{"image": "a", "dice": [right, wrong]}])
    assert "| 0.95 to 0.98 | 1 | 0.970 | 1.0000 |" in text
    assert "| 0.5 to 0.8 | 1 | 0.600 | 0.0000 |" in text


def test_only_photographs_that_no_network_learned_from_count_as_unseen_tables(tmp_path: Path) -> None:
    folder = tmp_path / "photos" / "cards"
    folder.mkdir(parents=True)
    lines = []
    for name, licence, level in (("a.png", "none stated", 10), ("b.png", "MIT", 20), ("c.png", "none stated", 30)):
        cv2.imwrite(str(folder / name), np.full((8, 8, 3), level, np.uint8))
        lines.append(json.dumps({"image": name, "license": licence}))
    (folder / "labels.jsonl").write_text("\n".join(lines), encoding="utf-8")
    box = (0.0, 0.0, 4.0, 4.0)

    def read(picture: np.ndarray) -> DiceReading:
        sure, unsure = DieSeen(value=3, box=box, confidence=0.99), DieSeen(value=3, box=box, confidence=0.5)
        return DiceReading(dice=(sure, unsure) if picture[0, 0, 0] == 10 else (unsure,))

    assert made_up_of_cards(tmp_path, read) == (2, 3, 1)
