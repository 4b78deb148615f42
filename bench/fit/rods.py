"""Fits how probable a rod is, given its looks.

`python -m bench.fit rods --tables DIR ... --cameras C,... -o vision/models/ [--virtual N] [--kinds KIND,...]`

Use other cameras than in the network's training: memorised pictures look more certain than they are. Writes the weights
of logistic models to `rods_sure.json`: for loose rods, hanging rods, rods with one visible tip, lone tips, and loose
rods in a second look, next to the rods found first. With `--kinds` the others stay: the second look is fitted on other
pictures than the loose rods.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.fit import logistic
from bench.harness import labels_in
from bench.train.rods_lessons import RodTable, pictured, virtual
from calibration.arrays import Floats
from companion.game.brought import default_kit
from vision.tables.board.view import BoardView
from vision.tables.rods.choice import again_looks, beyond, clashes, likeliest, lone_looks, pairs, spare, weighed
from vision.tables.rods.limits import LIMITS
from vision.tables.rods.tips import Tip, find_tips, places_of, seen
from vision.tables.rods.wires import Wire, lines_of, reached

NEAR_MM = 7.0
"""A tip is that of an end this near."""
SMALL = 0.03
"""Strength of the regularisation of weights."""
FIRST_VIRTUAL = 1000
"""The seed of the first virtual table: the network learned on those from 0 on."""


def ends_of(path_mm: Floats, view: BoardView, tip_mm: float, at: Floats) -> list[int | None]:
    """The numbers of the tips of a rod whose path is known; None where none is seen."""
    found: list[int | None] = []
    for end, inner in ((path_mm[0], path_mm[2]), (path_mm[-1], path_mm[-3])):
        middle = end + (inner - end) / np.linalg.norm(inner - end) * tip_mm / 2
        far = np.linalg.norm(at - view.lift(middle[None, :2], middle[2])[0], axis=1)
        found.append(int(far.argmin()) if len(far) and far.min() < NEAR_MM else None)
    return found


def examples(tables: Iterable[RodTable]) -> Iterator[tuple[str, Floats, bool]]:
    """Looks of candidates, and whether each candidate is right."""
    kit = default_kit("suspend")
    rod = kit.piece("rod")
    tip_mm = rod.size_mm("tip")
    lengths = {color: length - tip_mm for color, length in rod.lengths_mm.items()}
    stand = np.array(kit.mat.areas_mm["stand_mm"]).reshape(2, 2).mean(axis=0)
    for table in tables:
        view = table.view()
        looks = seen(view)
        tips, lines = find_tips(view, looks), lines_of(view, looks)
        at = places_of(tips)
        truth = [(color, is_loose, ends_of(path, view, tip_mm, at)) for color, path, is_loose in table.rods]
        for kind, (told, is_so) in _of_table(lines, tips, truth, lengths, stand):
            yield kind, told, is_so


def _of_table(
    lines: Any, tips: list[Tip], truth: list[Any], lengths: dict[str, float], stand: Floats
) -> Iterator[tuple[str, tuple[Floats, bool]]]:
    lie, hang = pairs(lines, tips, lengths, stand)
    told: list[Wire] = []
    lying = {(color, frozenset(ends)) for color, is_loose, ends in truth if is_loose and None not in ends}
    some = weighed(lines, tips, lengths, stand)
    first = likeliest(*some, clashes([*some[0], *some[1]]))
    for wire in some[0]:
        yield "again", (again_looks(wire, first), (wire.color, frozenset(wire.tips)) in lying)
    left = [ends for _, is_loose, ends in truth if is_loose]
    for kind, wires, loose in (("lying", lie, True), ("hanging", hang, False)):
        ends = {(color, frozenset(ends)) for color, is_loose, ends in truth if is_loose is loose and None not in ends}
        for wire in wires:
            is_so = (wire.color, frozenset(wire.tips)) in ends
            yield kind, (wire.looks, is_so)
            if is_so:
                told.append(wire)
    left = [(color, ends) for color, is_loose, ends in truth if is_loose]
    left = [(c, e) for c, e in left if (c, frozenset(e)) not in {(w.color, frozenset(w.tips)) for w in told}]
    reach: list[Wire] = []
    for number in spare(tips, told, LIMITS.one_more):
        for wire in beyond(reached(lines, tips, number, lengths, stand), told):
            is_so = any(color == wire.color and number in ends for color, ends in left)
            yield "reached", (wire.looks, is_so)
            if is_so:
                reach.append(wire)
    for number in spare(tips, [*told, *reach]):
        yield (
            "lone",
            (
                lone_looks(tips[number], tips, [*told, *reach], stand),
                any(number in ends for _, ends in left),
            ),
        )


def fitted(looks: Floats, is_so: NDArray[np.bool_]) -> Floats:
    """The weights of a logistic model of looks that are brought to one scale."""
    scale = np.append(np.maximum(looks.std(axis=0), 0.05), 1.0)
    pull = np.append(np.full(looks.shape[1], SMALL * len(looks) ** 0.5), 1e-6)
    return np.asarray(logistic(looks / scale[:-1], is_so, pull) / scale)


def main(argv: Sequence[str]) -> int:
    """Exit status 0; a wrong call ends with 2."""
    parser = argparse.ArgumentParser(prog="python -m bench.fit rods", description=__doc__)
    parser.add_argument("--tables", type=Path, required=True, nargs="+", help="path-traced pictures with labels")
    parser.add_argument("--cameras", required=True, help="cameras that the network was not taught on, with commas")
    parser.add_argument("--virtual", type=int, default=0, help="learn on so many tables of the virtual camera too")
    parser.add_argument("--kinds", default="", help="learn these alone, with commas; the others stay")
    parser.add_argument("-o", "--out", type=Path, required=True, help="folder of the models")
    asked = parser.parse_args(argv)
    cv2.setNumThreads(1)
    cameras = asked.cameras.split(",")
    labels = {path: label for folder in asked.tables for path, label in labels_in(folder, "*.json").items()}
    chosen = [pictured(path, label) for path, label in labels.items() if label["camera_id"] in cameras]
    tables = (*chosen, *map(virtual, range(FIRST_VIRTUAL, FIRST_VIRTUAL + asked.virtual)))
    of_kind: dict[str, list[tuple[Floats, bool]]] = {}
    for kind, looks, is_so in examples(tables):
        of_kind.setdefault(kind, []).append((looks, is_so))
    kinds = [kind for kind in asked.kinds.split(",") if kind]
    file = asked.out / "rods_sure.json"
    weights = json.loads(file.read_text(encoding="utf-8")) if kinds else {}
    for kind, some in of_kind.items():
        if kinds and kind not in kinds:
            continue
        looks, is_so = np.array([one for one, _ in some]), np.array([so for _, so in some], bool)
        weights[kind] = [round(float(w), 4) for w in fitted(looks, is_so)]
        print(f"{kind}: {len(some)} candidates, {int(is_so.sum())} of them so", flush=True)
    file.write_text(json.dumps(weights) + "\n", encoding="utf-8")
    return 0
