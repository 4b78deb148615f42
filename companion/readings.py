"""What the eyes report: frozen values that speak of the table and never of the game.

Lengths are mm in the kit's table frame (origin top-left of the play area, x right, y down, angles turn x towards y),
boxes are pixels of the given picture. `confidence` is 0 to 1; what cannot be told is None and has a `reason`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from companion.margin import Call, Margin

SURE = 0.95
"""Below this confidence the match asks a person."""
HIGHEST_IN_DOUBT = SURE - 0.01
"""What several pictures of one table do not agree on is at most so sure."""


class Kind(StrEnum):
    """Kinds of pieces on an Eyes of the Emperor table."""

    TERRITORY = "territory"
    SAMURAI = "samurai"
    EMPIRE_DIE = "empire_die"
    NINJA = "ninja"


PointMm = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One piece as it lies. `footprint_mm` is its vertical projection, a convex outline in mm.

    `color` is None for an empire die whose eye cannot be seen; `value` is a ninja's top face (None: leaning,
    glare); `marked_up` is an empire die's eye facing up (None: cannot be told); `tilt_deg` is the lean of the face
    that looks up, None where not measured; `reason` says why a None is None.
    """

    id: str
    kind: Kind
    color: str | None
    x_mm: float
    y_mm: float
    angle_deg: float | None
    footprint_mm: tuple[PointMm, ...]
    value: int | None = None
    marked_up: bool | None = None
    tilt_deg: float | None = None
    confidence: float = 1.0
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """How deep `piece` lies in `over` (ids), with its standard error and what may be said of it."""

    piece: str
    over: str
    margin_mm: float
    sigma_mm: float
    ruling: Call

    @classmethod
    def of(cls, piece: str, over: str, margin: Margin) -> Overlap:
        """The overlap with its call made by the one rule of `Margin.call`."""
        return cls(piece=piece, over=over, margin_mm=margin.margin_mm, sigma_mm=margin.sigma_mm, ruling=margin.call())


@dataclass(frozen=True, slots=True, kw_only=True)
class RestsOn:
    """`piece` lies partly or wholly on `on` (ids)."""

    piece: str
    on: str
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFit:
    """How well the table's place is known in this picture; `below_camera_mm` is the table's point (x, y) straight under
    the camera, where pieces hide what stands below them wholly; it hangs `camera_height_mm` above that.
    `unseen_mm` tells which corners and middles of the play area's sides lie outside of the picture: with any, it shows
    a part of the table only, and what is not listed may lie there. `soft_pieces` counts those that the picture shows
    too softly to be sure of: the lens is smeared, or the focus is lost, over a part of it.
    """

    reprojection_px: float
    fiducials: int = 4
    below_camera_mm: tuple[float, float] | None = None
    camera_height_mm: float | None = None
    unseen_mm: tuple[tuple[float, float], ...] = ()
    soft_pieces: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EyesReading:
    """An Eyes of the Emperor table as one picture shows it."""

    table: TableFit
    pieces: tuple[Piece, ...]
    overlaps: tuple[Overlap, ...]
    rests_on: tuple[RestsOn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DieSeen:
    """One ordinary die: the value is the face that looks up in the room."""

    value: int | None
    box: tuple[float, float, float, float]
    confidence: float
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceReading:
    """All dice of one picture."""

    dice: tuple[DieSeen, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSeen:
    """One face-up card; a joker's suit is None."""

    rank: str
    suit: str | None
    corners: tuple[PointMm, PointMm, PointMm, PointMm]
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsReading:
    """All cards of one picture; face-down cards are counted apart."""

    cards: tuple[CardSeen, ...]
    face_down: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotSeen:
    """A marker on a spot of a race board."""

    color: str
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BetweenSeen:
    """A marker that stands on no spot; `spots` are the two nearest."""

    color: str
    x_mm: float
    y_mm: float
    spots: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardDie:
    """A die on or beside a race board; only one in the tray counts."""

    value: int | None
    in_tray: bool
    x_mm: float
    y_mm: float
    box: tuple[float, float, float, float]
    confidence: float
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardReading:
    """A race board as one picture shows it: the occupied spots by name, markers between spots, the dice."""

    spaces: Mapping[str, SpotSeen]
    between: tuple[BetweenSeen, ...]
    dice: tuple[BoardDie, ...]
