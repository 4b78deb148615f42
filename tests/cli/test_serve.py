"""`companion serve` with a folder for a camera and mock pins: the match sees, the lamp shows, the buttons press."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import pytest
from click import BadParameter
from click.testing import CliRunner, Result
from gpiozero import Device
from gpiozero.pins.mock import MockFactory, MockPWMPin

from calibration.arrays import Picture
from calibration.lens import save_lens
from companion.app import box as boxes
from companion.app import real_table
from companion.app.kept import KIT_DAMAGED, Kept
from companion.cli import serve as door
from companion.game.errors import PinsError, ReadingError, ReadingFault
from companion.game.view import MatchView, Sight
from companion.match.match import Match
from hardware.pins import load_pins
from tests.calibration.pictures import LENS, camera, picture
from tests.cli.conftest import Call
from tests.cli.test_changed_camera import Laid, drill
from vision.readers import Reader
from web.site.server import bound

AnyMatch = Match[Any, Any]


class HandEye:
    """An eye that sees a hand in every picture."""

    def read(self, picture: Picture) -> Any:
        raise ReadingError(ReadingFault.HAND_IN_VIEW, "a hand is over the table: take it away")

    def read_at(self, picture: Picture, pose: Any) -> Any:
        return self.read(picture)

    def draw(self, picture: Picture, reading: Any) -> Picture:
        return picture


def open_eye(lens: Any, kit: Any) -> HandEye:
    return HandEye()


@pytest.fixture
def pins(monkeypatch: pytest.MonkeyPatch) -> Iterator[MockFactory]:
    mock = MockFactory(pin_class=MockPWMPin)
    monkeypatch.setattr(Device, "pin_factory", mock)
    for pin in load_pins().buttons.values():
        mock.pin(pin).drive_high()
    yield mock
    mock.reset()


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The call of a table whose camera is a folder of one picture."""
    (tmp_path / "frames").mkdir()
    cv2.imwrite(str(tmp_path / "frames" / "0.png"), picture(camera()))
    save_lens(LENS, tmp_path / "lens.json")
    readers = {"eyes": Reader("eyes", "A hand.", "tests.cli.test_serve", ("eyes_of_the_emperor",))}
    monkeypatch.setattr("vision.readers.READERS", readers)
    given = ["--lens", tmp_path / "lens.json", "--camera", tmp_path / "frames", "--data", tmp_path]
    given += ["--game", "eyes_of_the_emperor"]
    return [str(a) for a in [*given, "--port", 0, "--host", "127.0.0.1"]]


def served(arguments: list[str], monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[AnyMatch], None]) -> Result:
    """Runs the command; in place of the web server `meanwhile` is called with the match."""
    monkeypatch.setattr(real_table, "serve", lambda app, *_, **__: meanwhile(app.extensions["companion"].door))
    return CliRunner().invoke(door.command, arguments, standalone_mode=False, catch_exceptions=False)


@pytest.mark.parametrize("name", ["lens.json", "kit-eyes_of_the_emperor.toml"])
def test_a_damaged_file_of_the_set_up_is_put_aside_and_the_pages_open(
    name: str, arguments: list[str], pins: MockFactory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The command ended, systemd began it again, and nobody could reach the set-up."""
    if name == "lens.json":
        at = arguments.index("--lens")
        del arguments[at : at + 2]
    own = tmp_path / "table" / name
    own.parent.mkdir()
    own.write_text("{", encoding="utf-8")
    kept = Kept(own.parent)
    kept.certify(drill(Laid(), picture(camera())).certificate)
    opened: list[AnyMatch] = []
    result = served(arguments, monkeypatch, opened.append)
    assert result.exception is None
    assert len(opened) == 1
    assert "set the table up again" in result.output
    assert not own.exists()
    assert own.with_stem(f"{own.stem}-damaged").read_text(encoding="utf-8") == "{"
    certificate = kept.certificate()
    assert (certificate.expired == KIT_DAMAGED) is (name != "lens.json")


def until(match: AnyMatch, is_so: Callable[[MatchView], object]) -> MatchView:
    """The first view of which `is_so` holds."""
    views = match.subscribe()
    try:
        for _ in range(100):
            view = views.next(20.0)
            assert view is not None, "nothing came for twenty seconds"
            if is_so(view):
                return view
        raise AssertionError("it never came")
    finally:
        views.close()


def test_a_folder_of_frames_is_seen_and_the_buttons_work(
    arguments: list[str], pins: MockFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(match: AnyMatch) -> None:
        view = until(match, lambda v: v.sight.state is Sight.HAND)
        assert str(view.sight.says) == "a hand is over the table: take it away"
        pins.pin(load_pins().buttons["call_referee"]).drive_low()
        assert until(match, lambda v: v.calls).calls[0].by == "button"

    assert served(arguments, monkeypatch, meanwhile).exception is None
    lamp = load_pins().lamp
    assert all(pins.pin(p).state == 0 for p in lamp.pins.values())


@pytest.mark.parametrize("spec", ["webcam", "usb:abc", "usb:-1", "pi:\u00b2", "usb:99999999999999999999"])
def test_an_unknown_camera_is_refused_before_anything_is_done(
    arguments: list[str], call: Call, tmp_path: Path, spec: str
) -> None:
    """Some of these were once taken for camera 0 in silence, or broke while the table was watched."""
    arguments[arguments.index("--camera") + 1] = spec
    ended = call("serve", *arguments)
    assert ended.status == 2
    assert f"{spec!r} is no camera: expected auto, pi, pi:1, usb:0, /dev/v4l/by-id/NAME, a folder" in ended.err
    assert not list(tmp_path.rglob("*.db"))


def test_without_gpio_one_sentence_is_said_and_phones_end_the_throws(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_pins(*_: Any, **__: Any) -> None:
        raise PinsError("this machine has no GPIO: end throws from a phone")

    monkeypatch.setattr(boxes, "Box", no_pins)
    done = served(arguments, monkeypatch, lambda match: None)
    assert done.exception is None
    assert done.stderr == "companion: no buttons and no lamp: this machine has no GPIO: end throws from a phone\n"


def test_a_busy_port_is_one_sentence_and_status_2(
    arguments: list[str], pins: MockFactory, call: Call, tmp_path: Path
) -> None:
    taken = bound("127.0.0.1", 0)
    taken.listen()
    arguments[arguments.index("--port") + 1] = str(taken.getsockname()[1])
    ended = call("serve", *arguments)
    taken.close()
    assert ended.status == 2
    assert "is in use by another program" in ended.err.splitlines()[-1]
    assert not list(tmp_path.rglob("*.db"))  # status 2: nothing was done


def test_settings_come_from_a_file_and_strangers_are_refused(
    arguments: list[str], pins: MockFactory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = dict(zip([a.removeprefix("--") for a in arguments[::2]], arguments[1::2], strict=True))
    text = "".join(f'{key} = "{value}"\n' for key, value in settings.items())
    (tmp_path / "table.toml").write_text(text, encoding="utf-8-sig")  # as Notepad does
    seen: list[str] = []
    done = served(
        ["--config", str(tmp_path / "table.toml")], monkeypatch, lambda match: seen.append(match.view().match)
    )
    assert done.exception is None
    assert seen == ["eyes_of_the_emperor-0001"]
    for text, said in (
        ("colour = 'red'", "colour is no setting, expected one of"),
        ('option = "a=1"', "expected house rules such as"),  # it was taken letter by letter
        ("port = [80]", "expected one value"),
    ):
        (tmp_path / "table.toml").write_text(text)
        with pytest.raises(BadParameter, match=said):
            served(["--config", str(tmp_path / "table.toml")], monkeypatch, lambda match: None)
