"""One hostile address, with everything it can open, shuts nobody out of a hub."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.event.facts import Entered, EventBegan
from companion.event.hub.desk import HUB
from companion.event.hub.facts import GameChosen
from companion.event.settings import Settings
from tests.hub.hall import Hall
from tests.web.test_guard import is_closed, until
from web.site.line import CONNECTIONS
from web.site.places import OF_AN_ADDRESS

ROOT = Path(__file__).resolve().parents[2]
NEWCOMER = "127.0.0.3"
ADDRESSES = itertools.count(1)
HUB_WITHIN = """
import sys
from web.site import line
line.HEADER_S = {header_s}
from companion.cli import main
main(sys.argv[1:])
"""
STREAM = b"GET /e/cup/news HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@contextlib.contextmanager
def hub(folder: Path, header_s: float = 300.0, *more: str) -> Iterator[int]:
    """`companion hub` with an event, in a process of its own; its port. So patient that its caps alone must help."""
    hall = Hall(folder / "hub" / "hub.db")
    hall.desk.begin("cup", (EventBegan("Cup", Settings(rounds=3)), GameChosen("suspend"), Entered("a", "Ann")), HUB)
    hall.close()
    asked = ["hub", "--data", str(folder), "--host", "0.0.0.0", "--url", "http://127.0.0.1/", "--port", "0", *more]
    command = ["prlimit", "--nofile=1300", "--", sys.executable, "-c", HUB_WITHIN.format(header_s=header_s), *asked]
    log = (folder / "log").open("w+")
    with log, subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True) as running:
        assert running.stdout is not None
        for line in running.stdout:
            if "hub is at" in line:
                break
        try:
            yield _port(running.pid)
        finally:
            running.terminate()
            running.wait(20)
            log.seek(0)
            assert "Traceback" not in log.read()


def _port(pid: int) -> int:
    """The port that a process listens on: with `--url` it says another."""
    inodes = {
        found[1]
        for fd in Path(f"/proc/{pid}/fd").iterdir()
        if (found := re.match(r"socket:\[(\d+)", str(fd.readlink())))
    }
    rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    return next(int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A" and row[9] in inodes)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with hub(tmp_path_factory.mktemp("hub")) as found:
        yield found


@pytest.fixture
def hostile() -> str:
    """An address of its own for each test."""
    return f"127.0.1.{next(ADDRESSES)}"


def opened(port: int, at: str, says: bytes = b"") -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), source_address=(at, 0), timeout=10)
    made.sendall(says)
    return made


def status(line: socket.socket) -> bytes:
    """The first line of an answer; nothing where the hub closed instead."""
    with contextlib.suppress(ConnectionResetError):
        return line.recv(12)
    return b""


def joins(port: int) -> None:
    """A newcomer has the event's page."""
    newcomer = http.client.HTTPConnection("127.0.0.1", port, timeout=10, source_address=(NEWCOMER, 0))
    newcomer.request("GET", "/e/cup")
    answer = newcomer.getresponse()
    assert answer.status == 200
    assert b"Cup" in answer.read()
    newcomer.close()


def test_half_open_connections_of_one_address_keep_nobody_out(port: int, hostile: str) -> None:
    """1,100 of them took every connection that the hub had, and it gave none up."""
    held = [opened(port, hostile, b"GET / HTTP/1.1\r\n") for _ in range(1100)]
    joins(port)
    assert until(lambda: sum(not is_closed(line) for line in held) <= CONNECTIONS)
    for line in held:
        line.close()


def test_streams_of_one_address_leave_it_connections_to_ask_by(port: int, hostile: str) -> None:
    """One address took every stream of the hub."""
    lines = [opened(port, hostile, STREAM) for _ in range(OF_AN_ADDRESS)]
    assert {status(line) for line in lines} == {b"HTTP/1.1 200"}
    more = [opened(port, hostile, STREAM) for _ in range(CONNECTIONS)]
    assert {status(line) for line in more} <= {b"HTTP/1.1 503", b""}
    joins(port)
    for line in (*lines, *more):
        line.close()


def test_a_hall_behind_one_router_is_given_more(tmp_path: Path, hostile: str) -> None:
    with hub(tmp_path, 10.0, "--of-an-address", "200") as port:
        lines = [opened(port, hostile, STREAM) for _ in range(160)]
        assert {status(line) for line in lines} == {b"HTTP/1.1 200"}
        for line in lines:
            line.close()
