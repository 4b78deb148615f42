"""Which tips belong together: for each colour the pairs whose wires are seen best, no tip twice and no wire twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from vision.tables.board_view import Floats
from vision.tables.rods_tips import BLACK, Tip
from vision.tables.rods_wires import Lines, evidence, hopeful, may_join, shapes

LEAST_WIRE, PLAIN_WIRE = 0.7, 0.9
"""From which evidence on a wire may run there, and from which it surely does."""
ACROSS_ZONES, FAINT_TIP, PLAIN_TIP = 0.2, 0.06, 0.35
"""What a wire wholly outside of the zones loses, and one with a tip that hardly stands out."""
HANGING, HANGS_LEAD = (1.07, 1.15, 1.24, 1.34), 0.03
"""What hangs shows so many times as long; it is believed to hang where that fits better by this."""
HOPE = 0.6
SAME_MM = 5.0
"""A black candidate this near to one of a colour is the same thing."""
BESIDE_MM, MOST_SHARED, MOST_SHARED_BLACK = 2.6, 0.45, 0.3
"""Wires that run so near to each other over more than this share are one wire."""
MOST_TRIED = 16
"""More pairs of a colour than this are not weighed against each other, but taken best first."""


@dataclass(frozen=True, eq=False)
class Wire:
    """A rod: its colour, the numbers of its two tips, how plainly its wire is seen, and where it runs (N, 2), mm."""

    color: str
    tips: tuple[int, int]
    seen: float
    path_mm: Floats
    is_only: bool = True
    """No other pairing of its tips is nearly as good."""

    @property
    def middle_mm(self) -> Floats:
        return np.asarray(self.path_mm.mean(axis=0))


class Ground(Protocol):
    """Where rods may lie and hang."""

    def in_zone(self, path_mm: Floats) -> float:
        """The largest share of a path that lies in one zone, or near it."""

    def is_by_stand(self, path_mm: Floats) -> bool:
        """Whether what shows along a path may hang on the stand."""


def matched(
    lines: Lines, tips: Sequence[Tip], lengths_mm: Mapping[str, float], tip_mm: float, most: int, ground: Ground
) -> tuple[list[Wire], list[Wire]]:
    """The rods that lie on the table, the plainest first, `most` of a colour at most; and those that hang."""
    pairs = {color: _pairs(lines, tips, color, lengths_mm[color] - tip_mm, ground) for color in lengths_mm}
    high = {color: _hanging(lines, tips, color, lengths_mm[color] - tip_mm, ground) for color in lengths_mm}
    for color, hanging in high.items():
        seen = {wire.tips: wire.seen for wire in hanging}
        pairs[color] = [wire for wire in pairs[color] if seen.get(wire.tips, 0.0) <= wire.seen + HANGS_LEAD]
    lying: list[Wire] = []
    hung: list[Wire] = []
    # what is dark along the wires of others may be taken for black tips: these come last
    for colors in ([color for color in lengths_mm if color != BLACK], [BLACK]):
        for found, of in ((lying, pairs), (hung, high)):
            chosen = [wire for color in colors for wire in _best(_free(of.get(color, []), [*lying, *hung], tips), most)]
            for wire in sorted(chosen, key=lambda wire: -_worth(wire, tips)):
                if _free([wire], found, tips):
                    found.append(wire)
    return lying, hung


def _free(wires: list[Wire], taken: list[Wire], tips: Sequence[Tip]) -> list[Wire]:
    """Those that neither share a tip nor a wire with what is taken."""
    return [wire for wire in wires if not any(_clash(wire, other, tips) for other in taken)]


def _hanging(lines: Lines, tips: Sequence[Tip], color: str, length_mm: float, ground: Ground) -> list[Wire]:
    """Pairs of tips whose wire shows longer than one on the table: nearer to the camera."""
    best: dict[tuple[int, int], Wire] = {}
    for scale in HANGING:
        for wire in _pairs(lines, tips, color, length_mm * scale, None, ground.is_by_stand):
            if wire.tips not in best or wire.seen > best[wire.tips].seen:
                best[wire.tips] = wire
    return sorted(best.values(), key=lambda wire: -wire.seen)


def _worth(wire: Wire, tips: Sequence[Tip]) -> float:
    """How much speaks for a rod: its wire, its tips, and that long wires are no accident."""
    plain = sum(min(1.0, tips[i].plain) for i in wire.tips) / 2
    return wire.seen + 0.15 * plain + 0.1 * min(1.0, len(wire.path_mm) / 60)


def _pairs(
    lines: Lines,
    tips: Sequence[Tip],
    color: str,
    length_mm: float,
    ground: Ground | None,
    near: Callable[[Floats], bool] | None = None,
) -> list[Wire]:
    """Pairs of tips of a colour with a wire of this length between them, the plainest first; `near`: only those whose
    straight way is."""
    own = [i for i, tip in enumerate(tips) if color in tip.colors]
    at = np.array([[tips[i].x_mm, tips[i].y_mm] for i in own]).reshape(-1, 2)
    apart = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
    found, of = [], []
    for n, m in zip(*np.nonzero(np.triu(may_join(apart, length_mm), 1)), strict=True):
        if near is not None and not near(np.linspace(at[n], at[m], 9)):
            continue
        some = shapes(at[n], at[m], length_mm)
        found.append(some)
        of += [(own[n], own[m])] * len(some)
    paths = np.concatenate([some for some in found if len(some)]) if of else np.zeros((0, 0, 2))
    if not len(paths):
        return []
    keep = hopeful(lines, paths, HOPE)
    if not keep.any():
        return []
    seen, middles = evidence(lines, paths[keep])
    best: dict[tuple[int, int], Wire] = {}
    for pair, value, path in zip((of[k] for k in np.flatnonzero(keep)), seen, middles, strict=True):
        value -= ACROSS_ZONES * (1 - ground.in_zone(path)) if ground is not None else 0.0
        plain = min(tips[k].plain for k in pair)
        value -= FAINT_TIP * max(0.0, 1 - plain)
        if value >= LEAST_WIRE and (pair not in best or value > best[pair].seen):
            best[pair] = Wire(color, pair, float(value), path)
    return sorted(best.values(), key=lambda wire: -wire.seen)


def _best(pairs: list[Wire], most: int) -> list[Wire]:
    """The set of pairs without a common tip that is worth most."""
    found: tuple[float, list[Wire]] = (0.0, [])

    def add(start: int, used: frozenset[int], worth: float, so_far: list[Wire]) -> None:
        nonlocal found
        if worth > found[0] + 1e-9:
            found = (worth, so_far)
        if len(so_far) == most:
            return
        for k in range(start, len(tried)):
            wire = tried[k]
            if used.isdisjoint(wire.tips):
                add(k + 1, used | set(wire.tips), worth + wire.seen - LEAST_WIRE + 0.05, [*so_far, wire])

    tried = pairs[:MOST_TRIED]
    add(0, frozenset(), 0.0, [])
    chosen = found[1]
    ids = {id(wire) for wire in chosen}
    rivals = [wire for wire in tried if id(wire) not in ids and wire.seen >= PLAIN_WIRE]
    return [
        Wire(wire.color, wire.tips, wire.seen, wire.path_mm, not _is_rivaled(wire, rivals, chosen)) for wire in chosen
    ]


def _is_rivaled(wire: Wire, rivals: list[Wire], chosen: list[Wire]) -> bool:
    """Whether a tip of this pair has another partner as good that is left alone by the choice."""
    used = {tip for other in chosen for tip in other.tips}
    return any(
        len(set(rival.tips) & set(wire.tips)) == 1
        and not (set(rival.tips) - set(wire.tips)) & used
        and rival.seen > wire.seen - 0.04
        for rival in rivals
    )


def _clash(wire: Wire, other: Wire, tips: Sequence[Tip]) -> bool:
    """Whether two rods share a tip or run along one wire."""
    for i in wire.tips:
        for j in other.tips:
            apart = float(np.hypot(tips[i].x_mm - tips[j].x_mm, tips[i].y_mm - tips[j].y_mm))
            if i == j or (apart < SAME_MM and BLACK in (wire.color, other.color)):
                return True
    inner = wire.path_mm[2:-2]
    near = np.linalg.norm(inner[:, None] - other.path_mm[None], axis=2).min(axis=1) < BESIDE_MM
    most = MOST_SHARED_BLACK if BLACK in (wire.color, other.color) else MOST_SHARED
    return bool(near.mean() > most)
