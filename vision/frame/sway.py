"""Detects that the camera sways over the table, or the table under it, while nothing settles: from the fiducials.

Hands and pieces move in the picture and leave the fiducials in place. If these move together, time after time, no
waiting helps.
"""

from __future__ import annotations

from collections import deque
from itertools import cycle

import cv2
import numpy as np

from calibration.lens import Lens
from calibration.markers import Fiducial, find_fiducials
from companion.game.kit import Kit
from vision.frame.settle import Picture

PATIENT_S = 3.0
"""Seconds of motion before a table's fiducials are checked: most throws are over by then."""
STEPS_S = (0.3, 0.4, 0.55)
"""Intervals between checks, in turn: a sway in step with one interval is seen with the others."""
LOOKS = 12
"""Number of checks that are judged together, about five seconds."""
SWAY_PX = 0.1
"""Maximum movement of a fiducial on a table that counts as still. Noise moves it by a tenth of that."""
LEAST_SWAYING = 3
"""Minimum number of fiducials that move: a hand may push one or two."""


class Sway:
    """Follows a restless table, of one camera and kit. Times are monotonic seconds."""

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
        """One more restless frame (BGR, shape (H, W, 3)): whether camera or table have been swaying for seconds."""
        if self._due_s is None:
            self._due_s = at_s + PATIENT_S
        if at_s >= self._due_s:
            self._due_s = at_s + next(self._steps_s)
            self._look(picture)
        return len(self._moved) == LOOKS and sum(self._moved) > LOOKS / 2

    def _look(self, picture: Picture) -> None:
        near = {i: fiducial.corners_px for i, fiducial in self._seen.items()}
        grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
        was, self._seen = self._seen, {f.id: f for f in find_fiducials(grey, self._lens, self._mat, near)}
        self._moved.append(_swaying(was, self._seen) >= LEAST_SWAYING)


def _swaying(was: dict[int, Fiducial], now: dict[int, Fiducial]) -> int:
    """Number of fiducials that are elsewhere in the picture than before."""
    shifts_px = [np.hypot(*(now[i].corners_px - was[i].corners_px).mean(axis=0)) for i in now.keys() & was.keys()]
    return sum(bool(shift > SWAY_PX) for shift in shifts_px)
