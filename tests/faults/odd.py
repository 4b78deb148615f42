"""A clock that jumps, and phones that vanish, stall and flood: the match goes on, and what it acknowledged is there."""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from companion.game.known import game_named
from companion.match.match import Match
from companion.record.log import Log, read_log
from tests.faults.kills import Told, checked
from tests.faults.playing import AT_ONCE, Player, acknowledging, digest
from web.site.server import Server
from web.table.app import create_app

JUMPS_S = (-1e9, -86400.0, -3600.0, 3600.0, 86400.0 * 400, 1.7e9, -1.7e9, 0.0)
HONEST_TAPS = 20


class JumpingClock:
    """Goes on a second at each look, and now and then anywhere."""

    def __init__(self, seed: int) -> None:
        self._random, self._now_s, self.jumps = random.Random(seed), 1.8e9, 0

    def __call__(self) -> float:
        self._now_s += 1.0
        if self._random.random() < 0.05:
            self.jumps += 1
            self._now_s += self._random.choice(JUMPS_S)
        return self._now_s


def clock_jumps(folder: Path, name: str, seed: int, turns: int = 60) -> dict[str, int]:
    """The box's clock jumps years to and fro while a match is played and killed; the steady clock goes on."""
    told = Told()

    def plays(say: Callable[[str], None]) -> None:
        acknowledging(say)
        clock = JumpingClock(seed)
        log, game = Log(folder / f"{name}-0001.db"), game_named(name)
        numbers = iter(range(2, 10_000))

        def next_log() -> Log:
            return Log(folder / f"{name}-{next(numbers):04d}.db")

        match: Match[Any, Any] = Match(
            game, log, wall_s=clock, monotonic_s=time.monotonic, next_log=next_log, thresholds=AT_ONCE
        )
        player = Player(match, name, seed, say)
        for _ in range(turns):
            player.turn()
        say(f"state {match.view().match} {match.view().seq} {digest(game, match.state)}")
        say(f"jumped {clock.jumps}")
        say("done")

    jumps = told.through(plays, "jumped")
    return {"acknowledged": checked(folder, name, told), "jumps": jumps}


def asked(port: int, method: str, path: str, cookie: str = "", body: object = None, at: str = "127.0.0.1") -> Any:
    """One request of a phone; its status and answer."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=20, source_address=(at, 0))
    try:
        headers = {"Cookie": cookie, "Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/json"}
        line.request(method, path, None if body is None else json.dumps(body), headers)
        answer = line.getresponse()
        text = answer.read()
        return answer.status, answer.getheader("Set-Cookie", ""), json.loads(text) if text[:1] == b"{" else {}
    finally:
        line.close()


def phones(folder: Path, seed: int, hostile: int = 60) -> dict[str, Any]:
    """While two play, others vanish in the middle of a request, stop reading their stream, and flood."""
    rng, name = random.Random(seed), "suspend"
    path = folder / f"{name}-0001.db"
    match: Match[Any, Any] = Match(
        game_named(name), Log(path), wall_s=time.time, monotonic_s=time.monotonic, has_eyes=False, thresholds=AT_ONCE
    )
    acknowledged: list[int] = []
    late_s: list[float] = []
    done: Counter[str] = Counter()
    over = threading.Event()
    app = create_app(match, join_url="http://127.0.0.1/")
    with Server(app, "0.0.0.0", 0).running() as server, contextlib.ExitStack() as held:
        port = server.port
        cookies = []
        for seat in [seat.seat for seat in match.view().seats][:2]:
            cookie = asked(port, "GET", "/state")[1].split(";")[0]
            tap = {"do": "take_seat", "seat": seat, "name": f"P {seat}"}
            status, _, answer = asked(port, "POST", "/do", cookie, tap)
            assert status == 200, answer
            acknowledged.append(answer["entry"])
            cookies.append((cookie, seat))

        def attack(number: int) -> None:
            at = f"127.0.0.{2 + number % 3}"
            while not over.is_set():
                with contextlib.suppress(OSError, http.client.HTTPException):
                    kind = rng.choice(("vanish", "stall", "flood", "half"))
                    done[kind] += 1
                    if kind == "flood":
                        asked(port, "POST", "/do", f"companion_phone={'f' * 43}", {"do": "undo", "seat": "A"}, at)
                        continue
                    line = socket.create_connection(("127.0.0.1", port), source_address=(at, 0), timeout=20)
                    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                    half, stream = (
                        b"POST /do HTTP/1.1\r\nHost: x\r\nContent-Le",
                        b"GET /events HTTP/1.1\r\nHost: x\r\n\r\n",
                    )
                    line.sendall(half if kind == "half" else stream)
                    if kind == "vanish":  # its battery is empty: nothing is said, the connection is reset
                        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        line.close()
                    else:
                        held.callback(line.close)
                if done.total() > hostile * 4:
                    over.wait(0.05)

        threads = [threading.Thread(target=attack, args=(i,), daemon=True) for i in range(6)]
        for thread in threads:
            thread.start()
        while done.total() < hostile:
            over.wait(0.01)
        for i in range(HONEST_TAPS):
            cookie, seat = cookies[i % 2]
            began_s = time.monotonic()
            call = {"do": "call_referee", "seat": seat, "words": f"{i}"}
            status, _, answer = asked(port, "POST", "/do", cookie, call)
            late_s.append(time.monotonic() - began_s)
            if status == 200 and answer["entry"] is not None:
                acknowledged.append(answer["entry"])
                came_to = {"do": "referee_came", "seat": seat, "entry": answer["entry"]}
                status, _, came = asked(port, "POST", "/do", cookie, came_to)
                assert status == 200, came
                acknowledged.append(came["entry"])
        over.set()
        for thread in threads:
            thread.join(25)
    match.close()
    seqs = [entry.seq for entry in read_log(path)]
    assert seqs == list(range(1, len(seqs) + 1))
    assert len(set(acknowledged)) == len(acknowledged) == 2 + 2 * HONEST_TAPS
    assert set(acknowledged) <= set(seqs)
    return {"hostile": done.total(), "acknowledged": len(acknowledged), "slowest_tap_s": round(max(late_s), 2)}
