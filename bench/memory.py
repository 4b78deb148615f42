"""Memory of a long evening: the table over 1,000 throws with 20 phones: `python -m bench.memory`.

The table is its own process, as with `serve`; the phones are streams over loopback. Throws are entered by hand, so no
picture is kept: this measures the match, its views and the server.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import socket
import tempfile
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path

from companion.game.known import game_named
from companion.match.inputs import Act
from companion.match.match import Match
from companion.match.referee import Thresholds
from companion.record.log import Log
from web.site.app import create_app
from web.site.server import Server

GAME = "eyes_of_the_emperor"
LIES = "T red 377.5,350; T blue 622.5,350; E red.1 377.5,350; E red.2 377.5,350; E blue.1 622.5,350; E blue.2 622.5,350"


def table(told: Connection, throws: int, every: int) -> None:
    """The table: plays that many throws and tells its memory in MB as it goes."""
    folder = Path(tempfile.mkdtemp(prefix="companion-memory-"))
    thresholds = Thresholds(objection_s=0.0, hint_s=0.0, answer_s=0.0)
    match = Match(
        game_named(GAME), Log(folder / "m.db"), wall_s=time.time, monotonic_s=time.monotonic, thresholds=thresholds,
        has_eyes=False,
    )  # fmt: skip
    app = create_app(match, join_url="http://192.168.4.1/", max_streams=40)
    with Server(app, "127.0.0.1", 0).running() as server:
        told.send(int(server.url.split(":")[-1].strip("/")))
        told.recv()  # the phones are there
        for n in range(throws + 1):
            if n % every == 0:
                told.send((n, _resident_mb(), threading.active_count()))
            scene = f"{LIES}; N n1 {400 + n % 200},{120 + n % 60}"
            receipt = match.submit(Act(seat="red", move="throw", by="Ann", values={"scene": scene}), timeout_s=60)
            assert receipt.entry is not None, receipt.refused
    match.close()
    told.send(None)


def _resident_mb() -> float:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


def phone(port: int) -> None:
    """Follows the table until it ends."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=120) as line:
        line.sendall(b"GET /events?seat=red HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        while line.recv(1 << 16):
            pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--throws", type=int, default=1000)
    parser.add_argument("--phones", type=int, default=20)
    given = parser.parse_args()
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=table, args=(there, given.throws, 100))
    process.start()
    port = here.recv()
    for _ in range(given.phones):
        threading.Thread(target=phone, args=(port,), daemon=True).start()
    time.sleep(3)
    here.send(None)
    while (said := here.recv()) is not None:
        print(f"{said[0]:5} throws  {said[1]:7.1f} MB  {said[2]} threads", flush=True)
    process.join()


if __name__ == "__main__":
    main()
