"""Things other than dice on tables, drawn many ways. BGR float32, 0 to 1.

Each thing is drawn in its own plane, turned, slanted, lit from a side and put on the table with its shadow. Piles of
one kind are drawn too: a thing half under another of its kind looks most like a die.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.train.dice_solid import PIPS
from bench.train.dice_tables import Floats, any_colour

Point = tuple[float, float]
REACH = 1.7
"""Half the side of what a thing may cover, in its sizes."""
FRACTION_BITS = 4
"""OpenCV draws to this part of a pixel."""
PILED = 0.4
"""How often things of a kind lie in a pile."""


def _metal(rng: np.random.Generator) -> Floats:
    """Copper, brass, silver or dark iron."""
    tones = ((0.25, 0.45, 0.75), (0.3, 0.65, 0.8), (0.75, 0.77, 0.78), (0.3, 0.3, 0.3))
    tone = np.array(tones[int(rng.integers(4))], np.float32)
    return np.asarray(tone * rng.uniform(0.6, 1.2) * rng.uniform(0.9, 1.1, 3), np.float32)


def _skin(rng: np.random.Generator) -> Floats:
    tone = np.array([0.55, 0.68, 0.9], np.float32) * rng.uniform(0.25, 1.1)
    tone *= rng.uniform(0.9, 1.1, 3)
    return np.asarray(np.full(3, tone.mean()) if rng.random() < 0.1 else tone, np.float32)


def _darker(rng: np.random.Generator, tone: Floats, low: float = 0.3, high: float = 0.8) -> Floats:
    return np.asarray(tone * rng.uniform(low, high), np.float32)


def _unlike(rng: np.random.Generator, tone: Floats) -> Floats:
    """A colour that stands out from `tone`."""
    light = float(tone.mean()) > 0.45
    return any_colour(rng, 0.0, 0.35) if light else any_colour(rng, 0.65, 1.0)


class Sticker:
    """A thing being drawn: coordinates in its sizes, its middle at (0, 0); turned and slanted as a whole."""

    def __init__(self, rng: np.random.Generator, size_px: float, upright: bool = False) -> None:
        self.rng, self._size_px = rng, size_px
        self._unit = float(np.clip(2 * size_px, 50, 220))
        side = int(2 * REACH * self._unit)
        self._ink, self._mask = np.zeros((side, side, 3), np.uint8), np.zeros((side, side), np.uint8)
        angle = rng.normal(0, 0.25) if upright else rng.uniform(0, 2 * np.pi)
        c, s = np.cos(angle), np.sin(angle)
        slant = 1.0 if rng.random() < 0.5 else rng.uniform(0.55, 1.0)
        self._turn = np.array([[1, 0], [0, slant]]) @ np.array([[c, -s], [s, c]])
        self._middle = side / 2

    def _placed(self, points: NDArray) -> NDArray[np.int32]:
        spots = (np.asarray(points, float) @ self._turn.T) * self._unit + self._middle
        return np.asarray(np.round(spots * 2**FRACTION_BITS), np.int32)

    def shape(self, points: Sequence[Point] | NDArray, colour: Floats, covers: bool = True) -> None:
        """A filled outline; `covers`: it is a part of the thing even where nothing of it was."""
        spots = self._placed(np.asarray(points))
        tone = (np.clip(colour, 0, 1) * 255).tolist()
        cv2.fillPoly(self._ink, [spots], tone, cv2.LINE_AA, FRACTION_BITS)
        if covers:
            cv2.fillPoly(self._mask, [spots], 255, cv2.LINE_AA, FRACTION_BITS)

    def oval(self, at: Point, rx: float, ry: float, colour: Floats, turn: float = 0.0, power: float = 2.0) -> None:
        """A filled oval; with a higher power its corners grow."""
        self.shape(self.rim(at, rx, ry, turn, power), colour)

    @staticmethod
    def rim(at: Point, rx: float, ry: float, turn: float = 0.0, power: float = 2.0) -> NDArray:
        """Points of an oval's outline, (48, 2)."""
        t = np.linspace(0, 2 * np.pi, 48, endpoint=False)
        x, y = (np.sign(f(t)) * np.abs(f(t)) ** (2 / power) * r for f, r in ((np.cos, rx), (np.sin, ry)))
        c, s = np.cos(turn), np.sin(turn)
        return np.column_stack([at[0] + c * x - s * y, at[1] + s * x + c * y])

    def stroke(self, points: Sequence[Point] | NDArray, width: float, colour: Floats, closed: bool = False) -> None:
        """A line of some width along points."""
        spots, thick = self._placed(np.asarray(points)), max(1, round(width * self._unit))
        tone = (np.clip(colour, 0, 1) * 255).tolist()
        cv2.polylines(self._ink, [spots], closed, tone, thick, cv2.LINE_AA, FRACTION_BITS)
        cv2.polylines(self._mask, [spots], closed, 255, thick, cv2.LINE_AA, FRACTION_BITS)

    def text(self, words: str, at: Point, height: float, colour: Floats) -> None:
        """Words that begin at `at`; they do not turn with the thing."""
        spot = self._placed(np.array([at]))[0] >> FRACTION_BITS
        scale = height * self._unit / 22
        tone = (np.clip(colour, 0, 1) * 255).tolist()
        where, thick = (int(spot[0]), int(spot[1])), max(1, round(scale * 1.6))
        cv2.putText(self._ink, words, where, cv2.FONT_HERSHEY_DUPLEX, scale, tone, thick, cv2.LINE_AA)

    def lay(self, picture: Floats, at: tuple[float, float]) -> None:
        """Lights the thing and blends it into the picture with its shadow."""
        rng = self.rng
        side = max(4, round(2 * REACH * self._size_px))
        ink = cv2.resize(self._ink, (side, side), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
        mask = cv2.resize(self._mask, (side, side), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
        ink = ink / np.maximum(mask, 0.05)[..., None] if float(mask.max()) > 0 else ink
        away = rng.uniform(0, 2 * np.pi)
        y, x = (np.mgrid[:side, :side].astype(np.float32) / side - 0.5) * 2
        light = 1 + rng.uniform(0, 0.45) * (x * np.cos(away) + y * np.sin(away))
        if rng.random() < 0.6:  # rounded rims
            inside = cv2.distanceTransform((mask > 0.5).astype(np.uint8), cv2.DIST_L2, 3)
            round_px = max(1.0, self._size_px * rng.uniform(0.02, 0.3))
            height = cv2.GaussianBlur(np.minimum(inside, round_px), (0, 0), max(0.6, 0.25 * round_px))
            gx, gy = cv2.Sobel(height, cv2.CV_32F, 1, 0, scale=0.125), cv2.Sobel(height, cv2.CV_32F, 0, 1, scale=0.125)
            light = light + rng.uniform(0.2, 0.8) * (gx * np.cos(away) + gy * np.sin(away))
        ink = ink * np.clip(light, 0.2, 2)[..., None]
        if rng.random() < 0.35:  # a lamp's reflection
            far = np.hypot(x - rng.uniform(-0.3, 0.3), y - rng.uniform(-0.3, 0.3))
            ink = ink + rng.uniform(0.2, 0.9) * np.exp(-((far / rng.uniform(0.03, 0.2)) ** 2))[..., None]
        x0, y0 = round(at[0] - side / 2), round(at[1] - side / 2)
        shadow = cv2.GaussianBlur(mask, (0, 0), max(0.7, self._size_px * rng.uniform(0.01, 0.08)))
        throw = self._size_px * rng.uniform(0.01, 0.15)
        dark = np.zeros(3, np.float32)
        shift = (round(throw * np.cos(away + np.pi)), round(throw * np.sin(away + np.pi)))
        _blended(picture, (x0 + shift[0], y0 + shift[1]), shadow * rng.uniform(0.2, 0.8), dark)
        _blended(picture, (x0, y0), mask, ink)


def _blended(picture: Floats, corner: tuple[int, int], mask: Floats, ink: Floats) -> None:
    """Blends the part of a square inside the picture into it."""
    (x0, y0), (h, w), side = corner, picture.shape[:2], mask.shape[0]
    a, b, c, d = max(0, -x0), max(0, -y0), min(side, w - x0), min(side, h - y0)
    if a >= c or b >= d:
        return
    part, cover = picture[y0 + b : y0 + d, x0 + a : x0 + c], mask[b:d, a:c, None]
    part *= 1 - cover
    part += cover * (ink if ink.ndim == 1 else ink[b:d, a:c])


def _ring(count: int, reach: float, turn: float = 0.0) -> list[Point]:
    return [
        (reach * float(np.cos(turn + k * 2 * np.pi / count)), reach * float(np.sin(turn + k * 2 * np.pi / count)))
        for k in range(count)
    ]


def coin(s: Sticker) -> None:
    """Two metals or one, a rim, beads, a head in profile, a number, words, sometimes a hole."""
    rng, tone = s.rng, _metal(s.rng)
    s.oval((0, 0), 0.5, 0.5, tone)
    if rng.random() < 0.7:
        s.stroke(s.rim((0, 0), 0.46, 0.46), rng.uniform(0.01, 0.04), _darker(rng, tone, 0.5, 0.9), True)
    if rng.random() < 0.3:
        s.oval((0, 0), rng.uniform(0.25, 0.38), rng.uniform(0.25, 0.38), _metal(rng))
    relief = _darker(rng, tone, 0.45, 0.85) if rng.random() < 0.7 else tone * 1.3
    if rng.random() < 0.4:
        for spot in _ring(int(rng.integers(8, 40)), 0.42):
            s.oval(spot, 0.014, 0.014, relief)
    what = rng.random()
    if what < 0.35:
        s.oval((0.02, -0.08), 0.13, 0.17, relief)
        s.shape([(-0.2, 0.3), (-0.05, 0.05), (0.1, 0.05), (0.2, 0.3)], relief)
    elif what < 0.65:
        s.text(str(rng.integers(1, 51)), (-0.2, 0.12), 0.3, relief)
    elif what < 0.8:
        for _ in range(rng.integers(2, 9)):
            spot = rng.normal(0, 0.14, 2)
            s.oval((float(spot[0]), float(spot[1])), rng.uniform(0.02, 0.14), rng.uniform(0.02, 0.1), relief)
    elif what < 0.93:
        s.oval((0, 0), r := float(rng.uniform(0.05, 0.14)), r, any_colour(rng, 0, 0.5))
    if rng.random() < 0.3:
        s.text("".join(rng.choice(list("ABCDEILMNORST"), 6)), (-0.3, 0.38), 0.09, relief)


def button(s: Sticker) -> None:
    """Round or scalloped, a sunk middle, one to four holes, often a thread through them."""
    rng, tone = s.rng, any_colour(s.rng)
    if rng.random() < 0.15:
        for spot in _ring(int(rng.integers(5, 9)), 0.36):
            s.oval(spot, 0.16, 0.16, tone)
    s.oval((0, 0), 0.5, 0.5, tone)
    sunk = _darker(rng, tone, 0.7, 1.15)
    s.oval((0, 0), r := float(rng.uniform(0.2, 0.42)), r, sunk)
    if rng.random() < 0.4:
        s.stroke(s.rim((0, 0), r, r), 0.02, _darker(rng, tone), True)
    count = int(rng.choice([0, 1, 2, 3, 4], p=[0.08, 0.17, 0.3, 0.1, 0.35]))
    reach = 0.0 if count == 1 else float(rng.uniform(0.07, 0.17))
    hole = any_colour(rng, 0, 0.6) if rng.random() < 0.3 else _darker(rng, tone, 0.05, 0.4)
    holes = _ring(count, reach, rng.uniform(0, 6.3)) if count else []
    wide = float(rng.uniform(0.035, 0.08))
    for spot in holes:
        s.oval(spot, wide, wide, hole)
    if count in (2, 4) and rng.random() < 0.35:
        for k in range(count // 2):
            s.stroke([holes[k], holes[k + count // 2]], 0.05, any_colour(rng))


def _pipped(s: Sticker, middle: Point, half: float, value: int, pip: float, ink: Floats) -> None:
    """The pips of a domino's half; more than six in rows."""
    spots = PIPS[value] if value in PIPS else [(u, v) for u in (-1, 0, 1) for v in (-1, 0, 1)][:value]
    for u, v in spots:
        s.oval((middle[0] + 0.56 * half * u, middle[1] + 0.56 * half * v), pip, pip, ink)


def domino(s: Sticker) -> None:
    """One domino or a few in a chain: any colours, with or without bar and spinner, coloured or hollow pips."""
    rng = s.rng
    tone = any_colour(rng, 0.7, 1.0) if rng.random() < 0.5 else any_colour(rng, 0.0, 0.5)
    half, highest = 0.42, int(rng.choice([6, 6, 9]))
    ink, pip, corner = _unlike(rng, tone), half * rng.uniform(0.14, 0.24), float(rng.uniform(4, 14))
    is_coloured, has_bar, has_spinner = rng.random() < 0.25, rng.random() < 0.93, rng.random() < 0.35
    for k in range(int(rng.choice([1, 2, 3], p=[0.6, 0.25, 0.15]))):
        y = (0.0, 1.02, -1.02)[k] * 2 * half
        x = rng.uniform(-0.6, 0.6) * half if k and rng.random() < 0.5 else 0.0
        s.oval((x, y), 2 * half, half, tone * (1 + 0.05 * k), power=corner)
        s.stroke(s.rim((x, y), 2 * half, half, power=corner), 0.012, _darker(rng, tone, 0.5, 0.9), True)
        if has_bar:
            s.stroke([(x, y - 0.8 * half), (x, y + 0.8 * half)], rng.uniform(0.015, 0.06), ink)
        if has_spinner:
            s.oval((x, y), 0.07 * half + 0.02, 0.07 * half + 0.02, _metal(rng))
        for side in (-1, 1):
            value = int(rng.integers(0, highest + 1))
            shown = _unlike(rng, tone) if is_coloured else ink
            _pipped(s, (x + side * half, y), half, value, pip, shown)


def person(s: Sticker) -> None:
    """A human face: any skin, hair, age; glasses, beard, hat, shoulders; near or far."""
    rng, skin = s.rng, _skin(s.rng)
    hair = any_colour(rng, 0.02, 0.6) * np.array([0.6, 0.8, 1.0], np.float32)
    wide, tall = float(rng.uniform(0.3, 0.42)), float(rng.uniform(0.42, 0.55))
    look, tilt = rng.normal(0, 0.06), rng.normal(0, 0.03)  # turned aside, up or down
    if rng.random() < 0.5:
        s.oval((0, 1.0), rng.uniform(0.6, 1.0), 0.42, any_colour(rng), power=2.5)
        s.shape([(-0.15, 0.3), (0.15, 0.3), (0.2, 0.75), (-0.2, 0.75)], _darker(rng, skin, 0.75, 0.95))
    if rng.random() < 0.4:  # long hair behind
        s.oval((0, 0.12), wide * rng.uniform(1.15, 1.5), tall * rng.uniform(1.1, 1.5), hair, power=3)
    for side in (-1, 1):
        s.oval((side * wide, 0.02), 0.05, 0.09, _darker(rng, skin, 0.8, 0.98))
    s.oval((0, -0.12), wide * 1.1, tall * rng.uniform(0.85, 1.05), hair)
    s.oval((0, 0.05), wide, tall * 0.97, skin, power=float(rng.uniform(1.9, 2.6)))
    s.oval((0.4 * wide, 0.1), wide * 0.5, tall * 0.6, _darker(rng, skin, 0.88, 1.08))
    eye_y, apart, wide_eye = -0.04 + tilt, wide * float(rng.uniform(0.36, 0.48)), float(rng.uniform(0.05, 0.085))
    iris, is_shut = any_colour(rng, 0.05, 0.5), rng.random() < 0.1
    for side in (-1, 1):
        x = look + side * apart
        s.oval((x, eye_y), wide_eye * 1.5, wide_eye, _darker(rng, skin, 0.75, 0.97))
        if is_shut:
            s.stroke([(x - wide_eye, eye_y), (x, eye_y + 0.02), (x + wide_eye, eye_y)], 0.015, hair)
        else:
            s.oval(
                (x, eye_y), wide_eye, wide_eye * rng.uniform(0.4, 0.65), np.full(3, rng.uniform(0.75, 1), np.float32)
            )
            s.oval((x + look * 0.2, eye_y), wide_eye * 0.45, wide_eye * 0.45, iris)
            s.oval((x + look * 0.2, eye_y), wide_eye * 0.2, wide_eye * 0.2, iris * 0.2)
        lift = rng.normal(0, 0.015)
        brow = [(x - 1.5 * wide_eye, eye_y - 0.1 + lift), (x, eye_y - 0.13), (x + 1.5 * wide_eye, eye_y - 0.1 - lift)]
        s.stroke(brow, rng.uniform(0.012, 0.045), hair)
    nose, shade = 0.17 + tilt, _darker(rng, skin, 0.6, 0.9)
    s.shape([(look, -0.02), (look + 0.07, nose), (look - 0.06, nose)], shade if rng.random() < 0.5 else skin * 1.1)
    for side in (-1, 1):
        s.oval((look + 0.035 * side, nose), 0.018, 0.012, skin * 0.4)
    if rng.random() < 0.25:  # a beard
        s.oval((0, 0.36), wide * 0.75, 0.17, hair)
    mouth, lips = 0.29 + tilt, np.array([0.3, 0.3, 0.65], np.float32) * rng.uniform(0.5, 1.2)
    s.oval((look, mouth), rng.uniform(0.08, 0.16), rng.uniform(0.02, 0.06), lips)
    if rng.random() < 0.35:
        s.oval((look, mouth), 0.08, 0.02, np.full(3, 0.95, np.float32))
    if rng.random() < 0.25:  # glasses
        frame = any_colour(rng, 0, 0.4)
        for side in (-1, 1):
            s.stroke(s.rim((look + side * apart, eye_y), 0.11, 0.09, power=3), 0.02, frame, True)
        s.stroke([(look - apart + 0.1, eye_y), (look + apart - 0.1, eye_y)], 0.02, frame)
    top = rng.random()
    if top < 0.45:  # a fringe
        s.oval((rng.normal(0, 0.1), -0.36), wide * 0.95, rng.uniform(0.1, 0.2), hair)
    elif top < 0.6:  # a hat
        hat = any_colour(rng)
        s.oval((0, -0.42), wide * 1.15, 0.2, hat)
        s.stroke([(-wide * 1.3, -0.3), (wide * 1.3, -0.3)], 0.06, _darker(rng, hat))


def chip(s: Sticker) -> None:
    """A poker chip with marks at its rim, a draughtsman with rings, a bottle's cap, a lid."""
    rng, tone = s.rng, any_colour(s.rng)
    s.oval((0, 0), 0.5, 0.5, tone)
    if rng.random() < 0.5:
        mark, count = _unlike(rng, tone), int(rng.integers(4, 13))
        for k in range(count):
            a, b = (2 * np.pi * (k + d) / count for d in (0, 0.45))
            rim = [(r * np.cos(t), r * np.sin(t)) for r, t in ((0.5, a), (0.5, b), (0.4, b), (0.4, a))]
            s.shape(rim, mark)
    for r in np.sort(rng.uniform(0.08, 0.45, rng.integers(1, 4)))[::-1]:
        s.stroke(s.rim((0, 0), float(r), float(r)), rng.uniform(0.01, 0.05), tone * rng.uniform(0.5, 1.4), True)
    if rng.random() < 0.4:
        s.oval((0, 0), 0.28, 0.28, any_colour(rng))
        s.text(str(rng.choice(["5", "10", "25", "100", "A", "K"])), (-0.15, 0.1), 0.2, any_colour(rng))


def bead(s: Sticker) -> None:
    """Marbles, beads, peas, sweets, pebbles: rounded and shiny, now and then with a hole or a band."""
    rng, tone = s.rng, any_colour(s.rng)
    for _ in range(rng.integers(1, 5)):
        spot, r = rng.normal(0, 0.3, 2), rng.uniform(0.15, 0.4)
        at, flat = (float(spot[0]), float(spot[1])), rng.uniform(0.7, 1.0)
        tone = any_colour(rng) if rng.random() < 0.4 else tone
        for k in range(6):
            part = 1 - k / 6
            s.oval(
                (at[0] - 0.1 * r * k / 3, at[1] - 0.1 * r * k / 3), r * part, r * part * flat, tone * (0.7 + 0.1 * k)
            )
        if rng.random() < 0.7:
            s.oval((at[0] - 0.35 * r, at[1] - 0.35 * r), 0.12 * r, 0.1 * r, np.full(3, 1.0, np.float32))
        if rng.random() < 0.25:
            s.oval(at, 0.16 * r, 0.16 * r, tone * 0.15)


def brick(s: Sticker) -> None:
    """A toy brick from above: its studs in rows, in its own colour."""
    rng, tone = s.rng, any_colour(s.rng, 0.15, 1.0)
    rows, columns = int(rng.integers(1, 4)), int(rng.integers(1, 5))
    pitch = 1.0 / max(rows, columns)
    w, h = columns * pitch / 2, rows * pitch / 2
    s.oval((0, 0), w, h, tone, power=30)
    for i in range(columns):
        for j in range(rows):
            at = ((i + 0.5) * pitch - w, (j + 0.5) * pitch - h)
            s.oval((at[0] + 0.05 * pitch, at[1] + 0.05 * pitch), 0.31 * pitch, 0.31 * pitch, tone * 0.55)
            s.oval(at, 0.3 * pitch, 0.3 * pitch, tone * rng.uniform(1.0, 1.15))


def fitting(s: Sticker) -> None:
    """A socket, a switch, a nut, a washer, a lens, a knob, an adapter: holes or rings in a plate."""
    rng, tone = s.rng, any_colour(s.rng)
    kind, ink = int(rng.integers(5)), any_colour(s.rng, 0, 0.3)
    if kind == 0:  # a socket
        s.oval((0, 0), 0.5, 0.5, tone, power=float(rng.uniform(3, 20)))
        s.oval((0, 0), 0.34, 0.34, _darker(rng, tone, 0.75, 0.95))
        for spot in _ring(int(rng.choice([2, 3])), 0.16):
            s.oval(spot, 0.045, rng.uniform(0.045, 0.08), ink)
    elif kind == 1:  # a nut or a washer
        tone = _metal(rng)
        s.shape(_ring(6, 0.5), tone) if rng.random() < 0.5 else s.oval((0, 0), 0.5, 0.5, tone)
        s.oval((0, 0), r := float(rng.uniform(0.15, 0.32)), r, ink)
    elif kind == 2:  # a phone's corner
        s.oval((0, 0), 0.6, 1.1, tone, power=8)
        s.oval((-0.25, -0.65), 0.28, 0.34, _darker(rng, tone, 0.6, 1.2), power=5)
        for spot in ((-0.37, -0.8), (-0.13, -0.65), (-0.37, -0.5))[: int(rng.integers(1, 4))]:
            s.oval(spot, 0.1, 0.1, ink)
            s.oval(spot, 0.05, 0.05, ink * 2)
    elif kind == 3:  # a knob
        s.oval((0, 0), 0.5, 0.5, tone)
        s.oval((0, 0), 0.36, 0.36, _darker(rng, tone, 0.7, 1.2))
        s.stroke([(0, -0.12), (0, -0.42)], 0.05, _unlike(rng, tone))
    else:  # round keys in rows: a remote control
        s.oval((0, 0), 0.5, 1.2, tone, power=7)
        for x in (-0.28, 0, 0.28):
            for y in np.arange(-0.9, 1.0, 0.3):
                s.oval((x, float(y)), 0.09, 0.07, _unlike(rng, tone) if rng.random() < 0.9 else any_colour(rng))


def figure(s: Sticker) -> None:
    """A pawn or a chess piece seen slantwise, a meeple, a cone: a ball over a foot."""
    rng, tone = s.rng, any_colour(s.rng)
    kind = rng.random()
    if kind < 0.3:  # a meeple
        body = [(-0.15, -0.2), (-0.5, -0.05), (-0.45, 0.1), (-0.2, 0.1), (-0.4, 0.5), (-0.08, 0.5), (0, 0.3)]
        s.shape([*body, *[(-x, y) for x, y in reversed(body)]], tone)
        s.oval((0, -0.32), 0.18, 0.2, tone)
        return
    away = (float(rng.normal(0, 0.25)), float(rng.normal(0, 0.25)))
    for k in range(8):
        r = (0.45, 0.43, 0.33, 0.26, 0.22, 0.2, 0.26, 0.24)[k] * (1.0 if kind < 0.8 else 0.8)
        s.oval((away[0] * k / 7, away[1] * k / 7), r, r, tone * (0.75 + 0.05 * k + (0.1 if k in (1, 6) else 0)))
    s.oval((away[0] * 1.1 - 0.06, away[1] * 1.1 - 0.06), 0.05, 0.05, np.full(3, 1.0, np.float32))


def board(s: Sticker) -> None:
    """A printed board, a cloth with spots or squares, a perforated plate, a blister pack."""
    rng, tone = s.rng, any_colour(s.rng)
    ink, count, kind = _unlike(rng, tone), int(rng.integers(2, 7)), int(rng.integers(4))
    s.oval((0, 0), 1.1, 1.1, tone, power=30)
    pitch = 2.0 / count
    for i in range(count):
        for j in range(count):
            at = ((i + 0.5) * pitch - 1, (j + 0.5) * pitch - 1)
            if kind == 0 and (i + j) % 2:
                s.oval(at, pitch / 2, pitch / 2, ink, power=40)
            elif kind == 1:
                s.oval(at, r := pitch * float(rng.uniform(0.1, 0.3)), r, ink)
            elif kind == 2:
                s.stroke(s.rim(at, pitch / 2.1, pitch / 2.1, power=20), 0.015, ink, True)
                s.text(str(rng.choice(list("0123456789ABCxo+"))), (at[0] - 0.1, at[1] + 0.1), pitch * 0.4, ink)
            elif kind == 3:
                s.oval(at, pitch * 0.32, pitch * 0.32, tone * 0.8)
                s.oval((at[0] - 0.04, at[1] - 0.04), pitch * 0.28, pitch * 0.28, ink)


def yard(s: Sticker) -> None:
    """Where a race game's pawns wait: a disc or a square with four places, pawns on some, sometimes fields about it."""
    rng, tone = s.rng, any_colour(s.rng, 0.2, 1.0)
    paper, line = any_colour(rng, 0.7, 1.0), any_colour(rng, 0, 0.3)
    wide, power = float(rng.uniform(0.4, 0.65)), 2.0 if rng.random() < 0.5 else 25.0
    if power > 2 or rng.random() < 0.5:  # a bare square with four spots would be a four
        s.oval((0, 0), 0.95, 0.95, paper, power=30)
    s.oval((0, 0), wide, wide, tone if rng.random() < 0.7 else paper, power=power)
    if rng.random() < 0.6:
        s.stroke(s.rim((0, 0), wide, wide, power=power), 0.02, line, True)
    reach, r = wide * float(rng.uniform(0.32, 0.5)), wide * float(rng.uniform(0.16, 0.36))
    turn = float(rng.choice([0.0, np.pi / 4]))
    place = paper if rng.random() < 0.6 else any_colour(rng)
    for spot in _ring(4, reach * float(np.sqrt(2)), turn):
        s.oval(spot, r, r, place)
        if rng.random() < 0.4:
            s.stroke(s.rim(spot, r, r), 0.015, line, True)
        if rng.random() < 0.4:
            s.oval((spot[0] + 0.03, spot[1] + 0.04), 0.9 * r, 0.9 * r, tone * 0.5)
            s.oval((spot[0], spot[1]), 0.8 * r, 0.8 * r, tone)
            s.oval((spot[0], spot[1] - 0.5 * r), 0.5 * r, 0.5 * r, tone * 1.2)
    for k in range(int(rng.integers(0, 9))):
        spot = (wide * 1.35, (k - 4) * 0.22) if rng.random() < 0.5 else ((k - 4) * 0.22, -wide * 1.35)
        s.oval(spot, 0.09, 0.09, (paper, tone, line)[int(rng.integers(3))])
        s.stroke(s.rim(spot, 0.09, 0.09), 0.01, line, True)


def counter(s: Sticker) -> None:
    """A printed counter: a disc or a tile with a number, dots beneath it, a picture, a ring."""
    rng, tone = s.rng, any_colour(s.rng, 0.5, 1.0)
    ink = _unlike(rng, tone)
    s.oval((0, 0), 0.5, 0.5, tone, power=float(rng.choice([2.0, 2.0, 8.0])))
    if rng.random() < 0.5:
        s.stroke(s.rim((0, 0), 0.43, 0.43), 0.02, ink, True)
    kind = rng.random()
    if kind < 0.6:
        s.text(str(rng.integers(1, 13)), (-0.13, 0.1), 0.32, ink)
        count = int(rng.integers(0, 6))
        for k in range(count):
            s.oval((0.09 * (k - (count - 1) / 2), 0.26), 0.03, 0.03, ink)
    elif kind < 0.8:
        for _ in range(rng.integers(2, 6)):
            spots = rng.normal(0, 0.16, (3, 2))
            s.shape(spots, any_colour(rng))
    else:
        s.shape([p for pair in zip(_ring(5, 0.3), _ring(5, 0.12, np.pi / 5), strict=True) for p in pair], ink)


CARD_PIPS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0),),
    2: ((0, -1), (0, 1)),
    3: ((0, -1), (0, 0), (0, 1)),
    4: tuple((x, y) for x in (-1, 1) for y in (-1, 1)),
    5: (*((x, y) for x in (-1, 1) for y in (-1, 1)), (0, 0)),
    6: tuple((x, y) for x in (-1, 1) for y in (-1, 0, 1)),
    7: (*((x, y) for x in (-1, 1) for y in (-1, 0, 1)), (0, -0.5)),
    8: (*((x, y) for x in (-1, 1) for y in (-1, 0, 1)), (0, -0.5), (0, 0.5)),
    9: (*((x, y) for x in (-1, 1) for y in (-1, -1 / 3, 1 / 3, 1)), (0, 0)),
    10: (*((x, y) for x in (-1, 1) for y in (-1, -1 / 3, 1 / 3, 1)), (0, -0.67), (0, 0.67)),
}
"""Places of a card's signs, of -1 to 1 across and along."""


def _suit(s: Sticker, at: Point, r: float, suit: int, ink: Floats, over: int) -> None:
    """Diamond, heart, spade or club; `over` -1: upside down."""
    x, y = at
    if suit == 0:
        s.shape([(x, y - r), (x + 0.75 * r, y), (x, y + r), (x - 0.75 * r, y)], ink)
        return
    up = over if suit == 1 else -over
    if suit == 3:
        for dx, dy in ((0, -0.5), (-0.45, 0.2), (0.45, 0.2)):
            s.oval((x + dx * r, y + over * dy * r), 0.45 * r, 0.45 * r, ink)
    else:
        for d in (-1, 1):
            s.oval((x + 0.42 * d * r, y - 0.2 * up * r), 0.46 * r, 0.46 * r, ink)
        s.shape([(x - 0.88 * r, y - 0.05 * up * r), (x + 0.88 * r, y - 0.05 * up * r), (x, y + 0.95 * up * r)], ink)
    if suit >= 2:
        s.shape([(x, y), (x + 0.3 * r, y + over * r), (x - 0.3 * r, y + over * r)], ink)


def card(s: Sticker) -> None:
    """A playing card: signs in their places, indices in two corners; a court card is a frame of coloured patches."""
    rng, tone = s.rng, np.full(3, s.rng.uniform(0.8, 1.0), np.float32) * s.rng.uniform(0.94, 1.0, 3)
    half, tall = 0.57, 0.82
    s.oval((0, 0), half, tall, np.asarray(tone, np.float32), power=22)
    suit, rank = int(rng.integers(4)), int(rng.integers(1, 14))
    red = np.array([0.12, 0.1, 0.75], np.float32) * rng.uniform(0.8, 1.2)
    ink = red if suit < 2 else np.full(3, rng.uniform(0.02, 0.2), np.float32)
    size = float(rng.uniform(0.8, 1.3))
    for d in (-1, 1):
        s.text("A23456789TJQK"[rank - 1], (-d * 0.83 * half - 0.04, -d * 0.74 * tall + 0.05), 0.13 * size, ink)
        _suit(s, (-d * 0.83 * half, -d * 0.56 * tall), 0.06 * size, suit, ink, d)
    if rank <= 10:
        r = (0.3 if rng.random() < 0.4 else 0.13) if rank == 1 else 0.11 * size
        for x, y in CARD_PIPS[rank]:
            _suit(s, (0.5 * half * x, 0.68 * tall * y), r, suit, np.asarray(ink, np.float32), 1 if y <= 0 else -1)
        return
    s.stroke(s.rim((0, 0), 0.66 * half, 0.78 * tall, power=30), 0.012, ink, True)
    for _ in range(int(rng.integers(8, 20))):
        spots = rng.uniform(-1, 1, (4, 2)) * (0.6 * half, 0.72 * tall) * rng.uniform(0.2, 1.0)
        patch = (red, ink, np.array([0.1, 0.75, 0.95]), np.array([0.6, 0.3, 0.1]))[int(rng.integers(4))]
        for d in (-1, 1):
            s.shape(d * spots, np.asarray(patch, np.float32))


def page(s: Sticker) -> None:
    """A card, a ticket, a note: signs in rows, words, a frame."""
    rng = s.rng
    tone, half = any_colour(rng, 0.75, 1.0), float(rng.uniform(0.5, 0.75))
    s.oval((0, 0), half, 0.9, tone, power=16)
    ink = _unlike(rng, tone)
    if rng.random() < 0.3:
        s.stroke(s.rim((0, 0), half * 0.85, 0.8, power=30), 0.02, ink, True)
    rows, columns = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    sign, r = int(rng.integers(3)), 0.3 / max(rows, columns)
    for i in range(columns):
        for j in range(rows):
            x, y = half * 1.3 * ((i + 0.5) / columns - 0.5), 1.4 * ((j + 0.5) / rows - 0.5)
            if sign == 0:
                s.shape([(x, y - r), (x + 0.8 * r, y), (x, y + r), (x - 0.8 * r, y)], ink)
            elif sign == 1:
                s.text(str(rng.choice(["one", "no. 7", "A", "8", "tea"])), (x - r, y), r, ink)
            else:
                for d in (-1, 1):
                    s.oval((x + 0.45 * d * r, y - 0.3 * r), 0.5 * r, 0.5 * r, ink)
                s.shape([(x - 0.9 * r, y - 0.1 * r), (x + 0.9 * r, y - 0.1 * r), (x, y + r)], ink)


def food(s: Sticker) -> None:
    """A biscuit with crumbs, a fruit with seeds, a nut: a rough outline, spots anywhere."""
    rng = s.rng
    tone = np.array([0.25, 0.5, 0.8], np.float32) * rng.uniform(0.4, 1.2) if rng.random() < 0.6 else any_colour(rng)
    t = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    r = 0.45 + 0.03 * np.sin(t * rng.integers(2, 6) + rng.uniform(0, 6)) + rng.normal(0, 0.008, 40)
    s.shape(np.column_stack([r * np.cos(t), r * np.sin(t)]), np.asarray(tone, np.float32))
    spot_tone = _darker(rng, np.asarray(tone, np.float32), 0.15, 0.7)
    for _ in range(rng.integers(0, 16)):
        a, far = rng.uniform(0, 6.3), 0.36 * np.sqrt(rng.random())
        wide = rng.uniform(0.02, 0.08)
        s.oval((far * np.cos(a), far * np.sin(a)), wide, wide * rng.uniform(0.5, 1), spot_tone, rng.uniform(0, 3.1))


Draw = Callable[[Sticker], None]
THINGS: dict[Draw, float] = {
    coin: 0.14,
    button: 0.12,
    domino: 0.16,
    person: 0.16,
    card: 0.1,
    yard: 0.06,
    counter: 0.05,
    chip: 0.05,
    bead: 0.04,
    brick: 0.03,
    fitting: 0.04,
    figure: 0.05,
    board: 0.03,
    page: 0.02,
    food: 0.02,
}
"""Things to draw, and how often: more of those that readers confuse with dice."""
UPRIGHT: tuple[Draw, ...] = (person,)
"""Mostly not upside down."""


def thing(rng: np.random.Generator, picture: Floats, at: tuple[float, float], size: float) -> None:
    """One thing about `size` pixels wide, or a pile of a few of its kind."""
    draw = list(THINGS)[int(rng.choice(len(THINGS), p=np.array(list(THINGS.values())) / sum(THINGS.values())))]
    count = int(rng.integers(2, 6)) if rng.random() < PILED else 1
    for _ in range(count):
        sticker = Sticker(rng, size * float(rng.uniform(0.85, 1.15)), upright=draw in UPRIGHT and rng.random() < 0.8)
        draw(sticker)
        away = rng.normal(0, 0.45, 2) * size * (count > 1)
        sticker.lay(picture, (at[0] + float(away[0]), at[1] + float(away[1])))
