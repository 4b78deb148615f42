"""`companion demo`: what is said of folders, files, ports and disks that cannot be used, and that nothing is lost."""

from __future__ import annotations

import errno
import json
import os
import signal
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from companion.app import virtual
from companion.app.virtual import KeptPieces, NetworkPages
from companion.game.brought import default_kit
from companion.match.match import Match
from tests.cli.conftest import Call
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


def test_a_folder_that_cannot_be_made_is_one_sentence(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a_file").touch()
    ended = call("demo", "--game", GAME, "--port", "0", "--data", str(tmp_path / "a_file/x"))
    assert ended.status == 1
    assert "cannot be written (Not a directory), expected a folder to write in: give one with --data" in ended.err


def test_a_new_match_is_found_set_up_after_a_restart(demo: Callable[..., Any], tmp_path: Path) -> None:
    """The pieces of the match before were laid again, for the new table was kept only once a piece was moved."""
    scene = tmp_path / "demo" / SCENE
    scene.parent.mkdir()
    scene.write_text(json.dumps({"pieces": [NINJA]}))
    assert demo("--new").status == 0
    assert scene.read_text() == table().saved()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"\xff\xfe", "does not hold the pieces"),
        (json.dumps({"pieces": [NINJA | {"at_mm": [1e9, 2, 3]}]}).encode(), "at_mm"),
        (json.dumps({"pieces": [NINJA | {"turn": [0, 0, 0, 0]}]}).encode(), "expected a quaternion of length 1"),
        (json.dumps({"pieces": [NINJA, NINJA]}).encode(), "is there twice"),
    ],
)
def test_a_kept_table_that_cannot_be_used_is_set_up_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: bytes, said: str
) -> None:
    (tmp_path / SCENE).write_bytes(text)
    laid = table()
    KeptPieces(tmp_path / SCENE).lay_on(laid)
    assert laid.saved() == table().saved()
    err = capsys.readouterr().err
    assert err.startswith(f"companion: {tmp_path / SCENE}: does not hold the pieces of a virtual table")
    assert said in err


def test_what_was_kept_is_laid_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, again, pieces = table(), table(), KeptPieces(tmp_path / SCENE)
    first.on_change(lambda: pieces.keep(first.saved()))
    first.throw("red", "ninja", (20, 350), (600, 350), 0.5, seed=7)
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
    assert (tmp_path / SCENE).read_text() == "moved at last"


OPENS_TABLE = (
    (HERE, True),
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
