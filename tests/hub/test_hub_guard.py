"""One hostile address, with everything it can open, shuts nobody out of a hub."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from companion.event.facts import Began, Entered
from companion.event.hub.desk import HUB
from companion.event.hub.facts import Played
from companion.event.settings import Settings
from tests.hub.hall import Hall
from web.site.guard import CONNECTIONS
from web.site.places import OF_AN_ADDRESS

ROOT = Path(__file__).resolve().parents[2]
NEWCOMER = "127.0.0.3"
ADDRESSES = itertools.count(1)
HUB_WITHIN = """
import sys
from web.site import guard
guard.HEADER_S = {header_s}
from companion.cli import main
main(sys.argv[1:])
"""
STREAM = b"GET /e/cup/news HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
PAGE = b"GET /e/cup HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@contextlib.contextmanager
def hub(folder: Path, header_s: float = 300.0, *more: str) -> Iterator[int]:
    """`companion hub` with an event, in a process of its own; its port. So patient that its caps alone must help."""
    hall = Hall(folder / "hub" / "hub.db")
    hall.desk.begin("cup", (Began("Cup", Settings(rounds=3)), Played("suspend"), Entered("a", "Ann")), HUB)
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


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A hub that gives a request 0.3 s."""
    with hub(tmp_path_factory.mktemp("hub"), 0.3) as found:
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


def is_closed(line: socket.socket) -> bool:
    line.settimeout(0.0)
    try:
        return line.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


def until(what: Callable[[], bool], limit_s: float = 5.0) -> bool:
    end_s = time.monotonic() + limit_s
    while time.monotonic() < end_s:
        if what():
            return True
        time.sleep(0.05)
    return False


def test_half_open_connections_of_one_address_keep_nobody_out(port: int, hostile: str) -> None:
    """1,100 of them took every connection that the hub had, and it gave none up."""
    held = [opened(port, hostile, b"GET / HTTP/1.1\r\n") for _ in range(1100)]
    joins(port)
    assert until(lambda: sum(not is_closed(line) for line in held) <= CONNECTIONS)
    for line in held:
        line.close()


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"GET /e/cup HT",
        b"GET /e/cup HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        b"POST /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{",
        b"POST /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n{",
        PAGE + b"GET /e/cup HT",
    ],
)
def test_a_request_that_never_ends_is_given_up(hasty: int, hostile: str, begun: bytes) -> None:
    """A slow one held its connection for ever."""
    with opened(hasty, hostile, begun) as slow:
        while slow.recv(4096):
            pass  # to its end, or `timeout`


def test_a_request_that_comes_by_drops_is_given_up(hasty: int, hostile: str) -> None:
    """A letter now and then kept it alive."""
    with opened(hasty, hostile, b"GET /e/cup HTTP/1.1\r\n") as slow, contextlib.suppress(OSError):
        slow.settimeout(0.05)
        for _ in range(200):
            slow.sendall(b"X: y\r\n")
            with contextlib.suppress(TimeoutError):
                assert slow.recv(1) in (b"", b"H")
                return
        pytest.fail("it was waited for")


def test_streams_of_one_address_leave_it_connections_to_ask_by(port: int, hostile: str) -> None:
    """One address took every stream of the hub."""
    lines = [opened(port, hostile, STREAM) for _ in range(OF_AN_ADDRESS)]
    assert {status(line) for line in lines} == {b"HTTP/1.1 200"}
    more = [opened(port, hostile, STREAM) for _ in range(CONNECTIONS)]
    assert {status(line) for line in more} <= {b"HTTP/1.1 503", b""}
    joins(port)
    for line in (*lines, *more):
        line.close()


def test_a_page_that_went_frees_its_place_at_once(port: int, hostile: str) -> None:
    """Its place was held until the second beat, 16 s."""
    lines = [opened(port, hostile, STREAM) for _ in range(OF_AN_ADDRESS)]
    assert {status(line) for line in lines} == {b"HTTP/1.1 200"}
    assert not _has_stream(port, hostile)
    for line in lines:
        line.close()
    assert until(lambda: _has_stream(port, hostile))


def _has_stream(port: int, hostile: str) -> bool:
    with opened(port, hostile, STREAM) as line:
        return status(line) == b"HTTP/1.1 200"


def test_an_address_that_many_share_keeps_its_newest_askers(port: int, hostile: str) -> None:
    """Phones behind one router: a connection that waits for nothing makes room for one that asks."""
    idle = [opened(port, hostile, PAGE) for _ in range(CONNECTIONS)]
    assert {status(line) for line in idle} == {b"HTTP/1.1 200"}
    newest = [opened(port, hostile, PAGE) for _ in range(20)]
    assert {status(line) for line in newest} == {b"HTTP/1.1 200"}
    for line in (*idle, *newest):
        line.close()


def test_a_hall_behind_one_router_is_given_more(tmp_path: Path, hostile: str) -> None:
    with hub(tmp_path, 10.0, "--of-an-address", "200") as port:
        lines = [opened(port, hostile, STREAM) for _ in range(160)]
        assert {status(line) for line in lines} == {b"HTTP/1.1 200"}
        for line in lines:
            line.close()


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /e/cup HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 300_000 + b"\r\n\r\n",
        b"GET /e/cup HTTP/1.1\r\nHost: 127.0.0.1\r\n" + (b"X: " + b"a" * 4000 + b"\r\n") * 90 + b"\r\n",
        b"GET /e/cup HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X: a\r\n" * 500 + b"\r\n",
        b"POST /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999\r\n\r\n",
        b"POST /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5000000\r\n"
        + b"a" * 5_000_000,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
)
def test_header_tricks_are_refused_and_the_hub_goes_on(port: int, hostile: str, sent: bytes) -> None:
    """A body without end was read to its end."""
    with opened(port, hostile) as line, contextlib.suppress(ConnectionError):
        line.sendall(sent)
        if b"\r\n\r\n" not in sent:
            line.shutdown(socket.SHUT_WR)
        assert line.recv(10) in (b"HTTP/1.1 4", b"HTTP/1.0 4", b"")
        while line.recv(4096):
            pass  # to its end, or `timeout`
    joins(port)


def test_a_request_that_breaks_off_is_no_fault_of_the_hub(port: int, hostile: str) -> None:
    """A phone that went in the middle of a body left a stack trace in the log."""
    for _ in range(3):
        with opened(
            port, hostile, b"POST /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{"
        ) as line:
            line.shutdown(socket.SHUT_WR)
            assert line.recv(12) == b"HTTP/1.1 400"
    joins(port)
