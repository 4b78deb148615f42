"""White dice: where they may be, and the cube that fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.eyes.bodies import Outline, Place, Solid, motions_of
from vision.eyes.color import Colors
from vision.eyes.cuts import angles_of, cut_out
from vision.eyes.parts import parts_of
from vision.eyes.ridges import Ridges, Shown, measure_ridges, met, ridges_of, shown_of
from vision.eyes.rims import Fit
from vision.eyes.sight import STEP_MM, Floats, Floats32, Mask, Sight
from vision.eyes.steps import robust_steps

CORE_MM = 10.0
"""A die's top holds a disk of this radius; what is white and holds none is no die of this size."""
LEAST_WHITER = 0.3
"""A top is whiter than what is beside it by this."""
LEAST_RIDGES, LEAST_BARED = 4, 2
"""Edges (halves) that a fit needs: of a die in full view, and of one that others cover."""
HELD, HELD_BARED = (1e-4, 1e-1), (0.1, 400.0)
"""How firmly a fit is held to where it begins, in place and in turn (a mm, a radian): a die in full view, and one that
others cover, of whose edges too few may be seen."""
EYE_PX = 9
"""An eye leaves holes in a top of at most so many pixels of the view from above."""
HALF_HIDDEN = (0.3, 0.9)
"""A die is taken for half hidden when so much of its top's area is white,"""
MOSTLY_WHITE = 0.65
"""of its own, an eye's ink left out,"""
LEAST_BESIDE, BESIDE_PX = 0.12, 11
"""and so much of what borders on it is red or blue, within half so many pixels: a disk's wall may be in the dark."""
LEVEL_FREE = (0, 1, 5)
"""A level die moves in x and y and turns about the vertical."""
LEAST_MET, ASIDE = 0.65, (0.35, 0.7)
"""Of a die in full view so many halves of its edges are met: of 145 labelled ones 0.7 and more, of two places half off
a die 0.4 and 0.6. It is looked for so far beside such a place, in half sides."""
UNFITTED_PX = 9.0
"""The residual of a place of which too few edges are measured."""


@dataclass(frozen=True, slots=True)
class Square:
    """A square seen from above: the middle (x, y) of a top at `height_mm`, its angle and how white it is against
    its surroundings."""

    x_mm: float
    y_mm: float
    angle_deg: float
    score: float


def find_squares(sight: Sight, colors: Colors, side_mm: float) -> list[Square]:
    """Tops of white dice: squares of the kit's side, whiter than all around."""
    white = colors.white.copy()
    contours, _ = cv2.findContours(white, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    cv2.drawContours(white, contours, -1, 255, -1)  # the eye's ink leaves holes
    deep = cv2.distanceTransform(white, cv2.DIST_L2, 5) * STEP_MM
    core = (deep > CORE_MM).astype(np.uint8)
    count, labels, stats = parts_of(core)
    low = whiteness(colors, colors.red | colors.blue, white)
    found = []
    for i in range(1, count):
        x, y, width, height = stats[i, :4]
        at = np.argwhere(labels[y : y + height, x : x + width] == i) + np.array([y, x])
        for seed in _seeds(at, stats[i]):
            square = square_near(sight, low, seed, side_mm)
            if square is not None:
                found.append(square)
    return found


def whiteness(colors: Colors, spoilt: Mask, within: Mask) -> Floats32:
    """How white places are, at most 1; what is `spoilt` `within` a die, by ink or by what lies on it, is white too."""
    low = np.minimum(colors.low, np.float32(1.0))
    low[(spoilt & within) > 0] = 1.0
    return low


def square_near(sight: Sight, low: Floats32, seed: Floats, side_mm: float) -> Square | None:
    """The square about a seed (row, column) in the view from above, if it is whiter than all around."""
    return _whiter(sight, low, _search(low, seed, side_mm, _angles_near(sight, seed, side_mm, 2)), side_mm)


def squares_near(sight: Sight, low: Floats32, seed: Floats, side_mm: float, directions: int) -> list[Square]:
    """The best square about a seed in each of so many directions in which edges run there."""
    angles = _angles_near(sight, seed, side_mm, directions)
    squares = [_whiter(sight, low, _search(low, seed, side_mm, [angle]), side_mm) for angle in angles]
    return [square for square in squares if square is not None]


def _angles_near(sight: Sight, seed: Floats, side_mm: float, most: int) -> list[float]:
    middle = sight.at_height(sight.to_table(np.array([seed[1], seed[0]])), side_mm)
    return angles_of(cut_out(sight, middle, 0.0, 1.7 * side_mm, side_mm), most)


def _whiter(sight: Sight, low: Floats32, square: tuple[float, float, float, float], side_mm: float) -> Square | None:
    """A square that was searched for, if it is whiter than all around and by the valley."""
    x, y = sight.to_table(np.array([square[1], square[0]]))
    is_in = -5 < x < sight.kit.mat.width_mm + 5 and -5 < y < sight.kit.mat.height_mm + 5
    if not is_in or square[3] <= LEAST_WHITER:
        return None
    square = _outermost(low, square, side_mm, sight)
    x, y = sight.to_table(np.array([square[1], square[0]]))
    return Square(float(x), float(y), square[2], square[3])


def find_half_hidden(sight: Sight, colors: Colors, side_mm: float, taken: list[Floats]) -> list[list[Square]]:
    """Dice of which other pieces hide much: for each white strip as wide as a die, beside red or blue and far from
    the middles `taken`, the squares that it may be a part of."""
    white = colors.white
    box = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (EYE_PX, EYE_PX))
    white = cv2.morphologyEx(cv2.morphologyEx(white, cv2.MORPH_CLOSE, box), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, labels, stats = parts_of(white)
    found = []
    for i in range(1, count):
        if not HALF_HIDDEN[0] < stats[i, cv2.CC_STAT_AREA] * STEP_MM**2 / side_mm**2 < HALF_HIDDEN[1]:
            continue
        mine = (labels == i).astype(np.uint8)
        if (colors.white[mine > 0] > 0).mean() < MOSTLY_WHITE:  # the pips of several black dice
            continue
        ring = cv2.dilate(mine, np.ones((BESIDE_PX, BESIDE_PX), np.uint8)) - mine
        if ((colors.red | colors.blue)[ring > 0] > 0).mean() < LEAST_BESIDE:
            continue
        at = sight.at_height(sight.to_table(np.argwhere(mine)[:, ::-1]), side_mm)
        middle = at.mean(axis=0)
        if any(np.hypot(*(middle - other)) < 0.7 * side_mm for other in taken):
            continue
        found.append(_strips(sight, at, middle, side_mm))
    return [squares for squares in found if squares]


def _strips(sight: Sight, at: Floats, middle: Floats, side_mm: float) -> list[Square]:
    """Squares of which a white strip (points (N, 2)) may be a part: as wide, and anywhere along it that covers it."""
    squares = []
    for angle in angles_of(cut_out(sight, middle, 0.0, 1.7 * side_mm, side_mm), 1):
        c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
        turn = np.array([[c, s], [-s, c]])
        low, high = np.percentile((at - middle) @ turn.T, [1.5, 98.5], axis=0)
        wide = int(np.argmax(high - low))
        if not 0.85 < (high - low)[wide] / side_mm < 1.2 or (high - low)[1 - wide] > 0.92 * side_mm:
            continue
        centre = (low + high) / 2
        for shift in np.linspace(high[1 - wide] - side_mm / 2, low[1 - wide] + side_mm / 2, 3):
            centre[1 - wide] = shift
            x, y = middle + centre @ turn
            squares.append(Square(float(x), float(y), angle, 0.0))
    return squares


def _seeds(at: Floats, stats: Floats) -> list[Floats]:
    """Middles (row, column) of the tops in one white core: several dice touch where it is long."""
    reach = max(stats[cv2.CC_STAT_WIDTH], stats[cv2.CC_STAT_HEIGHT]) * STEP_MM
    count = 1 + int(reach > 26) + int(reach > 52)
    if count == 1:
        return [at.mean(axis=0)]
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 20, 0.5)
    cv2.setRNGSeed(1)
    _, _, centres = cv2.kmeans(at.astype(np.float32), count, None, criteria, 3, cv2.KMEANS_PP_CENTERS)
    return list(centres)


def _outermost(
    low: Floats, square: tuple[float, float, float, float], side_mm: float, sight: Sight
) -> tuple[float, float, float, float]:
    """A top as bright as a side lies at the end away from the camera's foot: slid there while it stays as white."""
    foot = sight.to_grid(sight.pose.centre_mm[:2])
    away = np.array([square[0] - foot[1], square[1] - foot[0]])
    away /= max(float(np.hypot(*away)), 1e-6)
    angle = np.radians(square[2])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    ring = np.linspace(-0.9, 0.9, 9) * side_mm / 2 / STEP_MM
    inside = np.array([(u, v) for u in ring for v in ring]) @ turn.T
    whole = float(_mean(low, square[0], square[1], inside))
    best = square
    for step in np.arange(0.5, 7.0, 0.5):
        r, c = square[0] + away[0] * step, square[1] + away[1] * step
        if float(_mean(low, r, c, inside)) < whole - 0.015:
            break
        best = (r, c, square[2], square[3])
    return best


def _mean(low: Floats, row: float, column: float, points: Floats) -> float:
    c = np.rint(column + points[:, 0]).astype(int).clip(0, low.shape[1] - 1)
    r = np.rint(row + points[:, 1]).astype(int).clip(0, low.shape[0] - 1)
    return float(low[r, c].mean())


def _search(low: Floats, seed: Floats, side_mm: float, likely: list[float]) -> tuple[float, float, float, float]:
    """The best square near a seed: (row, column, angle in degrees, score)."""
    half = side_mm / 2 / STEP_MM
    ring = np.linspace(-0.8, 0.8, 5)
    inside = np.array([(u * half, v * half) for u in ring for v in ring])
    edge = np.linspace(-0.85, 0.85, 6)
    out = 1.22 * half
    outside = np.array(
        [(e * half, s * out) for e in edge for s in (-1, 1)] + [(s * out, e * half) for e in edge for s in (-1, 1)]
    )
    rim = 0.88 * half
    inner_rim = np.array(
        [(e * half, s * rim) for e in edge for s in (-1, 1)] + [(s * rim, e * half) for e in edge for s in (-1, 1)]
    )
    points = np.vstack([inside, inner_rim, outside])
    shares = [(0.5, inside), (0.5, inner_rim), (-1.0, outside)]
    worth = np.concatenate([np.full(len(p), share / len(p), np.float32) for share, p in shares])
    best = (float(seed[0]), float(seed[1]), 0.0, -1.0)
    for step, reach, angles in ((1.5, 4.5, np.array(likely)), (0.7, 1.4, np.arange(-3, 3.1, 1.5))):
        origin = best
        shifts = np.arange(-reach, reach + 0.01, step)
        dr, dc = np.meshgrid(shifts, shifts, indexing="ij")
        for angle in angles + (0.0 if step == 1.5 else origin[2]):
            c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
            turn = np.array([[c, -s], [s, c]])
            p = points @ turn.T
            col = np.rint(origin[1] + dc[..., None] + p[:, 0]).astype(int).clip(0, low.shape[1] - 1)
            row = np.rint(origin[0] + dr[..., None] + p[:, 1]).astype(int).clip(0, low.shape[0] - 1)
            score = low.ravel().take(row * low.shape[1] + col) @ worth
            i = np.unravel_index(int(score.argmax()), score.shape)
            if score[i] > best[3]:
                best = (origin[0] + dr[i], origin[1] + dc[i], float(angle), float(score[i]))
    return best


def fit_cube(sight: Sight, solid: Solid, place: Place, free: tuple[int, ...] = LEVEL_FREE, rounds: int = 3) -> Fit:
    """The place near `place` whose edges fit best, moving it by the `free` steps of `Place.moved`."""
    return fit_cubes(sight, solid, [place], free, rounds)[0]


def fit_cubes(
    sight: Sight, solid: Solid, places: Sequence[Place], free: tuple[int, ...] = LEVEL_FREE, rounds: int = 3
) -> list[Fit]:
    """What `fit_cube` says of each of several places, each by itself."""
    fits = [_unfitted(place) for place in places]
    for _ in range(rounds):
        moved = _moved(sight, fits, measure_ridges(sight, solid, [fit.place for fit in fits]), free)
        if moved == fits:
            break
        fits = moved
    return fits


def found_again(sight: Sight, solid: Solid, shown: Shown) -> Shown:
    """What a picture shows of dice, those of whose edges too few are met looked for beside where they seem to be.

    Under a low window a die's side is brighter than its top, and the whitest square lies half on each.
    """
    places = list(shown.places)
    for k in np.flatnonzero(met(shown) < LEAST_MET).tolist():
        place = places[k]
        beside = [
            Place(place.middle_mm + sign * far * solid.half_height_mm * place.axes[:, axis], place.axes)
            for axis in (0, 1)
            for sign in (-1.0, 1.0)
            for far in ASIDE
        ]
        others = fit_cubes(sight, solid, beside)
        shares = met(shown_of(sight, solid, [fit.place for fit in others]))
        best = int(np.lexsort(([fit.residual_px for fit in others], -shares))[0])
        if shares[best] >= LEAST_MET:
            places[k] = others[best].place
    is_same = all(place is before for place, before in zip(places, shown.places, strict=True))
    return shown if is_same else shown_of(sight, solid, places)


def fit_shown(sight: Sight, shown: Shown) -> list[Fit]:
    """The dice moved once to where the edges that a picture shows of them are."""
    return _moved(sight, [_unfitted(place) for place in shown.places], ridges_of(sight, shown), LEVEL_FREE)


def _unfitted(place: Place) -> Fit:
    return Fit(place, np.zeros((6, 6)), 0.0, 0.0, 1.0, UNFITTED_PX)


def _moved(sight: Sight, fits: list[Fit], found: list[Ridges], free: tuple[int, ...]) -> list[Fit]:
    """Dice moved once to where their ridges are measured; those with too few stay."""
    active = [i for i, ridges in enumerate(found) if len(ridges) >= (LEAST_BARED if sight.covers else LEAST_RIDGES)]
    moved = list(fits)
    if active:
        stepped = _stepped(sight, [fits[i].place for i in active], [found[i] for i in active], free)
        for i, fit in zip(active, stepped, strict=True):
            moved[i] = fit
    return moved


def _stepped(sight: Sight, places: list[Place], found: list[Ridges], free: tuple[int, ...]) -> list[Fit]:
    """Dice moved to where their ridges are measured."""
    columns = list(free)
    of = np.repeat(np.arange(len(places)), [len(mine) for mine in found])
    slopes = motions_of(sight.view, places, lines_of(found), of, columns)
    held = np.diag([HELD_BARED[c > 2] if sight.covers else HELD[c > 2] for c in columns])
    fits = []
    for place, solved in zip(places, solve(found, slopes, held), strict=True):
        whole, covariance = np.zeros(6), np.zeros((6, 6))
        whole[columns] = np.clip(solved.step, -3, 3)
        covariance[np.ix_(columns, columns)] = solved.covariance
        fits.append(Fit(place.moved(whole), covariance, solved.share, solved.share, 1.0, solved.residual_px))
    return fits


@dataclass(frozen=True, eq=False)
class Solved:
    """A step (F,) of a die's free motions with its covariance (F, F), the share of its ridges that agree after it, and
    the RMS of what is left in their sigmas, after it and `before_px`."""

    step: Floats
    covariance: Floats
    share: float
    residual_px: float
    before_px: float


def lines_of(found: list[Ridges]) -> Outline:
    """The ridges of several dice as an outline whose motion can be asked for."""
    ridges = Ridges.joined(found)
    return Outline(np.zeros((0, 2)), ridges.normals, ridges.body_mm)


def misfit_px(ridges: Ridges) -> float:
    """The RMS of what ridges are off in their sigmas, outliers weighed down."""
    return float(np.sqrt(_misfit(ridges.offset_px, ridges.sigma_px).mean()))


def _misfit(away_px: Floats, sigma_px: Floats) -> Floats:
    return np.asarray(away_px**2 / sigma_px**2 / (1 + (away_px / (2.5 * sigma_px)) ** 2))


def solve(found: list[Ridges], slopes: Floats, held: Floats) -> list[Solved]:
    """The step of each die that explains its ridges' offsets; `slopes` (N, F) as in `robust_steps`, for all ridges."""
    counts = [len(ridges) for ridges in found]
    of, starts = np.repeat(np.arange(len(found)), counts), np.cumsum([0, *counts[:-1]])
    ridges = Ridges.joined(found)
    offset, sigma = ridges.offset_px, ridges.sigma_px
    certain = 1 / sigma**2
    step, normal, left, _ = robust_steps(slopes, offset, certain, certain, 2.5 * sigma, of, held, rounds=6)
    before, after = (np.sqrt(np.add.reduceat(_misfit(away, sigma), starts) / counts) for away in (offset, left))
    share = np.add.reduceat((np.abs(left) < 3 * sigma).astype(float), starts) / counts
    inverse = np.linalg.inv(normal)
    return [Solved(step[k], inverse[k], float(share[k]), float(after[k]), float(before[k])) for k in range(len(found))]
