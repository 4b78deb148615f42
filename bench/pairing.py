"""The time of a Swiss round, compared with py4swiss in the same run: `python -m bench --shared DIR --only pairing`.

Random events by FIDE's rules are compared with other programs, round by round.
`python -m tests.event.pairing_oracle` compares the pairings themselves with two oracles.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bench.harness import record, today
from bench.pairing_peer import PEERS, caissify, numbered, peer_version, py4swiss
from companion.event.formats import next_round
from companion.event.refused import EventRefused
from companion.event.settings import HALF, Pairing, Points, Settings
from companion.event.simulate import CALM, Chances, Simulation
from docs.sections import as_table

WHERE = "requirements/peers.txt"
SPEED_PLAYERS = (30, 300, 2000)
SPEED_ROUNDS = 7
PEER_PLAYERS = 300
"""Maximum number of players for the peer."""
HISTORIES, FIDE_PLAYERS = 2000, (6, 100)
SLOW_EACH = 20
"""py4swiss and caissify see each twentieth event: they take up to seconds a round."""
FIDE_CHANCES = Chances(late=0.06, withdraws=0.02, asks_out=0.05, forfeits=0.05, corrects=0, undoes=0, fixes=0)
LIMIT_MS = {300: 100.0, 2000: 3000.0}


def round_ms(players: int, *, with_peer: bool = False) -> tuple[list[float], list[float]]:
    """Processor time in ms to pair each round of a calm event, from its state to tables and byes; and py4swiss'
    time."""
    simulation = Simulation(Settings(rounds=SPEED_ROUNDS, seed="speed"), players, 1, CALM)
    ours: list[float] = []
    theirs: list[float] = []
    for event in simulation.run():
        if len(event.rounds) < SPEED_ROUNDS:
            began_s = time.process_time()
            next_round(event)
            ours.append(1000 * (time.process_time() - began_s))
            if with_peer and (told := py4swiss(event)) is not None:
                theirs.append(told[1])
    return ours, theirs


@dataclass(slots=True)
class Beside:
    """Our rounds compared with another program's by FIDE's rules: rounds, rounds paired otherwise, and times."""

    rounds: int = 0
    unlike: int = 0
    theirs_ms: float = 0.0
    ours_ms: float = 0.0

    def add(self, rounds: int, unlike: int, theirs_ms: float, ours_ms: float) -> None:
        """Adds some rounds."""
        self.rounds += rounds
        self.unlike += unlike
        self.theirs_ms += theirs_ms
        self.ours_ms += ours_ms


def fide(histories: Iterable[int]) -> dict[str, Beside]:
    """Random events by FIDE's rules; each round is compared with each installed program."""
    found = {name: Beside() for name in (*PEERS, "caissify")}
    for seed in histories:
        chosen = random.Random(f"fide {seed}")
        players = chosen.randint(*FIDE_PLAYERS)
        rounds = min(9, max(3, players * 2 // 3))
        settings = Settings(rounds=rounds, seed=str(seed), pairing=Pairing.FIDE, points=Points(sat_out=HALF))
        simulation = Simulation(settings, players, seed, FIDE_CHANCES)
        used_ms = 0.0
        for event in simulation.run():
            if len(event.rounds) == rounds:
                break
            began_s = time.process_time()
            try:
                ours = numbered(event, next_round(event))
            except EventRefused:
                ours = frozenset()
            ms = 1000 * (time.process_time() - began_s)
            used_ms += ms
            for name, peer in PEERS.items():
                if name != "py4swiss" or seed % SLOW_EACH == 0:
                    told = peer(event)
                    if told is not None:
                        found[name].add(1, told[0] != ours, told[1], ms)
        checked = caissify(simulation.event) if seed % SLOW_EACH == 0 and simulation.event.rounds else None
        if checked is not None:
            found["caissify"].add(*checked, used_ms)
    return found


def write_fide(histories: int, found: dict[str, Beside]) -> None:
    """Prints and writes the comparison with other programs, if any are here."""
    rows: list[list[object]] = [
        [name, each.rounds, each.unlike, *(f"{ms / each.rounds:.1f}" for ms in (each.theirs_ms, each.ours_ms))]
        for name, each in found.items()
        if each.rounds
    ]
    if not rows:
        return
    least, most = FIDE_PLAYERS
    record(
        "pairing_fide",
        "## Rounds by FIDE's rules",
        f"{today()}: {histories} random events of {least} to {most} players, with byes, late entries and forfeits. "
        "py4swiss follows the rules until January 2026, the others those of 2026. Times are processor time of one "
        "core.",
        as_table(["program", "rounds", "unlike ours", "its ms a round", "our ms a round"], rows),
    )


def run(shared: Path) -> int:
    """Prints and writes the times; `shared` is not used. Status 1 if a time is over its limit."""
    peer = peer_version()
    rows: list[list[object]] = []
    is_slow = False
    for players in SPEED_PLAYERS:
        is_asked = players <= PEER_PLAYERS
        ours, theirs = round_ms(players, with_peer=is_asked)
        limit = LIMIT_MS.get(players)
        is_slow |= limit is not None and max(ours) > limit
        beside = _times(theirs) if theirs else "not installed" if is_asked else "not asked"
        rows.append([players, _times(ours), beside, "" if limit is None else f"{limit:.0f}"])
    if peer is None:
        print(f"pairing: py4swiss is not installed ({WHERE}), so nothing is measured beside ours", file=sys.stderr)
    record(
        "pairing_speed",
        "## The time of a Swiss round",
        f"{today()}. Processor time of one core, {SPEED_ROUNDS} rounds each, from the event to its next round. The "
        f"peer pairs the same rounds in the same run{'' if peer else f'; it was not installed ({WHERE})'}; 2,000 "
        "players it is not asked for.",
        as_table(["players", "ours, ms a round", f"py4swiss {peer or ''} dutch, ms a round", "limit, ms"], rows),
    )
    write_fide(HISTORIES, fide(range(HISTORIES)))
    return int(is_slow)


def _times(ms: list[float]) -> str:
    return " ".join(f"{each:.0f}" for each in ms)
