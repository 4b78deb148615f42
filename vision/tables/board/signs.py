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
from vision.measure.pictures import sampled
from vision.tables.board.edges import OFF_COSTS, OFFSETS, REACH, MarkerEdge, marker_edges, middle_of, spots_of_roles
from vision.tables.board.limits import DIM, LIMITS
from vision.tables.board.view import CELL_MM, BoardView

HUES_DEG = dict(LIMITS.hues_deg)
PATCH_CELLS = round(2 * LIMITS.foot_mm / CELL_MM)
"""Half the width of a spot's cut-out: as wide as two markers."""


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
    """A cut-out around each spot, shape (N, 2 PATCH_CELLS + 1, 2 PATCH_CELLS + 1): hue in degrees, strength, light.
    `shown`: square root of BGR light."""

    hue: Floats32
    strength: Floats32
    light: Floats32
    shown: Floats32
    clipped: NDArray[np.bool_]

    @cached_property
    def share_clipped(self) -> Floats:
        """Overexposed share of each spot's foot, (N,)."""
        return np.asarray(self.clipped[:, LIMITS.foot_mm > _FAR].mean(axis=1))


_SIDE = 2 * PATCH_CELLS + 1
_Y, _X = np.mgrid[-PATCH_CELLS : PATCH_CELLS + 1, -PATCH_CELLS : PATCH_CELLS + 1] * CELL_MM
_CELLS = (np.stack([_X, _Y], axis=-1) / CELL_MM).astype(np.float32)
_FAR = np.hypot(_X, _Y)
_FEET = np.array(
    [np.hypot(_Y - row * CELL_MM, _X - column * CELL_MM).ravel() <= LIMITS.foot_mm for row, column in OFFSETS]
)
"""Masks of a foot's cells at each offset, (offsets, cells)."""
_FOOT_WEIGHTS = np.asarray((_FEET / _FEET[len(_FEET) // 2].sum()).T, np.float32)


def sample_grid_mm() -> tuple[Floats, Floats]:
    """The place of each cell of a cut-out relative to its middle, x and y."""
    return _X, _Y


def hue_gap_deg(hue: Floats32, from_deg: float) -> Floats32:
    """The absolute difference of hues from a given hue, 0 to 180."""
    return np.asarray(np.abs(_turned(hue, from_deg)), np.float32)


def patches_of(view: BoardView, at_mm: Floats) -> Patches:
    """Cut-outs around table points (N, 2)."""
    cells = view.to_cells(at_mm).astype(np.float32)
    shape = (len(cells), _SIDE, _SIDE)
    at = np.empty((*shape, 2), np.float32)
    np.add(cells[:, None, None], _CELLS, out=at)
    seen = np.asarray(sampled(view.light, at.reshape(len(cells) * _SIDE, _SIDE, 2)), np.float32)
    hue, strength, light = (channel.reshape(shape) for channel in hues_of(seen))
    shown = np.sqrt(np.minimum(seen, np.float32(LIMITS.max_light))).reshape(*shape, 3)
    blue, green, red = (seen[..., channel] >= np.float32(full) for channel, full in enumerate(view.full))
    return Patches(hue, strength, light, shown, np.asarray(blue | green | red).reshape(shape))


def hues_of(light: Floats32) -> tuple[Floats32, Floats32, Floats32]:
    """Hue in degrees, strength (0 grey to 1 pure) and the brightest channel of linear light (..., 3), BGR."""
    b, g, r = (np.ascontiguousarray(light[..., channel]) for channel in range(3))
    total = b + g + r + np.float32(SHARED.dim)
    third = np.float32(np.sin(np.pi / light.shape[-1]))  # the channels are a third of a turn apart
    strength, hue = cv2.cartToPolar((r - (g + b) / 2) / total, third * (g - b) / total, angleInDegrees=True)
    turn, pure = (np.asarray(part, np.float32).reshape(b.shape) for part in (hue, strength))
    return turn, pure, np.maximum(np.maximum(b, g), r)


def _lopsided(shown: Floats32, circle_mm: float) -> Floats32:
    """Difference of cut-outs (N, H, W, 3) from themselves, turned by half, within the circle, relative to light."""
    seen = shown.reshape(len(shown), _SIDE * _SIDE, 3)[:, (circle_mm / 2 - CELL_MM > _FAR).ravel()]
    turned = seen - seen[:, ::-1]
    usual = np.linalg.norm(np.partition(seen, seen.shape[1] // 2, axis=1)[:, seen.shape[1] // 2], axis=-1)
    return np.asarray(np.sqrt(np.square(turned).sum(axis=-1)).mean(axis=1) / (usual + DIM))


def signs_of(
    patches: Patches,
    board: Board,
    color: str,
    window: tuple[float, float],
    across_mm: float,
    twins: Floats,
    plain: Collection[int],
) -> list[Sign]:
    """The possible markers of a colour, `across_mm` wide, at most `max_candidates`: most vivid first, spots that show
    their print (`plain`) last. `twins` comes from `twins_of`."""
    middle, half = (window[0] + window[1]) / 2, (window[1] - window[0]) / 2
    inner = slice(PATCH_CELLS - REACH, PATCH_CELLS + REACH + 1)
    hue, strength = patches.hue[:, inner, inner], patches.strength[:, inner, inner]
    mask = np.abs(_turned(hue, middle)) < half
    least = max(LIMITS.min_strength, LIMITS.same_ratio * median(np.where(mask, strength, 0)))
    strong = np.asarray(patches.strength > least)
    mask &= strong[:, inner, inner]
    vivid = (strength * mask).mean(axis=(1, 2))
    likely = np.flatnonzero(mask.mean(axis=(1, 2)) > 0.5)
    likely = likely[np.lexsort((-vivid[likely], np.isin(likely, list(plain))))][: LIMITS.max_candidates]
    feet = _feet_of(patches, likely, (middle, half), strong)
    shown = patches.shown[feet.spots]
    edges = marker_edges(shown, feet.at_mm, twins=twins[feet.spots], across_mm=across_mm)
    lopsided = _lopsided(shown, board.circle_mm)
    own, names = _own_spots(board, color), list(board.spots)
    return [
        Sign(
            spot=spot,
            cover=float(feet.cover[k]),
            lopsided=float(lopsided[k]),
            foot_mm=(float(feet.at_mm[k, 0]), float(feet.at_mm[k, 1])),
            is_own=names[spot] in own,
            edge=edges[k],
            **look,
        )
        for k, (spot, look) in enumerate(zip(feet.spots.tolist(), _looks(patches, feet, board.circle_mm), strict=True))
    ]


@dataclass(frozen=True, eq=False)
class _Feet:
    """The best-covered places of a colour on N spots. `at_mm` (N, 2): middle of the foot, from the spot. `cover`: share
    of the foot in the colour's hues. `covered`, `on` (N, cells): cells of the foot, and those in the colour. Last,
    their median hue in degrees."""

    spots: NDArray[np.intp]
    at_mm: Floats
    cover: Floats32
    covered: NDArray[np.bool_]
    on: NDArray[np.bool_]
    hue_deg: Floats


def _feet_of(patches: Patches, likely: NDArray[np.intp], hues: tuple[float, float], strong: NDArray[np.bool_]) -> _Feet:
    """The feet of possible markers with these hues (middle and half width), in `strong` cells."""
    middle, half = hues
    hue = _turned(patches.hue[likely], middle).reshape(len(likely), _SIDE * _SIDE)
    of_color = (np.abs(hue) < half) & strong[likely].reshape(hue.shape)
    covers = of_color.astype(np.float32) @ _FOOT_WEIGHTS
    best = (covers - OFF_COSTS).argmax(axis=1)
    cover = covers[np.arange(len(likely)), best]
    kept = cover >= 0.5
    covered = _FEET[best[kept]]
    on = covered & of_color[kept]
    hue_deg = np.array([float(middle_of(of[cells])) + middle for of, cells in zip(hue[kept], on, strict=True)])
    return _Feet(likely[kept], OFFSETS[best[kept]][:, ::-1] * CELL_MM, cover[kept], covered, on, hue_deg)


def _looks(patches: Patches, feet: _Feet, circle_mm: float) -> Iterator[dict[str, Any]]:
    """The features of each foot's look, as fields of `Sign`."""
    inner_mm, far = circle_mm / 2 - CELL_MM, _FAR.ravel()
    printed = far < inner_mm
    ring = printed & (far >= inner_mm - CELL_MM)
    strength, light = (of[feet.spots].reshape(feet.on.shape) for of in (patches.strength, patches.light))
    shown = patches.shown[feet.spots].reshape(*feet.on.shape, 3)
    clipped = (patches.clipped[feet.spots].reshape(feet.on.shape) & feet.covered).sum(axis=1) / feet.covered.sum(axis=1)
    usual = [middle_of(np.column_stack([strength[k, on], light[k, on], shown[k, on]])) for k, on in enumerate(feet.on)]
    looks = np.array(usual, np.float32).reshape(len(usual), 5)[:, 2:]
    apart = shown - looks[:, None]
    unlike = np.sqrt(np.einsum("nkc,nkc->nk", apart, apart)) / (np.linalg.norm(looks, axis=1) + DIM)[:, None]
    filled = ((unlike < LIMITS.alike) & printed).astype(np.float32)
    count = filled.sum(axis=1)
    off_mm = np.hypot(filled @ _X.ravel(), filled @ _Y.ravel()) / np.maximum(count, 1)
    rings = np.sort(unlike[:, ring], axis=1)
    last = rings.shape[1] - 1
    for k, (strong, bright, *of) in enumerate(np.array(usual).tolist()):
        lights = light[k, feet.covered[k]]
        yield {
            "hue_deg": float(feet.hue_deg[k]),
            "strength": strong,
            "light": bright,
            "clipped": float(clipped[k]),
            "white": min(of) ** 2,
            "pale": float(np.mean(strength[k, feet.covered[k]] * LIMITS.same_ratio < strong)),
            "uneven": float(lights.std() / max(float(lights.mean()), 1e-6)),
            "off_mm": float(off_mm[k]),
            "filled": float(count[k]) / max(int(printed.sum()), 1),
            "ring": (float(rings[k, last // 4]), float(rings[k, last - last // 4])),
        }


def glimpsed_color(patches: Patches, spot: int, windows: Mapping[str, tuple[float, float]], circle_mm: float) -> str:
    """The colour visible next to an object that covers a spot; "": none."""
    within = circle_mm / 2 > _FAR
    hue, strength = patches.hue[spot][within], patches.strength[spot][within]
    shares = {
        color: float(((np.abs(_turned(hue, (low + high) / 2)) < (high - low) / 2) & (strength > LIMITS.strange)).mean())
        for color, (low, high) in windows.items()
    }
    color, share = max(shares.items(), key=lambda item: item[1])
    return color if share > LIMITS.seen_share else ""


def _turned(hue: Floats32, from_deg: float) -> Floats32:
    return np.asarray((hue - np.float32(from_deg) + 180) % 360 - 180, np.float32)


def _own_spots(board: Board, color: str) -> set[str]:
    """The spots where boards print this colour: those in the colour's roles."""
    return {spot for spots in spots_of_roles(board, color).values() for spot in spots}
