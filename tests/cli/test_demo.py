"""`companion demo`: what is said of folders, files, ports and disks that cannot be used, and that nothing is lost."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from companion.app import virtual
from companion.app.address import announce
from companion.app.matches import DAY_S
from companion.app.virtual import KeptPieces, NetworkPages
from companion.game.brought import default_kit
from companion.match.match import Match
from companion.record.log import Log
from hardware.supervised import PATIENCE_S, SupervisedCamera
from tests.cli.conftest import Call
from tests.seeds import first
from tests.web.fake_door import FakeDoor
from tests.web.shown import match_view
from vision.sim.virtual import VirtualTable
from web.table.app import create_app

ROOT = Path(__file__).resolve().parents[2]
LAN = {"REMOTE_ADDR": "192.168.4.7", "HTTP_HOST": "192.168.4.1:8000"}
HERE = {"REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "127.0.0.1:8000"}
GAME = "eyes_of_the_emperor"
SCENE = f"virtual_table-{GAME}.json"
NINJA = {"id": "ninja_black_1", "kind": "ninja", "color": "black", "at_mm": [500, 350, 8], "turn": [1, 0, 0, 0]}


def table() -> VirtualTable:
    return VirtualTable(default_kit(GAME), seed=3)


@pytest.fixture
def demo(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Calls `companion demo`; in place of the web server `meanwhile` is called with the match."""

    def run(*more: str, meanwhile: Callable[[Match[Any, Any]], None] = lambda match: None) -> Any:
        monkeypatch.setattr(virtual, "serve", lambda app, *_, **__: meanwhile(app.extensions["companion"].door))
        return call("demo", "--game", GAME, "--port", "0", "--data", str(tmp_path), *more)

    return run


TOLD_TO_END = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
from companion import cli
found = cli.import_module
cli.import_module = lambda name: (signal.raise_signal({which}), found(name))[1]
cli.main({arguments!r})
"""


@pytest.mark.parametrize(
    ("command", "which", "status"),
    [
        ("demo", signal.SIGTERM, 0),
        ("serve", signal.SIGTERM, 0),
        ("verify", signal.SIGTERM, -signal.SIGTERM),
        ("demo", signal.SIGINT, 0),
        ("serve", signal.SIGINT, 0),
        ("verify", signal.SIGINT, 1),
    ],
)
def test_told_to_end_before_it_has_begun_it_ends_cleanly(command: str, which: signal.Signals, status: int) -> None:
    """Within the first second, while OpenCV was loaded, SIGTERM killed the table: to the system it had failed.
    Ctrl-C was called an interruption of unfinished work, a second later it was the way to end."""
    code = TOLD_TO_END.format(arguments=[command, "--help"], which=int(which))
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    said = "companion: interrupted: the work was not finished\n" if status == 1 else ""
    assert (ended.returncode, ended.stdout, ended.stderr) == (status, "", said)


@pytest.mark.parametrize("which", first([signal.SIGTERM, signal.SIGINT]))
@pytest.mark.parametrize(
    "arguments",
    [["demo", "--game", "center_point", "--autoplay=3"], ["hub", "enroll", "T1"]],
    ids=["autoplay", "enroll"],
)
def test_what_ends_by_itself_and_is_told_to_end_before_was_interrupted(
    arguments: list[str], which: signal.Signals
) -> None:
    """An autoplay that was stopped after one of three matches ended with status 0, in silence."""
    code = TOLD_TO_END.format(arguments=[*arguments, "--help"], which=int(which))
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    said = "companion: interrupted: the work was not finished\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", said)


@pytest.mark.parametrize("under", ["a_file/x", "a_file"])
def test_a_folder_that_cannot_be_made_is_one_sentence(call: Call, tmp_path: Path, under: str) -> None:
    (tmp_path / "a_file").touch()
    ended = call("demo", "--game", GAME, "--port", "0", "--data", str(tmp_path / under))
    assert ended.status == (1 if under == "a_file/x" else 2)
    assert "Traceback" not in ended.err
    if ended.status == 1:
        assert "cannot be written (Not a directory), expected a folder to write in: give one with --data" in ended.err


def test_a_table_that_is_drawn_slowly_is_not_taken_for_a_cable_that_is_out(
    demo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bump draws everything anew, 1.5 s on a quick machine: on slower ones phones said "the camera has sent nothing
    for 2 s: check its cable", and after three bumps "switch the box off and on"."""
    now_s = [0.0]
    opened: list[SupervisedCamera] = []

    def supervised(open_camera: Any, patience_s: float = PATIENCE_S) -> SupervisedCamera:
        camera = SupervisedCamera(
            open_camera,
            lambda is_blind, why: None,
            clock=lambda: now_s[0],
            spawn=lambda run, name: None,
            patience_s=patience_s,
        )
        opened.append(camera)
        return camera

    def draw_slowly(match: Match[Any, Any]) -> None:
        (camera,) = opened
        camera.tick()
        camera._worker.has_sent = True
        now_s[0] = 10.0
        camera.tick()
        assert camera.blindness is None
        seen.append(match.view().match)

    seen: list[str] = []
    monkeypatch.setattr(virtual, "supervised", supervised)
    assert demo(meanwhile=draw_slowly).status == 0
    assert len(seen) == 1


def test_a_new_match_is_found_set_up_after_a_restart(demo: Callable[..., Any], tmp_path: Path) -> None:
    """The pieces of the match before were laid again, for the new table was kept only once a piece was moved."""
    scene = tmp_path / "demo" / SCENE
    scene.parent.mkdir()
    scene.write_text(json.dumps({"pieces": [NINJA]}))
    assert demo("--new").status == 0
    assert scene.read_text() == table().saved()


def test_each_match_has_throws_of_its_own(demo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every new match of one table began with the same dice."""
    seeds: list[int] = []

    class Drawn(VirtualTable):
        def __init__(self, *args: Any, seed: int, **more: Any) -> None:
            seeds.append(seed)
            super().__init__(*args, seed=seed, **more)

    monkeypatch.setattr(virtual, "VirtualTable", Drawn)
    demo("--seed", "7", meanwhile=lambda door: door.begin(GAME, None, {}, "a test", door.match.name))  # type: ignore[attr-defined]
    assert seeds == [7, 8]


def test_old_pictures_are_removed_when_the_virtual_table_is_opened(demo: Callable[..., Any], tmp_path: Path) -> None:
    log = Log(tmp_path / "demo" / "eyes_of_the_emperor-0001.db")
    log.append(0.0, "began", "table", {"game": GAME})
    sha = log.append(1.0, "called", "Ann", {"words": ""}, (b"an old picture",)).evidence[0]
    for day in range(1, 91):
        log.append(day * DAY_S, "called", "Ann", {"words": ""})
    log.close()
    found: list[bytes | None] = []
    ended = demo("--keep-days", "90", meanwhile=lambda match: found.append(match.picture(sha)))
    assert found == [None]
    assert "1 picture from before the newest 90 days of play removed from 1 match" in ended.err


def test_pieces_that_cannot_be_laid_do_not_keep_the_match_from_starting(
    demo: Callable[..., Any], tmp_path: Path
) -> None:
    scene = tmp_path / "demo" / SCENE
    scene.parent.mkdir()
    scene.write_text('{"pieces": [')
    seen: list[str] = []
    ended = demo(meanwhile=lambda match: seen.append(match.view().match))
    assert (ended.status, seen) == (0, ["eyes_of_the_emperor-0001"])
    assert ended.err.count("\n") == 1
    assert (
        "the table is set up again, and the file is kept as virtual_table-eyes_of_the_emperor.unused-1.json"
        in ended.err
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"\xff\xfe", "does not hold the pieces"),
        (json.dumps({"pieces": [NINJA | {"at_mm": [1, 2]}]}).encode(), "at_mm"),
        (json.dumps({"pieces": [NINJA | {"turn": [1, 0, 0]}]}).encode(), "turn"),
        (json.dumps({"pieces": [NINJA | {"at_mm": [1e9, 2, 3]}]}).encode(), "at_mm"),
        (json.dumps({"pieces": [NINJA | {"turn": [0, 0, 0, 0]}]}).encode(), "expected a quaternion of length 1"),
        (json.dumps({"pieces": [NINJA | {"kind": "card"}]}).encode(), "expected a piece of the set"),
        (json.dumps({"pieces": [NINJA, NINJA]}).encode(), "is there twice"),
    ],
)
def test_a_kept_table_that_cannot_be_used_is_set_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: bytes, said: str
) -> None:
    (tmp_path / SCENE).write_bytes(text)
    (tmp_path / f"virtual_table-{GAME}.unused-1.json").write_text("set aside before")
    laid = table()
    KeptPieces(tmp_path / SCENE).lay_on(laid)
    assert laid.saved() == table().saved()
    err = capsys.readouterr().err
    assert err.startswith(f"companion: {tmp_path / SCENE}: does not hold the pieces of a virtual table")
    assert said in err
    assert (tmp_path / f"virtual_table-{GAME}.unused-2.json").read_bytes() == text
    assert (tmp_path / f"virtual_table-{GAME}.unused-1.json").read_text() == "set aside before"


def test_a_folder_in_place_of_the_kept_table_is_set_aside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / SCENE).mkdir()
    KeptPieces(tmp_path / SCENE).lay_on(table())
    assert "cannot be read (Is a directory): the table is set up again" in capsys.readouterr().err
    assert (tmp_path / f"virtual_table-{GAME}.unused-1.json").is_dir()


def test_what_was_kept_is_laid_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = table()
    pieces = KeptPieces(tmp_path / SCENE)
    first.on_change(lambda: pieces.keep(first.saved()))
    first.throw("red", "ninja", (20, 350), (600, 350), 0.5, seed=7)
    first.throw("red", "samurai", (20, 350), (600, 350), 0.5, seed=8)
    again = table()
    pieces.lay_on(again)
    assert again.saved() == first.saved()
    assert capsys.readouterr().err == ""


def test_on_a_full_disk_the_table_goes_on_and_says_so_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A piece that was dragged gave an error 500 of the server, and the draft stayed."""
    pieces = KeptPieces(tmp_path / SCENE)
    pieces.keep("as it lay")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        pieces.keep("moved")
        pieces.keep("moved again")
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "cannot be written (No space left on device): the table goes on" in err
    assert [p.name for p in tmp_path.iterdir()] == [SCENE]
    assert (tmp_path / SCENE).read_text() == "as it lay"
    pieces.keep("moved at last")
    assert "the pieces are kept" in capsys.readouterr().err
    assert (tmp_path / SCENE).read_text() == "moved at last"


OPENS_TABLE = (
    (HERE, True),
    ({**HERE, "REMOTE_ADDR": "::1", "HTTP_HOST": "[::1]:8000"}, True),
    ({"REMOTE_ADDR": "192.168.4.1", "HTTP_HOST": "192.168.4.1:8000"}, True),  # a browser beside it, by the QR code
    (LAN, False),
    ({**LAN, "HTTP_X_FORWARDED_FOR": "127.0.0.1", "HTTP_FORWARDED": "for=127.0.0.1"}, False),
    ({**LAN, "HTTP_HOST": "127.0.0.1:8000"}, False),
)


def test_the_plain_address_opens_the_virtual_table_here_and_the_seats_elsewhere(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Phones that typed the address without `?choose` got the virtual table, which no phone can play at."""
    answers: list[Any] = []

    monkeypatch.setattr(virtual, "is_here", lambda at: at in ("127.0.0.1", "::1", "192.168.4.1"))

    def serve(app: Any, *_: Any, **__: Any) -> None:
        client = app.test_client()
        for asked, _ in OPENS_TABLE:
            answers.append([client.get(path, environ_overrides=asked) for path in ("/", "/?seat=red")])

    monkeypatch.setattr(virtual, "serve", serve)
    assert call("demo", "--game", GAME, "--port", "0", "--data", str(tmp_path)).status == 0
    for (asked, opens_table), (plain, seat) in zip(OPENS_TABLE, answers, strict=True):
        leads = (302, "/table") if opens_table else (200, None)
        assert (plain.status_code, plain.headers.get("Location")) == leads, asked
        assert seat.status_code == 200
        # elsewhere nothing leads to a table that answers its own screen only
        is_linked = '<a href="/table" target="_top">The virtual table</a>' in seat.get_data(as_text=True)
        assert is_linked is opens_table, asked


def test_the_code_in_the_terminal_leads_phones_to_an_address_that_they_reach(
    capsys: pytest.CaptureFixture[str],
) -> None:
    announce("The virtual table", "http://127.0.0.1:8000/", "http://192.168.4.1:8000/")
    elsewhere = capsys.readouterr().out
    announce("The table", "http://192.168.4.1:8000/")
    here = capsys.readouterr().out
    assert elsewhere.split(" is at ")[0].removesuffix("The virtual table") == here.split(" is at ")[0].removesuffix(
        "The table"
    )
    assert "Phones in this network join at http://192.168.4.1:8000/" in elsewhere
    assert "Phones" not in here


def test_phones_find_the_table_again_after_a_kill_and_not_after_a_person_ended_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a restart the table was open to its own computer only: the phones stayed "not connected" for good,
    and the open page still showed the code that led nowhere."""
    monkeypatch.setattr(virtual, "own_address", lambda: "192.168.4.9")
    monkeypatch.setattr(virtual, "Server", lambda app, address, port: SimpleNamespace(running=nullcontext))

    def begun(port: int = 8000) -> tuple[NetworkPages, SimpleNamespace, str | None]:
        app = create_app(FakeDoor(match_view()), join_url=f"http://127.0.0.1:{port}/")
        server, pages = SimpleNamespace(app=app, port=port), NetworkPages(tmp_path / "open_to_network")
        return pages, server, pages.begin(cast(Any, server))

    pages, _, url = begun()
    assert url is None
    assert pages.open() == "http://192.168.4.9:8000/"
    again, server, url = begun()
    assert url == server.app.extensions["companion"].join_url == "http://192.168.4.9:8000/"
    assert begun(port=9000)[2] is None
    again.ended(signal.SIGTERM)
    assert begun()[2] == url
    monkeypatch.setattr(virtual, "own_address", lambda: "10.0.0.3")  # another network, where nobody asked for it
    assert begun()[2] is None
    monkeypatch.setattr(virtual, "own_address", lambda: "192.168.4.9")
    again.ended(signal.SIGINT)
    assert begun()[2] is None
