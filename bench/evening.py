"""An evening at one table in real time: `python -m bench.evening --minutes 30`. A JSON line a minute, one at the end.

`companion demo` of Eyes of the Emperor runs with its camera on and phones listening. Two ninjas are thrown, the throw
is ended, questions are answered, then everything is taken back and picked up again, so the match never ends. These must
stay constant: the server's memory, its threads, its open files, and the time of a tap.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import bench.load as load  # it patches the sockets first

GAME = "eyes_of_the_emperor"
SEATS = {"red": ("Ann", (377.5, 350.0)), "blue": ("Ben", (622.5, 350.0))}
AIMS_MM = {"red": (622.5, 300.0), "blue": (377.5, 300.0)}


class Evening:
    """Two people at their phones, and their hands at the virtual table."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies = {}
        self.taps_s: list[float] = []
        self.throws = self.questions = 0
        number = ""
        for seat, (name, _) in SEATS.items():
            cookie = load.ask(port, "GET", "/state")[1].split(";")[0]
            tap = {"do": "take_seat", "seat": seat, "name": name, "number": number}
            status, _, answer = load.ask(port, "POST", "/do", cookie, tap)
            assert status == 200, answer
            self.cookies[seat] = cookie

    def taps(self, seat: str, **tap: Any) -> Any:
        """One tap of a seat's phone: status and answer, its time kept."""
        began_s = time.monotonic()
        status, _, answer = load.ask(self.port, "POST", "/do", self.cookies[seat], {"seat": seat, **tap})
        if tap["do"] != "end_throw":  # that one waits for the table
            self.taps_s.append(time.monotonic() - began_s)
        return status, answer

    def hand(self, **deed: Any) -> Any:
        """Sends an action of a hand at the virtual table."""
        return load.ask(self.port, "POST", "/table/do", "", deed)[2]

    def view(self, seat: str = "red") -> Any:
        """The view on a seat's phone."""
        return load.ask(self.port, "GET", f"/state?seat={seat}", self.cookies[seat])[2]

    def turn(self) -> None:
        """Both throw, the throw is judged and taken back, the pieces are picked up."""
        thrown = []
        for seat, (_, from_mm) in SEATS.items():
            deed = self.hand(do="throw", seat=seat, kind="ninja", from_mm=from_mm, aim_mm=AIMS_MM[seat], power=0.3)
            thrown.append(deed.get("id"))
        load.gevent.sleep(2.0)
        self.taps("red", do="end_throw")
        for _ in range(40):
            view = self.view()
            question = view.get("question")
            if question is not None:
                self.questions += 1
                for seat in SEATS:
                    self.taps(
                        seat, do="answer", question=question["id"], choice=question["choices"][0]["key"], reason="x"
                    )
            elif view.get("waiting") is None:
                break
            load.gevent.sleep(0.25)
        self.throws += 1
        if (undo := self.view().get("undo")) is not None:
            self.taps("red", do="undo", entry=undo["entry"])
        for id in filter(None, thrown):
            self.hand(do="remove", id=id)


def now(process: Any) -> dict[str, Any]:
    """Memory, threads, open files and processor time of the server."""
    cpu_s, rss_mb, threads = load.used(process)
    return {"rss_mb": rss_mb, "threads": threads, "files": len(os.listdir(f"/proc/{process.pid}/fd")), "cpu_s": cpu_s}


def main() -> None:
    """Prints what was measured."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=float, default=30.0)
    options.add_argument("--phones", type=int, default=20)
    options.add_argument("--pause", type=float, default=8.0, help="seconds between two throws")
    given = options.parse_args()
    lines: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder, load.table(Path(folder), GAME) as (process, port, frames):
        evening = Evening(port)
        phones = [load.Phone(port, number) for number in range(given.phones)]
        began_s = minute_s = time.monotonic()
        counted = 0
        while time.monotonic() - began_s < 60 * given.minutes:
            evening.turn()
            if time.monotonic() - minute_s >= 60:
                fps = (len(frames) - counted) / (time.monotonic() - minute_s)
                minute_s, counted = time.monotonic(), len(frames)
                line = {
                    "minute": round((minute_s - began_s) / 60, 1), **now(process),
                    "tap": load.quantiles(evening.taps_s),
                    "throws": evening.throws, "questions": evening.questions, "fps": round(fps, 1),
                    "streams": sum(phone.is_live for phone in phones), "load_average": round(os.getloadavg()[0], 1),
                }  # fmt: skip
                evening.taps_s.clear()
                lines.append(line)
                print(json.dumps(line), flush=True)
            load.gevent.sleep(given.pause)
    third = max(1, len(lines) // 3)
    print(json.dumps({what: [_mean(lines[third : 2 * third], what), _mean(lines[-third:], what)] for what in
                      ("rss_mb", "threads", "files")}))  # fmt: skip


def _mean(lines: list[dict[str, Any]], what: str) -> float:
    return round(sum(line[what] for line in lines) / max(1, len(lines)), 1)


if __name__ == "__main__":
    main()
