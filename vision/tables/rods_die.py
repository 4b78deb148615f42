"""The colour die in its place: the one thing there that is broader than any rod's tip. Its top's colour is read.

Seen at the height of the top, the die's outline is the top's square swept toward the point under the camera, as far as
the sides show. How far follows from the camera's place, so the middle of the outline gives that of the top.
"""

from __future__ import annotations

import cv2
import numpy as np

from companion.kit import BoxMm
from companion.readings import HIGHEST_IN_DOUBT, ColorDie
from vision.measure.components import components_of
from vision.tables.board_view import CELL_MM, BoardView, Floats
from vision.tables.rods_tips import BLACK, MOST_LIGHT, colors_at, hue_deg, tones_of

OPENED = 0.62
"""What is narrower than this share of the die's side is no die."""
DIFFERENT = 0.1
"""The die differs from its surroundings by so much (roots of light)."""
LEAST_SIDES2, MOST_SIDES2 = 0.45, 3.2
"""How large it shows, in squares of its side."""
CORE = 0.3
"""The colour is taken within so many sides of the top's middle."""
LEAST_COLORED, PALE = 0.13, 0.5
"""A face has a colour from the first on; a colourless one is black unless it is lighter than the second."""
MIDDLES = {"red": 2.0, "orange": 21.0, "yellow": 50.0, "green": 130.0, "blue": 218.0}
"""The usual places of the colours on the colour circle, degrees."""
NEAREST_DEG = 4.0
BEYOND_MM = 14.0


def read_die(view: BoardView, box: BoxMm, side_mm: float) -> ColorDie | None:
    """The die that `view`, at the height of its top, shows in its place; None where none lies there."""
    x0, y0, x1, y1 = box
    (c0, r0), (c1, r1) = view.to_cells(np.array([[x0 - BEYOND_MM, y0 - BEYOND_MM], [x1 + BEYOND_MM, y1 + BEYOND_MM]]))
    rows, columns = view.light.shape[:2]
    left, top = max(0, int(c0)), max(0, int(r0))
    window = (slice(top, min(rows, int(r1))), slice(left, min(columns, int(c1))))
    seen = np.sqrt(np.clip(view.light[window], 0, MOST_LIGHT))
    usual = np.median(seen.reshape(-1, 3), axis=0)
    spread = 1.48 * np.median(np.abs(seen - usual).max(axis=2))
    differs = np.asarray(np.abs(seen - usual).max(axis=2) > max(DIFFERENT, 3.5 * float(spread)), np.uint8) * 255
    size = round(OPENED * side_mm / CELL_MM) // 2 * 2 + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    closed = cv2.morphologyEx(differs, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5)))
    solid = np.asarray(cv2.morphologyEx(closed, cv2.MORPH_OPEN, kernel), np.uint8)
    count, labels, stats = components_of(solid)
    square = (side_mm / CELL_MM) ** 2
    parts = [k for k in range(1, count) if LEAST_SIDES2 * square <= stats[k, cv2.CC_STAT_AREA] <= MOST_SIDES2 * square]
    if not parts:
        return None
    part = max(parts, key=lambda k: int(stats[k, cv2.CC_STAT_AREA]))
    at_rows, at_columns = np.nonzero(labels == part)
    middle = view.to_table(np.array([[left + at_columns.mean(), top + at_rows.mean()]]))[0]
    camera = view.pose.centre_mm
    # a point at the foot shows nearer to the point under the camera than the top above it
    foot = camera[:2] + (middle - camera[:2]) * ((camera[2] - side_mm) / camera[2])
    at = middle + (middle - foot) / 2
    angle = float(cv2.minAreaRect(np.column_stack([at_columns, at_rows]).astype(np.float32))[2])
    color, confidence = _color(view, at, side_mm)
    if len(parts) > 1:
        confidence = min(confidence, HIGHEST_IN_DOUBT)
    return ColorDie(
        color=color,
        confidence=round(confidence, 3),
        x_mm=round(float(at[0]), 1),
        y_mm=round(float(at[1]), 1),
        angle_deg=round(angle % 90.0, 1),
        reason=None if color else "the color of its top cannot be told",
    )


def _color(view: BoardView, at: Floats, side_mm: float) -> tuple[str | None, float]:
    """The colour about a point, and how sure it is."""
    column, row = np.rint(view.to_cells(at[None])[0]).astype(int)
    half = round(CORE * side_mm / CELL_MM)
    tones = tones_of(view, (slice(max(0, row - half), row + half + 1), slice(max(0, column - half), column + half + 1)))
    if not tones.lum.size:
        return None, 0.0
    a, b, lum = (float(np.median(channel)) for channel in (tones.red_green, tones.yellow_blue, tones.lum))
    colored = float(np.hypot(a, b))
    if colored < LEAST_COLORED:
        if lum > PALE:
            return None, 0.0
        return BLACK, 0.99 if colored < 0.6 * LEAST_COLORED and lum < 0.8 * PALE else 0.8
    hue = hue_deg(a, b)
    far = sorted((abs((hue - middle + 180) % 360 - 180), color) for color, middle in MIDDLES.items())
    (nearest, color), (next_one, _) = far[:2]
    lead = next_one - nearest
    is_plain = color in colors_at(a, b) and colored > 1.4 * LEAST_COLORED and lead > NEAREST_DEG
    return color, 0.99 if is_plain and nearest < 0.42 * next_one else 0.8
