"""One hostile address, with everything it can open, shuts nobody out."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import time
from collections.abc import Iterator

import pytest

import web.site.line
from tests.web.fake_door import FakeDoor
from web.site.server import Server
from web.table.app import create_app

HOSTILE = "127.0.0.2"


@pytest.fixture
def server(door: FakeDoor) -> Iterator[Server]:
    """A table whose beats are so rare that they find no phone that went."""
    app = create_app(door, join_url="http://x/", max_streams=40, heartbeat_s=300.0)
    with Server(app, "0.0.0.0", 0).running() as running:
        yield running


def connected(server: Server, says: bytes = b"") -> socket.socket:
    made = socket.create_connection(("127.0.0.1", server.port), source_address=(HOSTILE, 0), timeout=5)
    made.sendall(says)
    return made


def answered(server: Server, at: str = "127.0.0.1") -> float:
    """Seconds until a newcomer has the table's state."""
    start_s = time.monotonic()
    newcomer = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5, source_address=(at, 0))
    newcomer.request("GET", "/state")
    assert newcomer.getresponse().status == 200
    newcomer.close()
    return time.monotonic() - start_s


def until(what: object, limit_s: float = 5.0) -> bool:
    end_s = time.monotonic() + limit_s
    while time.monotonic() < end_s:
        if what():  # type: ignore[operator]
            return True
        time.sleep(0.05)
    return False


def is_closed(line: socket.socket) -> bool:
    line.settimeout(0.0)
    try:
        return line.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


def test_half_open_connections_of_one_address_keep_nobody_out(server: Server) -> None:
    """700 of them locked new phones out for minutes."""
    held = [connected(server, b"GET / HTTP/1.1\r\n") for _ in range(3 * web.site.line.CONNECTIONS)]
    assert answered(server) < 2
    assert until(lambda: sum(not is_closed(one) for one in held) <= web.site.line.CONNECTIONS)
    for one in held:
        one.close()


PAGE = b"GET /state HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize(
    "begun",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n",
        b"POST /do HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
        PAGE + b"GET / HT",
    ],
)
def test_a_request_that_never_ends_is_given_up(server: Server, monkeypatch: pytest.MonkeyPatch, begun: bytes) -> None:
    monkeypatch.setattr(web.site.line, "HEADER_S", 0.3)
    with connected(server, begun) as slow:
        while slow.recv(4096):
            pass  # to its end, or `timeout`


def test_an_address_that_many_share_keeps_its_newest_askers(server: Server) -> None:
    """Phones behind one router: a connection that waits for nothing makes room for one that asks."""
    with contextlib.ExitStack() as held:
        for count in (web.site.line.CONNECTIONS, 20):
            lines = [held.enter_context(connected(server, PAGE)) for _ in range(count)]
            assert {line.recv(12) for line in lines} == {b"HTTP/1.1 200"}


def test_streams_without_a_cookie_leave_places(server: Server) -> None:
    """230 of them took all places."""
    ask = b"GET /events HTTP/1.1\r\nHost: x\r\n\r\n"
    with contextlib.ExitStack() as held:
        for _ in range(30):
            held.enter_context(connected(server, ask))
        assert until(lambda: len(server._places) > 0)
        time.sleep(0.3)
        assert len(server._places) <= 8


def test_a_phone_that_went_frees_its_place_at_once(server: Server) -> None:
    """Its place was held for 22 s."""
    phone = connected(server, b"GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
    told = b""
    while b"id: " not in told:  # before that it is noticed by what is still to be told
        told += phone.recv(65536)
    assert len(server._places) == 1
    phone.close()
    assert until(lambda: len(server._places) == 0, 3.0)


def test_a_flood_of_taps_is_slowed_and_said(server: Server) -> None:
    seen = []
    for i in range(web.site.line.TAPS + 10):
        one = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5, source_address=(HOSTILE, 0))
        one.request("POST", "/do", b"{}", {"Content-Type": "application/json", "Cookie": f"phone={i}"})
        answer = one.getresponse()
        body = answer.read()
        seen.append(answer.status)
        one.close()
    assert seen[0] != 429
    assert seen[-1] == 429
    assert "wait a few seconds" in json.loads(body)["error"]["message"]
    assert answered(server) < 2
