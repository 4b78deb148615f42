"""What looks at the same table have told together: while a piece lies still it stays where and whose it is.

Whether the eye on a die's side is seen can hang by a hair, and every shadow that passes brings another look. A look
that does not see the eye takes nothing back, but an eye that was there is seen again: an owner that hardly any look
tells was a shadow. Then, and where two looks tell different owners, the die stays in doubt until it moves. An eye that
looks up is not kept: a hand can turn a die over in its place, and its owner stays the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from companion.games.eyes_of_the_emperor.scene import Lying, apart_mm
from companion.readings import HIGHEST_IN_DOUBT, EyesReading, Kind, Piece

SAME_MM = 1.0
"""What is found within this of where it lay has not been moved."""
TURNED_DEG = 3.0
"""A cube that is turned by more has been moved."""
SILENT_A_TELLING = 6
"""With more looks than this that tell no owner for each one that does, whoever is told is doubted. An eye that every
third look sees falls into doubt once in twelve times, one that every second look sees once in a hundred."""
CONTRADICTED = "looks at it lying still have told different owners"
"""Why the owner of such a die is not told: where it lay before does not tell it either."""
NOT_TOLD_AGAIN = "one look told an owner, and those after it did not"
"""The same of a die whose eye may have been a shadow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """What the looks at a die that lies still told of whose it is."""

    told: frozenset[str] = frozenset()
    times: int = 0
    """How many looks told it."""
    silent: int = 0
    """How many have not, from the first on that did."""
    doubt: str | None = None
    """Why it is in doubt until the die moves."""

    def after(self, color: str | None) -> Owner:
        """After one more look, which told `color` or nothing."""
        told = self.told | ({color} if color is not None else set())
        now = replace(
            self,
            told=told,
            times=self.times + (color is not None),
            silent=self.silent + (color is None and bool(told)),
        )
        if len(told) > 1:
            return replace(now, doubt=CONTRADICTED)
        return replace(now, doubt=NOT_TOLD_AGAIN) if now.silent > SILENT_A_TELLING * now.times > 0 else now


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledReading(EyesReading):
    """A reading that is carried on, with what its looks told of the owners of the dice, by id."""

    owners: Mapping[str, Owner] = field(default_factory=dict)


def lies_still(was: Lying | Piece, now: Lying | Piece) -> bool:
    """Whether a piece that is found now may be one that was found before and has not been touched."""
    if was.kind != now.kind or apart_mm(was, now) > SAME_MM:
        return False
    if was.kind in (Kind.TERRITORY, Kind.SAMURAI):
        return was.color == now.color
    if was.angle_deg is None or now.angle_deg is None:
        return True
    return abs((was.angle_deg - now.angle_deg + 45.0) % 90.0 - 45.0) <= TURNED_DEG


def settled(reading: EyesReading, before: EyesReading | None) -> SettledReading:
    """The newest reading, with what the settled one before it tells of pieces that still lie where they lay.

    Places stay those that were seen first, so that what is said of them does not change by noise and nothing creeps.
    """
    lain = before.pieces if before is not None else ()
    known = before.owners if isinstance(before, SettledReading) else {p.id: Owner().after(p.color) for p in lain}
    pieces = []
    owners = {}
    for piece in reading.pieces:
        near = [(apart_mm(was, piece), was.id, was) for was in lain if lies_still(was, piece)]
        was = min(near)[2] if near else None
        now = piece if was is None else replace(piece, x_mm=was.x_mm, y_mm=was.y_mm, angle_deg=was.angle_deg)
        if piece.kind is Kind.EMPIRE_DIE:
            owner = (Owner() if was is None else known[was.id]).after(piece.color)
            owners[piece.id] = owner
            now = _owned(now, owner)
        pieces.append(now)
    return SettledReading(
        table=reading.table,
        pieces=tuple(pieces),
        overlaps=reading.overlaps,
        rests_on=reading.rests_on,
        owners=owners,
    )


def _owned(die: Piece, owner: Owner) -> Piece:
    if owner.doubt is not None:
        limit = HIGHEST_IN_DOUBT if owner.doubt == CONTRADICTED else 1.0
        return replace(die, color=None, confidence=min(die.confidence, limit), reason=owner.doubt)
    if die.color is not None or not owner.told:
        return die
    (color,) = owner.told
    return replace(die, color=color, reason=None if die.marked_up is not None else die.reason)
