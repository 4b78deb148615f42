"""Many tables, five rounds, and the failures of a hall: `python -m bench.load soak --tables 60`.

A real mosquitto uses the files of `companion hub broker`. One or more real `companion hub` processes run; the tables'
own code and disks are in this process. The broker is killed in rounds 2 and 4, a hub in round 3, and in round 5 the
PostgreSQL server, if there is one. In rounds 3 and 5 the processes of a few tables are killed as soon as a result is on
their disk. In round 4 ten tables have no network for the whole round, and return with their results. At the end every
result must have arrived once, and the standings must equal those of the same event without failures.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bench.servers import Mosquitto, Postgres, free_port, listens, wait
from companion.event.facts import Entered, EventBegan, EventEntry, Reported, Result, drawn, won
from companion.event.fold import enter
from companion.event.formats import next_round
from companion.event.hub.desk import HUB, Desk
from companion.event.hub.facts import Assigned, Enrolled, Fact, GameChosen
from companion.event.hub.link import HubMessage, Orders
from companion.event.hub.mqtt import Credentials, MqttTransport, table_transport, written
from companion.event.hub.outbox import Outbox
from companion.event.hub.store import HUB_ID, Store
from companion.event.hub.table_end import TableEnd
from companion.event.settings import Settings
from companion.event.standings import standings

OFFLINE = 10
KILLED = 3
"""Tables whose process is killed in a round."""
PATIENCE_S = 600.0
"""Timeout of each step, s: enough for a machine that others keep busy too."""


def result_at(round_: int, seats: tuple[str, ...]) -> Result:
    """Result of a table: the same in every run, whichever table the two sit at."""
    return random.Random(f"{round_} {sorted(seats)}").choice((won(0), won(1), drawn()))


def box_of(given: Credentials, folder: Path) -> tuple[TableEnd, MqttTransport]:
    """A table's end of the link, with what its disk holds."""
    end = TableEnd(given.name, Outbox(folder / given.name), again_s=2.0)
    transport = table_transport(given, end.heard, end.opened)
    end.begin(transport)
    return end, transport


def box_process(given: Credentials, folder: Path, told: HubMessage, pipe: Any) -> None:
    """A table in a process of its own: it says on the pipe when the result is on its disk, and waits to be killed."""
    end, _ = box_of(given, folder)
    end.tells(told)
    pipe.send(True)
    threading.Event().wait()


def facts(players: int, rounds: int) -> list[Fact]:
    """First entries of the event."""
    entered = [Entered(f"p{n}", f"Player {n}", rating=2000 - n) for n in range(players)]
    return [EventBegan("HallProcesses", Settings(rounds=rounds, seed="7")), GameChosen("eyes_of_the_emperor"), *entered]


def undisturbed(players: int, rounds: int) -> list[tuple[str, int]]:
    """The standings of the same event without any hub."""
    entries: tuple[EventEntry, ...] = ()
    for fact in facts(players, rounds):
        if not isinstance(fact, GameChosen):
            entries, event = enter(entries, fact, "paper")  # type: ignore[arg-type]
    for round_ in range(1, rounds + 1):
        entries, event = enter(entries, next_round(event), "paper")
        for number, table in enumerate(event.rounds[-1].tables, 1):
            entries, event = enter(entries, Reported(round_, number, result_at(round_, table.seats)), "paper")
    return [(row.entrant, row.place) for row in standings(event).rows]


class HallProcesses:
    """Broker, hubs and tables."""

    def __init__(self, folder: Path, tables: int, database: str, hubs: int, brokers: Mosquitto) -> None:
        self.folder, self.database, self.brokers = folder, database, brokers
        self.hub_file = folder / "hub.json"
        self.hub_file.write_bytes(written(brokers.hub))
        boxes = [f"t{n}" for n in range(1, tables + 1)]
        given = {box: brokers.enroll(box) for box in boxes}
        brokers.start()
        self.store = Store(database)
        self.desk = Desk(self.store, time.time, time.monotonic)
        self.desk.say(HUB_ID, tuple(Enrolled(box) for box in boxes), HUB)
        self.ports = [free_port() for _ in range(hubs)]
        self.hubs: list[subprocess.Popen[bytes]] = []
        for n in range(hubs):
            self.start_hub(n)
        self.given = given
        self.transports: dict[str, MqttTransport] = {}
        self.ends: dict[str, TableEnd] = {}
        for box in boxes:
            self.start_box(box)

    def start_box(self, box: str) -> None:
        """Starts a table, or starts it again with its disk."""
        self.ends[box], self.transports[box] = box_of(self.given[box], self.folder)

    def kill_box(self, told: HubMessage, box: str) -> None:
        """A table's process is killed as soon as a result is on its disk; then the table starts again."""
        self.ends[box].close()
        made = get_context("spawn")
        ours, theirs = made.Pipe()
        process = made.Process(target=box_process, args=(self.given[box], self.folder, told, theirs))
        process.start()
        ours.recv()
        process.kill()
        process.join()
        self.start_box(box)

    def orders_of(self, round_: int) -> dict[str, Orders]:
        """Each table's orders for a round, once all tables have theirs: no order goes back."""
        has_all = lambda: all(end.orders.round == round_ for end in self.ends.values())  # noqa: E731
        wait(has_all, PATIENCE_S, f"round {round_}: orders did not arrive")
        return {box: end.orders for box, end in self.ends.items()}

    def start_hub(self, n: int) -> None:
        """Starts a hub process, or starts it again."""
        command = [
            sys.executable, "-m", "companion", "hub", "--data", str(self.folder), "--database", self.database,
            "--host", "127.0.0.1", "--port", str(self.ports[n]), "--mqtt", str(self.hub_file),
        ]  # fmt: skip
        with open(self.folder / f"hub{n}.log", "ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        self.hubs[n:] = [process, *self.hubs[n + 1 :]]
        wait(lambda: listens(self.ports[n]), PATIENCE_S, "the hub does not listen")

    def kill_hub(self, n: int) -> None:
        """Kills a hub process."""
        self.hubs[n].kill()
        self.hubs[n].wait()

    def close(self) -> None:
        """Ends all of it."""
        for end in self.ends.values():
            end.close()
        self.desk.close()
        self.store.close()
        for hub in self.hubs:
            hub.send_signal(signal.SIGTERM)
        for hub in self.hubs:
            hub.wait(20)
        self.brokers.kill()


def play(hall: HallProcesses, players: int, rounds: int, postgres: Postgres | None) -> dict[str, object]:
    """Plays the event; gives what was counted."""
    desk = hall.desk
    desk.begin("hall", facts(players, rounds), HUB)
    said = boxes_killed = 0
    began_s = time.monotonic()
    for round_ in range(1, rounds + 1):
        paired = next_round(desk.log("hall").tournament)
        boxes = zip(range(1, len(paired.tables) + 1), hall.ends, strict=False)
        desk.say("hall", (paired, *(Assigned(round_, number, box) for number, box in boxes)), HUB)
        told_orders = hall.orders_of(round_)
        away = list(hall.ends)[: min(OFFLINE, len(hall.ends) // 3)] if round_ == 4 else []
        for box in away:
            hall.transports[box].close()
        seats = {n: table.seats for n, table in enumerate(desk.log("hall").tournament.rounds[-1].tables, 1)}
        for at, (box, end) in enumerate(hall.ends.items()):
            orders = told_orders[box]
            told = HubMessage(f"{orders.id}:match", orders.id, result_at(round_, seats[orders.table]))
            if round_ in (3, 5) and 0 < at - len(hall.ends) // 2 <= KILLED:
                hall.kill_box(told, box)
                boxes_killed += 1
            else:
                end.tells(told)
            said += 1
            if at % 7 == 0:
                end.tells(told)  # a table that was started again says it again
            if at == len(hall.ends) // 3 and round_ in (2, 4):
                hall.brokers.kill()
            if at == len(hall.ends) // 2 and round_ == 3:
                hall.kill_hub(0)
            if at == len(hall.ends) // 3 and round_ == 5 and postgres is not None:
                postgres.kill()
        if round_ in (2, 4):
            time.sleep(1.0)  # a hall without a broker
            hall.brokers.start()
        if round_ == 3:
            time.sleep(1.0)
            hall.start_hub(0)
        if round_ == 5 and postgres is not None:
            time.sleep(1.0)
            postgres.start()
        away_tables = {told_orders[box].table for box in away}
        tables = range(1, len(seats) + 1)
        wait(
            lambda tables=tables, away=away_tables: all(
                desk.log("hall").tournament.rounds[-1].tables[n - 1].result for n in tables if n not in away
            ),
            PATIENCE_S,
            f"round {round_}: results did not arrive",
        )  # fmt: skip
        hall.brokers.start()
        for box in away:
            end = hall.ends[box]
            end._transport = hall.transports[box] = table_transport(hall.given[box], end.heard, end.opened)
            hall.transports[box].open()
        wait(lambda: desk.log("hall").tournament.rounds[-1].is_over, PATIENCE_S, f"round {round_}: is not complete")
        print(json.dumps({"round": round_, "s": round(time.monotonic() - began_s, 1)}), file=sys.stderr, flush=True)
    wait(lambda: not any(end.waiting for end in hall.ends.values()), PATIENCE_S, "outboxes are not empty")
    log = desk.log("hall")
    reported = [entry for entry in log.entries if isinstance(entry.fact, Reported)]
    return {
        "said": said,
        "arrived": len(reported),
        "twice": len(reported) - len({(e.fact.round, e.fact.table) for e in reported if isinstance(e.fact, Reported)}),
        "standings_equal": [(row.entrant, row.place) for row in standings(log.tournament).rows]
        == undisturbed(players, rounds),
        "calls": len(log.calls),
        "boxes_killed": boxes_killed,
        "s": round(time.monotonic() - began_s, 1),
    }


def main(argv: Sequence[str]) -> None:
    """Prints one JSON line; status 1 where something was lost or doubled."""
    options = argparse.ArgumentParser(prog="python -m bench.load soak", description=__doc__)
    options.add_argument("--tables", type=int, default=60)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--hubs", type=int, default=1)
    options.add_argument("--postgresql", action="store_true", help="its own server, killed in round 5; default: SQLite")
    given = options.parse_args(argv)
    folder = Path(tempfile.mkdtemp(prefix="hub-soak-"))
    folder.chmod(0o755)  # PostgreSQL runs as another user
    postgres = Postgres(folder / "postgresql") if given.postgresql else None
    database = postgres.new() if postgres is not None else str(folder / "hub" / "hub.db")
    brokers = Mosquitto(folder / "hub" / "broker")
    hall = HallProcesses(folder, given.tables, database, given.hubs, brokers)
    try:
        counted = play(hall, 2 * given.tables, given.rounds, postgres)
    finally:
        hall.close()
        if postgres is not None:
            postgres.kill()
    kind = "postgresql" if given.postgresql else "sqlite"
    print(json.dumps({"tables": given.tables, "database": kind, "hubs": given.hubs,
                      **counted,
                      "load_average": round(os.getloadavg()[0], 1)}))  # fmt: skip
    is_good = counted["arrived"] == counted["said"] and not counted["twice"] and counted["standings_equal"]
    sys.exit(not is_good)
