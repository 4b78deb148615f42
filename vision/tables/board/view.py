"""A race board seen straight from above: linear light as a share of the fiducials' paper, one cell a sample.

Convention: `light` is (rows, columns, 3), blue, green, red; its cell (i, j) shows the board frame's point
(j * CELL_MM - AROUND_MM, i * CELL_MM - AROUND_MM) at `height_mm` over the table, were the board in its place.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.edges import LIGHT
from calibration.light import CLIPPED, Light
from calibration.pose import Pose
from vision.measure.sampling import sampled
from vision.tables.board.limits import LIMITS

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]

CELL_MM = 0.6
"""Cameras that see the whole table have pixels of about this size."""


@dataclass(frozen=True, eq=False)
class BoardView:
    """The board in a picture."""

    light: Floats32
    pose: Pose
    corner_mm: tuple[float, float]
    """Where the board's corner (0, 0) is on the table."""
    height_mm: float
    full: Floats
    """The light (blue, green, red) beyond which the camera shows all alike."""

    def to_cells(self, xy_mm: Floats) -> Floats:
        """Places (column, row) in `light` of points (N, 2) on the table at the view's height."""
        return (np.asarray(xy_mm, np.float64) - self.corner_mm + LIMITS.around_board_mm) / CELL_MM

    def to_table(self, cells: Floats) -> Floats:
        """Table points (N, 2) of places (column, row) in `light`."""
        return np.asarray(cells, np.float64) * CELL_MM - LIMITS.around_board_mm + self.corner_mm

    def lift(self, xy_mm: Floats, height_mm: float) -> Floats:
        """Where the view shows table points (N, 2) that are at another height: table points at the view's height."""
        camera = self.pose.centre_mm
        share = (camera[2] - self.height_mm) / (camera[2] - height_mm)
        return np.asarray(camera[:2] + (np.asarray(xy_mm, np.float64) - camera[:2]) * share)


def view_of(
    picture: NDArray[np.uint8],
    pose: Pose,
    light: Light,
    box_mm: tuple[float, float, float, float],
    height_mm: float,
) -> BoardView:
    """The board whose place on the table is `box_mm` (x0, y0, x1, y1), from a BGR picture."""
    x0, y0, x1, y1 = box_mm
    columns, rows = (int(np.ceil((length + 2 * LIMITS.around_board_mm) / CELL_MM)) for length in (x1 - x0, y1 - y0))
    places = _places(pose, (x0, y0), columns, rows, height_mm)
    seen = sampled(picture, places)
    white = np.maximum(light.white_bgr, LIMITS.min_white)
    shares = (LIGHT[:, None] / white).astype(np.float32)[None]
    return BoardView(np.asarray(cv2.LUT(seen, shares), np.float32), pose, (x0, y0), height_mm, CLIPPED / white)


def _places(pose: Pose, corner_mm: tuple[float, float], columns: int, rows: int, height_mm: float) -> Floats32:
    """The picture's place (x, y) of each cell, shape (rows, columns, 2)."""
    cs, rs = (
        np.arange(-(LIMITS.view_stride + 1) / 2, count + LIMITS.view_stride, LIMITS.view_stride)
        for count in (columns, rows)
    )
    gx, gy = np.meshgrid(
        cs * CELL_MM - LIMITS.around_board_mm + corner_mm[0], rs * CELL_MM - LIMITS.around_board_mm + corner_mm[1]
    )
    points = np.column_stack([gx.ravel(), gy.ravel(), np.full(gx.size, height_mm)])
    coarse = pose.to_pixels(points).reshape(len(rs), len(cs), 2).astype(np.float32)
    size = (coarse.shape[1] * LIMITS.view_stride, coarse.shape[0] * LIMITS.view_stride)
    # cell 0 is half a stride and half a cell beyond the coarse grid's first
    fine = np.asarray(cv2.resize(coarse, size, interpolation=cv2.INTER_LINEAR), np.float32)
    return fine[LIMITS.view_stride : LIMITS.view_stride + rows, LIMITS.view_stride : LIMITS.view_stride + columns]
