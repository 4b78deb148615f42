"""Samurai that lie on what they hide: flat on a die they look larger, leaning on a ninja they look oval.

At 28 mm a disk's rim is seen half a millimetre further out than on the table, and the disk up to several millimetres
aside. Rims are met to a tenth of that, so the height is measured to some three millimetres. A disk that leans on a
ninja slopes by 20 to 30 degrees: it looks two millimetres narrower one way, and its place is off by up to three.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.readings import Kind
from vision.eyes.pieces import Detection, Shapes, radius_mm
from vision.eyes.samurai import UNSEEN_CONFIDENCE
from vision.measure.bodies import Fit, apart_mm, upright
from vision.measure.colors import Colors
from vision.measure.disk_fit import CORRELATED, fit_disk
from vision.measure.least_squares import robust_steps
from vision.measure.masks import erase_body, erase_fiducials
from vision.measure.prepared import STEP_MM, Floats, PreparedImage
from vision.measure.rims import SPACING_PX, Rim, Samples, measure_rims, spacing_px
from vision.measure.views import motions_of

RISE_MM, RISE_SIGMAS, RISE_SEEN = 14.0, 5.0, 0.9
"""A disk alone that seems so much higher, by so many standard errors, with so much of its rim seen, lies on a die. Of
491 labelled samurai on the table or a territory none seemed 9 mm higher. Samurai almost on others of their colour share
rims."""
DOUBT_MM = 9.0
"""One that seems higher by this may lie on one; it stays where it is, unsure."""
WHITE_MM2, LOW_RISE_MM, LOW_SIGMAS, LOW_SEEN = 12.0, 8.0, 3.0, 0.5
"""Beside so much unexplained white this is enough."""
BETTER = 0.95
"""By which factor its rim must be met more closely up there."""
BESIDE_MM = 9.0
"""How far beyond a rim white is searched."""
ALONE = 1.5
"""Another samurai of its colour nearer than this, in radii, may share its rim."""
OVAL_MM, OVAL_SIGMAS, OVAL_ERROR_MM = 0.4, 4.9, 2.0
"""A rim that is narrower one way by twice this, and by so many standard errors, is no level disk's: of 982 labelled
samurai eight were. The third is the error of its place."""
MOST_OFF_PX = 0.8
"""How far off a circle an oval's rim may be before it counts as an outlier."""
OVAL_HELD = (1e-6, 1e-6, 1e-4, 0.02, 0.02)
"""How firmly place, height and oval are held where little of a rim shows (normal matrix, a mm)."""
LITTLE_MM, LITTLE_SIGMAS, LITTLE_SEEN = 7.0, 2.7, 0.6
"""One that seems higher by this may lie on a hidden ninja, and its error covers that place too: of 755 labelled ones on
what was seen two did."""
AMONG_SEEN, AMONG_CLEAR, AMONG_BETTER = 0.35, 0.45, 0.75
"""One among others must show so much of its rim. Higher up so much must be clear, and met more closely by this factor,
or by the one above if more of it shows there. Of 254 labelled ones one was; of 53 on dice that lay on a samurai of
their colour 34."""
AS_FAR = 1.2
"""How much more its place errs than its height: at the least rise the table is within three standard errors."""


def judge_raised_disks(
    image: PreparedImage, colors: Colors, shapes: Shapes, pieces: list[Detection], uppers: Collection[int]
) -> list[Detection]:
    """The pieces; samurai that seem higher than anything found under them lie on a hidden die and are unsure: their
    error covers both places. `uppers`: indices of samurai on other samurai."""
    every = [i for i, p in enumerate(pieces) if p.kind is Kind.SAMURAI and not p.is_leaning]
    disks = [pieces[i] for i in every if i not in uppers]
    mine = [i for i in every if i not in uppers and is_alone(pieces[i], disks)]
    judged = list(pieces)
    for i, disk in _raised_among(image, shapes, pieces, [i for i in every if i not in mine]):
        judged[i] = disk
    if not mine:
        return judged
    disks = [pieces[i] for i in mine]
    for i, disk, rise, sigma, seen, is_oval in zip(mine, disks, *_rises(image, disks), strict=True):
        if is_oval:
            disk = judged[i] = _spread(disk, OVAL_ERROR_MM)
        if rise > max(LITTLE_MM, LITTLE_SIGMAS * sigma) and seen > LITTLE_SEEN:
            disk = judged[i] = _spread(disk, moved_mm(image, disk, 2 * shapes.ninja.half_height_mm) / 2)
        if rise < max(LOW_RISE_MM, LOW_SIGMAS * sigma) or seen < LOW_SEEN:
            continue
        is_raised = disk.confidence > UNSEEN_CONFIDENCE and rise > RISE_SIGMAS * sigma and seen > RISE_SEEN
        is_beside = _white_mm2(image, colors, disk, pieces) > WHITE_MM2
        if not is_beside and not (is_raised and rise > DOUBT_MM):
            continue
        higher = _on_die(image, shapes, disk, pieces, sigma / rise)
        if higher.fit.residual_px >= BETTER * disk.fit.residual_px:
            continue
        half_mm = apart_mm(higher.place, disk.place) / 2  # one that leans on a ninja toward the camera rises as well
        if is_beside or rise > RISE_MM:
            judged[i] = _spread(higher, half_mm)
        else:
            judged[i] = replace(_spread(disk, half_mm), confidence=UNSEEN_CONFIDENCE)
    return judged


def _raised_among(
    image: PreparedImage, shapes: Shapes, pieces: list[Detection], among: list[int]
) -> Iterator[tuple[int, Detection]]:
    """The samurai on others or beside one of their colour that may lie on a die between, by index, made unsure."""
    if not among:
        return
    disks = [pieces[i] for i in among]
    for i, disk, rise, sigma, seen, _ in zip(among, disks, *_rises(image, disks), strict=True):
        if rise < max(LITTLE_MM, LITTLE_SIGMAS * sigma) or seen < AMONG_SEEN:
            continue
        higher = _lifted(image, disk, float(disk.place.middle_mm[2]) + 2 * shapes.empire_die.half_height_mm)
        closer = higher.residual_px / max(disk.fit.residual_px, 1e-9)
        is_more = higher.coverage > disk.fit.coverage
        if higher.clear > AMONG_CLEAR and (closer < AMONG_BETTER or (closer < BETTER and is_more)):
            confidence = min(disk.confidence, UNSEEN_CONFIDENCE)
            yield i, replace(_spread(disk, apart_mm(higher.place, disk.place) / 2), confidence=confidence)


def _lifted(image: PreparedImage, disk: Detection, height_mm: float) -> Fit:
    """The disk fitted level with its middle at a height, near where it is seen."""
    flat = (disk.flat or disk).place
    xy = image.at_height(image.seen_at(flat.middle_mm[:2], float(flat.middle_mm[2])), height_mm)
    x, y = xy.tolist()
    return fit_disk(image, disk.solid, upright(x, y, height_mm), disk.color or "red")


def _spread(disk: Detection, by_mm: float) -> Detection:
    return replace(disk, spread_mm=float(np.hypot(disk.spread_mm, by_mm)))


def moved_mm(image: PreparedImage, disk: Detection, by_mm: float) -> float:
    """How far aside a disk is if it lies so much higher."""
    x, y, z = (disk.flat or disk).place.middle_mm.tolist()
    xy = np.array([x, y])
    return float(np.hypot(*(image.at_height(image.seen_at(xy, z), z + by_mm) - xy)))


def is_alone(disk: Detection, disks: list[Detection]) -> bool:
    """Whether no other disk may share this disk's rim."""
    near_mm = ALONE * radius_mm(disk)
    return all(o is disk or o.color != disk.color or apart_mm(o.place, disk.place) > near_mm for o in disks)


def _white_mm2(image: PreparedImage, colors: Colors, disk: Detection, pieces: list[Detection]) -> float:
    """How much white beside a disk no found die explains."""
    column, row = (round(float(x)) for x in image.shown_at(disk.place.middle_mm))
    inner, outer = (round((radius_mm(disk) + more) / STEP_MM) for more in (STEP_MM / 2, BESIDE_MM))
    ring = np.zeros_like(colors.white)
    cv2.circle(ring, (column, row), outer, 255, -1)
    cv2.circle(ring, (column, row), inner, 0, -1)
    ring &= colors.white
    for piece in pieces:
        if piece.kind is Kind.EMPIRE_DIE:
            erase_body(image, ring, piece.solid, piece.place)
    erase_fiducials(image, ring)
    return float(np.count_nonzero(ring)) * STEP_MM**2


def _on_die(image: PreparedImage, shapes: Shapes, disk: Detection, pieces: list[Detection], error: float) -> Detection:
    """A samurai on a die on the table or on a territory; `error`: the share to which its height is known."""
    x, y = disk.place.middle_mm[:2]
    lands = (p for p in pieces if p.kind is Kind.TERRITORY)
    on_land = next((p for p in lands if np.hypot(*(p.place.middle_mm[:2] - (x, y))) < radius_mm(p)), None)
    base_mm = 2 * on_land.solid.half_height_mm if on_land is not None else 0.0
    height_mm = base_mm + 2 * shapes.empire_die.half_height_mm + disk.solid.half_height_mm
    fit = _lifted(image, disk, height_mm)
    aside_mm = float(np.hypot(*(fit.place.middle_mm - disk.place.middle_mm)[:2]))
    spread_mm = float(np.hypot(disk.spread_mm, AS_FAR * error * aside_mm))
    confidence = min(disk.confidence, UNSEEN_CONFIDENCE)
    return replace(disk, fit=fit, spread_mm=spread_mm, confidence=confidence)


def _rises(image: PreparedImage, disks: list[Detection]) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """How much higher than laid disks seem, the standard errors (D,), mm, the share of their rims against another
    colour, and whether the rims are ovals."""
    solid, places = disks[0].solid, [(disk.flat or disk).place for disk in disks]
    samples = Samples.of_disks(image.view, solid, places)
    rim = measure_rims(image, samples, np.array([disk.color == "red" for disk in disks]))
    slopes = motions_of(image.view, places, samples.outline, samples.of, [0, 1, 2])
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
    """The factor (D,) for a rim's variance: how much more it scatters than it says, and how much neighbours err
    together."""
    misfit, whole = (
        np.add.reduceat(weight * square, samples.starts) for square in (np.square(left), np.square(rim.sigma_px))
    )
    return np.asarray(np.maximum(1.0, misfit / np.maximum(whole, 1e-9)) * CORRELATED * SPACING_PX / spacing)
