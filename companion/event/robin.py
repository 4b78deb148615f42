"""Round robin, also in groups: by the circle, or by matching once somebody came late."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import msgspec

from companion.event.matching import cheapest
from companion.event.scorecards import scorecards
from companion.event.settings import Format
from companion.event.state import Event, Round
from companion.event.swiss import PairedRound, meetings, seeding


def groups_of(event: Event) -> list[list[str]]:
    """The groups, filled back and forth from the best to the last entrant, so that all are equally strong."""
    began = seeding(event, event.here(1))
    count = min(event.settings.groups, max(1, len(began) // 2))
    groups: list[list[str]] = [[] for _ in range(count)]
    for at, who in enumerate(began):
        row, place = divmod(at, count)
        groups[place if row % 2 == 0 else count - 1 - place].append(who)
    return groups


def group_rounds(event: Event) -> int:
    largest = max(map(len, groups_of(event)), default=0)
    return event.settings.cycles * (largest - 1 + largest % 2)


def alone(event: Event, group: list[str]) -> Event:
    """The event reduced to this group, without finals."""
    inside = set(group)

    def part(played: Round) -> Round:
        return replace(
            played,
            tables=tuple(table for table in played.tables if set(table.seats) <= inside),
            rests=tuple(who for who in played.rests if who in inside),
        )

    return replace(
        event,
        settings=msgspec.structs.replace(event.settings, format=Format.ROUND_ROBIN),
        entrants={who: event.entrants[who] for who in group},
        rounds=tuple(part(played) for played in event.rounds[: group_rounds(event)]),
    )


def circle(players: Sequence[str], cycles: int = 1) -> list[PairedRound]:
    """All rounds: the first stays, the others move on by one seat. The opponent of the gap rests.

    >>> [drawn.tables for drawn in circle(["a", "b", "c", "d"])]
    [(('a', 'd'), ('b', 'c')), (('d', 'c'), ('a', 'b')), (('b', 'd'), ('c', 'a'))]
    """
    ring: list[str | None] = [*players, *([None] if len(players) % 2 else [])]
    count, rounds = len(ring), []
    turning = ring[:-1]
    for number in range(count - 1):
        by = number * (count // 2) % (count - 1)
        order = [*turning[by:], *turning[:by]]
        pairs = [(order[0], ring[-1]), *((order[i], order[-i]) for i in range(1, count // 2))]
        if number % 2:
            pairs[0] = (pairs[0][1], pairs[0][0])
        rounds.append(pairs)
    every = [pairs if cycle % 2 == 0 else [(b, a) for a, b in pairs] for cycle in range(cycles) for pairs in rounds]
    return [
        PairedRound(
            tuple((a, b) for a, b in pairs if a is not None and b is not None),
            rests=tuple(a or b or "" for a, b in pairs if a is None or b is None),
        )
        for pairs in every
    ]


def pair_robin(event: Event) -> PairedRound:
    """The next round; no tables when everybody has played everybody."""
    number, began = event.next_number, event.here(1)
    # the circle is used until somebody enters late, sits a round out or is away
    is_late = any(each.first_round > 1 or each.away or each.asked_out for each in event.entrants.values())
    if set(event.here(number)) <= set(began) and not is_late:
        rounds = circle(seeding(event, began), event.settings.cycles)
        return without_absent(rounds[number - 1], set(event.free(number))) if number <= len(rounds) else PairedRound(())
    return _catch_up(event)


def without_absent(drawn: PairedRound, here: set[str]) -> PairedRound:
    """The drawn round without the tables of absent entrants; their opponents rest."""
    tables = tuple(seats for seats in drawn.tables if set(seats) <= here)
    resting = [who for seats in drawn.tables if not set(seats) <= here for who in seats] + list(drawn.rests)
    return PairedRound(tables, rests=tuple(who for who in resting if who in here))


def _catch_up(event: Event) -> PairedRound:
    """The maximum number of tables with games still to be played; entrants with most games left come first."""
    lines = scorecards(event)
    here, free = event.here(event.next_number), seeding(event, event.free(event.next_number))
    left = {who: _left(who, here, meetings(lines[who]), event.settings.cycles) for who in here}
    most = max((sum(games.values()) for games in left.values()), default=0)
    edges = []
    for i, a in enumerate(free):
        for j in range(i + 1, len(free)):
            b = free[j]
            if left[a].get(b):
                waiting = sum(left[a].values()) + sum(left[b].values())
                edges.append((i, j, (2 * most - waiting, abs(j - i))))
    pairs = [(free[i], free[j]) for i, j in cheapest(len(free), edges)]
    firsts = {who: sum(line.is_first for line in lines[who]) for who in free}
    tables = tuple((a, b) if firsts[a] <= firsts[b] else (b, a) for a, b in pairs)
    seated = {who for seats in tables for who in seats}
    return PairedRound(tables, rests=tuple(who for who in free if who not in seated))


def _left(who: str, here: Iterable[str], met: dict[str, int], cycles: int) -> dict[str, int]:
    return {other: cycles - met.get(other, 0) for other in here if other != who and met.get(other, 0) < cycles}
