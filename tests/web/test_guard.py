"""One hostile address, with everything it can open, shuts nobody out."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import web.site.line
import web.site.post
from tests.web import shown
from tests.web.fake_door import FakeDoor
from web.site.places import OF_AN_ADDRESS
from web.site.server import THREADS, Server
from web.table.app import create_app
from web.table.stream import Events

HERE, HOSTILE = "127.0.0.1", "127.0.0.2"


@pytest.fixture
def server(door: FakeDoor) -> Iterator[Server]:
    """A table whose beats are so rare that they find no phone that went."""
    app = create_app(door, join_url="http://x/", max_streams=200, heartbeat_s=300.0)
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


# one thread writes all streams: none waits for another, each gets the newest


def stream(server: Server, at: str = HERE, *, reads: int | None = None, **headers: str) -> socket.socket:
    """A phone that has asked for its stream; one with little room for what it does not read."""
    line = socket.socket()
    if reads is not None:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, reads)
    line.settimeout(10)
    line.bind((at, 0))
    line.connect((HERE, server.port))
    more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    line.sendall(f"GET /events HTTP/1.1\r\nHost: x\r\n{more}\r\n".encode())
    return line


def read(line: socket.socket, until_: bytes) -> bytes:
    got = b""
    while until_ not in got:
        part = line.recv(65536)
        assert part, got[-300:]
        got += part
    return got


def test_streams_cost_no_threads(server: Server) -> None:
    """Five hundred phones were 525 threads, and each change woke them all."""
    before = threading.active_count()
    phones = [stream(server) for _ in range(100)]
    for phone in phones:
        read(phone, b"id: 31")
    assert threading.active_count() <= before + THREADS
    for phone in phones:
        phone.close()


def test_a_phone_that_does_not_read_holds_nobody_up_and_then_gets_the_newest(server: Server, door: FakeDoor) -> None:
    stalled, reading = stream(server, reads=4096), stream(server)
    read(stalled, b"id: 31")
    read(reading, b"id: 31")
    words = "x" * 200_000
    for seq in range(32, 132):  # more than all buffers between hold
        door.shows(seq=seq, match=words)
        assert f"id: {seq}".encode() in read(reading, f"id: {seq}\n".encode())
    seen: list[int] = []
    while 131 not in seen:
        seen += map(int, re.findall(rb"id: (\d+)\n", read(stalled, b"\n\n")))
    assert len(seen) < 60  # it was not told all that it missed
    for line in (stalled, reading):
        line.close()


def test_a_phone_that_takes_nothing_is_given_up(
    server: Server, door: FakeDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may acknowledge for ever and read nothing: its place is wanted by others."""
    monkeypatch.setattr(web.site.post, "GONE_AFTER_S", 0.1)
    stalled = stream(server, reads=4096)
    read(stalled, b"id: 31")

    def tells_more() -> bool:
        door.shows(seq=door.view().seq + 1, match="x" * 200_000)
        return len(server._places) == 0

    assert until(tells_more, 20.0)
    stalled.close()


@pytest.mark.parametrize("fault", ["beat", "close"])
def test_a_fault_of_one_stream_ends_no_other(
    fault: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """An exception outside of a view ended the loop: every phone's stream fell silent for good."""
    faulty: list[Events] = []
    beat, close = Events.beat, Events.close

    def beats(events: Events) -> bytes:
        if fault == "beat" and events in faulty:
            raise ValueError("no beat")
        return beat.fget(events)  # type: ignore[attr-defined, no-any-return]

    def closes(events: Events) -> None:
        close(events)
        if fault == "close" and events in faulty:
            raise ValueError("the match stumbled over the phone that went")

    def first(events: Events, *given: Any, **more: Any) -> None:
        init(events, *given, **more)
        faulty.extend([] if faulty else [events])

    init = Events.__init__
    monkeypatch.setattr(Events, "__init__", first)
    monkeypatch.setattr(Events, "beat", property(beats))
    monkeypatch.setattr(Events, "close", closes)
    app = create_app(FakeDoor(shown.match_view()), join_url="http://x/", heartbeat_s=0.05)
    with Server(app, HERE, 0).running() as server:
        bad = stream(server)
        read(bad, b"id: 31")
        good = stream(server)
        read(good, b"id: 31")
        if fault == "close":
            bad.close()
        assert until(lambda: len(server._places) == 1)
        for _ in range(3):
            read(good, b"event: beat")
        for phone in (bad, good):
            phone.close()
    assert "a stream" in caplog.text


def test_phones_of_one_address_can_still_tap_when_all_listen(server: Server) -> None:
    held: list[Any] = []
    for n in range(OF_AN_ADDRESS + 10):
        held.append(stream(server, HOSTILE, Cookie=f"companion_phone={n:043d}"))
        held[-1].recv(12)
    assert len(server._places) == OF_AN_ADDRESS
    assert answered(server, HOSTILE) < 5
    for line in held:
        line.close()


def test_who_says_more_on_a_stream_is_gone(server: Server) -> None:
    """What nobody reads would fill the box's memory."""
    phone = stream(server)
    read(phone, b"id: 31")
    assert until(lambda: len(server._places) == 1)
    phone.sendall(b"GET / HTTP/1.1\r\n")
    assert until(lambda: len(server._places) == 0, 2.0)
    phone.close()
