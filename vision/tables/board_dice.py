"""White dice in a tray whose place is known: found and read by the pips of their tops, leaning ones told apart.

The tray is seen from straight above at the height of the dice's tops, where a level die's top is a square of known
size. What stands out brightly is compared with all tops at all turns. A die that leans on the tray's edge shows its
pips too, but its outline is not a level die's; near the edge no value is sure.
Source: normalised cross-correlation, J. P. Lewis, Fast template matching, Vision Interface (1995).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.readings import HIGHEST_IN_DOUBT, BoardDie
from vision.measure.components import components_of
from vision.measure.pip_patterns import Patterns, patterns
from vision.measure.sampling import box_about, sampled
from vision.tables.board_view import CELL_MM, BoardView, Floats, Floats32

Tray = tuple[float, float, float, float]
"""A tray's x0, y0, x1, y1 in mm of the table."""

COARSE, TURN_DEG, FINE_TURN_DEG = 2, 9.0, 4.5
"""A coarse cell is so many cells wide; tops are tried at such turns."""
MOST_LIGHT = 1.3
BRIGHTER, LARGEST_SIDES, CLOSED = 0.1, 1.9, 5
"""A top is brighter (root of light, paper = 1) than what is so many sides about it; pips of so many coarse cells are
filled first."""
LEAST_CORE, MOST_CORE = 0.25, 5.0
"""What is left of dice when their rims are taken off is at least so broad and at most so long, in sides."""
MORE_PIPS, ONE_BEHIND = 0.02, 0.08
"""One pip of a two is a one beside its place: the pattern that tells of more pips is preferred by so much a pip."""
PERHAPS, LEAST_SCORE = 0.42, 0.58
"""Correlations from which a bright thing is looked at closely, and from which it is a die."""
MOST_DICE, APART_SIDES, NEAR_CELLS, ASTRAY_CELLS = 10, 0.72, 3, 5
BEYOND_MM, LEAST_EDGE_MM, LEAST_BEYOND, NOTHING_BEYOND = (1.8, 2.6), 5.0, 0.25, 0.2
"""A level die ends where its outline says: so far beyond it, all along an edge, there is less than this share of the
top's light; it is sure where there is less than the last."""
LEAST_ALONE, MOST_ALONE, WHITE = 0.2, 1.1, 0.6
"""Without its rim a die's bright part is so large, in squares of the side, and so bright (root of light)."""
SPOT_SIDES, FAINT = 0.34, 0.62
"""Where light washes pips out, only what is darker than all so far about it (in sides) is compared, and fits less."""
NEAR_EDGE_MM, ON_EDGE_MM = 3.0, -2.0
"""A die whose foot, were it level, is nearer to the tray's edge may lean on it; one so far beyond it does."""
CONFIDENCE = (16.0, 18.0, -12.0)
"""Logistic rule of a value: weights of its correlation and of its lead over the next value, and the constant."""
BLURRED = "its pips are not clear"
LEANS = "it leans: its value does not count"


@dataclass(frozen=True, slots=True)
class _Top:
    """The top of a die: its middle (x, y) on the table, how well its value (0: none) fits, and its lead over the next
    one."""

    x_mm: float
    y_mm: float
    angle_deg: float
    value: int
    score: float
    lead: float


def read_dice(view: BoardView, tray: Tray, side_mm: float) -> tuple[BoardDie, ...]:
    """The dice in and beside a tray that `view` shows at the height of their tops."""
    b, g, r = cv2.split(view.light)
    shown = np.sqrt(np.minimum(cv2.min(cv2.min(b, g), r), MOST_LIGHT))
    found = (_die(view, shown, top, tray, side_mm) for top in _tops(view, shown, side_mm))
    return tuple(die for die in found if die.in_tray or die.value is not None)  # beside it other things are bright too


def _die(view: BoardView, shown: Floats32, top: _Top, tray: Tray, side_mm: float) -> BoardDie:
    x0, y0, x1, y1 = tray
    foot = _square(top, side_mm)
    inside_mm = min(float((foot.min(axis=0) - (x0, y0)).min()), float(((x1, y1) - foot.max(axis=0)).min()))
    is_in_tray = x0 <= top.x_mm <= x1 and y0 <= top.y_mm <= y1
    is_at_edge = inside_mm < NEAR_EDGE_MM
    beyond = _beyond(view, shown, top, side_mm) if top.value else 1.0
    is_level = not is_at_edge or (beyond < LEAST_BEYOND and not (is_in_tray and inside_mm < ON_EDGE_MM))
    corners = np.array([(*at, z) for at in foot for z in (0.0, side_mm)])
    box_px = view.pose.to_pixels(corners)
    by_score, by_lead, constant = CONFIDENCE
    confidence = 1 / (1 + np.exp(-(by_score * top.score + by_lead * top.lead + constant)))
    if beyond >= (NOTHING_BEYOND if is_at_edge else LEAST_BEYOND):  # else it touches another die, or leans on it
        confidence = min(confidence, HIGHEST_IN_DOUBT)
    is_told = is_level and confidence >= 0.5
    return BoardDie(
        value=top.value if is_told else None,
        in_tray=bool(is_in_tray),
        x_mm=round(top.x_mm, 1),
        y_mm=round(top.y_mm, 1),
        box=box_about(box_px),
        confidence=round(float(confidence if is_told else min(confidence, HIGHEST_IN_DOUBT)), 3),
        reason=None if is_told else BLURRED if is_level else LEANS,
    )


def _tops(view: BoardView, shown: Floats32, side_mm: float) -> list[_Top]:
    """All tops, the plainest first."""
    small = np.asarray(cv2.resize(shown, None, fx=1 / COARSE, fy=1 / COARSE, interpolation=cv2.INTER_AREA), np.float32)
    known = patterns(side_mm, COARSE * CELL_MM, TURN_DEG)
    labels = _bright(small, side_mm, int(known.cells.max()))
    rows, columns = np.nonzero(labels)
    if not len(rows):
        return []
    scores = known.scores(-small, columns, rows) + _preferred(known)
    which = scores.argmax(axis=1)
    peaks = scores[np.arange(len(rows)), which]
    found: list[_Top] = []
    left = peaks > PERHAPS
    near = patterns(side_mm, CELL_MM, FINE_TURN_DEG)
    while left.any() and len(found) < MOST_DICE:
        i = int(np.where(left, peaks, -1.0).argmax())
        turned = _turned_like(near, float(known.angles_deg[which[i]]))
        left &= np.hypot(columns - columns[i], rows - rows[i]) * COARSE * CELL_MM > APART_SIDES * side_mm
        top = _matched(view, shown, COARSE * int(columns[i]), COARSE * int(rows[i]), turned, NEAR_CELLS)
        if (
            top is not None
            and top.score > LEAST_SCORE
            and all(_apart_mm(top, o) > APART_SIDES * side_mm for o in found)
        ):
            found.append(top)
    return found + _unread(view, shown, labels, found, side_mm)


def _unread(
    view: BoardView, shown: Floats32, labels: NDArray[np.int32], found: list[_Top], side_mm: float
) -> list[_Top]:
    """Tops of bright things of a die's size whose pips show faintly or not at all; their value may be 0."""
    more = []
    size = round(SPOT_SIDES * side_mm / CELL_MM) // 2 * 2 + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    spots = np.asarray(cv2.morphologyEx(shown, cv2.MORPH_BLACKHAT, kernel), np.float32)
    for label in range(1, int(labels.max()) + 1):
        rows, columns = np.nonzero(labels == label)
        share = len(rows) * (COARSE * CELL_MM / side_mm) ** 2
        if not LEAST_ALONE <= share <= MOST_ALONE:
            continue
        column, row = round(COARSE * float(columns.mean())), round(COARSE * float(rows.mean()))
        x, y = view.to_table(np.array([[column, row]]))[0].tolist()
        if any(np.hypot(x - top.x_mm, y - top.y_mm) < side_mm for top in found):
            continue
        top = _matched(view, -spots, column, row, patterns(side_mm, CELL_MM, FINE_TURN_DEG), ASTRAY_CELLS)
        if top is not None and top.score >= FAINT:
            more.append(top)
        elif float(np.median(shown[row - 5 : row + 6, column - 5 : column + 6])) > WHITE:
            more.append(_Top(x, y, 0.0, 0, 0.0, 0.0))
    return more


def _apart_mm(a: _Top, b: _Top) -> float:
    return float(np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm))


def _bright(small: Floats32, side_mm: float, reach: int) -> NDArray[np.int32]:
    """Coarse cells in the middle of something bright no larger than a few dice, numbered by thing, else 0; none of them
    is within `reach` cells of the border."""
    size = round(LARGEST_SIDES * side_mm / (COARSE * CELL_MM)) // 2 * 2 + 1
    filled = cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones((CLOSED, CLOSED), np.uint8))
    standing_out = cv2.morphologyEx(filled, cv2.MORPH_TOPHAT, np.ones((size, size), np.uint8))
    core = np.asarray(cv2.erode((standing_out > BRIGHTER).astype(np.uint8), np.ones((5, 5), np.uint8)), np.uint8)
    inside = np.zeros(core.shape, bool)
    inside[reach:-reach, reach:-reach] = True
    count, labels, stats = components_of(core)
    side = side_mm / (COARSE * CELL_MM)
    for i in range(1, count):
        wide, high, area = stats[i, cv2.CC_STAT_WIDTH], stats[i, cv2.CC_STAT_HEIGHT], stats[i, cv2.CC_STAT_AREA]
        is_die = min(wide, high) >= LEAST_CORE * side and max(wide, high) <= MOST_CORE * side
        if not is_die or area < LEAST_CORE * max(wide, high) * LEAST_CORE * side:
            inside[labels == i] = False
    return np.where(inside, labels, 0).astype(np.int32)


def _turned_like(known: Patterns, angle_deg: float) -> Patterns:
    """Those patterns whose angle is near to one found on coarse cells."""
    gap = np.abs((known.angles_deg - angle_deg + 45) % 90 - 45)
    kept = gap <= TURN_DEG
    per_angle = len(known.values) // known.masks.shape[1]
    masks = known.masks[:, kept[::per_angle]]
    return Patterns(known.cells, masks, known.looks[:, kept], known.values[kept], known.angles_deg[kept])


def _preferred(known: Patterns) -> Floats32:
    return np.where(known.values == 1, -ONE_BEHIND, MORE_PIPS * known.values).astype(np.float32)


def _matched(view: BoardView, shown: Floats32, column: int, row: int, known: Patterns, astray: int) -> _Top | None:
    """The best top near a cell."""
    reach = int(known.cells.max())
    near = np.arange(-astray, astray + 2)
    columns, rows = (grid.ravel() for grid in np.meshgrid(column + near, row + near))
    high, wide = shown.shape
    inside = (columns >= reach) & (columns < wide - reach) & (rows >= reach) & (rows < high - reach)
    if not inside.any():
        return None
    columns, rows = columns[inside], rows[inside]
    scores = known.scores(-shown, columns, rows)
    told = scores + _preferred(known)
    at, which = np.unravel_index(int(told.argmax()), told.shape)
    value = int(known.values[which])
    others = float(told[:, known.values != value].max())
    x, y = view.to_table(np.array([[columns[at], rows[at]]]))[0]
    return _Top(
        x_mm=float(x),
        y_mm=float(y),
        angle_deg=float(known.angles_deg[which]),
        value=value,
        score=float(scores[at, which]),
        lead=float(told[at, which]) - others,
    )


def _square(top: _Top, side_mm: float) -> Floats:
    """The corners (4, 2) of a level die on the table."""
    turn = np.radians(top.angle_deg + np.array([45.0, 135.0, 225.0, 315.0]))
    return np.array([top.x_mm, top.y_mm]) + side_mm / 2**0.5 * np.column_stack([np.cos(turn), np.sin(turn)])


def _beyond(view: BoardView, shown: Floats32, top: _Top, side_mm: float) -> float:
    """How much of the top's light there is beyond the level die's outline, along its brightest edge."""
    square = _square(top, side_mm)
    hull = cv2.convexHull(np.vstack([square, view.lift(square, 0.0)]).astype(np.float32))[:, 0]
    middle = hull.mean(axis=0)
    column, row = view.to_cells(np.array([[top.x_mm, top.y_mm]]))[0].round().astype(int)
    reach = round(2.5 * side_mm / CELL_MM)
    ground = float(np.median(shown[max(row - reach, 0) : row + reach, max(column - reach, 0) : column + reach]))
    bright = float(np.median(shown[row - 5 : row + 6, column - 5 : column + 6]))
    most = 0.0
    for a, b in zip(hull, np.roll(hull, -1, axis=0), strict=True):
        along = b - a
        if np.hypot(*along) < LEAST_EDGE_MM:
            continue
        normal = np.array([along[1], -along[0]]) / np.hypot(*along)
        normal *= np.sign(normal @ ((a + b) / 2 - middle))
        edge = a + along * np.linspace(0.15, 0.85, 9)[:, None]
        lights = [_sampled(shown, view.to_cells(edge + normal * far)) for far in BEYOND_MM]
        most = max(most, (float(np.median(np.min(lights, axis=0))) - ground) / max(bright - ground, 0.05))
    return most


def _sampled(shown: Floats32, cells: Floats) -> Floats32:
    at = cells.astype(np.float32).reshape(1, -1, 2)
    return np.asarray(sampled(shown, at)[0], np.float32)
