"""Which tips belong together: for each colour the pairs whose wires are seen best, no tip twice and no wire twice.

A rod that hangs by its bend is bent in an upright plane: from above it looks straight, and too short or, being nearer
to the camera, too long for one that lies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.tables.board_view import Floats
from vision.tables.rods_tips import Tip, places_of
from vision.tables.rods_wires import Lines, evidence, hanging, hopeful, may_join, shapes

LEAST_WIRE, PLAIN_WIRE, HOPE = 0.6, 0.8, 0.45
"""From which evidence on a wire may run there, and from which it plainly does."""
MAY_LIE = 0.75
"""Tips that hang more likely than this are not those of a lying rod."""
LEAST_HUNG, MOST_HUNG, HANGS_LEAD = 0.45, 1.36, 0.03
"""How far apart the tips of a hanging rod look, in its lengths; it hangs where a nearly straight wire fits better by
this."""
NEARLY = (1.004, 1.03, 1.08)
"""How long a nearly straight wire is, in distances of its tips."""
FALLEN = 0.965, 0.6, 0.25
"""By the stand a lying rod's wire and tips show so plainly at least, and it is no likelier to hang: what hangs there
crosses, and seldom fits the shape of one that lies."""
HANG_MM = 125.0
"""What hangs shows within this distance of the stand's middle, a part of it at least."""
BESIDE_MM, MOST_SHARED = 2.6, 0.45
"""Wires that run so near to each other over more than this share are one wire."""
MOST_TRIED = 16
"""More pairs of a colour than this are not weighed against each other, but taken best first."""
MOST_TIPS = 20
"""A kit has eight tips of a colour: of more candidates than this the likeliest are tried."""
RIVAL = 0.08
"""A pairing that is worth less than this more than another is not the only one."""


@dataclass(frozen=True, eq=False)
class Wire:
    """A rod: its colour, the numbers of its two tips, how plainly its wire is seen, and where it runs (N, 2), mm."""

    color: str
    tips: tuple[int, int]
    seen: float
    path_mm: Floats
    hangs: float = 0.0
    """How likely it hangs."""
    is_only: bool = True
    """No other pairing of its tips is nearly as good."""

    @property
    def middle_mm(self) -> Floats:
        return np.asarray(self.path_mm.mean(axis=0))


def matched(
    lines: Lines, tips: list[Tip], lengths_mm: Mapping[str, float], tip_mm: float, most: int, stand_mm: Floats
) -> tuple[list[Wire], list[Wire]]:
    """The rods that lie on the table, the plainest first, `most` of a colour at most; and those that hang."""
    high = {color: _hanging(lines, tips, color, lengths_mm[color] - tip_mm, stand_mm) for color in lengths_mm}
    pairs: dict[str, list[Wire]] = {}
    for color, hanging_ones in high.items():
        straight = {wire.tips: wire.seen for wire in hanging_ones}
        lying = _pairs(lines, tips, color, lengths_mm[color] - tip_mm)
        pairs[color] = [
            wire
            for wire in lying
            if straight.get(wire.tips, 0.0) <= wire.seen + HANGS_LEAD and _is_plain_by_stand(wire, tips, stand_mm)
        ]
    found: list[Wire] = []
    chosen = [wire for some in pairs.values() for wire in _best(some, tips, most)]
    for wire in sorted(chosen, key=lambda wire: -_worth(wire, tips)):
        if not any(_clash(wire, other) for other in found):
            others = (one for color, some in pairs.items() if color != wire.color for one in some)
            rival = max((one.seen for one in others if one.tips == wire.tips), default=0.0)
            found.append(replace(wire, is_only=wire.is_only and rival < wire.seen - RIVAL))
    hung: list[Wire] = []
    for wire in sorted((wire for some in high.values() for wire in some), key=lambda wire: -_worth(wire, tips)):
        if not any(_clash(wire, other) for other in (*found, *hung)):
            hung.append(wire)
    return found, hung


def _is_plain_by_stand(wire: Wire, tips: Sequence[Tip], stand_mm: Floats) -> bool:
    """Whether a rod lies clear of what hangs, or shows so plainly as only one that lies does."""
    is_clear = bool(np.linalg.norm(wire.path_mm - stand_mm, axis=1).min() > HANG_MM)
    plain = min(tips[i].plain for i in wire.tips)
    return is_clear or (wire.seen >= FALLEN[0] and plain >= FALLEN[1] and wire.hangs <= FALLEN[2])


def _own(tips: Sequence[Tip], color: str) -> list[int]:
    """The numbers of the tips that are likeliest of a colour."""
    may = [i for i, tip in enumerate(tips) if color in tip.colors]
    return sorted(sorted(may, key=lambda i: -tips[i].plain * tips[i].colors[color])[:MOST_TIPS])


def _hanging(lines: Lines, tips: list[Tip], color: str, length_mm: float, stand_mm: Floats) -> list[Wire]:
    """Pairs of tips with a straight wire between them by the stand."""
    own = _own(tips, color)
    at = places_of([tips[i] for i in own])
    found: list[Wire] = []
    for n in range(len(own)):
        for m in range(n + 1, len(own)):
            chord = float(np.hypot(*(at[n] - at[m])))
            line = np.linspace(at[n], at[m], 9)
            if not LEAST_HUNG * length_mm < chord < MOST_HUNG * length_mm:
                continue
            if np.linalg.norm(line - stand_mm, axis=1).min() > HANG_MM:
                continue
            ways = [paths[hopeful(lines, paths, HOPE)] for paths in (shapes(at[n], at[m], chord * k) for k in NEARLY)]
            looks = [evidence(lines, paths) for paths in ways if len(paths)]
            seen, path = max(
                ((float(v), p) for values, paths in looks for v, p in zip(values, paths, strict=True)),
                key=lambda way: way[0],
                default=(0.0, line),
            )
            if seen >= PLAIN_WIRE:
                found.append(Wire(color, (own[n], own[m]), seen, path, hangs=1.0))
    return found


def _worth(wire: Wire, tips: Sequence[Tip]) -> float:
    """How much speaks for a rod: its wire, its tips and their colour, and that long wires are no accident."""
    shown = [tips[i].plain * tips[i].colors[wire.color] for i in wire.tips]
    return wire.seen - LEAST_WIRE + 0.3 * sum(shown) / 2 + 0.1 * min(1.0, len(wire.path_mm) / 60)


def _pairs(lines: Lines, tips: list[Tip], color: str, length_mm: float) -> list[Wire]:
    """Pairs of tips of a colour with a wire of this length between them, the plainest first."""
    own = [i for i in _own(tips, color) if tips[i].hangs < MAY_LIE]
    at = places_of([tips[i] for i in own])
    apart = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
    found, of = [], []
    for n, m in zip(*np.nonzero(np.triu(may_join(apart, length_mm), 1)), strict=True):
        some = shapes(at[n], at[m], length_mm)
        found.append(some)
        of += [(own[n], own[m])] * len(some)
    # shapes of pairs further apart have as many points: the length is one
    paths = np.concatenate([some for some in found if len(some)]) if of else np.zeros((0, 0, 2))
    keep = hopeful(lines, paths, HOPE)
    if not keep.any():
        return []
    seen, middles = evidence(lines, paths[keep])
    best: dict[tuple[int, int], Wire] = {}
    for pair, value, path in zip((of[k] for k in np.flatnonzero(keep)), seen, middles, strict=True):
        if value >= LEAST_WIRE and (pair not in best or value > best[pair].seen):
            best[pair] = Wire(color, pair, float(value), path)
    wires = [replace(wire, hangs=hanging(lines, wire.path_mm)) for wire in best.values()]
    return sorted((wire for wire in wires if wire.hangs < MAY_LIE), key=lambda wire: -_worth(wire, tips))


def _best(pairs: list[Wire], tips: Sequence[Tip], most: int) -> list[Wire]:
    """The set of pairs without a common tip or wire that is worth most."""
    tried = pairs[:MOST_TRIED]
    worths = [_worth(wire, tips) for wire in tried]
    clash = [[_clash(wire, other) for other in tried] for wire in tried]
    found: tuple[float, list[int]] = (0.0, [])

    def add(start: int, worth: float, so_far: list[int]) -> None:
        nonlocal found
        if worth > found[0] + 1e-9:
            found = (worth, so_far)
        if len(so_far) == most or worth + sum(sorted(worths[start:], reverse=True)[: most - len(so_far)]) <= found[0]:
            return
        for k in range(start, len(tried)):
            if not any(clash[k][other] for other in so_far):
                add(k + 1, worth + worths[k], [*so_far, k])

    add(0, 0.0, [])
    chosen = found[1]
    rivals = [k for k in range(len(tried)) if k not in chosen and tried[k].seen >= PLAIN_WIRE]

    def is_only(k: int) -> bool:
        """No rival could stand in its place, for as much."""
        others = [other for other in chosen if other != k]
        return not any(
            clash[k][rival] and worths[rival] > worths[k] - RIVAL and not any(clash[rival][other] for other in others)
            for rival in rivals
        )

    return [replace(tried[k], is_only=is_only(k)) for k in chosen]


def _clash(wire: Wire, other: Wire) -> bool:
    """Whether two rods share a tip or run along one wire."""
    if set(wire.tips) & set(other.tips):
        return True
    inner = wire.path_mm[2:-2]
    near = np.linalg.norm(inner[:, None] - other.path_mm[None], axis=2).min(axis=1) < BESIDE_MM
    return bool(near.mean() > MOST_SHARED)
