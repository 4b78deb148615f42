"""Rods on the virtual table: dealt into piles, hung, laid down again, dropped. Each function gives the new rods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from companion.game.kit import BoxMm, Kit
from vision.sim.rods import Rod, hanging, lying, rod_kind
from vision.sim.scene import Body, RoundDisk

Rods = tuple[Rod, ...]

FOOT_MM, FOOT_HIGH_MM, POLE_MM = 46.0, 14.0, 5.0
"""The stand's foot (radius and height) and its pole's radius."""
POLE_HIGH_MM = 160.0
HOOK_MM = 55.0
"""A rod that is let go this near to the stand's middle hangs."""
AROUND_MM = 8.0
DRAW, STAND = "draw", "stand"
MAT = (150, 142, 130)
"""A mat that has none of the rods' colours."""


def zones_of(kit: Kit) -> dict[str, BoxMm]:
    """The places of a kit's rods: ``1`` ... the piles, ``draw`` and ``stand``; none in a kit without a stand."""
    areas = kit.mat.areas_mm
    if "stand_mm" not in areas or rod_kind(kit) is None:
        return {}
    zones = {name[5:-3]: box for name, box in areas.items() if name.startswith("pile_")}
    if "draw_pile_mm" in areas:
        zones[DRAW] = areas["draw_pile_mm"]
    return zones | {STAND: areas["stand_mm"]}


def stand(kit: Kit) -> tuple[Body, ...]:
    """The stand's foot and pole, which belong to the table."""
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
    """A new round: the same number of each colour in each pile, the rest in the draw pile; `holders`: whose (1 ...)."""
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
    """A rod dropped into a zone, wherever it was."""
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
    """A rod let go at a place: over the stand it hangs, elsewhere it stays flat as it was turned."""
    rod = next(rod for rod in rods if rod.id == id)
    x0, y0, x1, y1 = zones_of(kit)[STAND]
    if np.hypot(x_mm - (x0 + x1) / 2, y_mm - (y0 + y1) / 2) < HOOK_MM:
        return hung(kit, rods, id, rod.color, rng)
    path = rod.path
    x, y = rod.middle_mm
    flat = path[:, :2] + (x_mm - x, y_mm - y)
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
    """Those that lie before those that hang: these are over them."""
    return tuple(sorted(rods, key=lambda rod: rod.is_hung))


def rods_json(rods: Rods) -> list[dict[str, Any]]:
    """Rods as they are kept."""
    return [{"id": r.id, "color": r.color, "path_mm": r.path_mm, "is_hung": r.is_hung} for r in rods]


def rods_of(kit: Kit, kept: Sequence[dict[str, Any]]) -> Rods:
    """Rods as they were kept. Raises: KeyError, TypeError, ValueError."""
    piece = rod_kind(kit)
    if piece is None:
        return ()
    wire, tip = piece.size_mm("wire"), piece.size_mm("tip")
    return tuple(
        Rod(
            r["id"],
            r["color"],
            tuple((float(x), float(y), float(z)) for x, y, z in r["path_mm"]),
            wire,
            tip,
            bool(r["is_hung"]),
        )
        for r in kept
    )
