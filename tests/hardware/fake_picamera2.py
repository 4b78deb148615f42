"""A stand-in for picamera2: the methods that `hardware.picamera` uses, with the signatures of the real ones."""

from __future__ import annotations

import numpy as np


class Unmade:
    """Stands for an array that a request cannot make."""

    def __init__(self, words):
        self.words = words


class FakeRequest:
    """A completed request; the camera counts those that were not released."""

    def __init__(self, camera, array, metadata):
        self.camera, self.array, self.metadata = camera, array, metadata

    def make_array(self, name):
        assert name == "main"
        if isinstance(self.array, Unmade):
            raise RuntimeError(self.array.words)
        return self.array

    def get_metadata(self):
        return self.metadata

    def release(self):
        self.camera.out -= 1


class FakeJob:
    """What `capture_request(wait=False)` gives."""

    def __init__(self, camera):
        self.camera = camera

    def get_result(self, timeout=None):
        happens = self.camera.script.pop(0) if self.camera.script else None
        if isinstance(happens, Exception):
            raise happens
        self.camera.out += 1
        array = self.camera.array if happens is None else happens
        return FakeRequest(self.camera, array, self.camera.metadata)


class FakePicamera2:
    """Sends `array` for ever; what stands in `script` comes first: arrays, `Unmade` ones, or exceptions."""

    format = "RGB888"
    controls_known = ("AeEnable", "AwbEnable", "ExposureTime", "AnalogueGain", "ColourGains", "FrameRate")
    fails_to_start: Exception | None = None
    padding_px = 0

    def __init__(self, camera_num=0, verbose_console=None, tuning=None, allocator=None):
        self.number = camera_num
        self.script, self.out, self.jobs, self.done, self.set = [], 0, 0, [], {}
        self.metadata = {"ExposureTime": 9000, "AnalogueGain": 1.5, "ColourGains": (1.8, 1.6), "Lux": 300}

    @staticmethod
    def global_camera_info():
        return [{"Num": 0}]

    @property
    def camera_controls(self):
        return dict.fromkeys(self.controls_known, (0, 1, 0))

    def create_video_configuration(
        self,
        main={},  # noqa: B006 (the real one's signature)
        lores=None,
        raw={},  # noqa: B006
        transform=None,
        colour_space=None,
        buffer_count=6,
        controls={},  # noqa: B006
        display="main",
        encode="main",
        queue=True,
        sensor={},  # noqa: B006
        use_case="video",
    ):
        return {"main": dict(main), "buffer_count": buffer_count, "controls": dict(controls)}

    def configure(self, camera_config=None):
        self.config = camera_config

    def camera_configuration(self):
        return {"main": self.config["main"] | {"format": self.format}}

    def start(self, config=None, show_preview=False):
        if self.fails_to_start is not None:
            raise self.fails_to_start
        self.done.append("start")

    def stop(self):
        self.done.append("stop")

    def close(self):
        self.done.append("close")

    def set_controls(self, controls):
        self.set |= controls

    def capture_request(self, wait=None, signal_function=None, flush=None):
        assert wait is False
        self.jobs += 1
        return FakeJob(self)

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
