"""The colour die: the square of its size whose four edges show best around its place, and the colour of its top.

At the height of the top, the top is a square of the kit's size, wherever the die is. Visible sides, shadows and tips of
rods are not. An earlier version searched for the blob that differs from the mat. It included sides and shadow, and
missed parts of the top that look like the mat.
"""

import cv2
import numpy as np

from calibration.arrays import Floats, Floats32
from calibration.edges import median
from companion.game.kit import BoxMm
from companion.game.readings import HIGHEST_IN_DOUBT, ColorDie
from vision.measure.limits import LIMITS as SHARED
from vision.measure.prepared import slopes_of
from vision.tables.board.signs import HUES_DEG
from vision.tables.board.view import CELL_MM, BoardView
from vision.tables.rods.limits import LIMITS

STEP = 2
"""Cells between the places where edges are searched."""
BLACK = "black"
MIDDLES_DEG = {color: HUES_DEG[color] for color in ("red", "orange", "yellow", "green", "blue")}
"""Usual place of each colour on the colour circle, degrees."""


def read_die(view: BoardView, box: BoxMm, side_mm: float) -> ColorDie | None:
    """The die, read in `view` at the height of its top; None: no die found."""
    ends = np.reshape(box, (2, 2)) + np.array([[-side_mm], [side_mm]])
    (c0, r0), (c1, r1) = view.to_cells(ends)
    left, top = max(0, int(c0)), max(0, int(r0))
    window = (slice(top, int(r1)), slice(left, int(c1)))
    blurred = np.asarray(cv2.GaussianBlur(view.roots(LIMITS.max_light)[window], (0, 0), 1.0), np.float32)
    edges, turn = _squares(blurred[::STEP, ::STEP], side_mm)
    row, column = np.unravel_index(int(edges.argmax()), edges.shape)
    best = float(edges[row, column])
    rows, columns = np.indices(edges.shape)
    is_apart = np.hypot(rows - row, columns - column) * CELL_MM * STEP > side_mm
    other = float(edges[is_apart].max(initial=0.0))
    if best < LIMITS.even_chance:
        return None
    at = view.to_table(np.array([[left + column * STEP, top + row * STEP]], np.float64))[0]
    light = view.light[_about(view, at, LIMITS.core_radius * side_mm)].reshape(-1, 3)
    color, confidence = _color(light, _frame(view, at, side_mm))
    if best < LIMITS.plain_edges or other > LIMITS.fair * best or _may_be_another(light, view.full, color):
        confidence = min(confidence, HIGHEST_IN_DOUBT)
    return ColorDie(
        color=color,
        confidence=round(confidence, 3),
        x_mm=round(float(at[0]), 1),
        y_mm=round(float(at[1]), 1),
        angle_deg=round(float(turn[row, column]), 1),
        reason=None if color else "the color of its top cannot be read",
    )


def _squares(seen: Floats32, side_mm: float) -> tuple[Floats32, Floats32]:
    """Per cell: contrast of the weakest edge of a square around it (0 to 1), and the square's angle in degrees."""
    side = side_mm / CELL_MM / STEP
    across, down = slopes_of(seen)
    rows, columns = seen.shape[0], seen.shape[1]
    best = np.zeros((rows, columns), np.float32)
    angle = np.zeros_like(best)
    length = round(LIMITS.fair * side)
    turns = round(np.pi / 2 * side / 2)  # from one to the next, an edge's middle moves by a cell
    for deg in np.arange(turns) * 90.0 / turns:
        weakest = np.full_like(best, np.inf)
        for more in (0.0, 90.0):
            c, s = float(np.cos(np.radians(deg + more))), float(np.sin(np.radians(deg + more)))
            steep = np.maximum.reduce(cv2.split(np.abs(c * across + s * down)))
            usual = median(steep[::STEP, ::STEP])
            steep = np.asarray(steep / (steep + LIMITS.usual_steep * usual + 1e-6), np.float32)
            size = length | 1
            line = np.zeros((size, size), np.float32)
            middle, half = size // 2, length / 2
            fine = 2**SHARED.subpixel_bits
            ends = [(round((middle + k * half * -s) * fine), round((middle + k * half * c) * fine)) for k in (-1, 1)]
            cv2.line(line, ends[0], ends[1], 1.0, 1, cv2.LINE_AA, SHARED.subpixel_bits)
            along = cv2.filter2D(steep, cv2.CV_32F, line / line.sum())
            for k in (-0.5, 0.5):
                shift = np.array([[1, 0, k * side * c], [0, 1, k * side * s]])
                moved = cv2.warpAffine(along, shift, (columns, rows), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
                weakest = np.minimum(weakest, moved)
        angle = np.where(weakest > best, np.float32(deg), angle)
        best = np.maximum(best, weakest)
    return best, angle


def _color(light: Floats32, frame: float) -> tuple[str | None, float]:
    """The colour of a face with its confidence, from its light (N, 3) and the root of its frame's light."""
    top = np.sqrt(np.clip(light, 0.0, LIMITS.max_light))
    if not top.size:
        return None, 0.0
    middle = np.median(top, axis=0)
    lum, colored = float(cv2.cvtColor(middle[None, None], cv2.COLOR_BGR2GRAY)[0, 0]), float(np.ptp(middle))
    if colored < LIMITS.min_saturation:
        if lum > LIMITS.even_chance:
            return (BLACK, HIGHEST_IN_DOUBT) if lum < LIMITS.fair * frame else (None, 0.0)
        return BLACK, LIMITS.plain if LIMITS.plain_lead * colored < LIMITS.min_saturation else LIMITS.fair
    hue = float(cv2.cvtColor(middle[None, None], cv2.COLOR_BGR2HSV)[0, 0, 0])
    far = sorted((abs((hue - middle + 180) % 360 - 180), color) for color, middle in MIDDLES_DEG.items())
    (nearest, color), (next_one, _) = far[:2]
    is_plain = colored > LIMITS.plain_lead * LIMITS.min_saturation and nearest < next_one / 2
    return color, LIMITS.plain if is_plain else LIMITS.fair


def _frame(view: BoardView, at: Floats, side_mm: float) -> float:
    """Square root of the brightest light on a die's top: that of the white frame, where there is one."""
    shown = view.light[_about(view, at, side_mm / 2)]
    return float(np.quantile(np.sqrt(np.clip(shown, 0.0, LIMITS.max_light)).mean(axis=2), LIMITS.fair))


def _may_be_another(light: Floats32, full: Floats, color: str | None) -> bool:
    """Whether a face (N, 3) would have another colour if an overexposed channel were brighter."""
    for channel in np.flatnonzero((light >= full).mean(axis=0) > LIMITS.even_chance):
        brighter = light.copy()
        brighter[:, channel] *= LIMITS.plain_lead
        if _color(brighter, 0.0)[0] != color:
            return True
    return False


def _about(view: BoardView, at: Floats, reach_mm: float) -> tuple[slice, slice]:
    """The cells around a point, up to this distance each way."""
    column, row = np.rint(view.to_cells(at[None])[0]).astype(int)
    half = round(reach_mm / CELL_MM)
    return slice(max(0, row - half), row + half + 1), slice(max(0, column - half), column + half + 1)
