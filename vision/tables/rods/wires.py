"""Whether a wire of a rod's length runs between two tips: its possible shapes, and the network's evidence there.

A flat rod is a wire of known length with one bend: two straight legs of equal length and an arc between them, short (a
V) or as long as the wire. The length and the distance of the tips leave a few shapes on each side. Along each shape the
network's answers are summed: does it see a rod, in this direction? A hanging rod shows its tips too, but in another
plane, so its wire is elsewhere. If one end is hidden, the wire starts at the other tip in its direction, with its
colour's length.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32
from companion.game.kit import BoxMm
from vision.measure.limits import LIMITS as SHARED
from vision.tables.board.view import CELL_MM, BoardView
from vision.tables.rods.limits import LIMITS
from vision.tables.rods.tips import RodMaps, Tip, places_of

MOST_ROWS = int(np.iinfo(np.int16).max) - 1
"""The most rows that OpenCV maps at once."""


@dataclass(frozen=True, eq=False)
class Lines:
    """At every second cell: probability of a rod, its direction (twice the angle), and the probability that it
    hangs."""

    rods: Floats32
    ways: Floats32
    hangs: Floats32
    view: BoardView


@dataclass(frozen=True, eq=False)
class Evidence:
    """Evidence along paths (M,): how plainly rods are seen, also at the weakest stretch, and how well directions agree
    (-1 to 1). Also the probability that they hang, and the wires' measured middle lines (M, N, 2) in table mm."""

    seen: Floats
    weakest: Floats
    along: Floats
    hangs: Floats
    middles: Floats

    @property
    def best(self) -> int:
        """The number of the plainest path."""
        return int(np.argmax(self.seen + 0.5 * self.along))


def lines_of(view: BoardView, seen: RodMaps) -> Lines:
    """The evidence for rods of any colour in a view."""
    return Lines(np.asarray(1 - seen.classes["mat"], np.float32), seen.wire_ways, seen.hangs, view)


def may_join(apart_mm: Floats, length_mm: float) -> NDArray[np.bool_]:
    """Whether two points at this distance may be the ends of a wire of this length."""
    return (apart_mm >= LIMITS.min_chord * length_mm - LIMITS.wire_mm) & (apart_mm <= length_mm + LIMITS.wire_mm)


def places_along(length_mm: float) -> int:
    """Number of sampled places of a wire of this length."""
    return round(length_mm / LIMITS.wire_mm)


def shapes(
    a_mm: Floats, b_mm: Floats, lengths_mm: Floats, count: int, ways: Sequence[Floats] = ()
) -> tuple[Floats, NDArray[np.intp]]:
    """The shapes (M, `count`, 2), in table mm, of wires of these lengths (P,) between pairs of points (P, 2) whose
    distance fits, and each shape's pair (M,). `ways`: the directions (P, 2) of the tips at `a_mm` and `b_mm`; shapes
    that contradict a sure direction are left out."""
    chords = np.hypot(*(b_mm - a_mm).T)
    shares = np.minimum(chords / lengths_mm, 1.0)
    s = (np.arange(count) + 0.5) / count - 0.5
    tried: list[tuple[NDArray[np.complex128], NDArray[np.bool_]]] = []
    for arc in LIMITS.arc_shares:
        bends, of_bends = _bends(arc)
        bend = np.interp(shares, of_bends, bends)
        # places as complex numbers, the chord along the first
        steps = np.exp(1j * bend[:, None] * np.clip(s / arc, -0.5, 0.5)) * (lengths_mm / count)[:, None]
        total = steps.sum(axis=1, keepdims=True)
        path = (np.cumsum(steps, axis=1) - steps / 2 - total / 2) * (chords[:, None] / np.abs(total))
        path -= 0.5j * (path.imag[:, :1] + path.imag[:, -1:])
        is_new = shares >= of_bends[0]
        for other, is_tried in tried:
            apart = path - other
            far = np.maximum(np.abs(apart.real), np.abs(apart.imag)).max(axis=1)
            is_new &= ~is_tried | (far >= LIMITS.wire_mm)
        tried.append((path, is_new))
    along = (b_mm - a_mm) @ (1, 1j) / np.maximum(chords, 1e-6)
    sides = np.stack([side for path, _ in tried for side in (path, path.conj())], axis=1)
    sides = sides * along[:, None, None] + ((a_mm + b_mm) @ (0.5, 0.5j))[:, None, None]
    found = np.stack([sides.real, sides.imag], axis=-1)
    keep = np.repeat(np.stack([is_new for _, is_new in tried], axis=1), 2, axis=1)
    for way, end in zip(ways, (found[:, :, 2] - found[:, :, 0], found[:, :, -3] - found[:, :, -1]), strict=False):
        keep &= leads(way, end)
    return np.asarray(found[keep]), np.nonzero(keep)[0]


def leads(ways: Floats, ends_mm: Floats) -> NDArray[np.bool_]:
    """Whether wires (P, M, 2: their first steps) may start in the directions (P, 2) of their tips. An unsure direction
    allows all."""
    sure = np.hypot(ways[:, :1], ways[:, 1:])
    ahead = ways[:, :1] * ends_mm[..., 0] + ways[:, 1:] * ends_mm[..., 1]
    far = np.hypot(ends_mm[..., 0], ends_mm[..., 1])
    return np.asarray((sure < LIMITS.even_chance) | (ahead >= LIMITS.even_chance * sure * far))


@lru_cache(maxsize=16)
def _bends(arc: float) -> tuple[Floats, Floats]:
    """Total bend angles, and the chord's share of the wire for each, growing, if the arc takes `arc` of the wire."""
    bends = np.append(np.arange(LIMITS.max_bend_rad, 0.0, -SHARED.still), 0.0)
    half = bends / 2
    return bends, np.asarray(arc * np.sinc(half / np.pi) + (1 - arc) * np.cos(half))


def goes_on(lines: Lines, path_mm: Floats) -> float:
    """Evidence of a rod beyond the end of a path (N, 2), in the path's direction."""
    way = path_mm[-1] - path_mm[-4]
    way = way / (np.linalg.norm(way) + 1e-9)
    return float(
        _at(
            lines.view,
            lines.rods,
            path_mm[-1] + way * np.arange(LIMITS.tip_mm, LIMITS.stretch_mm, LIMITS.wire_mm)[:, None],
        ).mean()
    )


def reaching(lines: Lines, a_mm: Floats, way: Floats, length_mm: float) -> Evidence:
    """The plainest wires of this length from a tip in this direction; their other ends may be hidden."""
    steps = _arcs(places_along(length_mm))
    first = np.arctan2(way[1], way[0]) + LIMITS.turn_step_rad * np.arange(-LIMITS.turns, LIMITS.turns + 1)
    turned = np.exp(1j * first)[:, None, None] * steps[None] * length_mm
    ways = turned.reshape(-1, steps.shape[1])
    quick = ways[:, 2 :: LIMITS.quick_look_step]
    wide = np.asarray(cv2.dilate(lines.rods, np.ones((3, 3), np.uint8)), np.float32)
    looks = _at(lines.view, wide, np.stack([quick.real, quick.imag], -1) + a_mm)
    best = np.argsort(-looks.mean(axis=1))[: LIMITS.max_candidates]
    return evidence(lines, np.stack([ways[best].real, ways[best].imag], -1) + a_mm)


@lru_cache(maxsize=16)
def _arcs(count: int) -> NDArray[np.complex128]:
    """Wires of length 1 that begin along x, as complex places (M, count): all bends, arcs and sides."""
    s = (np.arange(count) + 0.5) / count - 0.5
    found = []
    for bend in np.arange(0.0, LIMITS.max_bend_rad, LIMITS.turn_step_rad):
        for arc in LIMITS.arc_shares if bend > 0 else LIMITS.arc_shares[:1]:
            turn = bend * (np.clip(s / arc, -0.5, 0.5) + 0.5)
            steps = np.exp(1j * turn) / count
            path = np.cumsum(steps) - steps / 2
            found += [path, path.conj()] if bend > 0 else [path]
    return np.array(found)


def hopeful(lines: Lines, paths_mm: Floats, least: float) -> NDArray[np.bool_]:
    """Whether each path (M, N, 2) shows a wire at least this plainly, by a quick check of a few places."""
    if not len(paths_mm):
        return np.zeros(0, bool)
    return np.asarray(_values(lines, paths_mm[:, 2 :: LIMITS.quick_look_step])[0].max(axis=2).mean(axis=1) > least)


def evidence(lines: Lines, paths_mm: Floats) -> Evidence:
    """Evidence along paths (M, N, 2), M at least 1."""
    values, cells, across = _values(lines, paths_mm)
    shown, offsets = _followed(values)
    steps = offsets - float(values.shape[2] // 2)
    middle = cells + across * steps[..., None]
    cos, sin, hangs = (_mapped(map_, middle[..., 0], middle[..., 1]) for map_ in (*lines.ways, lines.hangs))
    # across is (-dy, dx), the normal of the path
    along = cos * (across[..., 1] ** 2 - across[..., 0] ** 2) - sin * 2 * across[..., 0] * across[..., 1]
    led = np.clip(shown * (1 + along) / 2, 0, 1)
    width = min(max(2, round(LIMITS.stretch_mm / LIMITS.wire_mm)), led.shape[1])
    sums = np.cumsum(np.pad(led, ((0, 0), (1, 0))), axis=1)
    return Evidence(
        shown.mean(axis=1),
        (sums[:, width:] - sums[:, :-width]).min(axis=1) / width,
        (shown * along).sum(axis=1) / (shown.sum(axis=1) + 1e-6),
        np.median(hangs, axis=1),
        lines.view.to_table(middle.reshape(-1, 2)).reshape(paths_mm.shape),
    )


def _values(lines: Lines, paths_mm: Floats) -> tuple[Floats32, Floats, Floats]:
    """Evidence of rods along and next to paths (M, N, offsets), 0 to 1; the paths in cells, and their normals."""
    cells = lines.view.to_cells(paths_mm.reshape(-1, 2)).reshape(paths_mm.shape)
    tangents = np.gradient(cells, axis=1)
    tangents /= np.linalg.norm(tangents, axis=2, keepdims=True) + 1e-9
    across = np.stack([-tangents[..., 1], tangents[..., 0]], axis=2)
    half = round(LIMITS.half_tip_mm / CELL_MM)
    taps = np.arange(-half, half + 1)
    x, y = (cells[..., k, None] + across[..., k, None] * taps for k in (0, 1))
    return _mapped(lines.rods, x, y), cells, across


def _at(view: BoardView, map_: Floats32, points_mm: Floats) -> Floats32:
    x, y = view.to_cells(points_mm.reshape(-1, 2)).reshape(points_mm.shape).transpose(-1, *range(points_mm.ndim - 1))
    return _mapped(map_, x, y)


def _mapped(map_: Floats32, x: Floats, y: Floats) -> Floats32:
    """The map's values at cells (x, y), (..., N) each."""
    columns, rows = ((of / LIMITS.cells_per_answer).astype(np.float32).reshape(-1, of.shape[-1]) for of in (x, y))
    parts = [slice(k, k + MOST_ROWS) for k in range(0, len(rows), MOST_ROWS)]
    found = [
        cv2.remap(map_, columns[part], rows[part], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE) for part in parts
    ]
    return np.asarray(np.concatenate(found).reshape(x.shape), np.float32)


def _followed(values: Floats32) -> tuple[Floats32, NDArray[np.int64]]:
    """The best path through values (M, N, K), moving at most one cell per step: its values and its cells (M, N)."""
    m, n, k = values.shape
    total = values[:, 0].copy()
    came = np.zeros((m, n, k), np.int8)
    padded = np.full((m, k + 2), -np.inf, np.float32)
    for i in range(1, n):
        padded[:, 1:-1] = total
        before, after = padded[:, :-2] - LIMITS.hardly, padded[:, 2:] - LIMITS.hardly
        best = np.maximum(np.maximum(before, padded[:, 1:-1]), after)
        came[:, i] = np.where(before == best, -1, padded[:, 1:-1] < best)
        total = best + values[:, i]
    at = total.argmax(axis=1)
    path = np.zeros((m, n), np.int64)
    rows = np.arange(m)
    for i in range(n - 1, -1, -1):
        path[:, i] = at
        if i:
            at = at + came[rows, i, at]
    return np.take_along_axis(values, path[..., None], axis=2)[..., 0], path


# Candidates for rods: pairs of tips with a wire of their colour's length between them, and wires from one tip. `choice`
# weighs these candidates against each other. A rod that hangs by its bend is bent in an upright plane. From above it
# looks straight. It also looks too short for a flat rod, or too long, because it is nearer to the camera.


@dataclass(frozen=True, eq=False)
class Wire:
    """A candidate for a rod: its colour, the numbers of its visible tips (one or two), its features (`LOOKS`), its path
    (N, 2), mm, and its probability."""

    color: str
    tips: tuple[int, ...]
    looks: Floats
    path_mm: Floats
    likely: float = 0.0

    @property
    def middle_mm(self) -> Floats:
        return np.asarray(self.path_mm.mean(axis=0))

    @cached_property
    def box_mm(self) -> BoxMm:
        """The path's bounding box."""
        (x0, y0), (x1, y1) = self.path_mm.min(axis=0).tolist(), self.path_mm.max(axis=0).tolist()
        return x0, y0, x1, y1


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


def _wires(
    color: str,
    tips: Sequence[Tip],
    own: Sequence[tuple[int, ...]],
    shown: Evidence,
    ks: Sequence[int],
    stand_mm: Floats,
) -> list[Wire]:
    """The candidates for paths of the evidence, `ks` (K,), from and to their `own` tips: one or two each."""
    of, paths = np.array(own), shown.middles[ks]
    ways, plain, shares, hang = (
        np.array(values)[of]
        for values in zip(*((tip.way, tip.plain, tip.colors.get(color, 0.0), tip.hangs) for tip in tips), strict=True)
    )
    ends = np.stack([paths[:, 2] - paths[:, 0], paths[:, -3] - paths[:, -1]], axis=1)[:, : of.shape[1]]
    lead = (ways * ends).sum(axis=2) / (np.linalg.norm(ends, axis=2) + 1e-9)
    is_near = np.linalg.norm(paths - stand_mm, axis=2).min(axis=1) < LIMITS.stand_mm
    looks = (
        shown.seen[ks],
        shown.weakest[ks],
        shown.along[ks],
        plain.min(axis=1),
        shares.min(axis=1),
        lead.min(axis=1),
        is_near,
        is_near * np.maximum(0.0, 1 - _bent(paths) / LIMITS.hardly),
        is_near * _hangs(shown.hangs[ks]),
        is_near * _hangs(hang.mean(axis=1)),
    )
    each = zip(own, np.column_stack(looks).astype(np.float64), paths, strict=True)
    return [Wire(color, tip, look, path) for tip, look, path in each]


def _hangs(shares: Floats) -> Floats:
    """Evidence that wires hang: from -1, flat, to 1."""
    odds = np.log(shares + 1e-6) - np.log(1 - shares + 1e-6)
    return np.asarray(np.clip(odds / LIMITS.max_log_odds, -1, 1))


def _bent(paths_mm: Floats) -> Floats:
    """Distance of the middle of paths (M, N, 2) from the line between their ends, as a share of this line."""
    line, middle = paths_mm[:, -1] - paths_mm[:, 0], paths_mm[:, paths_mm.shape[1] // 2] - paths_mm[:, 0]
    return np.asarray(np.abs(middle[:, 0] * line[:, 1] - middle[:, 1] * line[:, 0]) / ((line**2).sum(axis=1) + 1e-9))


def own_tips(tips: Sequence[Tip], color: str) -> list[int]:
    """Indices of the most probable tips of a colour, in rising order."""
    may = [i for i, tip in enumerate(tips) if color in tip.colors]
    return sorted(sorted(may, key=lambda i: -tips[i].plain * tips[i].colors[color])[: LIMITS.max_candidates])


def lying(lines: Lines, tips: Sequence[Tip], lengths_mm: Mapping[str, float], stand_mm: Floats) -> list[Wire]:
    """Pairs of tips of a colour with a wire of its length between them. Each pair is listed once, with its plainest
    shape."""
    found = []
    for color, length_mm in lengths_mm.items():
        pairs, apart_mm = _pairs(tips, color)
        fits = np.flatnonzero(may_join(apart_mm, length_mm))
        straight = fits[apart_mm[fits] > (1 - LIMITS.hardly) * length_mm]
        tried = np.sort(np.concatenate([fits, straight]))  # straight wires twice: they may be slightly longer
        wires_mm = length_mm + LIMITS.wire_mm * (np.diff(tried, prepend=-1) == 0)
        found += _plainest(lines, tips, color, pairs[tried], wires_mm, length_mm, stand_mm)
    return found


def hanging(lines: Lines, tips: Sequence[Tip], lengths_mm: Mapping[str, float], stand_mm: Floats) -> list[Wire]:
    """Pairs of tips with a straight wire between them by the stand."""
    found = []
    for color, length_mm in lengths_mm.items():
        pairs, apart_mm = _pairs(tips, color)
        a_mm, b_mm = places_of(tips)[pairs.T]
        shares = ((stand_mm - a_mm) * (b_mm - a_mm)).sum(axis=1) / np.maximum(apart_mm, 1e-6) ** 2
        off_mm = a_mm + np.clip(shares, 0, 1)[:, None] * (b_mm - a_mm) - stand_mm
        is_near = np.hypot(*off_mm.T) <= LIMITS.stand_mm
        fits = is_near & (np.abs(apart_mm - length_mm) <= LIMITS.even_chance * length_mm)
        wires_mm = np.outer(apart_mm[fits], (1.0, LIMITS.bowed_length)).ravel()
        found += _plainest(lines, tips, color, np.repeat(pairs[fits], 2, axis=0), wires_mm, length_mm, stand_mm)
    return found


def _pairs(tips: Sequence[Tip], color: str) -> tuple[NDArray[np.intp], Floats]:
    """The pairs (P, 2) of tips that may have this colour, and their distances (P,)."""
    own = np.array(own_tips(tips, color), int)
    pairs = own[np.column_stack(np.triu_indices(len(own), 1))]
    return pairs, np.hypot(*np.subtract(*places_of(tips)[pairs.T]).T)


def _plainest(
    lines: Lines,
    tips: Sequence[Tip],
    color: str,
    pairs: NDArray[np.intp],
    wires_mm: Floats,
    length_mm: float,
    stand_mm: Floats,
) -> list[Wire]:
    """The plainest wire between each pair of tips (P, 2) that is plain enough; their lengths there: `wires_mm` (P,)."""
    a_mm, b_mm = places_of(tips)[pairs.T]
    ways = np.array([tip.way for tip in tips]).reshape(-1, 2)
    paths, of = shapes(a_mm, b_mm, wires_mm, places_along(length_mm), [ways[ends] for ends in pairs.T])
    keep = np.flatnonzero(hopeful(lines, paths, LIMITS.even_chance))
    if not len(keep):
        return []
    shown = evidence(lines, paths[keep])
    worth = shown.seen + 0.5 * shown.along
    best: dict[tuple[int, int], int] = {}
    for k, (n, m) in enumerate(pairs[of[keep]].tolist()):
        if shown.seen[k] >= LIMITS.even_chance and ((n, m) not in best or worth[k] > worth[best[n, m]]):
            best[n, m] = k
    return _wires(color, tips, list(best), shown, list(best.values()), stand_mm) if best else []


def reached(
    lines: Lines, tips: Sequence[Tip], number: int, lengths_mm: Mapping[str, float], stand_mm: Floats
) -> list[Wire]:
    """Wires from one tip: one for each possible colour."""
    tip, found = tips[number], []
    if not np.hypot(*tip.way):
        return []
    for color in (color for color, share in tip.colors.items() if share >= LIMITS.maybe_color):
        shown = reaching(lines, np.array([tip.x_mm, tip.y_mm]), np.array(tip.way), lengths_mm[color])
        if shown.seen[shown.best] >= LIMITS.fair:
            (wire,) = _wires(color, tips, [(number,)], shown, [shown.best], stand_mm)
            far = np.linalg.norm(places_of(tips) - wire.path_mm[-1], axis=1)
            end = max((tips[i].plain for i in np.flatnonzero(far < LIMITS.tip_mm).tolist()), default=0.0)
            found.append(replace(wire, looks=np.append(wire.looks, (goes_on(lines, wire.path_mm), end))))
    return found
