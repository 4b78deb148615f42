"""The race board reader against exact labels: `python -m bench --shared DIR --only board`.

`DIR/race` holds pictures with a JSON label each, in one folder or in one per camera. Every picture is read as
`companion read board` does, in one thread, without the height of the markers. The lens is the folder's `lens.json`
(from its own ChArUco boards), else the label's. The shared score.py scores the readings. `RACE_CAMERAS=R705,R706`
selects cameras.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import cv2
import msgspec

from bench.accuracy import as_table, write_section
from bench.labels import lens_of
from calibration.lens import load_lens
from companion.game.brought import default_kit, load_board
from companion.game.errors import ReadingError
from vision.tables.board.reader import BoardEye

TAUGHT = frozenset(f"R{number}" for number in (*range(701, 709), 711, *range(7100, 7153, 4), *range(7181, 7193)))
"""Cameras whose pictures were used to fit the marker rules (bench/board_rules.py)."""
FINENESS = (1.2, 1.6)
"""Upper limits of the resolution groups, px/mm; a last group is above them."""
SHOWN = {
    "pictures": "pictures",
    "boards_right": "whole boards right",
    "refused": "refused",
    "spots": "spots",
    "spot_error_rate": "share of spots wrong",
    "sure_but_wrong": "wrong and sure",
    "dice_right": "dice that lie: value right",
    "dice_sure_but_wrong": "dice wrong and sure",
    "leaning_right": "leaning dice without a value",
}
TOGETHER = ("pictures", "whole boards right", "spots", "share of spots wrong", "wrong and sure")
Labels = Mapping[Path, dict[str, Any]]


def labels_of(folder: Path, wanted: str) -> dict[Path, dict[str, Any]]:
    """The labels of the wanted cameras (names with commas between, "" for all) in a folder and those in it."""
    told = {path: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*_race_*.json"))}
    return {path: label for path, label in told.items() if not wanted or label["camera_id"] in wanted.split(",")}


def read(path: Path, label: dict[str, Any]) -> dict[str, Any]:
    """The command line's output for a label's picture, with processor time as `ms`."""
    lens_file = path.with_name("lens.json")
    board = load_board(label["board"])
    lens = load_lens(lens_file) if lens_file.exists() else lens_of(label)
    eye, picture = BoardEye(lens, default_kit(board.game), board), cv2.imread(str(path.with_suffix(".jpg")))
    with suppress(ReadingError):
        eye.read(picture)  # work done once for a set does not count towards a frame
    line: dict[str, Any] = {"image": path.with_suffix(".jpg").name}
    began = time.process_time()
    try:
        line |= msgspec.to_builtins(eye.read(picture))
    except ReadingError as error:
        line["error"] = {"code": error.code.value, "message": str(error)}
    return line | {"ms": round((time.process_time() - began) * 1000, 1)}


def scored(labels: Labels, lines: Mapping[Path, dict[str, Any]], score: Path) -> dict[str, Any]:
    """score.py's figures of the readings, over all and by group."""
    with tempfile.TemporaryDirectory() as scratch:
        readings = Path(scratch) / "readings.jsonl"
        readings.write_text("".join(json.dumps(line) + "\n" for line in lines.values()), encoding="utf-8")
        beside = Path(scratch) / "labels"
        beside.mkdir()
        for path in labels:
            (beside / path.name).symlink_to(path.resolve())
        command = [sys.executable, str(score), "board", str(beside), str(readings)]
        found: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return found


def by_fineness(cameras: Mapping[str, dict[str, Any]], fine: Mapping[str, float]) -> list[list[Any]]:
    """The figures of all cameras in each resolution group."""
    rows = []
    for low, high in zip((0.0, *FINENESS), (*FINENESS, float("inf")), strict=True):
        found = [of for name, of in cameras.items() if low < fine[name] <= high]
        pictures, spots = (sum(of[key] for of in found) for key in ("pictures", "spots"))
        if pictures:
            right = sum(of["boards_right"] * of["pictures"] for of in found) / pictures
            wrong = sum((of["spot_error_rate"] or 0) * of["spots"] for of in found) / max(spots, 1)
            sure = sum(of["sure_but_wrong"] for of in found)
            name = f"up to {high} px/mm" if high != float("inf") else f"above {low} px/mm"
            rows.append([name, len(found), pictures, round(right, 4), spots, round(wrong, 5), sure])
    return rows


def run(shared: Path) -> int:
    """Reads, scores and records the figures of every camera. Exit status: 0, even without pictures."""
    cv2.setNumThreads(1)
    labels = labels_of(shared / "race", os.environ.get("RACE_CAMERAS", ""))
    if not labels:
        print("board: no rendered race boards in race/, nothing measured")
        return 0
    lines = {path: read(path, label) for path, label in labels.items()}
    found = scored(labels, lines, shared / "score.py")
    names = dict.fromkeys(label["camera_id"] for label in labels.values())
    paths = {name: [path for path, label in labels.items() if label["camera_id"] == name] for name in names}
    fine = {name: round(median(labels[path]["px_per_mm_centre"] for path in paths[name]), 2) for name in names}
    ms = {name: round(median(lines[path]["ms"] for path in paths[name])) for name in names}
    cameras = {name: found["by_group"].pop(f"camera {name}") for name in names}
    rows = [
        [f"{name} (taught the rules)" if name in TAUGHT else name, fine[name], *(of[key] for key in SHOWN), ms[name]]
        for name, of in cameras.items()
    ]
    groups = [[key, *(of[k] for k in SHOWN)] for key, of in (("all", found["all"]), *found["by_group"].items())]
    text = (
        f"## Race boards\n\nRecorded on {datetime.now(UTC):%Y-%m-%d}. Path-traced pictures of CP-120 and BM-129 "
        "with exact labels: plain, wooden and ornamented boards, flat disks and pawns, dice thrown into the tray, some "
        "leaning on its edge. Each is read with its camera's own lens, without being told which markers are on it. "
        "Milliseconds are processor time of one frame: "
        f"median {median(line['ms'] for line in lines.values()):.0f}, at most "
        f"{max(line['ms'] for line in lines.values()):.0f}.\n\n"
        + as_table(["group", *SHOWN.values()], groups)
        + "\n\nBy camera:\n\n"
        + as_table(["camera", "px/mm", *SHOWN.values(), "ms"], rows)
        + "\n\nBy how finely cameras see:\n\n"
        + as_table(["fineness", "cameras", *TOGETHER], by_fineness(cameras, fine))
    )
    print(text)
    write_section("board", text)
    return 0
