"""Doubts about a samurai's pose: it may be on something hidden, or cover another samurai.

A disk 28 mm up shows its rim half a millimetre further out than on the table, and appears up to several millimetres
aside. Rims are measured to a tenth of that, so the height is known to some three millimetres. A disk on a die casts no
shadow next to its rim, so it looks smaller, as if it were six to 16 mm lower. A disk that leans on a ninja slopes by 20
to 30 degrees: it looks two millimetres narrower in one direction, and its place is wrong by up to three. Colour that
continues beyond a rim indicates another samurai below.
"""

import math
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats
from companion.game.readings import ANOTHER_BELOW, SURE, Kind
from vision.measure import bodies
from vision.measure.bodies import Place, apart_mm, motions_of, robust_steps
from vision.measure.colors import Colors
from vision.measure.limits import LIMITS as SHARED
from vision.measure.prepared import STEP_MM, PreparedImage
from vision.measure.rims import Rim, Samples, hue_of, measure_rims, spacing_px
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, Shapes


def doubt_raised(image: PreparedImage, shapes: Shapes, pieces: list[Detection]) -> list[Detection]:
    """The pieces, with larger errors for level samurai that seem higher than their supports: they may be on a missed
    die. The error covers their place there."""
    disks = [p for p in pieces if p.kind is Kind.SAMURAI and not p.is_leaning]
    mine = [i for i, p in enumerate(pieces) if p in disks and p.tilt_deg < LIMITS.level_deg and is_alone(p, disks)]
    if not mine:
        return pieces
    judged = list(pieces)
    level = [(piece.flat or piece).place for piece in (pieces[i] for i in mine)]
    rises, sigmas, seen, are_ovals = measured_rises(image, [pieces[i] for i in mine], level)
    is_high = (rises > LIMITS.doubt_sigmas * sigmas) & (seen > LIMITS.usual)
    for k in np.flatnonzero(are_ovals).tolist():  # it leans on something that it hides
        judged[mine[k]] = _spread(judged[mine[k]], LIMITS.oval_error_mm)
    for k in np.flatnonzero(is_high).tolist():
        i, place = mine[k], level[k]
        at, z = place.middle_mm[:2], float(place.middle_mm[2])
        raised = image.at_height(image.seen_at(at, z), z + 2 * shapes.empire_die.half_height_mm)
        spread = _spread(judged[i], float(np.hypot(*(raised - at))) / 2)
        judged[i] = replace(spread, confidence=min(spread.confidence, LIMITS.in_doubt), reason=ANOTHER_BELOW)
    return judged


def _spread(disk: Detection, by_mm: float) -> Detection:
    return replace(disk, spread_mm=float(np.hypot(disk.spread_mm, by_mm)))


def is_alone(disk: Detection, disks: list[Detection]) -> bool:
    """Whether no other disk of this colour can overlap this disk's rim."""
    near_mm = 2 * disk.solid.radius_mm
    return all(o is disk or o.color != disk.color or apart_mm(o.place, disk.place) > near_mm for o in disks)


def measured_rises(
    image: PreparedImage, disks: list[Detection], places: list[Place]
) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """Apparent height of disks (D,) above these places, with standard errors, in mm. Also the share of their
    rims against another colour, and whether the rims are ovals."""
    samples = Samples.of_disks(image.view, disks[0].solid, places)
    rim = measure_rims(image, samples, np.array([disk.color == "red" for disk in disks]))
    slopes = motions_of(image.view, places, samples.outline, samples.of, [0, 1, 2])
    certain = rim.seen * rim.clear / rim.sigma_px**2
    step, normal, left, weight = robust_steps(
        slopes, rim.offset_px, certain, certain, 2 * rim.sigma_px, samples.of, np.eye(3) * LIMITS.tiny
    )
    spacing = spacing_px(disks[0].solid)
    sigma = np.sqrt(np.linalg.inv(normal)[:, 2, 2] * scatter(samples, rim, left, weight, spacing))
    clear = np.bincount(samples.of, rim.seen & rim.clear) / np.bincount(samples.of)
    return step[:, 2], sigma, clear, _are_oval(samples, rim, slopes, spacing)


def _are_oval(samples: Samples, rim: Rim, slopes: Floats, spacing: float) -> NDArray[np.bool_]:
    """Whether rims (D,) are narrower in one direction than across it, by their second harmonic."""
    certain = rim.seen * rim.clear / rim.sigma_px**2
    turns = 2 * np.arctan2(samples.outline.body_mm[:, 1], samples.outline.body_mm[:, 0])
    px_mm = np.hypot(slopes[:, 0], slopes[:, 1])
    bent = np.column_stack([slopes, px_mm * np.cos(turns), px_mm * np.sin(turns)])
    reach = SHARED.fitting_sigmas * rim.sigma_px + LIMITS.max_oval_outlier_px
    step, normal, left, weight = robust_steps(
        bent, rim.offset_px, certain, certain, reach, samples.of, np.diag(LIMITS.oval_prior)
    )
    covariance = np.linalg.inv(normal)[:, 3:, 3:] * scatter(samples, rim, left, weight, spacing)[:, None, None]
    oval = step[:, 3:]
    square = np.einsum("di,dij,dj->d", oval, np.linalg.inv(covariance), oval)
    return np.asarray((np.hypot(*oval.T) > LIMITS.min_oval_mm) & (square > LIMITS.min_oval_sigmas**2))


def scatter(samples: Samples, rim: Rim, left: Floats, weight: Floats, spacing: float) -> Floats:
    """Growth factor (D,) of each rim's variance: scatter beyond the stated errors, times the error that neighbouring
    samples share."""
    misfit, whole = (
        np.add.reduceat(weight * square, samples.starts) for square in (np.square(left), np.square(rim.sigma_px))
    )
    together = SHARED.correlated_samples * SHARED.rim_spacing_px / spacing
    return np.asarray(np.maximum(1.0, misfit / np.maximum(whole, LIMITS.tiny)) * together)


def doubt_unexplained(image: PreparedImage, colors: Colors, pieces: list[Detection]) -> list[Detection]:
    """The pieces. Samurai with unexplained colour beyond their rim are unsure, with a larger error."""
    mine = [i for i, piece in enumerate(pieces) if piece.kind is Kind.SAMURAI]
    if not mine:
        return pieces
    found = bodies.silhouettes(image.view, pieces[mine[0]].solid, [pieces[i].place for i in mine], LIMITS.outline_px)
    outlines = bodies.outlines_px(image.view, [(piece.solid, piece.place) for piece in pieces], 2 * LIMITS.outline_px)
    judged = list(pieces)
    last = np.cumsum(found.counts)
    for i, first, end in zip(mine, (last - found.counts).tolist(), last.tolist(), strict=True):
        rim, normals = found.outline.pixels[first:end], found.outline.normals[first:end]
        px_mm = float(np.hypot(*(rim - rim.mean(axis=0)).T).mean()) / pieces[i].solid.radius_mm
        at = rim + normals * STEP_MM * px_mm
        redness, blueness = hue_of(image.light_px(at), image.paper)
        at = at[redness > colors.red_from if pieces[i].color == "red" else blueness > colors.blue_from]
        if _unexplained_mm(pieces, outlines, i, at, px_mm) >= LIMITS.reach_mm:
            confidence, rise = min(pieces[i].confidence, LIMITS.in_doubt), 2 * pieces[i].solid.half_height_mm
            judged[i] = replace(
                _spread(pieces[i], LIMITS.covered_error_mm), rise_mm=rise, confidence=confidence, reason=ANOTHER_BELOW
            )
    return judged


def _unexplained_mm(pieces: list[Detection], outlines: list[Floats], i: int, at: Floats, px_mm: float) -> float:
    """The length of coloured places (N, 2) outside a samurai's rim that no other piece explains."""
    if len(at) * LIMITS.outline_px >= LIMITS.reach_mm * px_mm:
        for other in _others(pieces, outlines, i, at):
            at = at[[cv2.pointPolygonTest(other, (x, y), True) < -LIMITS.outline_px for x, y in at.tolist()]]
    return len(at) * LIMITS.outline_px / px_mm


def _others(pieces: list[Detection], outlines: list[Floats], i: int, at: Floats) -> list[NDArray[np.float32]]:
    """The `outlines` of other pieces that may explain colour at these places (N, 2) of the picture."""
    low, high = at.min(axis=0) - LIMITS.outline_px, at.max(axis=0) + LIMITS.outline_px
    return [
        outline.astype(np.float32)
        for k, (piece, outline) in enumerate(zip(pieces, outlines, strict=True))
        if k != i
        and (piece.kind is not Kind.TERRITORY or piece.color == pieces[i].color)
        and (outline.max(axis=0) > low).all()
        and (outline.min(axis=0) < high).all()
    ]


def doubt_heaped(
    image: PreparedImage, pieces: list[Detection], rests_on: list[tuple[int, int, float]]
) -> list[Detection]:
    """The pieces. If a samurai on its own colour seems too high for two, it may hide a third: two rims that nearly
    coincide look like one larger rim."""
    alike = [i for i, j, _ in rests_on if pieces[i].color == pieces[j].color]
    if not alike:
        return pieces
    judged = list(pieces)
    uppers = [pieces[i] for i in alike]
    rises, sigmas, *_ = measured_rises(image, uppers, [upper.place for upper in uppers])
    seem_high = rises > LIMITS.doubt_sigmas * sigmas
    for i in np.array(alike)[seem_high].tolist():
        rise = 2 * pieces[i].solid.half_height_mm
        judged[i] = replace(_spread(pieces[i], LIMITS.covered_error_mm), rise_mm=rise, reason=ANOTHER_BELOW)
    return judged


def doubt_heights(pieces: list[Detection], rests_on: list[tuple[int, int, float]]) -> list[Detection]:
    """The pieces, with errors of samurai's heights that cover all possibilities.

    A samurai on others is as high as its supports. Its height is uncertain if something may be under them, if they are
    doubtful, or if the order of two is unsure.
    """
    judged = list(pieces)
    for i, j, sure in rests_on:
        if sure < LIMITS.most:
            for k in (i, j):
                judged[k] = replace(judged[k], rise_mm=max(judged[k].rise_mm, LIMITS.unsure_seen_mm))
    uppers = {i for i, _, _ in rests_on}
    for i in sorted(uppers, key=lambda i: float(pieces[i].place.middle_mm[2])):
        below = [judged[j] for k, j, _ in rests_on if k == i]
        rise = max(max(piece.rise_mm, LIMITS.unsure_seen_mm if piece.confidence < SURE else 0.0) for piece in below)
        judged[i] = replace(judged[i], rise_mm=math.hypot(max(judged[i].rise_mm, rise), LIMITS.covered_error_mm))
    return judged
