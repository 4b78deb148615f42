"""Is anything moving? Small differences between frames, judged against the picture's own noise; a few ms a frame.

The lamp may flicker and the camera's gain may breathe: each row is compared after its common brightness is taken out.
Row by row, for a camera that reads its rows one after another shows a flickering lamp as bands that wander. Taken for
noise, they would hide pieces that slide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.medians import median

Picture = NDArray[np.uint8]
Small = NDArray[np.float32]

CELL_PX = 8
"""Side of the cells that are compared; a ninja seen from above covers several."""
TAKEN_EVERY_PX = 2
"""Pixels are taken with this stride before they are averaged into cells."""
NOISE_FACTOR = 7.0
"""A cell moved when it differs by more than this many noise widths ..."""
LEAST_LEVELS = 3.0
"""... and by more than this many of 255 levels of a colour."""
TOE_LEVELS = 14.0
"""Levels that black lies above where a picture's tone curve would begin: from there light scales all levels alike.
Source: IEC 61966-2-1 (sRGB), 255 times its offset."""
MOVED_CELLS = 3
"""Fewer changed cells than this, in three by three, are noise."""
MAD_TO_SIGMA = 1.4826


@dataclass(frozen=True, slots=True)
class Stillness:
    """What a frame added: `is_still`, for how long, and whether the table differs from what was last marked as seen."""

    is_still: bool
    still_s: float
    has_changed: bool


class Settle:
    """Follows a stream of frames of one size. Frames are BGR, shape (H, W, 3); times are monotonic seconds."""

    def __init__(self, rest_s: float = 0.5, box_px: tuple[int, int, int, int] | None = None) -> None:
        self._rest_s = rest_s
        self._box_px = box_px
        self._last: Small | None = None
        self._anchor: Small | None = None
        self._anchor_s = 0.0
        self._seen: Small | None = None

    def watch_only(self, box_px: tuple[int, int, int, int] | None) -> None:
        """Looks only at x0, y0, x1, y1 of the picture from now on (the play area); None: at all of it."""
        if box_px != self._box_px:
            self._box_px = box_px
            self._last = self._anchor = self._seen = None

    def take(self, picture: Picture, at_s: float) -> Stillness:
        """Looks at one more frame."""
        now = self._cells(picture)
        last, self._last = self._last, now
        moving = last is None or differs(last, now)
        if moving or self._anchor is None or differs(self._anchor, now):
            # a slow slide differs from the first still frame even where it never differs from the frame before
            self._anchor, self._anchor_s = now, at_s
            return Stillness(False, 0.0, True)
        still_s = at_s - self._anchor_s
        is_still = still_s >= self._rest_s
        return Stillness(is_still, still_s, self._seen is None or differs(self._seen, now))

    def forget(self) -> None:
        """The stream was interrupted: the next frame is the first again."""
        self._last = self._anchor = self._seen = None

    def mark_seen(self) -> None:
        """The newest frame was read: `has_changed` tells from now on whether the table is another."""
        self._seen = self._last

    def _cells(self, picture: Picture) -> Small:
        if self._box_px is not None:
            x0, y0, x1, y1 = self._box_px
            picture = picture[max(0, y0) : y1, max(0, x0) : x1]
        width_px, height_px = picture.shape[1], picture.shape[0]
        # in steps: whole numbers serve until few are left, and cells are told to fractions of a level all the same
        few = _reduced(picture, width_px // TAKEN_EVERY_PX, height_px // TAKEN_EVERY_PX, cv2.INTER_NEAREST)
        halves = _reduced(few, 2 * width_px // CELL_PX, 2 * height_px // CELL_PX, cv2.INTER_AREA)
        return _reduced(halves.astype(np.float32), width_px // CELL_PX, height_px // CELL_PX, cv2.INTER_AREA)


def differs(before: Small, now: Small) -> bool:
    """Whether enough cells of two small frames (rows, columns, 3) differ by more than their noise.

    Where a row's common brightness changes, a cell may follow it, stay as it was or lie between: what is clipped, or
    lit by another lamp, does not follow.
    """
    if before.shape != now.shape:
        return True
    followed = (before + TOE_LEVELS) * (_brightness(now) / _brightness(before)) - TOE_LEVELS
    threshold = np.maximum(NOISE_FACTOR * _noise(now - followed), np.float32(LEAST_LEVELS))
    has_moved = (now > np.maximum(before, followed) + threshold) | (now < np.minimum(before, followed) - threshold)
    changed = (has_moved[..., 0] | has_moved[..., 1] | has_moved[..., 2]).astype(np.uint8)
    together = cv2.boxFilter(changed, -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT)
    return int(together.max()) >= MOVED_CELLS


def _noise(difference: Small) -> Small:
    """The noise of each colour, one standard deviation, from what is unlike its neighbours: a shade that comes over the
    table is none, and white balance lifts blue's noise two or three times under a warm lamp."""
    uneven = np.abs(difference - cv2.blur(difference, (3, 3)))[::2, ::2]
    usual = [median(uneven[..., color]) for color in range(uneven.shape[2])]
    return np.array(usual, np.float32) * np.float32(MAD_TO_SIGMA * math.sqrt(9 / 8))


def _reduced(picture: NDArray[Any], width: int, height: int, how: int) -> NDArray[Any]:
    return cv2.resize(picture, (max(1, width), max(1, height)), interpolation=how)


def _brightness(cells: Small) -> Small:
    """The usual level of each row's green, from where light scales it: (rows, 1, 1)."""
    half = cells.shape[1] // 2
    return np.partition(cells[..., 1], half, axis=1)[:, half, None, None] + np.float32(TOE_LEVELS)
