"""The cube that fits the measured edges of a die."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.measure.bodies import Fit, Place, Silhouette, Solid, motions_of, robust_steps
from vision.measure.limits import LIMITS
from vision.measure.prepared import Floats, PreparedImage
from vision.measure.ridges import DiceShown, Ridges, measure_ridges, measured_share, ridges_of, show_dice

LEVEL_FREE = (0, 1, 5)
"""A level die moves in x and y and turns about the vertical."""


def fit_cube(image: PreparedImage, solid: Solid, place: Place, rounds: int = 3) -> Fit:
    """The place near `place` whose edges fit best, moving and turning it on its ground."""
    return fit_cubes(image, solid, [place], rounds=rounds)[0]


def fit_cubes(
    image: PreparedImage, solid: Solid, places: Sequence[Place], free: tuple[int, ...] = LEVEL_FREE, rounds: int = 3
) -> list[Fit]:
    """`fit_cube` for several places, each by itself."""
    fits = [_unfitted(place) for place in places]
    for _ in range(rounds):
        moved = _moved(image, fits, measure_ridges(image, solid, [fit.place for fit in fits]), free)
        if moved == fits:
            break
        fits = moved
    return fits


def relocated(image: PreparedImage, solid: Solid, shown: DiceShown) -> DiceShown:
    """The same dice; one with too few visible edges is also searched for near its place.

    Under a low window a die's side is brighter than its top. The whitest square then covers half of each.
    """
    places = list(shown.places)
    for k in np.flatnonzero(measured_share(shown) < LIMITS.min_met).tolist():
        place = places[k]
        beside = [
            Place(place.middle_mm + sign * far * solid.half_height_mm * place.axes[:, axis], place.axes)
            for axis in (0, 1)
            for sign in (-1.0, 1.0)
            for far in LIMITS.aside
        ]
        others = fit_cubes(image, solid, beside)
        shares = measured_share(show_dice(image, solid, [fit.place for fit in others]))
        best = int(np.lexsort((np.array([fit.residual_px for fit in others]), -shares))[0])
        if shares[best] >= LIMITS.min_met:
            places[k] = others[best].place
    is_same = all(place is before for place, before in zip(places, shown.places, strict=True))
    return shown if is_same else show_dice(image, solid, places)


def fit_shown(image: PreparedImage, shown: DiceShown) -> list[Fit]:
    """The dice moved once to their measured edges."""
    return _moved(image, [_unfitted(place) for place in shown.places], ridges_of(image, shown), LEVEL_FREE)


def _unfitted(place: Place) -> Fit:
    return Fit(place, np.zeros((6, 6)), 0.0, 0.0, 1.0, LIMITS.unfitted_px)


def _moved(image: PreparedImage, fits: list[Fit], found: list[Ridges], free: tuple[int, ...]) -> list[Fit]:
    """Dice moved once to their measured ridges; those with too few stay."""
    active = [
        i
        for i, ridges in enumerate(found)
        if len(ridges) >= (LIMITS.min_bared_ridges if image.covers else LIMITS.min_ridges)
    ]
    moved = list(fits)
    if active:
        stepped = _stepped(image, [fits[i].place for i in active], [found[i] for i in active], free)
        for i, fit in zip(active, stepped, strict=True):
            moved[i] = fit
    return moved


def _stepped(image: PreparedImage, places: list[Place], found: list[Ridges], free: tuple[int, ...]) -> list[Fit]:
    """Dice moved once to their measured ridges."""
    columns = list(free)
    of = np.repeat(np.arange(len(places)), [len(mine) for mine in found])
    slopes = motions_of(image.view, places, as_outline(found), of, columns)
    held = np.diag([LIMITS.held_bared[c > 2] if image.covers else LIMITS.held[c > 2] for c in columns])
    fits = []
    for place, solved in zip(places, solve(found, slopes, held), strict=True):
        whole, covariance = np.zeros(6), np.zeros((6, 6))
        whole[columns] = np.clip(solved.step, -3, 3)
        covariance[np.ix_(columns, columns)] = solved.covariance
        fits.append(Fit(place.moved(whole), covariance, solved.share, solved.share, 1.0, solved.residual_px))
    return fits


@dataclass(frozen=True, eq=False)
class Solved:
    """A step (F,) of a die's free motions and its covariance (F, F). `share` of the ridges agree after it; the
    residuals are RMS in sigmas, after it and before."""

    step: Floats
    covariance: Floats
    share: float
    residual_px: float
    before_px: float


def as_outline(found: list[Ridges]) -> Silhouette:
    """The ridges of several dice as an outline, for `motions_of`."""
    ridges = Ridges.joined(found)
    return Silhouette(np.zeros((0, 2)), ridges.normals, ridges.body_mm)


def misfit_px(ridges: Ridges) -> float:
    """The RMS of ridges' offsets in sigmas, with outliers weighed down."""
    return float(np.sqrt(_misfit(ridges.offset_px, ridges.sigma_px).mean()))


def _misfit(away_px: Floats, sigma_px: Floats) -> Floats:
    return np.asarray(away_px**2 / sigma_px**2 / (1 + (away_px / (2.5 * sigma_px)) ** 2))


def solve(found: list[Ridges], slopes: Floats, held: Floats) -> list[Solved]:
    """The step of each die that best explains its ridges' offsets; `slopes` (N, F) as in `robust_steps`."""
    counts = [len(ridges) for ridges in found]
    of, starts = np.repeat(np.arange(len(found)), counts), np.cumsum([0, *counts[:-1]])
    ridges = Ridges.joined(found)
    offset, sigma = ridges.offset_px, ridges.sigma_px
    certain = 1 / sigma**2
    step, normal, left, _ = robust_steps(slopes, offset, certain, certain, 2.5 * sigma, of, held)
    before, after = (np.sqrt(np.add.reduceat(_misfit(away, sigma), starts) / counts) for away in (offset, left))
    share = np.add.reduceat((np.abs(left) < 3 * sigma).astype(float), starts) / counts
    inverse = np.linalg.inv(normal)
    return [Solved(step[k], inverse[k], float(share[k]), float(after[k]), float(before[k])) for k in range(len(found))]
