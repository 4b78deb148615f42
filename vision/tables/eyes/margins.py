"""The depth of pieces in territories, with standard errors."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from calibration.pose import Pose
from companion.game.margin import TOO_CLOSE_SIGMAS, Margin
from companion.game.readings import Kind, Overlap
from vision.measure.bodies import Place, apart_mm, footprint, unit
from vision.measure.prepared import Floats
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, Lying, margin_at_mm, margin_mm

NORMAL = NormalDist()
FLOOR_MM = {Kind.TERRITORY: 0.03, Kind.SAMURAI: 0.02, Kind.EMPIRE_DIE: 0.08}
"""Errors, mm, that a fit's scatter does not show: shadows to one side, remaining distortion of the lens."""
FITS_PX = {Kind.TERRITORY: 1.0, Kind.SAMURAI: 0.1, Kind.EMPIRE_DIE: 0.65}
MISFIT_MM = {Kind.TERRITORY: 0.0, Kind.SAMURAI: 0.7, Kind.EMPIRE_DIE: 0.25}


def overlaps(pieces: list[Detection], ids: list[str], pose: Pose) -> tuple[Overlap, ...]:
    """The overlap of every empire die and samurai with every territory within `LIMITS.measured_mm`."""
    pairs = [
        (p, t)
        for t, territory in enumerate(pieces)
        if territory.kind is Kind.TERRITORY
        for p, piece in enumerate(pieces)
        if piece.kind in (Kind.EMPIRE_DIE, Kind.SAMURAI) and margin_mm(piece, territory) > -LIMITS.measured_mm
    ]
    if not pairs:
        return ()
    upper, lower = (np.array([pieces[i].place.middle_mm for i in mine]) for mine in zip(*pairs, strict=True))
    between = pose.covariance_between_mm2(lower, upper)
    told = []
    for (p, t), placed in zip(pairs, between, strict=True):
        overlap = Overlap.of(ids[p], ids[t], margin_of(pieces[p], pieces[t], pose, placed))
        other = other_way(pieces[p], pieces[t], overlap.margin_mm)
        if other is not None:
            outline = footprint(pieces[p].solid, other.fit.place)
            depth = round(margin_at_mm(pieces[p], other.fit.place, pieces[t]), 3)
            overlap = overlap.or_else(depth, tuple((x, y) for x, y in np.round(outline, 3).tolist()))
        told.append(overlap)
    return tuple(told)


def other_way(piece: Detection, territory: Detection, margin_mm: float) -> Lying | None:
    """The most probable pose on the other side of the rim; None: no pose there has enough weight."""
    across = [
        way
        for way in piece.ways
        if way.share > LIMITS.max_other_side and margin_at_mm(piece, way.fit.place, territory) * margin_mm < 0
    ]
    return max(across, key=lambda way: way.share, default=None)


def margin_of(piece: Detection, territory: Detection, pose: Pose, placed_mm2: Floats | None = None) -> Margin:
    """The depth of a piece's footprint in a territory, over all its possible poses, and its standard error.

    Each pose's depth has the error of its fit; all poses form a mixture, whose standard deviation is the error. If too
    much of the mixture is on the other side of the rim, the error is enlarged until the margin is too close to call.
    `placed_mm2` (2, 2): the pose's part, `Pose.covariance_between_mm2` of both middles, if already computed.
    """
    if placed_mm2 is None:
        placed_mm2 = pose.covariance_between_mm2(territory.place.middle_mm[None], piece.place.middle_mm[None])[0]
    shared = _shared_variance(piece, territory, pose, placed_mm2)
    ways = piece.ways or (Lying(piece.fit, piece.under, 1.0),)
    depths = np.array([margin_at_mm(piece, way.fit.place, territory) for way in ways])
    variances = np.array([shared + _own_variance(piece, way, territory) for way in ways])
    is_its_land = piece.land == territory.color
    sides = [0 if way.rests is None or not is_its_land else 1 if way.rests else -1 for way in ways]
    return mixture(depths, variances, np.array([way.share for way in ways]), np.array(sides))


def mixture(depths_mm: Floats, variances_mm2: Floats, shares: Floats, sides: NDArray[np.int64]) -> Margin:
    """The mean of a mixture of depths (N,) and its error.

    A piece on a territory overlaps it, a piece next to it does not. If this is known for a pose (`sides` 1 and -1; 0:
    unknown), the whole pose is on that side of the rim, however near.

    >>> sure, one_in_a_hundred = np.array([1.0, 0.0]), np.array([0.99, 0.01])
    >>> depths, variances, sides = np.array([-0.3, 1.5]), np.array([0.02, 0.02]), np.array([-1, 1])
    >>> print(*(mixture(depths, variances, shares, sides).call() for shares in (sure, one_in_a_hundred)))
    clear too_close
    """
    bound = np.where(variances_mm2 < LIMITS.max_margin_error_mm**2, sides, 0)
    depths_mm = np.where(bound > 0, np.maximum(depths_mm, 0), np.where(bound < 0, np.minimum(depths_mm, 0), depths_mm))
    mean = float(shares @ depths_mm)
    sigma = math.sqrt(float(shares @ (variances_mm2 + np.square(depths_mm - mean))))
    facing = math.copysign(1.0, mean)
    across = [NORMAL.cdf(-z) for z in (facing * depths_mm / np.sqrt(variances_mm2)).tolist()]
    other_side = float(shares @ np.where(bound == 0, across, bound * facing < 0))
    if other_side > LIMITS.max_other_side or abs(mean) < LIMITS.min_margin_mm:
        sigma = max(sigma, abs(mean) / TOO_CLOSE_SIGMAS * LIMITS.asked_factor)
    elif (bound != 0).all() and abs(mean) < TOO_CLOSE_SIGMAS * LIMITS.asked_factor * sigma:
        # cutting the mixture off at the rim makes it narrower, with its mean further from the rim
        sigma = max(LIMITS.half_normal * sigma, abs(mean) / TOO_CLOSE_SIGMAS / LIMITS.asked_factor)
        mean = facing * TOO_CLOSE_SIGMAS * LIMITS.asked_factor * sigma
    return Margin(round(mean, 4), round(sigma, 4))


def _own_variance(piece: Detection, way: Lying, territory: Detection) -> float:
    """The variance of the depth in one pose."""
    toward = _toward(way.fit.place, territory)
    misfit = max(way.fit.residual_px - FITS_PX[piece.kind], 0.0)
    hidden = max(LIMITS.whole_rim - way.fit.coverage, 0.0) if piece.kind is Kind.SAMURAI else 0.0
    unseen = (
        FLOOR_MM[piece.kind] + MISFIT_MM[piece.kind] * min(misfit, LIMITS.max_misfit_px) + LIMITS.rim_error_mm * hidden
    )
    tilt = LIMITS.tilt_error_mm**2 if piece.kind is Kind.EMPIRE_DIE and not way.under.is_flat else 0.0
    return unseen**2 + tilt + float(toward @ way.fit.covariance[:2, :2] @ toward)


def _shared_variance(piece: Detection, territory: Detection, pose: Pose, placed_mm2: Floats) -> float:
    """The variance common to all poses of the piece."""
    toward = _toward(piece.place, territory)
    aside = (piece.place.middle_mm - pose.centre_mm)[:2] / float(pose.centre_mm[2] - piece.place.middle_mm[2])
    variance = FLOOR_MM[Kind.TERRITORY] ** 2 + piece.spread_mm**2 + (float(toward @ aside) * piece.rise_mm) ** 2
    if piece.kind is Kind.EMPIRE_DIE:
        px_a_mm = pose.lens.fx_px / float(pose.centre_mm[2] - piece.place.middle_mm[2])
        variance += (LIMITS.coarse_error_mm * max(LIMITS.fine_px_per_mm / px_a_mm - 1, 0.0)) ** 2
        variance += (LIMITS.blur_error_mm * max(pose.blur_px - LIMITS.max_blur_px, 0.0)) ** 2
    variance += (LIMITS.hidden_error_mm * max(LIMITS.enough_edge - piece.fit.coverage, 0.0)) ** 2
    if piece.raised is not None:  # both places are equally likely
        variance += (apart_mm(piece.place, piece.raised) / 2) ** 2
    return variance + float(toward @ (placed_mm2 + territory.fit.covariance[:2, :2]) @ toward)


def _toward(place: Place, territory: Detection) -> Floats:
    """The direction from a territory's middle to a place."""
    return unit(place.middle_mm[:2] - territory.place.middle_mm[:2])
