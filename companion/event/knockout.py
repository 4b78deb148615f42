"""Single elimination by a bracket; double elimination by two sides, out at the second loss."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from companion.event.draw import lot
from companion.event.matching import Edge, cheapest
from companion.event.scorecards import ZERO, How, RoundLine, Scorecards, scorecards
from companion.event.state import Event, Round, RoundTable
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
    """The next round of a bracket after `rounds`; no tables once it is over."""
    slots = bracket(seeds)
    for played in rounds:
        winners = _winners(played)
        slots = [_through(a, b, winners) for a, b in _couples(slots)]
    slots = [who if who in here else None for who in slots]
    while len(slots) > 1:
        tables = tuple((a, b) for a, b in _couples(slots) if a is not None and b is not None)
        if tables:
            alone = [couple for couple in _couples(slots) if None in couple]
            return PairedRound(tables, rests=tuple(who for couple in alone for who in couple if who is not None))
        slots = [a if a is not None else b for a, b in _couples(slots)]  # all their opponents have left
    return PairedRound((), rests=tuple(who for who in slots if who is not None))


def _couples(slots: Sequence[str | None]) -> list[tuple[str | None, str | None]]:
    return list(zip(slots[::2], slots[1::2], strict=True))


@dataclass(frozen=True, slots=True)
class BracketMatch:
    """A match of a drawn bracket: two entrants, None if nobody is known yet or the place is free."""

    seats: tuple[str | None, ...]
    number: int | None = None
    """Its table; None without one."""
    table: RoundTable | None = None
    winner: str | None = None
    """The entrant that advances, also without a match."""


@dataclass(frozen=True, slots=True)
class BracketColumn:
    """A round of a drawn bracket, from top to bottom."""

    round: int
    matches: tuple[BracketMatch, ...]
    losers: tuple[BracketMatch, ...] = ()
    """Double elimination: the matches of those with one loss."""


def columns(seeds: Sequence[str], rounds: Sequence[Round], first: int = 1) -> tuple[BracketColumn, ...]:
    """A whole bracket, with the rounds to come; `first` is the number of its first round."""
    slots, found, number = bracket(seeds), [], first - 1
    for number, played in enumerate(rounds, first):
        at: dict[frozenset[str | None], int] = {frozenset(table.seats): n for n, table in enumerate(played.tables)}
        while len(slots) > 1 and not any(frozenset(couple) in at for couple in _couples(slots)):
            slots = [a if a is not None else b for a, b in _couples(slots)]  # all their opponents had left
        winners, matches = _winners(played), []
        for a, b in _couples(slots):
            n = at.get(frozenset((a, b)))
            table = None if n is None else played.tables[n]
            matches.append(BracketMatch((a, b), None if n is None else n + 1, table, _through(a, b, winners)))
        found.append(BracketColumn(number, tuple(matches)))
        slots = [match.winner for match in matches]
    while len(slots) > 1:
        is_drawn, number = not found, number + 1  # an empty place of the draw is free, a later one is not decided
        through = [(a or b) if is_drawn and None in (a, b) else None for a, b in _couples(slots)]
        matches = [BracketMatch(couple, winner=who) for couple, who in zip(_couples(slots), through, strict=True)]
        found.append(BracketColumn(number, tuple(matches)))
        slots = through
    return tuple(found)


def double_columns(event: Event) -> tuple[BracketColumn, ...]:
    """The rounds of a double elimination, each with its two sides. Later ones depend on results."""
    lines, found = scorecards(event), []
    for played in event.rounds:
        lost = losses({who: [line for line in mine if line.round < played.number] for who, mine in lines.items()})
        winners = _winners(played)
        sides: tuple[list[BracketMatch], list[BracketMatch]] = ([], [])
        for n, table in enumerate(played.tables, 1):
            through = next((who for who in table.seats if who in winners), None)
            is_lower = all(lost[who] >= 1 for who in table.seats)
            sides[is_lower].append(BracketMatch(table.seats, n, table, through))
        for who in played.rests:
            sides[lost[who] >= 1].append(BracketMatch((who, None), winner=who))
        found.append(BracketColumn(played.number, tuple(sides[0]), tuple(sides[1])))
    return tuple(found)


def _winners(played: Round) -> set[str]:
    """The entrants that go on from a round: winners, and those without an opponent."""
    through = set(played.rests)
    for table in played.tables:
        if table.result is not None and table.result.winner is not None and len(table.result.absent) < 2:
            through.add(table.seats[table.result.winner])
    return through


def _through(a: str | None, b: str | None, winners: set[str]) -> str | None:
    return a if a in winners else b if b in winners else None


def losses(lines: Mapping[str, Sequence[RoundLine]]) -> dict[str, Fraction]:
    """Number of losses of each entrant; a loss-draw is half a loss."""
    return {who: sum((line.losses for line in mine), ZERO) for who, mine in lines.items()}


def left_in(event: Event, lines: Scorecards) -> list[str]:
    """Double elimination: who has lost less than twice and is here, as seeded."""
    lost = losses(lines)
    return [
        who
        for who in seeding(event, event.entrants)
        if lost[who] < LIVES and event.entrants[who].is_here(event.next_number)
    ]


def pair_double(event: Event) -> PairedRound:
    """Each side plays among itself until one entrant of each is left. In an odd side, one who rested least rests."""
    lines = scorecards(event)
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


def _pair_side(event: Event, side: Sequence[str], lines: Scorecards) -> tuple[list[tuple[str, ...]], list[str]]:
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


def went_out(who: Iterable[str], rounds: Sequence[Round]) -> dict[str, int]:
    """The last of these rounds in which each entrant played or rested: the later, the further they came."""
    last = dict.fromkeys(who, 0)
    for played in rounds:
        for each in [*(w for table in played.tables for w in table.seats), *played.rests, *played.byes]:
            if each in last:
                last[each] = played.number
    return last
