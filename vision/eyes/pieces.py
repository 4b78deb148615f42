"""The pieces that the eyes find, as solids and as findings, and what two of them have in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np

from companion.kit import Kit
from companion.readings import Kind
from vision.eyes import bodies, rims, support
from vision.eyes.bodies import Place, Solid
from vision.eyes.sight import Floats
from vision.scene import BEVEL_MM

LEANS_MM = 3.0
"""Two pieces that seem to stand in one another lean on each other: neither is known better than this."""
INTO_MM = 1.0
"""A disk cannot stand in a die: where it seems to by more, it leans, or the die does."""
PROPPED_MM, PROPPED_CONFIDENCE = 0.25, 0.8
"""What the fit of a samurai leaning on a die does not show of its own error, and how sure it is that it leans there."""
LEVEL_MM = 0.5
"""What stands no more than this lower than another piece's top does not lean on its rim."""
IN_DIE_MM = 7.0
"""Nothing that stands on the table has its middle in an empire die or nearer to one: half a ninja is broader."""
SHARED_MM2 = 3.0
"""Pieces whose footprints share more lie on each other."""
TWIN_MM = 4.0
"""Two disks of one colour nearer than this, as if they lay flat, are one disk's two rims."""


@dataclass(frozen=True, eq=False)
class Shapes:
    """The kit's pieces as solids."""

    territory: Solid
    samurai: Solid
    two_samurai: Solid
    """Two samurai that lie exactly on each other."""
    empire_die: Solid
    ninja: Solid
    territory_radius_mm: float
    samurai_radius_mm: float

    @classmethod
    def of(cls, kit: Kit) -> Shapes:
        territory, samurai = kit.piece(Kind.TERRITORY), kit.piece(Kind.SAMURAI)
        samurai_mm = samurai.size_mm("diameter"), samurai.size_mm("height")
        return cls(
            bodies.disk(territory.size_mm("diameter"), territory.size_mm("height"), BEVEL_MM[Kind.TERRITORY], 240),
            bodies.disk(*samurai_mm, BEVEL_MM[Kind.SAMURAI], 48),
            bodies.disk(samurai_mm[0], 2 * samurai_mm[1], BEVEL_MM[Kind.SAMURAI], 48),
            bodies.cube(kit.piece(Kind.EMPIRE_DIE).size_mm("side"), BEVEL_MM[Kind.EMPIRE_DIE]),
            bodies.cube(kit.piece(Kind.NINJA).size_mm("side"), BEVEL_MM[Kind.NINJA]),
            territory.size_mm("diameter") / 2,
            samurai.size_mm("diameter") / 2,
        )


@dataclass(frozen=True, eq=False)
class Found:
    """A piece found: what it is, where, and how well it is known."""

    kind: Kind
    color: str | None
    solid: Solid
    fit: rims.Fit
    under: support.Under = field(default_factory=lambda: support.Under(0.0, 0.0, 0.0))
    value: int | None = None
    marked_up: bool | None = None
    confidence: float = 1.0
    reason: str | None = None
    spread_mm: float = 0.0
    likely_mm: tuple[float, float] = (0.0, 0.0)
    """How far the mean of all the ways in which it may stand lies from the likeliest one, which is its place."""
    is_crescent: bool = False
    is_soft: bool = False
    """The picture shows it so softly that the lens should be wiped."""
    is_shaded: bool = False
    is_hidden: bool = False
    is_propped: bool = False
    is_cube: bool = False
    """A die enough of whose edges were met where it was first taken to stand."""
    raised: Place | None = None
    """Where a die stands if another piece that it hides holds it up."""
    flat: Found | None = None
    """A samurai as it was found, before it was laid on what is under it."""

    @property
    def place(self) -> Place:
        return self.fit.place

    @property
    def tilt_deg(self) -> float:
        """How far it leans: a disk's own axis, a cube's most upward one."""
        if not self.solid.is_round:
            return self.place.tilt_deg
        return float(np.degrees(np.arccos(min(1.0, abs(self.place.axes[2, 2])))))

    @property
    def outline_mm(self) -> Floats:
        return bodies.footprint(self.solid, self.fit.place)


def is_above(piece: Found, other: Found) -> bool:
    """Whether a piece stands as high as another one's top, on it or on something like it."""
    base_mm = float(piece.place.middle_mm[2]) - piece.solid.half_height_mm
    return base_mm > float(other.place.middle_mm[2]) + other.solid.half_height_mm - LEVEL_MM


def stands_in(disk: Found, die: Found) -> bool:
    """Whether a disk taken for lying would stand in a die."""
    return bodies.depth_in_disk(die.solid, die.place, disk.place.middle_mm[:2], radius_mm(disk)) > INTO_MM


def is_in_die(xy_mm: Floats, dice: list[Found]) -> bool:
    """Whether nothing that stands on the table can have its middle there, for these dice."""
    at = (float(xy_mm[0]), float(xy_mm[1]))
    return any(cv2.pointPolygonTest(die.outline_mm.astype(np.float32), at, True) > -IN_DIE_MM for die in dice)


def shared_mm2(a: Found, b: Found) -> float:
    """The area that two footprints share."""
    return float(cv2.intersectConvexConvex(a.outline_mm.astype(np.float32), b.outline_mm.astype(np.float32))[0])


def radius_mm(territory: Found) -> float:
    """A disk's radius."""
    return _radius_mm(territory.solid)


@lru_cache(maxsize=64)
def _radius_mm(disk: bodies.Solid) -> float:
    """Its polygon's corners lie a little outside the circle."""
    sides = len(disk.core_mm) // 2
    core = float(np.abs(disk.core_mm[:, 0]).max())
    return core / (1 + (np.pi / sides) ** 2 / 6) + disk.round_mm


def margin_mm(piece: Found, territory: Found) -> float:
    """The depth of a piece's footprint in a territory."""
    return bodies.depth_in_disk(piece.solid, piece.place, territory.place.middle_mm[:2], radius_mm(territory))
