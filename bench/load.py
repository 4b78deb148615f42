"""Many phones at one table with a running camera: `python -m bench.load --phones 500`.

The table is `companion demo` in its own process, with its frames counted; phones are streams in this process. A push is
timed from sending the tap until a phone has read and unpacked the view, on one clock. This includes the phones' own
work, all in this one process; its share of a core is printed. Meanwhile a hostile address opens all connections it can,
and newcomers come from elsewhere. Prints one JSON line.
"""

from __future__ import annotations

from gevent import monkey

monkey.patch_all()

import argparse  # noqa: E402
import contextlib  # noqa: E402
import http.client  # noqa: E402
import itertools  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import re  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402
import statistics  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
import zlib  # noqa: E402
from collections.abc import Iterator  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import gevent  # noqa: E402

COUNTED = """
import sys
from companion.app.table import TableLoop
import web.site.app, web.site.stream
frames, advance = [0], TableLoop.advance
def counted(self, match):
    advance(self, match)
    frames[0] += 1
    print("frames", frames[0], file=sys.stderr, flush=True)
TableLoop.advance = counted
from companion.cli import main
main(sys.argv[1:])
"""
HOSTILE, NEWCOMER = "127.0.0.2", "127.0.0.3"


class Phone:
    """A page's stream, and when it read which view."""

    def __init__(self, port: int, number: int) -> None:
        self.heard: dict[int, float] = {}
        self.is_live = self.is_refused = False
        self._port, self._cookie = port, f"companion_phone={number:043d}"
        self.job = gevent.spawn(self._listen)

    def _listen(self) -> None:
        with socket.create_connection(("127.0.0.1", self._port)) as self.line:
            line = self.line
            asks = (
                f"GET /events?page={self._cookie} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {self._cookie}\r\n"
                "Accept-Encoding: gzip, deflate\r\n\r\n"
            )
            line.sendall(asks.encode())
            answer = line.makefile("rb")
            self.is_refused = b" 200 " not in answer.readline()
            while answer.readline().strip():
                pass
            unpacked = zlib.decompressobj(wbits=31)
            while not self.is_refused and (size := int(answer.readline(), 16)):
                for line_ in unpacked.decompress(answer.read(size + 2)[:-2]).split(b"\n"):
                    if line_.startswith(b"id: "):
                        self.heard.setdefault(int(line_[4:]), time.monotonic())
                        self.is_live = True


def ask(port: int, method: str, path: str, cookie: str = "", body: object = None, at: str = "127.0.0.1") -> Any:
    """One request; its status, cookie and answer."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=(at, 0))
    try:
        headers = {"Cookie": cookie, "Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/json"}
        line.request(method, path, None if body is None else json.dumps(body), headers)
        answer = line.getresponse()
        text = answer.read()
        return answer.status, answer.getheader("Set-Cookie", ""), json.loads(text) if text[:1] == b"{" else text
    finally:
        line.close()


def quantiles(late_s: list[float]) -> dict[str, float]:
    """p50, p95 and p99 in milliseconds."""
    cuts = statistics.quantiles(late_s, n=100, method="inclusive") if len(late_s) > 1 else late_s * 99
    return {f"p{p}_ms": round(1000 * cuts[p - 1]) for p in (50, 95, 99)}


@contextlib.contextmanager
def table(folder: Path, game: str = "suspend") -> Iterator[tuple[subprocess.Popen[str], int, list[float]]]:
    """A demo with its camera running: its process, its port, and when each frame was taken."""
    command = [sys.executable, "-c", COUNTED, "demo", "--game", game, "--host", "0.0.0.0", "--port", "0"]
    frames: list[float] = []
    with (
        (folder / "out").open("w") as out,
        subprocess.Popen([*command, "--data", str(folder)], stdout=out, stderr=subprocess.PIPE, text=True) as process,
    ):

        def count() -> None:
            for line in process.stderr or ():
                if line.startswith("frames"):
                    frames.append(time.monotonic())

        gevent.spawn(count)
        found = None
        while found is None:
            gevent.sleep(0.1)
            assert process.poll() is None, "the table did not start"
            found = re.search(r"virtual table is at http://[^:]+:(\d+)/", (folder / "out").read_text())
        try:
            yield process, int(found[1]), frames
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def used(process: subprocess.Popen[str]) -> tuple[float, int, int]:
    """CPU seconds, resident MB and threads of a process."""
    ticks = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    status = dict(line.split(":", 1) for line in Path(f"/proc/{process.pid}/status").read_text().splitlines())
    cpu_s = (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")
    return cpu_s, int(status["VmRSS"].split()[0]) // 1024, int(status["Threads"])


def hostile(port: int, over: list[bool], held: contextlib.ExitStack) -> None:
    """Half-open connections, streams without a cookie, and taps, as many as one address gets."""
    for turn in itertools.count():
        if over:
            return
        with contextlib.suppress(OSError, http.client.HTTPException):
            half = socket.create_connection(("127.0.0.1", port), source_address=(HOSTILE, 0), timeout=5)
            held.callback(half.close)
            half.sendall(b"GET /events HTTP/1.1\r\nHost: x\r\n" + (b"\r\n" if turn % 2 else b""))
            ask(port, "POST", "/do", "", {"do": "undo", "seat": "A"}, HOSTILE)
        gevent.sleep(0.05)


def measure(phones_: int, pushes: int, pause_s: float) -> dict[str, Any]:
    """Connects, taps, listens; gives the figures."""
    over: list[bool] = []
    with tempfile.TemporaryDirectory() as folder, table(Path(folder)) as (process, port, frames):
        cookie = ask(port, "GET", "/state")[1].split(";")[0]
        sat = ask(port, "POST", "/do", cookie, {"do": "take_seat", "seat": "A", "name": "Ann"})
        assert sat[0] == 200, sat
        alone, alone_s = len(frames), time.monotonic()
        gevent.sleep(3.0)
        alone_fps = (len(frames) - alone) / (time.monotonic() - alone_s)
        began_s, phones = time.monotonic(), [Phone(port, number) for number in range(phones_)]
        while time.monotonic() - began_s < 60 and not all(phone.is_live or phone.is_refused for phone in phones):
            gevent.sleep(0.05)
        live = [phone for phone in phones if phone.is_live]
        all_live_s = time.monotonic() - began_s
        late, taps, newcomers = [], [], []
        cpu_s, frames_before, from_s, own_s = used(process)[0], len(frames), time.monotonic(), time.process_time()
        with contextlib.ExitStack() as held:
            for push in range(pushes):
                if push == pushes // 2:
                    gevent.spawn(hostile, port, over, held)
                sent_s = time.monotonic()
                call = {"do": "call_referee", "seat": "A", "words": f"{push}"}
                answer = ask(port, "POST", "/do", cookie, call)
                taps.append(time.monotonic() - sent_s)
                entry = answer[2]["entry"]
                limit_s = time.monotonic() + 20
                while time.monotonic() < limit_s and not all(entry in phone.heard for phone in live):
                    gevent.sleep(0.005)
                late += [phone.heard.get(entry, limit_s) - sent_s for phone in live]
                ask(port, "POST", "/do", cookie, {"do": "referee_came", "seat": "A", "entry": entry})
                if push >= pushes // 2:
                    came_s = time.monotonic()
                    assert ask(port, "GET", "/?choose", at=NEWCOMER)[0] == 200
                    assert ask(port, "GET", "/state", at=NEWCOMER)[0] == 200
                    newcomers.append(time.monotonic() - came_s)
                gevent.sleep(pause_s)
            over.append(True)
        cpu_after_s, rss_mb, threads = used(process)
        seconds = time.monotonic() - from_s
        fps = (len(frames) - frames_before) / seconds
        return {
            "phones": phones_, "streams": len(live), "all_live_s": round(all_live_s, 1), "pushes": pushes,
            "push": quantiles(late), "tap": quantiles(taps), "newcomer_worst_s": round(max(newcomers), 2),
            "fps_alone": round(alone_fps, 1), "fps": round(fps, 1),
            "server_cpu": round((cpu_after_s - cpu_s) / seconds, 2),
            "phones_cpu": round((time.process_time() - own_s) / seconds, 2), "rss_mb": rss_mb, "threads": threads,
            "load_average": round(os.getloadavg()[0], 1),
        }  # fmt: skip


def main() -> None:
    """Prints what was measured."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--phones", type=int, default=500)
    options.add_argument("--pushes", type=int, default=20)
    options.add_argument("--pause", type=float, default=0.5, help="seconds between two taps")
    given = options.parse_args()
    print(json.dumps(measure(given.phones, given.pushes, given.pause)))


if __name__ == "__main__":
    main()
