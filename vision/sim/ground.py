"""The empty table as the camera sees it: the covering's weave, the desk beyond it, and the fiducials on their paper."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.game.kit import Mat
from vision.sim.marks import linear
from vision.sim.scene import Surface

Floats32 = NDArray[np.float32]

PAPER_MM = 0.1
"""Height of the fiducials' paper above the table."""
PAPER = (240, 240, 238)
INK = (30, 30, 31)
BORDER_MODULES = 1.35
"""White around the black square, in modules (the kit asks for at least one)."""
SHEET_MM = (105.0, 75.0)
"""How far the covering reaches beyond the play area, x and y."""
DESK = (118, 84, 56)
TEXTURE_MM = 0.8
TEXTURE_FROM_MM = -420.0


def texture(surface: Surface, mat: Mat) -> Floats32:
    """Brightness (H, W) about 1 of a covering, one cell every `TEXTURE_MM` from `TEXTURE_FROM_MM` in x and y."""
    width, height = (int((mm - 2 * TEXTURE_FROM_MM) / TEXTURE_MM) for mm in (mat.width_mm, mat.height_mm))
    return _texture(surface.weave, surface.grain, surface.seed, width, height)


@lru_cache(maxsize=6)
def _texture(weave: str, grain: float, seed: int, width: int, height: int) -> Floats32:
    rng = np.random.default_rng(seed)

    def noise(across: float, along: float) -> Floats32:
        """Noise of unit spread, its grains `across` x `along` cells."""
        small = rng.standard_normal((max(4, int(height / along)) + 3, max(4, int(width / across)) + 3), np.float32)
        big = cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
        return np.asarray(big / big.std(), np.float32)

    if weave == "even":
        shade = 0.01 * noise(90, 90)
    elif weave == "felt":
        shade = 0.035 * noise(1.6, 1.6) + 0.03 * noise(5, 5) + 0.03 * noise(60, 60) + 0.02 * noise(160, 160)
    elif weave == "cloth":
        shade = 0.05 * noise(45, 1.7) + 0.05 * noise(1.7, 45) + 0.02 * noise(1.3, 1.3) + 0.015 * noise(120, 120)
    else:
        shade = _wood(noise, height)
    shade = (1 + np.float32(grain) * shade).astype(np.float32)
    shade.flags.writeable = False
    return shade


def _wood(noise, height: int) -> Floats32:  # type: ignore[no-untyped-def]
    rows = np.arange(height, dtype=np.float32)[:, None]
    rings = np.sin(rows * 0.09 + 2.2 * noise(240, 60) + 0.6 * noise(60, 12))
    plank = 150
    seams = np.where(rows % plank < 1.5, -0.25, 0).astype(np.float32)
    tone = np.sin(np.floor(rows / plank) * 2.4)
    shade: Floats32 = 0.09 * rings + 0.05 * noise(50, 2.2) + 0.03 * noise(160, 1.6) + 0.05 * tone + seams
    return shade


def marker_cells(mat: Mat, id: int) -> NDArray[np.uint8]:
    """The fiducial's modules, its black border included, 255 white."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, mat.dictionary))
    modules = dictionary.markerSize + 2
    return np.asarray(cv2.aruco.generateImageMarker(dictionary, id, modules), np.uint8)


def covering(x_mm: Floats32, y_mm: Floats32, surface: Surface, mat: Mat) -> Floats32:
    """Reflectance (H, W, 3) of the covering and the desk at table points (H, W)."""
    cover = _woven(surface, mat, x_mm, y_mm)
    desk_surface = Surface(weave="wood", color=DESK, seed=surface.seed + 1)
    out_x = np.maximum(-SHEET_MM[0] - x_mm, x_mm - mat.width_mm - SHEET_MM[0])
    out_y = np.maximum(-SHEET_MM[1] - y_mm, y_mm - mat.height_mm - SHEET_MM[1])
    beyond = np.clip(np.maximum(out_x, out_y) + np.float32(0.5), 0, 1)
    if surface.weave == "wood" or not beyond.any():
        return cover
    desk = _woven(desk_surface, mat, x_mm, y_mm)
    return np.asarray(cover + beyond[..., None] * (desk - cover), np.float32)


def _woven(surface: Surface, mat: Mat, x_mm: Floats32, y_mm: Floats32) -> Floats32:
    u = (x_mm - TEXTURE_FROM_MM) * np.float32(1 / TEXTURE_MM)
    v = (y_mm - TEXTURE_FROM_MM) * np.float32(1 / TEXTURE_MM)
    shade = cv2.remap(texture(surface, mat), u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return shade[..., None] * linear(surface.color)


def paper(x_mm: Floats32, y_mm: Floats32, mat: Mat, id: int) -> tuple[NDArray[np.bool_], Floats32]:
    """Which points (N,) of the paper's plane lie on fiducial `id`'s sheet, and their reflectance (N, 3)."""
    cells = marker_cells(mat, id)
    module = mat.marker_mm / len(cells)
    cx, cy = mat.markers[id]
    u, v = (x_mm - cx) / module + len(cells) / 2, (y_mm - cy) / module + len(cells) / 2
    on = (np.minimum(u, v) > -BORDER_MODULES) & (np.maximum(u, v) < len(cells) + BORDER_MODULES)
    inside = (np.minimum(u, v) >= 0) & (np.maximum(u, v) < len(cells))
    last = len(cells) - 1
    dark = cells[np.clip(v.astype(int), 0, last), np.clip(u.astype(int), 0, last)] == 0
    return on, np.where((inside & dark)[:, None], linear(INK), linear(PAPER)).astype(np.float32)
