"""Swiss pairing measured: random events against two oracles, and the time of a round compared with peers.

`python -m bench.pairing --events 5000 [--processes N]` is the whole run, `--events 0` measures the times alone; `make
bench` takes a sample.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.accuracy import as_table, write_section
from bench.pairing_oracle import best_by_networkx, best_by_trying, faults, round_of
from bench.pairing_peer import peer_ms, peer_version
from companion.event.formats import next_round
from companion.event.settings import Settings
from companion.event.simulate import CALM, Simulation, second_byes

SAMPLE = 60
WHOLE = 1000
"""Minimum number of events for a run to be recorded."""
WHERE = "requirements/peers.txt"
TRIED = 10
"""Maximum number of players for trying all pairings."""
PLAYERS, ROUNDS = (9, 60), (5, 9)
SPEED_PLAYERS = (30, 300, 2000)
SPEED_ROUNDS = 7
PEER_PLAYERS = 300
"""Maximum number of players for the peer."""
LIMIT_MS = {300: 100.0, 2000: 3000.0}


@dataclass(frozen=True, slots=True)
class Checked:
    """The results of one event."""

    seed: int
    rounds: int
    tried: int
    """Rounds also checked by trying all pairings."""
    by_hand: int
    """Rounds with a pairing that the organiser set: left out."""
    late: int
    withdrawn: int
    corrected: int
    byes: int
    forced: int
    """Rounds that could not be paired without a rematch."""
    faults: tuple[str, ...]


def checked(seed: int) -> Checked:
    """One random event, with each of its rounds compared with the best possible."""
    rnd = random.Random(seed)
    players, rounds = rnd.randint(*PLAYERS), rnd.randint(*ROUNDS)
    simulation = Simulation(Settings(rounds=rounds, seed=str(seed)), players, seed)
    count: Counter[str] = Counter()
    wrong: list[str] = []
    for event in simulation.run():
        of = round_of(event)
        if len(event.rounds) == rounds or len(of.here) < 2:
            continue
        if event.fixed:
            count["by_hand"] += 1
            continue
        best = best_by_networkx(of)
        if len(of.here) <= TRIED:
            count["tried"] += 1
            if best_by_trying(of) != best:
                wrong.append(f"{seed}: the oracles differ")
        count["rounds"] += 1
        count["forced"] += best[0] > 0
        wrong += [f"{seed} round {len(event.rounds) + 1}: {fault}" for fault in faults(event, next_round(event), best)]
    event = simulation.event
    kinds = Counter(type(entry.fact).__name__ for entry in simulation.entries)
    if kinds["Fixed"] == 0 and second_byes(event):
        wrong.append(f"{seed}: second bye")
    return Checked(
        seed,
        count["rounds"],
        count["tried"],
        count["by_hand"],
        sum(each.first_round > 1 for each in event.entrants.values()),
        kinds["Withdrew"],
        kinds["Corrected"],
        sum(len(played.byes) for played in event.rounds),
        count["forced"],
        tuple(wrong),
    )


def summary(events: Iterable[Checked]) -> tuple[str, list[str]]:
    """The figures in a line, and every fault."""
    all_ = list(events)
    total = {
        name: sum(getattr(each, name) for each in all_)
        for name in ("rounds", "tried", "by_hand", "late", "withdrawn", "corrected", "byes", "forced")
    }
    wrong = [fault for each in all_ for fault in each.faults]
    return f"{len(all_)} events: " + ", ".join(
        f"{n} {name}" for name, n in total.items()
    ) + f", {len(wrong)} faults", wrong


def round_ms(players: int, *, with_peer: bool = False) -> tuple[list[float], list[float]]:
    """Processor time in ms to pair each round of a calm event, from its state to tables and byes; and the peer's."""
    simulation = Simulation(Settings(rounds=SPEED_ROUNDS, seed="speed"), players, 1, CALM)
    ours: list[float] = []
    theirs: list[float] = []
    for event in simulation.run():
        if len(event.rounds) < SPEED_ROUNDS:
            began_s = time.process_time()
            next_round(event)
            ours.append(1000 * (time.process_time() - began_s))
            if with_peer and (ms := peer_ms(event)) is not None:
                theirs.append(ms)
    return ours, theirs


def run(shared: Path) -> int:
    """A sample of events and the times; nothing of `shared` is needed. Status 1 with a fault or over a limit."""
    return max(events_checked(SAMPLE, 1), speed())


def events_checked(events: int, processes: int) -> int:
    """Status 1 with a fault. A whole run is written down, with its date; a sample is printed."""
    if processes > 1:
        with ProcessPoolExecutor(processes) as pool:
            line, wrong = summary(pool.map(checked, range(events), chunksize=8))
    else:
        line, wrong = summary(map(checked, range(events)))
    print("\n".join([line, *(f"FAULT {fault}" for fault in wrong)]), flush=True)
    if events >= WHOLE:
        text = (
            f"## Swiss pairing\n\nRecorded on {datetime.now(UTC).date()} by `python -m bench.pairing --events "
            f"{events}`; `make bench` takes a sample. {line}. Every round beside the best by networkx, and beside all "
            f"pairings up to {TRIED} players; rounds that the organiser set by hand are left out."
        )
        write_section("pairing", "\n".join([text, *(f"\n- {fault}" for fault in wrong)]))
    return int(bool(wrong))


def speed() -> int:
    """The time of a round, compared with py4swiss if it is installed. Status 1 over a limit."""
    peer = peer_version()
    rows, is_slow = [], False
    for players in SPEED_PLAYERS:
        is_asked = players <= PEER_PLAYERS
        ours, theirs = round_ms(players, with_peer=is_asked)
        limit = LIMIT_MS.get(players)
        is_slow |= limit is not None and max(ours) > limit
        beside = _times(theirs) if theirs else "not installed" if is_asked else "not asked"
        rows.append([str(players), _times(ours), beside, "" if limit is None else f"{limit:.0f}"])
    table = as_table(["players", "ours, ms a round", f"py4swiss {peer or ''} dutch, ms a round", "limit, ms"], rows)
    print(table)
    if peer is None:
        print(f"pairing: py4swiss is not installed ({WHERE}), so nothing is measured beside ours", file=sys.stderr)
    text = (
        f"## The time of a Swiss round\n\nRecorded on {datetime.now(UTC).date()}. Processor time of one core, "
        f"{SPEED_ROUNDS} rounds each, from the event to its next round. The peer pairs the same rounds in the same run"
        f"{'' if peer else f'; it was not installed ({WHERE})'}; 2,000 players it is not asked for."
    )
    write_section("pairing_speed", f"{text}\n\n{table}")
    return int(is_slow)


def _times(ms: list[float]) -> str:
    return " ".join(f"{each:.0f}" for each in ms)


def main() -> int:
    """The whole run."""
    parser = argparse.ArgumentParser(prog="python -m bench.pairing", description=__doc__)
    parser.add_argument("--events", type=int, default=SAMPLE)
    parser.add_argument("--processes", type=int, default=1)
    asked = parser.parse_args()
    return max(events_checked(asked.events, asked.processes) if asked.events else 0, speed())


if __name__ == "__main__":
    sys.exit(main())
