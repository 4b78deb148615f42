"""Cards on public photographs: score.py's table per source for our reader and the tutorial approach, and how often a
confident reading is correct.

Our model was trained on our own renderings only, unless vision/models/CARDS.md says otherwise.
"""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median
from typing import Any

import cv2

from bench import harness, notcards, tutorial_cards
from companion.game.readings import SURE
from docs.sections import as_table
from vision.photo.cards.reader import open_eye

Row = dict[str, Any]
FIVE_CARDS_LONG_SIDE_PX = 1280
TEMPLATES = "rdone_"
"""The pictures of one card each that serve the tutorial approach as templates."""


def run(shared: Path) -> int:
    """Prints and writes the tables; returns 0 if all pictures could be read."""
    cv2.setNumThreads(1)
    folder = shared / "photos" / "cards"
    labels = harness.label_lines(folder)
    ours = harness.readings(folder, labels, open_eye().read)
    theirs = _tutorial(folder, labels)
    text = "\n\n".join(
        [
            "## Cards",
            f"{len(labels)} photographs, {sum(len(row['cards']) for row in labels)} cards. One core, processor time: "
            f"{harness.took(ours)} a picture; five cards on {FIVE_CARDS_LONG_SIDE_PX} px: "
            f"{_five_cards_ms(folder, labels):.0f} ms.",
            "### By source and layout",
            _scores(shared, folder, {"ours": ours, "tutorial": theirs}),
            "### When it says how sure it is",
            _reliability(labels, ours),
            "### Pictures without cards",
            _made_up(),
        ]
    )
    harness.record("cards", text)
    return 0


def _tutorial(folder: Path, labels: list[Row]) -> list[Row]:
    single = [row for row in labels if TEMPLATES in row["image"]]
    known = tutorial_cards.learn(
        [(cv2.imread(str(folder / r["image"])), r["cards"][0]["rank"], r["cards"][0]["suit"]) for r in single]
    )
    return [{"image": r["image"]} | tutorial_cards.read(cv2.imread(str(folder / r["image"])), known) for r in labels]


def _five_cards_ms(folder: Path, labels: list[Row]) -> float:
    """Median time for the pictures of five cards, each scaled to a long side of 1280 px; the first call is not
    counted."""
    eye, ms = open_eye(), []
    for label in [row for row in labels if len(row["cards"]) == 5][:8]:
        picture = cv2.imread(str(folder / label["image"]))
        scale = FIVE_CARDS_LONG_SIDE_PX / max(picture.shape[:2])
        picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        for turn in range(4):
            began = time.process_time()
            eye.read(picture)
            if turn:
                ms.append((time.process_time() - began) * 1000)
    return median(ms)


def _made_up() -> str:
    """Text on the cards that were read in pictures without cards."""
    eye, names, cards, sure, face_down, count = open_eye(), [], 0, 0, 0, 0
    for name, picture in notcards.pictures():
        reading = eye.read(picture)
        count += 1
        cards += len(reading.cards)
        sure += sum(card.confidence >= SURE for card in reading.cards)
        face_down += reading.face_down
        if reading.cards or reading.face_down:
            names.append(name)
    return (
        f"{count} pictures, {len(notcards.photographs())} of them photographs (bench/notcards.py): {cards} cards made "
        f"up, {sure} of them sure, and {face_down} cards face down. {' '.join(names)}".rstrip()
    )


def _scores(shared: Path, folder: Path, readings: dict[str, list[Row]]) -> str:
    head = ["group", "reader", "pictures", "exact", "cards", "recall", "precision", "sure", "sure but wrong"]
    rows: list[list[object]] = []
    scored = {name: harness.score(shared, "cards", folder, given) for name, given in readings.items()}
    groups = ["all", *sorted(next(iter(scored.values()))["by_group"])]
    for group in groups:
        for name, answer in scored.items():
            s = answer["all"] if group == "all" else answer["by_group"][group]
            figures = ("pictures", "picture_exact", "cards", "recall", "precision", "sure", "sure_but_wrong")
            rows.append([group.split("/")[0], name, *(s[f] for f in figures)])
    wrong = ", ".join(Path(name).stem for name in scored["ours"]["wrong_pictures"])
    return as_table(head, rows) + f"\n\nPictures that ours reads wrong: {wrong or 'none'}."


def _reliability(labels: list[Row], rows: list[Row]) -> str:
    """The share of correct cards in each band of confidence (complete pictures only)."""
    complete = [pair for pair in zip(labels, rows, strict=True) if pair[0].get("complete", True)]
    return harness.reliability((one for label, row in complete for one in cards_said(label, row)), "cards")


def cards_said(label: Row, row: Row) -> list[tuple[float, bool]]:
    """The stated chance of each card of a picture, and whether it is there."""
    told = [(c["confidence"], (c["rank"], c["suit"])) for c in row.get("cards", ()) if c["rank"] is not None]
    return harness.borne_out(told, [(c["rank"], c["suit"]) for c in label["cards"] if not c.get("face_down")])
