"""Single elimination by a bracket; double elimination by two sides, out at the second loss."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from companion.event.draw import lot
from companion.event.matching import Edge, cheapest
from companion.event.record import ZERO, How, Records, records
from companion.event.state import Event, Round
from companion.event.swiss import DRAWN_OF, PairedRound, meetings, seeding

LIVES = 2


def bracket(seeds: Sequence[str]) -> list[str | None]:
    """The bracket's places in order. The best two meet in the last round at the earliest; free places are next to the
    best.

    >>> bracket(["1", "2", "3", "4", "5", "6"])
    ['1', None, '4', '5', '2', None, '3', '6']
    """
    order = [0]
    while len(order) < len(seeds):
        order = [place for seed in order for place in (seed, 2 * len(order) - 1 - seed)]
    return [seeds[place] if place < len(seeds) else None for place in order]


def pair_bracket(seeds: Sequence[str], rounds: Sequence[Round], here: set[str]) -> PairedRound:
    """The next round of a bracket after `rounds`. Once only one place is left the bracket is over: it returns no
    tables."""
    slots = bracket(seeds)
    for played in rounds:
        winners = _winners(played)
        slots = [_through(slots[i], slots[i + 1], winners) for i in range(0, len(slots), 2)]
    slots = [who if who in here else None for who in slots]
    while len(slots) > 1:
        couples = [(slots[i], slots[i + 1]) for i in range(0, len(slots), 2)]
        tables = tuple((a, b) for a, b in couples if a is not None and b is not None)
        if tables:
            rests = tuple(who for a, b in couples if a is None or b is None for who in (a, b) if who is not None)
            return PairedRound(tables, rests=rests)
        slots = [a if a is not None else b for a, b in couples]  # all their opponents have left
    return PairedRound((), rests=tuple(who for who in slots if who is not None))


def _winners(played: Round) -> set[str]:
    """The entrants that go on from a round: winners, and those without an opponent."""
    through = set(played.rests)
    for table in played.tables:
        if table.result is not None and table.result.winner is not None and len(table.result.absent) < 2:
            through.add(table.seats[table.result.winner])
    return through


def _through(a: str | None, b: str | None, winners: set[str]) -> str | None:
    return a if a in winners else b if b in winners else None


def losses(lines: Records) -> dict[str, Fraction]:
    """How often each entrant has lost; a loss-draw is half a loss."""
    return {who: sum((line.losses for line in mine), ZERO) for who, mine in lines.items()}


def left_in(event: Event, lines: Records) -> list[str]:
    """Double elimination: who has lost less than twice and is here, as seeded."""
    lost = losses(lines)
    return [
        who
        for who in seeding(event, event.entrants)
        if lost[who] < LIVES and event.entrants[who].is_here(event.next_number)
    ]


def pair_double(event: Event) -> PairedRound:
    """Those without a loss play each other, and so do those with one; the last of either side meet in the final.

    An odd side rests one: who rested least, then the better seed.
    """
    lines = records(event)
    lost, here = losses(lines), left_in(event, lines)
    sides = [[who for who in here if lost[who] < 1], [who for who in here if lost[who] >= 1]]
    if [len(side) for side in sides] == [1, 1]:
        return PairedRound((tuple(here),))
    tables: list[tuple[str, ...]] = []
    rests: list[str] = []
    for side in sides:
        pairs, resting = _pair_side(event, side, lines)
        tables += pairs
        rests += resting
    return PairedRound(tuple(tables), rests=tuple(rests))


def _pair_side(event: Event, side: Sequence[str], lines: Records) -> tuple[list[tuple[str, ...]], list[str]]:
    """Best against last where they have not met."""
    met: Mapping[str, Mapping[str, int]] = {who: meetings(lines[who]) for who in side}
    lots = {who: lot(event.settings.seed, who) for who in side}
    rested = {who: sum(line.how in (How.RESTED, How.BYE) for line in lines[who]) for who in side}
    edges: list[Edge] = []
    for i, a in enumerate(side):
        for j in range(i + 1, len(side)):
            again = met[a].get(side[j], 0)
            edges.append((i, j, (0, again, (i + j - len(side) + 1) ** 2, lots[a] * lots[side[j]] % DRAWN_OF)))
        if len(side) % 2:
            edges.append((i, len(side), (rested[a], 0, i * i, 0)))
    pairs = cheapest(len(side) + len(side) % 2, edges)
    resting = [side[i] for i, j in pairs if j == len(side)] if len(side) > 1 else list(side)
    return [(side[i], side[j]) for i, j in pairs if j < len(side)], resting


def went_out(event: Event, who: Iterable[str], rounds: Sequence[Round]) -> dict[str, int]:
    """The last of these rounds in which each entrant played or rested: the later, the further they came."""
    last = dict.fromkeys(who, 0)
    for played in rounds:
        for each in [*(w for table in played.tables for w in table.seats), *played.rests, *played.byes]:
            if each in last:
                last[each] = played.number
    return last
