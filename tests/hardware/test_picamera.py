"""The Pi's camera through a stand-in for picamera2."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from calibration.lens import CameraMode
from companion.game.errors import CameraError
from hardware.camera import MOST_SETTLING_FRAMES, STEADY_FRAMES, CameraSettings
from hardware.picamera import PiCamera
from tests.hardware.fake_picamera2 import FakePicamera2, Hangs

SIZE = (16, 8)


@pytest.fixture
def device(monkeypatch):
    """The class that `import picamera2` finds; its last instance is `device.last`."""

    class Device(FakePicamera2):
        last = None
        made: ClassVar[list] = []

        def __init__(self, *arguments, **named):
            super().__init__(*arguments, **named)
            Device.last = self
            self.made.append(self)

    module = types.ModuleType("picamera2")
    module.Picamera2 = Device
    monkeypatch.setitem(sys.modules, "picamera2", module)
    yield Device
    for made in Device.made:
        made.close()


def opened(size_px=SIZE, **how):
    settings = CameraSettings(**how)
    return PiCamera(size_px=size_px, settings=settings, clock=lambda: 5.0, sensor_clock=lambda: 1e6)


@pytest.mark.parametrize("padding_px", [0, 8])
@pytest.mark.parametrize("format", ["RGB888", "BGR888", "XRGB8888", "XBGR8888", "YUV420", "NV12"])
def test_every_format_that_comes_back_becomes_the_same_picture(device, format, padding_px):
    device.format, device.padding_px = format, padding_px
    frame = opened().frame(1.0)
    assert frame.picture.shape == (8, 16, 3)
    assert frame.picture.flags["C_CONTIGUOUS"]
    assert np.abs(frame.picture.astype(int) - (10, 20, 30)).max() <= 3
    assert (frame.at_s, frame.sequence) == (5.0, 0)
    assert device.last.out == 0


def test_a_format_that_is_not_understood_is_refused_and_the_camera_let_go(device):
    device.format = "MJPEG"
    with pytest.raises(CameraError, match="sends the format MJPEG, expected one of RGB888"):
        opened()
    assert device.last.done == ["close"]


def test_a_camera_that_lacks_controls_is_not_asked_for_them(device):
    """One without colours has no white balance, and the virtual camera none at all: after 45 frames the table was blind
    for "Control AeEnable is not advertised by libcamera"."""
    device.controls_known = ("FrameRate",)
    camera = opened(focus_dioptres=1.0)
    for _ in range(MOST_SETTLING_FRAMES + 1):
        camera.frame(1.0)
    camera.adapt()
    assert device.last.set == {}


def frames_until_locked(device, camera, most=MOST_SETTLING_FRAMES + 1):
    device.last.set.pop("AeEnable", None)
    for frames in range(1, most + 1):
        camera.frame(1.0)
        if device.last.set.get("AeEnable") is False:
            return frames
    return None


def test_exposure_and_white_balance_are_locked_once_the_control_loop_has_found_them(device):
    camera = opened()
    assert frames_until_locked(device, camera) == STEADY_FRAMES + 1
    expected = {"AeEnable": False, "AwbEnable": False, "ExposureTime": 9000, "AnalogueGain": 1.5}
    assert device.last.set == expected | {"ColourGains": (1.8, 1.6)}
    camera.adapt()
    assert device.last.set["AeEnable"] is True
    assert frames_until_locked(device, camera) == STEADY_FRAMES + 1
    assert device.last.out == 0


def test_a_camera_whose_event_loop_died_is_let_go_and_opened_again(device):
    """`close` called `stop`, which waits for that loop: the worker hung, and after three the table stayed blind."""
    camera = opened()
    camera.frame(1.0)
    device.last.is_loop_dead = True
    with pytest.raises(CameraError, match="sends no picture"):
        camera.frame(2.0)
    with pytest.raises(Hangs):
        device.last.stop()
    camera.close()
    assert device.last.done == ["start", "stop", "close"]
    assert opened().frame(1.0).sequence == 0


def test_two_hours_without_a_camera_keep_no_descriptor(device):
    """Every failed `Picamera2()` kept one: after 85 minutes nothing opened any more."""
    open_files = len(list(Path("/proc/self/fd").iterdir()))
    device.cameras = ()
    for _ in range(30):
        with pytest.raises(CameraError, match="Pi camera 0 was not found"):
            opened()
    device.cameras = FakePicamera2.cameras
    device.fails_to_open = RuntimeError("Camera __init__ sequence did not complete.")
    for _ in range(30):
        with pytest.raises(CameraError, match="another program may be using it"):
            opened()
    assert len(list(Path("/proc/self/fd").iterdir())) == open_files


def test_without_a_lens_file_the_whole_sensor_is_shown(device):
    """Asked for 1536 pixels picamera2 takes the quick mode, which shows two thirds of the table."""
    camera = opened(size_px=(1536, 864))
    assert device.last.config["sensor"] == {"output_size": (2304, 1296), "bit_depth": 10}
    whole = CameraMode(
        adapter="picamera2", model="imx708", sensor_px=(2304, 1296), bit_depth=10, crop_px=(0, 0, 4608, 2592)
    )
    assert camera.frame(1.0).mode == whole


def test_a_mode_that_is_too_slow_is_left_out(device):
    """The HQ camera took its largest mode, at ten pictures a second."""
    device.modes = (
        {"size": (1332, 990), "bit_depth": 10, "crop_limits": (696, 528, 2664, 1980), "fps": 120.05},
        {"size": (2028, 1520), "bit_depth": 12, "crop_limits": (0, 0, 4056, 3040), "fps": 40.01},
        {"size": (4056, 3040), "bit_depth": 12, "crop_limits": (0, 0, 4056, 3040), "fps": 10.0},
    )
    opened(size_px=(2304, 1296), frames_per_s=15.0)
    assert device.last.config["sensor"] == {"output_size": (2028, 1520), "bit_depth": 12}


def test_the_mode_of_the_lens_file_is_asked_for_and_what_comes_back_is_told(device):
    device.controls_known = (*FakePicamera2.controls_known, "AfMode", "LensPosition")
    kept = CameraMode(
        adapter="picamera2", model="imx708", sensor_px=(4608, 2592), bit_depth=10, crop_px=(0, 0, 4608, 2592),
        focus_dioptres=0.9,
    )  # fmt: skip
    assert opened(mode=kept).frame(1.0).mode == kept
    assert device.last.set["LensPosition"] == 0.9
    device.gives_mode = {"output_size": (1536, 864), "bit_depth": 10}
    assert "1536 x 864 pixels" in str(kept.unlike(opened(mode=kept).frame(1.0).mode))


def test_frames_are_stamped_with_the_time_of_their_exposure(device):
    camera = opened()
    device.last.boot_ns = int((1e6 - 0.21) * 1e9)
    assert camera.frame(1.0).at_s == pytest.approx(5.0 - 0.21)
    device.last.boot_ns = 12  # another clock
    assert camera.frame(1.0).at_s == 5.0


def test_a_lens_with_a_motor_sweeps_once_before_it_has_a_lens_file(device):
    """It stood at 1 m, whatever the arm's height."""
    device.controls_known = (*FakePicamera2.controls_known, "AfMode", "AfTrigger", "LensPosition")
    camera = opened()
    assert device.last.set == {"AfMode": 1, "AfTrigger": 0}
    device.last.metadata = {"AfState": 1, "LensPosition": 3.0}
    camera.frame(1.0)
    assert device.last.set["AfMode"] == 1
    device.last.metadata = {"AfState": 2, "LensPosition": 0.83}
    assert camera.frame(1.0).mode.focus_dioptres == 0.83
    assert (device.last.set["AfMode"], device.last.set["LensPosition"]) == (0, 0.83)
    camera.adapt()  # the arm was raised
    assert device.last.set["AfMode"] == 1


def test_exposures_are_whole_periods_of_the_mains(device):
    device.controls_known = (*FakePicamera2.controls_known, "AeFlickerMode", "AeFlickerPeriod")
    opened(mains_hz=60.0)
    assert device.last.set == {"AeFlickerMode": 1, "AeFlickerPeriod": 8333}


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(12, "Cannot allocate memory"), "the memory for pictures is full. Switch the box off and on"),
        (RuntimeError("failed to allocate capture buffers for stream main"), "the memory for pictures is full"),
        (RuntimeError("Camera in Configured state"), "end other programs that use it"),
    ],
)
def test_a_camera_for_which_no_memory_is_left_is_no_other_programs_fault(device, error, said):
    """Contiguous memory was full, and people were told to close other programs."""
    device.fails_to_start = error
    with pytest.raises(CameraError, match=said):
        opened()
    assert device.last.done == ["close"]


def test_without_picamera2_the_package_to_install_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(CameraError) as refused:
        opened()
    assert refused.value.sentence.values["install"] == "sudo apt install python3-picamera2"  # no sentence of its own
    assert str(refused.value).count("`") == 2


def test_a_picamera2_built_for_another_numpy_is_explained(monkeypatch):
    class Loader:
        def find_spec(self, name, path=None, target=None):
            if name == "picamera2":
                raise ValueError("numpy.dtype size changed, may indicate binary incompatibility")

    monkeypatch.delitem(sys.modules, "picamera2", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Loader(), *sys.meta_path])
    with pytest.raises(CameraError, match="pip install simplejpeg"):
        opened()
