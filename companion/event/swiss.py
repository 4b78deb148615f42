"""Swiss: equal points play each other, nobody twice, the bye to the lowest; by matchings of exact costs.

The criteria, the most important first: fewest earlier byes for whoever gets the bye; fewest rematches; the lowest
points for the bye; points apart, then their squares; the bye to fewer forfeit wins; of rematches those who met
least often; nobody steps down (or up) twice running; within a group the upper half plays the lower; at last a number
drawn from both lots. One matching of everybody settles who steps down or up. A second one in each group then keeps its
halves.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from companion.event.draw import lot
from companion.event.matching import Cost, Edge, cheapest
from companion.event.scorecards import ZERO, How, RoundLine, Scorecards
from companion.event.state import Event, Round

WHOLE = 64
"""Maximum number of entrants with everybody as a candidate for everybody."""
NEAR = 20
"""Candidates of each entrant in a larger field; `NEAR_EACH_ROUND` more for each round played."""
NEAR_EACH_ROUND = 4
FLOATS_BACK = 2
"""Rounds back in which a step down or up counts against another."""
DRAWN_OF = 251
NEVER = 1_000
"""Number of meetings assumed for entrants who are kept apart."""

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Contender:
    """An entrant as pairing sees them. `units`: points in the smallest fraction in use."""

    id: str
    units: int
    met: Mapping[str, int]
    byes: int
    forfeits_won: int
    down: int
    """Steps down in the last rounds, and up."""
    up: int
    lot: int


@dataclass(frozen=True, slots=True)
class PairedRound:
    """A round as the engine pairs it."""

    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...] = ()
    rests: tuple[str, ...] = ()


def seeding(event: Event, who: Iterable[str]) -> list[str]:
    """Entrants by rating, the best first; equal ones by their lots."""
    entrants, seed = event.entrants, event.settings.seed
    return sorted(who, key=lambda each: (-entrants[each].rating, -lot(seed, each), each))


def ranked(event: Event, who: Iterable[str], points: Mapping[str, Fraction]) -> list[str]:
    """Entrants by points, equal ones as they were seeded."""
    return sorted(seeding(event, who), key=lambda each: -points[each])


def meetings(lines: Sequence[RoundLine]) -> Counter[str]:
    return Counter(who for line in lines for who in line.opponents)


def virtual(event: Event, number: int) -> dict[str, Fraction]:
    """Virtual points for pairing a round of an accelerated event. Source: FIDE Handbook C.04.7 (Baku)."""
    settings = event.settings
    fast = -(-(settings.rounds or 0) // 2)
    if not settings.is_accelerated or number > fast:
        return {}
    order = seeding(event, event.entrants)
    first = [who for who in order if event.entrants[who].first_round == 1]
    last = order.index(first[min(len(first), 2 * -(-len(first) // 4)) - 1]) if first else -1
    worth = settings.points.win / (1 if number <= -(-fast // 2) else 2)
    return dict.fromkeys(order[: last + 1], worth)


def contenders(event: Event, lines: Scorecards, points: Mapping[str, Fraction], who: Iterable[str]) -> list[Contender]:
    """The entrants that are to be paired, the best first."""
    extra = virtual(event, event.next_number)
    points = {each: value + extra.get(each, ZERO) for each, value in points.items()}
    unit = lcm(*(value.denominator for value in points.values())) if points else 1
    steps = _steps(event.rounds[-FLOATS_BACK:])
    return [
        Contender(
            each,
            int(points[each] * unit),
            meetings(lines[each]) + Counter(dict.fromkeys(event.kept_from(each), NEVER)),
            sum(line.how is How.BYE for line in lines[each]),
            sum(line.how is How.FORFEIT_WON for line in lines[each]),
            steps[each, -1],
            steps[each, 1],
            lot(event.settings.seed, each),
        )
        for each in ranked(event, who, points)
    ]


def _steps(rounds: Sequence[Round]) -> Counter[tuple[str, int]]:
    """Number of each entrant's opponents with fewer (-1) or more points (1) in these rounds."""
    steps: Counter[tuple[str, int]] = Counter()
    for played in rounds:
        for table in played.tables:
            for who in table.seats:
                for other in table.seats:
                    apart = played.points_then[other] - played.points_then[who]
                    if apart:
                        steps[who, 1 if apart > 0 else -1] += 1
        for who in played.byes:
            steps[who, -1] += 1
    return steps


def pair(field: Sequence[Contender]) -> tuple[list[Pair], str | None]:
    """The pairs of a round, the better placed first, and who gets the bye. The field has its best first.

    In a large field those who stand near are candidates. They are widened until bye and points apart are proved the
    least, or that no longer helps."""
    if not field:
        return [], None
    near, last = NEAR + NEAR_EACH_ROUND * max(len(each.met) for each in field), None
    while True:
        is_whole = len(field) <= WHOLE or near >= len(field)
        found = _matched(field, len(field) if is_whole else near, has_rematches=False)
        if found is None and is_whole:
            found = _matched(field, len(field), has_rematches=True)
        if found is not None:
            pairs, bye = found
            apart = _apart(field, pairs, bye)
            if is_whole or apart in (_least(field, bye), last):
                pairs = _in_halves(field, pairs)
                return [(field[i].id, field[j].id) for i, j in pairs], None if bye is None else field[bye].id
            last = apart
        near *= 2


def _in_halves(field: Sequence[Contender], pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pairs, each group's upper half against its lower half wherever a matching allows it."""
    found = [(i, j) for i, j in pairs if field[i].units != field[j].units]
    groups: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for i, j in pairs:
        if field[i].units == field[j].units:
            groups[field[i].units].append((i, j))
    for group in groups.values():
        members = sorted(i for two in group for i in two)
        middle = members[len(group)]
        is_kept = all(min(two) < middle <= max(two) for two in group)
        found += group if is_kept else _halved(field, members)
    return sorted(found)


def _halved(field: Sequence[Contender], members: Sequence[int]) -> list[tuple[int, int]]:
    """Members of one group in pairs: the fewest rematches, then the fewest pairs within a half."""
    group, half, near = [field[i] for i in members], len(members) // 2, WHOLE
    while True:
        costs = {(a, b): _half_cost(group[a], group[b], (a, b), half) for a, b in _near(group, near)}
        matched = cheapest(len(group), [(a, b, cost) for (a, b), cost in costs.items()])
        is_straight = len(matched) == half and not any(any(costs[two][:3]) for two in matched)
        if is_straight or near >= len(group):
            return [(members[a], members[b]) for a, b in matched]
        near *= 2


def _half_cost(upper: Contender, lower: Contender, at: tuple[int, int], half: int) -> Cost:
    met = upper.met.get(lower.id, 0)
    is_within = not at[0] < half <= at[1]
    return (met > 0, met * met, is_within, (at[1] - at[0] - half) ** 2, upper.lot * lower.lot % DRAWN_OF)


def _groups(field: Sequence[Contender]) -> list[tuple[int, int]]:
    firsts = [i for i, each in enumerate(field) if i == 0 or each.units != field[i - 1].units]
    return [(first, end - first) for first, end in zip(firsts, [*firsts[1:], len(field)], strict=True)]


def _matched(
    field: Sequence[Contender], near: int, *, has_rematches: bool
) -> tuple[list[tuple[int, int]], int | None] | None:
    """The cheapest pairs, and who gets the bye; None: impossible. `near`: candidates each."""
    count, place = len(field), [(at, size) for _, size in _groups(field) for at in range(size)]
    edges: list[Edge] = [
        (i, j, _cost(field[i], field[j], place[i], place[j]))
        for i, j in _near(field, near)
        if has_rematches or field[j].id not in field[i].met
    ]
    if count % 2:
        fewest = min(each.byes for each in field)
        edges += [(i, count, _bye_cost(each, count - i)) for i, each in enumerate(field) if each.byes == fewest]
    matched = cheapest(count + count % 2, edges)
    if 2 * len(matched) < count:
        return None
    bye = next((i for i, j in matched if j == count), None)
    return [two for two in matched if two[1] != count], bye


Place = tuple[int, int]
"""An entrant's position in the group with equal points, from 0, and the group's size."""


def _cost(upper: Contender, lower: Contender, at: Place, under: Place) -> Cost:
    met = upper.met.get(lower.id, 0)
    drawn = upper.lot * lower.lot % DRAWN_OF
    if upper.units == lower.units:
        return (met > 0, 0, 0, 0, 0, met * met, 0, (under[0] - at[0] - at[1] // 2) ** 2, drawn)
    apart = upper.units - lower.units
    fold = (at[1] - 1 - at[0]) ** 2 + under[0] ** 2  # the last of the upper group plays the first of the lower
    return (met > 0, 0, apart, apart * apart, 0, met * met, upper.down + lower.up, fold, drawn)


def _bye_cost(each: Contender, from_the_end: int) -> Cost:
    return (0, 1 + each.units, 0, 0, each.forfeits_won, 0, 0, from_the_end**2, 0)


def _near(field: Sequence[Contender], near: int) -> list[tuple[int, int]]:
    """Pairs of those who stand near each other, or near where the other half of their group begins."""
    if near >= len(field):
        return [(i, j) for i in range(len(field)) for j in range(i + 1, len(field))]
    found: set[tuple[int, int]] = set()
    for first, size in _groups(field):
        for i in range(first, first + size):
            opposite = i + size // 2 if i - first < size // 2 else i - size // 2
            for center, reach in ((opposite, near // 2), (i, near // 4)):
                for j in range(max(0, center - reach), min(len(field), center + reach + 1)):
                    if j != i:
                        found.add((i, j) if i < j else (j, i))
    return sorted(found)


def _apart(field: Sequence[Contender], pairs: Iterable[tuple[int, int]], bye: int | None) -> tuple[int, int, int]:
    """The main costs of a round without rematches: the bye's points, points apart, their squares."""
    apart = [abs(field[i].units - field[j].units) for i, j in pairs]
    return 0 if bye is None else field[bye].units, sum(apart), sum(d * d for d in apart)


def _least(field: Sequence[Contender], bye: int | None) -> tuple[int, int, int]:
    """A lower bound of `_apart`: the lowest who may get the bye gets it, and all others play the next in points."""
    fewest = min(each.byes for each in field)
    lowest = 0 if bye is None else min(each.units for each in field if each.byes == fewest)
    here = [i for i in range(len(field)) if i != bye]
    return lowest, *_apart(field, zip(here[::2], here[1::2], strict=True), None)[1:]
