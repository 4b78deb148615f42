"""Eyes tables by cameras that were not used to choose any limit: `python -m bench.eyes_cameras FOLDER --shared DIR`.

The folder holds path-traced pictures with exact labels (`camR501_war1_5000.jpg`, `.json`) of any number of drawn
cameras. Each camera's lens comes from its own boards (`charuco_camR501_*.jpg`) if the folder has some. Otherwise it is
calibrated from drawn corners with the usual error. The figures are those of the shared score.py, one row per camera.
Use these pictures for nothing else: once a limit was chosen by them, their figures say nothing.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import zlib
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import cv2
import numpy as np

from bench import harness
from bench.eyes import GAME
from bench.harness import BOARD, Line
from calibration.charuco import CharucoCorners, board_of
from calibration.from_boards import BoardPicture, fit_lens
from calibration.lens import Lens
from companion.game.brought import default_kit
from companion.game.kit import Kit
from docs.sections import as_table, write_section
from vision.tables.eyes import open_eye

FOLDER = ("cameras", "eyes")
"""The pictures' place in the shared folder."""
BOARDS, CORNER_PX = 13, 0.06
"""Number of boards for a camera's calibration, and the error of a corner found in one, px."""
FINE_PX_MM = (1.3, 1.2)
"""A camera is fine above the first value, px/mm. Below the second, the set-up warns about the cost."""
COLUMNS = {
    "px/mm": "px_mm",
    "tables": "pictures",
    "pairs": "overlap_pairs",
    "wrong": "wrong",
    "missing": "missing",
    "near": "near_pairs_3mm",
    "too close of these": "near_too_close",
    "margin RMS, mm": "margin_rms",
    "within 3 sigma": "within_3_sigma",
    "recall": "piece_recall",
    "precision": "piece_precision",
    "eyes": "eyes_right",
    "owners": "owners_right",
    "owners wrong": "owners_wrong",
    "ninja faces": "ninja_faces_right",
    "ninja faces wrong": "ninja_faces_wrong",
    "stacks": "stacks_right",
    "rests_on": "rests_on_precision",
    "ms": "ms",
}
"""The table's columns, by score.py's names and some of our own."""


def run(shared: Path) -> int:
    """Measures the shared folder's cameras, if it has any."""
    folder = shared.joinpath(*FOLDER)
    return measure(folder, shared, is_recorded=True) if folder.is_dir() else 0


def measure(folder: Path, shared: Path, is_recorded: bool, only: str = "") -> int:
    """Prints the figures by camera; `is_recorded`: also writes them to docs/accuracy.md. Returns status 1 if a ruling
    is wrong."""
    cv2.setNumThreads(1)
    kit = default_kit(GAME)
    labels = _labels(folder, only)
    rows: dict[str, Line] = {}
    lines: dict[str, list[Line]] = {}
    for camera in sorted(labels):
        lines[camera] = _readings(folder, camera, labels[camera], kit)
        rows[camera] = _scored(shared, folder, labels[camera], lines[camera])
        print(*_row(camera, rows[camera]), flush=True)
    if not rows:
        print(f"no labelled pictures in {folder}", file=sys.stderr)
        return 1
    groups = _groups(shared, folder, labels, lines, rows)
    for name, figures in groups.items():
        print(*_row(name, figures))
    if is_recorded:
        _record(rows | groups)
    return int(any(figures["wrong"] for figures in rows.values()))


def _labels(folder: Path, only: str) -> dict[str, list[Line]]:
    """The labels of finished pictures, by camera."""
    found: dict[str, list[Line]] = {}
    for path in sorted(folder.glob("cam*.json")):
        if only not in path.name:
            continue
        label = json.loads(path.read_text(encoding="utf-8"))
        if "pieces" in label and (folder / label["picture"]).is_file():
            found.setdefault(label["camera_id"], []).append(label)
    return found


def _readings(folder: Path, camera: str, labels: list[Line], kit: Kit) -> list[Line]:
    eye = open_eye(lens_of(folder, camera, labels[0]), kit)
    return [
        harness.read(eye.read, label["picture"], np.asarray(cv2.imread(str(folder / label["picture"])), np.uint8))[0]
        for label in labels
    ]


def lens_of(folder: Path, camera: str, label: Line) -> Lens:
    """A camera's lens, from its boards or from simulated corners of boards."""
    boards = sorted(str(path) for path in folder.glob(f"charuco_cam{camera}_*.jpg"))
    if not boards:
        return _drawn_lens(label["camera"], zlib.crc32(camera.encode()))
    return harness.calibrated(map(Path, boards))


def _drawn_lens(camera: Line, seed: int) -> Lens:
    """The lens from boards simulated for this camera, with the usual error of their corners."""
    rng = np.random.default_rng(seed)
    board = board_of(BOARD)
    matrix, bends = np.array(camera["K"], float), np.array(camera["dist_k1_k2_p1_p2"], float)
    width, height = int(camera["width"]), int(camera["height"])
    across, down = board.across - 1, board.down - 1
    grid = np.array([(x + 1, y + 1, 0) for y in range(down) for x in range(across)], float) * board.square_mm
    pictures: list[BoardPicture] = []
    while len(pictures) < BOARDS:
        at = np.array([(0.2, 0.5, 0.8)[len(pictures) % 3], (0.25, 0.5, 0.75)[len(pictures) // 3 % 3]])
        depth = matrix[0, 0] * board.across * board.square_mm / (width * rng.uniform(0.28, 0.45))
        turn = np.radians(rng.uniform(-32, 32, 3))
        ray = (at * (width, height) - matrix[:2, 2]) / (matrix[0, 0], matrix[1, 1])
        centre = cv2.Rodrigues(turn)[0] @ grid.mean(axis=0)
        shift = np.append(ray, 1.0) * depth - centre
        seen = cv2.projectPoints(grid, turn, shift, matrix, bends)[0][:, 0]
        inside = ((seen > 4) & (seen < (width - 4, height - 4))).all(axis=1)
        if inside.sum() < len(grid) * 0.6:
            continue
        ids = np.flatnonzero(inside)
        found = seen[ids] + rng.normal(0, CORNER_PX, (len(ids), 2))
        pictures.append(
            BoardPicture(
                f"board {len(pictures)}", width, height, CharucoCorners(ids, found, np.full(len(ids), CORNER_PX))
            )
        )
    return fit_lens(pictures, board).lens


def px_mm(label: Line) -> float:
    """Pixels per millimetre in the middle of the mat."""
    camera = label["camera"]
    return float(np.sqrt(camera["K"][0][0] * camera["K"][1][1]) / label["mount"].get("height_mm", math.nan))


def _scored(shared: Path, folder: Path, labels: list[Line], lines: list[Line]) -> Line:
    """The figures of these readings against their labels."""
    score = harness.score(shared, "eyes", {folder / label["picture"]: label for label in labels}, lines)
    figures: Line = score["all"]
    return figures | {
        "px_mm": round(float(np.nanmean([px_mm(label) for label in labels])), 2),
        "margin_rms": score["error_mm"].get("margin", {}).get("rms"),
        "within_3_sigma": score["share_within_3_sigma"],
        "ms": round(median(line["ms"] for line in lines)),
        "wrong_rulings": score["wrong_rulings"],
    }


def _groups(
    shared: Path, folder: Path, labels: dict[str, list[Line]], lines: dict[str, list[Line]], rows: dict[str, Line]
) -> dict[str, Line]:
    """The figures of all high-resolution cameras together, of the coarser cameras, and of all."""
    fine, told = FINE_PX_MM
    parts = {
        f"{fine} px/mm or more": [c for c in rows if rows[c]["px_mm"] >= fine],
        f"{told} to {fine}": [c for c in rows if told <= rows[c]["px_mm"] < fine],
        f"below {told}": [c for c in rows if rows[c]["px_mm"] < told],
        "all": list(rows),
    }
    return {
        name: _scored(shared, folder, [x for c in mine for x in labels[c]], [x for c in mine for x in lines[c]])
        for name, mine in parts.items()
        if mine
    }


def _row(name: str, figures: Line) -> list[object]:
    return [name, *(figures[key] for key in COLUMNS.values())]


def _record(rows: dict[str, Line]) -> None:
    write_section(
        "eyes_cameras",
        f"""## Tables of Eyes of the Emperor, by cameras that chose nothing

Recorded on {datetime.now(UTC).date()}. Path-traced tables with exact labels, seen by drawn cameras that no figure of
the reader was chosen on. Near: within 3 mm of a rim. Nothing said (no value, no owner, too close) counts as not right
and never as wrong.

{as_table(["camera", *COLUMNS], [_row(name, figures) for name, figures in rows.items()])}""",
    )


def main() -> int:
    """Measures the cameras of one folder."""
    parser = argparse.ArgumentParser(prog="python -m bench.eyes_cameras", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shared", type=Path, default=Path("../shared"), help="folder with score.py")
    parser.add_argument("--only", default="", metavar="TEXT", help="pictures with this in their names only")
    parser.add_argument("--record", action="store_true", help="write the figures to docs/accuracy.md")
    asked = parser.parse_args()
    return measure(asked.folder, asked.shared, asked.record, asked.only)


if __name__ == "__main__":
    sys.exit(main())
