"""A race board's reading drawn on its picture: each marker's spot and colour, doubts dashed, dice with their values."""

from __future__ import annotations

import numpy as np

from calibration.pose import Pose
from companion.game.readings import SURE, BoardReading
from vision.drawing import FEW_LETTERS, UNTOLD_INK, Drawing, ink_of, told
from vision.readers import Picture


def drawn(picture: Picture, reading: BoardReading, pose: Pose) -> Picture:
    """A copy of the picture with the reading."""
    drawing = Drawing(picture, FEW_LETTERS)
    outlines = {
        mark.id: pose.to_pixels(np.array([(x, y, mark.height_mm) for x, y in mark.outline_mm]).reshape(-1, 3))
        for mark in reading.marks()
    }
    for spot, seen in reading.spaces.items():
        is_sure, ink = seen.confidence >= SURE, ink_of(seen.confidence, seen.color is not None)
        if spot in outlines:
            drawing.outline(outlines[spot], ink, is_dashed=not is_sure)
            words = [f"{spot} {seen.color}"] if is_sure else [f"{spot} {seen.color}", f"? {told(seen.confidence)}"]
            drawing.label(words, outlines[spot], ink)
    for i, between in enumerate(reading.between):
        at = outlines[f"between_{i + 1}"]
        drawing.outline(at, UNTOLD_INK)
        drawing.label([f"{between.color} between", " and ".join(between.spots)], at, UNTOLD_INK)
    for die in reading.dice:
        x0, y0, x1, y1 = die.box
        corners = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
        ink = ink_of(die.confidence, die.value is not None)
        drawing.outline(corners, ink, is_dashed=die.confidence < SURE)
        value = "?" if die.value is None else str(die.value)
        drawing.label([f"{value}  {told(die.confidence)}" if die.in_tray else f"{value} outside"], corners, ink)
    return drawing.finished()
