"""A USB camera (V4L2) or a film, by `cv2.VideoCapture`."""

import contextlib
import re
import struct
import sys
import time
from pathlib import Path
from typing import Any

import cv2

from calibration.lens import CameraMode
from companion.game.errors import CameraError
from companion.game.says import Says
from hardware.camera import CameraSettings, Frame, Settling, a_picture

V4L2_MANUAL_EXPOSURE = 1.0
V4L2_AUTO_EXPOSURES = (3.0, 0.0)
"""Aperture priority, which most USB cameras know, and full automatic, which the others do."""


OLDEST_S = 2.0
"""A driver's time stamp older than this is of another clock: the frame's arrival counts."""
SET_CONTROL = 0xC008561C
"""VIDIOC_S_CTRL of linux/videodev2.h: OpenCV has no door to the mains frequency."""
POWER_LINE_FREQUENCY = 0x00980918
"""V4L2_CID_POWER_LINE_FREQUENCY: 1 is 50 Hz, 2 is 60 Hz."""
DEVICE = re.compile(r"/dev/(?:v4l/by-(?:id|path)/[^/]+|video[0-9]+)")


def is_device(source: int | str) -> bool:
    """Whether a source is a USB camera and not a film.

    >>> is_device(0), is_device("/dev/v4l/by-id/usb-046d_C270-video-index0"), is_device("match.mp4")
    (True, True, False)
    """
    return isinstance(source, int) or DEVICE.fullmatch(source) is not None


class VideoCamera:
    """A USB camera by its number (0 is /dev/video0) or its device file, or a film by its path.

    A name below /dev/v4l/by-id stays the same camera's when another is plugged in.

    Raises: CameraError: there is none, or it does not open.
    """

    def __init__(
        self,
        source: int | str = 0,
        size_px: tuple[int, int] = (1920, 1080),
        settings: CameraSettings | None = None,
    ) -> None:
        self._settings = settings or CameraSettings()
        self.is_live = is_device(source)
        self._name = f"/dev/video{source}" if isinstance(source, int) else source
        self.name: Says | str = self._name
        self._count = 0
        self._settling: Settling | None = None
        self._mode: CameraMode | None = None
        self._capture: Any = self._opened(source)
        if not self._capture.isOpened():
            self._capture.release()
            words = "{camera} does not open: check the cable, and close other programs that use it"
            raise CameraError(Says(words, {"camera": self._name}))
        if self.is_live:
            self._set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))  # raw frames of this size choke USB 2
            self._set(cv2.CAP_PROP_FRAME_WIDTH, size_px[0])
            self._set(cv2.CAP_PROP_FRAME_HEIGHT, size_px[1])
            self._set(cv2.CAP_PROP_FPS, self._settings.frames_per_s)
            self._set(cv2.CAP_PROP_BUFFERSIZE, 1)
            self._set(cv2.CAP_PROP_AUTOFOCUS, 0)
            if self._settings.mode is not None and self._settings.mode.zoom is not None:
                self._set(cv2.CAP_PROP_ZOOM, self._settings.mode.zoom)
            if self._settings.focus is not None:
                self._set(cv2.CAP_PROP_FOCUS, self._settings.focus)
            set_mains(self._name, self._settings.mains_hz)
            self._mode = self._told_mode()
            self.adapt()  # a camera keeps the settings of earlier programs

    def frame(self, timeout_s: float) -> Frame:
        """The next frame. `timeout_s` is not used: the driver waits by its own rules, and a supervisor ends a wait that
        hangs."""
        capture = self._capture
        if capture is None:
            raise CameraError(Says("{camera} was closed", {"camera": self._name}))
        is_read, picture = capture.read()
        if not is_read or picture is None:
            out, over = "{camera} sends no picture: check its cable", "the film {camera} is over"
            raise CameraError(Says(out if self.is_live else over, {"camera": self._name}))
        frame = Frame(a_picture(picture, self._name), self._taken_s(), self._count, self._mode)
        self._count += 1
        # many drivers report the exposure only when it is manual: so the picture itself shows whether it still changes
        if self._settling is not None and self._settling.is_over(tuple(map(float, cv2_mean(picture)))):
            self._lock()
        return frame

    def adapt(self) -> None:
        """Lets exposure and white balance adapt again for a while. The focus stays: a lens file holds for one focus
        only."""
        if not self.is_live or self._capture is None:
            return
        any(self._set(cv2.CAP_PROP_AUTO_EXPOSURE, auto) for auto in V4L2_AUTO_EXPOSURES)
        self._set(cv2.CAP_PROP_AUTO_WB, 1)
        self._settling = Settling()

    def close(self) -> None:
        capture, self._capture = self._capture, None
        if capture is not None:
            capture.release()

    def _told_mode(self) -> CameraMode:
        model = None
        focus = float(self._capture.get(cv2.CAP_PROP_FOCUS))
        zoom = float(self._capture.get(cv2.CAP_PROP_ZOOM))  # it crops the sensor at the same size
        size = tuple(int(self._capture.get(p)) for p in (3, 4))  # CAP_PROP_FRAME_WIDTH, _HEIGHT
        with contextlib.suppress(OSError):
            named = Path("/sys/class/video4linux", Path(self._name).resolve().name, "name")
            model = named.read_text(encoding="utf-8").strip() or None
        # a camera without a motor or a zoom reports 0 or -1; a focus ring turned by hand is not reported at all
        return CameraMode(
            adapter="v4l2",
            model=model,
            sensor_px=(size[0], size[1]) if min(size) > 0 else None,
            focus_dioptres=focus if focus > 0 else None,
            zoom=zoom if zoom > 0 else None,
        )

    def _taken_s(self) -> float:
        """When the driver says that the frame was taken (V4L2 stamps on the monotonic clock), else now."""
        now_s = time.monotonic()
        if not self.is_live:
            return now_s
        taken_s = float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000
        return taken_s if 0 <= now_s - taken_s <= OLDEST_S else now_s

    def _opened(self, source: int | str) -> Any:
        if is_device(source) and sys.platform == "linux":
            return cv2.VideoCapture(source, cv2.CAP_V4L2)
        return cv2.VideoCapture(source)

    def _set(self, what: int, value: float) -> bool:
        """Returns False if this camera has no such control; then the camera is used as it is."""
        return bool(self._capture.set(what, value))

    def _lock(self) -> None:
        exposure = self._capture.get(cv2.CAP_PROP_EXPOSURE)
        self._set(cv2.CAP_PROP_AUTO_EXPOSURE, V4L2_MANUAL_EXPOSURE)
        self._set(cv2.CAP_PROP_EXPOSURE, exposure)
        self._set(cv2.CAP_PROP_AUTO_WB, 0)
        self._settling = None


def cv2_mean(picture: Any) -> Any:
    """A picture's mean blue, green and red, from every sixteenth pixel each way."""
    return picture[::16, ::16].reshape(-1, picture.shape[-1]).mean(axis=0)


def set_mains(device: str, mains_hz: float) -> bool:
    """Sets a V4L2 camera to the lamps' mains frequency; False: it lacks that control, or the device is missing."""
    if sys.platform != "linux":
        return False
    import fcntl

    try:
        with open(device, "rb", buffering=0) as opened:
            fcntl.ioctl(opened, SET_CONTROL, struct.pack("Ii", POWER_LINE_FREQUENCY, 1 if mains_hz < 55 else 2))
    except OSError:
        return False
    return True
