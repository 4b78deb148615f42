"""Evidence for a marker from its edge, and for print from its twins: spots of one role and colour have the same print.

A flat marker on a circle of its own colour differs from the circle in three ways. The marker is uniform up to its own
rim, which is slightly offset from the circle's. Beyond that rim the picture changes. And no other circle of that role
looks the same, because no two markers have the same offset. A circle without a marker looks like its twins.

Convention: cut-outs are `signs.Patches.shown`, (2 `PATCH_CELLS` + 1) cells wide, their middle on the spot.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32
from companion.game.board import PIECES_OF_A_COLOR, Board
from vision.measure.limits import LIMITS as SHARED
from vision.tables.board.limits import DIM, LIMITS
from vision.tables.board.view import CELL_MM


@dataclass(frozen=True, slots=True)
class MarkerEdge:
    """Contrast of a disk of a marker's size on a spot, relative to its own light.

    `inside`: difference of the disk's cells from its middle, 80th and 90th percentile. `around`: difference of the ring
    beyond its rim, 20th and 50th percentile. `plain`: contrast at the best offset, `off_mm` from the spot. `plainer`:
    its gain over no offset. `twins`: difference from the two most similar spots of its role.
    """

    inside: tuple[float, float]
    around: tuple[float, float]
    plain: float
    plainer: float
    off_mm: float
    twins: tuple[float, float]

    @property
    def terms(self) -> tuple[float, ...]:
        """The features for a rule."""
        (even, evenest), (least, usual), (nearest, second) = self.inside, self.around, self.twins
        return (
            even,
            evenest,
            least,
            usual,
            self.plain,
            self.plainer,
            self.off_mm,
            nearest,
            second,
            float(nearest < MAX_UNLIKE),
        )


PATCH_CELLS = round(2 * LIMITS.foot_mm / CELL_MM)
"""Half the width of a spot's cut-out: as wide as two markers."""
REACH = int(LIMITS.max_off_mm / CELL_MM)
RING_MM = (CELL_MM, 2 * CELL_MM)
"""Distances from a rim, from and to, of the ring that is compared with a marker's inside."""
MAX_UNLIKE = 0.5
"""Larger differences count as this difference."""
STEP_CELLS = 2
"""Step between the cells that are compared with those of other spots."""
OFFSETS: NDArray[np.intp] = np.array(
    [
        (row, column)
        for row in range(-REACH, REACH + 1)
        for column in range(-REACH, REACH + 1)
        if np.hypot(row, column) * CELL_MM <= LIMITS.max_off_mm
    ]
)
OFF_COSTS = (LIMITS.off_cost * np.hypot(*OFFSETS.T) * CELL_MM).astype(np.float32)
_AT_SPOT = int(np.flatnonzero(~OFFSETS.any(axis=1))[0])


@lru_cache(maxsize=4)
def _disks(across_mm: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_], Floats32]:
    """For markers at each of `OFFSETS`: masks (offsets, cells) of the foot's middle, the inside and the ring beyond the
    rim, and weights (cells, offsets) for the contrast of ring and inside."""
    around = PATCH_CELLS + 2 * REACH  # beyond a cut-out its edge counts
    y, x = np.mgrid[-around : around + 1, -around : around + 1]
    at_edge = np.ravel_multi_index(np.clip((y, x), -PATCH_CELLS, PATCH_CELLS) + PATCH_CELLS, (2 * PATCH_CELLS + 1,) * 2)
    inner = (slice(2 * REACH, -2 * REACH),) * 2
    masks, weights = [], []
    for row, column in OFFSETS:
        far_mm = np.hypot(y - row, x - column) * CELL_MM
        beyond_mm = far_mm - across_mm / 2
        inside, ring = beyond_mm <= -RING_MM[0], (beyond_mm >= RING_MM[0]) & (beyond_mm <= RING_MM[1])
        masks.append([of[inner].ravel() for of in (far_mm <= LIMITS.max_off_mm, inside, ring)])
        weights.append(np.bincount(at_edge.ravel(), (ring / ring.sum() - inside / inside.sum()).ravel()))
    middle, inside, ring = np.array(masks).transpose(1, 0, 2)
    return middle, inside, ring, np.array(weights, np.float32).T


def marker_edges(shown: Floats32, offsets: NDArray[np.intp], *, twins: Floats, across_mm: float) -> list[MarkerEdge]:
    """The edges of disks of width `across_mm` in cut-outs (N, H, W, 3). Their looks are taken around feet at `OFFSETS`
    of these numbers (N,). `twins` (N, 2) comes from `twins_of`."""
    middles, insides, rings, weights = _disks(across_mm)
    flat = shown.reshape(len(shown), len(weights), 3)
    looks = [middle_of(of[middles[i]]) for of, i in zip(flat, offsets, strict=True)]
    usual = np.array(looks, np.float32).reshape(-1, 3)
    apart = flat - usual[:, None]
    unlike = np.sqrt(np.einsum("nkc,nkc->nk", apart, apart)) / (np.linalg.norm(usual, axis=1) + DIM)[:, None]
    stands_out = np.minimum(unlike, np.float32(MAX_UNLIKE)) @ weights
    best = (stands_out - OFF_COSTS).argmax(axis=1)
    return [
        MarkerEdge(
            inside=_shares(of[insides[i]], LIMITS.high_share, (1 + LIMITS.high_share) / 2),
            around=_shares(of[rings[i]], 1 - LIMITS.high_share, 0.5),
            plain=float(plain[i]),
            plainer=float(plain[i] - plain[_AT_SPOT]),
            off_mm=float(np.hypot(*OFFSETS[i]) * CELL_MM),
            twins=(nearest, second),
        )
        for of, plain, i, (nearest, second) in zip(unlike, stands_out, best.tolist(), twins.tolist(), strict=True)
    ]


def middle_of(values: Floats32) -> Floats32:
    """The middle element of each column, sorted: a median that never averages two values."""
    return np.asarray(np.partition(values, len(values) // 2, axis=0)[len(values) // 2])


def _shares(values: Floats32, low: float, high: float) -> tuple[float, float]:
    ordered, last = np.sort(values), len(values) - 1
    return float(ordered[round(low * last)]), float(ordered[round(high * last)])


def twins_of(groups: Sequence[Sequence[int]], apart: Floats) -> Floats:
    """Each spot's differences (N, 2) from the two most similar spots of its group; `apart`: from `apart_by_color`."""
    told = np.full((len(apart), 2), MAX_UNLIKE)
    for group in groups:
        if len(group) > 1:
            nearest = np.sort(apart[np.ix_(group, group)], axis=1)[:, :2]
            told[list(group), : nearest.shape[1]] = np.minimum(nearest, MAX_UNLIKE)
    return told


def unlike_lit_alike(shown: Floats32, circle_mm: float) -> Floats:
    """The differences of all cut-outs with equalised light, by a sparse sample: (N, N)."""
    sparse = _sparse(shown)
    light = sparse.mean(axis=(1, 2), keepdims=True).mean(axis=-1, keepdims=True) + np.float32(SHARED.dim)
    return _unlike(_within(sparse / light, circle_mm, STEP_CELLS * CELL_MM))


def unlike_in_shape(shown: Floats32, circle_mm: float) -> Floats:
    """Like `unlike_lit_alike` regardless of colour: compares each cut-out's deviations from its own median,
    sparsely."""
    seen = _within(_sparse(shown), circle_mm, STEP_CELLS * CELL_MM)
    light = seen.mean(axis=(1, 2))[:, None, None] + np.float32(SHARED.dim)
    return _unlike(np.asarray((seen - np.median(seen, axis=1, keepdims=True)) / light, np.float32))


def _sparse(shown: Floats32) -> Floats32:
    middle = shown.shape[1] // 2 % STEP_CELLS
    return shown[:, middle::STEP_CELLS, middle::STEP_CELLS]


def _within(shown: Floats32, circle_mm: float, cell_mm: float) -> Floats32:
    """The pixels inside the circles: (N, cells, 3)."""
    reach = shown.shape[1] // 2
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1] * cell_mm
    cells = np.flatnonzero(np.hypot(x, y) < circle_mm / 2 - CELL_MM)
    return np.ascontiguousarray(shown).reshape(len(shown), -1, 3).take(cells, axis=1)


def _unlike(seen: Floats32) -> Floats:
    """The difference of each pair of (N, cells, 3): (N, N), the diagonal infinite."""
    flat = seen.reshape(len(seen), -1)
    squares = np.square(flat).sum(axis=1)
    apart = np.maximum(squares[:, None] + squares[None] - 2 * flat @ flat.T, 0) / seen.shape[1]
    unlike = np.sqrt(apart, dtype=np.float64)
    np.fill_diagonal(unlike, np.inf)
    return np.asarray(unlike)


# Which spots of a race board show their print, and which show something else: spots with the same print look alike. A
# ring has many plain circles, so an empty circle looks like several others in the same light, whatever is painted on
# it. A circle with a marker does not, because each marker has another offset. The few spots of a role and colour show
# their print if three of the colour look alike, and no other three are more; a spot that differs shows something else.
# More spots than a colour has markers show their print. If a role has one spot per colour, its spots differ only in
# colour, and their shapes are compared.


@dataclass(frozen=True, slots=True)
class PrintSeen:
    """The spots that show their print, and the spots that show something else; all others are undecided."""

    plain: frozenset[int]
    strange: frozenset[int]


def print_seen(shown: Floats32, board: Board, apart: Floats) -> PrintSeen:
    """Finds print in cut-outs around all spots, as in `signs.Patches.shown`; `apart`: from `apart_by_color`."""
    plain, strange = _of_many(shown, board)
    counts = _counts_alike(apart)
    plain |= set(np.flatnonzero(counts > PIECES_OF_A_COLOR).tolist())
    for spots in groups_of_spots(board):
        if len(spots) > 2:
            few_plain, few_strange = _of_few(np.array(spots), apart, counts)
            plain |= few_plain
            strange |= few_strange
    alike = [(of, True) for of in _of_sections(board)] + [(of, False) for of in _of_roles(board, are_single=True)]
    for spots, are_of_one_color in alike:
        if len(spots) > 2:
            nearest = unlike_in_shape(shown[spots], board.circle_mm).min(axis=1)
            is_plain = nearest < LIMITS.alike
            plain |= set(np.array(spots)[is_plain].tolist())
            if are_of_one_color and is_plain.any():
                strange |= set(np.array(spots)[nearest > LIMITS.strange].tolist())
    for spots in _of_roles(board):
        nearest = unlike_in_shape(shown[spots], board.circle_mm).min(axis=1)
        is_like_none = nearest > LIMITS.min_foreign_shape
        if is_like_none.mean() < 0.5:  # a board of one's own may have each spot painted differently
            strange |= set(np.array(spots)[is_like_none].tolist())
    return PrintSeen(frozenset(plain), frozenset(strange))


def _of_many(shown: Floats32, board: Board) -> tuple[set[int], set[int]]:
    spots = np.array(plain_spots(board), int)
    if len(spots) <= 2 * LIMITS.twin_rank:
        return set(), set()
    unlike = np.sort(unlike_lit_alike(shown[spots], board.circle_mm), axis=1)[:, LIMITS.twin_rank - 1]
    is_plain = unlike < LIMITS.alike
    if is_plain.mean() < 0.5:  # a board of one's own may have each spot painted differently
        return set(), set()
    return set(spots[is_plain].tolist()), set(spots[unlike > LIMITS.strange].tolist())


def _counts_alike(apart: Floats) -> Floats:
    """The number of spots with each spot's look; 0 if fewer than three are alike: two markers may have one offset."""
    nearest = apart.min(axis=1)  # mostly the noise: most circles show their print
    alike = apart < min(LIMITS.max_twin_distance, 2 * float(np.median(nearest[np.isfinite(nearest)])))
    joined = alike | np.eye(len(alike), dtype=bool)
    for _ in range(PIECES_OF_A_COLOR):  # also those that are alike through others
        joined = joined.astype(np.float32) @ joined > 0
    return np.asarray(joined.sum(axis=1) * (alike.sum(axis=1) > 1), np.float64)


def _of_few(spots: NDArray[np.intp], apart: Floats, counts: Floats) -> tuple[set[int], set[int]]:
    """The plain and the strange spots of a role and colour. All have one print: if markers are alike too, the print is
    what more spots of the colour show."""
    most = counts[spots].max()
    if not most:
        return set(), set()
    is_plain = counts[spots] == most
    is_strange = ~is_plain & (apart[np.ix_(spots, spots[is_plain])].min(axis=1) > LIMITS.strange)
    return set(spots[is_plain].tolist()), set(spots[is_strange].tolist())


def apart_by_color(shown: Floats32, board: Board) -> Floats:
    """The differences of the cut-outs (N, H, W, 3) of each colour's spots, relative to the light of the first: (N, N),
    elsewhere infinite."""
    apart = np.full((len(shown), len(shown)), np.inf)
    seen = np.minimum(_within(shown, board.circle_mm, CELL_MM), np.float32(LIMITS.max_light))
    light = np.linalg.norm(seen.mean(axis=1), axis=-1) + DIM
    index = {spot: i for i, spot in enumerate(board.spots)}
    for color in board.colors:
        spots = [index[spot] for of in spots_of_roles(board, color).values() for spot in of]
        apart[np.ix_(spots, spots)] = _unlike(seen[spots]) / light[spots, None]
    return apart


def groups_of_spots(board: Board) -> list[list[int]]:
    """The spots of each role and colour, which have the same print on all boards."""
    index = {spot: i for i, spot in enumerate(board.spots)}
    return [
        [index[spot] for spot in spots] for color in board.colors for spots in spots_of_roles(board, color).values()
    ]


def spots_of_roles(board: Board, color: str) -> dict[str, list[str]]:
    """The spots of each role of a colour."""
    listed = {role: [value] if isinstance(value, str) else value for role, value in board.roles[color].items()}
    return {role: [spot for spot in spots if spot in board.spots] for role, spots in listed.items()}


def _of_sections(board: Board) -> list[list[int]]:
    """The spots in each section of a board's file, per side of the section's lines."""
    index = {spot: i for i, spot in enumerate(board.spots)}
    sides = [side for table in board.sections.values() for side in (table.keys(), table.values())]
    return [[index[word] for word in side if isinstance(word, str) and word in index] for side in sides]


def _of_roles(board: Board, are_single: bool = False) -> list[list[int]]:
    """The spots of each role with several spots per colour (`are_single`: with one), all colours together."""
    index = {spot: i for i, spot in enumerate(board.spots)}
    of = [spots_of_roles(board, color) for color in board.colors]
    roles = [role for role, spots in of[0].items() if (len(spots) == 1 if are_single else len(spots) > 1)]
    return [[index[spot] for roles_of in of for spot in roles_of.get(role, [])] for role in roles]


def plain_spots(board: Board) -> list[int]:
    """The spots with the most common print: those in no role and no section."""
    roles = {spot for color in board.colors for spots in spots_of_roles(board, color).values() for spot in spots}
    named = {spot for spots in _of_sections(board) for spot in spots}
    return [i for i, spot in enumerate(board.spots) if spot not in roles and i not in named]
