"""Candidates for rods: pairs of tips with a wire of their colour's length between them, and wires from one tip.

`choice` weighs these candidates against each other. A rod that hangs by its bend is bent in an upright plane. From
above it looks straight, and too short for a flat one; or too long, because it is nearer to the camera.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.tables.board.view import Floats
from vision.tables.rods.limits import LIMITS
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


@dataclass(frozen=True, eq=False)
class Wire:
    """A candidate for a rod: its colour, the numbers of its visible tips (one or two), its looks (`LOOKS`), its path
    (N, 2), mm, and its chance (0 to 1)."""

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
    is_near = float(np.linalg.norm(path - stand_mm, axis=1).min()) < LIMITS.hang_radius_mm
    looks = (
        shown.seen[k],
        shown.weakest[k],
        shown.along[k],
        min(tip.plain for tip in ends),
        min(tip.colors[color] for tip in ends),
        min(lead),
        float(is_near),
        is_near * max(0.0, 1 - _bent(path) / LIMITS.min_plain_bend),
        is_near * _hangs(float(shown.hangs[k])),
        is_near * _hangs(float(np.mean([tip.hangs for tip in ends]))),
    )
    return Wire(color, own, np.array(looks, np.float64), path)


def _hangs(share: float) -> float:
    """How plainly a wire hangs: from -1, flat, to 1."""
    return (
        float(np.clip(np.log(share + 1e-6) - np.log(1 - share + 1e-6), -LIMITS.max_log_odds, LIMITS.max_log_odds))
        / LIMITS.max_log_odds
    )


def _bent(path_mm: Floats) -> float:
    """How far the middle of a path (N, 2) is from the line between its ends, as a share of this line."""
    line = path_mm[-1] - path_mm[0]
    x, y = path_mm[len(path_mm) // 2] - path_mm[0]
    return float(abs(x * line[1] - y * line[0]) / (line @ line + 1e-9))


def own_tips(tips: Sequence[Tip], color: str) -> list[int]:
    """The numbers of the most probable tips of a colour."""
    may = [i for i, tip in enumerate(tips) if color in tip.colors]
    return sorted(sorted(may, key=lambda i: -tips[i].plain * tips[i].colors[color])[: LIMITS.max_tips])


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
            is_straight = float(apart[n, m]) > LIMITS.straight_chord * length_mm
            for more_mm in (0.0, LIMITS.tips_correction_mm) if is_straight else (0.0,):
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
                if not LIMITS.min_hung_chord * length_mm < chord < LIMITS.max_hung_chord * length_mm:
                    continue
                if np.linalg.norm(line - stand_mm, axis=1).min() > LIMITS.hang_radius_mm:
                    continue
                ways = (tips[own[n]].way, tips[own[m]].way)
                for k in LIMITS.straight_lengths:
                    paths = shapes(at[n], at[m], chord * k, ways, LIMITS.hung_places)
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
    keep = np.flatnonzero(hopeful(lines, paths, LIMITS.min_evidence_quick))
    if not len(keep):
        return []
    shown = evidence(lines, paths[keep])
    worth = shown.seen + 0.5 * shown.along
    best: dict[tuple[int, int], int] = {}
    for k, number in enumerate(keep.tolist()):
        pair = of[number]
        if shown.seen[k] >= LIMITS.min_evidence and (pair not in best or worth[k] > worth[best[pair]]):
            best[pair] = k
    return [_wire(color, tips, pair, shown, k, stand_mm) for pair, k in best.items()]


def reached(
    lines: Lines, tips: Sequence[Tip], number: int, lengths_mm: Mapping[str, float], stand_mm: Floats
) -> list[Wire]:
    """Wires from one tip: one for each possible colour."""
    tip, found = tips[number], []
    if not np.hypot(*tip.way):
        return []
    for color in (color for color, share in tip.colors.items() if share >= LIMITS.min_tip_color):
        shown = reaching(lines, np.array([tip.x_mm, tip.y_mm]), np.array(tip.way), lengths_mm[color])
        if shown.seen[shown.best] >= LIMITS.min_reach:
            wire = _wire(color, tips, (number,), shown, shown.best, stand_mm)
            far = np.linalg.norm(places_of(tips) - wire.path_mm[-1], axis=1)
            end = max((tips[i].plain for i in np.flatnonzero(far < LIMITS.rod_end_mm).tolist()), default=0.0)
            found.append(replace(wire, looks=np.append(wire.looks, (goes_on(lines, wire.path_mm), end))))
    return found
