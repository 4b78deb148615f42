"""Things that are no pieces, painted into a drawn table: coins, caps, paper, dice of another game."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.game.readings import EyesReading
from tests.scenes import KIT, WIDE_LENS, shared_renderer, territory
from vision.sim.marks import linear
from vision.sim.scene import Body, Scene
from vision.tables.eyes import open_eye

Floats = NDArray[np.float64]
Rgb = tuple[int, int, int]

LANDS = (territory("red"), territory("blue"))
FINE = 4
"""Shapes are drawn on so many cells a pixel each way."""
LAYER_MM = 0.5
WALL_LIGHT = 0.5


def circle(at: tuple[float, float], diameter_mm: float) -> Floats:
    turns = np.arange(72) * (2 * math.pi / 72)
    return np.array(at) + diameter_mm / 2 * np.column_stack([np.cos(turns), np.sin(turns)])


def oblong(at: tuple[float, float], width_mm: float, height_mm: float, angle_deg: float = 0.0) -> Floats:
    c, s = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (width_mm / 2, height_mm / 2)
    return np.array(at) + corners @ np.array([[c, s], [-s, c]])


class StrangeTable:
    """A table with the territories and other pieces, onto which things are painted."""

    def __init__(self, *bodies: Body) -> None:
        self._renderer = shared_renderer(WIDE_LENS, height_mm=1100)
        self.light = self._renderer.light(Scene(bodies=LANDS + bodies))

    def stand(self, outline_mm: Floats, height_mm: float, color: Rgb) -> None:
        """A thing of one colour that is as broad at its top as at its foot."""
        for level_mm in np.arange(0.0, height_mm, LAYER_MM).tolist():
            self.lay(outline_mm, color, level_mm, WALL_LIGHT)
        self.lay(outline_mm, color, height_mm)

    def lay(self, outline_mm: Floats, color: Rgb, level_mm: float = 0.1, light: float = 1.0) -> None:
        """A flat thing, lit by this share of what falls on the table."""
        level = np.full(len(outline_mm), level_mm)
        px = self._renderer.pose.to_pixels(np.column_stack([outline_mm, level]))
        (x0, y0), (x1, y1) = np.floor(px.min(axis=0)).astype(int) - 2, np.ceil(px.max(axis=0)).astype(int) + 3
        mask = np.zeros(((y1 - y0) * FINE, (x1 - x0) * FINE), np.uint8)
        cells = ((px - (x0, y0) + 0.5) * FINE - 0.5) * 16
        cv2.fillPoly(mask, [np.rint(cells).astype(np.int32)], 255, cv2.LINE_8, 4)
        share = cv2.resize(mask, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA).astype(np.float32)[..., None] / 255
        part = self.light[y0:y1, x0:x1]
        part += share * (linear(color) * np.float32(light) - part)

    def read(self) -> EyesReading:
        room = self._renderer._darkroom
        return open_eye(WIDE_LENS, KIT).read(room.expose(*room.develop(self.light), 0))
