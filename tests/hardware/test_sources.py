"""Folders and films as cameras, and one clear sentence where there is none."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.game.errors import CameraError
from hardware.camera import STEADY_FRAMES, CameraSettings
from hardware.picture_file import FolderCamera
from hardware.video import VideoCamera
from tests.calibration.pictures import with_orientation
from tests.clock import Clock

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path):
    for i, value in enumerate((10, 20, 30)):
        cv2.imwrite(str(tmp_path / f"{i}.png"), np.full((8, 12, 3), value, np.uint8))
    (tmp_path / "1b.jpg").write_text("no picture")
    (tmp_path / "notes.txt").write_text("not looked at")
    return tmp_path


def test_a_folder_gives_its_pictures_in_order_and_in_time(folder):
    clock = Clock(0.0)
    camera = FolderCamera(folder, period_s=0.5, clock=clock, wait=clock.wait)
    frames = [camera.frame(1.0) for _ in range(4)]
    assert [int(f.picture[0, 0, 0]) for f in frames] == [10, 20, 30, 10]
    assert [f.at_s for f in frames] == [0.0, 0.5, 1.0, 1.5]
    assert [f.sequence for f in frames] == [0, 1, 2, 3]
    with pytest.raises(CameraError, match="sends no picture"):
        camera.frame(0.1)
    camera.close()
    with pytest.raises(CameraError, match="was closed"):
        camera.frame(1.0)


def test_a_folder_is_a_calibrated_camera_whose_pictures_no_header_turns(tmp_path):
    ramp = np.repeat(np.linspace(40, 200, 32, dtype=np.uint8)[:, None, None], 48, axis=1).repeat(3, axis=2)
    jpeg = cv2.imencode(".jpg", ramp)[1].tobytes()
    for name, way in (("a", 1), ("b", 6)):
        (tmp_path / f"{name}.jpg").write_bytes(with_orientation(jpeg, way))
    camera = FolderCamera(tmp_path, period_s=0.0)
    assert np.array_equal(camera.frame(1.0).picture, camera.frame(1.0).picture)


@pytest.mark.parametrize(
    ("name", "said"), [("none", "is not a folder"), ("empty", "holds no pictures"), ("bad", "can be decoded")]
)
def test_a_folder_without_pictures_is_refused(tmp_path, name, said):
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "a.png").write_text("no")
    with pytest.raises(CameraError, match=said):
        FolderCamera(tmp_path / name).frame(1.0)


REFUSED = """
import sys
from pathlib import Path
from hardware.picture_file import FolderCamera
camera = FolderCamera(Path(sys.argv[1]), period_s=0.0)
print([int(camera.frame(1.0).picture[0, 0, 0]) for _ in range(3)])
"""


def a_bomb(side_px):
    """A PNG file of a few bytes that says it has so many pixels each way."""

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", side_px, side_px, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def test_pictures_of_a_folder_are_taken_or_refused_as_those_that_are_read(tmp_path):
    """A name that is not UTF-8 killed the process within OpenCV (status 139), a header of 60000 x 60000 pixels ended in
    a traceback, and a damaged JPEG was taken, with a line of libjpeg's own. In a process of its own, as it may die."""
    good = cv2.imencode(".png", np.full((8, 12, 3), 30, np.uint8))[1].tobytes()
    noise = cv2.GaussianBlur(np.random.default_rng(0).integers(0, 255, (600, 800, 3), np.uint8), (0, 0), 3)
    jpeg = cv2.imencode(".jpg", noise)[1].tobytes()
    holed = bytearray(jpeg)
    holed[len(jpeg) // 2 : len(jpeg) // 2 + 200] = bytes(200)
    with open(os.fsencode(tmp_path) + b"/a\xe9.png", "wb") as odd:
        odd.write(good)
    (tmp_path / "b.png").write_bytes(a_bomb(60_000))
    (tmp_path / "c.jpg").write_bytes(holed)
    (tmp_path / "d.jpg").write_bytes(jpeg[: len(jpeg) // 2])
    (tmp_path / "e.png").write_bytes(good)
    ended = subprocess.run(
        [sys.executable, "-c", REFUSED, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stdout) == (0, "[30, 30, 30]\n")
    assert ended.stderr.splitlines() == [
        f"{tmp_path}/b.png is a picture too large to be decoded: give a smaller one",
        f"{tmp_path}/c.jpg is a damaged JPEG, part of its picture is lost: copy or take it again",
        f"{tmp_path}/d.jpg begins as a picture does and cannot be decoded, it is damaged or cut off: "
        "copy or take it again",
    ]


def test_a_film_plays_and_ends(tmp_path):
    path = tmp_path / "film.avi"
    film = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (64, 48))
    for value in (40, 200):
        film.write(np.full((48, 64, 3), value, np.uint8))
    film.release()
    camera = VideoCamera(str(path))
    values = [int(camera.frame(1.0).picture.mean()) for _ in range(2)]
    assert values == pytest.approx([40, 200], abs=3)
    with pytest.raises(CameraError, match=r"the film .*film\.avi is over"):
        camera.frame(1.0)
    camera.close()
    camera.close()
    with pytest.raises(CameraError, match="was closed"):
        camera.frame(1.0)


def test_a_missing_film_is_named(tmp_path):
    with pytest.raises(CameraError, match=r"none\.avi does not open"):
        VideoCamera(str(tmp_path / "none.avi"))


class FakeCapture:
    """A USB camera as `cv2.VideoCapture` shows it."""

    opens, is_released, refuses = True, False, ()

    def __init__(self):
        self.settings = {}

    def isOpened(self):
        return self.opens

    def set(self, what, value):
        if (what, value) in self.refuses:
            return False
        self.settings[what] = value
        return True

    def get(self, what):
        return self.settings[what] if what == cv2.CAP_PROP_ZOOM and what in self.settings else 156.0

    def read(self):
        return True, np.zeros((4, 4, 3), np.uint8)

    def release(self):
        self.is_released = True


@pytest.fixture
def capture(monkeypatch):
    capture = FakeCapture()
    monkeypatch.setattr(cv2, "VideoCapture", lambda *_: capture)
    return capture


def test_a_zoom_is_told_and_set_again(capture):
    """It crops the sensor at the same size, and no other figure tells of it."""
    capture.set(cv2.CAP_PROP_ZOOM, 140.0)
    zoomed = VideoCamera(0).frame(1.0).mode
    capture.set(cv2.CAP_PROP_ZOOM, 100.0)
    whole = VideoCamera(0).frame(1.0).mode
    assert "its zoom is at 140, but at 100 in the lens file" in str(whole.unlike(zoomed))
    capture.set(cv2.CAP_PROP_ZOOM, 140.0)
    assert VideoCamera(0, settings=CameraSettings(mode=whole)).frame(1.0).mode == whole


@pytest.mark.parametrize(("refused", "auto"), [(None, 3.0), (3.0, 0.0)])
def test_a_usb_camera_adapts_to_another_light_and_is_locked_again(capture, refused, auto):
    """What was locked at the 45th frame stayed so for good, even for the next program that opened the camera."""
    capture.refuses = ((cv2.CAP_PROP_AUTO_EXPOSURE, refused),)
    capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, 1.0)  # as another program left it
    camera = VideoCamera(0, size_px=(1280, 720))
    assert capture.settings[cv2.CAP_PROP_FRAME_WIDTH] == 1280
    for _ in range(2):
        assert capture.settings[cv2.CAP_PROP_AUTO_EXPOSURE] == auto
        assert capture.settings[cv2.CAP_PROP_AUTO_WB] == 1
        for _ in range(STEADY_FRAMES + 1):
            camera.frame(1.0)
        assert capture.settings[cv2.CAP_PROP_AUTO_EXPOSURE] == 1.0
        assert capture.settings[cv2.CAP_PROP_AUTO_WB] == 0
        camera.adapt()
    assert capture.settings[cv2.CAP_PROP_AUTOFOCUS] == 0
    assert camera.frame(1.0).sequence == 2 * (STEADY_FRAMES + 1)
    camera.close()
    camera.adapt()


def test_no_usb_camera_is_refused_and_let_go(capture):
    capture.opens = False
    with pytest.raises(CameraError, match="/dev/video3 does not open: check the cable"):
        VideoCamera(3)
    assert capture.is_released
