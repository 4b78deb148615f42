"""How deep pieces lie in territories, with the error of each figure."""

from __future__ import annotations

import math

import numpy as np

from calibration.pose import Pose
from companion.margin import Margin
from companion.readings import Kind, Overlap
from vision.eyes.bodies import apart_mm
from vision.eyes.pieces import Found, margin_mm
from vision.eyes.sight import Floats

NEAR_MM = 20.0
"""Pairs nearer than this are measured."""
FLOOR_MM = {Kind.TERRITORY: 0.03, Kind.SAMURAI: 0.02, Kind.EMPIRE_DIE: 0.08}
"""What the best fit's own scatter does not show: shadows to one side, the lens's rest."""
FITS_PX = {Kind.TERRITORY: 1.0, Kind.SAMURAI: 0.1, Kind.EMPIRE_DIE: 0.65}
MISFIT_MM = {Kind.TERRITORY: 0.0, Kind.SAMURAI: 0.7, Kind.EMPIRE_DIE: 0.25}
MOST_MISFIT_PX = 1.0
"""A fit with a residual above this is off by so much more a pixel, up to so many pixels."""
WHOLE_RIM, RIM_MM = 0.85, 0.25
"""A samurai of whose rim less was met is off by so much more a share: what hides it bends the rest."""
TILT_MM = 0.1
"""How far a leaning die's footprint is off for its tilt alone."""
SEEN_ENOUGH, HIDDEN_MM = 0.35, 4.0
"""A piece of whose edge less than this is seen is known worse, by so many mm a share."""

FINE_PX_A_MM, COARSE_MM = 1.2, 1.0
"""A die's rounded edges are measured where a millimetre is so many pixels; seen more coarsely their error grows so."""
HOLD_PX, BLURRED_MM = 0.95, 2.0
"""The figures for those edges, and so where the light comes from and whether a die leans, hold up to such a blur of the
fiducials' edges; each pixel more hides so much: a die that leans by 5 degrees then looks level 1.5 to 3 mm aside."""


def overlaps(pieces: list[Found], ids: list[str], pose: Pose) -> tuple[Overlap, ...]:
    """Every empire die and samurai against every territory near it."""
    pairs = [
        (p, t)
        for t, territory in enumerate(pieces)
        if territory.kind is Kind.TERRITORY
        for p, piece in enumerate(pieces)
        if piece.kind in (Kind.EMPIRE_DIE, Kind.SAMURAI) and margin_mm(piece, territory) > -NEAR_MM
    ]
    if not pairs:
        return ()
    upper, lower = (np.array([pieces[i].place.middle_mm for i in mine]) for mine in zip(*pairs, strict=True))
    between = pose.covariance_between_mm2(lower, upper)
    return tuple(
        Overlap.of(ids[p], ids[t], margin_of(pieces[p], pieces[t], pose, placed))
        for (p, t), placed in zip(pairs, between, strict=True)
    )


def margin_of(piece: Found, territory: Found, pose: Pose, placed_mm2: Floats | None = None) -> Margin:
    """The depth of a piece's footprint in a territory and its standard error. `placed_mm2` (2, 2): what the pose adds,
    `Pose.covariance_between_mm2` of both middles, where it is known already."""
    centre = territory.place.middle_mm[:2]
    toward = piece.place.middle_mm[:2] - centre
    toward = toward / max(float(np.hypot(*toward)), 1e-9)
    depth = margin_mm(piece, territory) - float(toward @ piece.likely_mm)
    variance = _unseen_mm(piece) ** 2 + _unseen_mm(territory) ** 2 + piece.spread_mm**2
    if piece.kind is Kind.EMPIRE_DIE and not piece.under.is_flat:
        variance += TILT_MM**2
    if piece.kind is Kind.EMPIRE_DIE:
        px_a_mm = pose.lens.fx_px / float(pose.centre_mm[2] - piece.place.middle_mm[2])
        variance += (COARSE_MM * max(FINE_PX_A_MM / px_a_mm - 1, 0.0)) ** 2
        variance += (BLURRED_MM * max(pose.blur_px - HOLD_PX, 0.0)) ** 2
    variance += (HIDDEN_MM * max(SEEN_ENOUGH - piece.fit.coverage, 0.0)) ** 2
    if piece.raised is not None:  # as likely there as here
        variance += (apart_mm(piece.place, piece.raised) / 2) ** 2
    for found in (piece, territory):
        variance += float(toward @ found.fit.covariance[:2, :2] @ toward)
    if placed_mm2 is None:
        placed_mm2 = pose.covariance_between_mm2(territory.place.middle_mm[None], piece.place.middle_mm[None])[0]
    variance += float(toward @ placed_mm2 @ toward)
    return Margin(round(depth, 4), round(math.sqrt(variance), 4))


def _unseen_mm(found: Found) -> float:
    """What a fit's own scatter does not show, by how well it fits and how much of a disk's rim it met."""
    misfit = max(found.fit.residual_px - FITS_PX[found.kind], 0.0)
    hidden = max(WHOLE_RIM - found.fit.coverage, 0.0) if found.kind is Kind.SAMURAI else 0.0
    return FLOOR_MM[found.kind] + MISFIT_MM[found.kind] * min(misfit, MOST_MISFIT_PX) + RIM_MM * hidden
