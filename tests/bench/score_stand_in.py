"""Stands in for the score.py of a folder of pictures: `score.py KIND LABELS READINGS`. Its form, all figures 0."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

CARDS = ("pictures", "picture_exact", "cards", "recall", "precision", "sure", "sure_but_wrong")
FIGURES = {
    "dice": ("pictures", "dice", "picture_exact", "recall", "precision", "sure", "sure_but_wrong"),
    "cards": CARDS,
    "rummy": CARDS,
    "board": (
        "pictures", "boards_right", "refused", "spots", "spot_error_rate", "sure_but_wrong", "dice_right",
        "dice_sure_but_wrong", "leaning_right",
    ),
    "eyes": (
        "pictures", "hands", "hands_seen", "refused", "piece_recall", "piece_precision", "overlap_pairs", "wrong",
        "missing", "near_pairs_3mm", "near_too_close", "eyes_right", "eyes_wrong", "ninja_faces_right",
        "ninja_faces_wrong", "owners_right", "owners_wrong", "stacks_right", "rests_on_precision",
    ),
}  # fmt: skip


def groups(folder: Path) -> list[str]:
    """A group for each camera of a folder's labels."""
    labels = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")]
    return [f"camera {name}" for name in sorted({label["camera_id"] for label in labels})] or ["drawn"]


def score(kind: str, folder: Path) -> dict[str, Any]:
    """The answer, all of it 0."""
    row: dict[str, Any] = dict.fromkeys(FIGURES[kind], 0)
    if kind == "eyes":
        return {"all": row, "error_mm": {}, "share_within_3_sigma": None, "wrong_rulings": []}
    if kind == "dice":
        row["recall_by_value"] = dict.fromkeys("123456", 0)
        return {"all": row, "by_source": {"drawn": row}}
    return {"all": row, "by_group": {name: row for name in groups(folder)}, "wrong_pictures": []}


if __name__ == "__main__":
    print(json.dumps(score(sys.argv[1], Path(sys.argv[2]))))
