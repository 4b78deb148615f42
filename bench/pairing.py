"""The time of a Swiss round, compared with py4swiss in the same run: `python -m bench --shared DIR --only pairing`.

`python -m bench.pairing PART FIRST END` compares only the histories FIRST to END - 1 with other programs and keeps the
counts in the file PART. `python -m bench.pairing HISTORIES PART...` adds such files up for docs/.
`python -m tests.event.pairing_oracle` compares the pairings themselves with two oracles.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from bench.pairing_peer import PEERS, Round, caissify, numbered, peer_version, py4swiss
from companion.event.formats import next_round
from companion.event.refused import EventRefused
from companion.event.settings import HALF, Pairing, Points, Settings
from companion.event.simulate import CALM, Chances, Simulation
from docs.sections import as_table, write_section

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


Counts = dict[str, Beside]
"""The comparison with each program."""


def fide(histories: Iterable[int]) -> Counts:
    """Random events by FIDE's rules; each round is compared with each installed program."""
    found: Counts = {name: Beside() for name in (*PEERS, "caissify")}
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
                    _beside(found[name], peer(event), ours, ms)
        checked = caissify(simulation.event) if seed % SLOW_EACH == 0 and simulation.event.rounds else None
        if checked is not None:
            of, unlike, theirs_ms = checked
            one = found["caissify"]
            one.rounds, one.unlike = one.rounds + of, one.unlike + unlike
            one.theirs_ms, one.ours_ms = one.theirs_ms + theirs_ms, one.ours_ms + used_ms
    return found


def _beside(found: Beside, told: tuple[Round, float] | None, ours: Round, ours_ms: float) -> None:
    if told is not None:
        found.rounds += 1
        found.unlike += told[0] != ours
        found.theirs_ms += told[1]
        found.ours_ms += ours_ms


def added(parts: Iterable[Counts]) -> Counts:
    """The sum of several counts."""
    found: Counts = {}
    for part in parts:
        for name, each in part.items():
            one = found.setdefault(name, Beside())
            for field in fields(Beside):
                setattr(one, field.name, getattr(one, field.name) + getattr(each, field.name))
    return found


def write_fide(histories: int, found: Counts) -> None:
    """Prints and writes the comparison with other programs."""
    rows = [
        [
            name,
            str(each.rounds),
            str(each.unlike),
            f"{each.theirs_ms / each.rounds:.1f}",
            f"{each.ours_ms / each.rounds:.1f}",
        ]
        for name, each in found.items()
        if each.rounds
    ]
    table = as_table(["program", "rounds", "unlike ours", "its ms a round", "our ms a round"], rows)
    print(table)
    least, most = FIDE_PLAYERS
    text = (
        f"## Rounds by FIDE's rules\n\nRecorded on {datetime.now(UTC).date()}: {histories} random events of {least} to "
        f"{most} players, with byes, late entries and forfeits. py4swiss follows the rules until January 2026, the "
        "others those of 2026. Times are processor time of one core."
    )
    write_section("pairing_fide", f"{text}\n\n{table}")


def run(shared: Path) -> int:
    """Prints and writes the times; `shared` is not used. Status 1 if a time is over its limit."""
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
    write_fide(HISTORIES, fide(range(HISTORIES)))
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


def main(given: list[str]) -> None:
    """Compares a range of histories, or adds up the counts of several ranges."""
    match given:
        case [part, first, end] if first.isdigit() and end.isdigit():
            Path(part).write_bytes(msgspec.json.encode(fide(range(int(first), int(end)))))
        case [histories, *parts] if histories.isdigit():
            counts = [msgspec.json.decode(Path(part).read_bytes(), type=Counts) for part in parts]
            write_fide(int(histories), added(counts))
        case _:
            print(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
