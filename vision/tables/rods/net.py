"""What a small network sees of rods in a view from above: wires, tips by colour, and what hangs.

The network (`bench/train/rods.py`) tells for every second cell each way how likely it shows the mat, a wire, or a tip
of a colour, and where the rod leads: along wires, and from a tip inwards. A threshold took dark
lines and spots for wires and tips, or missed them; without ways, paths across other rods looked like wires.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from vision.measure.networks import MODELS, Network
from vision.tables.board.view import BoardView, Floats32

CLASSES = ("mat", "wire", "black", "blue", "green", "yellow", "red", "orange")
FINE = 2
"""The network tells every so many cells each way."""
MOST_LIGHT = 1.2
MULTIPLE = 16


@dataclass(frozen=True, eq=False)
class Seen:
    """Shares of 0 to 1 at every second cell (rows, columns) of `classes` by name, and how likely a rod there hangs.
    Where wires lead is (2, rows, columns), the cosine and sine of twice the angle; where tips lead, of the angle: short
    where it is unsure."""

    classes: dict[str, Floats32]
    wire_ways: Floats32
    tip_ways: Floats32
    hangs: Floats32


def seen_light(view: BoardView) -> Floats32:
    """What the network is shown (rows, columns, 3): roots of light."""
    return np.asarray(np.sqrt(np.clip(view.light, 0.0, MOST_LIGHT)), np.float32)


@lru_cache(maxsize=1)
def _net() -> Network:
    return Network(MODELS / "rods.onnx")


def seen(view: BoardView) -> Seen:
    """What the network sees in a view."""
    light = seen_light(view)
    rows, columns = light.shape[:2]
    padded = cv2.copyMakeBorder(light, 0, -rows % MULTIPLE, 0, -columns % MULTIPLE, cv2.BORDER_REPLICATE)
    said = _net()(np.ascontiguousarray(padded.transpose(2, 0, 1)[None]))[0]
    said = said[:, : -(-rows // FINE), : -(-columns // FINE)]
    logits, hangs, ways = said[: len(CLASSES)], said[len(CLASSES)], said[len(CLASSES) + 1 :]
    shares = np.exp(logits - logits.max(axis=0))
    shares /= shares.sum(axis=0)
    return Seen(dict(zip(CLASSES, shares, strict=True)), ways[:2], ways[2:], 1 / (1 + np.exp(-hangs)))
