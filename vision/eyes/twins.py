"""Two samurai of one colour that lie exactly on each other: they look like one whose wall is twice as high.

The outline of such a pair reaches further than one disk's, away from the point under the camera, by some tenths of a
millimetre at the least. How far it does, as a share of what a second disk would add, is measured beside the place: nine
in ten of 700 labelled samurai that lay alone came out below 0.16, and half of 118 pairs above 0.55.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.readings import Kind
from vision.eyes.bodies import Place, Solid, motions_of, silhouettes
from vision.eyes.perched import is_alone, moved_mm, scatter
from vision.eyes.pieces import Found, Shapes
from vision.eyes.rims import Rim, Samples, fit_disk, measure_rims, spacing_px
from vision.eyes.samurai import UNSEEN_CONFIDENCE
from vision.eyes.sight import Floats, Sight
from vision.eyes.steps import robust_steps

LEAST_SEEN, MOST_SIGMA = 0.8, 0.2
"""So much of a rim is seen against another colour, and the share is known so well, or it is not asked."""
DOUBT_SHARE, DOUBT_SIGMAS = 0.1, 2.0
"""One that reaches further by such a share of a second disk, and by so many standard errors more, may be two: of 56
labelled pairs so well seen 43, of 467 single ones none."""
TWO_SHARE, TWO_SIGMAS = 0.25, 2.5
"""One that does by these is two: 18 of the same pairs reach so far, before it is asked whether it lies higher."""
BETTER, AS_WELL = 0.4, 1.5
"""There are two if they meet the rim more closely by the first factor (of a robust mean square) than one that lies
higher, and one if they do so less closely than by the second: samurai on dice that they hide and aslant on ninjas were
met as closely as by 0.5, pairs that were clearly seen by 0.2."""
NO_DIE_MM = 12.0
"""What is seen to lie no higher than this lies on no die or ninja."""
TWO_CONFIDENCE, UPPER_MM, LOWER_MM = 0.6, 0.5, 1.2
"""How surely there are two, and the errors of the places of the upper and of the lower one, which may lie up to three
millimetres aside without a rim of its own."""
REACH_PX = 0.8
"""A second disk's rim is further out than what a rim is left out for elsewhere."""
HELD, HIGHER_HELD = (1e-6, 1e-6, 1e-3), (1e-6, 1e-6, 1e-4)
"""How firmly place and share, or place and height, are held where little of a rim is seen (normal matrix, a mm and a
share)."""
LEAST_MISFIT = 0.1
"""No rim is met more closely, but by luck."""


def told_apart(
    sight: Sight,
    shapes: Shapes,
    pieces: list[Found],
    judged: list[Found],
    rests_on: list[tuple[int, int, float]],
) -> tuple[list[Found], list[tuple[int, int, float]]]:
    """The judged pieces, in which samurai that show a second one exactly below are two, and those that may are in
    doubt; and what rests on what. `pieces` are the same before what they lie on was judged by their size."""
    uppers = {upper for upper, _, _ in rests_on}
    mine = _single(pieces, uppers)
    told, rests = list(judged), list(rests_on)
    if not mine:
        return told, rests
    disks = [pieces[i] for i in mine]
    seconds = _seconds(sight, shapes, disks)
    for i, disk, second in zip(mine, disks, seconds, strict=True):
        if second.is_sure:
            told[i], lower = _both(sight, shapes, disk)
            rests.append((i, len(told), TWO_CONFIDENCE))
            told.append(lower)
        elif second.is_open:
            told[i] = _doubted(told[i], moved_mm(sight, disk, 2 * disk.solid.half_height_mm) + UPPER_MM)
    return told, rests


def _single(pieces: list[Found], uppers: Collection[int]) -> list[int]:
    """Which pieces are samurai that lie by themselves, wholly seen, on no other samurai."""
    every = [i for i, p in enumerate(pieces) if p.kind is Kind.SAMURAI and not p.is_propped]
    disks = [pieces[i] for i in every]
    return [
        i
        for i, disk in zip(every, disks, strict=True)
        if i not in uppers and not disk.is_hidden and not disk.is_crescent and is_alone(disk, disks)
    ]


@dataclass(frozen=True)
class Second:
    """What one disk's rim says of a second disk: the share of it that is seen and its standard error, how much more
    closely it explains the rim than one that lies higher (a ratio of robust mean squares), and how much higher."""

    share: float
    sigma: float
    misfit: float
    rise_mm: float

    @property
    def is_sure(self) -> bool:
        return self.share > TWO_SHARE + TWO_SIGMAS * self.sigma and self.misfit < BETTER

    @property
    def is_open(self) -> bool:
        is_further = self.share > DOUBT_SHARE + DOUBT_SIGMAS * self.sigma
        return is_further and (self.misfit < AS_WELL or self.rise_mm < NO_DIE_MM)


def _seconds(sight: Sight, shapes: Shapes, disks: list[Found]) -> list[Second]:
    """What the rims of disks say of second ones; nothing where too little of them is seen."""
    solid, places = disks[0].solid, [disk.place for disk in disks]
    samples = Samples.of_disks(sight.view, solid, places)
    rim = measure_rims(sight, samples, np.array([disk.color == "red" for disk in disks]))
    reach = _reach_px(sight, shapes.two_samurai, [_raised(place, solid.half_height_mm) for place in places], samples)
    slopes = motions_of(sight.view, places, samples.outline, samples.of, [0, 1, 2])
    misfit, share, sigma = _met(solid, samples, rim, np.column_stack([slopes[:, :2], reach]), HELD)
    higher, rise_mm, _ = _met(solid, samples, rim, slopes, HIGHER_HELD)
    seen = np.bincount(samples.of, rim.seen & rim.clear) / np.bincount(samples.of)
    share[(seen < LEAST_SEEN) | (sigma > MOST_SIGMA)] = 0.0
    ratio = misfit / np.maximum(higher, LEAST_MISFIT)
    return [Second(*each) for each in np.column_stack([share, sigma, ratio, rise_mm]).tolist()]


def _met(
    solid: Solid, samples: Samples, rim: Rim, slopes: Floats, held: Sequence[float]
) -> tuple[Floats, Floats, Floats]:
    """How closely rims are met (a robust mean square in their own errors) by steps with these slopes, the third of the
    steps and its standard error; (D,) each."""
    certain = (rim.seen & rim.clear) / rim.sigma_px**2
    reach = 4 * rim.sigma_px + REACH_PX
    step, normal, left, weight = robust_steps(
        slopes, rim.offset_px, certain, certain, reach, samples.of, np.diag(held), rounds=6
    )
    square = np.add.reduceat(certain * left**2 / (1 + (left / reach) ** 2), samples.starts)
    count = np.maximum(np.add.reduceat(certain * rim.sigma_px**2, samples.starts), 1.0)
    spread = scatter(samples, rim, left, weight, spacing_px(solid))
    return square / count, step[:, 2], np.sqrt(np.linalg.inv(normal)[:, 2, 2] * spread)


def _reach_px(sight: Sight, solid: Solid, places: list[Place], samples: Samples) -> Floats:
    """How far (N,) outside of each sample's point the outline of another solid runs."""
    found = silhouettes(sight.view, solid, places, 1.0)
    outlines = np.split(found.outline.pixels.astype(np.float32), np.cumsum(found.counts)[:-1])
    at = samples.outline.pixels.tolist()
    return np.array([cv2.pointPolygonTest(outlines[k], xy, True) for k, xy in zip(samples.of, at, strict=True)])


def _raised(place: Place, by_mm: float) -> Place:
    """A place moved along a disk's axis."""
    return Place(place.middle_mm + by_mm * place.axes[:, 2], place.axes)


def _both(sight: Sight, shapes: Shapes, disk: Found) -> tuple[Found, Found]:
    """The upper and the lower one of two disks that were taken for one."""
    half_mm = disk.solid.half_height_mm
    fit = fit_disk(sight, shapes.two_samurai, _raised(disk.place, half_mm), disk.color or "red")
    upper, lower = (
        _doubted(replace(disk, fit=replace(fit, place=_raised(fit.place, by_mm))), error_mm)
        for by_mm, error_mm in ((half_mm, UPPER_MM), (-half_mm, LOWER_MM))
    )
    return replace(upper, flat=None), lower


def _doubted(disk: Found, spread_mm: float) -> Found:
    confidence = min(disk.confidence, UNSEEN_CONFIDENCE, TWO_CONFIDENCE)
    return replace(disk, spread_mm=float(np.hypot(disk.spread_mm, spread_mm)), confidence=confidence)
