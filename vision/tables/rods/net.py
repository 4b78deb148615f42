"""A small network for rods in a view from above: wires, tips by colour, and hanging rods.

The network (`bench/train/rods.py`) gives for every second cell each way the chance of the mat, a wire, or a tip of a
colour. It also gives the direction of the rod there: along wires, and from a tip inwards. A threshold took dark lines
and spots for wires and tips, or missed them. Without directions, paths across other rods looked like wires.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from vision.measure.networks import MODELS, Network
from vision.tables.board.view import BoardView, Floats32
from vision.tables.rods.limits import LIMITS

CLASSES = ("mat", "wire", "black", "blue", "green", "yellow", "red", "orange")


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
    """The network's input (rows, columns, 3): roots of light."""
    return np.asarray(np.sqrt(np.clip(view.light, 0.0, LIMITS.max_light)), np.float32)


@lru_cache(maxsize=1)
def _net() -> Network:
    return Network(MODELS / "rods.onnx")


def seen(view: BoardView) -> Seen:
    """The network's answer for a view."""
    light = seen_light(view)
    rows, columns = light.shape[:2]
    padded = cv2.copyMakeBorder(
        light, 0, -rows % LIMITS.net_multiple_px, 0, -columns % LIMITS.net_multiple_px, cv2.BORDER_REPLICATE
    )
    said = _net()(np.ascontiguousarray(padded.transpose(2, 0, 1)[None]))[0]
    said = said[:, : -(-rows // LIMITS.cells_per_answer), : -(-columns // LIMITS.cells_per_answer)]
    logits, hangs, ways = said[: len(CLASSES)], said[len(CLASSES)], said[len(CLASSES) + 1 :]
    shares = np.exp(logits - logits.max(axis=0))
    shares /= shares.sum(axis=0)
    return Seen(dict(zip(CLASSES, shares, strict=True)), ways[:2], ways[2:], 1 / (1 + np.exp(-hangs)))
