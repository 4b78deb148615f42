"""Eyes tables by cameras that were not used to choose any limit: `python -m bench --shared DIR --only eyes_cameras`.

`DIR/cameras/eyes` holds path-traced pictures with exact labels (`camR501_war1_5000.jpg`, `.json`) of any number of
drawn cameras. Each camera's lens comes from its own boards (`charuco_camR501_*.jpg`) if the folder has some. Otherwise
it is calibrated from drawn corners with the usual error. The figures are those of score.py, one row per camera.
Use these pictures for nothing else: once a limit was chosen by them, their figures say nothing.
"""

from __future__ import annotations

import math
import zlib
from pathlib import Path
from statistics import NormalDist, median

import cv2
import numpy as np

from bench import harness
from bench.eyes import FOUND_MM, GAME, scored
from bench.harness import BOARD, Line
from calibration.charuco import CharucoCorners, board_of
from calibration.from_boards import BoardPicture, fit_lens
from calibration.lens import Lens
from companion.game.brought import default_kit
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
    "ms": "median_ms",
}
"""The table's columns, by score.py's names and some of our own."""


def run(shared: Path) -> int:
    """Reads the shared folder's cameras and records their figures; status 1 if a ruling is wrong."""
    cv2.setNumThreads(1)
    folder = shared.joinpath(*FOLDER)
    labels = harness.labels_in(folder, "cam*.json")
    if not labels:
        print(f"eyes_cameras: no labelled pictures in {folder}, nothing measured")
        return 0
    one_of = {label["camera_id"]: label for label in labels.values()}
    cameras = sorted(one_of)
    eyes = {camera: open_eye(lens_of(folder, camera, one_of[camera]), default_kit(GAME)) for camera in cameras}
    lines = {
        path: harness.read(eyes[label["camera_id"]].read, path.name, harness.picture_at(path))[0]
        for path, label in labels.items()
    }

    def of_cameras(some: list[str]) -> Line:
        mine = {path: label for path, label in labels.items() if label["camera_id"] in some}
        return _figures(shared, mine, [lines[path] for path in mine])

    rows = {camera: of_cameras([camera]) for camera in cameras}
    fine, told = FINE_PX_MM
    groups = {
        f"{fine} px/mm or more": [c for c in cameras if rows[c]["px_mm"] >= fine],
        f"{told} to {fine}": [c for c in cameras if told <= rows[c]["px_mm"] < fine],
        f"below {told}": [c for c in cameras if rows[c]["px_mm"] < told],
        "all": cameras,
    }
    is_wrong = any(figures["wrong"] for figures in rows.values())
    rows |= {name: of_cameras(some) for name, some in groups.items() if some}
    harness.record(
        "eyes_cameras",
        "## Tables of Eyes of the Emperor, by cameras that chose nothing",
        f"""{harness.today()}. Path-traced tables with exact labels, seen by drawn cameras that no figure of
the reader was chosen on. Near: within 3 mm of a rim. Nothing said (no value, no owner, too close) counts as not right
and never as wrong.""",
        as_table(["camera", *COLUMNS], [[name, *(of[key] for key in COLUMNS.values())] for name, of in rows.items()]),
        harness.reliability(
            (one for path, label in labels.items() for one in sides_said(label, lines[path])), "sides of rims"
        ),
    )
    return int(is_wrong)


def lens_of(folder: Path, camera: str, label: Line) -> Lens:
    """A camera's lens, from its boards or from simulated corners of boards."""
    boards = sorted(folder.glob(f"charuco_cam{camera}_*.jpg"))
    return harness.calibrated(boards) if boards else _drawn_lens(label["camera"], zlib.crc32(camera.encode()))


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
        corners = CharucoCorners(ids, found)
        pictures.append(BoardPicture(f"board {len(pictures)}", width, height, corners))
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


def _figures(shared: Path, labels: dict[Path, Line], lines: list[Line]) -> Line:
    """The figures of these readings against their labels."""
    pairs = zip(labels.values(), lines, strict=True)
    errors = [abs(mm - true) for label, line in pairs for mm, _, true in margins(label, line)]
    return scored(shared, labels, lines) | {
        "margin_median": round(median(errors), 3) if errors else None,
        "px_mm": round(float(np.nanmean([px_mm(label) for label in labels.values()])), 2),
    }
