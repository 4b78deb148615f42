"""SIGKILL at random moments of whoever keeps a tournament's log: pairings, results and corrections."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

from companion.event.facts import Corrected, Entered, EventBegan, Fact, Reported, drawn, won
from companion.event.fold import fold as fold_event
from companion.event.formats import next_round
from companion.event.hub.desk import HUB, Desk
from companion.event.hub.facts import GameChosen
from companion.event.hub.store import Store, verdicts
from companion.event.refused import EventRefused
from companion.event.settings import Settings
from tests.faults.kills import SOON_S, Forked

PLAYERS, ROUNDS = 16, 100


def _keeps(folder: Path, seed: int, say: Callable[[str], None]) -> None:
    """Goes on with the event of a folder, and says each entry once it is written."""
    rng = random.Random(seed)
    desk = Desk(Store(folder / "hub.db"), time.time, time.monotonic)
    if "cup" not in desk.store.events():
        entered = [Entered(f"p{n}", f"Player {n}", rating=2000 - n) for n in range(PLAYERS)]
        desk.begin("cup", (EventBegan("Cup", Settings(rounds=ROUNDS, seed="7")), GameChosen("suspend"), *entered), HUB)
    while True:
        event = desk.log("cup").tournament
        fact: Fact
        if not event.rounds or (event.rounds[-1].is_over and len(event.rounds) < ROUNDS):
            fact = next_round(event)
        else:
            number = len(event.rounds)
            tables = list(enumerate(event.rounds[-1].tables, 1))
            table, at = rng.choice(tables)
            result = rng.choice((won(0), won(1), drawn()))
            is_new = at.result is None
            fact = Reported(number, table, result) if is_new else Corrected(number, table, result, "wrong slip")
        try:
            say("busy")
            say(f"in {desk.say('cup', fact, HUB).seq}")
        except EventRefused:
            continue


def run(count: int, seed: int, folder: Path) -> dict[str, int]:
    """Kills so often, and checks the log after each."""
    rng = random.Random(seed)
    acknowledged: set[int] = set()
    for _ in range(count):
        child_seed, after = rng.randrange(2**31), rng.randint(1, 15)
        keeper = Forked(lambda say, child_seed=child_seed: _keeps(folder, child_seed, say))
        lines = keeper.killed(lambda told, new, after=after: told.count("busy") >= after, rng.uniform(0, SOON_S))  # type: ignore[misc]
        acknowledged |= {int(line.split()[1]) for line in lines if line.startswith("in ")}
        desk = Desk(Store(folder / "hub.db"), time.time, time.monotonic)
        log = desk.log("cup")
        seqs = [entry.seq for entry in log.entries]
        assert seqs == list(range(1, len(seqs) + 1)), "entries of the event are missing or doubled"
        assert acknowledged <= set(seqs), "an acknowledged entry of the event is lost"
        assert fold_event(log.of_tournament) == log.tournament
        assert not any(found.faults for found in verdicts(folder / "hub.db").values())
        desk.close()
    return {"killed": count, "acknowledged": len(acknowledged), "lost": 0}
