"""The truth about a drawn scene, for tests and the bench only: the demo never lets it pass around the reader."""

from __future__ import annotations

from dataclasses import dataclass

from companion.game.table import overlap_mm
from vision.sim.scene import Body, RoundDisk, Scene

TOUCH_MM = 0.05
"""Two solids whose surfaces come this near touch."""


@dataclass(frozen=True, slots=True)
class TrueOverlap:
    """Depth of a piece's overlap with a base (ids), mm, negative for a gap."""

    piece: str
    over: str
    margin_mm: float


def overlaps(scene: Scene) -> tuple[TrueOverlap, ...]:
    """The margin of every piece of a side (no pipped die is) against every base."""
    lands = [body for body in scene if body.is_base]
    return tuple(
        TrueOverlap(body.id, land.id, overlap_mm(body.footprint, land.footprint))
        for body in scene
        if not body.is_base and body.faces != "pips"
        for land in lands
    )


def upper_of(a: Body, b: Body) -> Body | None:
    """The upper one of two pieces whose projections share ground; None where they share none."""
    if overlap_mm(a.footprint, b.footprint) <= 0:
        return None
    return a if a.at_mm[2] > b.at_mm[2] else b


def stacks(scene: Scene) -> tuple[tuple[str, str], ...]:
    """Pairs (upper, lower) of small disks with one on the other."""
    disks = [body for body in scene if not body.is_base and isinstance(body.solid, RoundDisk)]
    pairs = []
    for i, a in enumerate(disks):
        for b in disks[:i]:
            upper = upper_of(a, b)
            if upper is not None:
                pairs.append((upper.id, (b if upper is a else a).id))
    return tuple(pairs)
