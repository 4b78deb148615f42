"""Lessons for the network of second looks: the spots of labelled race boards, and possible markers on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.drawn.labels import lens_of
from bench.harness import Line, picture_at
from calibration.arrays import Floats32
from calibration.light import judge
from calibration.pose import find_pose
from companion.game.brought import default_kit, load_board
from companion.game.errors import ReadingError
from vision.tables.board.again import CutOuts, SecondLook, spots_alike
from vision.tables.board.reader import BoardEye

IN_DOUBT = 0.99
OTHERS, EMPTY = 0.5, 0.06
"""Share of examples that ask for another color's marker, and of empty spots without any doubt."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Whether a marker of a color is on a spot, and the weight of this example."""

    spot: int
    color: str
    is_marker: bool
    weight: float


@dataclass(frozen=True, eq=False)
class SpotCuts:
    """One picture's cut-outs around all spots (N, side, side, 3), as bytes, with those of other spots with the same
    print. Also the questions about them, and the places of each color's markers."""

    shown: NDArray[np.uint8]
    alike: NDArray[np.uint8]
    pairs: list[Pair]
    markers: dict[str, list[int]]


def says_nothing(batch: Floats32) -> Floats32:
    """A network to read boards by the rules alone."""
    return np.zeros((len(batch), 1), np.float32)


def of_picture(path: Path, label: Line) -> SpotCuts | None:
    """The spots of a picture with its label; None: it is not read."""
    board, kit, lens = load_board(label["board"]), default_kit(label["game"]), lens_of(label)
    picture = picture_at(path)
    eye = BoardEye(lens, kit, board, second_look=SecondLook(board, says_nothing))
    try:
        pose = find_pose(picture, lens, kit)
        shown = eye.look(picture, pose, judge(picture, pose, kit)).shown
        chances = eye.read_at(picture, pose).maybe
    except ReadingError:
        return None
    between = {spot for one in label["between"] for spot in one["spots"]}
    true = {k: label["spaces"].get(name) or "" for k, name in enumerate(board.spots) if name not in between}
    names = list(board.spots)
    rng = np.random.default_rng(label["seed"])
    pairs = [
        Pair(spot, color, there == color, weight)
        for spot, there in true.items()
        for color, weight in _asked(there, chances.get(names[spot], {}), board.colors, rng)
    ]
    cut = CutOuts(shown, spots_alike(board))
    alike = np.stack([cut.alike(spot) for spot in range(len(shown))])
    markers = {color: [spot for spot, there in true.items() if there == color] for color in board.colors}
    return SpotCuts(shown, alike, pairs, markers)


def _asked(
    there: str, chances: Mapping[str, float], colors: tuple[str, ...], rng: np.random.Generator
) -> Iterator[tuple[str, float]]:
    """The colors to ask for on a spot, with weights: highest for the reader's errors and doubts."""
    for color in colors:
        told = chances.get(color, 0.0)
        off = abs((there == color) - told) if chances else 0.0
        if chances and max(chances.values()) < IN_DOUBT:
            yield color, 0.6 + 2 * (off > 0.1) + 3 * (off > 0.5)
        elif there == color:
            yield color, 0.3
        elif rng.random() < (OTHERS if there else EMPTY):
            yield color, 0.1
