"""Chooses the most probable set of rods from all candidates, given the features of each.

Each candidate is weighed twice: alone, and then together with the rods found first. `bench fit rods` fits the weights
on cameras that the network had not seen. No tip and no wire belongs to two rods, and a kit has a known number of each
colour. Unexplained wire, and rivals of a rod, make the count of its colour unsure.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats
from vision.tables.rods.limits import LIMITS
from vision.tables.rods.tips import Tip, places_of
from vision.tables.rods.wires import LOOKS, Lines, Wire, hanging, lying, reached

MODEL = Path(__file__).parents[2] / "models" / "rods_sure.json"


class Perhaps(NamedTuple):
    """A possible further rod: its path (N, 2) or one place (1, 2), and the probabilities that it is flat or hangs."""

    color: str
    path_mm: Floats
    likely: float
    hangs: float = 0.0


@dataclass(frozen=True, eq=False)
class ChosenRods:
    """The flat rods, the hanging rods, and lone tips with the probability that each is of one more flat rod. `more`:
    per colour, the probability that more rods are flat than reported."""

    lying: tuple[Wire, ...]
    hanging: tuple[Wire, ...]
    lone: tuple[tuple[int, float], ...]
    more: dict[str, float]
    perhaps: tuple[Perhaps, ...]


@lru_cache(maxsize=1)
def weights() -> Mapping[str, Floats]:
    """Weights of each kind's features; the last is the constant."""
    told = json.loads(MODEL.read_text(encoding="utf-8"))
    return {name: np.array(numbers, np.float64) for name, numbers in told.items()}


def likely(kind: str, looks: Floats) -> float:
    """Probability of a candidate of this kind, by logistic regression on its features."""
    w = weights()[kind]
    return float(np.exp(-np.logaddexp(0, -(w[:-1] @ looks + w[-1]))))


def choose(
    lines: Lines, tips: Sequence[Tip], lengths_mm: Mapping[str, float], most: int, stand_mm: Floats
) -> ChosenRods:
    """The most probable set of rods."""
    lie, hang = weighed(lines, tips, lengths_mm, stand_mm)
    clash = clashes([*lie, *hang])
    first = likeliest(lie, hang, clash)
    lie = [replace(wire, likely=likely("again", again_looks(wire, first))) for wire in lie]
    found = likeliest(lie, hang, clash)
    of_hanging = {id(wire) for wire in hang}
    doubts = _Doubts(dict.fromkeys(lengths_mm, 0.0), [])
    reach = _reached_from_one_tip(lines, tips, hang, found, lengths_mm, stand_mm, doubts)
    found = _as_many_as_may_be(found, most)
    lone = [(i, _lone(i, tips, found, stand_mm)) for i in spare(tips, found)]
    _doubt_lone(lone, tips, reach, stand_mm, doubts)
    _doubt_left(lie, hang, clash, found, doubts)
    told = [wire for wire in found if id(wire) not in of_hanging]
    more = doubts.more
    for wire in told:
        for color in {c for i in wire.tips for c, part in tips[i].colors.items() if part >= LIMITS.maybe_color} - {
            wire.color
        }:
            more[color] = max(more[color], 1 - wire.likely)
    hung = [wire for wire in found if id(wire) in of_hanging]
    _doubt_hanging(lie, hang, clash, found, doubts)
    for color in more:
        if sum(wire.color == color and wire.likely >= LIMITS.fair for wire in (*told, *hung)) >= most:
            more[color] = 0.0
    return ChosenRods(
        tuple(sorted(told, key=lambda wire: -wire.likely)),
        tuple(hung),
        tuple((i, share) for i, share in lone if share >= LIMITS.even_chance),
        more,
        tuple(one for one in doubts.perhaps if max(one.hangs, one.likely) >= LIMITS.rare),
    )


@dataclass(frozen=True, slots=True)
class _Doubts:
    """Per colour: probability of more flat rods than reported. Also possible further rods, as in `ChosenRods`."""

    more: dict[str, float]
    perhaps: list[Perhaps]


def _reached_from_one_tip(
    lines: Lines,
    tips: Sequence[Tip],
    hang: Sequence[Wire],
    found: list[Wire],
    lengths_mm: Mapping[str, float],
    stand_mm: Floats,
    doubts: _Doubts,
) -> dict[int, float]:
    """Probability of a wire from each spare tip. Wires that are reported are added to `found`."""
    reach: dict[int, float] = {}
    for number in spare(tips, found, LIMITS.one_more):
        ways = [
            replace(wire, likely=likely("reached", wire.looks))
            for wire in beyond(reached(lines, tips, number, lengths_mm, stand_mm), found)
        ]
        best = max(ways, key=lambda wire: wire.likely, default=None)
        reach[number] = best.likely if best else 0.0
        if best is None or best.likely < LIMITS.even_chance or clashes([best, *found])[0].any():
            continue
        rivals = (*(wire for wire in ways if wire is not best), *(wire for wire in hang if number in wire.tips))
        best = replace(best, likely=_odds(best) / (1 + _odds(best) + sum(map(_odds, rivals))))
        if best.looks[LOOKS.index("by the stand")]:  # pieces of a hanging rod look like this too
            doubts.more[best.color] = 1.0
            doubts.perhaps.append(Perhaps(best.color, best.path_mm, min(best.likely, LIMITS.even_chance)))
        elif best.likely >= LIMITS.even_chance:
            found.append(best)
    return reach


def _doubt_lone(
    lone: Sequence[tuple[int, float]],
    tips: Sequence[Tip],
    reach: Mapping[int, float],
    stand_mm: Floats,
    doubts: _Doubts,
) -> None:
    """A tip without a reported rod may belong to one more rod of each of the tip's possible colours."""
    for i, share in lone:
        for color, part in tips[i].colors.items():
            if part >= LIMITS.maybe_color and share < LIMITS.even_chance:
                is_out_of_reach = far_mm(tips[i], stand_mm) > 2 * LIMITS.stand_mm
                is_plain = tips[i].plain >= LIMITS.even_chance
                of_one = 1.0 if is_plain and is_out_of_reach else 0.0
                lies = of_one or is_plain * (1.0 - tips[i].hangs)  # the other end of a fallen rod may be covered
                doubts.more[color] = max(doubts.more[color], share, reach.get(i, 0.0), of_one)
                doubts.perhaps.append(Perhaps(color, places_of([tips[i]]), max(share, lies * LIMITS.one_more * part)))


def _doubt_left(
    lie: Sequence[Wire], hang: Sequence[Wire], clash: NDArray[np.bool_], found: Sequence[Wire], doubts: _Doubts
) -> None:
    """Doubt by an unreported flat candidate: its odds against the reported rods that exclude it."""
    both, chosen = [*lie, *hang], {id(wire) for wire in found}
    odds = np.array([_odds(wire) for wire in both])
    is_chosen = np.array([id(wire) in chosen for wire in both], bool)
    for k, wire in enumerate(lie):
        if is_chosen[k]:
            continue
        share = odds[k] / (1 + odds[k] + float((odds * clash[k] * is_chosen).sum()))
        doubts.more[wire.color] = max(doubts.more[wire.color], share, 1.0 if _would_lie(wire) else 0.0)
        doubts.perhaps.append(Perhaps(wire.color, wire.path_mm, min(share, LIMITS.even_chance)))


def _doubt_hanging(
    lie: Sequence[Wire], hang: Sequence[Wire], clash: NDArray[np.bool_], found: Sequence[Wire], doubts: _Doubts
) -> None:
    """A hanging candidate may hang or be flat. Its odds are compared with the candidates that exclude it."""
    both, chosen = [*lie, *hang], {id(wire) for wire in found}
    for k, wire in enumerate(hang, len(lie)):
        rivals = [(m, both[m]) for m in np.flatnonzero(clash[k]).tolist()]
        lies = max((_odds(one) for m, one in rivals if m < len(lie) and one.color == wire.color), default=0.0)
        others = 0.0 if id(wire) in chosen else sum(_odds(one) for _, one in rivals if id(one) in chosen)
        lies += LIMITS.rare
        total = 1 + _odds(wire) + lies + others
        if id(wire) in chosen:
            doubts.more[wire.color] = max(doubts.more[wire.color], lies / total)
        if 2 * _odds(wire) >= total:
            doubts.perhaps.append(Perhaps(wire.color, wire.path_mm, lies / total, _odds(wire) / total))


def weighed(
    lines: Lines, tips: Sequence[Tip], lengths_mm: Mapping[str, float], stand_mm: Floats
) -> tuple[list[Wire], list[Wire]]:
    """Candidates that have two tips and are likely enough, each judged on its own: the flat ones, then the hanging."""
    lie, hang = pairs(lines, tips, lengths_mm, stand_mm)
    straight = LOOKS.index("straight there")
    lie = [
        replace(wire, likely=likely("lying", wire.looks)) for wire in lie if wire.looks[straight] < LIMITS.even_chance
    ]
    return (
        [wire for wire in lie if wire.likely >= LIMITS.rare or _would_lie(wire)],
        _plain(replace(wire, likely=likely("hanging", wire.looks)) for wire in hang),
    )


def far_mm(tip: Tip, stand_mm: Floats) -> float:
    return float(np.linalg.norm(places_of([tip])[0] - stand_mm))


def _lone(number: int, tips: Sequence[Tip], found: Sequence[Wire], stand_mm: Floats) -> float:
    """Probability that a tip without a wire is of one more flat rod. A plain tip that no hanging rod reaches is."""
    tip = tips[number]
    is_one = tip.plain >= LIMITS.fair and far_mm(tip, stand_mm) > 2 * LIMITS.stand_mm
    return max(likely("lone", lone_looks(tip, tips, found, stand_mm)), LIMITS.even_chance if is_one else 0.0)


def _would_lie(wire: Wire) -> bool:
    """Whether a wire by the stand has the shape of a flat rod: hanging rods rarely look as long and bent from above."""
    looks = wire.looks.copy()
    looks[[LOOKS.index(name) for name in ("straight there", "hangs there", "tips hang there")]] = 0.0
    looks[len(LOOKS)] = LIMITS.even_chance
    return bool(wire.looks[LOOKS.index("by the stand")]) and likely("lying", looks) >= LIMITS.hardly


def likeliest(lie: Sequence[Wire], hang: Sequence[Wire], clash: NDArray[np.bool_]) -> list[Wire]:
    """The most probable set of rods, with the probability of each; `clash`: pairs that exclude each other."""
    both = [*lie, *hang]
    return [both[k] for k in _best(both, clash)]


def again_looks(wire: Wire, found: Sequence[Wire]) -> Floats:
    """Features of a flat candidate after the first choice: its log odds, the share of its wire that no other rod
    explains, and whether it is by the stand. Before, candidates along explained wires looked as plain as rods."""
    path, odds = wire.path_mm, float(np.log(_odds(wire)))
    near = LIMITS.half_tip_mm
    others = [one.path_mm for one in found if set(one.tips) != set(wire.tips) and not _are_apart(wire, one, near)]
    own = _nearest_mm(path, np.concatenate([*others, [(np.inf, np.inf)]])) > near
    return np.array(
        [
            np.clip(odds, -LIMITS.max_log_odds, LIMITS.max_log_odds),
            own.mean(),
            wire.looks[LOOKS.index("by the stand")],
        ]
    )


def pairs(
    lines: Lines, tips: Sequence[Tip], lengths_mm: Mapping[str, float], stand_mm: Floats
) -> tuple[list[Wire], list[Wire]]:
    """All candidates with two tips, flat and hanging. Each also gets the evidence for the other kind between its
    tips."""
    lie, hang = (find(lines, tips, lengths_mm, stand_mm) for find in (lying, hanging))
    seen = [{(wire.color, wire.tips): float(wire.looks[0]) for wire in wires} for wires in (lie, hang)]
    return (
        [replace(wire, looks=np.append(wire.looks, seen[1].get((wire.color, wire.tips), 0.5))) for wire in lie],
        [replace(wire, looks=np.append(wire.looks, seen[0].get((wire.color, wire.tips), 0.5))) for wire in hang],
    )


def beyond(wires: Sequence[Wire], found: Sequence[Wire]) -> list[Wire]:
    """Adds a feature to wires from one tip: the share that runs along no reported rod."""
    shares = _shared(wires, found).max(axis=1, initial=0.0)
    return [replace(wire, looks=np.append(wire.looks, 1 - share)) for wire, share in zip(wires, shares, strict=True)]


def spare(tips: Sequence[Tip], found: Sequence[Wire], least: float = LIMITS.maybe_color) -> list[int]:
    """The numbers of tips at least this plain that belong to no rod found, plainest first."""
    used = {i for wire in found for i in wire.tips}
    ends = np.concatenate([np.zeros((0, 2)), *(wire.path_mm[[0, -1]] for wire in found)])
    return [
        i
        for i, tip in enumerate(tips)
        if i not in used
        and tip.plain >= least
        and not (len(ends) and np.linalg.norm(ends - (tip.x_mm, tip.y_mm), axis=1).min() < LIMITS.tip_mm)
    ]


def lone_looks(tip: Tip, tips: Sequence[Tip], found: Sequence[Wire], stand_mm: Floats) -> Floats:
    """Features of a tip without a wire."""
    at = np.array([tip.x_mm, tip.y_mm])
    beside = min((float(np.linalg.norm(wire.path_mm - at, axis=1).min()) for wire in found), default=np.inf)
    is_near = float(np.linalg.norm(at - stand_mm)) < 2 * LIMITS.stand_mm
    looks = (tip.plain, tip.colors[tip.color], is_near, beside < LIMITS.tip_mm, np.hypot(*tip.way))
    return np.array([*looks, tip.color == "black", tip.hangs], np.float64)


def _as_many_as_may_be(found: Sequence[Wire], most: int) -> list[Wire]:
    """The most probable candidates of each colour, at most `most`."""
    of_color: dict[str, list[Wire]] = {}
    for wire in sorted(found, key=lambda wire: -wire.likely):
        of_color.setdefault(wire.color, []).append(wire)
    return [wire for wires in of_color.values() for wire in wires[:most]]


def _plain(wires: Iterable[Wire]) -> list[Wire]:
    return [wire for wire in wires if wire.likely >= LIMITS.rare]


def _odds(wire: Wire) -> float:
    return wire.likely / max(1 - wire.likely, 1e-6)


def clashes(wires: Sequence[Wire]) -> NDArray[np.bool_]:
    """Which candidates cannot both be rods, (M, M): they share a tip or run along one wire."""
    along = _shared(wires, wires) > LIMITS.fair
    ends = np.zeros((len(wires), 1 + max((max(wire.tips) for wire in wires), default=0)))
    for of, wire in zip(ends, wires, strict=True):
        of[list(wire.tips)] = 1
    clash = along | along.T | (ends @ ends.T > 0)
    np.fill_diagonal(clash, val=False)
    return np.asarray(clash)


def _shared(wires: Sequence[Wire], others: Sequence[Wire]) -> Floats:
    """The share of each wire that runs along each other one, (M, N), by drawings of the others, a cell a mm."""
    if not wires or not others:
        return np.zeros((len(wires), len(others)))
    paths = [np.rint(wire.path_mm).astype(np.int32) for wire in others]
    low = np.min([path.min(axis=0) for path in paths], axis=0) - round(2 * LIMITS.wire_mm)
    columns, rows = np.max([path.max(axis=0) for path in paths], axis=0) + round(2 * LIMITS.wire_mm) - low + 1
    inner = [wire.path_mm[2:-2] for wire in wires]
    lengths = [len(path) for path in inner]
    x, y = np.clip(np.rint(np.concatenate(inner)).astype(np.int32) - low, 0, (columns - 1, rows - 1)).T
    starts = np.cumsum([0, *lengths[:-1]])
    shares = []
    for path in paths:
        drawn = np.zeros((rows, columns), np.uint8)
        cv2.polylines(drawn, [path - low], False, 1, round(2 * LIMITS.wire_mm))
        shares.append(np.add.reduceat(drawn[y, x], starts, dtype=np.int64) / lengths)
    return np.column_stack(shares)


def _are_apart(wire: Wire, other: Wire, by_mm: float = 0.0) -> bool:
    """Whether the bounding boxes of two wires are further apart than this, along x or y."""
    (x0, y0, x1, y1), (left, top, right, bottom) = wire.box_mm, other.box_mm
    return max(x0 - right, y0 - bottom, left - x1, top - y1) > by_mm


def _nearest_mm(places_mm: Floats, others_mm: Floats) -> Floats:
    """Distance of each place (N, 2) to the nearest of other places (M, 2)."""
    x, y = (places_mm[:, None, k] - others_mm[:, k] for k in (0, 1))
    return np.asarray(np.sqrt((x * x + y * y).min(axis=1)))


def _best(wires: Sequence[Wire], clash: NDArray[np.bool_]) -> list[int]:
    """The most probable candidates that exclude none of each other; groups of rivals are solved alone."""
    worth = np.log([_odds(wire) for wire in wires]) if wires else np.zeros(0)
    left = {k for k in range(len(wires)) if worth[k] > 0}
    chosen: list[int] = []
    while left:
        group: set[int] = set()
        edge = {min(left)}
        while edge:
            group |= edge
            edge = {m for k in edge for m in left if clash[k, m]} - group
        ranked = sorted(group, key=lambda k: -worth[k])
        if len(group) > LIMITS.max_candidates:
            chosen.append(ranked[0])
            left -= {ranked[0], *np.flatnonzero(clash[ranked[0]]).tolist()}
            continue
        left -= group
        chosen += _best_of(ranked, worth, clash)
    return chosen


def _best_of(group: Sequence[int], worth: Floats, clash: NDArray[np.bool_]) -> list[int]:
    """The best compatible set of a few candidates."""
    if not group:
        return []
    first, rest = group[0], group[1:]
    if not clash[first, rest].any():
        return [first, *_best_of(rest, worth, clash)]
    ways = (
        [first, *_best_of([k for k in rest if not clash[first, k]], worth, clash)],
        _best_of(rest, worth, clash),
    )
    return max(ways, key=lambda way: float(worth[way].sum()))
