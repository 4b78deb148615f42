"""The colour die in its place: the square of its side whose four edges show best. Its top's colour is read.

Seen at the height of the top, the top is a square of the kit's size wherever it lies; sides that show beside it,
shadows and tips of rods are none. The blob that differs from the mat was taken for the die before: it held sides and
shadow, and lacked what of the top is like the mat.
"""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from companion.game.kit import BoxMm
from companion.game.readings import HIGHEST_IN_DOUBT, ColorDie
from vision.tables.board.view import CELL_MM, BoardView, Floats, Floats32
from vision.tables.rods.net import MOST_LIGHT

BLACK = "black"
HUES_DEG: Mapping[str, tuple[float, float]] = {
    "red": (-22.0, 16.0),
    "orange": (1.0, 42.0),
    "yellow": (34.0, 72.0),
    "green": (80.0, 172.0),
    "blue": (188.0, 250.0),
}
"""From where to where a colour runs on the colour circle; red and orange meet."""
TURNS = 12
"""A square is sought at so many angles."""
FINE = 2
"""Edges are sought at every second cell each way."""
EDGE_SHARE = 0.8
"""So much of a side must show as an edge: corners are round."""
LEAST_EDGES, FAIR_EDGES, PLAIN_EDGES = 0.45, 0.6, 0.7
"""How plainly the weakest of the four edges shows at least (0 to 1), at a die whatever else is there, and at a sure
one."""
NEXT = 0.85, 0.75
"""A square elsewhere, further away than the second share of a side, that shows nearly as well may be the die too."""
ALONE = 0.8
"""A square that shows less than fairly is the die where none elsewhere shows by this share as well: a mat's grain shows
many."""
CORE = 0.3
"""The colour is taken within so many sides of the top's middle."""
CLIPPED, BRIGHTER = 0.3, 1.4
"""A channel of light may be so many times as bright where more than this share of a face is too bright to tell. Where
that would be another color none is sure: orange with its red cut off is yellow."""
LEAST_COLORED, PALE = 0.13, 0.5
"""A face has a colour from the first on; a colourless one is black unless it is lighter than the second."""
FRAME, FRAMED = 0.45, 0.8
"""A white frame shows within so many sides of the top's middle; a colourless face that has less than this share of its
light is black, and shines."""
MIDDLES = {"red": 2.0, "orange": 21.0, "yellow": 50.0, "green": 130.0, "blue": 218.0}
"""The usual places of the colours on the colour circle, degrees."""
NEAREST_DEG = 4.0
BEYOND_MM = 14.0


def read_die(view: BoardView, box: BoxMm, side_mm: float) -> ColorDie | None:
    """The die that `view`, at the height of its top, shows in its place; None where none lies there."""
    x0, y0, x1, y1 = box
    (c0, r0), (c1, r1) = view.to_cells(np.array([[x0 - BEYOND_MM, y0 - BEYOND_MM], [x1 + BEYOND_MM, y1 + BEYOND_MM]]))
    left, top = max(0, int(c0)), max(0, int(r0))
    window = (slice(top, int(r1)), slice(left, int(c1)))
    seen = np.sqrt(np.clip(view.light[window], 0, MOST_LIGHT)).astype(np.float32)
    edges, turn = _squares(np.asarray(cv2.GaussianBlur(seen, (0, 0), 1.0), np.float32)[::FINE, ::FINE], side_mm)
    row, column = np.unravel_index(int(edges.argmax()), edges.shape)
    best = float(edges[row, column])
    rows, columns = np.indices(edges.shape)
    is_apart = np.hypot(rows - row, columns - column) * CELL_MM * FINE > NEXT[1] * side_mm
    other = float(edges[is_apart].max(initial=0.0))
    if best < LEAST_EDGES or (best < FAIR_EDGES and other > ALONE * best):
        return None
    at = view.to_table(np.array([[left + column * FINE, top + row * FINE]], np.float64))[0]
    light = view.light[_about(view, at, CORE * side_mm)].reshape(-1, 3)
    color, confidence = _color(light, _frame(view, at, side_mm))
    if best < PLAIN_EDGES or other > NEXT[0] * best or _may_be_another(light, view.full, color):
        confidence = min(confidence, HIGHEST_IN_DOUBT)
    return ColorDie(
        color=color,
        confidence=round(confidence, 3),
        x_mm=round(float(at[0]), 1),
        y_mm=round(float(at[1]), 1),
        angle_deg=round(float(turn[row, column]), 1),
        reason=None if color else "the color of its top cannot be told",
    )


def _squares(seen: Floats32, side_mm: float) -> tuple[Floats32, Floats32]:
    """How plainly the weakest edge of a square about each cell shows (0 to 1), and the angle in degrees at which."""
    side = side_mm / CELL_MM / FINE
    across = np.asarray(cv2.Sobel(seen, cv2.CV_32F, 1, 0, ksize=3), np.float32) / 8
    down = np.asarray(cv2.Sobel(seen, cv2.CV_32F, 0, 1, ksize=3), np.float32) / 8
    rows, columns = seen.shape[0], seen.shape[1]
    best = np.zeros((rows, columns), np.float32)
    angle = np.zeros_like(best)
    length = round(EDGE_SHARE * side)
    for turn in range(TURNS):
        deg = 90.0 * turn / TURNS
        weakest = np.full_like(best, np.inf)
        for more in (0.0, 90.0):
            c, s = float(np.cos(np.radians(deg + more))), float(np.sin(np.radians(deg + more)))
            steep = np.abs(c * across + s * down).max(axis=2)
            steep = np.asarray(steep / (steep + 3 * np.median(steep) + 1e-6), np.float32)
            size = length | 1
            line = np.zeros((size, size), np.float32)
            middle, half = size // 2, length / 2
            ends = [(round((middle + k * half * -s) * 16), round((middle + k * half * c) * 16)) for k in (-1, 1)]
            cv2.line(line, ends[0], ends[1], 1.0, 1, cv2.LINE_AA, 4)
            along = cv2.filter2D(steep, cv2.CV_32F, line / line.sum())
            for k in (-0.5, 0.5):
                shift = np.array([[1, 0, k * side * c], [0, 1, k * side * s]])
                moved = cv2.warpAffine(along, shift, (columns, rows), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
                weakest = np.minimum(weakest, moved)
        angle = np.where(weakest > best, np.float32(deg), angle)
        best = np.maximum(best, weakest)
    return best, angle


def _color(light: Floats32, frame: float) -> tuple[str | None, float]:
    """The colour of a face whose light (N, 3) and whose frame's (root of) light are known, and how sure it is."""
    top = np.sqrt(np.clip(light, 0.0, MOST_LIGHT))
    if not top.size:
        return None, 0.0
    blue, green, red = np.asarray(top, np.float64).T
    a, b = float(np.median(red - green)), float(np.median((red + green) / 2 - blue))
    lum = float(np.median(0.3 * red + 0.55 * green + 0.15 * blue))
    colored = float(np.hypot(a, b))
    if colored < LEAST_COLORED:
        if lum > PALE:
            return (BLACK, HIGHEST_IN_DOUBT) if lum < FRAMED * frame else (None, 0.0)
        return BLACK, 0.99 if colored < 0.6 * LEAST_COLORED and lum < 0.8 * PALE else 0.8
    hue = hue_deg(a, b)
    far = sorted((abs((hue - middle + 180) % 360 - 180), color) for color, middle in MIDDLES.items())
    (nearest, color), (next_one, _) = far[:2]
    lead = next_one - nearest
    is_plain = color in colors_at(a, b) and colored > 1.4 * LEAST_COLORED and lead > NEAREST_DEG
    return color, 0.99 if is_plain and nearest < 0.42 * next_one else 0.8


def _frame(view: BoardView, at: Floats, side_mm: float) -> float:
    """The root of light of the lightest that a die's top shows, its frame where it has one."""
    shown = view.light[_about(view, at, FRAME * side_mm)]
    return float(np.percentile(np.sqrt(np.clip(shown, 0.0, MOST_LIGHT)).mean(axis=2), 85))


def _may_be_another(light: Floats32, full: Floats, color: str | None) -> bool:
    """Whether a face (N, 3) has another color than the one told were a channel that is cut off brighter."""
    for channel in np.flatnonzero((light >= full).mean(axis=0) > CLIPPED):
        brighter = light.copy()
        brighter[:, channel] *= BRIGHTER
        if _color(brighter, 0.0)[0] != color:
            return True
    return False


def _about(view: BoardView, at: Floats, reach_mm: float) -> tuple[slice, slice]:
    """The cells so far about a point, each way."""
    column, row = np.rint(view.to_cells(at[None])[0]).astype(int)
    half = round(reach_mm / CELL_MM)
    return slice(max(0, row - half), row + half + 1), slice(max(0, column - half), column + half + 1)


def hue_deg(red_green: float, yellow_blue: float) -> float:
    """The place on the colour circle of roots of light: red 0, yellow 60, green 120, blue 240.

    >>> round(hue_deg(1.0, 0.5)), round(hue_deg(0.0, 1.0)), round(hue_deg(-1.0, 0.5)), round(hue_deg(0.0, -1.0))
    (0, 60, 120, 240)
    """
    third = float(np.sqrt(0.75))
    angle = float(np.degrees(np.arctan2(yellow_blue, red_green * third)))
    return (angle - 30.0 + 22.0) % 360.0 - 22.0


def colors_at(red_green: float, yellow_blue: float) -> tuple[str, ...]:
    """The rods' colours that a colour may be."""
    hue = hue_deg(red_green, yellow_blue)
    return tuple(color for color, (low, high) in HUES_DEG.items() if low <= hue <= high)
