"""The hub's process among the limits of its system."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from companion.event.facts import Entered, EventBegan
from companion.event.hub.desk import HUB
from companion.event.hub.facts import GameChosen
from companion.event.hub.roles import Role
from companion.event.hub.store import HUB_ID
from companion.event.settings import Settings
from tests.cli.conftest import Call, call  # noqa: F401
from tests.hub.hall import Hall

ROOT = Path(__file__).resolve().parents[2]

ASKS = "from companion.app.hub_server import open_files; print(open_files())"


def test_more_phones_than_debian_allows_open_files_at_first_are_let_in() -> None:
    """Each phone's stream is an open file, and the limit of 1,024 let no more in than a thousand."""
    limits = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 4096)); "
    done = subprocess.run([sys.executable, "-c", limits + ASKS], capture_output=True, text=True, check=True)
    assert int(done.stdout) == 4096


def test_a_hub_out_of_places_has_a_file_left_for_everybody_who_asks(tmp_path: Path) -> None:
    """Those who found no place came back at once and took the last files: words, pages and the next phones failed."""
    hall = Hall(tmp_path / "hub" / "hub.db")
    hall.desk.begin("cup", (EventBegan("Cup", Settings(rounds=3)), GameChosen("suspend"), Entered("a", "Ann")), HUB)
    hall.close()
    command = [sys.executable, "-m", "companion", "hub", "--data", str(tmp_path), "--host", "127.0.0.1", "--port", "0"]
    log = (tmp_path / "log").open("w+")
    limited = ["prlimit", "--nofile=300", "--", *command]  # 100 connections, 75 of them streams
    with log, subprocess.Popen(limited, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True) as hub:
        assert hub.stdout is not None
        port = next(int(found[1]) for line in hub.stdout if (found := re.search(r"hub is at .*:(\d+)/", line)))
        lines = [socket.create_connection(("127.0.0.1", port), 30) for _ in range(250)]
        for line in lines:
            line.sendall(b"GET /e/cup/news HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        status = [line.recv(12) for line in lines]
        assert {each: status.count(each) for each in status} == {b"HTTP/1.1 200": 75, b"HTTP/1.1 503": 175}
        for line in lines:
            line.close()
        hub.terminate()
        hub.wait(20)
        log.seek(0)
        assert "Too many open files" not in log.read()


@pytest.mark.parametrize("database", ["postgresql", pytest.param("sqlite", marks=pytest.mark.nightly)], indirect=True)
def test_a_table_is_enrolled_in_the_database_that_the_hub_serves(
    call: Call,  # noqa: F811
    tmp_path: Path,
    database: str,
) -> None:
    """While the hub ran on PostgreSQL, `enroll` wrote to an SQLite file of its own: nobody heard the table."""
    data = ("--data", str(tmp_path / "hub folder"))

    def does(*more: str) -> str:
        done = call("hub", *more, *data)
        assert done.status == 0, done.err
        return done.out

    does("broker", "--plain", "--host", "127.0.0.1")
    served = [sys.executable, "-m", "companion", "hub", "--database", database, "--host", "127.0.0.1"]
    with subprocess.Popen([*served, "--port", "0", *data], cwd=ROOT, stdout=subprocess.PIPE, text=True) as hub:
        assert hub.stdout is not None
        assert any("hub is at" in line for line in hub.stdout)
        hub.terminate()
        hub.wait(20)
    does("enroll", "north", "-o", str(tmp_path / "north.json"))
    code = does("organiser").rsplit("/", 1)[1].strip()
    hall = Hall(database)
    assert hall.desk.log(HUB_ID).hall.boxes == {"north": ""}
    assert hall.people.invitation(code).role is Role.ORGANISER
    hall.close()
    assert not list(tmp_path.glob("hub folder/**/hub.db"))
