"""Eyes tables by cameras that were not used to choose any limit: `python -m bench --shared DIR --only eyes_cameras`.

`DIR/cameras/eyes` holds path-traced pictures with exact labels (`camR501_war1_5000.jpg`, `.json`) of any number of
drawn cameras. Each camera's lens comes from its own boards (`charuco_camR501_*.jpg`) if the folder has some. Otherwise
it is calibrated from drawn corners with the usual error. The figures are those of score.py, one row per camera.
Use these pictures for nothing else: once a limit was chosen by them, their figures say nothing.
"""

from __future__ import annotations

import math
import zlib
from datetime import UTC, datetime
from pathlib import Path
from statistics import NormalDist, median

import cv2
import numpy as np

from bench import harness
from bench.eyes import FOUND_MM, GAME
from bench.harness import BOARD, Line
from calibration.charuco import CharucoCorners, board_of
from calibration.from_boards import BoardPicture, fit_lens
from calibration.lens import Lens
from companion.game.brought import default_kit
from companion.game.kit import Kit
from docs.sections import as_table
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
    "margin error, mm: median": "margin_median",
    "RMS": "margin_rms",
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
    """Reads the shared folder's cameras and records their figures; status 1 if a ruling is wrong."""
    cv2.setNumThreads(1)
    kit = default_kit(GAME)
    folder = shared.joinpath(*FOLDER)
    labels: dict[str, list[Line]] = {}
    for label in harness.labels_in(folder, "cam*.json").values():
        labels.setdefault(label["camera_id"], []).append(label)
    if not labels:
        print(f"eyes_cameras: no labelled pictures in {folder}, nothing measured")
        return 0
    lines = {camera: _readings(folder, camera, labels[camera], kit) for camera in sorted(labels)}
    rows = {camera: _scored(shared, folder, labels[camera], lines[camera]) for camera in lines}
    _record(rows | _groups(shared, folder, labels, lines, rows), labels, lines)
    return int(any(figures["wrong"] for figures in rows.values()))


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


def margins(label: Line, line: Line) -> list[tuple[float, float, float]]:
    """Each margin that was read, its standard error, and the true margin."""
    names: dict[str, str] = {}
    for piece in line.get("pieces", ()):
        alike = [
            one
            for one in label["pieces"]
            if _looks(one["kind"], one["colour"]) == _looks(piece["kind"], piece["color"])
        ]
        near = {math.dist(one["centre_mm"][:2], (piece["x_mm"], piece["y_mm"])): one["id"] for one in alike}
        if near and min(near) <= FOUND_MM:
            names[piece["id"]] = near[min(near)]
    true = {
        (p["piece"], p["territory"]): p["margin_mm"] for p in label["territory_pairs"] if not p["too_close_to_judge"]
    }
    read = [(o, (names.get(o["piece"]), names.get(o["over"]))) for o in line.get("overlaps", ())]
    return [(o["margin_mm"], o["sigma_mm"], true[pair]) for o, pair in read if pair in true]


def _looks(kind: str, color: str | None) -> tuple[str, str | None]:
    """The look of a piece from above. It does not show the owner of a die."""
    return kind, color if kind in ("samurai", "territory") else None


def sides_said(label: Line, line: Line) -> list[tuple[float, bool]]:
    """The chance of each piece's side of a rim by its margin and standard error, and whether it is on that side."""
    chances = NormalDist()
    read = margins(label, line)
    return [(chances.cdf(abs(mm) / sigma), (mm > 0) == (true > 0)) for mm, sigma, true in read if sigma]


def _scored(shared: Path, folder: Path, labels: list[Line], lines: list[Line]) -> Line:
    """The figures of these readings against their labels."""
    score = harness.score(shared, "eyes", {folder / label["picture"]: label for label in labels}, lines)
    figures: Line = score["all"]
    errors = [abs(mm - true) for label, line in zip(labels, lines, strict=True) for mm, _, true in margins(label, line)]
    return figures | {
        "margin_median": round(median(errors), 3) if errors else None,
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


def _record(rows: dict[str, Line], labels: dict[str, list[Line]], lines: dict[str, list[Line]]) -> None:
    pairs = [pair for camera in lines for pair in zip(labels[camera], lines[camera], strict=True)]
    text = f"""## Tables of Eyes of the Emperor, by cameras that chose nothing

Recorded on {datetime.now(UTC).date()}. Path-traced tables with exact labels, seen by drawn cameras that no figure of
the reader was chosen on. Near: within 3 mm of a rim. Nothing said (no value, no owner, too close) counts as not right
and never as wrong.

{as_table(["camera", *COLUMNS], [_row(name, figures) for name, figures in rows.items()])}

{harness.reliability((one for pair in pairs for one in sides_said(*pair)), "sides of rims")}"""
    harness.record("eyes_cameras", text)
