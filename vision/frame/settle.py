"""Detects motion: small differences between frames, compared with the picture's own noise; a few ms per frame.

A lamp may flicker, and the camera's gain may drift: the common brightness of each row is removed before rows are
compared. Many cameras read rows one after another, so a flickering lamp shows as moving bands. Counted as noise, such
bands would hide pieces that slide.

JPEG rounds the values of each block, more coarsely at lower quality. A little noise then flips blocks between two
shades, beyond the usual noise of the other blocks. Flips are all over the picture, a piece is not.
"""

import math
from collections import deque
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Picture
from calibration.edges import MAD_TO_SIGMA, SRGB_LIFT, median
from calibration.lens import Lens
from calibration.markers import Fiducial, find_fiducials
from companion.game.kit import Kit
from vision.frame.limits import LIMITS

Small = NDArray[np.float32]

TOE_LEVELS = 255 * SRGB_LIFT
"""Offset of black in levels, at the start of a picture's tone curve: above it light scales all levels alike."""
STILL_TILES_PERCENT = 90
"""One part of a picture in ten may show motion: the others measure flips."""
FLIPPING = 2
"""Minimum number of frames with flips beyond their noise, and without other motion, in a stream that flips."""


@dataclass(frozen=True, slots=True)
class Stillness:
    """The result for one frame: whether it is still, and for how long."""

    is_still: bool
    still_s: float


class Settle:
    """Follows a stream of frames of one size. Frames are BGR, shape (H, W, 3); times are monotonic seconds."""

    def __init__(self, rest_s: float = 0.5) -> None:
        self._rest_s = rest_s
        self._last: Small | None = None
        self._anchor: Small | None = None
        self._anchor_s = 0.0
        self._seen: Small | None = None
        self._flipped: deque[bool] = deque(maxlen=LIMITS.flip_frames)

    def take(self, picture: Picture, at_s: float) -> Stillness:
        """Looks at one more frame."""
        now = self._cells(picture)
        last, self._last = self._last, now
        moving = last is None or self._has_moved(last, now)
        if moving or self._anchor is None or self._differs(self._anchor, now):
            # a slow slide differs from the first still frame even if it never differs from the frame before
            self._anchor, self._anchor_s = now, at_s
            return Stillness(False, 0.0)
        still_s = at_s - self._anchor_s
        return Stillness(still_s >= self._rest_s, still_s)

    @property
    def has_changed(self) -> bool:
        """Whether the newest frame differs from the one that `mark_seen` remembered."""
        return self._seen is None or self._last is None or self._differs(self._seen, self._last)

    def forget(self) -> None:
        """Starts again after an interruption: the next frame counts as the first."""
        self._last = self._anchor = self._seen = None

    def mark_seen(self) -> None:
        """Remembers the newest frame as read."""
        self._seen = self._last

    def _has_moved(self, last: Small, now: Small) -> bool:
        """Whether something moved between two frames. Remembers whether only flips did."""
        beyond_noise, beyond_flips = differs(last, now)
        if not beyond_flips:
            self._flipped.append(beyond_noise)
        return beyond_flips if self._is_flipping else beyond_noise

    def _differs(self, before: Small, now: Small) -> bool:
        beyond_noise, beyond_flips = differs(before, now)
        return beyond_flips if self._is_flipping else beyond_noise

    @property
    def _is_flipping(self) -> bool:
        return sum(self._flipped) >= FLIPPING

    def _cells(self, picture: Picture) -> Small:
        rows, columns = (max(1, side_px // LIMITS.cell_px) for side_px in picture.shape[:2])
        # whole cells only, halved with OpenCV, the quickest way; integers suffice until few cells are left
        picture = picture[: rows * LIMITS.cell_px, : columns * LIMITS.cell_px]
        return _halved(_halved(_halved(picture)).astype(np.float32))


def differs(before: Small, now: Small) -> tuple[bool, bool]:
    """Whether enough cells of two small frames (rows, columns, 3) differ by more than noise, and by more than JPEG
    flips.

    When a row's common brightness changes, each cell may follow, stay or be in between. Clipped cells, and cells lit by
    another lamp, do not follow.
    """
    if before.shape != now.shape:
        return True, True
    followed = (before + TOE_LEVELS) * (_brightness(now) / _brightness(before)) - TOE_LEVELS
    difference = np.asarray(now - followed, np.float32)
    beyond = np.maximum(now - np.maximum(before, followed), np.minimum(before, followed) - now)
    threshold = np.maximum(LIMITS.noise_factor * _noise(difference), np.float32(LIMITS.min_levels))
    if not _is_motion(beyond, threshold):
        return False, False
    flips = np.minimum(LIMITS.flip_factor * _flips(difference), LIMITS.max_flip_levels)
    return True, _is_motion(beyond, np.maximum(threshold, flips))


def _is_motion(beyond: Small, threshold: Small) -> bool:
    over = beyond > threshold
    changed = (over[..., 0] | over[..., 1] | over[..., 2]).astype(np.uint8)
    together = cv2.boxFilter(changed, -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT)
    return int(together.max()) >= LIMITS.min_moved_cells


def _noise(difference: Small) -> Small:
    """The noise of each colour (one sigma) between neighbours: white balance raises blue's."""
    uneven = np.abs(difference - cv2.blur(difference, (3, 3)))[::2, ::2]
    usual = [median(uneven[..., color]) for color in range(uneven.shape[2])]
    return np.array(usual, np.float32) * np.float32(MAD_TO_SIGMA)


def _flips(difference: Small) -> Small:
    """Flip of each colour of a block of four cells in most parts of the picture; 0 for a small picture."""
    rows, columns = (cells // LIMITS.tiles for cells in difference.shape[:2])
    if min(rows, columns) < 2:
        return np.zeros(3, np.float32)
    whole = difference[: rows * LIMITS.tiles, : columns * LIMITS.tiles]
    tiles = np.abs(cv2.blur(whole, (2, 2))).reshape(LIMITS.tiles, rows, LIMITS.tiles, columns, 3)
    greatest = tiles.max(axis=1).max(axis=2)  # one after the other: both at once take twenty times as long
    return np.asarray(np.percentile(greatest, STILL_TILES_PERCENT, axis=(0, 1)), np.float32)


def _halved(picture: NDArray[Any]) -> NDArray[Any]:
    rows, columns = picture.shape[:2]
    return cv2.resize(picture, (columns // 2, rows // 2), interpolation=cv2.INTER_AREA)


def _brightness(cells: Small) -> Small:
    """Median green level of each row, above the toe: (rows, 1, 1)."""
    half = cells.shape[1] // 2
    return np.partition(cells[..., 1], half, axis=1)[:, half, None, None] + np.float32(TOE_LEVELS)


# Detects from the fiducials that the camera or the table sways while nothing settles. Hands and pieces do not move the
# fiducials. If the fiducials move together again and again, waiting does not help.


STEPS_S = (0.5, 0.5 / math.sqrt(2))
"""Intervals between checks, in turn: a sway in step with one interval is seen with the other."""
LOOKS = round(2 * LIMITS.patient_s / STEPS_S[0])
"""Number of checks that are judged together, about five seconds."""
PUSHED = 2
"""Maximum number of fiducials that a hand may push."""


class Sway:
    """Follows a table in motion, for one camera and kit. Times are monotonic seconds."""

    def __init__(self, lens: Lens, kit: Kit) -> None:
        self._lens = lens
        self._mat = kit.mat
        self._seen: dict[int, Fiducial] = {}
        self.rests()

    def rests(self) -> None:
        """Forgets all earlier checks: the table has settled, or no picture came."""
        self._moved: deque[bool] = deque(maxlen=LOOKS)
        self._steps_s = cycle(STEPS_S)
        self._due_s: float | None = None

    def take(self, picture: Picture, at_s: float) -> bool:
        """Takes a frame with motion (BGR, shape (H, W, 3)). Returns whether camera or table have been swaying for
        seconds."""
        if self._due_s is None:
            self._due_s = at_s + LIMITS.patient_s
        if at_s >= self._due_s:
            self._due_s = at_s + next(self._steps_s)
            self._look(picture)
        return len(self._moved) == LOOKS and sum(self._moved) > LOOKS / 2

    def _look(self, picture: Picture) -> None:
        near = {i: fiducial.corners_px for i, fiducial in self._seen.items()}
        grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
        was, self._seen = self._seen, {f.id: f for f in find_fiducials(grey, self._lens, self._mat, near)}
        self._moved.append(_swaying(was, self._seen) > PUSHED)


def _swaying(was: dict[int, Fiducial], now: dict[int, Fiducial]) -> int:
    shifts_px = [np.hypot(*(now[i].corners_px - was[i].corners_px).mean(axis=0)) for i in now.keys() & was.keys()]
    return sum(bool(shift > LIMITS.sway_px) for shift in shifts_px)
