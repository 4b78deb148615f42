"""Evidence for a marker on a spot of a race board: hue, strength, and offset from the print.

A marker fully covers the print below it: its foot has one hue. Print is flat and exactly where the board has it. A
marker is slightly off the spot's middle, and higher. So no picture of the empty board is needed.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32
from calibration.edges import median
from companion.game.board import Board
from companion.game.errors import KitError
from vision.measure.limits import LIMITS as SHARED
from vision.tables.board.edges import OFF_COSTS, OFFSETS, PATCH_CELLS, REACH, MarkerEdge, marker_edges, spots_of_roles
from vision.tables.board.limits import DIM, LIMITS
from vision.tables.board.view import CELL_MM, BoardView

HUES_DEG = dict(LIMITS.hues_deg)


@dataclass(frozen=True, slots=True)
class Sign:
    """The look of one spot in the hues of one colour.

    `cover`: share of the foot in those hues. `hue_deg`, `strength` (0 grey to 1 pure) and `light` (paper = 1): medians
    of the foot. `white`: median of the foot's darkest channel, high under a mirrored lamp. `clipped`: overexposed share
    of the foot. `pale`: share much paler than the median. `uneven`: spread of the light over its mean. `off_mm`: offset
    of the foot's colour within the printed circle. `filled`: its share of that circle; print fills it, a marker is
    smaller and off to one side. `lopsided`: difference of the circle from itself, rotated. `ring`: difference of its
    outermost ring from the foot, quartiles. `foot_mm`: the foot's place in the view from above, (x, y) from the spot.
    `is_own`: the board prints this colour there. `edge`: evidence for a rim of a marker's size.
    """

    spot: int
    cover: float
    hue_deg: float
    strength: float
    light: float
    white: float
    clipped: float
    pale: float
    uneven: float
    off_mm: float
    filled: float
    lopsided: float
    ring: tuple[float, float]
    foot_mm: tuple[float, float]
    is_own: bool
    edge: MarkerEdge


def hue_windows(colors: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    """Each colour's range of hues: half-way to the board's next colour and slightly further, because shade and lamps
    shift hues. Raises: KitError: a colour without a hue."""
    for color in colors:
        if color not in HUES_DEG:
            raise KitError(
                f"the board's colour {color!r} is not told by its hue, expected one of {', '.join(HUES_DEG)}: "
                "paint the markers, or name the colour so"
            )
    order = sorted(colors, key=lambda color: HUES_DEG[color])
    windows = {}
    for before, color, after in zip(order[-1:] + order[:-1], order, order[1:] + order[:1], strict=True):
        to_before, to_after = (
            min(((HUES_DEG[b] - HUES_DEG[a]) % 360 or 360) / 2 + LIMITS.hue_deg, LIMITS.hue_reach_deg)
            for a, b in ((before, color), (color, after))
        )
        windows[color] = (HUES_DEG[color] - to_before, HUES_DEG[color] + to_after)
    return windows


@dataclass(frozen=True, eq=False)
class Patches:
    """A cut-out around each spot, shape (N, 2 PATCH_CELLS + 1, 2 PATCH_CELLS + 1, 3). `seen`: linear BGR light.
    `shown`: its square root. `clipped`: the overexposed cells."""

    seen: Floats32
    shown: Floats32
    clipped: NDArray[np.bool_]

    @cached_property
    def share_clipped(self) -> Floats:
        """Overexposed share of each spot's foot, (N,)."""
        return np.asarray(self.clipped[:, LIMITS.foot_mm > _FAR].mean(axis=1))


_SIDE = 2 * PATCH_CELLS + 1
_Y, _X = np.mgrid[-PATCH_CELLS : PATCH_CELLS + 1, -PATCH_CELLS : PATCH_CELLS + 1] * CELL_MM
_FAR = np.hypot(_X, _Y)
_INNER = slice(PATCH_CELLS - REACH, PATCH_CELLS + REACH + 1)
_FOOT_CELLS = np.flatnonzero(LIMITS.foot_mm >= _FAR) + OFFSETS[:, :1] * _SIDE + OFFSETS[:, 1:]
"""The numbers of a foot's cells at each offset, (offsets, cells)."""
_FOOT_WEIGHTS = np.zeros((_SIDE**2, len(OFFSETS)), np.float32)
np.put_along_axis(_FOOT_WEIGHTS, _FOOT_CELLS.T, np.float32(1 / _FOOT_CELLS.shape[1]), axis=0)


def sample_grid_mm() -> tuple[Floats, Floats]:
    """The place of each cell of a cut-out relative to its middle, x and y."""
    return _X, _Y


def hue_gap_deg(hue: Floats32, from_deg: float) -> Floats32:
    """The absolute difference of hues from a given hue, 0 to 180."""
    return np.asarray(np.abs(_turned(hue, from_deg)), np.float32)


def patches_of(view: BoardView, at_mm: Floats) -> Patches:
    """Cut-outs around table points (N, 2)."""
    seen = view.light_around(at_mm, _SIDE)
    shown = np.sqrt(np.minimum(seen, np.float32(LIMITS.max_light)))
    blue, green, red = (seen[..., channel] >= np.float32(full) for channel, full in enumerate(view.full))
    return Patches(seen, shown, blue | green | red)


def hues_of(light: Floats32) -> tuple[Floats32, Floats32, Floats32]:
    """Hue in degrees, strength (0 grey to 1 pure) and the brightest channel of linear light (..., 3), BGR."""
    b, g, r = (np.ascontiguousarray(light[..., channel]) for channel in range(3))
    if not b.size:
        return b, g, r
    total = b + g + r + np.float32(SHARED.dim)
    third = np.float32(np.sin(np.pi / light.shape[-1]))  # the channels are a third of a turn apart
    strength, hue = cv2.cartToPolar((r - (g + b) / 2) / total, third * (g - b) / total, angleInDegrees=True)
    turn, pure = (np.asarray(part, np.float32).reshape(b.shape) for part in (hue, strength))
    return turn, pure, np.maximum(np.maximum(b, g), r)


def signs_of(
    patches: Patches,
    board: Board,
    windows: Mapping[str, tuple[float, float]],
    across_mm: float,
    twins: Floats,
    plain: Collection[int],
) -> dict[str, list[Sign]]:
    """The possible markers of each color, `across_mm` wide, at most `max_candidates`: most vivid first, spots that show
    their print (`plain`) last. `windows`: the colors' hues. `twins` comes from `twins_of`."""
    inner = hues_of(patches.seen[:, _INNER, _INNER])
    feet = {color: _feet_of(patches, inner, window, plain) for color, window in windows.items()}
    spots, offsets, cover, on, hue_deg = (np.concatenate(of) for of in zip(*feet.values(), strict=True))
    at_mm = OFFSETS[offsets][:, ::-1] * CELL_MM
    edges = marker_edges(patches.shown[spots], offsets, twins=twins[spots], across_mm=across_mm)
    looks = _looks(patches, spots, _FOOT_CELLS[offsets], on, board.circle_mm)
    colors = [color for color, of in feet.items() for _ in of[0]]
    own, names = {color: _own_spots(board, color) for color in feet}, list(board.spots)
    signs: dict[str, list[Sign]] = {color: [] for color in feet}
    for k, (color, spot, look) in enumerate(zip(colors, spots.tolist(), looks, strict=True)):
        sign = Sign(
            spot=spot,
            cover=float(cover[k]),
            hue_deg=float(hue_deg[k]),
            foot_mm=(float(at_mm[k, 0]), float(at_mm[k, 1])),
            is_own=names[spot] in own[color],
            edge=edges[k],
            **look,
        )
        signs[color].append(sign)
    return signs


def _feet_of(
    patches: Patches, inner: tuple[Floats32, ...], window: tuple[float, float], plain: Collection[int]
) -> tuple[NDArray[Any], ...]:
    """The best-covered places of a color on N spots: spots, offsets, covers, cells in the color, and their middle hue.

    `inner`: hue, strength and light of the cut-outs' inner cells. The cells (N, cells of a foot) are a mask.
    """
    middle, half = (window[0] + window[1]) / 2, (window[1] - window[0]) / 2
    hue, strength, _ = inner
    mask = np.abs(_turned(hue, middle)) < half
    least = max(LIMITS.min_strength, LIMITS.same_ratio * median(np.where(mask, strength, 0)))
    mask &= strength > least
    vivid = (strength * mask).mean(axis=(1, 2))
    likely = np.flatnonzero(mask.mean(axis=(1, 2)) > 0.5)
    likely = likely[np.lexsort((-vivid[likely], np.isin(likely, list(plain))))][: LIMITS.max_candidates]
    hue, strength, _ = (of.reshape(len(likely), _SIDE**2) for of in hues_of(patches.seen[likely]))
    hue = _turned(hue, middle)
    of_color = (np.abs(hue) < half) & (strength > least)
    covers = of_color.astype(np.float32) @ _FOOT_WEIGHTS
    best = (covers - OFF_COSTS).argmax(axis=1)
    cover = covers[np.arange(len(likely)), best]
    kept = np.flatnonzero(cover >= 0.5)
    cells = kept[:, None], _FOOT_CELLS[best[kept]]
    on = of_color[cells]
    return likely[kept], best[kept], cover[kept], on, _middles(hue[cells], on).astype(np.float64) + middle


def _middles(values: Floats32, counted: NDArray[np.bool_]) -> Floats32:
    """The middle of each row's counted values, sorted: a median that never averages two values."""
    ordered = np.sort(np.where(counted, values, np.float32(np.inf)), axis=1)
    return np.asarray(ordered[np.arange(len(values)), counted.sum(axis=1) // 2], np.float32)


def _looks(
    patches: Patches, spots: NDArray[np.intp], foot: NDArray[np.intp], on: NDArray[np.bool_], circle_mm: float
) -> Iterator[dict[str, Any]]:
    """The features of N feet's looks, as fields of `Sign`. `foot` (N, cells): their cells; `on`: those in the color."""
    seen, shown = (of.reshape(-1, _SIDE**2, 3) for of in (patches.seen, patches.shown))
    rows, far = spots[:, None], _FAR.ravel()
    _, strength, light = hues_of(seen[rows, foot])
    strong, bright = _middles(strength, on), _middles(light, on)
    usual = np.stack([_middles(channel, on) for channel in np.moveaxis(shown[rows, foot], -1, 0)], axis=-1)
    clipped = patches.clipped.reshape(-1, _SIDE**2)[rows, foot].mean(axis=1)
    pale = (strength * np.float32(LIMITS.same_ratio) < strong[:, None]).mean(axis=1)
    uneven = light.std(axis=1) / np.maximum(light.mean(axis=1), 1e-6)
    inner_mm = circle_mm / 2 - CELL_MM
    printed = np.flatnonzero(far < inner_mm)
    circle = shown[rows, printed]
    unlike = _lengths(circle - usual[:, None]) / (np.linalg.norm(usual, axis=1) + DIM)[:, None]
    filled = (unlike < LIMITS.alike).astype(np.float32)
    count = filled.sum(axis=1)
    off_mm = np.hypot(*(filled @ along.ravel()[printed] for along in (_X, _Y))) / np.maximum(count, 1)
    rings = np.sort(unlike[:, far[printed] >= inner_mm - CELL_MM], axis=1)
    last = rings.shape[1] - 1
    middles = np.linalg.norm(np.partition(circle, len(printed) // 2, axis=1)[:, len(printed) // 2], axis=-1)
    lopsided = _lengths(circle - circle[:, ::-1]).mean(axis=1) / (middles + DIM)
    for k in range(len(spots)):
        yield {
            "strength": float(strong[k]),
            "light": float(bright[k]),
            "clipped": float(clipped[k]),
            "white": float(usual[k].min()) ** 2,
            "pale": float(pale[k]),
            "uneven": float(uneven[k]),
            "off_mm": float(off_mm[k]),
            "filled": float(count[k]) / len(printed),
            "lopsided": float(lopsided[k]),
            "ring": (float(rings[k, last // 4]), float(rings[k, last - last // 4])),
        }


def _lengths(vectors: Floats32) -> Floats32:
    return np.asarray(np.sqrt(np.einsum("nkc,nkc->nk", vectors, vectors)), np.float32)


def glimpsed_color(patches: Patches, spot: int, windows: Mapping[str, tuple[float, float]], circle_mm: float) -> str:
    """The colour visible next to an object that covers a spot; "": none."""
    within = circle_mm / 2 > _FAR
    hue, strength, _ = hues_of(patches.seen[spot][within])
    shares = {
        color: float(((np.abs(_turned(hue, (low + high) / 2)) < (high - low) / 2) & (strength > LIMITS.strange)).mean())
        for color, (low, high) in windows.items()
    }
    color, share = max(shares.items(), key=lambda item: item[1])
    return color if share > LIMITS.seen_share else ""


def _turned(hue: Floats32, from_deg: float) -> Floats32:
    turn = hue - np.float32(from_deg)
    return np.asarray(turn - 360 * np.rint(turn / 360), np.float32)


def _own_spots(board: Board, color: str) -> set[str]:
    """The spots where boards print this colour: those in the colour's roles."""
    return {spot for spots in spots_of_roles(board, color).values() for spot in spots}
