"""Measurement of each reader: reads labelled pictures, compares them with the truth by score.py, prints a table."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from statistics import mean, median
from typing import Any

import cv2
import msgspec

from bench.drawn.labels import lens_of
from calibration.lens import Lens, load_lens
from companion.game.errors import ReadingError
from docs.sections import as_table, write_section
from vision.readers import Picture

BOARD = "charuco:7x5,30,22,DICT_5X5_100"
"""The board that the shared folder's cameras are calibrated with."""
Line = dict[str, Any]
"""A reading as `companion read` prints it, with milliseconds of processor time as `ms`."""


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
        line |= msgspec.to_builtins(reading)
    except ReadingError as error:
        line["error"] = {"code": error.code.value, "message": str(error)}
    return line | {"ms": round((time.process_time() - began) * 1000, 1)}, reading


def readings(folder: Path, labels: Iterable[Line], reads: Callable[[Picture], Any]) -> list[Line]:
    """The photographs of these labels read."""
    return [read(reads, label["image"], cv2.imread(str(folder / label["image"])))[0] for label in labels]


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


def reliability(said: Iterable[tuple[float, bool]], bins: tuple[float, ...], what: str) -> str:
    """A table: how often values are right in each band of confidence."""
    every = list(said)
    rows: list[list[object]] = []
    for low, high in pairwise(bins):
        some = [(told, is_right) for told, is_right in every if low <= told < high]
        if some:
            shares = [
                f"{mean(column):.{digits}f}" for column, digits in zip(zip(*some, strict=True), (3, 4), strict=True)
            ]
            rows.append([f"{low:g} to {min(1, high):g}", len(some), *shares])
    return as_table(["confidence", what, "mean confidence", "right"], rows)


def record(name: str, text: str) -> None:
    """Prints a section and writes it to docs/accuracy.md."""
    print(text)
    write_section(name, text)
