"""The reader of Eyes tables against exact labels: `python -m bench --shared DIR --only eyes`.

The shared folder's pictures are read in one thread, with lenses calibrated from its own boards and with the pose from
each picture's fiducials. Its score.py scores them. Then random scenes of our own renderer are read and scored in the
same way (bench/drawn/eyes_tables.py varies lenses, films, mounts, rooms, surfaces and picture sizes).
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

import cv2
import msgspec
import numpy as np

from bench import harness
from bench.drawn.eyes_tables import write
from bench.harness import Line
from calibration.arrays import Picture
from calibration.lens import Lens, load_lens
from companion.game.brought import default_kit
from docs.sections import as_table
from vision.sim.rooms import FINE_PX_MM
from vision.tables.eyes import EyesEye, open_eye

GAME = "eyes_of_the_emperor"
LIMIT_MS = 150.0
SCENES, SEED = 200, 2026
"""Number of own scenes per run at the samples' resolution, and their seed."""
ALL_CAMERAS = 0.3
"""Additional scenes by cameras of all kinds, most of them coarser, as a share of the above."""
NOISE_LEVELS, NOISE_QUALITY = 2.5, 92
"""Noise added to each photograph for a second reading, and its JPEG quality. A ruling that this reverses was luck."""
FIGURES = {
    "pictures": "pictures",
    "hands": "with a hand in view",
    "hands_seen": "hands seen",
    "refused": "refused in all",
    "piece_recall": "pieces found",
    "piece_precision": "pieces that are there",
    "overlap_pairs": "overlaps to judge",
    "wrong": "ruled wrongly",
    "missing": "not judged",
    "unseen_pairs": "that have to be, of a piece of which less than a twentieth shows",
    "near_pairs_3mm": "within 3 mm of the rim",
    "near_too_close": "of these too close to call",
    "margin_rms": "margin error RMS, mm",
    "within_3_sigma": "margin errors within 3 sigma",
    "eyes_right": "eyes up or not: right",
    "eyes_wrong": "eyes: wrong",
    "ninja_faces_right": "ninja faces: right",
    "ninja_faces_wrong": "ninja faces: wrong",
    "owners_right": "owners of dice whose eye shows: right",
    "owners_wrong": "owners: wrong",
    "facing_eyes": "eyes that face the camera, however flat",
    "facing_right": "of these, owners: right",
    "facing_wrong": "of these, owners: wrong",
    "stacks": "samurai on samurai",
    "unseen_stacks": "that have to be told, of one of which less than a twentieth shows",
    "stacks_right": "stacks: right",
    "rests_on_precision": "what rests on what: true of what was said",
    "median_ms": "ms a frame, one thread (median)",
}
"""The rows of the table, by score.py's names and some of our own."""
UNSEEN, JUDGED_MM = 0.05, -15.0
"""A piece with a smaller visible share cannot be seen; score.py counts pairs above this margin as not judged."""
WRONG = ("wrong", "eyes_wrong", "ninja_faces_wrong", "owners_wrong", "facing_wrong")
FACING_COSINE, FOUND_MM = 0.02, 12.0
"""An eye faces the camera above this cosine, about a degree from edge-on. The samples' labels count from there, ours
when the eye is three pixels high in the picture. A die counts as found within this distance, as in score.py."""


def run(shared: Path) -> int:
    """Prints the figures and writes them to docs/accuracy.md; status 1 if a ruling is wrong or a frame too slow."""
    cv2.setNumThreads(1)
    columns: dict[str, Line] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = shared / "photos" / "eyes"
        labels = harness.labels_in(folder, "cam?_*.json")
        if labels:
            cameras = sorted({path.name[:4] for path in labels})
            lenses = {one: harness.calibrated(sorted(folder.glob(f"charuco_{one}_*.jpg"))) for one in cameras}
            columns = {name: _figures(shared, labels, lines) for name, lines in _read_twice(labels, lenses).items()}
        for name, is_fine, count in (
            ("own, as fine as samples", True, SCENES),
            ("own, all cameras", False, math.ceil(SCENES * ALL_CAMERAS)),
        ):
            own = Path(scratch) / f"own_{is_fine}"
            write(own, count, SEED, is_fine)
            labels = harness.labels_in(own, "cam?_*.json")
            lenses = {path.stem[5:]: load_lens(path) for path in own.glob("lens_cam?.json")}
            eyes = _eyes(lenses)
            lines = [harness.read(eyes[at.name[:4]].read, at.name, harness.picture_at(at))[0] for at in labels]
            columns[name] = _figures(shared, labels, lines)
    _write(columns)
    for name, figures in columns.items():
        print(f"{name}: slowest frame {figures['most_ms']} ms", *figures["wrong_rulings"], sep="\nWRONG ")
    wrong = sum(figures[key] for name, figures in columns.items() for key in WRONG if "noise" not in name)
    slow = [name for name, figures in columns.items() if figures["median_ms"] > LIMIT_MS]
    return int(wrong > 0 or bool(slow))


def _eyes(lenses: Mapping[str, Lens]) -> dict[str, EyesEye]:
    """The reader of each camera."""
    return {camera: open_eye(lens, default_kit(GAME)) for camera, lens in lenses.items()}


def _read_twice(labels: Mapping[Path, Line], lenses: Mapping[str, Lens]) -> dict[str, list[Line]]:
    """Each picture read, a noisy copy of it read, and both made one."""
    found: dict[str, list[Line]] = {"samples": [], "with noise": [], "made one of both": []}
    rng, eyes = np.random.default_rng(1), _eyes(lenses)
    for path in labels:
        eye, picture = eyes[path.name[:4]], harness.picture_at(path)
        line, reading = harness.read(eye.read, path.name, picture)
        noisy, other = harness.read(eye.read, path.name, _noisy(picture, rng))
        both = line
        if reading is not None and other is not None:
            one = msgspec.to_builtins(eye.fuse([other, reading]).reading)
            both = {"image": path.name, "ms": line["ms"]} | one
        for lines, told in zip(found.values(), (line, noisy, both), strict=True):
            lines.append(told)
    return found


def scored(shared: Path, labels: Mapping[Path, Line], lines: Sequence[Line]) -> Line:
    """The figures of score.py for these readings, and their time."""
    score = harness.score(shared, "eyes", labels, lines)
    figures: Line = score["all"]
    return figures | {
        "margin_rms": score["error_mm"].get("margin", {}).get("rms"),
        "within_3_sigma": score["share_within_3_sigma"],
        "median_ms": round(median(line["ms"] for line in lines)),
        "wrong_rulings": score["wrong_rulings"],
    }


def _figures(shared: Path, labels: Mapping[Path, Line], lines: Sequence[Line]) -> Line:
    """The figures of a column."""
    there = list(labels.values())
    return scored(shared, labels, lines) | {
        "unseen_pairs": sum(unseen_pairs(label) for label in there),
        **facing_owners(there, lines),
        "stacks": sum(len(stacks(label)) for label in there),
        "unseen_stacks": sum(unseen_stacks(label) for label in there),
        "most_ms": round(max(line["ms"] for line in lines)),
    }


def unseen_pairs(label: Line) -> int:
    """The number of overlaps to judge with a hardly visible piece."""
    unseen = _unseen(label)
    return sum(
        pair["piece"] in unseen and not pair["too_close_to_judge"] and pair["margin_mm"] > JUDGED_MM
        for pair in label["territory_pairs"]
    )


def facing_owners(labels: Sequence[Line], lines: Sequence[Line]) -> Line:
    """The number of eyes that face the camera, the share of owners read correctly, and the number read wrongly."""
    told: list[tuple[str, str | None]] = []
    for label, line in zip(labels, lines, strict=True):
        read = [piece for piece in line.get("pieces", []) if piece["kind"] == "empire_die"]
        for die in () if label["hand_in_view"] else label["pieces"]:
            if die["kind"] != "empire_die" or die["eye_cos_to_camera"] <= FACING_COSINE or die["visible_frac"] < 1:
                continue
            near = {math.dist(die["centre_mm"][:2], (piece["x_mm"], piece["y_mm"])): piece["color"] for piece in read}
            told.append((die["owner"], near[min(near)] if near and min(near) <= FOUND_MM else None))
    right = sum(owner == color for owner, color in told)
    return {
        "facing_eyes": len(told),
        "facing_right": round(right / len(told), 4) if told else None,
        "facing_wrong": sum(color not in (None, owner) for owner, color in told),
    }


def stacks(label: Line) -> list[Line]:
    """The pairs of samurai that lie on each other, counted as in score.py."""
    if label["hand_in_view"]:
        return []
    pairs = [pair for pair in label["piece_pairs"] if pair["upper"]]
    return [pair for pair in pairs if all(pair[end].startswith("samurai") for end in "ab")]


def unseen_stacks(label: Line) -> int:
    """The number of stacks with a hardly visible samurai."""
    unseen = _unseen(label)
    return sum(pair["a"] in unseen or pair["b"] in unseen for pair in stacks(label))


def _unseen(label: Line) -> set[str]:
    """The hardly visible pieces. Empty if a hand is in view, since nothing is read then."""
    if label["hand_in_view"]:
        return set()
    return {piece["id"] for piece in label["pieces"] if piece["visible_frac"] < UNSEEN}


def _noisy(picture: Picture, rng: np.random.Generator) -> Picture:
    grain = rng.normal(0.0, NOISE_LEVELS, picture.shape)
    _, data = cv2.imencode(
        ".jpg", np.clip(picture + grain, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, NOISE_QUALITY]
    )
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def _write(columns: dict[str, Line]) -> None:
    rows: list[list[object]] = [
        [words, *(figures.get(key) for figures in columns.values())] for key, words in FIGURES.items()
    ]
    harness.record(
        "eyes",
        "## Tables of Eyes of the Emperor",
        f"""{harness.today()}. Samples: path-traced scenes of two cameras with exact labels, each read with
the lens from its camera's own ChArUco boards; once more with noise of {NOISE_LEVELS} levels added and saved anew as a
JPEG, and both readings made one as a table at rest is read. Own: random scenes of our renderer
(bench/drawn/eyes_tables.py), where lens, film, mount, room and surface change.
As fine as samples means {FINE_PX_MM} pixels a mm or more, the others have down to 0.8.
Nothing said (no value, no owner, too close) counts as not right and never as wrong.""",
        as_table(["figure", *columns], rows),
    )
