"""Card tables by camera: path-traced pictures with exact labels, each read with the lens of its camera.

The labels contain the lens (`drawn/labels` reads all kinds of labels), so a picture needs only its label.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cv2

from bench import harness
from bench.cards import cards_said
from bench.drawn.labels import lens_of
from companion.game.brought import default_kit
from companion.game.readings import SURE
from docs.sections import as_table
from vision.tables.rummy.reader import RummyEye

SHOWN = {
    "pictures": "tables",
    "picture_exact": "wholly right",
    "cards": "cards",
    "recall": "found",
    "precision": "right",
    "sure": "share sure",
    "sure_but_wrong": "wrong and sure",
}


def melds_right(label: dict[str, Any], line: dict[str, Any]) -> bool:
    """Whether the cards read form the melds that were laid."""
    cards = {card["id"]: (card["rank"], card["suit"]) for card in label["cards"]}
    told = [(card["rank"], card["suit"]) for card in line.get("cards", ())]
    laid = Counter(tuple(sorted(map(str, (cards[id] for id in meld["cards"])))) for meld in label["melds"])
    return laid == Counter(tuple(sorted(map(str, (told[i] for i in meld)))) for meld in line.get("melds", ()))


def is_silent(label: dict[str, Any], line: dict[str, Any]) -> bool:
    """Whether a table is read wrongly with all cards confident, so that no question would be asked."""
    told = Counter((card["rank"], card["suit"]) for card in line.get("cards", ()))
    lies = Counter((card["rank"], card["suit"]) for card in label["cards"] if not card["face_down"])
    is_sure = all(card["confidence"] >= SURE for card in line.get("cards", ()))
    return "error" not in line and is_sure and told != lies


def run(shared: Path) -> int:
    """Reads and scores the pictures of ``rummy/``. Exit status: 0, even without pictures."""
    cv2.setNumThreads(1)
    labels = harness.labels_in(shared / "rummy", "*_rummy_*.json")
    if not labels:
        print("rummy_tables: no rendered card tables in rummy/, nothing measured")
        return 0
    kit = default_kit("manipulation_rummy")
    lines = {
        path: harness.read(RummyEye(lens_of(label), kit).read, path.name, cv2.imread(str(path)))[0]
        for path, label in labels.items()
    }
    found = harness.score(shared, "rummy", labels, lines.values())
    melds = sum(melds_right(label, lines[path]) for path, label in labels.items())
    silent = sum(is_silent(label, lines[path]) for path, label in labels.items())
    rows = harness.groups(found, SHOWN)
    text = (
        f"## Card tables\n\nRecorded on {datetime.now(UTC):%Y-%m-%d}. Path-traced pictures with exact labels: melds in "
        "rows, fans and cascades, of one or two packs, jokers, a stock. Each is read with its camera's own lens. "
        f"Melds wholly right: {melds} of {len(labels)} tables; wrong, and nobody would have been asked: {silent}. "
        f"Processor time of a frame: {harness.took(lines.values())}.\n\n" + as_table(["group", *SHOWN.values()], rows)
    )
    said = (one for path, label in labels.items() for one in cards_said(label, lines[path]))
    text += "\n\n" + harness.reliability(said, "cards")
    harness.record("rummy_tables", text)
    return 0
