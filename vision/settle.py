"""Is anything moving? Small differences between frames, judged against the picture's own noise; a few ms a frame.

The lamp may flicker and the camera's gain may breathe: frames are compared after their common brightness is taken out.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Small = NDArray[np.float32]

CELL_PX = 8
"""Side of the cells that are compared; a ninja seen from above covers several."""
TAKEN_EVERY_PX = 2
"""Pixels are taken with this stride before they are averaged into cells."""
NOISE_FACTOR = 7.0
"""A cell moved when it differs by more than this many noise widths ..."""
LEAST_LEVELS = 3.0
"""... and by more than this many of 255 grey levels."""
MOVED_CELLS = 3
"""Fewer changed cells than this are noise."""
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
        green = np.ascontiguousarray(picture[::TAKEN_EVERY_PX, ::TAKEN_EVERY_PX, 1])
        size = (max(1, picture.shape[1] // CELL_PX), max(1, picture.shape[0] // CELL_PX))
        return cv2.resize(green, size, interpolation=cv2.INTER_AREA).astype(np.float32)


def differs(before: Small, now: Small) -> bool:
    """Whether enough cells of two small frames differ by more than their noise, brightness as a whole aside."""
    if before.shape != now.shape:
        return True
    gain = float(np.median(now) + 1) / float(np.median(before) + 1)
    difference = np.abs(now - before * np.float32(gain))
    sigma = MAD_TO_SIGMA * float(np.median(difference))
    threshold = max(LEAST_LEVELS, NOISE_FACTOR * sigma)
    return int(np.count_nonzero(difference > threshold)) >= MOVED_CELLS
