"""Fits the rules for markers on a race board, from rendered, labelled pictures.

    python -m bench.fit board [--look | --on] -o vision/models/ FOLDER...

Each folder holds pictures of one camera, with a JSON label for each (docs/accuracy.md) and perhaps a `lens.json`. Each
true marker in turn serves as the example of its colour; the picture's other candidates are classified by comparison
with it. The rules are regularised logistic regressions: first by the look (refitted with `--look`, else kept), then by
the edge. With `--on` both stay close to the existing rules, whose pictures are not needed. A high-resolution picture is
used twice, the second time at a cheap camera's resolution. Do not measure a rule with cameras used to fit it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bench.fit import logistic
from bench.harness import labels_in, lens_beside, picture_at
from calibration.arrays import Floats, Picture
from calibration.lens import Lens
from calibration.light import judge
from calibration.pose import find_pose
from companion.game.brought import default_kit, load_board
from companion.game.errors import ReadingError
from vision.tables.board.markers import edges_of, looks_of, rules, with_products
from vision.tables.board.reader import BoardEye
from vision.tables.board.signs import Sign

HELD = {"look": 2.0, "edge": 1.0}
"""Strength of the regularisation of weights."""
HELD_ON = {"look": 15.0, "edge": 8.0}
"""Regularisation towards the existing rules: the middle of the values that did well on cameras left out."""
WORTH = 0.3
"""Weight of a pair; below 1 because the pairs of a picture are not independent."""
COARSE_PER_MM, FINE_PER_MM = (0.75, 1.05), 1.15
"""Resolution of coarsened pictures, px/mm; minimum resolution of pictures that are coarsened, px/mm."""


@dataclass
class BoardLessons:
    """The candidates of each picture and colour, and whether each is a marker, by kind of marker."""

    told: dict[str, list[tuple[list[Sign], list[bool]]]] = field(default_factory=lambda: {"disk": [], "pawn": []})

    def look(self, folder: Path) -> None:
        """Adds the pictures of a folder."""
        for path, label in labels_in(folder, "*_race_*.json").items():
            picture, lens = picture_at(path), lens_beside(path, label)
            for seen, through in [(picture, lens), *coarser(picture, lens, label)]:
                self._add(label, seen, through)

    def _add(self, label: dict[str, Any], picture: Picture, lens: Lens) -> None:
        board, kit = load_board(label["board"]), default_kit(label["game"])
        eye = BoardEye(lens, kit, board)
        try:
            pose = find_pose(picture, lens, kit)
            seen = eye.look(picture, pose, judge(picture, pose, kit))
        except ReadingError:
            return
        names, true = list(board.spots), label["spaces"]
        between = {spot for one in label["between"] for spot in one["spots"]}
        for color, found in seen.signs.items():
            signs = [sign for sign in found if names[sign.spot] not in between]
            if signs:
                is_marker = [true.get(names[sign.spot]) == color for sign in signs]
                self.told[label["token_kind"]].append((signs, is_marker))

    def pairs(self, kind: str, look: Floats | None) -> tuple[Floats, Floats]:
        """The features of every candidate relative to every true marker, and whether the candidate is a marker."""
        terms, true = [], []
        for signs, told in self.told[kind]:
            is_marker = np.array(told)
            of = with_products(looks_of(signs)) if look is None else edges_of(signs, look)
            for seed in np.flatnonzero(is_marker):
                others = np.arange(len(signs)) != seed
                terms.append(of[seed, others])
                true.append(is_marker[others].astype(float))
        return np.concatenate(terms), np.concatenate(true)


def coarser(picture: Picture, lens: Lens, label: dict[str, Any]) -> Iterator[tuple[Picture, Lens]]:
    """A picture at a cheaper camera's resolution and noise, and that camera's lens. Yields nothing if it is already
    coarse."""
    if label["px_per_mm_centre"] < FINE_PER_MM:
        return
    rng = np.random.default_rng(label["seed"])
    scale = rng.uniform(*COARSE_PER_MM) / label["px_per_mm_centre"]
    small = cv2.GaussianBlur(
        cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), (0, 0), rng.uniform(0.3, 0.6)
    )
    noisy = np.clip(small + rng.normal(0, rng.uniform(1.5, 4), small.shape), 0, 255).astype(np.uint8)
    _, data = cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(80, 93))])
    height, width = noisy.shape[:2]
    by_x, by_y = width / picture.shape[1], height / picture.shape[0]
    through = replace(
        lens,
        width_px=width,
        height_px=height,
        fx_px=lens.fx_px * by_x,
        fy_px=lens.fy_px * by_y,
        cx_px=(lens.cx_px + 0.5) * by_x - 0.5,
        cy_px=(lens.cy_px + 0.5) * by_y - 0.5,
    )
    yield np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8), through


def learned(terms: Floats, is_marker: Floats, held_by: float, held_to: Floats | None = None) -> Floats:
    """The weights and the constant, regularised towards other weights (or 0), whatever the features' units."""
    pull = np.append(held_by * terms.var(axis=0), 1e-3) + 1e-6
    return logistic(terms, is_marker, pull, counts=WORTH, base=held_to)


def taught(folders: Iterable[Path], *, learns_look: bool, learns_on: bool = False) -> dict[str, dict[str, list[float]]]:
    """The rules fitted on the pictures of some cameras."""
    lessons = BoardLessons()
    for folder in folders:
        lessons.look(folder)
    found = {}
    for kind, known in rules().items():
        held, to = (HELD_ON, known) if learns_on else (HELD, None)
        look = known.look
        if learns_look or learns_on:
            look = learned(*lessons.pairs(kind, None), held["look"], to and to.look)
        edge = learned(*lessons.pairs(kind, look), held["edge"], to and to.edge)
        found[kind] = {name: [float(f"{one:.4g}") for one in of] for name, of in (("look", look), ("edge", edge))}
    return found


def main(argv: Sequence[str]) -> int:
    """Writes `board_markers.json`."""
    parser = argparse.ArgumentParser(prog="python -m bench.fit board", description=__doc__)
    parser.add_argument("--look", action="store_true", help="fit the rules of looks anew too")
    parser.add_argument("--on", action="store_true", help="stay close to the existing rules")
    parser.add_argument("-o", "--out", type=Path, required=True, help="folder of the models")
    parser.add_argument("folders", nargs="+", type=Path)
    asked = parser.parse_args(argv)
    found = json.dumps(taught(asked.folders, learns_look=asked.look, learns_on=asked.on))
    (asked.out / "board_markers.json").write_text(found + "\n", encoding="utf-8")
    print(found)
    return 0
