"""A Raspberry Pi's camera by picamera2, which comes from apt and is imported only when a camera is opened."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from companion.errors import CameraError
from hardware.camera import Clock, Frame, Picture, a_picture

SETTLE_FRAMES = 45
"""Exposure and white balance run free for so many frames (3 s at 15 a second), then they are locked."""
BUFFERS = 4
INSTALL = (
    "install it by `sudo apt install python3-picamera2` and make the virtual environment see the system's packages"
)
LOCKED = ("ExposureTime", "AnalogueGain", "ColourGains")
"""What the camera chose by itself and then keeps: colours and sharpness do not wander during a match."""


class PiCamera:
    """The Pi's camera number `number`, at `size_px` (width, height).

    Args:
        focus_dioptres: where a lens with a motor is fixed (1 / distance in m). A lens file holds for one focus only.
        mains_hz: lamps flicker at twice this; exposures are chosen in whole periods, so that no bands wander.
    Raises: CameraError: no picamera2, no such camera, another program holds it, or a format that is not understood.
    """

    def __init__(
        self,
        number: int = 0,
        size_px: tuple[int, int] = (2304, 1296),
        frames_per_s: float = 15.0,
        focus_dioptres: float | None = None,
        mains_hz: float = 50.0,
        clock: Clock = time.monotonic,
    ) -> None:
        self._name = f"Pi camera {number}"
        self._clock = clock
        self._count = 0
        self._locks_at: int | None = SETTLE_FRAMES
        self._job: Any = None
        self._device = _opened(number, self._name)
        try:
            self._configure(size_px, frames_per_s, focus_dioptres, mains_hz)
            self._device.start()
        except (RuntimeError, ValueError, OSError) as error:
            self.close()
            raise CameraError(f"{self._name} cannot be started ({_first_line(error)}): close other programs") from error
        except CameraError:
            self.close()
            raise

    @property
    def name(self) -> str:
        return self._name

    @property
    def is_live(self) -> bool:
        return True

    def frame(self, timeout_s: float) -> Frame:
        # a request that came too late is kept and waited for again: dropped, it would never return to the camera
        try:
            if self._job is None:
                self._job = self._device.capture_request(wait=False)
            request = self._job.get_result(timeout=timeout_s)
        except TimeoutError as error:
            raise CameraError(f"{self._name} sent no picture within {timeout_s:g} s: check its cable") from error
        except (RuntimeError, OSError) as error:
            self._job = None
            raise CameraError(f"{self._name} failed ({_first_line(error)}): check its cable") from error
        self._job = None
        try:
            array = request.make_array("main")
            if self._locks_at is not None and self._count >= self._locks_at:
                self._lock(request.get_metadata())
        except (RuntimeError, OSError) as error:
            raise CameraError(f"{self._name} failed ({_first_line(error)}): check its cable") from error
        finally:
            request.release()
        frame = Frame(self._picture(array), self._clock(), self._count)
        self._count += 1
        return frame

    def adapt(self) -> None:
        """Lets exposure and white balance run free again for a while, as after the lamps were changed."""
        self._device.set_controls({"AeEnable": True, "AwbEnable": True})
        self._locks_at = self._count + SETTLE_FRAMES

    def close(self) -> None:
        device, self._device = self._device, None
        if device is None:
            return
        try:
            device.stop()
        finally:
            device.close()

    def _configure(
        self, size_px: tuple[int, int], frames_per_s: float, focus_dioptres: float | None, mains_hz: float
    ) -> None:
        device = self._device
        # picamera2's "RGB888" lies in memory as blue, green, red
        controls = {"FrameRate": frames_per_s}
        main = {"size": size_px, "format": "RGB888"}
        device.configure(device.create_video_configuration(main=main, buffer_count=BUFFERS, controls=controls))
        # what was asked for may have been adjusted silently: only what is read back counts
        got = device.camera_configuration()["main"]
        self._format = str(got["format"])
        self._width_px, self._height_px = got["size"]
        if self._format not in _TO_BGR:
            raise CameraError(
                f"{self._name} sends the format {self._format}, expected one of {', '.join(_TO_BGR)}: "
                "bring picamera2 up to date"
            )
        known = device.camera_controls
        if "AeFlickerMode" in known and "AeFlickerPeriod" in known:
            device.set_controls({"AeFlickerMode": 1, "AeFlickerPeriod": round(500_000 / mains_hz)})  # microseconds
        if "AfMode" in known and focus_dioptres is not None:
            device.set_controls({"AfMode": 0, "LensPosition": focus_dioptres})  # 0: manual

    def _lock(self, metadata: dict[str, Any]) -> None:
        chosen = {name: metadata[name] for name in LOCKED if name in metadata}
        self._device.set_controls({"AeEnable": False, "AwbEnable": False} | chosen)
        self._locks_at = None

    def _picture(self, array: Any) -> Picture:
        bgr = _TO_BGR[self._format](np.asarray(array), self._width_px, self._height_px)
        return a_picture(np.ascontiguousarray(bgr), self._name)


def _opened(number: int, name: str) -> Any:
    try:
        from picamera2 import Picamera2
    except ImportError as error:
        raise CameraError(f"picamera2 is missing ({_first_line(error)}): {INSTALL}") from error
    except ValueError as error:  # "numpy.dtype size changed": the system's picamera2 was built for another numpy
        raise CameraError(
            f"picamera2 does not go with this numpy ({_first_line(error)}): "
            "`pip install simplejpeg` into the virtual environment"
        ) from error
    try:
        return Picamera2(number)
    except IndexError as error:
        raise CameraError(f"there is no {name}, expected a camera in the Pi's socket: check its cable") from error
    except RuntimeError as error:
        words = str(error)
        if "No camera number" in words or "not found" in words:
            raise CameraError(f"there is no {name}, expected a camera in the Pi's socket: check its cable") from error
        raise CameraError(
            f"{name} cannot be opened ({_first_line(error)}): another program may hold it, close that"
        ) from error


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _bgr(array: Any, width_px: int, height_px: int) -> Any:
    return array[:height_px, :width_px, :3]


def _rgb(array: Any, width_px: int, height_px: int) -> Any:
    return array[:height_px, :width_px, 2::-1]


def _i420(array: Any, width_px: int, height_px: int) -> Any:
    import cv2

    return cv2.cvtColor(array[: height_px * 3 // 2], cv2.COLOR_YUV2BGR_I420)[:, :width_px]  # rows may end in padding


def _nv12(array: Any, width_px: int, height_px: int) -> Any:
    import cv2

    return cv2.cvtColor(np.ascontiguousarray(array[: height_px * 3 // 2]), cv2.COLOR_YUV2BGR_NV12)[:, :width_px]


_TO_BGR = {"RGB888": _bgr, "BGR888": _rgb, "XRGB8888": _bgr, "XBGR8888": _rgb, "YUV420": _i420, "NV12": _nv12}
