"""Samurai that lie on what they hide: flat on a die they are seen larger, aslant on a ninja as ovals.

At 28 mm a disk's rim is seen half a millimetre further out than on the table, and the disk itself up to several
millimetres aside. Rims are met to a tenth of that, so how high a disk lies is measured, to some three millimetres. One
that leans on a ninja slopes by 20 to 30 degrees: it is then two millimetres narrower one way, and its place up to three
off.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.readings import Kind
from vision.eyes.bodies import apart_mm, motions_of, upright
from vision.eyes.color import Colors
from vision.eyes.foreign import strike, without_fiducials
from vision.eyes.pieces import Found, Shapes, radius_mm
from vision.eyes.rims import CORRELATED, SPACING_PX, Fit, Rim, Samples, fit_disk, measure_rims, spacing_px
from vision.eyes.samurai import UNSEEN_CONFIDENCE
from vision.eyes.sight import STEP_MM, Floats, Sight
from vision.eyes.steps import robust_steps

RISE_MM, RISE_SIGMAS, RISE_SEEN = 14.0, 5.0, 0.9
"""A disk by itself that is seen to lie higher than it was laid by so much, and by so many standard errors, so much of
its rim being seen, lies on a die. Of 491 labelled samurai on the table or a territory, so much of them seen, none was
seen 9 mm higher. Samurai all but on others of their colour share rims."""
DOUBT_MM = 9.0
"""One that is seen higher by this may be one, and stays where it is laid, unsure."""
WHITE_MM2, LOW_RISE_MM, LOW_SIGMAS, LOW_SEEN = 12.0, 8.0, 3.0, 0.5
"""Beside so much white that no die explains this is enough."""
BETTER = 0.95
"""There its rim is met more closely by this factor."""
BESIDE_MM = 9.0
"""White is looked for so far beyond a rim, and no nearer than the view's blur."""
ALONE = 1.5
"""Another samurai of its colour nearer than this, in radii, may share its rim."""
OVAL_MM, OVAL_SIGMAS, ASLANT_MM = 0.4, 4.9, 2.0
"""A rim that is narrower one way than the other by twice this, and by so many standard errors, is no level disk's:
of 982 labelled samurai eight were. Its place is known so well."""
MOST_OFF_PX = 0.8
"""An oval's rim is further off a circle's than what a rim is left out for elsewhere."""
OVAL_HELD = (1e-6, 1e-6, 1e-4, 0.02, 0.02)
"""How firmly place, height and oval are held where little of a rim is seen (normal matrix, a mm)."""
LITTLE_MM, LITTLE_SIGMAS, LITTLE_SEEN = 7.0, 2.7, 0.6
"""One that is seen higher by this may lie on a ninja that it hides, and its error says of that place too: of 755
labelled ones on what was seen two."""
AMONG_SEEN, AMONG_CLEAR, AMONG_BETTER = 0.35, 0.45, 0.75
"""Of one on others, which hide parts of its rim and draw rims beside it, so much is seen to tell; higher up so much
must be seen, and met more closely by this factor, or by the one above where more of it is seen there. Of 254 labelled
ones one was; of 53 on dice that lay on a samurai of their colour 34."""
AS_FAR = 1.2
"""Its place errs as its height does, and a little more: at the least rise the table is within three standard errors."""


def perched(sight: Sight, colors: Colors, shapes: Shapes, pieces: list[Found], uppers: Collection[int]) -> list[Found]:
    """The pieces; samurai that are seen to lie higher than anything that was found under them lie on a die that they
    hide, and are unsure: their error says of both places. `uppers`, by index, are taken to lie on other samurai."""
    every = [i for i, p in enumerate(pieces) if p.kind is Kind.SAMURAI and not p.is_propped]
    disks = [pieces[i] for i in every if i not in uppers]
    mine = [i for i in every if i not in uppers and is_alone(pieces[i], disks)]
    judged = list(pieces)
    for i, disk in _raised_among(sight, shapes, pieces, [i for i in every if i not in mine]):
        judged[i] = disk
    if not mine:
        return judged
    disks = [pieces[i] for i in mine]
    for i, disk, rise, sigma, seen, is_oval in zip(mine, disks, *_rises(sight, disks), strict=True):
        if is_oval:
            disk = judged[i] = _spread(disk, ASLANT_MM)
        if rise > max(LITTLE_MM, LITTLE_SIGMAS * sigma) and seen > LITTLE_SEEN:
            disk = judged[i] = _spread(disk, moved_mm(sight, disk, 2 * shapes.ninja.half_height_mm) / 2)
        if rise < max(LOW_RISE_MM, LOW_SIGMAS * sigma) or seen < LOW_SEEN:
            continue
        is_raised = disk.confidence > UNSEEN_CONFIDENCE and rise > RISE_SIGMAS * sigma and seen > RISE_SEEN
        is_beside = _white_mm2(sight, colors, disk, pieces) > WHITE_MM2
        if not is_beside and not (is_raised and rise > DOUBT_MM):
            continue
        higher = _on_die(sight, shapes, disk, pieces, sigma / rise)
        if higher.fit.residual_px >= BETTER * disk.fit.residual_px:
            continue
        half_mm = apart_mm(higher.place, disk.place) / 2  # one that leans on a ninja toward the camera rises as well
        if is_beside or rise > RISE_MM:
            judged[i] = _spread(higher, half_mm)
        else:
            judged[i] = replace(_spread(disk, half_mm), confidence=UNSEEN_CONFIDENCE)
    return judged


def _raised_among(sight: Sight, shapes: Shapes, pieces: list[Found], among: list[int]) -> Iterator[tuple[int, Found]]:
    """Of samurai on others or beside one of their colour, by index, those that may lie on a die between, in doubt."""
    if not among:
        return
    disks = [pieces[i] for i in among]
    for i, disk, rise, sigma, seen, _ in zip(among, disks, *_rises(sight, disks), strict=True):
        if rise < max(LITTLE_MM, LITTLE_SIGMAS * sigma) or seen < AMONG_SEEN:
            continue
        higher = _lifted(sight, disk, float(disk.place.middle_mm[2]) + 2 * shapes.empire_die.half_height_mm)
        closer = higher.residual_px / max(disk.fit.residual_px, 1e-9)
        is_more = higher.coverage > disk.fit.coverage
        if higher.clear > AMONG_CLEAR and (closer < AMONG_BETTER or (closer < BETTER and is_more)):
            confidence = min(disk.confidence, UNSEEN_CONFIDENCE)
            yield i, replace(_spread(disk, apart_mm(higher.place, disk.place) / 2), confidence=confidence)


def _lifted(sight: Sight, disk: Found, height_mm: float) -> Fit:
    """The disk fitted level with its middle at a height, near where it is seen."""
    flat = (disk.flat or disk).place
    xy = sight.at_height(sight.seen_at(flat.middle_mm[:2], float(flat.middle_mm[2])), height_mm)
    return fit_disk(sight, disk.solid, upright(*xy.tolist(), height_mm), disk.color or "red")


def _spread(disk: Found, by_mm: float) -> Found:
    return replace(disk, spread_mm=float(np.hypot(disk.spread_mm, by_mm)))


def moved_mm(sight: Sight, disk: Found, by_mm: float) -> float:
    """How far aside a disk lies if it lies so much higher than it was laid."""
    x, y, z = (disk.flat or disk).place.middle_mm.tolist()
    xy = np.array([x, y])
    return float(np.hypot(*(sight.at_height(sight.seen_at(xy, z), z + by_mm) - xy)))


def is_alone(disk: Found, disks: list[Found]) -> bool:
    """Whether none of the disks may share a disk's rim."""
    near_mm = ALONE * radius_mm(disk)
    return all(o is disk or o.color != disk.color or apart_mm(o.place, disk.place) > near_mm for o in disks)


def _white_mm2(sight: Sight, colors: Colors, disk: Found, pieces: list[Found]) -> float:
    """How much white beside a disk no die that was found explains."""
    column, row = (round(float(x)) for x in sight.shown_at(disk.place.middle_mm))
    inner, outer = (round((radius_mm(disk) + more) / STEP_MM) for more in (STEP_MM / 2, BESIDE_MM))
    ring = np.zeros_like(colors.white)
    cv2.circle(ring, (column, row), outer, 255, -1)
    cv2.circle(ring, (column, row), inner, 0, -1)
    ring &= colors.white
    for piece in pieces:
        if piece.kind is Kind.EMPIRE_DIE:
            strike(sight, ring, piece.solid, piece.place)
    without_fiducials(sight, ring)
    return float(np.count_nonzero(ring)) * STEP_MM**2


def _on_die(sight: Sight, shapes: Shapes, disk: Found, pieces: list[Found], error: float) -> Found:
    """A samurai on a die that stands on the table or on a territory, its height known to this share of it."""
    x, y = disk.place.middle_mm[:2]
    lands = (p for p in pieces if p.kind is Kind.TERRITORY)
    on_land = next((p for p in lands if np.hypot(*(p.place.middle_mm[:2] - (x, y))) < radius_mm(p)), None)
    base_mm = 2 * on_land.solid.half_height_mm if on_land is not None else 0.0
    height_mm = base_mm + 2 * shapes.empire_die.half_height_mm + disk.solid.half_height_mm
    fit = _lifted(sight, disk, height_mm)
    aside_mm = float(np.hypot(*(fit.place.middle_mm - disk.place.middle_mm)[:2]))
    spread_mm = float(np.hypot(disk.spread_mm, AS_FAR * error * aside_mm))
    confidence = min(disk.confidence, UNSEEN_CONFIDENCE)
    return replace(disk, fit=fit, spread_mm=spread_mm, confidence=confidence)


def _rises(sight: Sight, disks: list[Found]) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """How much higher than on the table disks are seen to lie, the standard errors of that (D,), mm, what share of
    their rims is seen against another colour, and whether these are ovals."""
    solid, places = disks[0].solid, [(disk.flat or disk).place for disk in disks]
    samples = Samples.of_disks(sight.view, solid, places)
    rim = measure_rims(sight, samples, np.array([disk.color == "red" for disk in disks]))
    slopes = motions_of(sight.view, places, samples.outline, samples.of, [0, 1, 2])
    is_clear = rim.seen & rim.clear
    certain = is_clear / rim.sigma_px**2
    step, normal, left, weight = robust_steps(
        slopes, rim.offset_px, certain, certain, 2 * rim.sigma_px, samples.of, np.eye(3) * 1e-6, rounds=4
    )
    sigma = np.sqrt(np.linalg.inv(normal)[:, 2, 2] * scatter(samples, rim, left, weight, spacing_px(solid)))
    share = np.bincount(samples.of, is_clear) / np.bincount(samples.of)
    return step[:, 2], sigma, share, _are_ovals(samples, rim, slopes, certain, spacing_px(solid))


def _are_ovals(samples: Samples, rim: Rim, slopes: Floats, certain: Floats, spacing: float) -> NDArray[np.bool_]:
    """Whether rims are narrower one way than the other: their second harmonic, weighed with place and height."""
    turns = 2 * np.arctan2(samples.outline.body_mm[:, 1], samples.outline.body_mm[:, 0])
    px_mm = np.hypot(slopes[:, 0], slopes[:, 1])
    bent = np.column_stack([slopes, px_mm * np.cos(turns), px_mm * np.sin(turns)])
    reach = 4 * rim.sigma_px + MOST_OFF_PX
    step, normal, left, weight = robust_steps(
        bent, rim.offset_px, certain, certain, reach, samples.of, np.diag(OVAL_HELD), rounds=6
    )
    oval = step[:, 3:]
    covariance = np.linalg.inv(normal)[:, 3:, 3:] * scatter(samples, rim, left, weight, spacing)[:, None, None]
    square = np.einsum("di,dij,dj->d", oval, np.linalg.inv(covariance), oval)
    return np.asarray((np.hypot(*oval.T) > OVAL_MM) & (square > OVAL_SIGMAS**2))


def scatter(samples: Samples, rim: Rim, left: Floats, weight: Floats, spacing: float) -> Floats:
    """By what factor rims scatter more than they say (D,), as a variance; neighbours tell the same."""
    misfit, whole = (
        np.add.reduceat(weight * square, samples.starts) for square in (np.square(left), np.square(rim.sigma_px))
    )
    return np.asarray(np.maximum(1.0, misfit / np.maximum(whole, 1e-9)) * CORRELATED * SPACING_PX / spacing)
