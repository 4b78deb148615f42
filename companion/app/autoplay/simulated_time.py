"""The virtual table without threads: simulated seconds, a camera that draws a frame on request, and an eye that reads
no picture twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from calibration.pose import Pose
from companion.game.readings import Reading
from hardware.camera import Blindness, Frame
from vision.readers import Fused, Picture, TableEye
from vision.sim.virtual import VirtualTable


class Clock:
    """Simulated seconds."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s

    def wait(self, seconds: float) -> None:
        """Time passes."""
        self.now_s += seconds


class DrawnFrames:
    """The virtual camera without a thread: each frame is drawn when it is asked for."""

    def __init__(self, table: VirtualTable, clock: Clock) -> None:
        self._table, self._clock = table, clock
        self._sequence = 0

    @property
    def blindness(self) -> Blindness | None:
        return None

    def newer(self, sequence: int, timeout_s: float) -> Frame | None:
        picture = self._table.frame()
        self._sequence += 1
        return None if picture is None else Frame(picture, self._clock(), self._sequence)

    def newest(self) -> Frame | None:
        return self.newer(self._sequence, 0.0)

    def adapt(self) -> None:
        """A drawn camera has nothing to adapt."""

    def close(self) -> None:
        """Nothing is open."""


class OnceEye:
    """An eye that reads each picture once: a drawn table that does not move may send the same picture many times."""

    def __init__(self, eye: TableEye) -> None:
        self._eye = eye
        self._picture: Picture | None = None
        self._reading: Reading | None = None

    def read(self, picture: Picture) -> Reading:
        """As the eye does. Raises: ReadingError."""
        return self._kept(picture) or self._keep(picture, self._eye.read(picture))

    def read_at(self, picture: Picture, pose: Pose) -> Reading:
        """The same where the pose is known."""
        return self._kept(picture) or self._keep(picture, self._eye.read_at(picture, pose))

    def fuse(self, readings: Sequence[Any]) -> Fused[Any]:
        """As the eye does."""
        return self._eye.fuse(readings)

    def draw(self, picture: Picture, reading: Any) -> Picture:
        """As the eye does."""
        return self._eye.draw(picture, reading)

    def _kept(self, picture: Picture) -> Reading | None:
        return self._reading if picture is self._picture else None

    def _keep(self, picture: Picture, reading: Reading) -> Reading:
        self._picture, self._reading = picture, reading
        return reading
