"""Combines all looks at the same table: a piece that has not moved keeps its place and its owner.

The eye on a die's side may be barely visible, and every passing shadow causes another reading. The odds of all looks
are pooled: a reading that misses the eye takes nothing back. A real eye is seen again, though: an owner that hardly any
look reports was a shadow. Such a die stays in doubt until it moves, and so does one for which two readings report
different owners. In the same way a samurai that was surely there stays so. An eye that looks up is not kept: a hand can
turn a die over in its place. `conserved.with_orders` weighs the order of samurai.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from companion.game.readings import (
    HIGHEST_IN_DOUBT,
    SURE,
    EyesReading,
    Kind,
    Piece,
    owner_of,
    pooled,
)
from companion.games.eyes_of_the_emperor.scene import Lying, apart_mm

SAME_MM = 1.0
"""Maximum offset of an unmoved piece. In noisy copies of 23 pictures nine samurai in ten were off by at most 0.07 mm,
dice by 0.17 and ninjas by 0.33; one die or ninja in twenty by 0.7 to 2."""
TURNED_DEG = 3.0
"""Maximum turn of an unmoved cube."""
SILENT_A_TELLING = 6
"""Maximum ratio of silent readings to readings with a report; above it the report is doubted. An eye seen in every
third reading falls into doubt once in twelve times, an eye seen in every second reading once in a hundred."""
DOUBTED = "the looks at it do not agree whose it is"
"""The reason for a die's missing owner. Owners that were only seen before, or counted from it, are in doubt too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """All reports on one matter by looks at an unmoved piece."""

    values: frozenset[str] = frozenset()
    times: int = 0
    """Number of readings that reported it."""
    silent: int = 0
    """Number of readings that did not, since the first that did."""
    is_doubted: bool = False
    """Whether the readings do not agree; until something moves."""
    odds: tuple[float, ...] = ()
    """A die's log odds by each reading that shows something of its eye."""

    def after(self, value: str | None, odds: float = 0.0) -> "Told":
        """The reports after one more reading, which reported `value` or nothing."""
        values = self.values | ({value} if value is not None else set())
        now = replace(
            self,
            values=values,
            times=self.times + (value is not None),
            silent=self.silent + (value is None and bool(values)),
            odds=(*self.odds, odds) if odds else self.odds,
        )
        is_doubted = len(values) > 1 or now.silent > SILENT_A_TELLING * now.times > 0
        return replace(now, is_doubted=self.is_doubted or is_doubted)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledReading(EyesReading):
    """A reading that is carried on. `pieces_told`: reports by id, on a die's owner or a samurai's presence."""

    pieces_told: Mapping[str, Told] = field(default_factory=dict)


def lies_still(was: Lying | Piece, now: Lying | Piece) -> bool:
    """Whether a piece that is found now may be one that was found before and has not been touched."""
    if was.kind != now.kind or apart_mm(was, now) > SAME_MM:
        return False
    if was.kind in (Kind.TERRITORY, Kind.SAMURAI):
        return was.color == now.color
    if was.angle_deg is None or now.angle_deg is None:
        return True
    return abs((was.angle_deg - now.angle_deg + 45.0) % 90.0 - 45.0) <= TURNED_DEG


def settled(reading: EyesReading, before: SettledReading | None) -> SettledReading:
    """The newest reading, with the earlier reports on pieces that have not moved.

    Places stay as first seen: noise then changes no verdict about them, and nothing creeps.
    """
    before = before or SettledReading(table=reading.table, pieces=(), overlaps=(), rests_on=())
    pieces, told = [], {}
    for piece in reading.pieces:
        near = [was for was in before.pieces if lies_still(was, piece)]
        was = min(near, key=lambda was: (apart_mm(was, piece), was.id), default=None)
        told[piece.id] = _after(Told() if was is None else before.pieces_told[was.id], piece)
        if was is not None:
            piece = replace(piece, x_mm=was.x_mm, y_mm=was.y_mm, angle_deg=was.angle_deg)
        pieces.append(_as_told(piece, told[piece.id], was))
    return SettledReading(
        table=reading.table,
        pieces=tuple(pieces),
        overlaps=reading.overlaps,
        rests_on=reading.rests_on,
        hideouts=reading.hideouts,
        pieces_told=told,
    )


def _after(told: Told, piece: Piece) -> Told:
    """The reports after one more reading, on what later ones may not repeat: a die's owner, or a sure samurai."""
    match piece.kind:
        case Kind.EMPIRE_DIE:
            return told.after(owner_of(piece.owner_odds), piece.owner_odds)
        case Kind.SAMURAI:
            return told.after("there" if piece.confidence >= SURE else None)
        case _:
            return told.after(None)


def _as_told(piece: Piece, told: Told, was: Piece | None) -> Piece:
    match piece.kind:
        case Kind.EMPIRE_DIE if told.is_doubted:
            limit = HIGHEST_IN_DOUBT if len(told.values) > 1 else 1.0
            confidence = min(piece.confidence, limit)
            return replace(piece, color=None, red_odds=0.0, confidence=confidence, reason=DOUBTED)
        case Kind.EMPIRE_DIE if told.odds:
            odds = pooled(told.odds)
            color = piece.color or owner_of(odds)
            is_told = color is not None and piece.marked_up is not None
            return replace(piece, color=color, red_odds=odds, reason=None if is_told else piece.reason)
        case Kind.SAMURAI if told.is_doubted:
            return replace(piece, confidence=min(piece.confidence, HIGHEST_IN_DOUBT))
        case Kind.SAMURAI if was is not None and told.values:
            return replace(piece, confidence=max(piece.confidence, was.confidence))
    return piece
