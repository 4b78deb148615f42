"""Shared by the scenarios: phones, single requests, an attacker, newcomers, and a server's use of the machine.

Imported before anything that opens a socket: all sockets here are gevent's.
"""

from __future__ import annotations

from gevent import monkey

monkey.patch_all()

import contextlib  # noqa: E402
import http.client  # noqa: E402
import itertools  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import re  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402
import statistics  # noqa: E402
import time  # noqa: E402
import zlib  # noqa: E402
from collections.abc import Callable, Iterator, Sequence  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import gevent  # noqa: E402
from gevent.subprocess import PIPE, Popen  # noqa: E402

HERE, HOSTILE, NEWCOMER = "127.0.0.1", "127.0.0.2", "127.0.0.3"
HELD = 200
"""Maximum number of connections that each attacking program holds."""


class Phone:
    """A page with an open stream of news."""

    def __init__(self, port: int, path: str, cookie: str) -> None:
        self.is_live = self.is_refused = False
        self.line: socket.socket | None = None
        self._port, self._path, self._cookie = port, path, cookie
        self.job = gevent.spawn(self.listen)

    def listen(self) -> None:
        """Reads the stream to its end."""
        for line in self.news():
            self.hears(line)

    def hears(self, line: bytes) -> None:
        """Takes one line of the stream."""

    def news(self) -> Iterator[bytes]:
        """The lines of the stream. None if the server refuses the stream."""
        with socket.create_connection((HERE, self._port)) as self.line:
            self.line.sendall(
                f"GET {self._path} HTTP/1.1\r\nHost: {HERE}\r\nCookie: {self._cookie}\r\n"
                "Accept-Encoding: gzip, deflate\r\n\r\n".encode()
            )
            answer = self.line.makefile("rb")
            self.is_refused = b" 200 " not in answer.readline()
            head = b"".join(iter(answer.readline, b"\r\n")).lower()
            unpacked = zlib.decompressobj(wbits=31) if b"content-encoding: gzip" in head else None
            rest = b""
            while not self.is_refused and (size := int(answer.readline() or b"0", 16)):
                part = answer.read(size + 2)[:-2]
                *lines, rest = (rest + (unpacked.decompress(part) if unpacked else part)).split(b"\n")
                yield from lines


def ask(port: int, method: str, path: str, headers: dict[str, str], body: object = None, at: str = HERE) -> Any:
    """One request: status, cookie and answer."""
    line = http.client.HTTPConnection(HERE, port, timeout=60, source_address=(at, 0))
    try:
        given = {"Origin": f"http://{HERE}:{port}", "Content-Type": "application/json", **headers}
        line.request(method, path, None if body is None else json.dumps(body), given)
        answer = line.getresponse()
        text = answer.read()
        return answer.status, answer.getheader("Set-Cookie", ""), json.loads(text) if text[:1] == b"{" else text
    finally:
        line.close()


def quantiles(late_s: Sequence[float]) -> dict[str, int]:
    """The percentiles p50, p95, p99 and the maximum, in milliseconds."""
    cuts = statistics.quantiles(late_s, n=100, method="inclusive") if len(late_s) > 1 else [*late_s] * 99
    return {f"p{p}_ms": round(1000 * cuts[p - 1]) for p in (50, 95, 99)} | {"most_ms": round(1000 * max(late_s))}


def used(process: Popen) -> dict[str, Any]:
    """Processor time, memory, threads and open files of a process."""
    ticks = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    status = dict(line.split(":", 1) for line in Path(f"/proc/{process.pid}/status").read_text().splitlines())
    return {
        "cpu_s": round((int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK"), 2),
        "rss_mb": int(status["VmRSS"].split()[0]) // 1024,
        "threads": int(status["Threads"]),
        "files": len(os.listdir(f"/proc/{process.pid}/fd")),
    }


@contextlib.contextmanager
def server(command: list[str], says: str, **given: Any) -> Iterator[tuple[Popen, int]]:
    """A server's process and port. `says`: a pattern for the line of output that contains the port."""
    with Popen(command, stdout=PIPE, text=True, **given) as process:
        try:
            found = next(filter(None, (re.search(says, line) for line in process.stdout)), None)
            assert found is not None, "the server did not start"
            yield process, int(found[1])
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def attack(port: int, requests: Sequence[bytes], over: list[bool], pause_s: float = 0.0) -> None:
    """Sends requests from one address and keeps the connections open, until `over` is filled."""
    held: list[socket.socket] = []
    for request in itertools.cycle(requests):
        if over:
            break
        with contextlib.suppress(OSError):
            held.append(socket.create_connection((HERE, port), source_address=(HOSTILE, 0), timeout=5))
            held[-1].sendall(request)
            if request.endswith(b"\r\n\r\n"):
                held[-1].recv(100_000)
        gevent.sleep(pause_s)
        while len(held) > HELD or (over and held):
            held.pop(0).close()


def newcomer_s(port: int, *paths: str) -> float:
    """Waiting time of a new visitor for these pages."""
    came_s = time.monotonic()
    for path in paths:
        status = ask(port, "GET", path, {}, at=NEWCOMER)[0]
        assert status == 200, (path, status)
    return time.monotonic() - came_s


def until(holds: Callable[[], object], timeout_s: float) -> bool:
    """Waits until `holds` is true; False if it was not true in time."""
    limit_s = time.monotonic() + timeout_s
    while not (is_true := bool(holds())) and time.monotonic() < limit_s:
        gevent.sleep(0.01)
    return is_true
