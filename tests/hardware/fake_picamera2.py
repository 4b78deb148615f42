"""A stand-in for picamera2: the methods that `hardware.picamera` uses."""

from __future__ import annotations

import os
from concurrent.futures import CancelledError

import numpy as np


class FakeRequest:
    """A completed request; the camera counts those that were not released."""

    def __init__(self, camera, array, metadata):
        self.camera, self.array, self.metadata = camera, array, metadata

    def make_array(self, name):
        assert name == "main"
        return self.array

    def get_metadata(self):
        return self.metadata

    def release(self):
        self.camera.out -= 1


class Hangs(AssertionError):
    """Here the real one would wait for ever."""


class FakeJob:
    """What `capture_request(wait=False)` gives: it stands in the camera's queue until the camera's loop does it."""

    def __init__(self, camera):
        self.camera = camera
        self.result = None

    def get_result(self, timeout=None):
        self.camera.turn()
        if self.result is None:
            if timeout is None:
                raise Hangs("a job is waited for without an end, and the camera is silent")
            raise TimeoutError
        return self.result

    def cancel(self):
        self.result = CancelledError()


class FakePicamera2:
    """Sends `array` for ever.

    As unkind as the real one: jobs stand in a queue, and `stop` waits behind them for the event loop. A failing
    `Picamera2()` keeps the descriptors of its pipe; modes are cropped; what was asked for may come back adjusted.
    """

    format = "RGB888"
    model = "imx708"
    controls_known = ("AeEnable", "AwbEnable", "ExposureTime", "AnalogueGain", "ColourGains", "FrameRate", "ScalerCrop")
    cameras = ({"Num": 0, "Id": "/base/soc/i2c0mux/i2c@1/imx708@1a", "Model": "imx708"},)
    fails_to_open: Exception | None = None
    fails_to_start: Exception | None = None
    padding_px = 0
    modes = (  # Camera Module 3: the quick mode shows the middle only
        {"size": (1536, 864), "bit_depth": 10, "crop_limits": (768, 432, 3072, 1728), "fps": 120.13},
        {"size": (2304, 1296), "bit_depth": 10, "crop_limits": (0, 0, 4608, 2592), "fps": 56.03},
        {"size": (4608, 2592), "bit_depth": 10, "crop_limits": (0, 0, 4608, 2592), "fps": 14.35},
    )
    gives_mode: dict | None = None
    """A sensor mode that comes back whatever was asked for."""
    is_loop_dead = False
    """The thread of the event loop ended by an exception: nothing is done any more."""
    is_started = has_preview = False
    boot_ns = 0

    def __init__(self, camera_num=0):
        self.notifyme_r, self.notifyme_w = os.pipe2(os.O_NONBLOCK)
        self.notifymeread = os.fdopen(self.notifyme_r, "rb")
        self.is_open = False
        if camera_num >= len(self.cameras):
            raise RuntimeError(f'No camera number {camera_num} found - use "rpicam-hello --list-cameras" ...')
        if self.fails_to_open is not None:
            raise self.fails_to_open
        self.is_open = True
        self.out, self.done, self.set, self.queue = 0, [], {}, []
        self.metadata = {"ExposureTime": 9000, "AnalogueGain": 1.5, "ColourGains": (1.8, 1.6), "AeState": 2}

    @classmethod
    def global_camera_info(cls):
        return list(cls.cameras)

    @property
    def camera_controls(self):
        return dict.fromkeys(self.controls_known, (0, 1, 0))

    @property
    def camera_properties(self):
        return {"Model": self.model}

    @property
    def sensor_modes(self):
        return [dict(mode) for mode in self.modes]

    def create_video_configuration(self, *, main, buffer_count, controls, sensor=None):
        chosen = sensor or {"output_size": (1536, 864), "bit_depth": 10}
        return {"main": dict(main), "buffer_count": buffer_count, "controls": dict(controls), "sensor": dict(chosen)}

    def configure(self, camera_config):
        if "start" in self.done:
            raise RuntimeError("Camera must be stopped before configuring")
        self.config = camera_config | ({} if self.gives_mode is None else {"sensor": self.gives_mode})

    def camera_configuration(self):
        return self.config | {"main": self.config["main"] | {"format": self.format}}

    def start(self):
        if self.fails_to_start is not None:
            raise self.fails_to_start
        self.done.append("start")
        self.is_started = self.has_preview = True

    def stop(self):
        if not self.is_started:
            return
        if self.has_preview and self.is_loop_dead:
            raise Hangs("stop waits for the event loop, which died")
        self.is_started = False
        self.done.append("stop")

    def close(self):
        self.has_preview = False  # the event loop has ended, also one that had died
        self.stop()
        self.done.append("close")
        if self.is_open:
            self.is_open = False
            self.notifymeread.close()
            os.close(self.notifyme_w)

    def set_controls(self, controls):
        unknown = [name for name in controls if name not in self.controls_known]
        if unknown:
            raise RuntimeError(f"Control {unknown[0]} is not advertised by libcamera")
        self.set |= controls

    def capture_request(self, wait):
        assert wait is False
        self.queue.append(FakeJob(self))
        return self.queue[-1]

    def turn(self):
        """The camera's own loop: a frame has come, and the first job of the queue is done."""
        if self.is_loop_dead or not self.queue:
            return
        self.out += 1
        sensor = self.config["sensor"]["output_size"]
        crop = next(mode["crop_limits"] for mode in self.modes if mode["size"] == tuple(sensor))
        metadata = {"ScalerCrop": self.set.get("ScalerCrop", crop), "SensorTimestamp": self.boot_ns} | self.metadata
        if "LensPosition" in self.controls_known:
            metadata = {"LensPosition": self.set.get("LensPosition", 1.0)} | metadata
        self.queue.pop(0).result = FakeRequest(self, self.array, metadata)

    @property
    def array(self):
        """A picture of blue 10, green 20, red 30 in the format and with the row padding of this camera."""
        width, height = self.config["main"]["size"]
        return drawn(self.format, width, height, self.padding_px)


def drawn(name, width, height, padding):
    """The colour (10, 20, 30) BGR as an array of a libcamera format."""
    wide = np.zeros((height, width + padding, 4), np.uint8)
    wide[:, :width] = {"RGB888": (10, 20, 30, 0), "XRGB8888": (10, 20, 30, 255)}.get(name, (30, 20, 10, 255))
    if name in ("RGB888", "BGR888"):
        return wide[..., :3]
    if name in ("XRGB8888", "XBGR8888"):
        return wide
    # BT.601, limited range, of that colour
    luma, u, v = 35, 122, 133
    planes = np.zeros((height * 3 // 2, width + padding), np.uint8)
    planes[:height] = luma
    if name == "NV12":
        planes[height:, 0::2], planes[height:, 1::2] = u, v
        return planes[:, :width]
    quarter = height // 4
    planes[height : height + quarter], planes[height + quarter :] = u, v
    return planes
