"""Rods on the virtual table: dealt into piles, hung, dropped, moved. Each function returns the new rods."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from msgspec import Struct

from calibration.arrays import Floats
from companion.game.kit import BoxMm, Kit, PieceKind
from vision.sim.scene import Body, RoundDisk

# Bent rods: their shape, their places in piles, and their pose on the stand. A rod is a wire with one bend, small
# notches and a tip of its colour at each end; sizes are the kit's.


POINTS_MM = 2.0
"""Distance between points of a wire's middle line."""
V_DEG, ARC_DEG = (28.0, 70.0), (35.0, 90.0)
"""Total bend angle of a wire, at one place or over its whole length."""
V_MM, NOTCH_MM, NOTCH_WIDE_MM = 14.0, 2.0, 2.6
TIP_BREADTH = 1.8
"""Width of a tip in wire widths."""
TRIES, FREE_MM = 120, 9.0
"""Desired distance between the ends of rods, with a maximum number of tries."""
STAND_HIGH_MM, STAND_ARM_MM = 170.0, 46.0
"""Height of hanging rods, and the reach of their arm from the stand's middle."""


@dataclass(frozen=True, slots=True)
class Rod:
    """A rod: its middle line as points (x, y, height) in mm from tip to tip."""

    id: str
    color: str
    path_mm: tuple[tuple[float, float, float], ...]
    wire_mm: float
    tip_mm: float
    is_hung: bool = False

    @property
    def path(self) -> Floats:
        return np.array(self.path_mm)

    @property
    def middle_mm(self) -> tuple[float, float]:
        x, y, _ = self.path.mean(axis=0)
        return float(x), float(y)


def rod_kind(kit: Kit) -> PieceKind | None:
    """The kit's rods; None: the kit has none."""
    return next((piece for piece in kit.pieces if piece.shape == "wire" and piece.lengths_mm), None)


def bent(piece: PieceKind, color: str, rng: np.random.Generator) -> Floats:
    """A rod's middle line (N, 2) in a plane, its middle at the origin."""
    length = piece.lengths_mm[color]
    count = max(12, round(length / POINTS_MM))
    s = np.linspace(0, length, count)
    if rng.random() < 0.6:
        turn = math.radians(rng.uniform(*V_DEG)) * np.clip((s - length / 2) / V_MM, -0.5, 0.5)
    else:
        turn = math.radians(rng.uniform(*ARC_DEG)) * (s / length - 0.5)
    steps = np.column_stack([np.cos(turn), np.sin(turn)]) * (length / (count - 1))
    path = np.cumsum(steps, axis=0)
    across = np.column_stack([-np.sin(turn), np.cos(turn)])
    notches = piece.notches.get(color, 0)
    places = np.linspace(0.17, 0.83, notches) * length if notches else np.zeros(0)
    aside = NOTCH_MM * np.exp(-(((s[:, None] - places) / NOTCH_WIDE_MM) ** 2)).sum(axis=1)
    path = path + across * aside[:, None]
    return np.asarray(path - path.mean(axis=0))


def lying(
    piece: PieceKind,
    id: str,
    color: str,
    box: BoxMm,
    others: Sequence[Rod],
    rng: np.random.Generator,
    clear_of: tuple[float, float, float] | None = None,
) -> Rod:
    """A rod dropped into a zone, with its tips away from others if possible, and away from a circle (x, y, radius)."""
    x0, y0, x1, y1 = box
    ends = np.array([p for rod in others for p in (rod.path_mm[0][:2], rod.path_mm[-1][:2])]).reshape(-1, 2)
    lines = np.vstack([rod.path[:, :2] for rod in others if not rod.is_hung] or [np.zeros((0, 2))])
    best: tuple[float, Floats] | None = None
    for _ in range(TRIES):
        flat = bent(piece, color, rng)
        turn = rng.uniform(0, 2 * math.pi)
        c, s = math.cos(turn), math.sin(turn)
        flat = flat @ np.array([[c, s], [-s, c]])
        low, high = flat.min(axis=0) - 6, flat.max(axis=0) + 6
        room = np.array([x1 - x0, y1 - y0]) - (high - low)
        at = np.array([x0, y0]) - low + np.where(room > 0, rng.uniform(0, 1, 2) * room, room / 2)
        path = flat + at
        tips = path[[0, -1]]
        free = min(
            [FREE_MM * 4.0]
            + [float(np.linalg.norm(other - tips, axis=1).min()) for other in ends]
            + ([float(np.linalg.norm(lines[None] - tips[:, None], axis=2).min())] if len(lines) else [])
        )
        if (room <= 0).any():
            free -= 20.0
        if clear_of is not None:
            free += min(0.0, float(np.hypot(*(path - clear_of[:2]).T).min()) - clear_of[2])
        if best is None or free > best[0]:
            best = (free, path)
        if free >= FREE_MM * 2:
            break
    assert best is not None
    flat = best[1]
    z = np.full(len(flat), piece.size_mm("wire") * TIP_BREADTH / 2)
    for rod in others:
        if rod.is_hung:
            continue
        near = np.linalg.norm(flat[:, None] - rod.path[None, :, :2], axis=2).min(axis=1)
        crossing = near < piece.size_mm("wire")
        if crossing.any():
            where = np.flatnonzero(crossing)
            along = np.abs(np.arange(len(flat))[:, None] - where[None]).min(axis=1) * POINTS_MM
            z = np.maximum(z, z + piece.size_mm("wire") * np.exp(-((along / 24.0) ** 2)))
    return _rod(piece, id, color, np.column_stack([flat, z]), is_hung=False)


def hanging(
    piece: PieceKind, id: str, color: str, stand: BoxMm, others: Sequence[Rod], rng: np.random.Generator
) -> Rod:
    """A rod that hangs on the stand by its bend, with its ends lower than the bend."""
    middle = np.array([(stand[0] + stand[2]) / 2, (stand[1] + stand[3]) / 2])
    flat = bent(piece, color, rng)
    arm = STAND_ARM_MM * rng.uniform(-1, 1)
    at = middle + arm * np.array([1.0, 0.25])
    level = STAND_HIGH_MM - 5.0 * sum(rod.is_hung for rod in others) % 60
    turn = rng.uniform(0, 2 * math.pi)
    hook = flat[len(flat) // 2]
    along, drop = flat[:, 0] - hook[0], flat[:, 1] - hook[1]
    lean = 0.25
    x = at[0] + along * math.cos(turn) - drop * lean * math.sin(turn)
    y = at[1] + along * math.sin(turn) + drop * lean * math.cos(turn)
    z = np.maximum(level - np.abs(drop) * math.sqrt(1 - lean * lean), 40.0)
    return _rod(piece, id, color, np.column_stack([x, y, z]), is_hung=True)


def _rod(piece: PieceKind, id: str, color: str, path: Floats, *, is_hung: bool) -> Rod:
    points = tuple((round(float(x), 2), round(float(y), 2), round(float(z), 2)) for x, y, z in path)
    return Rod(id, color, points, piece.size_mm("wire"), piece.size_mm("tip"), is_hung)


Rods = tuple[Rod, ...]

FOOT_MM, FOOT_HIGH_MM, POLE_MM = 46.0, 14.0, 5.0
"""The stand's foot (radius and height) and its pole's radius."""
POLE_HIGH_MM = 160.0
HOOK_MM = 55.0
"""Maximum distance of a released rod from the stand's middle at which it hangs."""
AROUND_MM = 8.0
DRAW, STAND = "draw", "stand"
MAT = (150, 142, 130)
"""Colour of a mat unlike all rods."""


def zones_of(kit: Kit) -> dict[str, BoxMm]:
    """The places of a kit's rods: ``1`` ... for the piles, ``draw`` and ``stand``; empty for a kit without a stand."""
    areas = kit.mat.areas_mm
    if "stand_mm" not in areas or rod_kind(kit) is None:
        return {}
    zones = {name[5:-3]: box for name, box in areas.items() if name.startswith("pile_")}
    if "draw_pile_mm" in areas:
        zones[DRAW] = areas["draw_pile_mm"]
    return zones | {STAND: areas["stand_mm"]}


def stand(kit: Kit) -> tuple[Body, ...]:
    """The stand's foot and pole, fixed parts of the table."""
    box = zones_of(kit).get(STAND)
    if box is None:
        return ()
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    sizes = (("foot", FOOT_MM, FOOT_HIGH_MM, 0.0), ("pole", POLE_MM, POLE_HIGH_MM, FOOT_HIGH_MM))
    return tuple(
        Body(
            id=f"stand_{name}",
            kind="stand",
            color="wood",
            solid=RoundDisk(radius, high, 1.0),
            at_mm=(x, y, on + high / 2),
            is_fixed=True,
        )
        for name, radius, high, on in sizes
    )


def dealt(kit: Kit, players: int, rng: np.random.Generator, holders: Sequence[int] | None = None) -> Rods:
    """A new round: equally many rods of each colour per pile, the rest in the draw pile; `holders`: the piles (1
    ...)."""
    piece = rod_kind(kit)
    zones = zones_of(kit)
    if piece is None or not zones:
        return ()
    who = [str(n) for n in (holders or range(1, players + 1)) if str(n) in zones]
    share = piece.count_each // max(len(who), 1)
    rods: Rods = ()
    for color in sorted(piece.colors, key=lambda c: -piece.lengths_mm[c]):
        names = iter(f"{piece.kind}_{color}_{i + 1}" for i in range(piece.count_each))
        places = [zone for zone in who for _ in range(share)]
        places += [DRAW] * (piece.count_each - len(places)) if DRAW in zones else []
        for zone, id in zip(places, names, strict=False):
            rods = laid(kit, rods, id, color, zone, rng)
    return rods


def laid(kit: Kit, rods: Rods, id: str, color: str, zone: str, rng: np.random.Generator) -> Rods:
    """A rod moved from anywhere into a zone."""
    piece, zones = rod_kind(kit), zones_of(kit)
    assert piece is not None
    others = tuple(rod for rod in rods if rod.id != id)
    x0, y0, x1, y1 = zones[zone]
    if zone != STAND:
        return _sorted((*others, lying(piece, id, color, zones[zone], others, rng)))
    around = ((x0 + x1) / 2, (y0 + y1) / 2, FOOT_MM + AROUND_MM)
    return _sorted((*others, lying(piece, id, color, zones[zone], others, rng, around)))


def hung(kit: Kit, rods: Rods, id: str, color: str, rng: np.random.Generator) -> Rods:
    """A rod hung on the stand."""
    piece = rod_kind(kit)
    assert piece is not None
    others = tuple(rod for rod in rods if rod.id != id)
    return _sorted((*others, hanging(piece, id, color, zones_of(kit)[STAND], others, rng)))


def moved(kit: Kit, rods: Rods, id: str, x_mm: float, y_mm: float, rng: np.random.Generator) -> Rods:
    """A rod released at a place: if any part is over the stand it hangs, else it lies there.

    It keeps its angle, unless it hung: then it shows its bends again, which hang down out of sight.
    """
    piece = rod_kind(kit)
    assert piece is not None
    rod = next(rod for rod in rods if rod.id == id)
    x0, y0, x1, y1 = zones_of(kit)[STAND]
    flat = (bent(piece, rod.color, rng) if rod.is_hung else rod.path[:, :2] - rod.middle_mm) + (x_mm, y_mm)
    if np.hypot(*(flat - ((x0 + x1) / 2, (y0 + y1) / 2)).T).min() < HOOK_MM:
        return hung(kit, rods, id, rod.color, rng)
    height = rod.wire_mm * 0.9
    points = tuple((round(float(px), 2), round(float(py), 2), height) for px, py in flat)
    lain = Rod(rod.id, rod.color, points, rod.wire_mm, rod.tip_mm)
    return _sorted((*(other for other in rods if other.id != id), lain))


def turned(rods: Rods, id: str, angle_deg: float) -> Rods:
    """A rod turned about its middle, x towards y."""
    c, s = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))

    def about(rod: Rod) -> Rod:
        middle = rod.middle_mm
        flat = (rod.path[:, :2] - middle) @ np.array([[c, s], [-s, c]]) + middle
        points = zip(flat.tolist(), rod.path[:, 2].tolist(), strict=True)
        return replace(rod, path_mm=tuple((round(x, 2), round(y, 2), z) for (x, y), z in points))

    return tuple(about(rod) if rod.id == id else rod for rod in rods)


def zone_of(kit: Kit, rod: Rod) -> str | None:
    """``hung``, the zone of a rod's middle, or None."""
    if rod.is_hung:
        return "hung"
    x, y = rod.middle_mm
    for name, (x0, y0, x1, y1) in zones_of(kit).items():
        if x0 <= x <= x1 and y0 <= y <= y1:
            return name
    return None


def shown(kit: Kit, rod: Rod) -> dict[str, Any]:
    """A rod for the page, from above."""
    x, y = rod.middle_mm
    path = rod.path
    every = max(1, len(path) // 24)
    points = [*path[::every, :2].tolist(), path[-1, :2].tolist()]
    return {
        "id": rod.id,
        "kind": "rod",
        "shape": "wire",
        "color": rod.color,
        "x_mm": round(x, 1),
        "y_mm": round(y, 1),
        "height_mm": round(float(path[:, 2].max()), 1),
        "tilt_deg": 0.0,
        "angle_deg": 0.0,
        "size_mm": rod.tip_mm * 2,
        "wire_mm": rod.wire_mm,
        "path": [[round(px - x, 1), round(py - y, 1)] for px, py in points],
        "is_hung": rod.is_hung,
        "zone": zone_of(kit, rod),
    }


def _sorted(rods: Rods) -> Rods:
    return tuple(sorted(rods, key=lambda rod: rod.is_hung))


class KeptRod(Struct, frozen=True):
    """A rod as it is saved."""

    id: str
    color: str
    path_mm: tuple[tuple[float, float, float], ...]
    is_hung: bool


def rods_of(kit: Kit, kept: Sequence[KeptRod]) -> Rods:
    """Saved rods with the sizes of the kit's."""
    piece = rod_kind(kit)
    if piece is None:
        return ()
    wire, tip = piece.size_mm("wire"), piece.size_mm("tip")
    return tuple(Rod(rod.id, rod.color, rod.path_mm, wire, tip, rod.is_hung) for rod in kept)
