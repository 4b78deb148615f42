"""The referee infers: from a look at the settled table to an entry, with the evidence that it rests on.

All thresholds of the referee stand here, beside the two that are part of what a value means:
`margin.TOO_CLOSE_SIGMAS` (a margin nearer to zero is asked) and `readings.SURE` (a confidence below it is asked).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import msgspec

from companion.game import Game, Proposal, Ruling
from companion.view import OutlineView

S = TypeVar("S")
A = TypeVar("A")

MOST_CROPS = 8
"""More pieces than this are not cut out one by one for one entry; the overview shows them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What the referee waits for and for how long."""

    wait_for_rest_s: float = 60.0
    """An ended throw waits this long for the table to come to rest; then it must be ended again."""
    frame_lag_s: float = 0.3
    """A frame may have been exposed this long before it arrived: an older one may not show what was just thrown."""
    answer_s: float = 1.5
    """Who ends a throw waits this long for the ruling; then he is told to watch the phones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crop:
    """A part of a frame as the camera gave it (PNG or JPEG bytes), and its circumstances as JSON bytes.

    `about` holds the place of the crop in the frame, lens, pose, and the outlines: enough to read it again.
    """

    picture: bytes
    about: bytes
    piece: str | None = None


class Look(Protocol):
    """One settled table as the eyes read it."""

    @property
    def reading(self) -> Any:
        """The reading, a value of `companion.readings`."""

    @property
    def at_s(self) -> float:
        """When the frame was taken, seconds of the monotonic clock."""

    def crop(self, x_mm: float, y_mm: float, piece: str) -> Crop:
        """The picture around a place on the table."""

    def overview(self) -> Crop:
        """The whole play area, smaller."""


class CropAbout(msgspec.Struct, frozen=True, kw_only=True):
    """What `Crop.about` says that pages need; further fields are kept and ignored here."""

    width_px: int
    height_px: int
    outlines: tuple[OutlineView, ...] = ()


def judged_from(game: Game[S, A], state: S, reading: Any, before: A | None) -> A:
    """The action that a reading of the settled table shows. Raises: Illegal where it cannot be judged."""
    found = game.interpret(state, reading, before)
    if not isinstance(found, Proposal):
        raise TypeError(f"{game.name} proposed {type(found).__name__} for a settled table, expected a Proposal")
    return found.actions[0]


def crops(game: Game[S, A], look: Look, action: A, rulings: Iterable[Ruling], asked: Iterable[str]) -> tuple[Crop, ...]:
    """The evidence of an entry: the overview, and each piece that a ruling or a question is about."""
    named = [*asked, *(piece for r in rulings for piece in (r.piece, *r.pieces) if piece is not None)]
    found = [look.overview()]
    for piece in dict.fromkeys(named):
        place = game.place_mm(action, piece)
        if place is not None and len(found) <= MOST_CROPS:
            found.append(look.crop(*place, piece))
    return tuple(found)
