"""Processor time of several hubs for one large event: `python -m bench.load hall --postgresql`.

2,000 tables report through a real mosquitto to four hubs, which are processes with one database. Each hub serves its
own hall and its share of 20,000 phones, which are streams without sockets. Each round prints a JSON line: ms of
processor time per order and per result, of all hubs together, without the time that idle hubs take.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from multiprocessing import dummy, get_context
from pathlib import Path
from typing import Any

import msgspec

from bench.servers import Mosquitto, Postgres, wait
from companion.app.hub_server import collect_seldom
from companion.event.facts import Entered, EventBegan, Reported, won
from companion.event.formats import next_round
from companion.event.hub.desk import HUB, Desk
from companion.event.hub.facts import Assigned, Enrolled, GameChosen, Joined
from companion.event.hub.link import DOWN, UP, HubLink, HubMessage, Orders
from companion.event.hub.mqtt import Credentials, HubTransport, MqttTransport, read_credentials
from companion.event.hub.roles import Role
from companion.event.hub.store import HUB_ID, Store
from companion.event.hub.table_end import AGAIN_S, MOST_AGAIN_S
from companion.event.hub.views import Views
from companion.event.settings import Settings
from web.hub.newsroom import Newsroom, PageStream, Readership
from web.hub.site import Counting

PATIENCE_S = 900.0
IDLE_S = 3.0
MANY = 10**6


class Counted(Counting):
    """Measures the processor time for places: they are computed for at most a fifth of the time, however many results
    come."""

    took_s = 0.0

    def _count(self, event_id: str) -> None:
        began_s = time.thread_time()
        super()._count(event_id)
        self.took_s += time.thread_time() - began_s

    def until_now_s(self) -> float:
        """The time of all threads for places, those too that rest and would count again."""
        found = self.took_s
        for each in threading.enumerate():
            if each.name == "counting":
                with contextlib.suppress(OSError):  # it has just ended
                    found += int(Path(f"/proc/self/task/{each.native_id}/schedstat").read_text().split()[0]) / 1e9
        return found


def hub(n: int, database: str, given: Credentials, phones: list[tuple[str, str]], pipe: Any) -> None:
    """A hub's process. Its answer to each question: its processor time, the time for places, and the number of news
    sent."""
    store = Store(database)
    desk, views = Desk(store, time.time, time.monotonic), Views()
    room = Newsroom(desk, views, MANY, MANY)
    counting = Counted(desk, views, room)
    desk.on_change(counting.changed)
    sent = [0]

    def reads(*pages: PageStream) -> None:
        sent[0] += sum(bool(page.told()) for page in pages)

    link = HubLink(desk, time.monotonic, halls=(f"hall {n}",))
    link.begin(HubTransport(given, f"hub {n}", link.hears, link.on_transport))
    for entrant, device in phones:
        page = room.open(Readership("hall", entrant, "en"), device, "", reads)
        assert page is not None
        page.told()
    collect_seldom()
    while pipe.recv():
        pipe.send((time.process_time(), counting.until_now_s(), sent[0]))
    link.close()
    desk.close()
    store.close()


class Tables:
    """All tables at the broker: their newest orders, and the acknowledged messages."""

    def __init__(self, given: Credentials) -> None:
        self.orders: dict[str, Orders] = {}
        self.done: set[str] = set()
        self._said: dict[str, tuple[str, bytes]] = {}
        self.transport = MqttTransport(given, "tables", (f"{DOWN}/+/+",), self.heard, lambda: None)
        self.transport.open()
        wait(lambda: self.transport.is_open, PATIENCE_S, "the tables do not reach the broker")

    def says(self, box: str, told: HubMessage) -> str:
        """Sends a table's message; returns its id."""
        self._said[told.id] = f"{UP}/{box}/say", msgspec.json.encode(told)
        self.transport.publish(*self._said[told.id])
        return told.id

    def are_done(self, ids: set[str]) -> Callable[[], bool]:
        """Whether all these are acknowledged; those that are not are sent again, as tables do."""
        again_s = AGAIN_S
        next_s = time.monotonic() + again_s

        def holds() -> bool:
            nonlocal again_s, next_s
            if time.monotonic() > next_s:
                again_s = min(2 * again_s, MOST_AGAIN_S)
                next_s = time.monotonic() + again_s
                for id_ in ids - self.done:
                    self.transport.publish(*self._said[id_])
            return ids <= self.done

        return holds

    def heard(self, topic: str, payload: bytes) -> None:
        *_, box, kind = topic.split("/")
        if kind == "orders":
            orders = msgspec.json.decode(payload, type=Orders)
            if not orders.is_older(self.orders.get(box, orders).seen):
                self.orders[box] = orders
        else:
            told = json.loads(payload)
            assert not told.get("refused"), told
            self.done.add(told["id"])


class HubProcesses:
    """The hubs, and the processor time that they have used."""

    def __init__(self, hubs: Sequence[tuple[Any, ...]], *, are_threads: bool) -> None:
        made: Any = dummy if are_threads else get_context("spawn")
        self._pipes, self._jobs = [], []
        for given in hubs:
            ours, theirs = made.Pipe()
            job = made.Process(target=hub, args=(*given, theirs))
            job.start()
            self._pipes.append(ours)
            self._jobs.append(job)
        self.used()
        began = self.used()
        threading.Event().wait(IDLE_S if not are_threads else 0)
        self._idle = [(b - a) / IDLE_S for a, b in zip(began, self.used(), strict=True)]

    def used(self) -> list[float]:
        """Processor time, the time for places, and the number of news sent, of all hubs together."""
        for pipe in self._pipes:
            pipe.send(True)
        return [sum(each) for each in zip(*(pipe.recv() for pipe in self._pipes), strict=True)]

    def settle(self, rest_s: float) -> None:
        """Waits until no hub has sent news for a while."""
        until_s, sent = time.monotonic() + PATIENCE_S, -1.0
        while sent != (sent := self.used()[2]) and time.monotonic() < until_s:
            time.sleep(rest_s)

    def since(self, before: list[float], seconds: float) -> tuple[float, float, float]:
        """Processor time in ms without places and idle time, processor time for places, and the number of news sent."""
        all_s, places_s, sent = (b - a for a, b in zip(before, self.used(), strict=True))
        return 1000 * (all_s - places_s - self._idle[0] * seconds), 1000 * places_s, sent

    def close(self) -> None:
        for pipe, job in zip(self._pipes, self._jobs, strict=True):
            pipe.send(False)
            job.join()


def main(argv: Sequence[str]) -> None:
    """Prints one JSON line per round."""
    options = argparse.ArgumentParser(prog="python -m bench.load hall", description=__doc__)
    options.add_argument("--tables", type=int, default=2000)
    options.add_argument("--phones", type=int, default=20_000)
    options.add_argument("--hubs", type=int, default=4)
    options.add_argument("--rounds", type=int, default=2)
    options.add_argument("--results", type=int, default=500, help="results of a round that come one by one")
    options.add_argument("--a-second", type=float, default=10, help="how many of these come in a second")
    options.add_argument("--rest", type=float, default=5.0, help="seconds without news after which a hub is done")
    options.add_argument("--threads", action="store_true", help="hubs as threads: a test")
    options.add_argument("--postgresql", action="store_true", help="its own server; default: SQLite")
    options.add_argument("--broker", type=Path, help="credentials of a running broker; default: its own mosquitto")
    given = options.parse_args(argv)
    folder = Path(tempfile.mkdtemp(prefix="hub-large-"))
    folder.chmod(0o755)  # PostgreSQL runs as another user
    postgres = Postgres(folder / "postgresql") if given.postgresql else None
    database = postgres.new() if postgres is not None else str(folder / "hub.db")
    broker = Mosquitto(folder / "broker")
    broker.start()
    hub_file = read_credentials(given.broker) if given.broker else broker.hub
    store = Store(database)
    desk = Desk(store, time.time, time.monotonic)
    boxes = [f"t{n}" for n in range(1, given.tables + 1)]
    desk.say(HUB_ID, tuple(Enrolled(box, f"hall {n % given.hubs}") for n, box in enumerate(boxes)), HUB)
    players = [f"p{n}" for n in range(2 * given.tables)]
    entered = [Entered(who, f"Player {who[1:]}", rating=5000 - n) for n, who in enumerate(players)]
    phones = [(players[n % len(players)], f"d{n}") for n in range(given.phones)]
    joined = [Joined(device, Role.PLAYER, who, who) for who, device in phones]
    began = EventBegan("Hall", Settings(rounds=9, seed="7"))
    desk.begin("hall", (began, GameChosen("eyes_of_the_emperor"), *entered, *joined), HUB)
    hubs = HubProcesses(
        [(n, database, hub_file, phones[n :: given.hubs]) for n in range(given.hubs)], are_threads=given.threads
    )
    tables = Tables(hub_file)
    try:
        for round_ in range(1, given.rounds + 1):
            print(json.dumps(played(desk, hubs, tables, boxes, round_, given)), flush=True)
    finally:
        hubs.close()
        tables.transport.close()
        broker.kill()
        desk.close()
        store.close()
        if postgres is not None:
            postgres.kill()


def played(desk: Desk, hubs: HubProcesses, tables: Tables, boxes: list[str], round_: int, given: Any) -> dict[str, Any]:
    """Plays a round; returns its figures."""
    began_s, before = time.thread_time(), hubs.used()
    paired = next_round(desk.log("hall").tournament)
    desk.say("hall", (paired, *(Assigned(round_, n, box) for n, box in enumerate(boxes, 1))), HUB)
    pairing_s, at_s = time.thread_time() - began_s, time.monotonic()
    is_told = lambda: all(tables.orders.get(box, Orders()).round == round_ for box in boxes)  # noqa: E731
    wait(is_told, PATIENCE_S, "orders did not arrive")
    hubs.settle(given.rest)
    orders_ms, _, news = hubs.since(before, time.monotonic() - at_s)

    def enters(n: int) -> str:
        order = tables.orders[f"t{n}"].id
        return tables.says(f"t{n}", HubMessage(f"{order}:m", order, won(n % 2)))

    few = min(given.results, len(boxes))
    before, at_s, sent = hubs.used(), time.monotonic(), set()
    for n in range(1, few + 1):
        sent.add(enters(n))
        time.sleep(max(0.0, at_s + n / given.a_second - time.monotonic()))
    wait(tables.are_done(sent), PATIENCE_S, "results did not arrive")
    results_ms, places_ms, told = hubs.since(before, time.monotonic() - at_s)
    rest = {enters(n) for n in range(few + 1, len(boxes) + 1)}
    wait(tables.are_done(rest), PATIENCE_S, "results did not arrive")
    reported = [entry for entry in desk.log("hall").entries if isinstance(entry.fact, Reported)]
    if len(reported) != round_ * len(boxes):
        raise SystemExit(f"failed: {len(reported)} results are entered, expected {round_ * len(boxes)}")
    return {
        "tables": len(boxes), "phones": given.phones, "hubs": given.hubs, "round": round_,
        "pairing_ms": round(1000 * pairing_s), "orders_and_pairing_ms": round(orders_ms / len(boxes), 2),
        "news_of_pairing": int(news), "result_ms": round(results_ms / few, 2),
        "places_ms": round(places_ms / few, 2), "news_of_a_result": round(told / few, 1),
        "reported": len(reported), "entries": desk.log("hall").seq,
    }  # fmt: skip
