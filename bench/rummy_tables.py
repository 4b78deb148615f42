"""Card tables by camera: path-traced pictures with exact labels, each read with its camera's own lens.

The labels contain the lens (`bench/labels` knows the others), so a picture needs only its label.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import cv2
import msgspec

from bench.accuracy import as_table, write_section
from bench.labels import lens_of
from companion.game.brought import default_kit
from companion.game.errors import ReadingError
from companion.game.readings import SURE
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
GAME = "manipulation_rummy"


def read(path: Path, label: dict[str, Any]) -> dict[str, Any]:
    """The command line's output for a picture, with processor time as `ms`."""
    eye, picture = RummyEye(lens_of(label), default_kit(GAME)), cv2.imread(str(path))
    line: dict[str, Any] = {"image": path.name}
    began = time.process_time()
    try:
        line |= msgspec.to_builtins(eye.read(picture))
    except ReadingError as error:
        line["error"] = {"code": error.code.value, "message": str(error)}
    return line | {"ms": round((time.process_time() - began) * 1000, 1)}


def melds_right(label: dict[str, Any], line: dict[str, Any]) -> bool:
    """Whether the cards lie together as they were laid."""
    cards = {card["id"]: (card["rank"], card["suit"]) for card in label["cards"]}
    told = [(card["rank"], card["suit"]) for card in line.get("cards", ())]
    laid = Counter(tuple(sorted(map(str, (cards[id] for id in meld["cards"])))) for meld in label["melds"])
    return laid == Counter(tuple(sorted(map(str, (told[i] for i in meld)))) for meld in line.get("melds", ()))


def is_silent(label: dict[str, Any], line: dict[str, Any]) -> bool:
    """Whether a table is read wrongly with every card sure, so that nobody would be asked."""
    told = Counter((card["rank"], card["suit"]) for card in line.get("cards", ()))
    lies = Counter((card["rank"], card["suit"]) for card in label["cards"] if not card["face_down"])
    is_sure = all(card["confidence"] >= SURE for card in line.get("cards", ()))
    return "error" not in line and is_sure and told != lies


def run(shared: Path) -> int:
    """Reads and scores the pictures of ``rummy/``. Exit status: 0; also where there are none."""
    cv2.setNumThreads(1)
    folder = shared / "rummy"
    labels = {path: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*_rummy_*.json"))}
    if not labels:
        print("rummy_tables: no rendered card tables in rummy/, nothing measured")
        return 0
    lines = {path: read(path.with_suffix(".jpg"), label) for path, label in labels.items()}
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines.values())
        file.flush()
        command = [sys.executable, str(shared / "score.py"), "rummy", str(folder), file.name]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    melds = sum(melds_right(label, lines[path]) for path, label in labels.items())
    silent = sum(is_silent(label, lines[path]) for path, label in labels.items())
    rows = [[key, *(of[name] for name in SHOWN)] for key, of in (("all", found["all"]), *found["by_group"].items())]
    text = (
        f"## Card tables\n\nRecorded on {datetime.now(UTC):%Y-%m-%d}. Path-traced pictures with exact labels: melds in "
        "rows, fans and cascades, of one or two packs, jokers, a stock. Each is read with its camera's own lens. "
        f"Melds wholly right: {melds} of {len(labels)} tables; wrong, and nobody would have been asked: {silent}. "
        f"Processor time of a frame: median {median(line['ms'] for line in lines.values()):.0f} ms, at most "
        f"{max(line['ms'] for line in lines.values()):.0f}.\n\n" + as_table(["group", *SHOWN.values()], rows)
    )
    print(text)
    write_section("rummy_tables", text)
    return 0
