"""The state and the facts of a race game: frozen values that print as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec


class DieRolled(
    msgspec.Struct, frozen=True, tag_field="type", tag="die_rolled", forbid_unknown_fields=True, omit_defaults=True
):
    """A seat's die came to rest with `value` (1 to 6) on top; at `at_mm` on the table, if a camera saw it."""

    seat: str
    value: int
    at_mm: tuple[float, float] | None = None


class RollCorrected(msgspec.Struct, frozen=True, tag_field="type", tag="roll_corrected", forbid_unknown_fields=True):
    """People say that the roll which waits for its move was a `value`."""

    seat: str
    value: int


class PositionSet(msgspec.Struct, frozen=True, tag_field="type", tag="position_set", forbid_unknown_fields=True):
    """People play on with the table as it is: each colour's spots. It takes the place of the move that was due."""

    pieces: Mapping[str, tuple[str, ...]]


class RollDeclined(msgspec.Struct, frozen=True, tag_field="type", tag="roll_declined", forbid_unknown_fields=True):
    """A seat that may roll again does not: its turn is over."""

    seat: str


class Moved(msgspec.Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """A marker went from spot to spot. `origin` is the game's word for the beginning if it was brought out.

    `sent_back` names the colours whose markers went back to the beginning: those passed first, then the one landed on.
    """

    color: str
    origin: str
    to: str
    sent_back: tuple[str, ...] = ()


class PieceMoved(Moved, frozen=True, tag="moved"):
    """A piece went from spot to spot, or from the beginning to its start."""


Action = Any
"""`DieRolled`, `RollDeclined`, `RollCorrected`, `PositionSet`, or the game's own `Moved`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceState:
    """A race game between two facts. `pieces` lists each playing colour's four spots in the board's order; a final
    ``!`` marks a hidden right of that marker.

    Before the first turn `rolling` lists the seats that still roll for it, and `first_rolls` holds their rolls. Then
    `turn` moves or rolls: `die` is the roll that waits for its move, `held` the sixes held before it. `board_file` is
    the text of a board that does not come with the product.
    """

    board: str
    seats: tuple[str, ...]
    options: Mapping[str, str]
    pieces: Mapping[str, tuple[str, ...]]
    turn: str | None = None
    die: int | None = None
    held: int = 0
    first_rolls: Mapping[str, int] = field(default_factory=dict)
    rolling: tuple[str, ...] = ()
    again: bool = False
    """The roll that is due is a further one, which may be declined."""
    count: int = 0
    """A number that the game keeps from roll to roll, such as the sixes in a row (`Core.count`)."""
    board_file: str | None = None
