"""The best pairing of a round, found in two ways without our engine: by trying all, and by networkx.

Uses the published rounds alone. Criteria, most important first: the bye goes to the player with the fewest byes; the
fewest rematches; the lowest points for the bye; the least points apart. Then, in each group, upper half against lower
half. `python -m tests.event.pairing_oracle --events 5000 [--processes N]` compares all rounds of random events.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from math import lcm

import networkx

from companion.event.draw import lot
from companion.event.facts import Paired
from companion.event.formats import next_round
from companion.event.scorecards import points_now
from companion.event.settings import Settings
from companion.event.simulate import Simulation, second_byes
from companion.event.state import Event
from docs.sections import write_section

WHOLE = 1000
"""Minimum number of events for a run to be recorded."""
TRIED = 10
"""Maximum number of players for trying all pairings."""
PLAYERS, ROUNDS = (9, 60), (5, 9)
NOBODY = ""
Rank = tuple[int, Fraction, Fraction]
"""Rematches, the bye's points, points apart: less is better."""


@dataclass(frozen=True)
class Round:
    """The data that decide a pairing."""

    here: tuple[str, ...]
    points: Mapping[str, Fraction]
    met: Counter[frozenset[str]]
    may_have_bye: frozenset[str]


def round_of(event: Event) -> Round:
    """The next round of an event: who is here, who met, who may have the bye."""
    number = len(event.rounds) + 1
    here = tuple(who for who, each in event.entrants.items() if each.is_free(number))
    met = Counter(
        frozenset(table.seats)
        for played in event.rounds
        for table in played.tables
        if table.result is None or not table.result.absent
    )
    had = Counter(who for played in event.rounds for who in played.byes)
    fewest = min((had[who] for who in here), default=0)
    return Round(here, points_now(event), met, frozenset(who for who in here if had[who] == fewest))


def rank(of: Round, pairs: Sequence[Sequence[str]], bye: str | None) -> Rank:
    """How good a pairing is."""
    apart = sum((abs(of.points[a] - of.points[b]) for a, b in pairs), Fraction(0))
    rematches = sum(of.met[frozenset(pair)] > 0 for pair in pairs)
    return rematches, Fraction(0) if bye is None else of.points[bye], apart


def faults(event: Event, paired: Paired, best: Rank) -> list[str]:
    """The faults of a pairing that nobody set by hand, compared with the best possible."""
    of = round_of(event)
    seated = Counter([who for pair in paired.tables for who in pair] + list(paired.byes))
    if seated != Counter(of.here) or any(len(pair) != 2 for pair in paired.tables) or len(paired.byes) > 1:
        return ["malformed"]
    found = rank(of, paired.tables, next(iter(paired.byes), None))
    wrong = [] if set(paired.byes) <= of.may_have_bye else ["second bye"]
    names = ("rematches", "bye too high", "points apart")
    wrong += [name for name, ours, least in zip(names, found, best, strict=True) if ours > least][:1]
    return wrong + [f"not in halves: {', '.join(group)}" for group in _not_in_halves(event, of, paired)]


def _not_in_halves(event: Event, of: Round, paired: Paired) -> list[list[str]]:
    """Groups of equal points whose upper half does not play the lower, though it could without a rematch.

    Only players paired within their points count in a group: steps down and up have priority over halves.
    """
    groups: defaultdict[Fraction, list[frozenset[str]]] = defaultdict(list)
    for a, b in paired.tables:
        if of.points[a] == of.points[b]:
            groups[of.points[a]].append(frozenset((a, b)))
    found = []
    for pairs in groups.values():
        members = sorted(frozenset().union(*pairs), key=lambda who: _seed(event, who))
        upper, lower = members[: len(pairs)], members[len(pairs) :]
        can = networkx.Graph([(a, b) for a in upper for b in lower if not of.met[frozenset((a, b))]])
        is_kept = all(len(pair & set(upper)) == 1 for pair in pairs)
        if not is_kept and len(networkx.max_weight_matching(can, maxcardinality=True)) == len(pairs):
            found.append(members)
    return found


def _seed(event: Event, who: str) -> tuple[int, int, str]:
    return -event.entrants[who].rating, -lot(event.settings.seed, who), who


def best_by_trying(of: Round) -> Rank:
    """The best of all pairings, one by one: up to 10 players."""
    if len(of.here) % 2 == 0:
        return min(rank(of, pairs, None) for pairs in _all(list(of.here)))
    return min(
        rank(of, pairs, bye) for bye in of.may_have_bye for pairs in _all([who for who in of.here if who != bye])
    )


def _all(who: list[str]) -> Iterator[list[tuple[str, str]]]:
    if not who:
        yield []
    for at in range(1, len(who)):
        for rest in _all(who[1:at] + who[at + 1 :]):
            yield [(who[0], who[at]), *rest]


def best_by_networkx(of: Round) -> Rank:
    """The best by another library's matching: without rematches where everybody can be paired so, else with."""
    unit = lcm(*(value.denominator for value in of.points.values()))
    apart_in_all = 1 + sum(int(of.points[who] * unit) for who in of.here)
    for with_rematches in (False, True):
        graph = networkx.Graph()
        graph.add_nodes_from(of.here)
        for i, a in enumerate(of.here):
            for b in of.here[i + 1 :]:
                again = of.met[frozenset((a, b))] > 0
                if with_rematches or not again:
                    cost = int(abs(of.points[a] - of.points[b]) * unit) + again * apart_in_all**2 * 2
                    graph.add_edge(a, b, weight=-cost)
            if len(of.here) % 2 and a in of.may_have_bye:
                graph.add_edge(a, NOBODY, weight=-int(of.points[a] * unit) * apart_in_all)
        pairs = [tuple(pair) for pair in networkx.max_weight_matching(graph, maxcardinality=True)]
        if 2 * len(pairs) >= len(of.here):
            bye = next((b if a == NOBODY else a for a, b in pairs if NOBODY in (a, b)), None)
            return rank(of, [pair for pair in pairs if NOBODY not in pair], bye)
    raise AssertionError("everybody can be paired with rematches")


def checked(seed: int, players: tuple[int, int] = PLAYERS) -> tuple[Counter[str], list[str]]:
    """One random event, with each of its rounds compared with the best possible: its figures, and its faults."""
    rnd = random.Random(seed)
    size, rounds = rnd.randint(*players), rnd.randint(*ROUNDS)
    simulation = Simulation(Settings(rounds=rounds, seed=str(seed)), size, seed)
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
    count["late"] = sum(each.first_round > 1 for each in event.entrants.values())
    count["withdrawn"], count["corrected"] = kinds["Withdrew"], kinds["Corrected"]
    count["byes"] = sum(len(played.byes) for played in event.rounds)
    return count, wrong


def main() -> int:
    """Status 1 with a fault. A whole run is written down, with its date; a sample is printed."""
    parser = argparse.ArgumentParser(prog="python -m tests.event.pairing_oracle", description=__doc__)
    parser.add_argument("--events", type=int, default=60)
    parser.add_argument("--processes", type=int, default=1)
    asked = parser.parse_args()
    total: Counter[str] = Counter()
    wrong: list[str] = []
    with ProcessPoolExecutor(asked.processes) as pool:
        for count, found in pool.map(checked, range(asked.events), chunksize=8):
            total.update(count)
            wrong += found
    line = f"{asked.events} events: {', '.join(f'{n} {name}' for name, n in total.items())}, {len(wrong)} faults"
    print("\n".join([line, *(f"FAULT {fault}" for fault in wrong)]), flush=True)
    if asked.events >= WHOLE:
        text = (
            f"## Swiss pairing\n\nRecorded on {datetime.now(UTC).date()} by `python -m tests.event.pairing_oracle "
            f"--events {asked.events}`. {line}. Every round beside the best by networkx, and beside all "
            f"pairings up to {TRIED} players; rounds that the organiser set by hand are left out."
        )
        write_section("pairing", "\n".join([text, *(f"\n- {fault}" for fault in wrong)]))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
