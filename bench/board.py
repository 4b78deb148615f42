"""The reader of race boards against exact labels: `python -m bench --shared DIR --only board`.

`DIR/race` holds a folder for each camera: its pictures, a JSON label beside each, its `lens.json` (from its own
ChArUco boards). Every picture is read as `companion read board` does, one thread, without being told how high the
markers are, and scored by the shared score.py. `RACE_CAMERAS=R705,R706` takes these cameras only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import cv2
import msgspec

from bench.accuracy import as_table, write_section
from calibration.lens import load_lens
from companion.board import load_board
from companion.errors import ReadingError
from companion.kit import default_kit
from vision.tables.board import BoardEye

TAUGHT = ("R701", "R702", "R703", "R704", "R705", "R706", "R707", "R708", "R711")
"""The cameras whose pictures taught the rules of what is a marker (bench/board_rules.py)."""
FINENESS = (1.2, 1.6)
"""Cameras are also counted together by their pixels a millimetre, up to each of these and beyond."""
SHOWN = {
    "pictures": "pictures",
    "boards_right": "whole boards right",
    "spots": "spots",
    "spot_error_rate": "share of spots wrong",
    "sure_but_wrong": "wrong and sure",
    "dice_right": "dice that lie: value right",
    "dice_sure_but_wrong": "dice wrong and sure",
    "leaning_right": "leaning dice without a value",
}


TOGETHER = ("pictures", "whole boards right", "spots", "share of spots wrong", "wrong and sure")


def read_folder(folder: Path) -> list[dict[str, Any]]:
    """What the command line would print of each picture of one camera, with processor time in place of `ms`."""
    lens = load_lens(folder / "lens.json")
    eyes: dict[str, BoardEye] = {}
    lines = []
    for path in sorted(folder.glob("*_race_*.json")):
        name = json.loads(path.read_text(encoding="utf-8"))["board"]
        board = load_board(name)
        picture = cv2.imread(str(path.with_suffix(".jpg")))
        if name not in eyes:
            eyes[name] = BoardEye(lens, default_kit(board.game), board)
            with suppress(ReadingError):
                eyes[name].read(picture)  # what is worked out once for a set costs no frame anything
        line: dict[str, Any] = {"image": path.with_suffix(".jpg").name}
        began = time.process_time()
        try:
            line |= msgspec.to_builtins(eyes[name].read(picture))
        except ReadingError as error:
            line["error"] = {"code": error.code.value, "message": str(error)}
        lines.append(line | {"ms": round((time.process_time() - began) * 1000, 1)})
    return lines


def scored(folder: Path, lines: list[dict[str, Any]], score: Path) -> dict[str, Any]:
    """score.py's figures of one camera's readings, over all and by group."""
    with tempfile.TemporaryDirectory() as scratch:
        readings = Path(scratch) / "readings.jsonl"
        readings.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        labels = Path(scratch) / "labels"
        labels.mkdir()
        for path in folder.glob("*_race_*.json"):
            (labels / path.name).symlink_to(path.resolve())
        command = [sys.executable, str(score), "board", str(labels), str(readings)]
        found: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return found


def px_per_mm(folder: Path) -> float:
    """How finely one camera sees the middle of the table."""
    labels = (json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*_race_*.json"))
    return float(median(label["px_per_mm_centre"] for label in labels))


def by_fineness(cameras: Sequence[tuple[float, dict[str, Any]]]) -> list[list[Any]]:
    """The figures of all cameras together that see about as finely; each comes with its pixels a millimetre."""
    rows = []
    for low, high in zip((0.0, *FINENESS), (*FINENESS, float("inf")), strict=True):
        found = [of for fine, of in cameras if low < fine <= high]
        pictures, spots = (sum(of[key] for of in found) for key in ("pictures", "spots"))
        if pictures:
            right = sum(of["boards_right"] * of["pictures"] for of in found) / pictures
            wrong = sum((of["spot_error_rate"] or 0) * of["spots"] for of in found) / max(spots, 1)
            sure = sum(of["sure_but_wrong"] for of in found)
            name = f"up to {high} px/mm" if high != float("inf") else f"above {low} px/mm"
            rows.append([name, len(found), pictures, round(right, 4), spots, round(wrong, 5), sure])
    return rows


def run(shared: Path) -> int:
    """Reads, scores and records the figures of every camera. Exit status: 0; also where there are no pictures."""
    cv2.setNumThreads(1)
    wanted = os.environ.get("RACE_CAMERAS", "").split(",")
    folders = [path.parent for path in sorted((shared / "race").glob("*/lens.json"))]
    folders = [folder for folder in folders if wanted == [""] or folder.name in wanted]
    if not folders:
        print("board: no rendered race boards in race/, nothing measured")
        return 0
    rows, groups = [], []
    cameras: list[tuple[float, dict[str, Any]]] = []
    for folder in folders:
        lines = read_folder(folder)
        found = scored(folder, lines, shared / "score.py")
        name = f"{folder.name} (taught the rules)" if folder.name in TAUGHT else folder.name
        ms = round(median(line["ms"] for line in lines))
        fine = round(px_per_mm(folder), 2)
        cameras.append((fine, found["all"]))
        rows.append([name, fine, *(found["all"][key] for key in SHOWN), ms])
        groups += [[f"{folder.name}: {key}", *(of[k] for k in SHOWN)] for key, of in found["by_group"].items()]
        print(name, f"{fine} px/mm", found["all"], f"{ms} ms")
    together = by_fineness(cameras)
    for row in together:
        print(*row)
    text = (
        f"## Race boards\n\nRecorded on {datetime.now(UTC):%Y-%m-%d}. Path-traced pictures of CP-120 and BM-129 "
        "with exact labels: plain, wooden and ornamented boards, flat disks and pawns, dice thrown into the tray, some "
        "leaning on its edge. Each is read with its camera's own lens, without being told which markers are on it. "
        "Milliseconds are processor time of one frame.\n\n"
        + as_table(["camera", "px/mm", *SHOWN.values(), "ms"], rows)
        + "\n\nBy how finely cameras see:\n\n"
        + as_table(["fineness", "cameras", *TOGETHER], together)
        + "\n\nBy group:\n\n"
        + as_table(["group", *SHOWN.values()], groups)
    )
    write_section("board", text)
    return 0
