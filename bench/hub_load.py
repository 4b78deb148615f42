"""A thousand phones on one hub, and their delay for a round and for results: `python -m bench.hub_load --phones 1000`.

The hub is the process of `companion hub` itself; phones are streams in another process. The delay runs from the commit
of an entry until the phone has read the change, on one clock.
"""

from __future__ import annotations

from gevent import monkey

monkey.patch_all()

import argparse  # noqa: E402
import http.client  # noqa: E402
import itertools  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import random  # noqa: E402
import re  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402
import statistics  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
import urllib.request  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import gevent  # noqa: E402

from companion.app.hub_server import SPARE_FILES  # noqa: E402
from companion.event.facts import Began, Entered  # noqa: E402
from companion.event.hub.desk import HUB, Desk  # noqa: E402
from companion.event.hub.facts import Played  # noqa: E402
from companion.event.hub.people import People  # noqa: E402
from companion.event.hub.roles import Role  # noqa: E402
from companion.event.hub.store import HOUSE, Store  # noqa: E402
from companion.event.settings import Settings  # noqa: E402
from web.site.server import ASKING  # noqa: E402

POLL_S = 5.0
"""As web/static/hub/live.js."""
HOSTILE, NEWCOMER = "127.0.0.2", "127.0.0.3"
HELD = 200
"""Connections that each of the hostile address's programs keeps."""


class Phone:
    """A player's page: its stream, and when it heard what."""

    def __init__(self, port: int, token: str) -> None:
        self.heard: list[tuple[float, int, int, bool]] = []
        """When, the number of the book, the round, whether the own table has its result."""
        self.has_stream = True
        self._port, self._token = port, token
        self.job = gevent.spawn(self._listen)

    def _listen(self) -> None:
        while not self._streams():
            self.has_stream = False
            me = call(self._port, "GET", "/e/cup/me.json", self._token)
            self._hears(me)
            gevent.sleep(POLL_S * random.uniform(0.75, 1.25))

    def _streams(self) -> bool:
        """Reads a stream to its end. False if the hub had no place for it."""
        with socket.create_connection(("127.0.0.1", self._port)) as line:
            line.sendall(
                f"GET /e/cup/news?me HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: hub_cup={self._token}\r\n\r\n".encode()
            )
            buffer = b""
            while got := line.recv(65536):
                buffer += got
                if buffer.startswith(b"HTTP/1.1 503"):
                    return False
                *whole, buffer = buffer.split(b"\n\n")
                for event in whole:
                    found = re.search(rb"event: me\r?\ndata: (.*)", event)
                    if found:
                        text = found[1].split(b"\r\n")[0]
                        self._hears(json.loads(text))
        return True

    def _hears(self, me: Any) -> None:
        at = me["at"] or {}
        self.heard.append((time.time(), me["seq"], me["round"], bool(at.get("result"))))


def call(port: int, method: str, path: str, token: str, given: object = None) -> Any:
    """A program's call of the API."""
    asked = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}",
        data=None if given is None else json.dumps(given).encode(),
        method=method,
        headers={"Authorization": f"Bearer {token}"},
    )
    with urllib.request.urlopen(asked, timeout=60) as answer:
        return json.load(answer)


def quantiles(late_ms: list[float]) -> dict[str, float]:
    """p50, p95, most."""
    cuts = statistics.quantiles(late_ms, n=20) if len(late_ms) > 1 else late_ms * 19
    return {"p50_ms": round(cuts[9]), "p95_ms": round(cuts[18]), "most_ms": round(max(late_ms))}


def main() -> None:
    """Prints one JSON line for each thing that was measured."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--phones", type=int, default=1000)
    options.add_argument("--players", type=int, default=300, help="the other phones watch the same players")
    options.add_argument("--results-a-second", type=float, default=5.0)
    options.add_argument("--places", type=int, help="streams that the hub may have; the phones past it ask")
    options.add_argument("--hostile", type=int, default=0, help="of one address, in the second round: so many at once")
    options.add_argument("--database", help="default: an SQLite file")
    given = options.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="hub-load-"))
    database = given.database or str(folder / "hub.db")
    store = Store(database)
    desk = Desk(store, time.time, time.monotonic)
    people = People(desk)
    entered = [Entered(f"p{n}", f"Player {n}", rating=2000 - n) for n in range(given.players)]
    desk.begin("cup", (Began("Cup", Settings(rounds=5, seed="7")), Played("eyes_of_the_emperor"), *entered), HUB)
    tokens = [people.let_in("cup", Role.PLAYER, "x", f"p{n % given.players}") for n in range(given.phones)]
    organiser = people.let_in(HOUSE, Role.ORGANISER, "Olga", None)
    desk.close()
    store.close()

    command = [sys.executable, "-m", "companion", "hub", "--data", str(folder), "--host", "127.0.0.1", "--port", "0"]
    environment = {**os.environ, "COMPANION_HUB_DATABASE": database}
    if given.places is not None:
        command = ["prlimit", f"--nofile={given.places * ASKING // (ASKING - 1) + SPARE_FILES}", "--", *command]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as hub:
        port = next(int(found[1]) for line in hub.stdout or () if (found := re.search(r"hub is at .*:(\d+)/", line)))
        began_s = time.monotonic()
        phones = [Phone(port, token) for token in tokens]
        while not all(phone.heard for phone in phones):
            gevent.sleep(0.05)
        asking = sum(not phone.has_stream for phone in phones)
        print(
            json.dumps({"phones": len(phones), "asking": asking, "all_live_s": round(time.monotonic() - began_s, 2)}),
            flush=True,
        )
        over: list[bool] = []
        for round_ in (1, 2):
            if round_ == 2 and given.hostile:
                for _ in range(given.hostile):
                    gevent.spawn(_hostile, port, over)
                newcomers = gevent.spawn(_newcomers, port, over)
            _round(port, organiser, phones, round_, given.results_a_second)
        over.append(True)
        if given.hostile:
            print(
                json.dumps({"newcomers under attack": len(newcomers.get()), **quantiles(newcomers.get())}), flush=True
            )
        rss = next(ln for ln in Path(f"/proc/{hub.pid}/status").read_text().splitlines() if ln.startswith("VmRSS"))
        ticks = Path(f"/proc/{hub.pid}/stat").read_text().rsplit(")", 1)[1].split()
        cpu_s = (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")
        print(json.dumps({"hub_rss_mb": int(rss.split()[1]) // 1024, "hub_cpu_s": round(cpu_s, 1),
                          "load_average": os.getloadavg()[0]}))  # fmt: skip
        hub.send_signal(signal.SIGTERM)
        hub.wait(20)


def _round(port: int, token: str, phones: list[Phone], round_: int, rate: float) -> None:
    before: int = call(port, "GET", "/api/v1/events/cup", token)["seq"]
    call(port, "POST", "/api/v1/events/cup/rounds", token, {})
    paired_s = next(entry["at_s"] for entry in _entries(port, token, before))
    _until(lambda: all(any(heard[2] == round_ for heard in phone.heard) for phone in phones))
    late = [1000 * (next(heard[0] for heard in phone.heard if heard[2] == round_) - paired_s) for phone in phones]
    _prints(round_, "pairing to every phone", late, phones)
    tables = call(port, "GET", f"/api/v1/events/cup/rounds/{round_}", token)["tables"]
    for table in tables:
        path = f"/api/v1/events/cup/rounds/{round_}/tables/{table['table']}"
        gevent.spawn(call, port, "PUT", path, token, {"result": {"places": [1, 2]}})
        gevent.sleep(1 / rate)
    told = lambda phone: any(heard[2] == round_ and heard[3] for heard in phone.heard)  # noqa: E731
    _until(lambda: all(told(phone) for phone in phones))
    reported = {
        entry["fact"]["table"]: entry["at_s"]
        for entry in _entries(port, token, before)
        if entry["fact"]["kind"] == "reported" and entry["fact"]["round"] == round_
    }
    at = {who: reported[table["table"]] for table in tables for who in table["entrants"]}
    players = len(at)
    late = [
        1000 * (next(h[0] for h in phone.heard if h[2] == round_ and h[3]) - at[f"p{n % players}"])
        for n, phone in enumerate(phones)
    ]
    _prints(round_, "a result to its players", late, phones)


def _hostile(port: int, over: list[bool]) -> None:
    """Takes as much from a hub as one address can: pages as fast as they come, streams, requests that never end."""
    held = []
    for turn in itertools.count():
        if over:
            break
        try:
            line = socket.create_connection(("127.0.0.1", port), source_address=(HOSTILE, 0), timeout=5)
            asks = (
                b"GET /e/cup/news HTTP/1.1\r\nHost: 127.0.0.1\r\n",
                b"GET /e/cup HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            )
            line.sendall(asks[turn % 2] + b"\r\n" * (turn % 4 == 0))
            held.append(line)
            if turn % 2:
                line.recv(100_000)
        except OSError:
            gevent.sleep(0.01)
        while len(held) > HELD:
            held.pop(0).close()


def _newcomers(port: int, over: list[bool]) -> list[float]:
    """The wait of somebody else for the event's page meanwhile, in milliseconds."""
    late_ms = []
    while not over:
        came_s = time.monotonic()
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=30, source_address=(NEWCOMER, 0))
        line.request("GET", "/e/cup")
        answer = line.getresponse()
        assert answer.status == 200, answer.status
        answer.read()
        late_ms.append(1000 * (time.monotonic() - came_s))
        line.close()
        gevent.sleep(0.5)
    return late_ms


def _prints(round_: int, what: str, late: list[float], phones: list[Phone]) -> None:
    for kind, is_mine in (("told", True), ("asking", False)):
        mine = [ms for ms, phone in zip(late, phones, strict=True) if phone.has_stream is is_mine]
        if mine:
            print(json.dumps({"round": round_, "what": what, kind: len(mine), **quantiles(mine)}), flush=True)


def _entries(port: int, token: str, after: int) -> list[Any]:
    found: list[Any] = call(port, "GET", f"/api/v1/events/cup/entries?after={after}", token)["entries"]
    return found


def _until(holds: Any, timeout_s: float = 120.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not holds():
        if time.monotonic() > deadline:
            raise SystemExit("a phone never heard it")
        gevent.sleep(0.02)


if __name__ == "__main__":
    main()
