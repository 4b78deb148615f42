"""The race board reader against exact labels: `python -m bench --shared DIR --only board`.

`DIR/race` holds pictures with a JSON label each, in one folder or in one per camera. Each picture is read in one thread
as by `companion read board`, without the height of the markers. The lens comes from the folder's `lens.json` (made with
its own ChArUco boards), else from the label. The shared score.py scores the readings.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median

from bench import harness
from bench.dice import is_right
from bench.harness import Line
from companion.game.brought import default_kit, load_board
from docs.sections import as_table
from vision.tables.board.reader import BoardEye

TAUGHT = frozenset(f"R{number}" for number in (*range(701, 709), 711, *range(7100, 7153, 4), *range(7181, 7193)))
"""Cameras whose pictures were used to fit the marker rules (`bench fit board`)."""
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


def read(path: Path, label: Line) -> Line:
    """The command line's output for a picture."""
    board = load_board(label["board"])
    eye = BoardEye(harness.lens_beside(path, label), default_kit(board.game), board)
    picture = harness.picture_at(path)
    harness.read(eye.read, path.name, picture)  # fills caches: the second reading is timed
    return harness.read(eye.read, path.name, picture)[0]


def spots_said(label: Line, line: Line) -> list[tuple[float, bool]]:
    """The stated chance of what each spot holds, and whether it does. Without the spots next to a marker between
    spots."""
    beside = {spot for one in label["between"] for spot in one["spots"]}
    said = []
    for spot in label["spots_mm"] if "error" not in line else ():
        seen = line["spaces"].get(spot, {"color": None, "confidence": 1.0})
        chances = line["maybe"].get(spot) or {seen["color"] or "": seen["confidence"]}
        color = max(chances, key=lambda one: chances[one])
        if spot not in beside:
            said.append((chances[color], color == (label["spaces"].get(spot) or "")))
    return said


def dice_said(label: Line, line: Line) -> list[tuple[float, bool]]:
    """The stated chance of each die's value in the tray, and whether it is right."""
    dice = [die for die in line.get("dice", ()) if die["in_tray"] and die["value"] is not None]
    return [(die["confidence"], is_right(die, label["dice"])) for die in dice]


def run(shared: Path) -> int:
    """Reads the pictures, scores them and records the figures per camera. Exit status: 0, even without pictures."""
    labels = harness.tables_in(shared, "race")
    if not labels:
        return 0
    lines = {path: read(path, label) for path, label in labels.items()}
    found = harness.score(shared, "board", labels, lines.values())
    rows: list[list[object]] = []
    for camera in dict.fromkeys(label["camera_id"] for label in labels.values()):
        mine = [path for path, label in labels.items() if label["camera_id"] == camera]
        of = found["by_group"].pop(f"camera {camera}")
        fine = median(labels[path]["px_per_mm_centre"] for path in mine)
        name = f"{camera} (taught the rules)" if camera in TAUGHT else camera
        ms = median(lines[path]["ms"] for path in mine)
        rows.append([name, round(fine, 2), *(of[key] for key in SHOWN), round(ms)])
    said = {
        what: [one for path, label in labels.items() for one in says(label, lines[path])]
        for says, what in ((spots_said, "spots"), (dice_said, "dice in the tray"))
    }
    harness.record(
        "board",
        "## Race boards",
        f"{harness.today()}. Path-traced pictures of CP-120 and BM-129 with exact labels: plain, wooden and ornamented "
        "boards, flat disks and pawns, dice thrown into the tray, some leaning on its edge. Each is read with its "
        "camera's own lens, without being told which markers are on it. "
        f"Processor time of a frame: {harness.took(lines.values())}.",
        as_table(["group", *SHOWN.values()], harness.groups(found, SHOWN)),
        "By camera:",
        as_table(["camera", "px/mm", *SHOWN.values(), "ms"], rows),
        *(harness.reliability(some, what) for what, some in said.items()),
    )
    return 0
