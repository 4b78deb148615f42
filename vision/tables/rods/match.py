"""Where rods may be: pairs of tips with a wire of their colour's length between them, and wires that lead from one tip.

These are candidates with their looks; `rods_choice` weighs them against each other. A rod that hangs by its bend is
bent in an upright plane: from above it looks straight, and too short or, being nearer to the camera, too long for one
that lies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.tables.board.view import Floats
from vision.tables.rods.tips import Tip, places_of
from vision.tables.rods.wires import (
    Evidence,
    Lines,
    evidence,
    goes_on,
    hopeful,
    may_join,
    places_along,
    reaching,
    shapes,
)

HOPE, LEAST_WIRE = 0.45, 0.55
"""From which evidence on a wire may run there, at a quick look and at a close one."""
LEAST_HUNG, MOST_HUNG = 0.4, 1.4
"""How far apart the tips of a hanging rod look, in its lengths."""
NEARLY = (1.004, 1.04)
"""How long a nearly straight wire is, in distances of its tips."""
HUNG_PLACES = 40
"""A wire that looks straight is looked at in so many places."""
HANG_MM = 125.0
"""What hangs shows within this distance of the stand's middle, a part of it at least."""
STRAIGHT, TIPS_OFF_MM = 0.94, 3.5
"""Tips further apart than this share of the wire may be nearer to each other by so much than they are told: where a
wire is nearly straight, that is 10 mm of its bend."""
BENT = 0.12
"""A wire is plainly bent whose middle is so far from the line between its ends, as a share of this line."""
MOST_PLAIN = 4.0
"""Log odds beyond this say no more."""
MOST_TIPS = 20
"""A kit has eight tips of a colour: of more candidates than this the likeliest are tried."""
OF_END_MM = 9.0
"""A tip this near to the end of a wire is its other end."""
LEAST_OWN = 0.15
"""Wires are sought from one tip in each colour that it shows so much of."""
LEAST_REACH = 0.8
"""A wire from one tip shows so plainly at least."""


@dataclass(frozen=True, eq=False)
class Wire:
    """What may be a rod: its colour, the numbers of its tips that are seen (one or two), how it looks (`LOOKS`), where
    it runs (N, 2), mm, and how likely it is one (0 to 1)."""

    color: str
    tips: tuple[int, ...]
    looks: Floats
    path_mm: Floats
    likely: float = 0.0

    @property
    def middle_mm(self) -> Floats:
        return np.asarray(self.path_mm.mean(axis=0))


LOOKS = (
    "seen",
    "weakest",
    "along",
    "plain",
    "color",
    "tips lead",
    "by the stand",
    "straight there",
    "hangs there",
    "tips hang there",
)


def _wire(color: str, tips: Sequence[Tip], own: tuple[int, ...], shown: Evidence, k: int, stand_mm: Floats) -> Wire:
    """A candidate of the k-th path of the evidence."""
    path, ends = shown.middles[k], [tips[i] for i in own]
    tangents = (path[2] - path[0], path[-3] - path[-1])
    lead = [
        float(np.dot(tip.way, tangent) / (np.linalg.norm(tangent) + 1e-9))
        for tip, tangent in zip(ends, tangents, strict=False)
    ]
    is_near = float(np.linalg.norm(path - stand_mm, axis=1).min()) < HANG_MM
    looks = (
        shown.seen[k],
        shown.weakest[k],
        shown.along[k],
        min(tip.plain for tip in ends),
        min(tip.colors[color] for tip in ends),
        min(lead),
        float(is_near),
        is_near * max(0.0, 1 - _bent(path) / BENT),
        is_near * _hangs(float(shown.hangs[k])),
        is_near * _hangs(float(np.mean([tip.hangs for tip in ends]))),
    )
    return Wire(color, own, np.array(looks, np.float64), path)


def _hangs(share: float) -> float:
    """How plainly a wire hangs: from -1, where it lies, to 1."""
    return float(np.clip(np.log(share + 1e-6) - np.log(1 - share + 1e-6), -MOST_PLAIN, MOST_PLAIN)) / MOST_PLAIN


def _bent(path_mm: Floats) -> float:
    """How far the middle of a path (N, 2) is from the line between its ends, as a share of this line."""
    line = path_mm[-1] - path_mm[0]
    x, y = path_mm[len(path_mm) // 2] - path_mm[0]
    return float(abs(x * line[1] - y * line[0]) / (line @ line + 1e-9))


def own_tips(tips: Sequence[Tip], color: str) -> list[int]:
    """The numbers of the tips that are likeliest of a colour."""
    may = [i for i, tip in enumerate(tips) if color in tip.colors]
    return sorted(sorted(may, key=lambda i: -tips[i].plain * tips[i].colors[color])[:MOST_TIPS])


def lying(lines: Lines, tips: Sequence[Tip], lengths_mm: Mapping[str, float], stand_mm: Floats) -> list[Wire]:
    """Pairs of tips of a colour with a wire of its length between them; each pair once, by its plainest shape."""
    found = []
    for color, length_mm in lengths_mm.items():
        own = own_tips(tips, color)
        at = places_of([tips[i] for i in own])
        apart = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
        some, of = [], []
        for n, m in zip(*np.nonzero(np.triu(may_join(apart, length_mm), 1)), strict=True):
            ways = (tips[own[n]].way, tips[own[m]].way)
            is_straight = float(apart[n, m]) > STRAIGHT * length_mm
            for more_mm in (0.0, TIPS_OFF_MM) if is_straight else (0.0,):
                paths = shapes(at[n], at[m], length_mm + more_mm, ways, places_along(length_mm))
                if len(paths):
                    some.append(paths)
                    of += [(own[n], own[m])] * len(paths)
        found += _plainest(lines, tips, color, some, of, stand_mm)
    return found


def hanging(lines: Lines, tips: Sequence[Tip], lengths_mm: Mapping[str, float], stand_mm: Floats) -> list[Wire]:
    """Pairs of tips with a straight wire between them by the stand."""
    found = []
    for color, length_mm in lengths_mm.items():
        own = own_tips(tips, color)
        at = places_of([tips[i] for i in own])
        some, of = [], []
        for n in range(len(own)):
            for m in range(n + 1, len(own)):
                chord = float(np.hypot(*(at[n] - at[m])))
                line = np.linspace(at[n], at[m], 9)
                if not LEAST_HUNG * length_mm < chord < MOST_HUNG * length_mm:
                    continue
                if np.linalg.norm(line - stand_mm, axis=1).min() > HANG_MM:
                    continue
                ways = (tips[own[n]].way, tips[own[m]].way)
                for k in NEARLY:
                    paths = shapes(at[n], at[m], chord * k, ways, HUNG_PLACES)
                    if len(paths):
                        some.append(paths)
                        of += [(own[n], own[m])] * len(paths)
        found += _plainest(lines, tips, color, some, of, stand_mm)
    return found


def _plainest(
    lines: Lines,
    tips: Sequence[Tip],
    color: str,
    some: Sequence[Floats],
    of: Sequence[tuple[int, int]],
    stand_mm: Floats,
) -> list[Wire]:
    """The plainest of each pair's paths, where it is plain enough."""
    if not of:
        return []
    paths = np.concatenate(some)
    keep = np.flatnonzero(hopeful(lines, paths, HOPE))
    if not len(keep):
        return []
    shown = evidence(lines, paths[keep])
    worth = shown.seen + 0.5 * shown.along
    best: dict[tuple[int, int], int] = {}
    for k, number in enumerate(keep.tolist()):
        pair = of[number]
        if shown.seen[k] >= LEAST_WIRE and (pair not in best or worth[k] > worth[best[pair]]):
            best[pair] = k
    return [_wire(color, tips, pair, shown, k, stand_mm) for pair, k in best.items()]


def reached(
    lines: Lines, tips: Sequence[Tip], number: int, lengths_mm: Mapping[str, float], stand_mm: Floats
) -> list[Wire]:
    """Wires that lead from one tip: one of each colour that it may have."""
    tip, found = tips[number], []
    if not np.hypot(*tip.way):
        return []
    for color in (color for color, share in tip.colors.items() if share >= LEAST_OWN):
        shown = reaching(lines, np.array([tip.x_mm, tip.y_mm]), np.array(tip.way), lengths_mm[color])
        if shown.seen[shown.best] >= LEAST_REACH:
            wire = _wire(color, tips, (number,), shown, shown.best, stand_mm)
            far = np.linalg.norm(places_of(tips) - wire.path_mm[-1], axis=1)
            end = max((tips[i].plain for i in np.flatnonzero(far < OF_END_MM).tolist()), default=0.0)
            found.append(replace(wire, looks=np.append(wire.looks, (goes_on(lines, wire.path_mm), end))))
    return found
