"""A camera that repeats its last picture counts as silent: the table may have changed long ago.

A sensor's noise never repeats. So a picture equal to the one before it, bit for bit, is not a new one.
"""

from __future__ import annotations

import numpy as np

from companion.game.errors import CameraError
from companion.game.says import Says
from hardware.camera import Frame, Picture

FROZEN_S, FROZEN_FRAMES = 1.2, 3
"""A camera is frozen after this many seconds and this many repeats of one picture."""
STEP_PX = 16
"""Pixels are compared with this stride both ways; noise is everywhere."""
FLAT_LEVELS = 16
"""A picture whose pixels span fewer of 255 levels says nothing: under a lid or a lamp there may be no noise left."""


class CameraFrozen(CameraError):
    """A camera that sends the same picture over and over."""


class Repeats:
    """Follows the frames of one live camera."""

    def __init__(self, name: Says | str) -> None:
        self._name = name
        self._sample: Picture | None = None
        self._since_s = 0.0
        self._repeats = 0

    def is_news(self, frame: Frame) -> bool:
        """Whether a frame is another picture than the one before; of the first nobody knows.

        Raises: CameraFrozen: it has been the same picture for too long.
        """
        sample = frame.picture[::STEP_PX, ::STEP_PX].copy()  # a driver may write the next picture over this one
        last, self._sample = self._sample, sample
        if int(sample.max()) - int(sample.min()) < FLAT_LEVELS:
            self._since_s, self._repeats = frame.at_s, 0
            return True
        if last is None or not np.array_equal(last, sample):
            self._since_s, self._repeats = frame.at_s, 0
            return last is not None
        self._repeats += 1
        repeated_s = frame.at_s - self._since_s
        if repeated_s >= FROZEN_S and self._repeats >= FROZEN_FRAMES:
            words = "{camera} sends the same picture over and over: if that goes on, switch the box off and on"
            raise CameraFrozen(Says(words, {"camera": self._name}))
        return False
