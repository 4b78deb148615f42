"""A settled valley as plain values: where pieces are, how deep they overlap, what rests on what.

An entry of the log records this of a throw. It says nothing of phases or eyes taken.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Annotated

from msgspec import Meta

from companion.game.brought import default_kit
from companion.game.kit import Kit
from companion.game.margin import Margin
from companion.game.readings import Kind, Piece
from companion.game.says import Says
from companion.game.table import Disk, Footprint, overlap_mm, square

SEATS = ("red", "blue")
OTHER = {"red": "blue", "blue": "red"}
NINJAS = 30
SAMURAI_EACH = 10
DICE_EACH = 2
_BELOW = "b"
NEAR_MM = 20.0
"""Overlaps are stated for pieces nearer to a territory than this."""
RESTS_ERROR_MM = 5.0
"""Maximum measured gap between pieces seen on each other, before the report is dropped; with a gap, people are
asked."""
MOST_TILT_DEG = 90.0
"""A face that leans further is not the one that looks up."""

Tilt = Annotated[float, Meta(ge=0, le=MOST_TILT_DEG)]
StandardError = Annotated[float, Meta(ge=0)]
Chance = Annotated[float, Meta(ge=0, le=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lying:
    """One settled piece. `color` is the owner's (None: unknown); `confidence` is the eyes', 0 to 1.

    `is_owner_seen`: the owner of an empire die was seen, or counted from what was seen, so later readings may bring it
    into doubt. False if the set-up or people named it. `owner_odds`: the log odds that a die without an owner is
    red's, by its eye.
    """

    id: str
    kind: Kind
    color: str | None = None
    x_mm: float
    y_mm: float
    angle_deg: float = 0.0
    value: int | None = None
    marked_up: bool | None = None
    tilt_deg: Tilt | None = None
    tilt_sigma_deg: StandardError = 0.0
    confidence: Chance = 1.0
    is_owner_seen: bool = False
    owner_odds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth:
    """Depth of the overlap of `piece` with the territory `over` (ids), in mm, with its standard error."""

    piece: str
    over: str
    margin_mm: float
    sigma_mm: StandardError

    @property
    def margin(self) -> Margin:
        return Margin(self.margin_mm, self.sigma_mm)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """`piece` is partly or wholly on `on` (ids)."""

    piece: str
    on: str
    confidence: Chance = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hiding:
    """A place where an empire die could lie and not be seen, and the pieces (ids) that would hide it."""

    x_mm: float
    y_mm: float
    behind: tuple[str, ...] = ()
    chances: tuple[tuple[str, Chance], ...] = ()
    """Unseen dice, each with the chance that it is here and not at another of the places. Empty: not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The settled valley. Pieces that are not listed have left it, except those in `unseen`.

    `unseen` names pieces that the camera did not find and that may be hidden. People are asked if this decides
    something.
    """

    pieces: tuple[Lying, ...]
    depths: tuple[Depth, ...] = ()
    rests_on: tuple[Rest, ...] = ()
    unseen: tuple[str, ...] = ()
    hidings: tuple[Hiding, ...] = ()
    """Possible places of an unseen die. Empty if nobody looked, or if no die is missing."""

    def of(self, kind: Kind, color: str | None = None) -> tuple[Lying, ...]:
        found = [p for p in self.pieces if p.kind == kind and (color is None or p.color == color)]
        return tuple(found)

    def piece(self, id: str) -> Lying | None:
        for piece in self.pieces:
            if piece.id == id:
                return piece
        return None

    def territory(self, color: str) -> Lying | None:
        return next(iter(self.of(Kind.TERRITORY, color)), None)

    def depth(self, piece: str, over: str) -> Margin | None:
        """The stated overlap of `piece` with `over`; None: further apart than `NEAR_MM`."""
        for depth in self.depths:
            if depth.piece == piece and depth.over == over:
                return depth.margin
        return None

    def without(self, ids: Collection[str]) -> "Scene":
        return replace(self, pieces=tuple(piece for piece in self.pieces if piece.id not in ids))

    def renamed(self, names: Mapping[str, str], colors: Mapping[str, str | None], *, is_seen: bool = False) -> "Scene":
        """The scene with other names, by the old ones, and colors, by the new ones. `is_seen`: the reader reported the
        owner, and no person named it."""
        return replace(
            self,
            pieces=tuple(
                replace(p, id=names[p.id], color=colors[names[p.id]], is_owner_seen=is_seen, owner_odds=0.0)
                if p.id in names
                else p
                for p in self.pieces
            ),
            depths=tuple(replace(d, piece=names.get(d.piece, d.piece)) for d in self.depths),
            rests_on=tuple(
                replace(r, piece=names.get(r.piece, r.piece), on=names.get(r.on, r.on)) for r in self.rests_on
            ),
        )


def says_place(piece: Lying, scene: Scene) -> Says | None:
    """A piece's place: the piece that it is on, else by the territories."""
    for rest in scene.rests_on:
        if rest.piece == piece.id and rest.confidence >= 0.5:
            return Says("on {piece}", {"piece": spoken(rest.on)})
    red, blue = (scene.territory(seat) for seat in SEATS)
    if red is None or blue is None or red is piece or blue is piece or (far_mm := apart_mm(red, blue)) == 0.0:
        return None
    ux, uy = (blue.x_mm - red.x_mm) / far_mm, (blue.y_mm - red.y_mm) / far_mm
    dx, dy = piece.x_mm - red.x_mm, piece.y_mm - red.y_mm
    nearest, radius_mm = min((red, blue), key=lambda land: apart_mm(land, piece)), across_mm(Kind.TERRITORY) / 2
    if apart_mm(nearest, piece) <= radius_mm:
        words = "on the {color} territory"
    elif abs(dy * ux - dx * uy) > radius_mm:
        words = "next to the {color} territory"
    elif 0 < dx * ux + dy * uy < far_mm:
        words = "between the territories"
    else:
        words = "behind the {color} territory"
    return Says(words, {"color": nearest.color})


@cache
def own_kit() -> Kit:
    return default_kit("eyes_of_the_emperor")


def across_mm(kind: Kind, kit: Kit | None = None) -> float:
    """The diameter or side of a kind of piece. Without a `kit` it is that of the game's own set."""
    piece = (kit or own_kit()).piece(kind)
    return piece.size_mm("side" if piece.shape == "cube" else "diameter")


def footprint(piece: Lying) -> Footprint:
    """The footprint of an upright piece with sharp edges."""
    size_mm = across_mm(piece.kind)
    if piece.kind in (Kind.TERRITORY, Kind.SAMURAI):
        return Disk(piece.x_mm, piece.y_mm, size_mm / 2)
    return square(piece.x_mm, piece.y_mm, size_mm, piece.angle_deg)


def apart_mm(a: Lying | Piece, b: Lying | Piece) -> float:
    return math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)


def below(id: str) -> str:
    """The name of a samurai that may be hidden under this one.

    >>> below("blue.s2"), is_below("blue.s2b"), is_below("blue.s2"), str(spoken(below("blue.s2")))
    ('blue.s2b', True, False, 'blue samurai 2b')
    """
    return f"{id}{_BELOW}"


def is_below(id: str) -> bool:
    return id.endswith(_BELOW)


def above(id: str) -> str:
    """The name of the samurai above it.

    >>> above("blue.s2b")
    'blue.s2'
    """
    return id.removesuffix(_BELOW)


def from_below(scene: Scene) -> tuple[Lying, ...]:
    """The pieces from below to above: each comes after the pieces it rests on; territories come first.

    >>> low, high = (Lying(id=id, kind=Kind.SAMURAI, color="red", x_mm=0, y_mm=0) for id in ("red.s1", "red.s2"))
    >>> [p.id for p in from_below(Scene(pieces=(high, low), rests_on=(Rest(piece="red.s2", on="red.s1"),)))]
    ['red.s1', 'red.s2']
    """
    waiting = sorted(scene.pieces, key=lambda p: p.kind != Kind.TERRITORY)
    laid: list[Lying] = []
    while waiting:
        here = {p.id for p in waiting}
        above = {r.piece for r in scene.rests_on if r.confidence >= 0.5 and r.on in here - {r.piece}}
        # two pieces reported on each other have no order: then the first goes first
        ready = next((p for p in waiting if p.id not in above), waiting[0])
        waiting.remove(ready)
        laid.append(ready)
    return tuple(laid)


@cache
def dice_names(seat: str) -> tuple[str, ...]:
    """The names of an emperor's dice, the same in every scene.

    >>> dice_names("red")
    ('red.1', 'red.2')
    """
    return tuple(f"{seat}.{i}" for i in range(1, DICE_EACH + 1))


def kind_of(id: str) -> Kind | None:
    """The kind of a piece, by its name in a scene; None for a name that no piece has.

    >>> [kind_of(id) for id in ("red.2", "blue.s10", "n4")] == [Kind.EMPIRE_DIE, Kind.SAMURAI, Kind.NINJA]
    True
    >>> kind_of("red.3"), kind_of("n"), kind_of("green.s1")
    (None, None, None)
    """
    color, _, number = id.partition(".")
    if color in SEATS and number.startswith("s") and number[1:].isdecimal():
        return Kind.SAMURAI
    if any(id in dice_names(seat) for seat in SEATS):
        return Kind.EMPIRE_DIE
    return Kind.NINJA if id.startswith("n") and id[1:].isdecimal() else None


@lru_cache(maxsize=256)
def spoken(id: str) -> Says:
    """A piece as people call it.

    >>> [str(spoken(id)) for id in ("red.2", "blue.s3", "n4", "die.1", "red", "my die")]
    ['red empire die 2', 'blue samurai 3', 'ninja 4', 'empire die 1', 'red territory', 'my die']
    >>> [str(spoken(id)) for id in ("red.x1", "green.s1", "nine", "x4")]
    ['red.x1', 'green.s1', 'nine', 'x4']
    """
    color, _, number = id.partition(".")
    if color in SEATS and not number:
        return Says("{color} territory", {"color": color})
    if color in SEATS and number.isdigit():
        return Says("{color} empire die {number}", {"color": color, "number": number})
    if color in SEATS and number.startswith("s"):
        return Says("{color} samurai {number}", {"color": color, "number": number[1:]})
    if color == "die":
        return Says("empire die {number}", {"number": number})
    if color.startswith("n") and color[1:].isdigit():
        return Says("ninja {number}", {"number": color[1:]})
    return Says("{id}", {"id": id})


def measured(pieces: tuple[Lying, ...], rests_on: tuple[Rest, ...]) -> Scene:
    """A scene given by places in mm: every overlap follows exactly from the set's sizes, without error.

    Margins are rounded to 1e-9 mm, so that places given in tenths touch when they should (Instructions 9).
    """
    depths = []
    for piece in pieces:
        if piece.kind not in (Kind.EMPIRE_DIE, Kind.SAMURAI):
            continue
        for land in pieces:
            if land.kind != Kind.TERRITORY:
                continue
            margin_mm = round(overlap_mm(footprint(piece), footprint(land)), 9)
            if margin_mm > -NEAR_MM:
                depths.append(Depth(piece=piece.id, over=land.id, margin_mm=margin_mm, sigma_mm=0.0))
    return Scene(pieces=pieces, depths=tuple(depths), rests_on=rests_on)
