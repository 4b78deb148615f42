"""The virtual table without threads: simulated seconds, and a camera that draws a frame when it is asked for one."""

from __future__ import annotations

from hardware.camera import Blindness, Frame
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
