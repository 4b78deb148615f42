"""The dice reader where size, height and pose are known: dice in a tray, and a second opinion on a die found otherwise.

A tray is seen straight from above at the height of the dice's tops, at the size that the networks know best; several
pictures of one throw become one reading (`vision.dice_fuse`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.pose import Pose
from companion.readings import BoardDie
from vision.dice import KNOWN_SIZE_PX, DiceEye
from vision.dice_find import Found, Picture
from vision.dice_fuse import fused
from vision.measure.sampling import box_about, sampled

Floats = NDArray[np.float64]
Tray = tuple[float, float, float, float]
"""A tray's x0, y0, x1, y1 in mm of the table."""
AROUND_SIDES = 0.75
"""So much around the tray is looked at, in sides of a die: a die at its wall is seen whole."""


def die_at(pose: Pose, xy_mm: tuple[float, float], angle_deg: float, side_mm: float, base_mm: float = 0.0) -> Found:
    """Where a picture shows a level die that stands `base_mm` above the table, as the finder would tell it."""
    angle = np.radians(angle_deg)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    half = side_mm / 2
    below = np.array([(u, v) for u in (-half, half) for v in (-half, half)]) @ turn.T + xy_mm
    corners = np.array([(x, y, base_mm + z) for x, y in below for z in (0.0, side_mm)])
    low, high = (edge(pose.to_pixels(corners), 0) for edge in (np.min, np.max))
    x, y = (low + high) / 2
    width, height = high - low
    return Found(float(x), float(y), float(width), float(height), 1.0)


class TrayEye:
    """Reads the dice of a tray on a calibrated table. Not for several threads at once."""

    def __init__(self, eye: DiceEye | None = None) -> None:
        self._eye = eye if eye is not None else DiceEye()

    def read(self, pictures: Sequence[Picture], pose: Pose, tray: Tray, side_mm: float) -> tuple[BoardDie, ...]:
        """The dice of a throw at rest, from one or more pictures (BGR) of it; `in_tray`: its middle lies in the tray.

        Raises: ReadingError: too_dark, too_bright. ValueError: no picture, a tray or a side that is none, or a tray
        that the camera does not see whole.
        """
        x0, y0, x1, y1 = tray
        if not (x1 > x0 and y1 > y0 and side_mm > 0):
            raise ValueError(f"tray {tray}, side {side_mm} mm: expected x0 < x1, y0 < y1 and a positive side")
        if not pictures:
            raise ValueError("found no pictures, expected at least one of the throw at rest")
        corner = np.array([x0, y0]) - AROUND_SIDES * side_mm
        mm = side_mm / KNOWN_SIZE_PX
        size = np.ceil((np.array([x1, y1]) + AROUND_SIDES * side_mm - corner) / mm).astype(int)
        places = self._pixels(pose, corner, mm, size, side_mm)
        height_px, width_px = pictures[0].shape[:2]
        if places.min() < 0 or places[..., 0].max() > width_px - 1 or places[..., 1].max() > height_px - 1:
            raise ValueError(f"the tray {tray} mm reaches out of the picture of {width_px} x {height_px} pixels")
        seen = [
            self._eye.read_crop(np.asarray(sampled(picture, places, repeats_edge=False), np.uint8), KNOWN_SIZE_PX)
            for picture in pictures
        ]
        found = []
        for die in fused(seen).dice:
            left, top, right, bottom = die.box
            edges = corner + np.array([(u, v) for u in (left, right) for v in (top, bottom)]) * mm
            box_px = pose.to_pixels(np.column_stack([edges, np.full(4, side_mm)]))
            x, y = self._stands(pose, edges.mean(0), side_mm)
            found.append(
                BoardDie(
                    value=die.value,
                    in_tray=bool(x0 <= x <= x1 and y0 <= y <= y1),
                    x_mm=round(x, 1),
                    y_mm=round(y, 1),
                    box=box_about(box_px),
                    confidence=die.confidence,
                    reason=die.reason,
                )
            )
        return tuple(found)

    @staticmethod
    def _pixels(
        pose: Pose, corner: Floats, mm: float, size: NDArray[np.int64], height_mm: float
    ) -> NDArray[np.float32]:
        """The picture's pixel (x, y) of each pixel of the tray seen from above, shape (rows, columns, 2)."""
        columns, rows = np.meshgrid(np.arange(size[0]), np.arange(size[1]))
        points = np.column_stack(
            [corner[0] + columns.ravel() * mm, corner[1] + rows.ravel() * mm, np.full(columns.size, height_mm)]
        )
        return pose.to_pixels(points).reshape(size[1], size[0], 2).astype(np.float32)

    @staticmethod
    def _stands(pose: Pose, seen_mm: Floats, side_mm: float) -> tuple[float, float]:
        """Where a die stands whose picture has its middle at `seen_mm` of the plane of the tops: the middle is half
        as high."""
        pixel = pose.to_pixels(np.array([(*seen_mm, side_mm)]))
        x, y = pose.to_table(pixel, side_mm / 2)[0][:2]
        return float(x), float(y)
