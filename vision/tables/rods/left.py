"""Wire that no reported rod explains: some rod is missing, and the length of the piece limits its colour.

A black rod whose tips were on other rods showed no tip at all. Its colour was counted without it, and reported as sure.
"""

from collections.abc import Iterable, Mapping

import cv2
import numpy as np

from calibration.arrays import Floats
from companion.game.kit import BoxMm
from vision.tables.board.view import CELL_MM
from vision.tables.rods.limits import LIMITS
from vision.tables.rods.wires import Lines


def pieces_of(
    lines: Lines, told: Iterable[Floats], mat: BoxMm, stand_mm: Floats, die_mm: Floats | None = None
) -> list[tuple[float, Floats]]:
    """Length and place (2,) in mm of the pieces of wire that neither the rods' paths (N, 2) nor the die explain."""
    seen = np.asarray(lines.rods > LIMITS.even_chance, np.uint8)
    step_mm = CELL_MM * LIMITS.cells_per_answer
    for path in told:
        cells = np.rint(lines.view.to_cells(path) / LIMITS.cells_per_answer).astype(np.int32)
        cv2.polylines(seen, [cells], False, 0, round(LIMITS.tip_mm / step_mm))
        for x, y in (cells[0], cells[-1]):
            cv2.circle(seen, (int(x), int(y)), round(LIMITS.tip_mm / step_mm), 0, -1)
    if die_mm is not None:
        x, y = np.rint(lines.view.to_cells(die_mm[None])[0] / LIMITS.cells_per_answer).astype(int).tolist()
        cv2.circle(seen, (x, y), round(LIMITS.die_shadow_mm / step_mm), 0, -1)
    count, numbers, boxes, middles = cv2.connectedComponentsWithStats(seen)
    found = []
    for number, (box, middle) in enumerate(zip(boxes[1:count], middles[1:count], strict=True), 1):
        x, y = lines.view.to_table(middle[None] * LIMITS.cells_per_answer)[0]
        is_on_mat = mat[0] < x < mat[2] and mat[1] < y < mat[3]
        far_mm = float(np.hypot(*((x, y) - stand_mm)))
        length_mm = float(np.hypot(box[cv2.CC_STAT_WIDTH], box[cv2.CC_STAT_HEIGHT])) * step_mm
        if not is_on_mat or far_mm <= LIMITS.stand_mm or length_mm < LIMITS.stretch_mm:
            continue
        if far_mm > 2 * LIMITS.stand_mm or float(np.median(lines.hangs[numbers == number])) < LIMITS.one_more:
            found.append((length_mm, np.array([x, y])))
    return found


def may_be_of(piece_mm: float, lengths_mm: Mapping[str, float]) -> set[str]:
    """The possible colours of a piece of wire of this length."""
    return {color for color, length in lengths_mm.items() if LIMITS.one_more * length <= piece_mm}
