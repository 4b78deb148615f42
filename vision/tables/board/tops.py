"""The top of a level die in a view at the height of the tops: a square of known side with four edges.

The square is found by its edges alone, whatever its pips: the angle and place with the largest changes of light along
its edges. Then each edge is measured between the cells. The top of a level die is square; a leaning die's top is
foreshortened.
"""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32
from calibration.edges import median
from vision.measure import prepared
from vision.measure.limits import LIMITS as SHARED
from vision.measure.pictures import sampled
from vision.measure.pip_patterns import PIP_PITCH, PIP_RADIUS
from vision.tables.board.limits import LIMITS
from vision.tables.board.view import CELL_MM, BoardView

PIPS_REACH = PIP_PITCH + PIP_RADIUS
"""From a top's middle to the far rim of its outer pips, along each side, in sides."""
ACROSS_MM = np.arange(-LIMITS.near_cells, LIMITS.near_cells + 1) * CELL_MM / 2
"""Sampled places across an edge."""
ALONG = PIPS_REACH * np.linspace(-1, 1, len(ACROSS_MM))
"""Sampled places along an edge, in sides from its middle: corners are rounded."""
PEAK_SAMPLES = 2
"""Samples on each side of the strongest; their weighted mean is the edge's place."""


@dataclass(frozen=True, slots=True)
class TopSquare:
    """The square of a top: its middle (x, y) on the table at the view's height, the angle of one normal, and its
    lengths along and across that normal. `falls`: drop of light over each of its four edges."""

    x_mm: float
    y_mm: float
    angle_deg: float
    sides_mm: tuple[float, float]
    falls: tuple[float, float, float, float]

    @property
    def skew(self) -> float:
        """The ratio of the shorter to the longer side: 1 for a level die."""
        return min(self.sides_mm) / max(self.sides_mm)


@dataclass(frozen=True, eq=False, slots=True)
class Slopes:
    """The change of a view's light per cell, to the right and down."""

    across: Floats32
    down: Floats32


def slopes_of(shown: Floats32) -> Slopes:
    """The slopes of a picture (H, W) in one channel."""
    soft = cv2.GaussianBlur(shown, (0, 0), LIMITS.blur_cells)
    return Slopes(*prepared.slopes_of(np.asarray(soft, np.float32)))


def square_near(view: BoardView, shown: Floats32, slopes: Slopes, at_mm: Floats, side_mm: float) -> TopSquare | None:
    """The square of this side with the plainest edges near a place (x, y); None: it reaches out of the view."""
    half = side_mm / 2 / CELL_MM
    points, normals, angles = _squares(half)
    near = np.arange(-LIMITS.near_cells, LIMITS.near_cells + 1, LIMITS.stride_cells)
    at = view.to_cells(at_mm[None])[0].round().astype(np.int64)
    height, width = shown.shape
    reach = int(half * 2**0.5) + LIMITS.near_cells
    if not (reach <= at[0] < width - reach and reach <= at[1] < height - reach):
        return None
    middles = at + np.stack(np.meshgrid(near, near), axis=-1).reshape(-1, 2)
    cells = (middles[:, 1] * width + middles[:, 0])[:, None, None, None] + points[..., 1] * width + points[..., 0]
    change = slopes.across.ravel()[cells] * normals[..., 0, None] + slopes.down.ravel()[cells] * normals[..., 1, None]
    plain = np.sqrt(np.abs(change.mean(axis=-1))).mean(axis=-1)
    place, turn = np.unravel_index(int(plain.argmax()), plain.shape)
    return _measured(view, shown, view.to_table(middles[place][None])[0], float(angles[turn]), side_mm)


@lru_cache(maxsize=4)
def _squares(half: float) -> tuple[NDArray[np.int64], Floats32, Floats]:
    """Cells (turns, 4, n, 2) of each square's edges relative to its middle, their normals (turns, 4, 2), and angles."""
    angles = np.radians(np.arange(0, 90, SHARED.coarse_turn_deg / 2))
    normals = np.stack([_toward(angles + k * np.pi / 2) for k in range(4)], axis=1)
    points = half * normals[:, :, None] + 2 * half * ALONG[:, None] * _turned(normals)[:, :, None]
    return points.round().astype(np.int64), normals.astype(np.float32), angles


def _toward(angle: Floats) -> Floats:
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def _turned(normals: Floats) -> Floats:
    return np.stack([-normals[..., 1], normals[..., 0]], axis=-1)


def _measured(view: BoardView, shown: Floats32, middle: Floats, angle: float, side_mm: float) -> TopSquare:
    """The square, moved and turned to its measured edges."""
    normals = _toward(np.array([angle + k * np.pi / 2 for k in range(4)]))
    edges = (side_mm / 2 + ACROSS_MM)[:, None] * normals[:, None, None]
    points = middle + edges + (side_mm * ALONG)[:, None, None] * _turned(normals)[:, None, None]
    cells = view.to_cells(points.reshape(-1, 2)).astype(np.float32).reshape(1, -1, 2)
    light = sampled(shown, cells).reshape(4, len(ALONG), len(ACROSS_MM))
    change = np.gradient(light, ACROSS_MM[1] - ACROSS_MM[0], axis=2)
    offsets, falls, leans = zip(*(_edge(of) for of in change), strict=True)
    shift = (offsets[0] - offsets[2]) / 2 * normals[0] + (offsets[1] - offsets[3]) / 2 * normals[1]
    middle = middle + shift
    angle -= float(median(np.array(leans)) / side_mm)
    return TopSquare(
        float(middle[0]),
        float(middle[1]),
        float(np.degrees(angle)),
        (side_mm + offsets[0] + offsets[2], side_mm + offsets[1] + offsets[3]),
        falls,
    )


def _edge(change: Floats32) -> tuple[float, float, float]:
    """An edge's offset outward (mm), drop of light and slant (mm per side), from changes of light (along, across)."""
    mean = change.mean(axis=0)
    peak = int(np.abs(mean).argmax())
    about = slice(max(peak - PEAK_SAMPLES, 0), peak + PEAK_SAMPLES + 1)
    weight = np.abs(mean[about])
    offset = float((ACROSS_MM[about] * weight).sum() / max(weight.sum(), 1e-6))
    fall = -float(mean[about].sum() * (ACROSS_MM[1] - ACROSS_MM[0]))
    wide = slice(max(peak - 2 * PEAK_SAMPLES, 0), peak + 2 * PEAK_SAMPLES + 1)
    same = np.clip(change[:, wide] * np.sign(mean[peak]), 0, None) + 1e-6
    places = (same * ACROSS_MM[wide]).sum(axis=1) / same.sum(axis=1)
    return offset, fall, float(ALONG @ (places - places.mean()) / (ALONG @ ALONG))
