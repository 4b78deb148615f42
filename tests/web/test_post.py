"""One thread writes all streams: none waits for another, each gets the newest, a place is free when its phone went."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import web.site.post
from tests.web import shown
from tests.web.fake_door import FakeDoor
from tests.web.test_guard import answered, until
from web.site.places import OF_AN_ADDRESS
from web.site.server import THREADS, Server
from web.table.app import create_app
from web.table.stream import Events

OWN, HOSTILE = "127.0.0.1", "127.0.0.2"


@pytest.fixture
def server(door: FakeDoor) -> Iterator[Server]:
    with Server(create_app(door, join_url="http://x/", max_streams=200), "0.0.0.0", 0).running() as running:
        yield running


def stream(server: Server, at: str = OWN, *, reads: int | None = None, **headers: str) -> socket.socket:
    """A phone that has asked for its stream; one with little room for what it does not read."""
    line = socket.socket()
    if reads is not None:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, reads)
    line.settimeout(10)
    line.bind((at, 0))
    line.connect((OWN, server.port))
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
    with Server(app, OWN, 0).running() as server:
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
