"""How right rods are read: `python -m bench.rods PICTURES LENSES`, with the lenses in `LENSES/CAMERA.json`.

Labels are JSON files beside the pictures: `camera_id`, `rods` (`colour`, `zone`, `loose`) and `die` (`colour`). Nothing
of them reaches the reader. Prints one JSON object: rods found and right, counts by colour, piles, and what was sure.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

import cv2
import numpy as np

from calibration.lens import load_lens
from companion.errors import ReadingError
from companion.kit import default_kit
from companion.readings import SURE, RodsReading
from vision.tables.rods import RodsEye

Count = Counter[tuple[str | None, str | None]]


def figures(pictures: Path, lenses: Path) -> dict[str, Any]:
    """The figures of all labelled pictures of a folder."""
    kit = default_kit("suspend")
    total: Counter[str] = Counter()
    ms: list[float] = []
    for path in sorted(pictures.glob("*.jpg")):
        label = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        eye = RodsEye(load_lens(lenses / f"{label['camera_id']}.json"), kit)
        picture = np.asarray(cv2.imread(str(path)), np.uint8)
        total["pictures"] += 1
        began_s = time.process_time()
        try:
            reading = eye.read(picture)
        except ReadingError:
            total["refused"] += 1
            continue
        ms.append((time.process_time() - began_s) * 1000)
        compare(label, reading, kit.piece("rod").colors, total)
    return {**total, "ms_median": round(median(ms)) if ms else None}


def compare(label: dict[str, Any], reading: RodsReading, colors: tuple[str, ...], total: Counter[str]) -> None:
    """Adds what a reading has right and wrong to the totals."""
    truth: Count = Counter((rod["colour"], rod["zone"]) for rod in label["rods"] if rod["loose"])
    got: Count = Counter((rod.color, rod.zone) for rod in reading.rods)
    sure: Count = Counter((rod.color, rod.zone) for rod in reading.rods if rod.confidence >= SURE)
    total["rods"] += truth.total()
    total["found"] += (truth & got).total()
    total["not there"] += (got - truth).total()
    total["sure"] += sure.total()
    total["sure but wrong"] += (sure - truth).total()
    zones = {zone for _, zone in truth | got}
    total["piles"] += len(zones)
    total["piles right"] += sum(_of(truth, zone=zone) == _of(got, zone=zone) for zone in zones)
    total["counts by colour"] += len(colors)
    for color in colors:
        there, told = _of(truth, color=color).total(), _of(got, color=color).total()
        total["counts right"] += there == told
        total["too few, and not said"] += told < there and color not in reading.hidden
    die = reading.die
    total["die right"] += die is not None and die.color == label["die"]["colour"]
    total["die sure but wrong"] += (
        die is not None and die.color is not None and die.color != label["die"]["colour"] and die.confidence >= SURE
    )


def _of(count: Count, *, color: str | None = None, zone: str | None = None) -> Count:
    return Counter(
        {key: n for key, n in count.items() if n and (color or key[0]) == key[0] and (zone or key[1]) == key[1]}
    )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m bench.rods PICTURES LENSES")
    print(json.dumps(figures(Path(sys.argv[1]), Path(sys.argv[2])), indent=1))
