"""A Suspend table's reading drawn on its picture: the wire of each loose rod, doubts dashed, and the colour die."""

from __future__ import annotations

import numpy as np

from calibration.pose import Pose
from companion.game.readings import SURE, RodsReading
from vision.drawing import FEW_LETTERS, Drawing, ink_of, told
from vision.readers import Picture


def drawn(picture: Picture, reading: RodsReading, pose: Pose) -> Picture:
    """A copy of the picture with the reading."""
    drawing = Drawing(picture, FEW_LETTERS)
    marks = {mark.id: mark for mark in reading.marks()}
    outlines = {
        id: pose.to_pixels(np.array([(x, y, mark.height_mm) for x, y in mark.outline_mm]).reshape(-1, 3))
        for id, mark in marks.items()
        if mark.outline_mm
    }
    for i, rod in enumerate(reading.rods):
        at = outlines.get(f"rod_{i + 1}")
        if at is None:
            continue
        ink, is_sure = ink_of(rod.confidence, rod.color is not None), rod.confidence >= SURE
        drawing.outline(at, ink, is_dashed=not is_sure)
        words = f"{rod.color or '?'} {rod.zone or 'astray'}"
        drawing.label([words] if is_sure else [words, f"? {told(rod.confidence)}"], at, ink)
    if reading.die is not None and "color_die" in outlines:
        ink = ink_of(reading.die.confidence, reading.die.color is not None)
        drawing.outline(outlines["color_die"], ink, is_dashed=reading.die.confidence < SURE)
        drawing.label([f"rolled {reading.die.color or '?'}"], outlines["color_die"], ink)
    return drawing.finished()
