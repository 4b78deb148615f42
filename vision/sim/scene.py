"""A table as the renderer draws it: solid pieces with place and rotation, light, surface and a hand, all frozen.

Convention: the kit's table frame (x right, y down, height up, mm), which is left-handed. A piece's frame is left-handed
too, so its turn is a proper rotation (a unit quaternion w x y z) whose columns are the piece's axes in the table frame.
A ninja has 3 on +x, 5 on +y, 1 on +z (opposite faces sum to seven). An empire die's eye is on +z, its length along x. A
disk's axis is z. `pieces` takes a piece's material from the kit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import cv2
import numpy as np

from calibration.arrays import Floats
from companion.game.table import Disk, Footprint, Outline, convex_hull

if TYPE_CHECKING:
    from vision.sim.rod_table import Rod
    from vision.sim.sheet import PrintedBoard

Point3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

UPRIGHT: Quaternion = (1.0, 0.0, 0.0, 0.0)
FLAT_DEG = 0.05
"""The footprint of a disk with a smaller tilt is its own circle, accurate to well under a hundredth of a mm."""

PIP_FACES = {(0, 1): 3, (0, -1): 4, (1, 1): 5, (1, -1): 2, (2, 1): 1, (2, -1): 6}
"""A die's value by (axis, sign) of the face; opposite faces sum to seven."""
MARK_FACE = (2, 1)
"""The marked face of a marked die, by (axis, sign)."""
BASE_MM = 60.0
"""Minimum radius of a territory: a disk on the table that other pieces may be on."""


@dataclass(frozen=True, slots=True)
class RoundDisk:
    """A disk about its z axis with rims rounded by `bevel_mm`."""

    radius_mm: float
    height_mm: float
    bevel_mm: float

    @property
    def half_mm(self) -> float:
        """Half its height."""
        return self.height_mm / 2

    def hull(self, corners: int = 64) -> Floats:
        """Corner points (N, 3): the solid is their convex hull, grown by `bevel_mm`."""
        angles = np.arange(corners) * (2 * math.pi / corners)
        ring, half = self.radius_mm - self.bevel_mm, self.half_mm - self.bevel_mm
        circle = np.column_stack([ring * np.cos(angles), ring * np.sin(angles)])
        return np.vstack([np.column_stack([circle, np.full(corners, z)]) for z in (-half, half)])


@dataclass(frozen=True, slots=True)
class RoundCube:
    """A cube with edges rounded by `bevel_mm`."""

    side_mm: float
    bevel_mm: float

    @property
    def half_mm(self) -> float:
        """Half its side."""
        return self.side_mm / 2

    @property
    def halves_mm(self) -> Point3:
        """Half its length along each axis."""
        return self.half_mm, self.half_mm, self.half_mm

    def hull(self, corners: int = 8) -> Floats:
        """Corner points (8, 3): the solid is their convex hull, grown by `bevel_mm`."""
        inner = self.half_mm - self.bevel_mm
        return np.array([(x, y, z) for x in (-inner, inner) for y in (-inner, inner) for z in (-inner, inner)])


@dataclass(frozen=True, slots=True)
class RoundBox:
    """A box with edges rounded by `bevel_mm`: a card, or a tray's edge."""

    halves_mm: Point3
    """Half its length along each axis."""
    bevel_mm: float

    @property
    def half_mm(self) -> float:
        """Half its height."""
        return self.halves_mm[2]

    def hull(self, corners: int = 8) -> Floats:
        """Corner points (8, 3): the solid is their convex hull, grown by `bevel_mm`."""
        x, y, z = (half - self.bevel_mm for half in self.halves_mm)
        return np.array([(u, v, w) for u in (-x, x) for v in (-y, y) for w in (-z, z)])


@dataclass(frozen=True, slots=True)
class RoundPawn(RoundDisk):
    """A pawn: a foot that tapers to a blunt head of radius `head_mm`, upright or on its side."""

    head_mm: float = 0.0

    def hull(self, corners: int = 64) -> Floats:
        """Corner points (N, 3): the solid is their convex hull, grown by `bevel_mm`."""
        foot = RoundDisk.hull(self, corners)
        foot[foot[:, 2] > 0, :2] *= (self.head_mm - self.bevel_mm) / (self.radius_mm - self.bevel_mm)
        return foot


Solid = RoundDisk | RoundCube | RoundBox
BOXES = (RoundCube, RoundBox)


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """One piece on the table: `at_mm` is the solid's middle (x, y, height)."""

    id: str
    kind: str
    color: str
    solid: Solid
    at_mm: Point3
    turn: Quaternion = UPRIGHT
    material: str = "wood"
    """Surface, for mirrored light and friction: a key of `pieces.MATERIALS`."""
    faces: str = ""
    """The marks on its faces: ``pips``, ``mark``, ``colors`` or nothing."""
    inks: tuple[str, ...] = ()
    """The colours of faces 1 to 6, if each face has its own."""
    card: str | None = None
    """A card's name, such as ``7H`` or ``JOKER``, on its upper side (+z)."""
    is_fixed: bool = False
    """Whether it is a part of the table that cannot be moved or taken away."""

    @property
    def is_die(self) -> bool:
        """Whether it is a cube."""
        return isinstance(self.solid, RoundCube)

    @property
    def is_base(self) -> bool:
        """Whether it is a territory: a large flat disk on the table."""
        return isinstance(self.solid, RoundDisk) and self.solid.radius_mm > BASE_MM

    @property
    def rotation(self) -> Floats:
        """The piece's axes in the table frame as columns, shape (3, 3)."""
        return rotation_of(self.turn)

    @property
    def top(self) -> tuple[int, int]:
        """(axis, sign) of the most upward face."""
        up = self.rotation[2]
        axis = int(np.argmax(np.abs(up)))
        return axis, 1 if up[axis] > 0 else -1

    @property
    def tilt_deg(self) -> float:
        """The tilt of the most upward face; for a disk, of its flat faces."""
        up = self.rotation[2]
        level = abs(up[2]) if isinstance(self.solid, RoundDisk) else float(np.max(np.abs(up)))
        return math.degrees(math.acos(min(1.0, level)))

    @property
    def value(self) -> int | None:
        """The pips of a pipped die's most upward face; None: no pips."""
        return PIP_FACES[self.top] if self.faces == "pips" else None

    @property
    def face_color(self) -> str | None:
        """The colour of a die's most upward face, if each face has its own; otherwise None."""
        return self.inks[PIP_FACES[self.top] - 1] if self.faces == "colors" else None

    @property
    def marked_up(self) -> bool | None:
        """Whether a marked die's mark is on its most upward face; None: not a marked die."""
        return self.top == MARK_FACE if self.faces == "mark" else None

    @property
    def lowest_mm(self) -> float:
        """Height of its lowest point."""
        if isinstance(self.solid, RoundPawn):
            return self.at_mm[2] + float((self.solid.hull() @ self.rotation[2]).min()) - self.solid.bevel_mm
        return self.at_mm[2] - self.reach_mm(self.rotation[2])

    @property
    def highest_mm(self) -> float:
        """Height of its highest point."""
        if isinstance(self.solid, RoundPawn):
            return self.at_mm[2] + float((self.solid.hull() @ self.rotation[2]).max()) + self.solid.bevel_mm
        return self.at_mm[2] + self.reach_mm(self.rotation[2])

    def reach_mm(self, along: Floats) -> float:
        """How far the solid reaches from its middle in a unit direction (3,), given in its own frame."""
        solid = self.solid
        if isinstance(solid, RoundCube):
            return float(np.abs(along).sum()) * (solid.half_mm - solid.bevel_mm) + solid.bevel_mm
        if isinstance(solid, RoundBox):
            return float(np.abs(along) @ (np.array(solid.halves_mm) - solid.bevel_mm)) + solid.bevel_mm
        ring, half = solid.radius_mm - solid.bevel_mm, solid.half_mm - solid.bevel_mm
        return math.hypot(along[0], along[1]) * ring + abs(float(along[2])) * half + solid.bevel_mm

    @property
    def footprint(self) -> Footprint:
        """The vertical projection of the bevelled solid (a circle for a level disk, otherwise a convex outline)."""
        x, y, _ = self.at_mm
        if isinstance(self.solid, RoundDisk) and self.tilt_deg < FLAT_DEG:
            return Disk(x, y, self.solid.radius_mm)
        spokes = 72
        angles = (np.arange(spokes) + 0.5) * (2 * math.pi / spokes)
        bevel = self.solid.bevel_mm * np.column_stack([np.cos(angles), np.sin(angles)])
        flat = (self.solid.hull(128) @ self.rotation.T)[:, :2]
        swelled = (flat[:, None] + bevel[None]).reshape(-1, 2)
        around = cv2.convexHull(swelled.astype(np.float32), returnPoints=False)[:, 0]
        return Outline(convex_hull([(float(u) + x, float(v) + y) for u, v in swelled[around]]))

    def moved(self, *, at_mm: Point3 | None = None, turn: Quaternion | None = None) -> Body:
        """The piece at another place."""
        return replace(self, at_mm=self.at_mm if at_mm is None else at_mm, turn=self.turn if turn is None else turn)


@dataclass(frozen=True, slots=True)
class SceneLamp:
    """A lamp: its middle in the table frame, its width, and its share of all lamps' light."""

    at_mm: Point3
    size_mm: float = 300.0
    share: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lighting:
    """The room's light. `ambient`: share of light from all directions. `level`: 1 for a well lit table."""

    lamps: tuple[SceneLamp, ...] = (SceneLamp((250.0, -700.0, 1900.0), 500.0),)
    ambient: float = 0.45
    level: float = 1.0
    tint: Point3 = (1.0, 1.0, 1.0)
    """Colour of the lamps' light, linear RGB about 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """The table's covering: weave ``felt``, ``cloth``, ``wood`` or ``even``, and a colour (sRGB, 0 to 255)."""

    weave: str = "felt"
    color: tuple[int, int, int] = (74, 120, 92)
    grain: float = 1.0
    """Strength of the texture."""
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """A hand and forearm over the table: fingertips near `reach_mm`, the arm from the side `from_deg`."""

    reach_mm: tuple[float, float]
    from_deg: float
    height_mm: float = 45.0
    skin: tuple[int, int, int] = (205, 150, 120)
    sleeve: tuple[int, int, int] = (52, 54, 60)
    bare_mm: float = 130.0
    """Length of bare forearm between wrist and cuff."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Everything that the camera may see."""

    bodies: tuple[Body, ...] = ()
    hand: Hand | None = None
    lighting: Lighting = field(default_factory=Lighting)
    surface: Surface = field(default_factory=Surface)
    sheet: PrintedBoard | None = None
    """The printed board on the table."""
    rods: tuple[Rod, ...] = ()
    """Bent rods, the flat rods before the hanging rods."""

    def __iter__(self) -> Iterator[Body]:
        return iter(self.bodies)

    def body(self, id: str) -> Body:
        """The piece with this id. Raises: KeyError."""
        return {body.id: body for body in self.bodies}[id]


def value_top(value: int) -> tuple[int, int]:
    """The (axis, sign) of a die's face of this value."""
    return next(face for face, pips in PIP_FACES.items() if pips == value)


def face_up(face: tuple[int, int]) -> Quaternion:
    """A rotation that brings the face (axis, sign) to the top."""
    axis, sign = face
    return {
        (0, 1): about((0.0, 1.0, 0.0), -90.0),
        (0, -1): about((0.0, 1.0, 0.0), 90.0),
        (1, 1): about((1.0, 0.0, 0.0), 90.0),
        (1, -1): about((1.0, 0.0, 0.0), -90.0),
        (2, 1): UPRIGHT,
        (2, -1): about((1.0, 0.0, 0.0), 180.0),
    }[axis, sign]


def about(axis: Point3, angle_deg: float) -> Quaternion:
    """The rotation about a unit axis; about z it turns x towards y."""
    half = math.radians(angle_deg) / 2
    s = math.sin(half)
    return math.cos(half), axis[0] * s, axis[1] * s, axis[2] * s


def times(a: Quaternion, b: Quaternion) -> Quaternion:
    """The rotation `b` followed by the rotation `a`, normalised."""
    w, x, y, z = (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )
    n = math.sqrt(w * w + x * x + y * y + z * z)
    return w / n, x / n, y / n, z / n


def rotation_of(q: Quaternion) -> Floats:
    """The rotation matrix (3, 3) of a unit quaternion."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def between(a: Quaternion, b: Quaternion, part: float) -> Quaternion:
    """The rotation at a `part` (0 to 1) of the shorter way from `a` to `b`."""
    dot = sum(p * q for p, q in zip(a, b, strict=True))
    if dot < 0:
        b, dot = (-b[0], -b[1], -b[2], -b[3]), -dot
    angle = math.acos(min(1.0, dot))
    if angle < 1e-6:
        return b
    u, v = math.sin((1 - part) * angle) / math.sin(angle), math.sin(part * angle) / math.sin(angle)
    w, x, y, z = (u * p + v * q for p, q in zip(a, b, strict=True))
    return w, x, y, z
