"""A thousand phones on one hub, and their delay for a round and for results: `python -m bench.load hub --phones 1000`.

The hub is the process of `companion hub` itself; phones are streams in another process. The delay runs from the commit
of an entry until the phone has read the change, on one clock.
"""

from __future__ import annotations

from bench.load.phones import Phone, ask, attack, newcomer_s, quantiles, server, until, used

# isort: split
import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gevent

from companion.app.hub_server import SPARE_FILES
from companion.event.facts import Entered, EventBegan
from companion.event.hub.desk import HUB, Desk
from companion.event.hub.facts import GameChosen
from companion.event.hub.people import Admissions
from companion.event.hub.roles import Role
from companion.event.hub.store import HUB_ID, Store
from companion.event.settings import Settings
from web.site.server import ASKING

POLL_S = 5.0
"""Seconds between polls, as in web/static/hub/live.js."""
WAIT_S = 120.0
SAYS = r"hub is at .*:(\d+)/"
ATTACKS = (
    b"GET /e/cup/news HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    b"GET /e/cup HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
)


class PlayerPhone(Phone):
    """A player's page: its stream, and the times of its news."""

    def __init__(self, port: int, token: str) -> None:
        self.heard: list[tuple[float, int, bool]] = []
        """When, the round, whether the own table has its result."""
        self._event = b""
        self._me = (port, "GET", "/e/cup/me.json", {"Authorization": f"Bearer {token}"})
        super().__init__(port, "/e/cup/news?me", f"hub_cup={token}")

    def listen(self) -> None:
        super().listen()
        while self.is_refused:  # the hub had no place for its stream
            self._hears(ask(*self._me)[2])
            gevent.sleep(POLL_S * random.uniform(0.75, 1.25))

    def hears(self, line: bytes) -> None:
        kind, _, text = line.strip().partition(b": ")
        if kind == b"event":
            self._event = text
        elif kind == b"data" and self._event == b"me":
            self._hears(json.loads(text))

    def _hears(self, me: Any) -> None:
        at = me["at"] or {}
        self.heard.append((time.time(), me["round"], bool(at.get("result"))))

    def when(self, round_: int, *, has_result: bool) -> float | None:
        """When this phone first read of this round, or of its own result in the round."""
        return next((at_s for at_s, of, has in self.heard if of == round_ and has >= has_result), None)


class Organiser:
    """Pairs and reports through the hub's interface for programs."""

    def __init__(self, port: int, token: str, phones: Sequence[PlayerPhone]) -> None:
        self._port, self._headers, self._phones = port, {"Authorization": f"Bearer {token}"}, phones

    def round(self, round_: int, results_a_second: float) -> None:
        """Pairs a round and reports its results; prints the delays of both."""
        before = self._call("GET", "")["seq"]
        self._call("POST", "/rounds", {})
        paired_s = self._entries(before)[0]["at_s"]
        self._prints(round_, "pairing to every phone", lambda: [paired_s], has_result=False)
        tables = self._call("GET", f"/rounds/{round_}")["tables"]
        for table in tables:
            gevent.spawn(self._call, "PUT", f"/rounds/{round_}/tables/{table['table']}", {"result": {"places": [1, 2]}})
            gevent.sleep(1 / results_a_second)

        def reported_s() -> list[float]:
            facts = [(entry["fact"], entry["at_s"]) for entry in self._entries(before)]
            at_s = {fact["table"]: s for fact, s in facts if fact["kind"] == "reported"}
            of = {who: at_s[table["table"]] for table in tables for who in table["entrants"]}
            return [of[f"p{n}"] for n in range(len(of))]

        self._prints(round_, "a result to its players", reported_s, has_result=True)

    def _prints(self, round_: int, what: str, since: Callable[[], list[float]], *, has_result: bool) -> None:
        """Waits until all phones have read the news; prints the time from `since`, which is in the phones' order."""
        phones = self._phones
        if not until(lambda: all(phone.when(round_, has_result=has_result) for phone in phones), WAIT_S):
            sys.exit("a phone never heard it")
        since_s = since()
        late = [
            (p.when(round_, has_result=has_result) or 0.0) - since_s[n % len(since_s)] for n, p in enumerate(phones)
        ]
        for kind, is_asking in (("told", False), ("asking", True)):
            mine = [s for s, phone in zip(late, phones, strict=True) if phone.is_refused is is_asking]
            if mine:
                print(json.dumps({"round": round_, "what": what, kind: len(mine), **quantiles(mine)}), flush=True)

    def _entries(self, after: int) -> list[Any]:
        found: list[Any] = self._call("GET", f"/entries?after={after}")["entries"]
        return found

    def _call(self, method: str, path: str, given: object = None) -> Any:
        status, _, answer = ask(self._port, method, f"/api/v1/events/cup{path}", self._headers, given)
        assert status < 300, (status, answer)
        return answer


def main(argv: Sequence[str]) -> None:
    """Prints one JSON line per figure."""
    options = argparse.ArgumentParser(prog="python -m bench.load hub", description=__doc__)
    options.add_argument("--phones", type=int, default=1000)
    options.add_argument("--players", type=int, default=300, help="the other phones watch the same players")
    options.add_argument("--results-a-second", type=float, default=5.0)
    options.add_argument("--places", type=int, help="streams that the hub may have; the phones past it ask")
    options.add_argument("--hostile", type=int, default=0, help="attackers of one address, in the second round")
    options.add_argument("--database", help="default: an SQLite file")
    given = options.parse_args(argv)
    folder = Path(tempfile.mkdtemp(prefix="hub-load-"))
    database = given.database or str(folder / "hub.db")
    store = Store(database)
    desk = Desk(store, time.time, time.monotonic)
    people = Admissions(desk)
    entered = [Entered(f"p{n}", f"Player {n}", rating=2000 - n) for n in range(given.players)]
    desk.begin(
        "cup", (EventBegan("Cup", Settings(rounds=5, seed="7")), GameChosen("eyes_of_the_emperor"), *entered), HUB
    )
    tokens = [people.let_in("cup", Role.PLAYER, "x", f"p{n % given.players}") for n in range(given.phones)]
    olga = people.let_in(HUB_ID, Role.ORGANISER, "Olga", None)
    desk.close()
    store.close()
    command = [sys.executable, "-m", "companion", "hub", "--data", str(folder), "--host", "127.0.0.1", "--port", "0"]
    if given.places is not None:
        command = ["prlimit", f"--nofile={given.places * ASKING // (ASKING - 1) + SPARE_FILES}", "--", *command]
    with server(command, SAYS, env={**os.environ, "COMPANION_HUB_DATABASE": database}) as (hub, port):
        began_s, over, newcomers = time.monotonic(), [], []
        phones = [PlayerPhone(port, token) for token in tokens]
        until(lambda: all(phone.heard for phone in phones), WAIT_S)
        asking, all_live_s = sum(phone.is_refused for phone in phones), round(time.monotonic() - began_s, 2)
        print(json.dumps({"phones": len(phones), "asking": asking, "all_live_s": all_live_s}), flush=True)
        organiser = Organiser(port, olga, phones)
        organiser.round(1, given.results_a_second)
        for _ in range(given.hostile):
            gevent.spawn(attack, port, ATTACKS, over)
        coming = gevent.spawn(_come, port, over, newcomers)
        organiser.round(2, given.results_a_second)
        over.append(True)
        coming.join()
        print(json.dumps({"attackers": given.hostile, "newcomers": len(newcomers), **quantiles(newcomers)}))
        print(json.dumps({"hub": used(hub), "load_average": os.getloadavg()[0]}), flush=True)


def _come(port: int, over: list[bool], waited_s: list[float]) -> None:
    """A new visitor asks for the event's page twice a second."""
    while not over:
        waited_s.append(newcomer_s(port, "/e/cup"))
        gevent.sleep(0.5)
