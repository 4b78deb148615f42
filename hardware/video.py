"""A USB camera (V4L2) or a film, by `cv2.VideoCapture`."""

from __future__ import annotations

import sys
import time
from typing import Any

from companion.errors import CameraError
from hardware.camera import Clock, Frame, a_picture

SETTLE_FRAMES = 45
"""Exposure, white balance and focus run free for so many frames, then they are locked."""
V4L2_MANUAL_EXPOSURE = 1.0
V4L2_AUTO_EXPOSURES = (3.0, 0.0)
"""Aperture priority, which most USB cameras know, and full automatic, which the others do."""


class VideoCamera:
    """A USB camera by its number (0 is /dev/video0), or a film by its path.

    Raises: CameraError: there is none, or it does not open.
    """

    def __init__(
        self, source: int | str = 0, size_px: tuple[int, int] = (1920, 1080), clock: Clock = time.monotonic
    ) -> None:
        import cv2

        self._cv2 = cv2
        self._is_live = isinstance(source, int)
        self._name = f"/dev/video{source}" if self._is_live else str(source)
        self._clock = clock
        self._count = 0
        self._locks_at: int | None = None
        self._capture: Any = self._opened(source)
        if not self._capture.isOpened():
            self._capture.release()
            expected = "a USB camera" if self._is_live else "a film"
            raise CameraError(
                f"{self._name} does not open, expected {expected}: check the cable, or that no other program holds it"
            )
        if self._is_live:
            self._set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))  # raw frames of this size choke USB 2
            self._set(cv2.CAP_PROP_FRAME_WIDTH, size_px[0])
            self._set(cv2.CAP_PROP_FRAME_HEIGHT, size_px[1])
            self._set(cv2.CAP_PROP_BUFFERSIZE, 1)
            self.adapt()  # a camera keeps what it was set to before it was opened

    @property
    def name(self) -> str:
        return self._name

    @property
    def is_live(self) -> bool:
        return self._is_live

    def frame(self, timeout_s: float) -> Frame:
        """The next frame. The driver keeps its own time: a supervisor, not `timeout_s`, ends a wait that hangs."""
        capture = self._capture
        if capture is None:
            raise CameraError(f"{self._name} was closed")
        began_s = self._clock()
        is_read, picture = capture.read()
        waited_s = self._clock() - began_s
        if not is_read or picture is None:
            why = "the cable may be out" if self._is_live else "the film is over"
            raise CameraError(f"{self._name} sent no picture ({why}), expected one after {waited_s:.1f} s of waiting")
        frame = Frame(a_picture(picture, self._name), self._clock(), self._count)
        self._count += 1
        if self._count == self._locks_at:
            self._lock()
        return frame

    def adapt(self) -> None:
        """Lets exposure and white balance run free again for a while, not the focus: a lens file holds for one only."""
        if not self._is_live or self._capture is None:
            return
        cv2 = self._cv2
        any(self._set(cv2.CAP_PROP_AUTO_EXPOSURE, auto) for auto in V4L2_AUTO_EXPOSURES)
        self._set(cv2.CAP_PROP_AUTO_WB, 1)
        self._locks_at = self._count + SETTLE_FRAMES

    def close(self) -> None:
        capture, self._capture = self._capture, None
        if capture is not None:
            capture.release()

    def _opened(self, source: int | str) -> Any:
        if isinstance(source, int) and sys.platform == "linux":
            return self._cv2.VideoCapture(source, self._cv2.CAP_V4L2)
        return self._cv2.VideoCapture(source)

    def _set(self, what: int, value: float) -> bool:
        """False: this camera has no such control, and is used as it is."""
        return bool(self._capture.set(what, value))

    def _lock(self) -> None:
        cv2 = self._cv2
        exposure = self._capture.get(cv2.CAP_PROP_EXPOSURE)
        self._set(cv2.CAP_PROP_AUTO_EXPOSURE, V4L2_MANUAL_EXPOSURE)
        self._set(cv2.CAP_PROP_EXPOSURE, exposure)
        self._set(cv2.CAP_PROP_AUTO_WB, 0)
        self._set(cv2.CAP_PROP_AUTOFOCUS, 0)
