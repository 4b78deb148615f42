"""`companion serve` with a folder for a camera and mock pins: the match sees, the lamp shows, the buttons press."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from gpiozero import Device
from gpiozero.pins.mock import MockFactory, MockPWMPin

from calibration.lens import save_lens
from companion.cli import serve as door
from companion.errors import CameraError, PinsError, ReadingError, ReadingFault
from companion.inputs import CallReferee, EndThrow, Receipt
from companion.view import Sight
from hardware.bench import shows_of
from hardware.camera import Frame
from hardware.lamp import Shows
from hardware.pins import default_pins
from tests.calibration.pictures import LENS, camera, picture
from vision.readers import Reader


class HandEye:
    """An eye that sees a hand in every picture."""

    def read(self, picture):
        raise ReadingError(ReadingFault.HAND_IN_VIEW, "a hand is over the table: take it away")

    def draw(self, picture, reading):
        return picture


def open_eye(lens, kit):
    return HandEye()


@pytest.fixture
def table(tmp_path, monkeypatch):
    """The arguments of a table whose camera is a folder of one picture, and pins that are mocked."""
    (tmp_path / "frames").mkdir()
    cv2.imwrite(str(tmp_path / "frames" / "0.png"), picture(camera()))
    save_lens(LENS, tmp_path / "lens.json")
    monkeypatch.setattr(
        door, "READERS", {"eyes": Reader("eyes", "A hand.", "tests.cli.test_serve", "eyes_of_the_emperor")}
    )
    mock = MockFactory(pin_class=MockPWMPin)
    monkeypatch.setattr(Device, "pin_factory", mock)
    for pin in default_pins().buttons.values():
        mock.pin(pin).drive_high()
    arguments = ["--lens", tmp_path / "lens.json", "--camera", f"folder:{tmp_path / 'frames'}", "--data", tmp_path]
    yield [str(a) for a in [*arguments, "--port", 0, "--host", "127.0.0.1"]], mock
    mock.reset()


def served(arguments, monkeypatch, while_serving):
    """Runs the command; in place of the web server `while_serving` is called with the match."""
    monkeypatch.setattr(door, "serve", lambda app, *_, **__: while_serving(app.extensions["companion"].door))
    return CliRunner().invoke(door.command, arguments, standalone_mode=False, catch_exceptions=False)


def until(match, is_so):
    """The first view of which `is_so` holds."""
    views = match.subscribe()
    try:
        for _ in range(100):
            view = views.next(10.0)
            assert view is not None, "nothing came for ten seconds"
            if is_so(view):
                return view
        raise AssertionError("it never came")
    finally:
        views.close()


def test_a_folder_of_frames_is_seen_and_the_bench_works(table, monkeypatch):
    arguments, mock = table

    def while_serving(match):
        view = until(match, lambda view: view.sight.state is Sight.HAND)
        assert str(view.sight.says) == "a hand is over the table: take it away"
        mock.pin(default_pins().buttons["call_referee"]).drive_low()
        assert until(match, lambda view: view.calls).calls[0].by == "button"

    done = served(arguments, monkeypatch, while_serving)
    assert done.return_value == 0
    assert all(pin.state == 0 for pin in (mock.pin(p) for p in default_pins().lamp.pins.values()))


def test_a_camera_that_is_not_there_makes_the_match_blind_with_its_own_words(table, monkeypatch):
    arguments, _ = table
    arguments[arguments.index("--camera") + 1] = "folder:/nowhere"

    def while_serving(match):
        view = until(match, lambda view: view.sight.code == "no_picture")
        assert view.sight.state is Sight.BLIND
        assert str(view.sight.says) == "/nowhere is not a folder, expected one with pictures"
        assert shows_of(view) is Shows.BLIND

    served([*arguments, "--no-pins"], monkeypatch, while_serving)


def test_an_unknown_kind_of_camera_is_refused_before_anything_is_done(table, monkeypatch, tmp_path):
    arguments, _ = table
    arguments[arguments.index("--camera") + 1] = "webcam"
    with pytest.raises(CameraError, match="the camera is 'webcam', expected pi"):
        served(arguments, monkeypatch, lambda match: None)
    assert not list(tmp_path.glob("*.db"))


def test_without_gpio_one_sentence_is_said_and_phones_end_the_throws(table, monkeypatch):
    arguments, _ = table

    def no_pins(*_):
        raise PinsError("this machine has no GPIO: end throws from a phone")

    monkeypatch.setattr(door, "Bench", no_pins)
    done = served(arguments, monkeypatch, lambda match: None)
    assert done.return_value == 0
    assert done.stderr == "this machine has no GPIO: end throws from a phone\n"


def test_pins_that_were_asked_for_and_are_not_there_are_refused(table, monkeypatch, tmp_path):
    arguments, _ = table
    (tmp_path / "pins.toml").write_text("[buttons]\nundo = 99")
    with pytest.raises(PinsError, match=r"buttons\.undo is 99"):
        served([*arguments, "--pins", str(tmp_path / "pins.toml")], monkeypatch, lambda match: None)


class Told:
    """A match that is told things and refuses all."""

    def __init__(self):
        self.given = []

    def submit(self, given):
        self.given.append(given)
        return Receipt(None, "no")

    def undo_newest(self, by):
        self.given.append(f"undo by {by}")
        return Receipt(7)


@pytest.mark.parametrize(
    ("name", "given", "refused"),
    [
        ("end_throw", EndThrow(by="button"), "no"),
        ("call_referee", CallReferee(by="button"), "no"),
        ("undo", "undo by button", None),
    ],
)
def test_each_button_says_its_own_thing(name, given, refused):
    match = Told()
    assert door.pressed(match, name) == refused
    assert match.given == [given]


def test_a_frame_is_given_once():
    class Camera:
        newest = Frame(np.zeros((2, 2, 3), np.uint8), 4.5, 3)

        def newer(self, than, timeout_s):
            return self.newest if self.newest.sequence > than else None

    frames = door.Frames(Camera())
    assert frames.next(0.1)[1] == 4.5
    assert frames.next(0.1) is None
