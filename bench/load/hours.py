"""Six hours at one table in simulated time: `python -m bench.load hours --hours 6`.

Prints a JSON line every ten simulated minutes. The table (`bench.load.hours_table`) runs in its own process. It plays
all five games by camera, as fast as possible. Phones are streams in this process. Two are seated and tap; the other
phones come and go, some without signing off. These must stay constant from hour to hour: the table's memory, threads
and open files, and the times of a tap and a push. `--write` puts the hours into docs/reliability.md.
"""

from __future__ import annotations

from bench.load.phones import PIPE, Popen, ask, quantiles, used

# isort: split
import argparse
import contextlib
import http.client
import itertools
import json
import os
import random
import socket
import statistics
import struct
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gevent

from bench.load.table import PUSH_WAIT_S, TablePhone, cookie_of
from docs.sections import as_table, write_section

REPORT = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
GO_A_MINUTE = 3
RESETS = struct.pack("ii", 1, 0)


class Visitor(TablePhone):
    """A phone that may leave at any moment, and whose match may have ended."""

    def listen(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            super().listen()

    def goes(self, *, says_so: bool) -> None:
        """Leaves. If not `says_so`, as with an empty battery, it resets the connection."""
        if self.line is not None and not says_so:
            with contextlib.suppress(OSError):
                self.line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESETS)
        self.job.kill()


class Crowd:
    """The phones around a table: seated phones, watching phones, and phones that come and go."""

    def __init__(self, port: int, phones: int, seed: int) -> None:
        self.port, self.random = port, random.Random(seed)
        self._numbers = itertools.count(1)
        self.watching = [self._comes() for _ in range(phones)]
        self.came = self.again = self.refused = 0
        self.taps_s: list[float] = []
        self.pushes_s: list[float] = []
        self.cookies = [cookie_of(port) for _ in range(2)]

    def _comes(self) -> Visitor:
        return Visitor(self.port, next(self._numbers))

    def minute(self) -> None:
        """Runs one minute: phones leave and come, seated phones call the referee and tap."""
        for phone in self.random.sample(self.watching, GO_A_MINUTE):
            phone.goes(says_so=self.random.random() < 0.5)
            self.watching[self.watching.index(phone)] = self._comes()
            self.came += 1
        for i, phone in enumerate(self.watching):
            if phone.job.dead:  # the match it listened to is over
                self.watching[i] = self._comes()
                self.again += 1
        if self.random.random() < 0.1:  # another phone sits down
            self.cookies[self.random.randrange(2)] = cookie_of(self.port)
        for i, cookie in enumerate(self.cookies):
            self._taps(i, cookie)

    def _taps(self, i: int, cookie: dict[str, str]) -> None:
        """Sits down if this phone does not sit yet, and calls the referee, who comes."""
        view = ask(self.port, "GET", "/state", cookie)[2]
        seats = [seat["seat"] for seat in view["seats"]]
        seat = seats[min(i, len(seats) - 1)]
        if seat not in view.get("holds", ()):
            self._tap(cookie, do="take_seat", seat=seat, name=f"P {i}")
        began_s = time.monotonic()
        entry = self._tap(cookie, do="call_referee", seat=seat, words=f"{began_s}")
        if entry is None:
            return
        until_s, left = began_s + PUSH_WAIT_S, list(self.watching)
        while left and time.monotonic() < until_s:
            gevent.sleep(0.005)
            for phone in list(left):
                heard = [at_s for seq, at_s in phone.heard.items() if seq >= entry]
                if heard or phone.job.dead or not phone.is_live:
                    left.remove(phone)
                    self.pushes_s += [min(heard) - began_s] if heard else []
        self.pushes_s += [PUSH_WAIT_S] * len(left)
        self._tap(cookie, do="referee_came", seat=seat, entry=entry)

    def _tap(self, cookie: dict[str, str], **tap: Any) -> int | None:
        began_s = time.monotonic()
        status, _, answer = ask(self.port, "POST", "/do", cookie, tap)
        self.taps_s.append(time.monotonic() - began_s)
        entry: int | None = answer.get("entry") if status == 200 else None
        self.refused += entry is None
        return entry


def measured(hours: float, phones: int, seed: int) -> list[dict[str, Any]]:
    """Plays; returns one line for every ten simulated minutes and for the rest."""
    lines: list[dict[str, Any]] = []
    minutes: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bench.load.hours_table", folder, str(hours), str(seed)]
        table = Popen(command, stdin=PIPE, stdout=PIPE, text=True)
        hall = Crowd(int(table.stdout.readline()), phones, seed)
        began_s = time.monotonic()
        table.stdin.write("\n")
        table.stdin.flush()
        while line := table.stdout.readline():
            hall.taps_s, hall.pushes_s = [], []
            with contextlib.suppress(OSError, http.client.HTTPException):  # the match ended meanwhile
                hall.minute()
            minutes.append(
                json.loads(line) | used(table) | {
                    "taps_s": hall.taps_s, "pushes_s": hall.pushes_s, "came": hall.came, "again": hall.again,
                    "refused": hall.refused, "streams": sum(phone.is_live for phone in hall.watching),
                    "wall_s": round(time.monotonic() - began_s), "load_average": round(os.getloadavg()[0], 1),
                }
            )  # fmt: skip
            if minutes[-1]["minute"] % 10 == 0:
                lines.append(told(minutes[-10:]))
            table.stdin.write("\n")
            table.stdin.flush()
        table.kill()
        table.wait()
    if left := len(minutes) % 10:
        lines.append(told(minutes[-left:]))
    return lines


def told(minutes: list[dict[str, Any]]) -> dict[str, Any]:
    """Prints the line of these minutes, and returns it."""
    line = {**minutes[-1], **over(minutes)}
    print(json.dumps(line), flush=True)
    return line


def over(minutes: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of several minutes together: mean and maximum memory, threads, files, percentiles of taps and
    pushes."""
    memory = [one["rss_mb"] for one in minutes]
    return {
        "rss_mb": round(statistics.mean(memory)), "most_mb": max(memory),
        **{what: [f(one[what] for one in minutes) for f in (min, max)] for what in ("threads", "files")},
        "taps_s": quantiles([s for one in minutes for s in one["taps_s"]]),
        "pushes_s": quantiles([s for one in minutes for s in one["pushes_s"]]),
        "load_average": round(statistics.mean(one["load_average"] for one in minutes), 1),
    }  # fmt: skip


HEAD = (
    *("simulated hour", "matches, throws and moves, entries", "phones that came", "memory, mean and most", "threads"),
    *("open files", "tap p50, p95 of the worst ten minutes", "push, the same", "processor"),
)


def hours_table(lines: list[dict[str, Any]]) -> str:
    """The hours as a table, in the form of docs/reliability.md."""
    rows: list[list[object]] = []
    counts = ("match", "turns", "entries", "came", "cpu_s")
    before: dict[str, Any] = dict.fromkeys(counts, 0)
    for hour, of_hour in itertools.groupby(lines, lambda line: (line["minute"] - 1) // 60):
        tens = list(of_hour)
        grew = {what: tens[-1][what] - before[what] for what in counts}
        before = tens[-1]
        minutes = tens[-1]["minute"] - 60 * hour
        whole = "" if minutes == 60 else f" ({minutes} minutes)"
        memory = f"{statistics.mean(ten['rss_mb'] for ten in tens):.0f}, {max(ten['most_mb'] for ten in tens)} MB"
        played = f"{grew['match']}, {grew['turns']}, {grew['entries']}"
        ranges = [_range(tens, what) for what in ("threads", "files")]
        late = [_late([ten[what] for ten in tens]) for what in ("taps_s", "pushes_s")]
        processor = f"{grew['cpu_s'] / 60:.1f} min"
        rows.append([f"{hour + 1}{whole}", played, grew["came"], memory, *ranges, *late, processor])
    return as_table([*HEAD], rows)


def _late(quantiles: list[dict[str, float]]) -> str:
    """The median p50 and the highest p95."""
    p50 = statistics.median(one["p50_ms"] for one in quantiles)
    return f"{p50:.0f}, {max(one['p95_ms'] for one in quantiles):.0f} ms"


def _range(tens: list[dict[str, Any]], what: str) -> str:
    low, high = min(ten[what][0] for ten in tens), max(ten[what][1] for ten in tens)
    return f"{low}" if low == high else f"{low} to {high}"


def main(argv: Sequence[str]) -> None:
    """Prints the figures; `--write` puts them into docs/reliability.md."""
    options = argparse.ArgumentParser(prog="python -m bench.load hours", description=__doc__)
    options.add_argument("--hours", type=float, default=6.0)
    options.add_argument("--phones", type=int, default=20)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--write", action="store_true")
    given = options.parse_args(argv)
    table = hours_table(measured(given.hours, given.phones, given.seed))
    print(table)
    if given.write:
        write_section("hours", table, REPORT)
