"""Reports of the eyes: frozen values that speak of the table and never of the game.

Lengths are mm in the kit's table frame (origin top-left of the play area, x right, y down, angles turn x towards y),
boxes are pixels of the given picture. `confidence` is 0 to 1. An unknown value is None and has a `reason`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from companion.game.errors import ReadingFault
from companion.game.margin import Call, Margin
from companion.game.says import Says, listed

SURE = 0.95
"""Below this confidence the match asks a person."""
ROUND_CORNERS = 24
"""Corners in the outline of a round thing."""
SOFT = "soft"
"""Warning code: some pieces of the table are too blurred to be sure of them."""
COARSE, FINE_PX_A_MM = "coarse", 1.2
"""Warning code for a low resolution, and its threshold in pixels per mm."""
HIGHEST_IN_DOUBT = SURE - 0.01
"""Maximum confidence in a value if several pictures of one table disagree about it."""
CHANCE_WRONG = 1 / 2000
"""Maximum chance of error to decide something without asking a person."""
DECIDED = math.log(1 / CHANCE_WRONG - 1)
TOLD_ODDS = 9.0
"""Log odds of a color that a reading states without odds: one in 8,000 is wrong."""
ANOTHER_BELOW = "something may lie under it, perhaps another samurai"
"""Reason for a samurai that seems too high or too large: two samurai that are stacked look like that."""


PointMm = tuple[float, float]
SpotMm = tuple[float, float, float]
"""A place with its height above the table."""


class MarkRole(StrEnum):
    """The meaning of a mark for people who look at a picture."""

    TERRITORY = "territory"
    """Ground that pieces lie on."""
    PIECE = "piece"
    PERHAPS = "perhaps"
    """A piece that is probably not there: shown only to people who are asked about this place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One thing on the table to outline in a picture, `height_mm` above it; an empty outline is not drawn.

    `id` names it within its reading, `kind` is the kit's word, `top_mm` the face that looks up."""

    id: str
    role: MarkRole
    kind: str
    label: Says
    outline_mm: tuple[PointMm, ...]
    x_mm: float
    y_mm: float
    height_mm: float = 0.0
    top_mm: tuple[SpotMm, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A warning about a valid reading, with what to do; `code` is for scripts."""

    code: str
    says: Says


@runtime_checkable
class Reading(Protocol):
    """A table of any game as one picture shows it, with everything that watch, evidence and pages need."""

    def marks(self) -> tuple[Mark, ...]:
        """The things on the table, the ground first."""

    def notices(self) -> tuple[Notice, ...]:
        """Warnings for people, the most important first."""

    def to_json(self) -> Mapping[str, Any]:
        """Measured facts that are kept with the evidence, to judge it again."""


class Kind(StrEnum):
    TERRITORY = "territory"
    SAMURAI = "samurai"
    EMPIRE_DIE = "empire_die"
    NINJA = "ninja"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One piece on the table: its vertical projection `footprint_mm`, and `top_mm`, the face that looks up.

    `red_odds`: log odds that an empire die is red and not blue (0: not seen; None: `color` is sure), for rulings.
    `value`: a ninja's top face. `marked_up`: an empire die's eye faces up. `reason` explains a None or a doubt."""

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
    top_mm: tuple[SpotMm, ...] = ()
    red_odds: float | None = None

    @property
    def owner_odds(self) -> float:
        """The log odds that an empire die is red's, by this reading alone."""
        return (
            {"red": TOLD_ODDS, "blue": -TOLD_ODDS}.get(self.color or "", 0.0)
            if self.red_odds is None
            else self.red_odds
        )


def told_of(die: Piece, owner: str | None) -> Piece:
    """A die whose owner people told, or the set-up."""
    sign = {"red": 1, "blue": -1}.get(owner or "", 0)
    return replace(die, color=owner, red_odds=sign * 3 * TOLD_ODDS, reason=None)


def pooled(odds: Sequence[float]) -> float:
    """Combined log odds of several looks at the same thing. The looks share their errors, so the odds do not add up.
    A look that shows nothing changes nothing.

    >>> pooled([6.0, 0.0]), pooled([6.0, -6.0]), pooled([0.0])
    (6.0, 0.0, 0.0)
    """
    weight = sum(map(abs, odds))
    return sum(abs(one) * one for one in odds) / weight if weight else 0.0


def owner_of(red_odds: float) -> str | None:
    """The owner that log odds decide; None: neither."""
    return None if abs(red_odds) < DECIDED else "red" if red_odds > 0 else "blue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """Depth of `piece` inside `over` (ids), its standard error and the verdict; the same of a second possible pose."""

    piece: str
    over: str
    margin_mm: float
    sigma_mm: float
    ruling: Call
    other_mm: float | None = None
    other_outline_mm: tuple[PointMm, ...] = ()

    @classmethod
    def of(cls, piece: str, over: str, margin: Margin) -> "Overlap":
        """The overlap with its call made by the one rule of `Margin.call`."""
        return cls(piece=piece, over=over, margin_mm=margin.margin_mm, sigma_mm=margin.sigma_mm, ruling=margin.call())

    def or_else(self, other_mm: float, outline_mm: tuple[PointMm, ...]) -> "Overlap":
        """This overlap, with the depth in the piece's other pose if the two poses make it too close to call."""
        if self.ruling is not Call.TOO_CLOSE:
            return self
        return replace(self, other_mm=other_mm, other_outline_mm=outline_mm)


@dataclass(frozen=True, slots=True, kw_only=True)
class RestsOn:
    """`piece` rests partly or wholly on `on` (ids)."""

    piece: str
    on: str
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hideout:
    """A place where a piece of a kind could be hidden.

    `behind`: the pieces that hide it; empty: it is outside of the picture, or under something pale. `area_mm2`: area of
    all such places around it; `level_mm2`: of those that could hide it level (None: all). All pieces of `on_it` would
    stand on it, and at least one of `one_on_it`.
    """

    kind: Kind
    x_mm: float
    y_mm: float
    behind: tuple[str, ...] = ()
    area_mm2: float | None = None
    level_mm2: float | None = None
    on_it: tuple[str, ...] = ()
    one_on_it: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFit:
    """The quality of the table's pose in this picture. `below_camera_mm` is straight under the camera.

    `unseen_mm`: corners and middles of the play area's sides outside of the picture. `soft_pieces`: number of pieces
    too blurred to be sure of. `rim_mm`: height of the rims that pieces are judged by. `px_a_mm`: pixels per mm."""

    reprojection_px: float
    fiducials: int = 4
    below_camera_mm: tuple[float, float] | None = None
    camera_height_mm: float | None = None
    unseen_mm: tuple[tuple[float, float], ...] = ()
    soft_pieces: int = 0
    rim_mm: float = 0.0
    px_a_mm: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EyesReading:
    """An Eyes of the Emperor table as one picture shows it."""

    table: TableFit
    pieces: tuple[Piece, ...]
    overlaps: tuple[Overlap, ...]
    rests_on: tuple[RestsOn, ...]
    hideouts: tuple[Hideout, ...] | None = None
    """Possible hidden places of an unlisted empire die; None if nobody looked."""

    def marks(self) -> tuple[Mark, ...]:
        return tuple(
            Mark(
                id=piece.id,
                role=MarkRole.TERRITORY if piece.kind is Kind.TERRITORY else MarkRole.PIECE,
                kind=piece.kind.value,
                label=_label(piece.kind.value.replace("_", " "), piece.color),
                outline_mm=piece.footprint_mm,
                x_mm=piece.x_mm,
                y_mm=piece.y_mm,
                height_mm=self.table.rim_mm,
                top_mm=piece.top_mm,
            )
            for piece in self.pieces
        )

    def notices(self) -> tuple[Notice, ...]:
        """Warnings: the table is partly outside of the picture, blurred or, before the first throw, too small."""
        told = []
        if self.table.unseen_mm:
            told.append(Notice(code=ReadingFault.OUT_OF_PICTURE.value, says=unseen_says(self.table.unseen_mm)))
        if self.table.soft_pieces:
            words = "{count} of the pieces look too blurred to be sure: wipe the lens, or focus it"
            told.append(Notice(code=SOFT, says=Says(words, {"count": self.table.soft_pieces})))
        is_thrown = any(piece.kind in (Kind.SAMURAI, Kind.NINJA) for piece in self.pieces)
        if self.table.px_a_mm is not None and self.table.px_a_mm < FINE_PX_A_MM and not is_thrown:
            words = (
                "The camera shows {seen} pixels per millimetre, {wanted} are better: the table will ask about roughly"
                " every second piece near a rim. Hang it lower, or choose a larger picture"
            )
            seen = f"{self.table.px_a_mm:.1f}"
            told.append(Notice(code=COARSE, says=Says(words, {"seen": seen, "wanted": f"{FINE_PX_A_MM:g}"})))
        return tuple(told)

    def to_json(self) -> Mapping[str, Any]:
        names = ("piece", "over", "margin_mm", "sigma_mm")
        return {"overlaps": [{name: getattr(overlap, name) for name in names} for overlap in self.overlaps]}


@dataclass(frozen=True, slots=True, kw_only=True)
class DieSeen:
    """One ordinary die: `value` is on the face that looks up in the room."""

    value: int | None
    box: tuple[float, float, float, float]
    confidence: float
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceReading:
    dice: tuple[DieSeen, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSeen:
    """One face-up card; a joker's suit is None. `reason` says why it is uncertain, if known."""

    rank: str
    suit: str | None
    corners: tuple[PointMm, PointMm, PointMm, PointMm]
    confidence: float
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsReading:
    """All cards of one picture; face-down cards are counted apart."""

    cards: tuple[CardSeen, ...]
    face_down: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCard:
    """A card on a measured table, face up; corners clockwise from its own top left. A joker's suit is None.

    `rank` None: not recognized; `reason` says why. `chances`: the probable cards by its own corners alone, as ``5C`` or
    ``JK``, with "" for no card; the rest may be any card."""

    rank: str | None
    suit: str | None
    corners: tuple[PointMm, PointMm, PointMm, PointMm]
    corners_mm: tuple[PointMm, PointMm, PointMm, PointMm]
    confidence: float
    reason: str | None = None
    chances: Mapping[str, float] = field(default_factory=dict)

    @property
    def middle_mm(self) -> PointMm:
        return (sum(x for x, _ in self.corners_mm) / 4, sum(y for _, y in self.corners_mm) / 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class RummyReading:
    """A card table as one picture shows it: cards face up, their melds, and how many cards or stacks are face down.
    `melds`: indices into `cards` in reading order; a single card is a meld of one."""

    cards: tuple[TableCard, ...]
    melds: tuple[tuple[int, ...], ...]
    face_down: int
    reprojection_px: float = 0.0
    noticed: tuple[Notice, ...] = ()

    def marks(self) -> tuple[Mark, ...]:
        labels = (Says("{card}", {"card": f"{card.rank or '?'}{card.suit or ''}"}) for card in self.cards)
        return tuple(
            _mark(f"card_{i}", "card", label, card.corners_mm, card.middle_mm)
            for i, (card, label) in enumerate(zip(self.cards, labels, strict=True), 1)
        )

    def notices(self) -> tuple[Notice, ...]:
        return self.noticed

    def to_json(self) -> Mapping[str, Any]:
        cards = [
            {"rank": c.rank, "suit": c.suit, "confidence": c.confidence, "corners_mm": c.corners_mm} for c in self.cards
        ]
        return {"cards": cards, "melds": self.melds, "face_down": self.face_down}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotSeen:
    """A marker on a spot of a race board; `x_mm, y_mm` is its foot's middle. `color` None: perhaps empty."""

    color: str | None
    confidence: float
    x_mm: float | None = None
    y_mm: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BetweenSeen:
    """A marker between spots; `spots` are the two nearest."""

    color: str
    x_mm: float
    y_mm: float
    spots: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardDie:
    """A die on or near a race board; only a die in the tray counts."""

    value: int | None
    in_tray: bool
    x_mm: float
    y_mm: float
    box: tuple[float, float, float, float]
    confidence: float
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardFit:
    """The pose of the board in the kit, and sizes of markers and dice, outlined `outline_mm` above the table."""

    reprojection_px: float
    shift_mm: PointMm = (0.0, 0.0)
    turn_deg: float = 0.0
    marker_mm: float = 0.0
    outline_mm: float = 0.0
    die_mm: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardReading:
    """A race board as one picture shows it. `spaces`: the occupied spots, and empty ones that are uncertain.

    `maybe`: for each uncertain spot the probability of each colour and of "" (nobody)."""

    spaces: Mapping[str, SpotSeen]
    between: tuple[BetweenSeen, ...]
    dice: tuple[BoardDie, ...]
    maybe: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    table: BoardFit | None = None
    noticed: tuple[Notice, ...] = ()

    def marks(self) -> tuple[Mark, ...]:
        fit = self.table or BoardFit(reprojection_px=0.0)
        standing = [
            (spot, seen.color if seen.confidence >= SURE else "perhaps", (seen.x_mm, seen.y_mm))
            for spot, seen in self.spaces.items()
            if seen.color is not None and seen.x_mm is not None and seen.y_mm is not None
        ]
        standing += [(f"between_{i + 1}", seen.color, (seen.x_mm, seen.y_mm)) for i, seen in enumerate(self.between)]
        marks = [_round_mark(id, "token", color, at, fit.marker_mm, fit.outline_mm) for id, color, at in standing]
        dice = (
            _round_mark(f"die_{i + 1}", "die", "", (d.x_mm, d.y_mm), fit.die_mm, fit.die_mm)
            for i, d in enumerate(self.dice)
        )
        return (*marks, *dice)

    def notices(self) -> tuple[Notice, ...]:
        return self.noticed

    def to_json(self) -> Mapping[str, Any]:
        spaces = {spot: {"color": seen.color, "confidence": seen.confidence} for spot, seen in self.spaces.items()}
        return {"spaces": spaces, "maybe": self.maybe}


ASIDE_WIRES = 2.5
"""Distance of a rod's outline from its middle line, in wire thicknesses: it must not hide the ends' colours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColorDie:
    """A die with one colour on each face: `color` looks up; None with a `reason` if it is not recognized."""

    color: str | None
    confidence: float
    x_mm: float
    y_mm: float
    angle_deg: float = 0.0
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RodSeen:
    """A loose rod: its middle, and its wire from tip to tip. `zone`: a pile (``1`` ...), ``draw``, ``stand`` or None.
    `confidence`: the chance that it is loose; `hangs`: that it hangs."""

    color: str | None
    zone: str | None
    x_mm: float
    y_mm: float
    confidence: float
    path_mm: tuple[PointMm, ...] = ()
    reason: str | None = None
    hangs: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RodsReading:
    """Loose rods and the colour die. `hidden`: colours that show tips but no rod. `perhaps`: rods that are probably not
    there, and those that hang. `tips`: the place of each tip near the stand, and its colour if its rod plainly hangs,
    else ``""``."""

    die: ColorDie | None
    rods: tuple[RodSeen, ...]
    table: BoardFit | None = None
    wire_mm: float = 0.0
    hidden: tuple[str, ...] = ()
    perhaps: tuple[RodSeen, ...] = ()
    tips: tuple[tuple[str, float, float], ...] = ()

    def marks(self) -> tuple[Mark, ...]:
        rods = ((MarkRole.PIECE, "rod", self.rods), (MarkRole.PERHAPS, "perhaps", self.perhaps))
        marks = [
            replace(self._rod_mark(f"{name}_{i + 1}", rod), role=role)
            for role, name, of in rods
            for i, rod in enumerate(of)
        ]
        if self.die is not None and self.table is not None:
            at, side_mm = (self.die.x_mm, self.die.y_mm), self.table.die_mm
            marks.append(_round_mark("color_die", "color_die", self.die.color or "", at, side_mm * 1.2, side_mm))
        return tuple(marks)

    def _rod_mark(self, id: str, rod: RodSeen) -> Mark:
        outline = _along(rod.path_mm, ASIDE_WIRES * self.wire_mm)
        return _mark(id, "rod", _label("rod", rod.color), outline, (rod.x_mm, rod.y_mm), self.wire_mm)

    def notices(self) -> tuple[Notice, ...]:
        """None: the game asks if pieces that the camera may miss matter."""
        return ()

    def to_json(self) -> Mapping[str, Any]:
        rods = [{"color": rod.color, "zone": rod.zone, "confidence": rod.confidence} for rod in self.rods]
        die = None if self.die is None else {"color": self.die.color, "confidence": self.die.confidence}
        return {"die": die, "rods": rods}


def _along(path: tuple[PointMm, ...], wide_mm: float) -> tuple[PointMm, ...]:
    """The outline of a wire along a path, `wide_mm` from it and beyond its ends: it hides no colour."""
    if len(path) < 2:
        return ()
    path = (_beyond(path[1], path[0], wide_mm), *path[1:-1], _beyond(path[-2], path[-1], wide_mm))
    sides: tuple[list[PointMm], list[PointMm]] = ([], [])
    for i, (x, y) in enumerate(path):
        (x0, y0), (x1, y1) = path[max(i - 1, 0)], path[min(i + 1, len(path) - 1)]
        long = math.hypot(x1 - x0, y1 - y0) or 1.0
        dx, dy = -(y1 - y0) / long * wide_mm, (x1 - x0) / long * wide_mm
        sides[0].append((round(x + dx, 1), round(y + dy, 1)))
        sides[1].append((round(x - dx, 1), round(y - dy, 1)))
    return (*sides[0], *reversed(sides[1]))


def _beyond(before: PointMm, end: PointMm, by_mm: float) -> PointMm:
    long = math.dist(before, end) or 1.0
    return end[0] + (end[0] - before[0]) / long * by_mm, end[1] + (end[1] - before[1]) / long * by_mm


def _label(kind: str, color: str | None) -> Says:
    return Says("{color} {kind}", {"color": color, "kind": kind}) if color else Says("{kind}", {"kind": kind})


def _mark(
    id: str, kind: str, label: Says, outline_mm: tuple[PointMm, ...], at_mm: PointMm, height_mm: float = 0.0
) -> Mark:
    x_mm, y_mm = at_mm
    return Mark(
        id=id,
        role=MarkRole.PIECE,
        kind=kind,
        label=label,
        outline_mm=outline_mm,
        x_mm=x_mm,
        y_mm=y_mm,
        height_mm=height_mm,
    )


def _round_mark(id: str, kind: str, color: str, at_mm: PointMm, across_mm: float, height_mm: float) -> Mark:
    corners = [2 * math.pi * i / ROUND_CORNERS for i in range(ROUND_CORNERS)] if across_mm > 0 else []
    outline = tuple((at_mm[0] + across_mm / 2 * math.cos(a), at_mm[1] + across_mm / 2 * math.sin(a)) for a in corners)
    return _mark(id, kind, _label(kind, color), outline, at_mm, height_mm)


def unseen_says(unseen_mm: Sequence[PointMm]) -> Says:
    """The sentence for a picture that does not show these places of the play area, at least one."""
    words = (
        "the play area at {where} mm is outside the picture, so nothing was read there: turn the camera, or hang it "
        "higher"
    )
    places = [Says("({x}, {y})", {"x": f"{x:g}", "y": f"{y:g}"}) for x, y in unseen_mm]
    return Says(words, {"where": listed(places)})
