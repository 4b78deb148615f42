"""Samurai that lie by themselves and show too little of a rim: a chip, a cap or a fruit of another size may look so.

Votes of edges tell a circle's radius to about two millimetres, and a disk that is smaller or larger is then met along
a part of its rim only, as one that others cover. Where nothing can cover it a samurai shows its whole rim: of 406
labelled ones each showed 0.66 of it or more, and of 46 foreign things that were taken for sure ones each showed 0.61
or less.
"""

from __future__ import annotations

from dataclasses import replace

from companion.readings import SURE, Kind
from vision.eyes.bodies import apart_mm
from vision.eyes.pieces import Found, radius_mm
from vision.eyes.samurai import UNSEEN_CONFIDENCE

LEAST_SHOWN = 0.64
BESIDE_MM = 2.0
"""What lies no further from a samurai than this may cover its rim, or be as its colour."""
DIE_REACH_MM = 32.0
"""A die's top is seen so far from the middle of the die, at most."""


def doubted(pieces: list[Found]) -> list[Found]:
    """The pieces; samurai that nothing covers and that show too little of a rim are unsure."""
    return [
        replace(piece, confidence=min(piece.confidence, UNSEEN_CONFIDENCE)) if _is_odd(piece, pieces) else piece
        for piece in pieces
    ]


def _is_odd(piece: Found, pieces: list[Found]) -> bool:
    if piece.kind is not Kind.SAMURAI or piece.flat is None or piece.flat.fit.coverage >= LEAST_SHOWN:
        return False
    return not any(_may_cover(other, piece) for other in pieces if other is not piece)


def _may_cover(other: Found, disk: Found) -> bool:
    """Whether another piece may hide a part of a samurai's rim, or have it run on its own colour."""
    if other.kind is Kind.TERRITORY and other.color != disk.color:
        return False
    if other.kind is Kind.SAMURAI and other.confidence < SURE:  # two of one thing's rims would vouch for each other
        return False
    reach_mm = DIE_REACH_MM if other.kind is Kind.EMPIRE_DIE else radius_mm(other)
    return apart_mm(other.place, disk.place) < radius_mm(disk) + reach_mm + BESIDE_MM
