"""The store: append-only, each number once, each key once, on SQLite and on PostgreSQL."""

from __future__ import annotations

import contextlib
import queue
import sqlite3
import threading
from pathlib import Path

import pytest

from companion.event.facts import Reported, won
from companion.event.hub.desk import HUB
from companion.event.hub.facts import HallCalled, HubEntry
from companion.event.hub.store import Store, StoreError, verdicts
from companion.event.refused import EventRefused
from tests.hub.conftest import NAMES
from tests.hub.hall import Hall

OLDER = Path(__file__).parents[1] / "data" / "logs" / "hub-0.1.0.db"


def entry(seq: int, key: str | None = None) -> HubEntry:
    return HubEntry(seq, "Ann", HallCalled(1, seq), 1.5, "device", key)


def enter(store: Store, event: str, *entries: HubEntry) -> None:
    with store.turn(event) as turn:
        turn.enter(entries)


def test_an_event_begins_with_its_first_entries_or_not_at_all(database: str) -> None:
    """A hub that was killed in between left an event without entries: the list of events was refused for ever."""
    store = Store(database)
    with pytest.raises(EventRefused):
        store.begin("cup", 1.0, [entry(1), entry(1)])
    assert store.events() == []
    store.begin("cup", 1.0, [entry(1)])
    assert (store.events(), len(store.entries("cup"))) == (["cup"], 1)
    store.close()


def test_many_hubs_write_one_log_and_nothing_is_lost_doubled_or_tried_in_vain(database: str) -> None:
    """At 2,000 tables with four hubs seven valid results were kept as impossible, and two of three tries failed."""
    first = Hall(database, [f"Player {n}" for n in range(24)])
    first.pairs()
    halls = [first, Hall(database), Hall(database)]
    failed: list[BaseException] = []
    checks = queue.SimpleQueue[int]()
    for hall in halls:
        checked = hall.desk.checked
        hall.desk.checked = lambda *given, checked=checked: (checks.put(1), checked(*given))[1]  # type: ignore[method-assign]

    def report(hall: Hall, tables: range) -> None:
        try:
            for table in tables:
                hall.desk.say("cup", Reported(1, table, won(0)), HUB, key=f"t{table}")
        except BaseException as error:
            failed.append(error)

    # every result is sent by two hubs, as two subscribers of one broker would
    ranges = (range(1, 9), range(5, 13), range(12, 0, -1))
    threads = [threading.Thread(target=report, args=each) for each in zip(halls, ranges, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert checks.qsize() == 12
    logs = [hall.desk.log("cup") for hall in halls]
    assert logs[0].tournament == logs[1].tournament == logs[2].tournament
    assert logs[0].tournament.rounds[0].is_over
    assert sum(isinstance(e.fact, Reported) for e in logs[0].entries) == 12
    assert [e.seq for e in logs[0].entries] == list(range(1, logs[0].seq + 1))
    for hall in halls:
        hall.close()


def test_a_hub_that_starts_again_has_the_same_log(database: str) -> None:
    before = Hall(database, NAMES)
    before.pairs()
    before.reports()
    log = before.log
    before.close()
    after = Hall(database)
    assert after.log == log
    after.close()


def test_an_older_hub_s_database_opens_with_all_that_it_holds(tmp_path: Path) -> None:
    """It was made by Alembic, before hubs made their own tables."""
    path = tmp_path / "hub.db"
    path.write_bytes(OLDER.read_bytes())
    store = Store(path)
    assert store.events() == ["cup"]
    assert [type(entry.fact).__name__ for entry in store.entries("cup")] == [
        "EventBegan",
        "Entered",
        "HallCalled",
        "EntryRetracted",
    ]
    assert store.entries("cup")[2].key == "k3"
    with contextlib.closing(sqlite3.connect(path)) as db:
        (id_,) = db.execute("SELECT id FROM secrets WHERE kind = 'device'").fetchone()
    assert getattr(store.secret(id_), "about", None) == '{"role": "organiser"}'
    enter(store, "cup", entry(5))
    assert len(store.entries("cup")) == 5
    store.close()
    assert (verdicts(path)["cup"].entries, verdicts(path)["cup"].faults) == (5, ())
    before = {line for line in dumped(OLDER) if "alembic_version" not in line}
    assert before <= {*dumped(path)}
    assert dumped(tmp_path / "hub-0001.db") == dumped(OLDER)


def dumped(path: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(path)) as db:
        return [*db.iterdump()]


def test_a_newer_hub_s_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "hub.db"
    Store(path).close()
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE alembic_version SET version_num = '0003'")
        db.commit()
    with pytest.raises(StoreError, match="has version 0003, expected 0002"):
        Store(path)


@pytest.mark.parametrize(
    ("planted", "named"),
    [
        (["DROP TABLE alembic_version", "CREATE VIEW alembic_version AS SELECT '0001' AS version_num"],
         "view alembic_version"),
        (["CREATE TRIGGER new AFTER INSERT ON entries BEGIN DELETE FROM secrets; END"], "trigger new"),
        (["ALTER TABLE entries ADD COLUMN long AS (hex(zeroblob(400000000)))"], "table entries"),
    ],
)  # fmt: skip
def test_what_somebody_planted_in_a_hubs_database_is_refused_before_it_runs(
    tmp_path: Path, planted: list[str], named: str
) -> None:
    """A match log with a planted view hung `verify`; a hub's database is opened in the same way."""
    path = tmp_path / "hub.db"
    store = Store(path)
    enter(store, "cup", entry(1))
    with contextlib.closing(sqlite3.connect(path)) as db:
        for statement in planted:
            db.execute(statement)
        db.commit()
    store.close()
    with pytest.raises(StoreError, match=f"its {named} is none of a hub's"):
        Store(path)
