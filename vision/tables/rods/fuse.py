"""Several readings of one settled Suspend table made into one: common findings stay, the others become unsure.

`drawn` draws a reading on its picture.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.arrays import Picture
from calibration.pose import Pose
from companion.game.readings import HIGHEST_IN_DOUBT, SURE, ColorDie, RodSeen, RodsReading
from vision.drawing import FEW_LETTERS, Drawing, ink_of, told
from vision.readers import Fused
from vision.tables.rods.limits import LIMITS


def fused(readings: Sequence[RodsReading]) -> Fused[RodsReading]:
    """One reading of unmoved rods. The readings agree if all show the same rods and the same die.

    A rod in most of the pictures is reported, unsure if it is not in all. Raises: ValueError: no readings.
    """
    if not readings:
        raise ValueError("found no readings, expected at least one of the table at rest")
    kept: list[RodSeen] = []
    are_one = True
    for reading in reversed(readings):
        for rod in reading.rods:
            if any(_is_same(rod, other) for other in kept):
                continue
            shown = [other for one in readings for other in one.rods if _is_same(rod, other)]
            is_whole = len(shown) >= len(readings)
            are_one = are_one and is_whole
            if 2 * len(shown) < len(readings) or (2 * len(shown) == len(readings) and len(readings) > 2):
                continue
            confidence = min(other.confidence for other in shown)
            kept.append(replace(rod, confidence=confidence if is_whole else min(confidence, HIGHEST_IN_DOUBT)))
    die, is_die_one = _die(readings)
    hidden = tuple(dict.fromkeys(color for reading in readings for color in reading.hidden))
    return Fused(replace(readings[-1], rods=tuple(kept), die=die, hidden=hidden), are_one and is_die_one)


def _is_same(rod: RodSeen, other: RodSeen) -> bool:
    return rod.color == other.color and math.hypot(rod.x_mm - other.x_mm, rod.y_mm - other.y_mm) <= LIMITS.tip_mm


def _die(readings: Sequence[RodsReading]) -> tuple[ColorDie | None, bool]:
    dice = [reading.die for reading in readings if reading.die is not None]
    if not dice:
        return None, True
    colors = {die.color for die in dice}
    confidence = min(die.confidence for die in dice)
    if len(colors) == 1 and len(dice) == len(readings):
        return replace(dice[-1], confidence=confidence), True
    told = colors - {None}
    color = told.pop() if len(told) == 1 else None
    reason = None if color else "the pictures of the still table do not agree"
    return replace(dice[-1], color=color, confidence=min(confidence, HIGHEST_IN_DOUBT), reason=reason), False


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
