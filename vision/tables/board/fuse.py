"""Several readings of one settled race board made into one: common findings stay, the others become unsure.

`drawn` draws a reading on its picture.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np

from calibration.arrays import Picture
from calibration.pose import Pose
from companion.game.readings import HIGHEST_IN_DOUBT, SURE, BetweenSeen, BoardDie, BoardReading, SpotSeen
from companion.game.says import Says
from vision.drawing import FEW_LETTERS, UNTOLD_INK, Drawing, ink_of, told
from vision.readers import Fused
from vision.tables.board.limits import LIMITS

DISAGREE = Says("the pictures of the still table do not agree").template


def fused(readings: Sequence[BoardReading]) -> Fused[BoardReading]:
    """Fuses readings of an unmoved board. They agree if all have the same result for every spot and die.

    A spot's probabilities are averaged. A die's value is reported if all pictures that show it agree, a marker between
    spots if most pictures show it. Raises: ValueError: no readings.
    """
    if not readings:
        raise ValueError("found no readings, expected at least one of the table at rest")
    last = readings[-1]
    spots = dict.fromkeys(spot for reading in reversed(readings) for spot in (*reading.spaces, *reading.maybe))
    spaces, maybe = {}, {}
    for spot in spots:
        chances = _mean([_chances(reading, spot) for reading in readings])
        color, chance = max(chances.items(), key=lambda item: item[1])
        are_one = len({_color(reading, spot) for reading in readings}) == 1
        seen = [reading.spaces[spot] for reading in reversed(readings) if spot in reading.spaces]
        if seen and (color or chance < seen[0].confidence or not are_one):
            spaces[spot] = _spot(seen[0], color, chance if are_one else min(chance, HIGHEST_IN_DOUBT), are_one)
        elif seen:
            spaces[spot] = seen[0]
        if any(spot in reading.maybe for reading in readings) or not are_one:
            maybe[spot] = chances
    dice, are_dice_one = _dice(readings)
    between = tuple(one for one in last.between if 2 * _shown_by(one, readings) > len(readings))
    agree = (
        are_dice_one
        and all(len({_color(reading, spot) for reading in readings}) == 1 for spot in spots)
        and all(len(reading.between) == len(between) for reading in readings)
    )
    return Fused(replace(last, spaces=spaces, maybe=maybe, dice=dice, between=between), agree)


def _color(reading: BoardReading, spot: str) -> str | None:
    return reading.spaces[spot].color if spot in reading.spaces else None


def _chances(reading: BoardReading, spot: str) -> dict[str, float]:
    """One reading's probabilities of a spot; a spot outside `maybe` has a certain colour."""
    if spot in reading.maybe:
        return dict(reading.maybe[spot])
    return {_color(reading, spot) or "": 1.0}


def _mean(told: list[dict[str, float]]) -> dict[str, float]:
    colors = dict.fromkeys(color for one in told for color in one)
    return {color: round(fmean(one.get(color, 0.0) for one in told), 4) for color in colors}


def _spot(latest: SpotSeen, color: str, chance: float, are_one: bool) -> SpotSeen:
    confidence = min(chance, latest.confidence) if are_one and latest.color == (color or None) else chance
    reason = None if color else latest.reason or DISAGREE
    return replace(latest, color=color or None, confidence=int(confidence * 1000) / 1000, reason=reason)


def _shown_by(one: BetweenSeen, readings: Sequence[BoardReading]) -> int:
    return sum(
        any(other.color == one.color and _apart_mm(one, other) <= LIMITS.foot_mm for other in reading.between)
        for reading in readings
    )


def _apart_mm(a: BetweenSeen | BoardDie, b: BetweenSeen | BoardDie) -> float:
    return math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)


def _dice(readings: Sequence[BoardReading]) -> tuple[tuple[BoardDie, ...], bool]:
    """The last picture's dice with the values of all pictures, and whether the pictures agree."""
    dice, are_one = [], len({len(reading.dice) for reading in readings}) == 1
    for die in readings[-1].dice:
        shown = [other for reading in readings for other in reading.dice if _apart_mm(die, other) <= LIMITS.foot_mm]
        values = {other.value for other in shown}
        confidence = min(other.confidence for other in shown)
        if len(values) == 1 and len(shown) == len(readings):
            dice.append(replace(die, confidence=confidence))
            continue
        are_one = False
        told = values - {None}
        value = told.pop() if len(told) == 1 and None not in values else None
        reason = None if value is not None else die.reason or DISAGREE
        dice.append(replace(die, value=value, reason=reason, confidence=min(confidence, HIGHEST_IN_DOUBT)))
    return tuple(dice), are_one


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
