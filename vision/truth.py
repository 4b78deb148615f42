"""What is true of a drawn scene, for tests and the bench only: the demo never lets it pass around the reader."""

from __future__ import annotations

from dataclasses import dataclass

from companion.readings import Kind
from companion.table import overlap_mm
from vision.scene import Body, Scene

TOUCH_MM = 0.05
"""Two solids whose surfaces come this near touch."""


@dataclass(frozen=True, slots=True)
class TrueOverlap:
    """How deep a die or samurai lies in a territory (ids), mm, negative for a gap."""

    piece: str
    over: str
    margin_mm: float


def overlaps(scene: Scene) -> tuple[TrueOverlap, ...]:
    """The margin of every empire die and samurai against every territory."""
    lands = [body for body in scene if body.kind is Kind.TERRITORY]
    return tuple(
        TrueOverlap(body.id, land.id, overlap_mm(body.footprint, land.footprint))
        for body in scene
        if body.kind in (Kind.EMPIRE_DIE, Kind.SAMURAI)
        for land in lands
    )


def upper_of(a: Body, b: Body) -> Body | None:
    """Which of two pieces lies above the other where their projections share ground; None where they share none."""
    if overlap_mm(a.footprint, b.footprint) <= 0:
        return None
    return a if a.at_mm[2] > b.at_mm[2] else b


def stacks(scene: Scene) -> tuple[tuple[str, str], ...]:
    """Pairs (upper, lower) of samurai of which one lies on the other."""
    samurai = [body for body in scene if body.kind is Kind.SAMURAI]
    pairs = []
    for i, a in enumerate(samurai):
        for b in samurai[:i]:
            upper = upper_of(a, b)
            if upper is not None:
                pairs.append((upper.id, (b if upper is a else a).id))
    return tuple(pairs)
