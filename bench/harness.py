"""Measurement of each reader: reads labelled pictures, compares them with the truth by score.py, prints a table."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from statistics import mean, median
from typing import Any

import cv2
import msgspec
import numpy as np

from bench.drawn.labels import lens_of
from calibration.arrays import Picture
from calibration.lens import Lens, load_lens
from companion.game.errors import ReadingError
from docs.sections import as_table, write_section

BOARD = "charuco:7x5,30,22,DICT_5X5_100"
"""The board that the shared folder's cameras are calibrated with."""
BINS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0001)
"""The bands of stated chances in all tables of reliability."""
PLOT_WIDTH = 20
TIMED_LONG_SIDE_PX = 1280
Line = dict[str, Any]
"""A reading as `companion read` prints it, with milliseconds of processor time as `ms`."""


def picture_at(path: Path) -> Picture:
    """The picture in a file, BGR."""
    return np.asarray(cv2.imread(str(path)), np.uint8)


def tables_in(shared: Path, kind: str) -> dict[Path, Line]:
    """The labels of one kind of rendered tables, by the pictures' paths. If there are none, it says so."""
    cv2.setNumThreads(1)
    found = labels_in(shared / kind, f"*_{kind}_*.json")
    if not found:
        print(f"{kind}: no labelled pictures in {shared / kind}, nothing measured")
    return found


def labels_in(folder: Path, pattern: str) -> dict[Path, Line]:
    """The labels of finished pictures in a folder and those in it, by the pictures' paths."""
    found = {path.with_suffix(".jpg"): path for path in sorted(folder.rglob(pattern))}
    return {at: json.loads(path.read_text(encoding="utf-8")) for at, path in found.items() if at.is_file()}


def label_lines(folder: Path) -> list[Line]:
    """The labels of a folder of photographs."""
    return [json.loads(line) for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines() if line]


def lens_beside(path: Path, label: Line) -> Lens:
    """The lens of a picture: the folder's `lens.json`, else the label's."""
    own = path.with_name("lens.json")
    return load_lens(own) if own.exists() else lens_of(label)


def calibrated(boards: Iterable[Path]) -> Lens:
    """A lens from pictures of its boards, by the command that people use."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "lens.json"
        command = [sys.executable, "-m", "companion", "calibrate", "lens", *map(str, boards), "--board", BOARD]
        subprocess.run([*command, "-o", str(out)], check=True, capture_output=True)
        return load_lens(out)


def read(reads: Callable[[Picture], Any], name: str, picture: Picture) -> tuple[Line, Any]:
    """One picture read: its line, and the reading itself (None: refused)."""
    line: Line = {"image": name}
    reading = None
    began = time.process_time()
    try:
        reading = reads(picture)
        line |= msgspec.to_builtins(reading, enc_hook=str)
    except ReadingError as error:
        line["error"] = {"code": error.code.value, "message": str(error)}
    return line | {"ms": round((time.process_time() - began) * 1000, 1)}, reading


def readings(folder: Path, labels: Iterable[Line], reads: Callable[[Picture], Any]) -> list[Line]:
    """The photographs of these labels read."""
    return [read(reads, label["image"], picture_at(folder / label["image"]))[0] for label in labels]


def milliseconds(paths: Iterable[Path], reads: Callable[[Picture], Any]) -> float:
    """Median processor time for pictures of 1280 px, one thread. The first reading is not counted."""
    ms = []
    for path in paths:
        picture = picture_at(path)
        scale = TIMED_LONG_SIDE_PX / max(picture.shape[:2])
        way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        resized = np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=way), np.uint8)
        ms.append(read(reads, path.name, resized)[0]["ms"])
    return median(ms[1:])


def score(shared: Path, kind: str, labels: Path | Mapping[Path, Line], lines: Iterable[Line]) -> Line:
    """The figures of score.py. `labels`: a folder, or the labels of some pictures."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "readings.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        if not isinstance(labels, Path):
            beside = Path(scratch) / "labels"
            beside.mkdir()
            for path in labels:
                (beside / path.with_suffix(".json").name).symlink_to(path.with_suffix(".json").resolve())
            labels = beside
        command = [sys.executable, str(shared / "score.py"), kind, str(labels), str(file)]
        return dict(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


def groups(found: Line, shown: Iterable[str]) -> list[list[object]]:
    """Rows of a score: all, then each group."""
    return [[key, *(of[name] for name in shown)] for key, of in (("all", found["all"]), *found["by_group"].items())]


def took(lines: Iterable[Line]) -> str:
    """Processor time of a frame, in words."""
    ms = [line["ms"] for line in lines]
    return f"median {median(ms):.0f} ms, at most {max(ms):.0f} ms"


def borne_out(told: Iterable[tuple[float, Hashable]], there: Iterable[Hashable]) -> list[tuple[float, bool]]:
    """The stated chance of each reported thing, and whether the thing is there. Each counts once."""
    left = Counter(there)
    said = []
    for chance, name in sorted(told, key=lambda one: -one[0]):
        said.append((chance, left[name] > 0))
        left[name] -= 1
    return said


def reliability(said: Iterable[tuple[float, bool]], what: str) -> str:
    """A table with a plot: how often values are right in each band of stated chances."""
    every = list(said)
    rows: list[list[object]] = []
    for low, high in pairwise(BINS):
        some = [(told, is_right) for told, is_right in every if low <= told < high]
        if some:
            shares = [
                f"{mean(column):.{digits}f}" for column, digits in zip(zip(*some, strict=True), (3, 4), strict=True)
            ]
            plot = "█" * round(PLOT_WIDTH * mean(is_right for _, is_right in some))
            rows.append([f"{low:g} to {min(1, high):g}", len(some), *shares, f"{plot:░<{PLOT_WIDTH}}"])
    table = as_table(["stated chance", what, "mean", "right", "right, plotted"], rows)
    return f"How often {what} with such a stated chance are right:\n\n{table}"


def today() -> str:
    """The words for the day of a measurement."""
    return f"Recorded on {datetime.now(UTC).date()}"


def record(name: str, *parts: str) -> None:
    """Prints the parts of a section and writes them to docs/accuracy.md."""
    text = "\n\n".join(parts)
    print(text)
    write_section(name, text)
