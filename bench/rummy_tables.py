"""Card tables by camera: path-traced pictures with exact labels, each read with the lens of its camera.

The labels contain the lens (`drawn/labels` reads all kinds of labels), so a picture needs only its label.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

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
    labels = harness.tables_in(shared, "rummy")
    if not labels:
        return 0
    kit = default_kit("manipulation_rummy")
    lines = [
        harness.read(RummyEye(lens_of(label), kit).read, path.name, harness.picture_at(path))[0]
        for path, label in labels.items()
    ]
    found = harness.score(shared, "rummy", labels, lines)
    pairs = list(zip(labels.values(), lines, strict=True))
    harness.record(
        "rummy_tables",
        "## Card tables",
        f"{harness.today()}. Path-traced pictures with exact labels: melds in rows, fans and cascades, of one or two "
        "packs, jokers, a stock. Each is read with its camera's own lens. "
        f"Melds wholly right: {sum(melds_right(*pair) for pair in pairs)} of {len(pairs)} tables; "
        f"wrong, and nobody would have been asked: {sum(is_silent(*pair) for pair in pairs)}. "
        f"Processor time of a frame: {harness.took(lines)}.",
        as_table(["group", *SHOWN.values()], harness.groups(found, SHOWN)),
        harness.reliability((one for pair in pairs for one in cards_said(*pair)), "cards"),
    )
    return 0
