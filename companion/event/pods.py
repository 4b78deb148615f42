"""Tables of three to five (or two and more): the fewest repeated opponents, then the nearest in points."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from companion.event.swiss import DRAWN_OF, Contender

EXACT = 10
"""Maximum number of entrants for an exhaustive search of seatings."""
MANY = 60
"""Maximum number of entrants to compare several searches; more are seated by one."""
STARTS = 12
Pod = tuple[int, ...]


def sizes(count: int, fewest: int, most: int) -> tuple[int, ...]:
    """Table sizes for `count` entrants, the largest first: large and even, with as few entrants left over as possible.

    >>> sizes(10, 3, 4), sizes(5, 3, 4), sizes(5, 2, 4), sizes(2, 3, 4)
    ((4, 3, 3), (4,), (3, 2), ())
    """
    while count >= fewest:
        tables = -(-count // most)
        if tables * fewest <= count:
            small, larger = divmod(count, tables)
            return (small + 1,) * larger + (small,) * (tables - larger)
        count -= 1
    return ()


def seat(field: Sequence[Contender], fewest: int, most: int) -> tuple[list[tuple[str, ...]], list[str]]:
    """The tables, the leaders' first, and who gets a bye because no table can be made for them."""
    tables = sizes(len(field), fewest, most)
    byes = _byes(field, len(field) - sum(tables))
    here = [each for each in field if each not in byes]
    costs = _costs(here)
    found = _seatings(tuple(range(len(here))), tables) if len(here) <= EXACT else _searched(here, costs, tables)
    pods = _cheapest(found, costs)
    pods = sorted((tuple(sorted(pod)) for pod in pods), key=lambda pod: (-max(here[i].units for i in pod), pod))
    return [tuple(here[i].id for i in pod) for pod in pods], [each.id for each in byes]


def _byes(field: Sequence[Contender], count: int) -> list[Contender]:
    """Who gets a bye: the fewest earlier byes first, then the fewest points, then the end of the list."""
    order = sorted(range(len(field)), key=lambda i: (field[i].byes, field[i].units, field[i].forfeits_won, -i))
    return [field[i] for i in order[:count]]


def _costs(field: Sequence[Contender]) -> list[list[int]]:
    """The costs of any two at one table, the main criterion first: repeats, repeats squared, points apart, drawn."""
    worst = max((each.units for each in field), default=0) - min((each.units for each in field), default=0)
    pairs = len(field) ** 2
    drawn_in_all = DRAWN_OF * pairs
    apart_in_all = (worst + 1) ** 2 * pairs
    often = max((n for each in field for n in each.met.values()), default=0)
    repeats_in_all = (often + 1) ** 2 * pairs
    costs = [[0] * len(field) for _ in field]
    for i, j in combinations(range(len(field)), 2):
        met = field[i].met.get(field[j].id, 0)
        apart = field[i].units - field[j].units
        cost = ((met > 0) * repeats_in_all + met * met) * apart_in_all + apart * apart
        costs[i][j] = costs[j][i] = cost * drawn_in_all + field[i].lot * field[j].lot % DRAWN_OF
    return costs


def _cheapest(found: Iterable[list[Pod]], costs: Sequence[Sequence[int]]) -> list[Pod]:
    return min(found, key=lambda pods: sum(costs[i][j] for pod in pods for i, j in combinations(pod, 2)), default=[])


def _seatings(left: tuple[int, ...], tables: Sequence[int]) -> Iterator[list[Pod]]:
    """All seatings at tables of these sizes. The first entrant left is tried at a table of each size."""
    if not tables:
        yield []
        return
    for size in sorted(set(tables)):
        others = list(tables)
        others.remove(size)
        for with_first in combinations(left[1:], size - 1):
            pod = (left[0], *with_first)
            rest = tuple(i for i in left if i not in pod)
            for pods in _seatings(rest, others):
                yield [pod, *pods]


def _searched(field: Sequence[Contender], costs: Sequence[Sequence[int]], tables: Sequence[int]) -> Iterator[list[Pod]]:
    """The results of some searches: one from the order of points, in smaller fields others from orders drawn by lot."""
    orders = [sorted(range(len(field)), key=lambda i: field[i].lot * at % DRAWN_OF) for at in range(1, STARTS)]
    if len(field) > MANY:
        orders = []
    return (_improved(costs, tables, order) for order in ([*range(len(field))], *orders))


def _improved(costs: Sequence[Sequence[int]], tables: Sequence[int], order: Sequence[int]) -> list[Pod]:
    """Seated in an order, then for everybody in turn the best swap with somebody elsewhere, until no swap is better."""
    everybody = range(len(costs))
    seats = dict(zip(order, (number for number, size in enumerate(tables) for _ in range(size)), strict=True))
    table = [seats[i] for i in everybody]
    beside = [[0] * len(tables) for _ in everybody]
    for i in everybody:
        for j in everybody:
            beside[i][table[j]] += costs[i][j]
    has_changed = True
    while has_changed:
        has_changed = False
        for i in everybody:
            s = table[i]
            gains = [
                (beside[i][t] + beside[j][s] - 2 * costs[i][j] - beside[i][s] - beside[j][t], j)
                for j, t in enumerate(table)
                if t != s
            ]
            gain, j = min(gains, default=(0, i))
            if gain < 0:
                has_changed = True
                t = table[j]
                table[i], table[j] = t, s
                for k in everybody:
                    beside[k][s] += costs[k][j] - costs[k][i]
                    beside[k][t] += costs[k][i] - costs[k][j]
    return [tuple(i for i in everybody if table[i] == number) for number in range(len(tables))]
