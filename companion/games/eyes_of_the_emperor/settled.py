"""What looks at the same table have told together: while a piece lies still it stays where and whose it is.

Whether the eye on a die's side is seen can hang by a hair, and every shadow that passes brings another look. A look
that does not see the eye takes nothing back; two that tell different owners leave it in doubt until the die moves. An
eye that looks up is not kept: a hand can turn a die over in its place, and its owner stays the same.
"""

from __future__ import annotations

from dataclasses import replace

from companion.games.eyes_of_the_emperor.scene import Lying, apart_mm
from companion.readings import HIGHEST_IN_DOUBT, EyesReading, Kind, Piece

SAME_MM = 1.0
"""What is found within this of where it lay has not been moved."""
TURNED_DEG = 3.0
"""A cube that is turned by more has been moved."""
CONTRADICTED = "looks at it lying still have told different owners"
"""Why the owner of such a die is not told: where it lay before does not tell it either."""


def lies_still(was: Lying | Piece, now: Lying | Piece) -> bool:
    """Whether a piece that is found now may be one that was found before and has not been touched."""
    if was.kind != now.kind or apart_mm(was, now) > SAME_MM:
        return False
    if was.kind in (Kind.TERRITORY, Kind.SAMURAI):
        return was.color == now.color
    if was.angle_deg is None or now.angle_deg is None:
        return True
    return abs((was.angle_deg - now.angle_deg + 45.0) % 90.0 - 45.0) <= TURNED_DEG


def settled(reading: EyesReading, before: EyesReading | None) -> EyesReading:
    """The newest reading, with what the settled one before it tells of pieces that still lie where they lay.

    Places stay those that were seen first, so that what is said of them does not change by noise and nothing creeps.
    """
    if before is None:
        return reading
    pieces = []
    for piece in reading.pieces:
        near = [(apart_mm(was, piece), was.id, was) for was in before.pieces if lies_still(was, piece)]
        pieces.append(_kept(min(near)[2], piece) if near else piece)
    return replace(reading, pieces=tuple(pieces))


def _kept(was: Piece, piece: Piece) -> Piece:
    now = replace(piece, x_mm=was.x_mm, y_mm=was.y_mm, angle_deg=was.angle_deg)
    if piece.kind is not Kind.EMPIRE_DIE:
        return now
    owners = {was.color, piece.color} - {None}
    if was.reason == CONTRADICTED or len(owners) > 1:
        confidence = min(piece.confidence, HIGHEST_IN_DOUBT)
        return replace(now, color=None, confidence=confidence, reason=CONTRADICTED)
    if piece.color is not None or not owners:
        return now
    return replace(now, color=was.color, reason=None if piece.marked_up is not None else piece.reason)
