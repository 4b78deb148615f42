"""A picture prepared for measurements: linear light, the pose, the paper's white, and the view from above.

Convention: `top` is the view from straight above: BGR, linear, paper = 1, shape (rows, columns, 3). Its pixel (i, j)
shows the table point (j * STEP_MM - AROUND_MM, i * STEP_MM - AROUND_MM) at `HEIGHT_MM`.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32
from calibration.edges import MAD_TO_SIGMA, linear_of, medians
from calibration.pose import Pose
from companion.game.kit import Kit
from vision.measure.bodies import View
from vision.measure.limits import LIMITS
from vision.measure.pictures import all_places, coarse_places, colors_at, sampled


def slopes_of(shown: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The change of a picture per pixel, to the right and down."""
    kernels = (cv2.getDerivKernels(x, y, ksize=3, normalize=True) for x, y in ((1, 0), (0, 1)))
    right, down = (cv2.sepFilter2D(shown, cv2.CV_32F, *kernel) for kernel in kernels)
    return np.asarray(right, np.float32), np.asarray(down, np.float32)


STEP_PX = 0.5
"""Distance between two samples of a profile."""


def linear_table() -> NDArray[np.uint16]:
    """Bytes of a picture to linear light as 16 bits."""
    return np.round(linear_of(np.arange(256) / 255.0) * 65535).astype(np.uint16)


def profiles(light: NDArray[np.uint16], pixels: Floats, normals: Floats, reach_px: float) -> tuple[Floats, Floats]:
    """Colours along the normals: offsets (M,) in pixels and samples (N, M, 3) in 0..1."""
    along = np.arange(-reach_px, reach_px + STEP_PX / 2, STEP_PX)
    x = (pixels[:, :1] + normals[:, :1] * along).astype(np.float32)
    y = (pixels[:, 1:] + normals[:, 1:] * along).astype(np.float32)
    taken = cv2.remap(light, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lights: NDArray[Any] = taken.astype(np.float32) * np.float32(1 / 65535)
    return along, lights


# Measures the strength of a picture's JPEG compression. JPEG keeps each block of 8 x 8 pixels as waves and rounds their
# heights to steps, for colour far more coarsely than for brightness. The eye of a die seen at a flat angle is a few
# pixels high. Coarse steps may turn its colour into the other ink's. In scenes at quality 50 and 70, 13 of 134 such
# eyes were read wrongly; at quality 86 to 95, none of 71.
# Source: ITU-T T.81, annexes A.3 and K.1.


def is_coarse_jpeg(picture: NDArray[np.uint8]) -> bool:
    """Whether compression may change the colour of small objects in a picture (H, W, 3), BGR. True also if there is too
    little detail to measure. A wave's heights are whole steps, so the low ones show the step."""
    side = LIMITS.jpeg_block_px
    down, across = (size // side for size in picture.shape[:2])
    some = picture[: down * side, : across * side].reshape(down, side, across * side, 3)[::2]
    light = cv2.cvtColor(some.reshape(-1, across * side, 3), cv2.COLOR_BGR2GRAY)
    blocks = light.reshape(-1, side, across, side)[:, :, ::2].transpose(0, 2, 1, 3).reshape(-1, side**2)
    wave = np.cos(LIMITS.jpeg_wave * (2 * np.arange(side) + 1) * np.pi / (2 * side))
    heights = np.abs(blocks.astype(np.float32) @ (np.outer(wave, wave) * (2 / side)).ravel().astype(np.float32))
    heights = heights[heights > LIMITS.min_wave_height]
    if len(heights) < LIMITS.min_waves * len(blocks):
        return True
    return float(np.percentile(heights, LIMITS.first_wave_percentile)) > LIMITS.coarse_jpeg_step


USUAL_NOISE = 2 * LIMITS.min_noise_levels
"""Assumed if the paper cannot be measured."""
DISK_HALF_MM = 2.0
"""Distance from a disk's middle to its top."""
STEP_MM, AROUND_MM, HEIGHT_MM = LIMITS.view_step_mm, LIMITS.around_mm, LIMITS.view_height_mm
"""View from above: a pixel's side, the width of the strip around the play area, and the height of its plane."""
_TABLE = linear_table()
_LINEAR32 = (_TABLE / 65535.0).astype(np.float32)


@dataclass(frozen=True, slots=True)
class RoomLight:
    """Effect of a room's light on the edges of white dice in one picture.

    `direction` (x, y on the table) points to where the lamps' light comes from. A wall with outward unit vector u gets
    the light u · direction, level ground gets 1 (negative: none). `outline_px`, `ridge_px`: outward shift of outlines,
    and of edges between two visible faces, relative to the usual. `lights`: places (C, 3) over the table and their
    shares (C,) of the light on level ground. `black_tops`: what each mirrors of it (`mirrored_light`), and its light.
    """

    direction: tuple[float, float] = (0.0, 0.0)
    outline_px: float = 0.0
    ridge_px: float = 0.0
    lights: tuple[Floats, Floats32] | None = None
    black_tops: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, eq=False)
class PreparedImage:
    """A picture with everything that measurements need."""

    light: NDArray[np.uint16]
    view: View
    paper: Floats
    top: Floats32
    kit: Kit
    room_light: RoomLight = RoomLight()
    """Effect of the room's light on the edges of white dice."""
    covers: tuple[Floats, ...] = ()
    """Outlines (N, 2) of pieces above the measured piece: nothing is measured inside them."""
    standing: tuple[tuple[Floats, Floats], ...] = ()
    """Middles (3,), mm, and outlines (N, 2) of neighbouring pieces, which may hide the measured piece."""
    saturation: Floats = field(default_factory=lambda: np.ones(3))
    """The camera's saturation level, linear BGR."""
    is_coarse_jpeg: bool = False
    """Whether compression is so strong that the colour of small objects may be wrong."""
    noise_levels: float = USUAL_NOISE
    """Noise of the picture's values on white paper (0 to 255)."""
    rim_shift_px: tuple[float, float] = (0.0, 0.0)
    """Outward shift of the rims of red and of blue disks in this picture, relative to the usual."""

    def light_at(self, points_mm: Floats) -> Floats:
        """The light (N, 3) of the picture at table points (N, 3), linear BGR, paper = 1."""
        return np.asarray(self.nearest_px(self.view.to_pixels(points_mm)) / self.paper)

    def light_px(self, pixels: Floats) -> Floats:
        """The light (..., 3) between pixels, at places (N, 2) or (N, M, 2), linear BGR from 0 to 1."""
        at = pixels.astype(np.float32).reshape(len(pixels), -1, 2)
        return sampled(self.light, at).reshape(*pixels.shape[:-1], 3) / 65535

    def nearest_px(self, pixels: Floats) -> Floats:
        """The light of the nearest pixel to each place (N, 2)."""
        height, width = self.light.shape[:2]
        columns, rows = np.rint(pixels).astype(int).T
        return np.asarray(self.light[rows.clip(0, height - 1), columns.clip(0, width - 1)] / 65535)

    def is_covered(self, pixels: Floats, around_px: float) -> NDArray[np.bool_]:
        """Whether each pixel (N, 2) is inside a cover or within `around_px` of a cover."""
        covered = np.zeros(len(pixels), bool)
        for cover in self.covers:
            outline = cover.astype(np.float32)
            low, high = outline.min(axis=0) - around_px - 1, outline.max(axis=0) + around_px + 1
            near = np.flatnonzero(~covered & ((pixels > low) & (pixels < high)).all(axis=1))
            for k, at in zip(near.tolist(), pixels[near].tolist(), strict=True):
                covered[k] = cv2.pointPolygonTest(outline, at, True) > -around_px
        return covered

    @cached_property
    def pose(self) -> Pose:
        return self.view.pose

    def to_grid(self, xy_mm: Floats) -> Floats:
        """Places (column, row) in the view from above of table points (x, y)."""
        return (np.asarray(xy_mm, np.float64) + AROUND_MM) / STEP_MM

    def to_table(self, grid: Floats) -> Floats:
        """Table points (x, y) of places (column, row) in the view from above."""
        return _to_table(grid)

    def at_height(self, xy_mm: Floats, height_mm: float) -> Floats:
        """Table points (x, y) at another height that share a line of sight with points `xy_mm` of the view from
        above."""
        camera = self.pose.centre_mm
        shrink = (camera[2] - height_mm) / (camera[2] - HEIGHT_MM)
        return np.asarray(camera[:2] + (np.asarray(xy_mm, np.float64) - camera[:2]) * shrink)

    def seen_at(self, xy_mm: Floats, height_mm: float | Floats) -> Floats:
        """Places of points (x, y) at `height_mm` (one, or one each) in the view from above: inverse of `at_height`."""
        camera = self.pose.centre_mm
        grow = (camera[2] - HEIGHT_MM) / (camera[2] - np.asarray(height_mm)[..., None])
        return np.asarray(camera[:2] + (np.asarray(xy_mm, np.float64) - camera[:2]) * grow)

    def shown_at(self, middle_mm: Floats) -> Floats:
        """Place (column, row) of the top of a disk with this middle in the view from above."""
        return self.to_grid(self.seen_at(middle_mm[:2], float(middle_mm[2]) + DISK_HALF_MM))


def _to_table(grid: Floats) -> Floats:
    return np.asarray(grid, np.float64) * STEP_MM - AROUND_MM


class LightBuffer:
    """Memory for the light of one picture after another: a new allocation takes longer than the work."""

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
        """Clears old values outside a window."""
        (rows, columns), (new_rows, new_columns) = self._window, window
        for part in _less(rows, new_rows):
            self._light[part, columns] = 0
        for part in _less(columns, new_columns):
            self._light[rows, part] = 0


def _less(old: slice, new: slice) -> tuple[slice, slice]:
    """The parts of the old range that the new range does not cover: before it and after it."""
    return slice(old.start, min(old.stop, max(old.start, new.start))), slice(max(old.start, new.stop), old.stop)


def prepare(picture: NDArray[np.uint8], pose: Pose, kit: Kit, store: LightBuffer | None = None) -> PreparedImage:
    """The prepared picture. With a `store` its light is valid until the next picture."""
    view = View(pose)
    papers = paper_light(picture, view, kit)
    columns = round((kit.mat.width_mm + 2 * AROUND_MM) / STEP_MM) + 1
    rows = round((kit.mat.height_mm + 2 * AROUND_MM) / STEP_MM) + 1
    coarse = coarse_places(view.to_pixels, _to_table, (columns, rows), HEIGHT_MM, LIMITS.stride_px)
    window = _window(picture, coarse)
    small = cv2.resize(picture[window], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    corner = np.array([window[1].start, window[0].start], np.float32)
    # a pixel centre of the half-size picture is between two pixels of the full size
    at = all_places(np.asarray((coarse - corner - np.float32(0.5)) / 2, np.float32), (columns, rows), LIMITS.stride_px)
    white = medians(np.array(list(papers.values())))
    shares = np.asarray(_LINEAR32[None, :, None] / white, np.float32)
    light = (store or LightBuffer()).of(picture, window)
    top = np.asarray(cv2.LUT(colors_at(np.asarray(small, np.uint8), at), shares), np.float32)
    noise = noise_levels(picture, view, kit)
    return PreparedImage(light, view, white, top, kit, is_coarse_jpeg=is_coarse_jpeg(picture), noise_levels=noise)


def noise_levels(picture: NDArray[np.uint8], view: View, kit: Kit) -> float:
    """Noise on the paper around the fiducials (standard deviation, from medians). The usual noise if all paper is
    overexposed or out of sight."""
    height, width = picture.shape[:2]
    scatters = []
    for _, x, y in paper_pixels(view, kit):
        inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
        seen = picture[y[inside], x[inside]].astype(np.float64)
        if inside.sum() > LIMITS.paper_samples and (middle := np.median(seen, axis=0)).max() <= LIMITS.full_level:
            scatters.append(MAD_TO_SIGMA * float(np.median(np.abs(seen - middle), axis=0).mean()))
    return max(float(np.mean(scatters)), LIMITS.min_noise_levels) if scatters else USUAL_NOISE


def _window(picture: NDArray[np.uint8], coarse: Floats32) -> tuple[slice, slice]:
    """The part of a picture with the play area and the pieces on it, beginning at an even row and column."""
    height, width = picture.shape[:2]
    left, top = np.maximum(np.floor(coarse.min(axis=(0, 1))).astype(int) - LIMITS.raised_px, 0) // 2 * 2
    right, bottom = np.minimum(np.ceil(coarse.max(axis=(0, 1))).astype(int) + LIMITS.raised_px, (width, height))
    return slice(int(top), int(bottom)), slice(int(left), int(right))


def paper_light(picture: NDArray[np.uint8], view: View, kit: Kit) -> dict[int, Floats]:
    """The light of the paper round each fiducial in the picture, linear BGR: the middle of its quiet zone."""
    height, width = picture.shape[:2]
    papers = {}
    for marker, x, y in paper_pixels(view, kit):
        inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
        if inside.sum() > LIMITS.paper_samples:  # more than one side is visible
            papers[marker] = medians(_LINEAR32[picture[y[inside], x[inside]]])
    return papers


def paper_pixels(view: View, kit: Kit) -> list[tuple[int, NDArray[np.int64], NDArray[np.int64]]]:
    """For each fiducial: its number, and columns and rows of pixels in the middle of its quiet zone, side by side."""
    half = kit.mat.marker_mm / 2
    along = np.linspace(-half, half, LIMITS.paper_samples)
    ends = np.full_like(along, half * LIMITS.paper_ring)
    square = np.vstack(
        [np.column_stack(side) for side in ((along, ends), (along, -ends), (ends, along), (-ends, along))]
    )
    centres = np.array(list(kit.mat.markers.values()))
    points = (centres[:, None] + square).reshape(-1, 2)
    pixels = np.round(view.to_pixels(np.column_stack([points, np.zeros(len(points))]))).astype(int)
    columns_rows = pixels.reshape(len(centres), -1, 2)
    return [(marker, at[:, 0], at[:, 1]) for marker, at in zip(kit.mat.markers, columns_rows, strict=True)]
