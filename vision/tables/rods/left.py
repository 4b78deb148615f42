"""Wire that is seen and belongs to no rod told: some rod is missing, and how long the piece is tells which it may be.

A black rod whose tips lie on other rods showed no tip at all: its color was counted without it, and surely.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import cv2
import numpy as np

from companion.game.kit import BoxMm
from vision.tables.board.view import CELL_MM, Floats
from vision.tables.rods.choice import HUNG_REACH_MM
from vision.tables.rods.net import FINE
from vision.tables.rods.wires import Lines

PLAIN = 0.5
"""A wire is seen where it is likelier than this."""
WIDE_MM, END_MM = 10.0, 11.0
"""What is seen so near to a rod told, or to its ends, is of it."""
OF_DIE_MM = 26.0
"""What is seen so near to the die's middle is its edges and its shadow: it hid a black rod in every picture."""
BY_STAND_MM, HANGS = 150.0, 0.4
"""Nearer to the stand's middle there is its arm, and what hangs; as far as this reaches, wire that is likelier than
the second to hang."""
LEAST_SHARE, LEAST_MM = 0.3, 20.0
"""Other rods may lie on the rest of a wire of which so much is seen."""


def pieces_of(
    lines: Lines, told: Iterable[Floats], mat: BoxMm, stand_mm: Floats, die_mm: Floats | None = None
) -> list[tuple[float, Floats]]:
    """How long the pieces of wire are that none of the paths told (N, 2) explains, nor the die, in mm, and where."""
    seen = np.asarray(lines.rods > PLAIN, np.uint8)
    step_mm = CELL_MM * FINE
    for path in told:
        cells = np.rint(lines.view.to_cells(path) / FINE).astype(np.int32)
        cv2.polylines(seen, [cells], False, 0, round(WIDE_MM / step_mm))
        for x, y in (cells[0], cells[-1]):
            cv2.circle(seen, (int(x), int(y)), round(END_MM / step_mm), 0, -1)
    if die_mm is not None:
        x, y = np.rint(lines.view.to_cells(die_mm[None])[0] / FINE).astype(int).tolist()
        cv2.circle(seen, (x, y), round(OF_DIE_MM / step_mm), 0, -1)
    count, numbers, boxes, middles = cv2.connectedComponentsWithStats(seen)
    found = []
    for number, (box, middle) in enumerate(zip(boxes[1:count], middles[1:count], strict=True), 1):
        x, y = lines.view.to_table(middle[None] * FINE)[0]
        is_on_mat = mat[0] < x < mat[2] and mat[1] < y < mat[3]
        far_mm = float(np.hypot(*((x, y) - stand_mm)))
        length_mm = float(np.hypot(box[cv2.CC_STAT_WIDTH], box[cv2.CC_STAT_HEIGHT])) * step_mm
        if not is_on_mat or far_mm <= BY_STAND_MM or length_mm < LEAST_MM:
            continue
        if far_mm > HUNG_REACH_MM or float(np.median(lines.hangs[numbers == number])) < HANGS:
            found.append((length_mm, np.array([x, y])))
    return found


def may_be_of(piece_mm: float, lengths_mm: Mapping[str, float]) -> set[str]:
    """The colors of which a piece of wire may be a part."""
    return {color for color, length in lengths_mm.items() if LEAST_SHARE * length <= piece_mm}
