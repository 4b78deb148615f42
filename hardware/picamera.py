"""A Raspberry Pi's camera by picamera2, which comes from apt and is imported only when a camera is opened."""

import contextlib
import errno
import math
import os
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError
from typing import Any

import cv2
import numpy as np

from calibration.arrays import Picture
from calibration.lens import CameraMode
from companion.game.errors import CameraError, first_line
from companion.game.says import Says
from hardware.camera import CameraSettings, Clock, Frame, Settling, a_picture

BUFFERS = 4
OLDEST_S = 2.0
"""Maximum age of a frame by its sensor's time, s. Above it the clocks differ, so the time of arrival is used."""
INSTALL = "sudo apt install python3-picamera2"
OUT_OF_MEMORY = (
    "{camera} cannot be started ({error}): the memory for pictures is full. Switch the box off and on, and see "
    "docs/appliance.md if it happens again"
)
LOCKED = ("ExposureTime", "AnalogueGain", "ColourGains")
"""Settings that the camera chooses by itself and then keeps: colours and sharpness do not wander during a match."""
AE_SEARCHING = 1
"""libcamera's `AeState` while it looks for an exposure."""
AF_MANUAL, AF_AUTO, AF_START, AF_ENDED = 0, 1, 0, (2, 3)
"""libcamera's `AfMode`, the start of its sweep (`AfTrigger`), and the `AfState` after it: focused, or failed."""


def sensor_clock_s() -> float:
    """The clock of libcamera's time stamps: seconds since boot."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class PiCamera:
    """The Pi's camera number `number`, at `size_px` (width, height).

    Raises: CameraError: no picamera2, no such camera, another program holds it, or a format that is not understood.
    """

    def __init__(
        self,
        number: int = 0,
        size_px: tuple[int, int] = (2304, 1296),
        settings: CameraSettings | None = None,
        clock: Clock = time.monotonic,
        sensor_clock: Clock = sensor_clock_s,
    ) -> None:
        self._name = Says("Pi camera {number}", {"number": number})
        self.name: Says | str = self._name
        self.is_live = True
        self._settings = settings or CameraSettings()
        self._clock, self._sensor_clock = clock, sensor_clock
        self._count = 0
        self._settling: Settling | None = Settling()
        self._is_focusing = False
        self._job: Any = None
        self._device = _opened(number, self._name)
        try:
            self._configure(size_px)
            self._device.start()
        except (RuntimeError, ValueError, OSError) as error:
            self.close()
            if isinstance(error, CameraError):
                raise
            words = (
                OUT_OF_MEMORY
                if _is_out_of_memory(error)
                else "{camera} cannot be started ({error}): end other programs that use it"
            )
            raise CameraError(Says(words, {"camera": self._name, "error": first_line(error)})) from error

    def frame(self, timeout_s: float) -> Frame:
        device = self._device
        if device is None:
            raise CameraError(Says("{camera} was closed", {"camera": self._name}))
        # a request that came too late is kept and waited for again: dropped, it would never return to the camera
        try:
            if self._job is None:
                self._job = device.capture_request(wait=False)
            request = self._job.get_result(timeout=timeout_s)
        except TimeoutError as error:
            words = "{camera} sends no picture: switch the box off, then check its cable"
            raise CameraError(Says(words, {"camera": self._name})) from error
        except (RuntimeError, OSError, CancelledError) as error:
            self._job = None
            raise CameraError(_failed(self._name, error)) from error
        self._job = None
        try:
            array = request.make_array("main")
            metadata = request.get_metadata()
            at_s = self._taken_s(metadata)
            self._settle(metadata)
        except (RuntimeError, OSError) as error:
            raise CameraError(_failed(self._name, error)) from error
        finally:
            request.release()
        frame = Frame(self._picture(array), at_s, self._count, self._mode(metadata))
        self._count += 1
        return frame

    def adapt(self) -> None:
        """Lets exposure and white balance run free again for a while, as after the lamps were changed."""
        if self._device is not None:
            self._set({"AeEnable": True, "AwbEnable": True})
            self._settling = Settling()
            self._focus()

    def close(self) -> None:
        """Closes the camera.

        picamera2's `close` ends its event loop first and then stops the camera. Its `stop` would wait for that loop,
        forever if the loop died or waits for a frame.
        """
        device, self._device = self._device, None
        job, self._job = self._job, None
        if job is not None:
            with contextlib.suppress(TimeoutError, CancelledError, RuntimeError, OSError):
                job.get_result(timeout=0).release()  # its frame had come after all
        if device is not None:
            device.close()

    def _configure(self, size_px: tuple[int, int]) -> None:
        device, settings = self._device, self._settings
        # picamera2's "RGB888" is blue, green, red in memory
        main = {"size": size_px, "format": "RGB888"}
        wanted = {} if (sensor := self._sensor_wanted(size_px)) is None else {"sensor": sensor}
        device.configure(
            device.create_video_configuration(
                main=main, buffer_count=BUFFERS, controls={"FrameRate": settings.frames_per_s}, **wanted
            )
        )
        # the driver may have adjusted the requested values silently: only the values read back count
        configured = device.camera_configuration()
        got = configured["main"]
        self._format = str(got["format"])
        self._width_px, self._height_px = got["size"]
        self._sensor: dict[str, Any] = dict(configured.get("sensor") or {})
        self._model = str(device.camera_properties.get("Model", "") or "") or None
        if self._format not in _TO_BGR:
            words = "{camera} sends the format {format}, expected one of {known}: bring picamera2 up to date"
            known = ", ".join(_TO_BGR)
            raise CameraError(Says(words, {"camera": self._name, "format": self._format, "known": known}))
        self._set({"AeFlickerMode": 1, "AeFlickerPeriod": round(500_000 / settings.mains_hz)})
        self._focus()
        if settings.mode is not None and settings.mode.crop_px is not None:
            self._set({"ScalerCrop": settings.mode.crop_px})

    def _focus(self) -> None:
        """Fixes the focus at the given distance; without a lens file the sharpest of one sweep."""
        if self._settings.focus is not None:
            self._set({"AfMode": AF_MANUAL, "LensPosition": self._settings.focus})
        elif self._settings.mode is None and "AfTrigger" in self._device.camera_controls:
            self._set({"AfMode": AF_AUTO, "AfTrigger": AF_START})
            self._is_focusing = True

    def _set(self, controls: dict[str, Any]) -> None:
        """Sets the controls that this camera has: picamera2 refuses unknown ones."""
        known = self._device.camera_controls
        self._device.set_controls({name: value for name, value in controls.items() if name in known})

    def _sensor_wanted(self, size_px: tuple[int, int]) -> dict[str, Any] | None:
        """The lens file's sensor mode; else a fast enough one of the whole sensor, the smallest of this size."""
        mode = self._settings.mode
        if mode is not None and mode.sensor_px is not None:
            return {"output_size": mode.sensor_px, "bit_depth": mode.bit_depth or 10}
        modes = [m for m in self._device.sensor_modes if "size" in m and "crop_limits" in m]
        if not modes:
            return None
        widest = max(_area(m["crop_limits"][2:]) for m in modes)
        whole = [m for m in modes if _area(m["crop_limits"][2:]) >= widest]
        fast = [m for m in whole if m.get("fps", math.inf) >= self._settings.frames_per_s] or whole
        large = [m for m in fast if m["size"][0] >= size_px[0] and m["size"][1] >= size_px[1]]
        chosen = min(large, key=lambda m: _area(m["size"])) if large else max(fast, key=lambda m: _area(m["size"]))
        return {"output_size": tuple(chosen["size"]), "bit_depth": chosen["bit_depth"]}

    def _taken_s(self, metadata: dict[str, Any]) -> float:
        now_s, stamp_ns = self._clock(), metadata.get("SensorTimestamp")
        if not isinstance(stamp_ns, int):
            return now_s
        age_s = self._sensor_clock() - stamp_ns * 1e-9
        return now_s - age_s if 0 <= age_s <= OLDEST_S else now_s

    def _mode(self, metadata: dict[str, Any]) -> CameraMode:
        size, crop = self._sensor.get("output_size"), metadata.get("ScalerCrop")
        position = metadata.get("LensPosition")
        return CameraMode(
            adapter="picamera2",
            model=self._model,
            sensor_px=None if size is None else (int(size[0]), int(size[1])),
            bit_depth=self._sensor.get("bit_depth"),
            crop_px=None if crop is None else (int(crop[0]), int(crop[1]), int(crop[2]), int(crop[3])),
            focus_dioptres=None if position is None else float(position),
        )

    def _settle(self, metadata: dict[str, Any]) -> None:
        if self._is_focusing and metadata.get("AfState") in AF_ENDED:
            self._set({"AfMode": AF_MANUAL, "LensPosition": metadata["LensPosition"]})
            self._is_focusing = False
        if self._settling is None:
            return
        gain = float(metadata.get("AnalogueGain", 1.0)) * float(metadata.get("ExposureTime", 1.0))
        searches = metadata.get("AeState") == AE_SEARCHING or metadata.get("AeLocked") is False
        if self._settling.is_over((gain, *map(float, metadata.get("ColourGains", ()))), searches=searches):
            chosen = {name: metadata[name] for name in LOCKED if name in metadata}
            self._set({"AeEnable": False, "AwbEnable": False} | chosen)
            self._settling = None

    def _picture(self, array: Any) -> Picture:
        bgr = _TO_BGR[self._format](np.asarray(array), self._width_px, self._height_px)
        return a_picture(np.ascontiguousarray(bgr), self._name)


def _area(size_px: Sequence[int]) -> int:
    return int(size_px[0]) * int(size_px[1])


def _opened(number: int, name: Says) -> Any:
    try:
        from picamera2 import Picamera2
    except ImportError as error:
        words = "picamera2 is missing ({error}): type `{install}` and let this environment see the system's packages"
        raise CameraError(Says(words, {"error": first_line(error), "install": INSTALL})) from error
    except ValueError as error:  # "numpy.dtype size changed": the system's picamera2 was built for another numpy
        words = "picamera2 does not fit this numpy ({error}): `pip install simplejpeg` into the virtual environment"
        raise CameraError(Says(words, {"error": first_line(error)})) from error
    # checked first, because each failed `Picamera2()` keeps a descriptor; USB cameras are read by `hardware.video`
    sockets = [camera for camera in Picamera2.global_camera_info() if "/usb" not in str(camera.get("Id", ""))]
    if number >= len(sockets):
        words = "{camera} was not found: switch the box off, then check the cable in the Pi's socket"
        raise CameraError(Says(words, {"camera": name}))
    device: Any = Picamera2.__new__(Picamera2)
    try:
        device.__init__(number)
    except (IndexError, RuntimeError, OSError) as error:
        _close_the_pipe(device)
        words = "{camera} cannot be opened ({error}): another program may be using it, close that one"
        raise CameraError(Says(words, {"camera": name, "error": first_line(error)})) from error
    return device


def _close_the_pipe(device: Any) -> None:
    """Closes the pipe that `Picamera2()` opens before it fails: it would keep a descriptor for every attempt."""
    reader, writer = getattr(device, "notifymeread", None), getattr(device, "notifyme_w", None)
    with contextlib.suppress(OSError):
        if reader is not None:
            reader.close()
        if writer is not None:
            os.close(writer)


def _failed(name: Says, error: BaseException) -> Says:
    words = "{camera} failed ({error}): switch the box off, then check its cable"
    return Says(words, {"camera": name, "error": first_line(error)})


def _is_out_of_memory(error: BaseException) -> bool:
    """Whether the contiguous memory for pictures is used up. Ending other programs frees none: they use none of it."""
    return getattr(error, "errno", None) == errno.ENOMEM or "allocate" in str(error).lower()


def _bgr(array: Any, width_px: int, height_px: int) -> Any:
    return array[:height_px, :width_px, :3]


def _rgb(array: Any, width_px: int, height_px: int) -> Any:
    return array[:height_px, :width_px, 2::-1]


def _i420(array: Any, width_px: int, height_px: int) -> Any:
    return cv2.cvtColor(array[: height_px * 3 // 2], cv2.COLOR_YUV2BGR_I420)[:, :width_px]  # rows may end in padding


def _nv12(array: Any, width_px: int, height_px: int) -> Any:
    return cv2.cvtColor(np.ascontiguousarray(array[: height_px * 3 // 2]), cv2.COLOR_YUV2BGR_NV12)[:, :width_px]


_TO_BGR = {"RGB888": _bgr, "BGR888": _rgb, "XRGB8888": _bgr, "XBGR8888": _rgb, "YUV420": _i420, "NV12": _nv12}
