"""Draws a reading on a copy of its picture: outlines, and labels that cover neither pieces nor each other."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.arrays import Picture
from companion.game.readings import SURE

Points = NDArray[np.float64]
Ink = tuple[int, int, int]
Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are outside."""

SURE_INK: Ink = (90, 235, 90)
DOUBT_INK: Ink = (0, 175, 255)
UNTOLD_INK: Ink = (110, 90, 255)
RIM_INK: Ink = (255, 235, 120)
"""Colours, blue first. Doubt is also dashed, for people who cannot tell green from amber."""
PLATE: Ink = (24, 22, 20)
PLATE_SHARE = 0.8
"""Opacity of the plate under a label."""
LETTERS, FEW_LETTERS, LEAST_LETTER_PX = 100, 45, 11
"""Letter height: the picture's longer side divided by this, the same for short labels, and the minimum in pixels."""
MAGNIFIED, MAGNIFIED_SIDE, MOST_MAGNIFIED = 5, 0.15, 6
"""Magnification, side of a magnified part as a share of the picture's longer side, and maximum number of parts."""
LINES = 1600
"""Picture size per pixel of line width."""
FINE = 4
"""Fractional bits of a pixel in lines that OpenCV draws."""
RINGS, WAYS, WIDER = 14, 24, 0.2
"""Places tried around a label's object: number of distances, number of directions, and growth of each further
distance."""
OVER_PIECE, OVER_LABEL = 60.0, 200.0
"""Cost of a label that covers a whole piece, and of a label entirely on other labels, in letters of distance."""


def ink_of(confidence: float, is_told: bool = True) -> Ink:
    """The colour of a reading with this confidence."""
    return UNTOLD_INK if not is_told else SURE_INK if confidence >= SURE else DOUBT_INK


def told(confidence: float) -> str:
    """A confidence with two decimals, never rounded up to a sure one.

    >>> told(0.948)
    '0.94'
    """
    return f"{math.floor(confidence * 100 + 1e-9) / 100:.2f}"


@dataclass(frozen=True, slots=True)
class _Label:
    """Lines of text for an object, given by points (N, 2) of the picture."""

    lines: tuple[str, ...]
    about_px: Points
    ink: Ink


@dataclass(frozen=True, slots=True)
class _OutlineLine:
    """A closed outline (N, 2)."""

    points_px: Points
    ink: Ink
    is_dashed: bool = False
    is_ground: bool = False


class Drawing:
    """A drawing on one picture, BGR, shape (H, W, 3). Nothing is drawn before `finished`."""

    def __init__(self, picture: Picture, letters: int = LETTERS) -> None:
        self._picture = picture
        self._height, self._width = picture.shape[:2]
        longer = max(self._height, self._width)
        self._letter_px = max(LEAST_LETTER_PX, round(longer / letters))
        self._thick = max(1, round(longer / LINES))
        self._font = cv2.FontFace("sans")
        self._lines: list[_OutlineLine] = []
        self._labels: list[_Label] = []
        self._close: list[tuple[tuple[float, float], str, Ink]] = []

    def outline(self, points_px: ArrayLike, ink: Ink, *, is_dashed: bool = False, is_ground: bool = False) -> None:
        """Adds a closed outline (N, 2) in pixels; `is_ground`: labels may cover it."""
        points = np.asarray(points_px, np.float64).reshape(-1, 2)
        if len(points):
            self._lines.append(_OutlineLine(points, ink, is_dashed, is_ground))

    def label(self, lines: Sequence[str], about_px: ArrayLike, ink: Ink) -> None:
        """Adds lines of text next to an object, given by points (N, 2); the first line is bold."""
        self._labels.append(_Label(tuple(lines), np.asarray(about_px, np.float64).reshape(-1, 2), ink))

    def magnify(self, at_px: ArrayLike, says: str, ink: Ink) -> None:
        """Adds the magnified surroundings of a point, in a free place of the picture, at most `MOST_MAGNIFIED`
        times."""
        x, y = np.asarray(at_px, np.float64).reshape(2)
        self._close.append(((float(x), float(y)), says, ink))

    def finished(self) -> Picture:
        """A copy of the picture with everything drawn."""
        shown = np.ascontiguousarray(self._picture.copy())
        for line in self._lines:
            _draw(shown, line, self._thick)
        places = _Places(self._width, self._height, self._lines)
        for at, says, ink in self._close[:MOST_MAGNIFIED]:
            self._lay_magnified(shown, places, at, says, ink)
        for label in self._labels:
            self._lay_label(shown, places, label)
        return shown

    def _lay_label(self, shown: Picture, places: "_Places", label: _Label) -> None:
        pad = max(3, self._letter_px // 3)
        step = round(self._letter_px * 1.35)
        wide = max(self._wide(line, i == 0) for i, line in enumerate(label.lines)) + 3 * pad
        high = step * len(label.lines) + pad
        x, y = places.near(label.about_px, wide, high, self._letter_px)
        _lead(shown, (x, y, x + wide, y + high), label.about_px, label.ink, self._thick)
        _plate(shown, (x, y, x + wide, y + high))
        cv2.rectangle(shown, (x, y), (x + max(2, pad // 2) - 1, y + high - 1), label.ink, cv2.FILLED)
        for i, line in enumerate(label.lines):
            self._write(shown, line, (x + 2 * pad, y + step * (i + 1) - pad // 3), is_bold=i == 0)

    def _lay_magnified(self, shown: Picture, places: "_Places", at: tuple[float, float], says: str, ink: Ink) -> None:
        side = round(max(self._width, self._height) * MAGNIFIED_SIDE)
        half = side / MAGNIFIED / 2
        foot = round(self._letter_px * 1.35) + 4
        wide = max(side, self._wide(says, is_bold=True) + foot)
        x0, y0 = at[0] - half, at[1] - half
        about = np.array([(x0 + 2 * half * u, y0 + 2 * half * v) for u, v in ((0, 0), (1, 0), (1, 1), (0, 1))])
        x, y = places.free(about, wide, side + foot, self._letter_px)
        _lead(shown, (x, y, x + wide, y + side + foot), about, ink, self._thick)
        _draw(shown, _OutlineLine(about, ink), self._thick)
        _plate(shown, (x, y, x + wide, y + side + foot))
        left = x + (wide - side) // 2
        shown[y : y + side, left : left + side] = self._magnified(x0, y0, side)
        cv2.rectangle(shown, (x, y), (x + wide - 1, y + side + foot - 1), ink, self._thick)
        self._write(shown, says, (x + (wide - self._wide(says, True)) // 2, y + side + foot - foot // 3), is_bold=True)

    def _magnified(self, x0: float, y0: float, side: int) -> Picture:
        """The picture from (x0, y0) on, `MAGNIFIED` times larger, with fine outlines."""
        turn = np.array([[MAGNIFIED, 0, -x0 * MAGNIFIED], [0, MAGNIFIED, -y0 * MAGNIFIED]], np.float64)
        large = np.asarray(
            cv2.warpAffine(self._picture, turn, (side, side), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE),
            np.uint8,
        )
        for line in self._lines:
            points = (line.points_px - (x0, y0)) * MAGNIFIED
            _draw(large, _OutlineLine(points, line.ink, line.is_dashed), 1)
        return large

    def _wide(self, text: str, is_bold: bool) -> int:
        box = cv2.getTextSize((self._width, self._height), text, (0, 0), self._font, self._letter_px, _weight(is_bold))
        return int(box[0] + box[2])

    def _write(self, shown: Picture, text: str, at: tuple[int, int], is_bold: bool) -> None:
        cv2.putText(shown, text, at, (255, 255, 255), self._font, self._letter_px, _weight(is_bold))


class _Places:
    """The places of labels: near their objects, avoiding pieces and other labels."""

    def __init__(self, width: int, height: int, outlines: Sequence[_OutlineLine]) -> None:
        self._size = width, height
        self._pieces = [_box(line.points_px) for line in outlines if not line.is_ground]
        self._ground = [_box(line.points_px) for line in outlines if line.is_ground]
        self._labels: list[Box] = []

    def near(self, about_px: Points, wide: int, high: int, letter_px: int) -> tuple[int, int]:
        """The top left corner of a free box of this size near these points; later labels avoid the box."""
        about = _box(about_px)
        tried = self._around(about, wide, high, letter_px)
        return self._best(tried, about, wide, high, letter_px, self._pieces)

    def free(self, about_px: Points, wide: int, high: int, letter_px: int) -> tuple[int, int]:
        """Like `near` for a larger box, anywhere in the picture, also avoiding the ground."""
        width, height = self._size
        tried = (
            (x, y)
            for y in range(0, max(1, height - high), letter_px)
            for x in range(0, max(1, width - wide), letter_px)
        )
        return self._best(tried, _box(about_px), wide, high, letter_px, [*self._pieces, *self._ground])

    def _best(
        self, tried: Iterable[tuple[int, int]], about: Box, wide: int, high: int, letter_px: int, pieces: list[Box]
    ) -> tuple[int, int]:
        best, found = math.inf, (0, 0)
        for x, y in tried:
            box = (x, y, x + wide, y + high)
            cost = (
                math.hypot(max(about[0] - box[2], x - about[2], 0), max(about[1] - box[3], y - about[3], 0)) / letter_px
            )
            if cost < best:
                cost += OVER_LABEL * sum(_shared(box, other) for other in self._labels) / (wide * high)
            if cost < best:
                cost += OVER_PIECE * sum(_shared(box, piece) / _area(piece) for piece in pieces)
            if cost < best:
                best, found = cost, (x, y)
        self._labels.append((*found, found[0] + wide, found[1] + high))
        return found

    def _around(self, about: Box, wide: int, high: int, gap: int) -> Iterator[tuple[int, int]]:
        """Left top corners around a box, inside of the picture."""
        x0, y0, x1, y1 = about
        width, height = self._size
        for ring in range(RINGS):
            far = gap / 3 + gap * ring * (1 + WIDER * ring)
            for k in range(WAYS):
                u, v = math.cos(2 * math.pi * k / WAYS), math.sin(2 * math.pi * k / WAYS)
                across, down = (x1 - x0 + wide) / 2 + far, (y1 - y0 + high) / 2 + far
                reach = min(across / max(abs(u), 1e-9), down / max(abs(v), 1e-9))
                x = round((x0 + x1) / 2 + reach * u - wide / 2)
                y = round((y0 + y1) / 2 + reach * v - high / 2)
                yield max(0, min(x, width - wide)), max(0, min(y, height - high))


def _box(points_px: Points) -> Box:
    (x0, y0), (x1, y1) = np.floor(points_px.min(0)), np.ceil(points_px.max(0))
    return int(x0), int(y0), int(x1) + 1, int(y1) + 1


def _area(box: Box) -> int:
    return max(1, (box[2] - box[0]) * (box[3] - box[1]))


def _shared(a: Box, b: Box) -> int:
    return max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))


def _weight(is_bold: bool) -> int:
    return 600 if is_bold else 400


def _plate(shown: Picture, box: Box) -> None:
    x0, y0, x1, y1 = box
    below = shown[y0:y1, x0:x1]
    below[:] = np.round(below * (1 - PLATE_SHARE) + np.array(PLATE) * PLATE_SHARE).astype(np.uint8)


def _lead(shown: Picture, box: Box, about_px: Points, ink: Ink, thick: int) -> None:
    """Draws the line from a label to its nearest point."""
    ends = np.column_stack([np.clip(about_px[:, axis], box[axis], box[axis + 2] - 1) for axis in (0, 1)])
    nearest = int(np.hypot(*(ends - about_px).T).argmin())
    start, end = (tuple(np.round(points[nearest]).astype(int).tolist()) for points in (ends, about_px))
    cv2.line(shown, start, end, ink, thick, cv2.LINE_AA)


def _draw(shown: Picture, line: _OutlineLine, thick: int) -> None:
    fine = np.round(np.clip(line.points_px, -1e4, 1e5) * 2**FINE).astype(np.int32)
    if not line.is_dashed:
        cv2.polylines(shown, [fine], True, line.ink, thick, cv2.LINE_AA, FINE)
        return
    around = np.vstack([line.points_px, line.points_px[:1]])
    steps = np.hypot(*np.diff(around, axis=0).T)
    walked = np.concatenate([[0.0], np.cumsum(steps)])
    dash = 6.0 * thick
    for k in range(max(2, round(walked[-1] / dash)) // 2):
        ends = np.linspace(2 * k * dash, min((2 * k + 1) * dash, walked[-1]), 5)
        part = np.column_stack([np.interp(ends, walked, around[:, axis]) for axis in (0, 1)])
        cv2.polylines(shown, [np.round(part * 2**FINE).astype(np.int32)], False, line.ink, thick, cv2.LINE_AA, FINE)
