"""Cards on public photographs: score.py's table per source for our reader and the tutorial approach, and how often a
confident reading is correct.

Our model was trained on our own renderings only, unless vision/models/CARDS.md says otherwise.
"""

from __future__ import annotations

from pathlib import Path

import cv2

from bench import harness, notcards, tutorial_cards
from bench.harness import Line
from companion.game.readings import SURE
from docs.sections import as_table
from vision.photo.cards.reader import CardsEye, open_eye

TEMPLATES = "rdone_"
"""The pictures of one card each that serve the tutorial approach as templates."""


def run(shared: Path) -> int:
    """Prints and writes the tables; returns 0 if all pictures could be read."""
    cv2.setNumThreads(1)
    folder = shared / "photos" / "cards"
    labels = harness.label_lines(folder)
    eye = open_eye()
    ours = harness.readings(folder, labels, eye.read)
    templates = [
        (harness.picture_at(folder / label["image"]), label["cards"][0]["rank"], label["cards"][0]["suit"])
        for label in labels
        if TEMPLATES in label["image"]
    ]
    known = tutorial_cards.learn(templates)
    theirs = harness.readings(folder, labels, lambda picture: tutorial_cards.read(picture, known))
    of_five = [folder / label["image"] for label in labels if len(label["cards"]) == 5]
    complete = [pair for pair in zip(labels, ours, strict=True) if pair[0].get("complete", True)]
    harness.record(
        "cards",
        "## Cards",
        f"{len(labels)} photographs, {sum(len(label['cards']) for label in labels)} cards. One core, processor time: "
        f"{harness.took(ours)} a picture; five cards on {harness.TIMED_LONG_SIDE_PX} px: "
        f"{harness.milliseconds(of_five, eye.read):.0f} ms.",
        "### By source and layout",
        _scores(shared, folder, {"ours": ours, "tutorial": theirs}),
        "### When it says how sure it is",
        harness.reliability((one for pair in complete for one in cards_said(*pair)), "cards"),
        "### Pictures without cards",
        _made_up(eye),
    )
    return 0


def _made_up(eye: CardsEye) -> str:
    """Text on the cards that were read in pictures without cards."""
    names, cards, sure, face_down, count = [], 0, 0, 0, 0
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


def _scores(shared: Path, folder: Path, readings: dict[str, list[Line]]) -> str:
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


def cards_said(label: Line, row: Line) -> list[tuple[float, bool]]:
    """The stated chance of each card of a picture, and whether it is there."""
    told = [(c["confidence"], (c["rank"], c["suit"])) for c in row.get("cards", ()) if c["rank"] is not None]
    return harness.borne_out(told, [(c["rank"], c["suit"]) for c in label["cards"] if not c.get("face_down")])
