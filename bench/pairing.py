"""The time of a Swiss round, compared with py4swiss in the same run: `python -m bench --shared DIR --only pairing`.

`python -m tests.event.pairing_oracle` compares the pairings themselves with two oracles.
"""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from bench.pairing_peer import peer_ms, peer_version
from companion.event.formats import next_round
from companion.event.settings import Settings
from companion.event.simulate import CALM, Simulation
from docs.sections import as_table, write_section

WHERE = "requirements/peers.txt"
SPEED_PLAYERS = (30, 300, 2000)
SPEED_ROUNDS = 7
PEER_PLAYERS = 300
"""Maximum number of players for the peer."""
LIMIT_MS = {300: 100.0, 2000: 3000.0}


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
    """Prints and writes the times; nothing of `shared` is needed. Status 1 over a limit."""
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
