"""Draws a bent rod as a camera would show it: each pixel near its middle line is shaded as a round wire or tip."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32
from calibration.pose import Pose
from vision.sim.marks import GREY, PAINT, linear
from vision.sim.rod_table import TIP_BREADTH, Rod

STEEL_LIGHT, STEEL_DARK, GLOSS = 0.62, 0.16, 0.5
"""Reflectance of bare steel for the room, on its upper side and its flanks, and for the lamps."""
FINE_MM = 0.6
SEAM, SEAM_MM = 0.5, (0.9, 1.3, 0.0)
"""Loss of light in the dark seam along a flat rod, and the seam's offset."""


@dataclass(frozen=True, slots=True)
class DrawnRod:
    """A rod in the picture: its corner, its paint (H, W, 3), its highlights (H, W), its share of each pixel, and the
    loss of light in its shadow."""

    x: int
    y: int
    paint: Floats32
    shine: Floats32
    share: Floats32
    shade: Floats32


def drawn(rod: Rod, pose: Pose) -> DrawnRod | None:
    """A rod as a camera shows it, without the film's blur; None: outside the picture."""
    path = _dense(rod)
    px = pose.to_pixels(path)
    scale = float(np.linalg.norm(np.diff(px, axis=0), axis=1).sum()) / max(
        float(np.linalg.norm(np.diff(path[:, :2], axis=0), axis=1).sum()), 1e-6
    )
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    is_tip = (s < rod.tip_mm) | (s > s[-1] - rod.tip_mm)
    radius = np.where(is_tip, TIP_BREADTH, 1.0) * rod.wire_mm / 2 * scale
    pad = 6 + int(np.ceil(radius.max()))
    width, height = pose.lens.width_px, pose.lens.height_px
    low = np.maximum(np.floor(px.min(axis=0)).astype(int) - pad, 0)
    high = np.minimum(np.ceil(px.max(axis=0)).astype(int) + pad, (width, height))
    if (high <= low).any():
        return None
    shape = (int(high[1] - low[1]), int(high[0] - low[0]))
    near = np.zeros(shape, np.uint8)
    line = np.round((px - low) * 16).astype(np.int32)
    cv2.polylines(near, [line], False, 1, thickness=2 * int(np.ceil(radius.max())) + 3, shift=4)
    rows, columns = np.nonzero(near)
    at, path_px = np.column_stack([columns, rows]), px - low
    nearest = ((path_px**2).sum(axis=1) - 2 * at @ path_px.T).argmin(axis=1)
    off = at - path_px[nearest]
    tangent = np.gradient(px, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True) + 1e-9
    aside = off[:, 1] * tangent[nearest, 0] - off[:, 0] * tangent[nearest, 1]
    cover = np.clip(radius[nearest] - np.hypot(*off.T) + 0.5, 0, 1)
    round_ = np.clip(aside / np.maximum(radius[nearest], 1e-6), -1, 1)
    up = np.sqrt(1 - round_**2)
    paint = np.zeros((*shape, 3), np.float32)
    shine, share = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    color = linear(PAINT.get(rod.color, GREY))
    tip = is_tip[nearest]
    # bare steel mirrors the room: bright on its upper side, dark on its flanks
    steel = (STEEL_DARK + (STEEL_LIGHT - STEEL_DARK) * up**2)[:, None] * np.ones(3)
    paint[rows, columns] = np.where(tip[:, None], color[None] * (0.55 + 0.45 * up)[:, None], steel)
    shine[rows, columns] = GLOSS * np.where(tip, 0.25, 0.6) * np.exp(-((round_ - 0.25) ** 2) / 0.06) * cover
    share[rows, columns] = cover
    shade = _shade(path, pose, low, shape, rod.wire_mm * scale, rod.is_hung)
    return DrawnRod(int(low[0]), int(low[1]), paint, shine, share, shade)


def _dense(rod: Rod) -> Floats:
    path = rod.path
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    fine = np.arange(0, s[-1], FINE_MM)
    return np.column_stack([np.interp(fine, s, path[:, i]) for i in range(3)])


def _shade(
    path: Floats, pose: Pose, low: NDArray[np.int64], shape: tuple[int, int], wide: float, is_hung: bool
) -> Floats32:
    """The soft dark seam along a rod on the table. The shadow of a hanging rod is too faint to draw."""
    shade = np.zeros(shape, np.float32)
    if is_hung:
        return shade
    shifted = path + np.array(SEAM_MM)
    shifted[:, 2] = 0.0
    line = np.round((pose.to_pixels(shifted) - low) * 16).astype(np.int32)
    cv2.polylines(shade, [line], False, 1.0, thickness=max(2, round(wide)), lineType=cv2.LINE_AA, shift=4)
    return np.asarray(cv2.GaussianBlur(shade, (0, 0), 0.9) * np.float32(SEAM), np.float32)
