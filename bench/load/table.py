"""Many phones at one table with a running camera: `python -m bench.load table --phones 500`.

The table is `companion demo` in its own process, with its frames counted; phones are streams in this process. A push is
timed on one clock, from sending the tap until a phone has read and unpacked the view. This includes the phones' own
work, all in this process; its share of a processor core is printed. Meanwhile an attacker opens all the connections
that it can, and new visitors come from other addresses.
"""

from __future__ import annotations

from bench.load.phones import PIPE, Phone, ask, attack, newcomer_s, quantiles, server, until, used

# isort: split
import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

import gevent

COUNTED = """
import sys
from companion.app.camera_loop import CameraLoop
import web.table.stream, web.table.app
frames, advance = [0], CameraLoop.advance
def counted(self, match):
    advance(self, match)
    frames[0] += 1
    print("frames", frames[0], file=sys.stderr, flush=True)
CameraLoop.advance = counted
from companion.cli import main
main(sys.argv[1:])
"""
SAYS = r"virtual table is at http://[^:]+:(\d+)/"
PUSH_WAIT_S = 20.0
TAP = {"do": "undo", "seat": "A"}
ATTACKS = (
    b"GET /events HTTP/1.1\r\nHost: x\r\n",
    b"GET /events HTTP/1.1\r\nHost: x\r\n\r\n",
    b"POST /do HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 26\r\n\r\n"
    + json.dumps(TAP).encode(),
)


class TablePhone(Phone):
    """A page of the table, with the time when it read each view."""

    def __init__(self, port: int, number: int) -> None:
        self.heard: dict[int, float] = {}
        cookie = f"companion_phone={number:043d}"
        super().__init__(port, f"/events?page={cookie}", cookie)

    def hears(self, line: bytes) -> None:
        if line.startswith(b"id: "):
            self.heard.setdefault(int(line[4:]), time.monotonic())
            self.is_live = True


def cookie_of(port: int) -> dict[str, str]:
    """The headers of a new phone."""
    return {"Cookie": ask(port, "GET", "/state", {})[1].split(";")[0]}


def measure(phones_: int, pushes: int, pause_s: float) -> dict[str, Any]:
    """Connects, taps and listens; returns the figures."""
    over: list[bool] = []
    frames: list[float] = []
    command = [sys.executable, "-c", COUNTED, "demo", "--game", "suspend", "--host", "0.0.0.0", "--port", "0"]
    with (
        tempfile.TemporaryDirectory() as folder,
        server([*command, "--data", folder], SAYS, stderr=PIPE, bufsize=1) as (process, port),
    ):
        gevent.spawn(lambda: [frames.append(time.monotonic()) for line in process.stderr if line[:6] == "frames"])
        me = cookie_of(port)
        sat = ask(port, "POST", "/do", me, {"do": "take_seat", "seat": "A", "name": "Ann"})
        assert sat[0] == 200, sat
        alone, alone_s = len(frames), time.monotonic()
        gevent.sleep(3.0)
        alone_fps = (len(frames) - alone) / (time.monotonic() - alone_s)
        began_s, phones = time.monotonic(), [TablePhone(port, number) for number in range(phones_)]
        until(lambda: all(phone.is_live or phone.is_refused for phone in phones), 60)
        live = [phone for phone in phones if phone.is_live]
        all_live_s = time.monotonic() - began_s
        late, taps, newcomers = [], [], []
        before, frames_before, from_s, own_s = used(process), len(frames), time.monotonic(), time.process_time()
        for push in range(pushes):
            if push == pushes // 2:
                gevent.spawn(attack, port, ATTACKS, over, 0.05)
            sent_s = time.monotonic()
            answer = ask(port, "POST", "/do", me, {"do": "call_referee", "seat": "A", "words": f"{push}"})
            taps.append(time.monotonic() - sent_s)
            entry = answer[2]["entry"]
            until(lambda entry=entry: all(entry in phone.heard for phone in live), PUSH_WAIT_S)
            late += [phone.heard.get(entry, sent_s + PUSH_WAIT_S) - sent_s for phone in live]
            ask(port, "POST", "/do", me, {"do": "referee_came", "seat": "A", "entry": entry})
            if push >= pushes // 2:
                newcomers.append(newcomer_s(port, "/?choose", "/state"))
            gevent.sleep(pause_s)
        over.append(True)
        after, seconds = used(process), time.monotonic() - from_s
        return {
            "phones": phones_, "streams": len(live), "all_live_s": round(all_live_s, 1), "pushes": pushes,
            "push": quantiles(late), "tap": quantiles(taps), "newcomer_worst_s": round(max(newcomers), 2),
            "fps_alone": round(alone_fps, 1), "fps": round((len(frames) - frames_before) / seconds, 1),
            "server_cpu": round((after["cpu_s"] - before["cpu_s"]) / seconds, 2),
            "phones_cpu": round((time.process_time() - own_s) / seconds, 2), "rss_mb": after["rss_mb"],
            "threads": after["threads"], "load_average": round(os.getloadavg()[0], 1),
        }  # fmt: skip


def main(argv: Sequence[str]) -> None:
    """Prints the figures."""
    options = argparse.ArgumentParser(prog="python -m bench.load table", description=__doc__)
    options.add_argument("--phones", type=int, default=500)
    options.add_argument("--pushes", type=int, default=20)
    options.add_argument("--pause", type=float, default=0.5, help="seconds between two taps")
    given = options.parse_args(argv)
    print(json.dumps(measure(given.phones, given.pushes, given.pause)))
