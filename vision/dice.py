"""Dice on any photograph: found, looked at one by one, and said with an honest confidence.

`DiceEye.read` for a whole picture, `read_crop` where the size of a die is known (a tray on a calibrated table),
`vision.dice_fuse.fused` for several pictures of one settled throw. The value is the face that looks up in the room.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from companion.errors import ReadingError, ReadingFault
from companion.readings import HIGHEST_IN_DOUBT, SURE, DiceReading, DieSeen
from vision.dice_face import CROP_PX, REACH, FaceReader
from vision.dice_find import DiceFinder, Floats, Found, Picture, distinct
from vision.dice_pips import HAZY

IS_A_DIE, DOUBT = 0.54, 0.3
"""Below this a find is left out: its chance to be a die, times the chance of its value to the power DOUBT."""
IS_A_DIE_UNREAD = 0.65
"""The same for a find whose value cannot be told."""
CAN_BE_TOLD = 0.2
"""Below this chance of the likeliest value none is said."""
RATHER_NOT = 0.4
"""The chance that a die cannot be told counts so many times against the chance of a value."""
DARK_LEVEL, BRIGHT_LEVEL = 14, 253
"""Grey levels, 0 to 255: a picture all below, or all above, shows nothing."""
KNOWN_SIZE_PX = 44.0
"""A die of known size is brought to this size before it is looked for."""
KNOWN_SIZE_TOLERANCE = 0.25

Rule = tuple[float, float, float, float, float]
CONFIDENCE: Rule = (1.377, 0.000, 1.071, 0.000, -2.386)
"""Logistic rule of the confidence: weights of logit(face), logit(finder's opinion), logit(heat), logit(flat), and the
constant."""


def logit(chance: float) -> float:
    """Log odds, kept within +-7."""
    return float(np.clip(np.log((chance + 1e-9) / (1 - chance + 1e-9)), -7, 7))


def confidence_of(face: float, opinion: float, heat: float, flat: float, rule: Rule = CONFIDENCE) -> float:
    """How often a value with these chances is right; `flat`: that the die does not lean.

    >>> confidence_of(0.99, 0.9, 0.9, 0.99) > confidence_of(0.99, 0.9, 0.3, 0.99) > confidence_of(0.4, 0.9, 0.3, 0.99)
    True
    """
    a, b, c, d, e = rule
    return float(1 / (1 + np.exp(-(a * logit(face) + b * logit(opinion) + c * logit(heat) + d * logit(flat) + e))))


class DiceEye:
    """Reads the dice of photographs. Holds two networks; not for several threads at once."""

    def __init__(self, finder: DiceFinder | None = None, faces: FaceReader | None = None) -> None:
        self._finder = finder if finder is not None else DiceFinder()
        self._faces = faces if faces is not None else FaceReader()

    def read(self, picture: Picture) -> DiceReading:
        """All dice of a picture. Raises: ReadingError: too_dark, too_bright."""
        _must_show_something(picture)
        return self._reading(picture, self._finder.find(picture))

    def read_crop(self, picture: Picture, side_px: float) -> DiceReading:
        """Dice of which one side is `side_px` long in this picture, such as a rectified tray; others are left out."""
        _must_show_something(picture)
        if not side_px > 0:
            raise ValueError(f"side_px is {side_px}, expected the length of a die's side in pixels")
        found = distinct(self._finder.look(picture, KNOWN_SIZE_PX / side_px))
        low, high = (1 - KNOWN_SIZE_TOLERANCE) * side_px, (1 + KNOWN_SIZE_TOLERANCE) * side_px * np.sqrt(2)
        return self._reading(picture, [f for f in found if low <= f.side_px <= high])

    def _reading(self, picture: Picture, found: list[Found]) -> DiceReading:
        chances = self._faces.read(picture, found)
        h, w = picture.shape[:2]
        seen = [_die_of(one, row, w, h) for one, row in zip(found, chances, strict=True)]
        kept = [die for die in seen if die is not None]
        return DiceReading(dice=tuple(sorted(kept, key=lambda d: (d.box[1], d.box[0]))))

    def draw(self, picture: Picture, reading: DiceReading) -> Picture:
        """Boxes with value and confidence: green sure, amber not sure, red no value."""
        out = picture.copy()
        thick = max(1, round(max(out.shape[:2]) / 500))
        for die in reading.dice:
            x0, y0, x1, y1 = (round(v) for v in die.box)
            colour = (0, 0, 230) if die.value is None else (40, 170, 0) if die.confidence >= SURE else (0, 150, 255)
            cv2.rectangle(out, (x0, y0), (x1, y1), colour, thick)
            text = f"{'?' if die.value is None else die.value} {die.confidence:.2f}"
            for ink, width in (((255, 255, 255), 3 * thick), (colour, thick)):
                cv2.putText(out, text, (x0, max(12, y0 - 4)), cv2.FONT_HERSHEY_SIMPLEX, 0.45 * thick, ink, width)
        return out


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is made of a find: the likeliest value, whether it is said, whether there are pips at all.

    `is_die`: the chance that it is one; `evidence`: what `confidence_of` weighs; `is_hazy`: the pips' places may have
    decided, so the value is never sure.
    """

    value: int
    is_said: bool
    has_pips: bool
    is_die: float
    evidence: tuple[float, float, float, float]
    is_hazy: bool

    @property
    def confidence(self) -> float:
        """How often such a value is right."""
        said = confidence_of(*self.evidence)
        return min(said, HIGHEST_IN_DOUBT) if self.is_hazy else said


def judged(found: Found, chances: Floats) -> Verdict | None:
    """The verdict on a find with these chances of `FaceReader.read`, shape (8,); None: it is no die."""
    is_die = float(np.sqrt(found.heat * (1 - chances[7])))
    share = chances[:7] / max(1e-6, float(chances[:7].sum()))
    value = 1 + int(np.argmax(share[1:]))
    told = float(share[value])
    has_pips = told >= RATHER_NOT * float(share[0])
    is_said = has_pips and told >= CAN_BE_TOLD
    if (is_die * told**DOUBT < IS_A_DIE) if is_said else (is_die < IS_A_DIE_UNREAD):
        return None
    evidence = (told * (1 - float(chances[7])), float(found.opinion[value]), found.heat, 1 - float(share[0]))
    return Verdict(value, is_said, has_pips, is_die, evidence, is_hazy=told <= HAZY + 1e-6)


def _die_of(found: Found, chances: Floats, width_px: int, height_px: int) -> DieSeen | None:
    """What is said of one find; None: it is no die."""
    verdict = judged(found, chances)
    x0, x1 = max(0.0, found.x - found.width / 2), min(float(width_px), found.x + found.width / 2)
    y0, y1 = max(0.0, found.y - found.height / 2), min(float(height_px), found.y + found.height / 2)
    if verdict is None or x1 - x0 < 2 or y1 - y0 < 2:
        return None
    box = (round(x0, 1), round(y0, 1), round(x1, 1), round(y1, 1))
    if verdict.is_said:
        return DieSeen(value=verdict.value, box=box, confidence=round(verdict.confidence, 4))
    if verdict.has_pips:
        reason = "the pips of the top face cannot be told"
    elif x0 <= 1 or y0 <= 1 or x1 >= width_px - 1 or y1 >= height_px - 1:
        reason = "the picture's edge cuts the die off"
    else:
        reason = "the die leans, or its top face is hidden"
    return DieSeen(value=None, box=box, confidence=round(verdict.is_die, 4), reason=reason)


def _must_show_something(picture: Picture) -> None:
    grey = picture[:: max(1, picture.shape[0] // 200), :: max(1, picture.shape[1] // 200)].max(2)
    low, high = np.percentile(grey, (0.5, 99.5))
    if high < DARK_LEVEL:
        raise ReadingError(ReadingFault.TOO_DARK, f"nothing is brighter than {high:.0f} of 255: switch on a light")
    if low > BRIGHT_LEVEL:
        raise ReadingError(ReadingFault.TOO_BRIGHT, f"nothing is darker than {low:.0f} of 255: shorten the exposure")


def open_eye() -> DiceEye:
    """The eye of `companion read dice`."""
    return DiceEye()


__all__ = ["CROP_PX", "REACH", "DiceEye", "confidence_of", "open_eye"]
