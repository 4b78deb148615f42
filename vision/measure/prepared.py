"""A picture made ready: linear light, the pose, the paper's white, and the table seen straight from above.

Convention: `top` is that view: BGR, linear, paper = 1, shape (rows, columns, 3). Its pixel (i, j) shows the table point
(j * STEP_MM - AROUND_MM, i * STEP_MM - AROUND_MM) at `HEIGHT_MM`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.medians import column_medians
from calibration.pose import Pose
from companion.game.kit import Kit
from vision.measure.edges import linear_table
from vision.measure.jpeg_quality import is_coarse_jpeg
from vision.measure.sampling import sampled
from vision.measure.views import View

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Mask = NDArray[np.uint8]

DISK_HALF_MM = 2.0
"""How far the top of a disk is above its middle."""
STEP_MM = 1.5
"""A pixel of the view from above; a pixel of a camera 1.1 m up is 0.6 mm."""
AROUND_MM = 18.0
"""The view shows this much around the play area."""
HEIGHT_MM = 3.0
"""The plane of the view from above: where the disks' tops are."""
STRIDE = 8
"""The view from above is projected every eighth pixel, and bilinear between."""
RAISED_PX = 60
"""Margin in the picture for pieces at the table's edge."""
SIDE_SAMPLES = 15
"""Samples along each side of a fiducial's paper."""
_TABLE = linear_table()
_LINEAR32 = (_TABLE / 65535.0).astype(np.float32)


@dataclass(frozen=True, slots=True)
class RoomLight:
    """How a room's light moves the edges of white dice in one picture.

    `direction` (x, y on the table) points to where the lamps' light comes from: a wall that looks along a unit vector
    gets the product of that vector with this, level ground gets 1 (negative: none). `outline_px`, `ridge_px`: how much
    further out than usual outlines, and edges between two visible faces, are seen.
    """

    direction: tuple[float, float] = (0.0, 0.0)
    outline_px: float = 0.0
    ridge_px: float = 0.0


USUAL_NOISE, NOISE_RANGE = 5.5, (2.5, 12.0)
"""Default noise in levels (of 255), for pictures where paper cannot be measured, and the limits of a measured value."""
LEAST_PAPER_PX, EXPOSED, MAD_OF_SIGMA = 20, 245, 0.6745
"""Paper measures the noise if at least this many of its pixels are seen and their median is at most this bright. The
last figure turns the median deviation of a normal scatter into its standard deviation."""


@dataclass(frozen=True, eq=False)
class PreparedImage:
    """A picture with what every measurement asks of it."""

    light: NDArray[np.uint16]
    view: View
    paper: Floats
    top: Floats32
    kit: Kit
    room_light: RoomLight = RoomLight()
    """How the room's light moves the edges of white dice."""
    covers: tuple[Floats, ...] = ()
    """Outlines (N, 2) of pieces that lie above what is measured: nothing is measured inside of them."""
    standing: tuple[tuple[Floats, Floats], ...] = ()
    """Middles (3,), mm, and outlines (N, 2) of neighbouring pieces, which may hide the measured one."""
    saturation: Floats = field(default_factory=lambda: np.ones(3))
    """The camera's saturation level, linear BGR."""
    is_coarse_jpeg: bool = False
    """The compression was so coarse that the colour of small things may be wrong."""
    noise_levels: float = USUAL_NOISE
    """How much the picture's values scatter on white paper (0 to 255)."""
    rim_shift_px: tuple[float, float] = (0.0, 0.0)
    """How much further out than usual the rims of red and of blue disks appear in this picture."""

    def light_at(self, points_mm: Floats) -> Floats:
        """The light (N, 3) of the picture at table points (N, 3), linear BGR, paper = 1."""
        return np.asarray(self.nearest_px(self.view.to_pixels(points_mm)) / self.paper)

    def light_px(self, pixels: Floats) -> Floats:
        """The light (..., 3) between pixels, at places (N, 2) or (N, M, 2), linear BGR from 0 to 1."""
        at = pixels.astype(np.float32).reshape(len(pixels), -1, 2)
        return sampled(self.light, at).reshape(*pixels.shape[:-1], 3) / 65535

    def nearest_px(self, pixels: Floats) -> Floats:
        """The same of the nearest pixels (N, 2)."""
        height, width = self.light.shape[:2]
        columns, rows = np.rint(pixels).astype(int).T
        return np.asarray(self.light[rows.clip(0, height - 1), columns.clip(0, width - 1)] / 65535)

    def is_covered(self, pixels: Floats, around_px: float) -> NDArray[np.bool_]:
        """Which pixels (N, 2) lie in a cover or within `around_px` of one."""
        covered = np.zeros(len(pixels), bool)
        for cover in self.covers:
            outline = cover.astype(np.float32)
            far = [cv2.pointPolygonTest(outline, (float(x), float(y)), True) for x, y in pixels]
            covered |= np.array(far) > -around_px
        return covered

    @cached_property
    def pose(self) -> Pose:
        return self.view.pose

    def to_grid(self, xy_mm: Floats) -> Floats:
        """Places in the view from above, (column, row), of table points (x, y)."""
        return (np.asarray(xy_mm, np.float64) + AROUND_MM) / STEP_MM

    def to_table(self, grid: Floats) -> Floats:
        """Table points (x, y) of places (column, row) in the view from above."""
        return np.asarray(grid, np.float64) * STEP_MM - AROUND_MM

    def at_height(self, xy_mm: Floats, height_mm: float) -> Floats:
        """Table points (x, y) at another height that the view from above shows at `xy_mm`."""
        camera = self.pose.centre_mm
        shrink = (camera[2] - height_mm) / (camera[2] - HEIGHT_MM)
        return np.asarray(camera[:2] + (np.asarray(xy_mm, np.float64) - camera[:2]) * shrink)

    def seen_at(self, xy_mm: Floats, height_mm: float) -> Floats:
        """Where the view from above shows points (x, y) at `height_mm`: the inverse of `at_height`."""
        camera = self.pose.centre_mm
        grow = (camera[2] - HEIGHT_MM) / (camera[2] - height_mm)
        return np.asarray(camera[:2] + (np.asarray(xy_mm, np.float64) - camera[:2]) * grow)

    def shown_at(self, middle_mm: Floats) -> Floats:
        """Where the view from above shows the top of a disk with this middle: (column, row)."""
        return self.to_grid(self.seen_at(middle_mm[:2], float(middle_mm[2]) + DISK_HALF_MM))


class LightBuffer:
    """Memory for the light of one picture after the other: a new allocation takes longer than the work."""

    def __init__(self) -> None:
        self._light = np.zeros((0, 0, 3), np.uint16)
        self._window = (slice(0, 0), slice(0, 0))

    def of(self, picture: NDArray[np.uint8], window: tuple[slice, slice]) -> NDArray[np.uint16]:
        """The light of a picture within a window, 0 elsewhere; the next picture overwrites it."""
        if self._light.shape != picture.shape:
            self._light = np.zeros(picture.shape, np.uint16)
        elif window != self._window:
            self._darken_outside(window)
        self._window = window
        cv2.LUT(picture[window], _TABLE, dst=self._light[window])
        return self._light

    def _darken_outside(self, window: tuple[slice, slice]) -> None:
        """Clears what was written last outside a window."""
        (rows, columns), (new_rows, new_columns) = self._window, window
        for part in _less(rows, new_rows):
            self._light[part, columns] = 0
        for part in _less(columns, new_columns):
            self._light[rows, part] = 0


def _less(old: slice, new: slice) -> tuple[slice, slice]:
    """The parts of a range before and after another range."""
    return slice(old.start, min(old.stop, max(old.start, new.start))), slice(max(old.start, new.stop), old.stop)


def prepare(picture: NDArray[np.uint8], pose: Pose, kit: Kit, store: LightBuffer | None = None) -> PreparedImage:
    """The picture made ready. With a `store` its light is valid until the next picture."""
    view = View(pose)
    papers = paper_light(picture, view, kit)
    columns = round((kit.mat.width_mm + 2 * AROUND_MM) / STEP_MM) + 1
    rows = round((kit.mat.height_mm + 2 * AROUND_MM) / STEP_MM) + 1
    coarse = _coarse_grid(view, columns, rows)
    window = _window(picture, coarse)
    small = cv2.resize(picture[window], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    corner = np.array([window[1].start, window[0].start], np.float32)
    # a pixel centre of the half-size picture is between two of the full size
    at = _bent(np.asarray((coarse - corner) / 2 - np.float32(0.25), np.float32), columns, rows)
    # remapping four channels takes half the time of three
    four = cv2.cvtColor(small, cv2.COLOR_BGR2BGRA)
    lookup = (at, None, cv2.INTER_LINEAR)
    seen = cv2.split(cv2.remap(four, *lookup, borderMode=cv2.BORDER_REPLICATE))[:3]  # type: ignore[call-overload]
    white = column_medians(np.array(list(papers.values())))
    shares = [_LINEAR32 / np.float32(channel) for channel in white.tolist()]
    light = (store or LightBuffer()).of(picture, window)
    top = np.asarray(
        cv2.merge([cv2.LUT(channel, share) for channel, share in zip(seen, shares, strict=True)]), np.float32
    )
    noise = noise_levels(picture, view, kit)
    return PreparedImage(light, view, white, top, kit, is_coarse_jpeg=is_coarse_jpeg(picture), noise_levels=noise)


def noise_levels(picture: NDArray[np.uint8], view: View, kit: Kit) -> float:
    """How much values scatter on the paper round the fiducials (standard deviation, from medians); what is usual where
    all of it is overexposed or out of sight."""
    height, width = picture.shape[:2]
    scatters = []
    for _, x, y in paper_pixels(view, kit):
        inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
        seen = picture[y[inside], x[inside]].astype(np.float64)
        if len(seen) >= LEAST_PAPER_PX and (middle := np.median(seen, axis=0)).max() <= EXPOSED:
            scatters.append(float(np.median(np.abs(seen - middle), axis=0).mean()) / MAD_OF_SIGMA)
    return float(np.clip(np.mean(scatters), *NOISE_RANGE)) if scatters else USUAL_NOISE


def _window(picture: NDArray[np.uint8], coarse: Floats32) -> tuple[slice, slice]:
    """Where a picture shows the play area and what stands on it, from an even row and column on."""
    height, width = picture.shape[:2]
    left, top = np.maximum(np.floor(coarse.min(axis=(0, 1))).astype(int) - RAISED_PX, 0) // 2 * 2
    right, bottom = np.minimum(np.ceil(coarse.max(axis=(0, 1))).astype(int) + RAISED_PX, (width, height))
    return slice(int(top), int(bottom)), slice(int(left), int(right))


def _coarse_grid(view: View, columns: int, rows: int) -> Floats32:
    """The picture's places (R, C, 2) in the middle of every few pixels of the view from above, from before its first
    on to beyond its last."""
    cs, rs = (np.arange(-(STRIDE + 1) / 2, count + STRIDE, STRIDE) for count in (columns, rows))
    gx, gy = np.meshgrid(cs * STEP_MM - AROUND_MM, rs * STEP_MM - AROUND_MM)
    pixels = view.to_pixels(np.column_stack([gx.ravel(), gy.ravel(), np.full(gx.size, HEIGHT_MM)]))
    return pixels.reshape(len(rs), len(cs), 2).astype(np.float32)


def _bent(coarse: Floats32, columns: int, rows: int) -> Floats32:
    """The places (rows, columns, 2) of all pixels of the view from above, bilinear between those of the coarse grid."""
    size = (coarse.shape[1] * STRIDE, coarse.shape[0] * STRIDE)
    bent = np.asarray(cv2.resize(coarse, size, interpolation=cv2.INTER_LINEAR), np.float32)
    return bent[STRIDE : STRIDE + rows, STRIDE : STRIDE + columns]


def paper_light(picture: NDArray[np.uint8], view: View, kit: Kit) -> dict[int, Floats]:
    """The light of the paper round each fiducial in the picture, linear BGR: the middle of its quiet zone."""
    height, width = picture.shape[:2]
    papers = {}
    for marker, x, y in paper_pixels(view, kit):
        inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
        if inside.sum() >= len(x) // 3:  # at the picture's corner two sides are seen
            papers[marker] = column_medians(_LINEAR32[picture[y[inside], x[inside]]])
    return papers


def paper_pixels(view: View, kit: Kit) -> list[tuple[int, NDArray[np.int64], NDArray[np.int64]]]:
    """Columns and rows of pixels in the middle of each fiducial's quiet zone, side by side, with its number."""
    half = kit.mat.marker_mm / 2
    along, ends = np.linspace(-half, half, SIDE_SAMPLES), np.full(SIDE_SAMPLES, half * 1.12)
    square = np.vstack(
        [np.column_stack(side) for side in ((along, ends), (along, -ends), (ends, along), (-ends, along))]
    )
    centres = np.array(list(kit.mat.markers.values()))
    points = (centres[:, None] + square).reshape(-1, 2)
    pixels = np.round(view.to_pixels(np.column_stack([points, np.zeros(len(points))]))).astype(int)
    columns_rows = pixels.reshape(len(centres), -1, 2)
    return [(marker, at[:, 0], at[:, 1]) for marker, at in zip(kit.mat.markers, columns_rows, strict=True)]
