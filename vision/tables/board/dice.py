"""Dice in a tray with a known place: two readers look at each, and a value is sure if both agree.

The tray is seen from straight above at the height of the dice's tops. The finder's network sees dice at any resolution
of the camera. The edges of a top of known size give its place (`tops`). Then pips of known size are compared with it in
all turns, and the face networks look at it too. The first reader has learned nothing, the second nothing of this tray:
they hardly make the same errors.

A die that leans on the tray's edge shows its pips as well. But it reaches over the edge, more of it is seen beyond a
level die's outline, or the network for poses sees it tilted. Then it has no value.
Source: normalised cross-correlation, J. P. Lewis, Fast template matching, Vision Interface (1995).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32, Picture
from calibration.edges import median
from calibration.pose import Pose
from companion.game.readings import HIGHEST_IN_DOUBT, SURE, BoardDie
from companion.game.says import Says
from vision.measure.limits import LIMITS as SHARED
from vision.measure.pictures import box_about, overlapping, sampled
from vision.measure.pip_patterns import Patterns, patterns
from vision.photo.dice.face import FaceReader, Halved, crop_of
from vision.photo.dice.find import DiceFinder, Found, distinct
from vision.photo.dice.pose import DOWN, RIGHT, PoseReader, normal_of
from vision.photo.dice.reader import logit
from vision.tables.board.limits import FAINT, LIMITS
from vision.tables.board.tops import ALONG, PIPS_REACH, Slopes, slopes_of, square_near
from vision.tables.board.view import CELL_MM, BoardView

Tray = tuple[float, float, float, float]
"""A tray's x0, y0, x1, y1 in mm of the table."""

SIDE_LENGTHS = 0.5 + ALONG
"""Sampled places along an edge of the outline, as shares of it."""
BEYOND_MM = 2 * CELL_MM * np.array([1, 2])
"""Distances beyond a level die's outline that are compared with its top."""
BLURRED = Says("its pips are not clear").template
TOO_BRIGHT = Says("too much light washes out its pips").template
LEANS = Says("it seems tilted, so roll again").template


@dataclass(frozen=True, slots=True)
class _Top:
    """A die's top: middle (x, y), value, fit, lead over the next value, the networks' chance."""

    x_mm: float
    y_mm: float
    angle_deg: float
    value: int
    score: float
    lead: float
    told: float
    is_square: bool
    """Its place was found by its edges."""
    is_agreed: bool
    """Both readers give this value."""

    @property
    def confidence(self) -> float:
        """The rate of right answers for such a value."""
        weight = LIMITS.correlation_weight * (self.score + self.lead) + 2 * logit(self.told) + LIMITS.top_log_odds
        weight += 2 * (self.is_square and self.is_agreed)
        return float(1 / (1 + np.exp(-weight)))


@dataclass(frozen=True, eq=False, slots=True)
class _Light:
    """The view, the compared light, each cell's loss of light against its surroundings, and the light's slopes."""

    view: BoardView
    shown: Floats32
    spots: Floats32
    slopes: Slopes


class TrayReader:
    """Reads the dice in a tray. Holds networks; not for several threads at once."""

    def __init__(self, faces: FaceReader | None = None) -> None:
        self._finder, self._faces, self._poses = DiceFinder(), faces or FaceReader(), PoseReader()

    def read(self, picture: Picture, view: BoardView, tray: Tray, side_mm: float) -> tuple[BoardDie, ...]:
        """The dice in `view`, at the height of their tops; those beyond the tray's edge only with a value."""
        cells = side_mm / CELL_MM
        seen = view.roots(LIMITS.max_light)
        above = np.asarray(cv2.convertScaleAbs(seen, alpha=255 / LIMITS.max_light**0.5), np.uint8)
        blue, green, red = cv2.split(seen)
        shown = np.asarray(cv2.min(cv2.min(blue, green), red), np.float32)
        size = round(PIPS_REACH * cells) // 2 * 2 + 1
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
        spots = np.asarray(cv2.morphologyEx(shown, cv2.MORPH_BLACKHAT, kernel), np.float32)
        found = distinct(self._finder.look(above, LIMITS.found_px / cells))
        if not found:
            return ()
        chances = self._faces.look(Halved(above), found, first_looks=1)
        light = _Light(view, shown, spots, slopes_of(shown))
        tops = [
            top
            for one, row in zip(found, chances, strict=True)
            if row[7] < 0.5 and (top := _top(light, one, row, side_mm)) is not None  # more probably a die than none
        ]
        outlines = [_outline(view, top, side_mm) for top in tops]
        doubled = {k for pair in overlapping([_square(top, side_mm) for top in tops]) for k in pair}
        off_level_deg = partial(self._off_level_deg, picture, view.pose)
        dice = [
            _die(light, top, outlines[k], outlines[:k] + outlines[k + 1 :], tray, side_mm, off_level_deg)
            for k, top in enumerate(tops)
        ]
        for k in doubled:  # two level dice cannot stand in one place
            dice[k] = replace(dice[k], confidence=min(dice[k].confidence, HIGHEST_IN_DOUBT))
        return tuple(die for die in dice if die.in_tray or die.value is not None)

    def _off_level_deg(self, picture: Picture, pose: Pose, top: _Top, side_mm: float) -> float:
        """The tilt of the upper face, by the picture of a die that may lean."""
        x0, y0, x1, y1 = _box(pose, top, side_mm)
        crop = crop_of(Halved(picture), Found((x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0, 1.0))
        (as_it_is, mirrored) = self._poses.look([crop, np.asarray(crop[:, ::-1], np.uint8)])
        across = (as_it_is[RIGHT] - mirrored[RIGHT]) / 2
        said = np.array([across, (as_it_is[DOWN] + mirrored[DOWN]) / 2], np.float64)
        middle = np.array([top.x_mm, top.y_mm, side_mm / 2])
        ray = (middle - pose.centre_mm) / np.linalg.norm(middle - pose.centre_mm)
        aside = np.array([0.0, 0.0, 1.0]) - ray[2] * ray
        here, there = pose.to_pixels(np.array([middle, middle + aside]))
        up = (there - here) / max(float(np.linalg.norm(there - here)), 1e-9) * np.linalg.norm(aside)
        return float(np.degrees(np.arccos(np.clip(normal_of(said) @ normal_of(up), -1, 1))))


def _top(light: _Light, one: Found, chances: Floats32, side_mm: float) -> _Top | None:
    """The top of a detection with the most probable value by both readers; None: it is partly outside the view."""
    view, known = light.view, patterns(side_mm, CELL_MM, SHARED.coarse_turn_deg / 2)
    about = _middle_of_top(view, one, side_mm)
    square = square_near(view, light.shown, light.slopes, about, side_mm)
    if square is None:
        return None
    is_square = square.skew >= LIMITS.min_square and min(square.falls) > 0
    if is_square:
        at = np.array([square.x_mm, square.y_mm])
        scores, places = _scores(light, at, np.arange(-LIMITS.stride_cells, LIMITS.stride_cells + 1), known)
        off = np.abs((known.angles_deg - square.angle_deg + 90 / 2) % 90 - 90 / 2)
        scores = np.where(off <= SHARED.coarse_turn_deg, scores, np.float32(-1))
    else:
        coarse = patterns(side_mm, CELL_MM, SHARED.coarse_turn_deg)
        scores, places = _scores(
            light, about, np.arange(-LIMITS.near_cells, LIMITS.near_cells + 1, LIMITS.stride_cells), coarse
        )
        if len(scores):
            at = view.to_table(places[scores.max(axis=1).argmax()][None])[0]
            scores, places = _scores(light, at, np.arange(1 - LIMITS.stride_cells, LIMITS.stride_cells), known)
    if not len(scores):
        return None
    share = chances[1:7] / max(1e-6, float(chances[:7].sum()))
    preferred = 0 if is_square else _preferred(1 + np.arange(len(share)))
    best = np.array([scores[:, known.values == value].max() for value in range(1, 7)])
    likely = np.maximum(np.log(share + 1e-9), -LIMITS.max_log_odds) + LIMITS.correlation_weight * (best + preferred)
    value = 1 + int(likely.argmax())
    lead = float((best + preferred)[value - 1] - np.delete(best + preferred, value - 1).max())
    place, which = np.unravel_index(int(np.where(known.values == value, scores, -1).argmax()), scores.shape)
    x, y = view.to_table(places[place][None])[0].tolist()
    angle = float(known.angles_deg[which])
    if is_square:
        x, y, angle = square.x_mm, square.y_mm, square.angle_deg
    told = float(share[value - 1]) * (1 - float(chances[7]))
    return _Top(
        x,
        y,
        angle,
        value,
        float(best[value - 1]),
        lead,
        told,
        is_square,
        is_agreed=bool(value - 1 == share.argmax() == best.argmax()),
    )


def _middle_of_top(view: BoardView, one: Found, side_mm: float) -> Floats:
    """The place of the middle of a level die's top, from the middle of the finder's box around top and foot."""
    camera = view.pose.centre_mm
    foot = (camera[2] - side_mm) / camera[2]
    middle = view.to_table(np.array([[one.x - 0.5, one.y - 0.5]]))[0]
    return np.asarray(camera[:2] + (middle - camera[:2]) * 2 / (1 + foot))


def _preferred(values: NDArray[np.int64]) -> Floats32:
    return np.where(values == 1, -SHARED.one_behind, SHARED.more_pips * values).astype(np.float32)


def _scores(
    light: _Light, at_mm: Floats, near: NDArray[np.int64], known: Patterns
) -> tuple[Floats32, NDArray[np.int64]]:
    """Best fit of each top at a cell `near` a place, (places, tops), and those cells, (places, 2)."""
    spots, at = light.spots, light.view.to_cells(at_mm[None])[0].round().astype(int)
    reach = int(known.cells.max())
    places = np.stack(np.meshgrid(at[0] + near, at[1] + near), axis=-1).reshape(-1, 2)
    is_inside = ((places >= reach) & (places < np.array(spots.shape[::-1]) - reach)).all(axis=1)
    places = places[is_inside]
    return known.scores(spots, places[:, 0], places[:, 1]), places


def _box(pose: Pose, top: _Top, side_mm: float) -> tuple[float, float, float, float]:
    """The box of the die in the picture, as if it were level."""
    corners = np.array([(*at, z) for at in _square(top, side_mm) for z in (0.0, side_mm)])
    return box_about(pose.to_pixels(corners))


def _die(
    light: _Light,
    top: _Top,
    outline: Floats,
    others: list[Floats],
    tray: Tray,
    side_mm: float,
    off_level_deg: Callable[[_Top, float], float],
) -> BoardDie:
    x0, y0, x1, y1 = tray
    foot = _square(top, side_mm)
    inside_mm = min(float((foot.min(axis=0) - (x0, y0)).min()), float(((x1, y1) - foot.max(axis=0)).min()))
    is_in_tray = x0 <= top.x_mm <= x1 and y0 <= top.y_mm <= y1
    is_at_edge = is_in_tray and inside_mm < side_mm / 2
    beyond = _beyond(light, top, outline, others, side_mm)
    may_lean = is_at_edge or beyond >= LIMITS.strange  # on the edge, or on another die
    is_level = not may_lean or off_level_deg(top, side_mm) <= LIMITS.max_level_deg
    if is_at_edge:
        is_level = is_level and inside_mm > -CELL_MM and beyond < LIMITS.strange
    confidence = top.confidence
    if beyond >= LIMITS.strange or _deepest_pip(light, top, side_mm) < FAINT:
        confidence = min(confidence, HIGHEST_IN_DOUBT)  # it touches something, or leans, or light washed pips out
    is_told = is_level and confidence >= (SURE if is_at_edge else 0.5)
    return BoardDie(
        value=top.value if is_told else None,
        in_tray=bool(is_in_tray),
        x_mm=round(top.x_mm, 1),
        y_mm=round(top.y_mm, 1),
        box=_box(light.view.pose, top, side_mm),
        confidence=round(float(confidence if is_told else min(confidence, HIGHEST_IN_DOUBT)), 3),
        reason=None if is_told else _why_untold(light, top, is_level, side_mm),
    )


def _why_untold(light: _Light, top: _Top, is_level: bool, side_mm: float) -> str:
    if not is_level:
        return LEANS
    part = _about(light.view.light, light.view, top, PIPS_REACH * side_mm / CELL_MM)
    is_full = (part >= LIMITS.likely * light.view.full).all(axis=-1)
    return TOO_BRIGHT if bool(is_full.mean() > 0.5) else BLURRED


def _square(top: _Top, side_mm: float) -> Floats:
    """The corners (4, 2) of a level die on the table."""
    c, s = np.cos(np.radians(top.angle_deg)), np.sin(np.radians(top.angle_deg))
    corners = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)]) @ np.array([(c, s), (-s, c)])
    return np.asarray((top.x_mm, top.y_mm) + side_mm / 2 * corners, np.float64)


def _outline(view: BoardView, top: _Top, side_mm: float) -> Floats:
    """The outline (N, 2) of a level die as the view shows it, in mm of the table."""
    square = _square(top, side_mm)
    return np.asarray(cv2.convexHull(np.vstack([square, view.lift(square, 0.0)]).astype(np.float32))[:, 0], np.float64)


def _beyond(light: _Light, top: _Top, outline: Floats, others: list[Floats], side_mm: float) -> float:
    """The light beyond a level die's outline, along its brightest edge, as a share of the top's, without other dice."""
    view, shown, middle = light.view, light.shown, outline.mean(axis=0)
    ground, bright = (median(_about(shown, view, top, reach)) for reach in (2 * side_mm / CELL_MM, LIMITS.near_cells))
    along = np.roll(outline, -1, axis=0) - outline
    is_long = np.hypot(*along.T) >= PIPS_REACH * side_mm
    start, along = outline[is_long], along[is_long]
    normals = np.column_stack([along[:, 1], -along[:, 0]]) / np.hypot(*along.T)[:, None]
    normals *= np.sign((normals * (start + along / 2 - middle)).sum(axis=1))[:, None]
    away = normals[:, None] * BEYOND_MM[:, None]
    points = (start[:, None] + away)[:, :, None] + along[:, None, None] * SIDE_LENGTHS[:, None]
    is_free = np.ones((len(along), len(SIDE_LENGTHS)), bool)
    for other in others:
        is_free &= ~_within(points, other).any(axis=1)
    lights = sampled(shown, view.to_cells(points.reshape(-1, 2)).astype(np.float32)[None]).reshape(points.shape[:3])
    seen = [median(light[free]) for light, free in zip(lights.min(axis=1), is_free, strict=True) if free.sum() > 1]
    return max([0.0, *((light - ground) / max(bright - ground, SHARED.dim) for light in seen)])


def _about(shown: Floats32, view: BoardView, top: _Top, reach_cells: float) -> Floats32:
    """The part of a picture of the view around a top's middle."""
    column, row = view.to_cells(np.array([[top.x_mm, top.y_mm]]))[0].round().astype(int)
    reach = round(reach_cells)
    return shown[max(row - reach, 0) : row + reach + 1, max(column - reach, 0) : column + reach + 1]


def _deepest_pip(light: _Light, top: _Top, side_mm: float) -> float:
    """Contrast of the darkest place of a top with its surroundings."""
    return float(_about(light.spots, light.view, top, PIPS_REACH * side_mm / CELL_MM).max())


def _within(points: Floats, outline: Floats) -> NDArray[np.bool_]:
    """Which points (..., 2) are within a convex outline (N, 2), or no further away than a cell."""
    along = np.roll(outline, -1, axis=0) - outline
    normals = np.column_stack([along[:, 1], -along[:, 0]]) / np.linalg.norm(along, axis=1)[:, None]
    normals *= np.sign(((outline - outline.mean(axis=0)) * normals).sum(axis=1))[:, None]
    off = np.einsum("...k,nk->...n", points, normals) - (outline * normals).sum(axis=1)
    return np.asarray((off < CELL_MM).all(axis=-1))
