"""Fifty pictures without cards, to count false detections.

Photographs from scikit-image (faces, a cat, coins, printed pages, a chessboard, stones: public domain or CC0, as its
`data/README.txt` says), and drawn tables with hands, coins, buttons, screws, dominoes, pawns and drawn faces. Without
scikit-image all are drawn.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.drawn.notdice import tables

PICTURES = 50
WIDTH_PX, HEIGHT_PX = 800, 600
FIRST_SEED = 7_000_000
"""Far from the seeds of the training scenes."""
KINDS = ("empty", "hand", "coins", "buttons", "dominoes", "face", "screws", "pawns")
PHOTOGRAPHS = (
    "astronaut.png",
    "brick.png",
    "camera.png",
    "chelsea.png",
    "chessboard_GRAY.png",
    "clock_motion.png",
    "coffee.png",
    "coins.png",
    "grass.png",
    "gravel.png",
    "motorcycle_left.png",
    "page.png",
    "rocket.jpg",
    "text.png",
)
"""The pictures of skimage/data that the installed package itself contains."""


def photographs() -> list[Path]:
    """The photographs, as far as scikit-image is installed."""
    package = importlib.util.find_spec("skimage")
    if package is None or package.origin is None:
        return []
    folder = Path(package.origin).parent / "data"
    return [folder / name for name in PHOTOGRAPHS if (folder / name).exists()]


def pictures() -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """(name, picture BGR) of each."""
    taken = photographs()
    for path in taken:
        yield path.stem, np.asarray(cv2.imread(str(path)), np.uint8)
    yield from tables(KINDS, PICTURES - len(taken), FIRST_SEED, WIDTH_PX, HEIGHT_PX, (40, 150))
