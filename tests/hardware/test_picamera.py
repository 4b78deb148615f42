"""The Pi's camera through a stand-in for picamera2, and the stand-in against the real package."""

from __future__ import annotations

import importlib.util
import inspect
import json
import sys
import types
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
import pytest

from companion.errors import CameraError
from hardware.picamera import SETTLE_FRAMES, PiCamera
from tests.hardware.fake_picamera2 import FakeJob, FakePicamera2, FakeRequest, Unmade

SIGNATURES = json.loads((Path(__file__).parent / "picamera2_signatures.json").read_text())
FAKES = {"Picamera2": FakePicamera2, "CompletedRequest": FakeRequest, "Job": FakeJob}
SIZE = (16, 8)


@pytest.fixture
def device(monkeypatch):
    """The class that `import picamera2` finds; its last instance is `device.last`."""

    class Device(FakePicamera2):
        last = None

        def __init__(self, *arguments, **named):
            super().__init__(*arguments, **named)
            Device.last = self

    module = types.ModuleType("picamera2")
    module.Picamera2 = Device
    monkeypatch.setitem(sys.modules, "picamera2", module)
    return Device


def opened(**how):
    return PiCamera(size_px=SIZE, clock=lambda: 5.0, **how)


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
    assert device.last.done == ["stop", "close"]


def test_exposure_and_white_balance_are_locked_after_they_settled(device):
    camera = opened()
    for _ in range(SETTLE_FRAMES):
        camera.frame(1.0)
    assert "AeEnable" not in device.last.set
    camera.frame(1.0)
    expected = {"AeEnable": False, "AwbEnable": False, "ExposureTime": 9000, "AnalogueGain": 1.5}
    assert device.last.set == expected | {"ColourGains": (1.8, 1.6)}
    camera.adapt()
    assert device.last.set["AeEnable"] is True
    for i in range(SETTLE_FRAMES):
        assert camera.frame(1.0).sequence == SETTLE_FRAMES + 1 + i
    assert device.last.set["AwbEnable"] is True
    camera.frame(1.0)
    assert device.last.set == expected | {"ColourGains": (1.8, 1.6)}
    assert device.last.out == 0


def test_a_lens_with_a_motor_is_fixed(device):
    device.controls_known = (*FakePicamera2.controls_known, "AfMode", "LensPosition")
    opened(focus_dioptres=0.9)
    assert device.last.set == {"AfMode": 0, "LensPosition": 0.9}


def test_exposures_are_whole_periods_of_the_mains(device):
    device.controls_known = (*FakePicamera2.controls_known, "AeFlickerMode", "AeFlickerPeriod")
    opened(mains_hz=60.0)
    assert device.last.set == {"AeFlickerMode": 1, "AeFlickerPeriod": 8333}


def test_a_request_that_comes_late_is_waited_for_again_and_not_lost(device):
    camera = opened()
    device.last.script = [TimeoutError()]
    with pytest.raises(CameraError, match="Pi camera 0 sent no picture within 2 s: check its cable"):
        camera.frame(2.0)
    camera.frame(2.0)
    assert device.last.jobs == 1
    assert device.last.out == 0


def test_a_request_is_given_back_when_its_picture_fails(device):
    camera = opened()
    device.last.script = [RuntimeError("Stream 'main' is not defined")]
    with pytest.raises(CameraError, match=r"Pi camera 0 failed \(Stream 'main'"):
        camera.frame(1.0)
    device.last.script = [Unmade("the buffer is gone")]
    with pytest.raises(CameraError, match=r"Pi camera 0 failed \(the buffer is gone"):
        camera.frame(1.0)
    device.last.script = [np.zeros((2, 2, 3), np.float32)]
    with pytest.raises(CameraError, match="float32"):
        camera.frame(1.0)
    assert device.last.out == 0
    camera.frame(1.0)


def test_closing_twice_does_no_harm(device):
    camera = opened()
    camera.close()
    camera.close()
    assert device.last.done == ["start", "stop", "close"]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RuntimeError('No camera number 0 found - use "rpicam-hello --list-cameras" ...'), "there is no Pi camera 0"),
        (IndexError("list index out of range"), "there is no Pi camera 0"),
        (RuntimeError("Camera __init__ sequence did not complete."), "another program may hold it"),
    ],
)
def test_no_camera_is_one_sentence(monkeypatch, device, error, said):
    def refuse(*_):
        raise error

    monkeypatch.setattr(sys.modules["picamera2"], "Picamera2", refuse)
    with pytest.raises(CameraError, match=said) as refused:
        opened()
    assert "\n" not in str(refused.value)


def test_a_camera_that_does_not_start_is_let_go(device):
    device.fails_to_start = RuntimeError("Camera in Configured state")
    with pytest.raises(CameraError, match="Pi camera 0 cannot be started"):
        opened()
    assert device.last.done == ["stop", "close"]


def test_without_picamera2_the_package_to_install_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(CameraError, match="sudo apt install python3-picamera2"):
        opened()


def test_a_picamera2_built_for_another_numpy_is_explained(monkeypatch):
    class Loader:
        def find_spec(self, name, path=None, target=None):
            if name == "picamera2":
                raise ValueError("numpy.dtype size changed, may indicate binary incompatibility")

    monkeypatch.delitem(sys.modules, "picamera2", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Loader(), *sys.meta_path])
    with pytest.raises(CameraError, match="pip install simplejpeg"):
        opened()


def parameters(function):
    return list(inspect.signature(function).parameters)


@pytest.mark.parametrize(("owner", "name"), [(o, n) for o in FAKES for n in SIGNATURES[o]])
def test_the_stand_in_has_the_signatures_of_the_real_package(owner, name):
    """Recorded from the release named in the file; the next test compares with the package itself where it is."""
    assert parameters(getattr(FAKES[owner], name)) == SIGNATURES[owner][name]


def test_the_recorded_signatures_are_those_of_the_package_installed_here(monkeypatch):
    if importlib.util.find_spec("picamera2") is None:
        pytest.skip("picamera2 is not installed")
    if importlib.util.find_spec("libcamera") is None:
        for missing in ("libcamera", "pykms"):
            monkeypatch.setitem(sys.modules, missing, MagicMock())
    import picamera2
    from picamera2.job import Job
    from picamera2.request import CompletedRequest

    real = {"Picamera2": picamera2.Picamera2, "CompletedRequest": CompletedRequest, "Job": Job}
    for owner, methods in real.items():
        for name, known in SIGNATURES[owner].items():
            # a later release may add parameters at the end; those used must keep their places
            assert parameters(getattr(methods, name))[: len(known)] == known, f"{owner}.{name}"
