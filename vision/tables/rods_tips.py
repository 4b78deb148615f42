"""Where the coloured tips of rods may be: small blobs of a rod's colour that stand out from what lies about them.

A coloured tip has more colour than its surroundings, and a wire, which is grey, has less. A black one is dark over a
breadth that no wire has. What is found here are candidates: the wire between two tips decides (`rods_wires`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from vision.tables.board_view import CELL_MM, BoardView, Floats, Floats32

HUES_DEG: Mapping[str, tuple[float, float]] = {
    "red": (-22.0, 16.0),
    "orange": (1.0, 42.0),
    "yellow": (34.0, 72.0),
    "green": (80.0, 172.0),
    "blue": (188.0, 250.0),
}
"""From where to where a rod's colour runs on the colour circle; red and orange meet, and the rod's length decides."""
BLACK = "black"
MOST_LIGHT = 1.2
AROUND_MM = 26.0
"""A tip's surroundings: the median of a square of this side."""
BLOB = 0.34
"""A tip's blob is blurred by this share of its length before its middle is sought."""
LEAST_EXCESS, PLAIN_EXCESS = 0.045, 0.16
"""So much more colour than its surroundings (roots of light) may be a tip, and is one."""
LEAST_COLOR = 0.1
LIKE_MAT, OF_MAT = 0.06, 0.55
"""On a mat with more colour than this, a tip of the mat's own colour shows by its shade alone: it keeps so much of the
mat's colour, which a wire does not."""
LEAST_DARK, MOST_DARK, DARKER = 0.018, 0.45, 0.9
"""A black tip is darker than its surroundings by so much, not lighter than this, and by this factor."""
FILLED = 0.66
"""What is narrower than this share of a tip's breadth is no tip: wires, and the dark stripes on them."""
BLACK_TIPS = 8
"""The plainest black candidates, as many as a kit has tips, tell how plainly a black tip stands out here."""
HIDES, HIDES_BLACK = 0.12, 0.45
"""A green or blue mat with this much colour swallows tips of its colour, a mat darker than the second black ones."""
MOST_OF_A_COLOR, MOST_HARD = 24, 80
"""A kit has eight tips of a colour at most; no more candidates than this are tried, the plainest. Of black ones, and of
those of a mat's own colour, which hardly stand out, more."""
TIP_BREADTH = 1.8
"""A tip is so many wires broad."""


@dataclass(frozen=True, slots=True)
class Tip:
    """What may be a tip: its middle on the table, the colours it may have, how plainly it stands out (1: plainly)."""

    x_mm: float
    y_mm: float
    colors: tuple[str, ...]
    plain: float
    across_mm: float
    """How broad it shows: the side of a square as large as it."""


@dataclass(frozen=True, eq=False)
class Tones:
    """A view in roots of light: `lum` its brightness, `red_green` and `yellow_blue` its colour, `colored` its size."""

    lum: Floats32
    red_green: Floats32
    yellow_blue: Floats32
    colored: Floats32


def tones_of(view: BoardView, window: tuple[slice, slice] = (slice(None), slice(None))) -> Tones:
    """The tones of a view, or of a window of it (rows, columns)."""
    b, g, r = (np.sqrt(np.clip(c, 0.0, MOST_LIGHT)) for c in np.moveaxis(view.light[window], 2, 0))
    red_green, yellow_blue = np.asarray(r - g, np.float32), np.asarray((r + g) / 2 - b, np.float32)
    return Tones(
        lum=np.asarray(0.3 * r + 0.55 * g + 0.15 * b, np.float32),
        red_green=red_green,
        yellow_blue=yellow_blue,
        colored=np.hypot(red_green, yellow_blue),
    )


def hidden_colors(tones: Tones, colors: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the rods' colours that the mat has itself, or is as dark as: tips of these may not stand out."""
    every = (slice(None, None, 7), slice(None, None, 7))
    a, b, lum = (float(np.median(c[every])) for c in (tones.red_green, tones.yellow_blue, tones.lum))
    found = [BLACK] if lum < HIDES_BLACK else []
    if float(np.hypot(a, b)) > HIDES:
        found += [color for color in colors_at(a, b) if color in ("green", "blue")]
    return tuple(color for color in found if color in colors)


def find_tips(view: BoardView, tones: Tones, tip_mm: float, wire_mm: float) -> list[Tip]:
    """All candidates, each place once for its hue and once more where it may be black."""
    return [*_colored(view, tones, tip_mm), *_black(view, tones, tip_mm, wire_mm)]


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


def _around(channel: Floats32) -> Floats32:
    """The usual value about each cell."""
    scale = 4
    small = cv2.resize(channel, None, fx=1 / scale, fy=1 / scale, interpolation=cv2.INTER_AREA)
    low, high = float(small.min()), float(small.max())
    bytes_ = np.asarray((small - low) * (255 / max(high - low, 1e-6)), np.uint8)
    size = round(AROUND_MM / CELL_MM / scale) // 2 * 2 + 1
    usual = np.asarray(cv2.medianBlur(bytes_, size), np.float32) * np.float32((high - low) / 255) + np.float32(low)
    rows, columns = channel.shape
    return np.asarray(cv2.resize(usual, (columns, rows), interpolation=cv2.INTER_LINEAR), np.float32)


def _peaks(response: Floats32, least: float, apart_mm: float) -> list[tuple[int, int]]:
    """The local maxima (row, column) above `least`, the highest first."""
    size = round(apart_mm / CELL_MM) // 2 * 2 + 1
    top = cv2.dilate(response, np.ones((size, size), np.uint8))
    rows, columns = np.nonzero((response >= top) & (response > least))
    order = np.argsort(-response[rows, columns])
    return [(int(rows[i]), int(columns[i])) for i in order]


def _colored(view: BoardView, tones: Tones, tip_mm: float) -> list[Tip]:
    rg, yb = tones.red_green, tones.yellow_blue
    mat_rg, mat_yb = _around(rg), _around(yb)
    more_rg, more_yb = rg - mat_rg, yb - mat_yb
    excess = (more_rg * rg + more_yb * yb) / (tones.colored + np.float32(0.08))
    mat = np.hypot(mat_rg, mat_yb)
    alike = (rg * mat_rg + yb * mat_yb) / np.maximum(mat, 1e-3)
    is_cold = mat_rg < 0  # green and blue rods are no more colourful than green and blue cloths are
    shade = np.hypot(np.hypot(more_rg, more_yb), tones.lum - _around(tones.lum))
    excess = np.where(is_cold & (mat > LIKE_MAT) & (alike > OF_MAT * mat), np.maximum(excess, shade), excess)
    sigma = BLOB * tip_mm / CELL_MM / 2
    blob = np.asarray(cv2.GaussianBlur(np.maximum(excess, 0), (0, 0), sigma), np.float32)
    tips: list[Tip] = []
    of_color: Counter[str] = Counter()
    hard = hidden_colors(tones, tuple(HUES_DEG))
    half = max(1, round(0.25 * tip_mm / CELL_MM))
    for row, column in _peaks(blob, LEAST_EXCESS, 0.5 * tip_mm):
        window = (slice(max(0, row - half), row + half + 1), slice(max(0, column - half), column + half + 1))
        weight = np.maximum(excess[window], 0) ** 2
        total = float(weight.sum()) + 1e-9
        a, b = float((rg[window] * weight).sum()) / total, float((yb[window] * weight).sum()) / total
        colors = colors_at(a, b)
        if (
            colors
            and float(np.hypot(a, b)) > LEAST_COLOR
            and of_color[colors[0]] < (MOST_HARD if colors[0] in hard else MOST_OF_A_COLOR)
        ):
            of_color[colors[0]] += 1
            tips.append(_tip(view, excess, row, column, tip_mm, colors, float(blob[row, column]) / PLAIN_EXCESS))
    return tips


def _black(view: BoardView, tones: Tones, tip_mm: float, wire_mm: float) -> list[Tip]:
    size = round(FILLED * TIP_BREADTH * wire_mm / CELL_MM) // 2 * 2 + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    smooth = np.asarray(cv2.GaussianBlur(tones.lum, (0, 0), 0.8), np.float32)
    filled = np.asarray(cv2.morphologyEx(smooth, cv2.MORPH_CLOSE, kernel), np.float32)
    usual = _around(tones.lum)
    mat = np.hypot(_around(tones.red_green), _around(tones.yellow_blue))
    grey = np.maximum(mat - np.asarray(cv2.GaussianBlur(tones.colored, (0, 0), 1.5), np.float32), 0)
    dark = np.where((filled < MOST_DARK) & (filled < DARKER * usual), usual - filled + grey, 0).astype(np.float32)
    blob = np.asarray(cv2.GaussianBlur(dark, (0, 0), BLOB * tip_mm / CELL_MM / 2), np.float32)
    found = _peaks(blob, LEAST_DARK, 0.7 * tip_mm)[:MOST_HARD]
    usual_tip = float(np.median([blob[at] for at in found[:BLACK_TIPS]])) if found else 1.0
    return [
        _tip(view, dark, row, column, tip_mm, (BLACK,), float(blob[row, column]) / usual_tip) for row, column in found
    ]


def _tip(
    view: BoardView, response: Floats32, row: int, column: int, tip_mm: float, colors: tuple[str, ...], plain: float
) -> Tip:
    """The tip about a peak: its middle is that of the response near it."""
    half = round(0.6 * tip_mm / CELL_MM)
    top, left = max(0, row - half), max(0, column - half)
    window = np.maximum(response[top : row + half + 1, left : column + half + 1], 0)
    window = np.where(window > 0.4 * window.max(), window, 0)
    total = float(window.sum())
    rows, columns = np.indices(window.shape)
    at: Floats = np.array(
        [[left + float((columns * window).sum()) / total, top + float((rows * window).sum()) / total]]
    )
    x, y = view.to_table(at)[0]
    across_mm = float(np.sqrt((window > 0).sum())) * CELL_MM
    return Tip(float(x), float(y), colors, plain, across_mm)
