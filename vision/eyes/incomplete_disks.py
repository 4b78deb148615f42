"""Samurai that lie alone and show too little of a rim: a chip, a cap or a fruit of another size looks like that.

Votes of edges tell a circle's radius to about two millimetres. A disk of another size is then met along a part of its
rim only, like one that others cover. But where nothing can cover it, a samurai shows its whole rim. Each of 406
labelled ones showed 0.66 of it or more; each of 46 foreign things that were taken for sure samurai 0.61 or less.
"""

from __future__ import annotations

from dataclasses import replace

from companion.readings import SURE, Kind
from vision.eyes.pieces import Detection, radius_mm
from vision.eyes.samurai import UNSEEN_CONFIDENCE
from vision.measure.bodies import apart_mm

LEAST_SHOWN = 0.64
BESIDE_MM = 2.0
"""What lies nearer to a samurai may cover its rim, or have its colour."""
DIE_REACH_MM = 32.0
"""The top of a die is seen at most so far from its middle."""


def lower_confidence(pieces: list[Detection]) -> list[Detection]:
    """The pieces; uncovered samurai that show too little of a rim are unsure."""
    return [
        replace(piece, confidence=min(piece.confidence, UNSEEN_CONFIDENCE)) if _is_odd(piece, pieces) else piece
        for piece in pieces
    ]


def _is_odd(piece: Detection, pieces: list[Detection]) -> bool:
    if piece.kind is not Kind.SAMURAI or piece.flat is None or piece.flat.fit.coverage >= LEAST_SHOWN:
        return False
    return not any(_may_cover(other, piece) for other in pieces if other is not piece)


def _may_cover(other: Detection, disk: Detection) -> bool:
    """Whether another piece may hide a part of a samurai's rim, or lie under it in its colour."""
    if other.kind is Kind.TERRITORY and other.color != disk.color:
        return False
    if other.kind is Kind.SAMURAI and other.confidence < SURE:  # two of one thing's rims would vouch for each other
        return False
    reach_mm = DIE_REACH_MM if other.kind is Kind.EMPIRE_DIE else radius_mm(other)
    return apart_mm(other.place, disk.place) < radius_mm(disk) + reach_mm + BESIDE_MM
