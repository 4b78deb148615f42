"""FIDE's Dutch system, exactly: Handbook C.04.3, effective from 1 February 2026, with C.04.1 and C.04.2 (3.4 to 3.6).

Each bracket is one matching whose weights hold the criteria C6 to C21 as digits of a whole number. Article 4 decides
between equals by further digits."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, zip_longest
from math import lcm
from operator import mul

import rustworkx

from companion.event.draw import lot
from companion.event.refused import EventRefused
from companion.event.scorecards import ZERO, How, Scorecards
from companion.event.state import Event
from companion.event.swiss import virtual

MOST_BITS = 120
"""rustworkx computes in 128 bits, and doubles weights internally."""
DOWN, LEVEL, UP = -1, 0, 1
"""Floats, article 1.4."""
WHITE, BLACK = "W", "B"


@dataclass(frozen=True)
class DutchPlayer:
    """A participant before the round. `number`: the tournament pairing number, 1 is the best."""

    number: int
    points: int
    """Points including virtual ones, in units of the smallest fraction in use."""
    colours: str = ""
    """W or B for each game played, the oldest first."""
    met: frozenset[int] = frozenset()
    """Numbers of opponents; forbidden ones too."""
    floats: tuple[int, int] = (LEVEL, LEVEL)
    """Floats in the previous round and in the round before it."""
    may_bye: bool = True
    """C2: no pairing-allocated bye yet, and no round that gave a win's points without a game."""
    unplayed: int = 0
    is_top: bool = False
    """Topscorer, article 1.8: over half of the points, before the last round."""

    @cached_property
    def surplus(self) -> int:
        return self.colours.count(WHITE) - self.colours.count(BLACK)

    @cached_property
    def strength(self) -> int:
        """The colour preference, article 1.7: 3 absolute, 2 strong, 1 mild, 0 none."""
        if not self.colours:
            return 0
        if abs(self.surplus) > 1 or self.colours[-2:] in (WHITE * 2, BLACK * 2):
            return 3
        return 2 if self.surplus else 1

    @cached_property
    def preferred(self) -> str:
        """The colour that is due; empty before the first game."""
        if not self.colours:
            return ""
        last = self.colours[-1]
        if self.surplus and self.colours[-2:] != last * 2:
            return BLACK if self.surplus > 0 else WHITE
        return _other(last)


def pair(players: Iterable[DutchPlayer], first: str = WHITE) -> tuple[list[tuple[int, int]], int | None]:
    """The round: pairs of numbers, white first, by boards, and who gets the bye. Raises: EventRefused."""
    field_ = sorted(players, key=lambda each: (-each.points, each.number))
    found, bye = _Round(field_).pairs()
    boards = sorted(
        found, key=lambda two: (-field_[two[0]].points, -field_[two[1]].points - field_[two[0]].points, two)
    )
    pairs = [(field_[i], field_[j]) for i, j in boards]
    seated = [(a, b) if is_white(a, b, first) else (b, a) for a, b in pairs]
    return [(a.number, b.number) for a, b in seated], None if bye is None else field_[bye].number


def is_white(upper: DutchPlayer, lower: DutchPlayer, first: str = WHITE) -> bool:
    """Whether the higher ranked of two gets white, article 5.2."""
    mine, theirs = upper.preferred, lower.preferred
    if mine != theirs:
        return mine == WHITE or theirs == BLACK
    if not mine:
        return (first == WHITE) == bool(upper.number % 2)
    if upper.strength != lower.strength:
        return (mine == WHITE) == (upper.strength > lower.strength)
    if upper.strength == 3 and abs(upper.surplus) != abs(lower.surplus):
        return (mine == WHITE) == (abs(upper.surplus) > abs(lower.surplus))
    for a, b in zip_longest(reversed(upper.colours), reversed(lower.colours), fillvalue=""):
        if a and b and a != b:
            return a == BLACK
    return mine == WHITE


def pairing_numbers(event: Event) -> dict[str, int]:
    """Tournament pairing numbers: by rating, then by name. Source: C.04.2, 2.2."""
    entrants = event.entrants
    order = sorted(entrants, key=lambda each: (-entrants[each].rating, entrants[each].name, each))
    return {each: number for number, each in enumerate(order, 1)}


def colour_of(seed: str) -> str:
    """The initial colour, drawn from the published seed."""
    return WHITE if lot(seed, "white") % 2 else BLACK


def pair_event(event: Event, lines: Scorecards, who: Sequence[str]) -> tuple[list[tuple[str, str]], str | None]:
    """An event's next round among `who`, white first, and who gets the bye. Raises: EventRefused."""
    entrants, settings = event.entrants, event.settings
    numbers = pairing_numbers(event)
    order = list(numbers)
    extra = [virtual(event, number) for number in range(1, event.next_number + 1)]
    worths = [worth for each in extra for worth in each.values()]
    unit = lcm(*(worth.denominator for worth in (*worths, *(line.points for mine in lines.values() for line in mine))))

    def whole(points: Fraction) -> int:
        return points.numerator * (unit // points.denominator)

    rounds = range(1, event.next_number)
    totals = {}
    for each in entrants:
        won = {line.round: whole(line.points) for line in lines[each]}
        sums = accumulate((won.get(number, 0) for number in rounds), initial=0)
        totals[each] = [points + whole(more.get(each, ZERO)) for points, more in zip(sums, extra, strict=True)]
    is_last = settings.rounds == event.next_number
    half = settings.points.win * unit * len(event.rounds) / 2
    field_ = []
    for each in who:
        played = [line for line in lines[each] if line.how is How.PLAYED]
        met = {numbers[other] for line in played for other in line.opponents}
        met |= {numbers[other] for other in event.kept_from(each)}
        floats = [LEVEL, LEVEL]
        for line in lines[each]:
            if line.how is How.PLAYED:
                mine, theirs = totals[each][line.round - 1], totals[line.opponents[0]][line.round - 1]
                floats.append((theirs > mine) - (mine > theirs))
            else:
                floats.append(DOWN if line.points > settings.points.loss else LEVEL)
        unplayed = [line for line in lines[each] if line.how is not How.PLAYED]
        field_.append(
            DutchPlayer(
                numbers[each],
                totals[each][-1],
                "".join(WHITE if line.is_first else BLACK for line in played),
                frozenset(met),
                (floats[-1], floats[-2]),
                all(line.how is not How.BYE and line.points < settings.points.win for line in unplayed),
                len(unplayed),
                is_last and totals[each][-1] > half,
            )
        )
    pairs, bye = pair(field_, colour_of(settings.seed))
    return [(order[a - 1], order[b - 1]) for a, b in pairs], None if bye is None else order[bye - 1]


def _other(colour: str) -> str:
    return BLACK if colour == WHITE else WHITE


def _able(players: Sequence[DutchPlayer]) -> list[set[int]]:
    """The places after each player's own whom C1 and C3 let them meet."""
    places = {each.number: at for at, each in enumerate(players)}
    able = [set(range(at + 1, len(players))) for at in range(len(players))]
    for at, each in enumerate(players):
        for other in (places[number] for number in each.met if number in places):
            able[min(at, other)].discard(max(at, other))
    for colour in (WHITE, BLACK):
        rigid = {at for at, p in enumerate(players) if p.strength == 3 and p.preferred == colour and not p.is_top}
        for at in rigid:
            able[at] -= rigid
    return able


def _colour_costs(upper: DutchPlayer, lower: DutchPlayer) -> tuple[int, int, int, int]:
    """C10 to C13 for two players who prefer the same colour.

    In order: a colour difference above 2, a colour three times in a row, a preference not met, a strong one not met.
    """
    loser = lower if is_white(upper, lower) == (upper.preferred == WHITE) else upper
    if loser.strength < 3:
        return 0, 0, 1, int(loser.strength == 2)
    given = _other(loser.preferred)
    return (
        int(abs(loser.surplus) > 1 and (loser.surplus > 0) == (given == WHITE)),
        int(loser.colours[-2:] == given * 2),
        1,
        0,
    )


Two = tuple[int, int]
"""Two places in the field, the better first."""
Weights = dict[Two, int]


@dataclass(slots=True)
class _Graph:
    """The possible pairs with their weights. `reach` exceeds any sum of them. `is_whole`: everybody must be paired."""

    weights: Weights
    reach: int
    is_whole: bool
    taken: list[Two] = field(default_factory=list)
    last: list[Two] = field(default_factory=list)
    """The newest solution, without the pairs taken since."""

    def solve(self, more: Callable[[int, int], int] | None = None, factor: int = 1) -> list[Two]:
        """The best pairs by the criteria, then by `more`, whose sums stay below `factor`; without those taken."""
        if self.reach * factor >> MOST_BITS:
            raise OverflowError("too many criteria for an exact matching")
        weights = self.weights
        if more is not None:
            weights = {(i, j): by * factor + more(i, j) for (i, j), by in weights.items()}
        self.last = _best(weights, self.is_whole)
        return self.last

    def take(self, pairs: Sequence[Two]) -> None:
        self.taken += pairs
        gone = {each for two in pairs for each in two}
        self.last = [two for two in self.last if gone.isdisjoint(two)]
        self.keep(lambda i, j: i not in gone and j not in gone)

    def worth(self, pairs: Sequence[Two]) -> tuple[int, int]:
        """The value of a solution; a greater one is better."""
        return len(pairs) if self.is_whole else 0, _sum(self.weights, pairs)

    def keep(self, is_kept: Callable[[int, int], bool]) -> None:
        self.weights = {(i, j): by for (i, j), by in self.weights.items() if is_kept(i, j)}

    def drop(self, upper: set[int], lower: set[int]) -> None:
        self.keep(lambda i, j: i not in upper or j not in lower)

    def room(self, base: int) -> int:
        """The number of digits of a base that still fit; at least one."""
        return max(1, (MOST_BITS - self.reach.bit_length()) // base.bit_length())


def _product(upper: dict[int, int], lower: dict[int, int]) -> Callable[[int, int], int]:
    return lambda i, j: upper.get(i, 0) * lower.get(j, 0)


def _best(weights: Weights, is_whole: bool) -> list[Two]:
    """The matching with the largest sum; `is_whole`: with the maximum number of pairs first."""
    graph = rustworkx.PyGraph()
    graph.extend_from_weighted_edge_list([(i, j, by) for (i, j), by in weights.items()])
    matched = rustworkx.max_weight_matching(graph, max_cardinality=is_whole, weight_fn=int)
    return sorted((min(two), max(two)) for two in matched)


def _sum(weights: Weights, pairs: Iterable[Two]) -> int:
    return sum(weights.get(two, 0) for two in pairs)


class _Round:
    def __init__(self, players: Sequence[DutchPlayer]) -> None:
        self.players = players
        self.bye = len(players) if len(players) % 2 else None
        self.open = set(range(len(players)))
        self.able = _able(players)
        self.bye_points = self._least_bye()

    def pairs(self) -> tuple[list[Two], int | None]:
        """All pairs, bracket by bracket, and who is left."""
        found: list[Two] = []
        down: list[int] = []
        levels = sorted({each.points for each in self.players}, reverse=True)
        groups = [[i for i, each in enumerate(self.players) if each.points == points] for points in levels]
        for residents, below in zip(groups, [*groups[1:], []], strict=True):
            pairs = _Bracket(self, down, residents, below).pairs()
            self.open -= {each for two in pairs for each in two}
            found += pairs
            down = [each for each in (*down, *residents) if each in self.open]
        last = self.complete(down)
        assert last is not None
        found += [two for two in last if self.bye not in two]
        return sorted(found), next((i for i, j in last if j == self.bye), None)

    def complete(self, left: Iterable[int], worth: Weights | None = None) -> list[Two] | None:
        """C4: the pairs of all these that are worth most, the bye included; None if not everybody can be paired."""
        here = set(left)
        weights = {(i, j): 0 for i in here for j in self.able[i] & here} | self.byes(here) | (worth or {})
        pairs = _best(weights, is_whole=True)
        return pairs if 2 * len(pairs) == len(here) + len(here) % 2 else None

    def byes(self, here: Iterable[int]) -> Weights:
        """The entrants that may get the bye, by C2 and C5."""
        if self.bye is None:
            return {}
        able = (i for i in here if self.players[i].may_bye and self.players[i].points <= self.bye_points)
        return {(i, self.bye): 0 for i in able}

    def _least_bye(self) -> int:
        """C5: the fewest points of an entrant whose bye lets the round be paired. Raises: EventRefused."""
        levels = sorted({each.points for each in self.players if each.may_bye}) if self.bye is not None else [0]
        for self.bye_points in levels:
            if self.complete(self.open) is not None:
                return self.bye_points
        raise EventRefused(
            "FIDE's rules allow no round: players would meet again or get a colour too often. Set tables by hand"
        )


class _Bracket:
    """A bracket, article 1.3: moved-down players (`moved`) and residents, with the group below for C8."""

    def __init__(self, round_: _Round, moved: Sequence[int], residents: Sequence[int], below: Sequence[int]) -> None:
        self.round, self.players = round_, round_.players
        self.moved, self.residents, self.below = list(moved), list(residents), list(below)
        self.here = {*moved, *residents}
        self.inside = set(residents)

    def pairs(self) -> list[Two]:
        """The best pairs of the bracket; the others go down.

        It looks at the bracket and the group below, and at everybody only if the rest could otherwise not be paired
        (C4).
        """
        open_ = self.round.open
        if open_ - self.here - set(self.below):
            graph = self._settled(is_whole=False)
            left = open_ - {each for two in graph.taken for each in two}
            next_ = {two: by for two, by in graph.weights.items() if left.issuperset(two) and two[1] not in self.inside}
            rest = self.round.complete(left, next_)
            if rest is not None and _sum(next_, rest) == _sum(next_, _best(next_, is_whole=False)):
                return graph.taken
        return self._settled(is_whole=True).taken

    def _settled(self, *, is_whole: bool) -> _Graph:
        graph = self._graph(is_whole=is_whole, counts_unplayed=False)
        found = self._within(graph.solve())
        is_lowest = self.players[self.residents[0]].points <= self.round.bye_points
        if self.round.bye is not None and len(self.here) - 2 * len(found) == 1 and is_lowest:  # C9
            graph = self._graph(is_whole=is_whole, counts_unplayed=True)
            found = self._within(graph.solve())
        self._pair_moved(graph, found)
        self._pair_rest(graph, found)
        return graph

    def _within(self, pairs: Iterable[Two]) -> list[Two]:
        return [(i, j) for i, j in pairs if i in self.here and j in self.inside]

    # criteria

    def _graph(self, *, is_whole: bool, counts_unplayed: bool) -> _Graph:
        """All pairs with C6 to C21 as digits of their weights. Gains count pairs made, costs are below 0."""
        round_, players, here, inside, below = self.round, self.players, self.here, self.inside, set(self.below)
        sizes = Counter(players[i].points for i in self.moved)
        levels = sorted(sizes, reverse=True)
        at_level = [sizes[each] for each in levels]
        pairs, moved = len(here) // 2, len(self.moved)
        unplayed = [each.unplayed if counts_unplayed and each.points <= round_.bye_points else 0 for each in players]
        tops = sum(players[i].is_top for i in here)
        downs = [sum(players[i].floats[back] == DOWN for i in self.residents) for back in (0, 1)]
        bounds = [pairs, *at_level, (len(here) + len(below)) // 2, *at_level, len(inside)]
        next_at = len(levels) + 1
        bounds += [sum(unplayed[i] for i in here), tops, tops, pairs, pairs]
        colour_at = len(bounds) - 4
        bounds += [downs[0], moved, downs[1], moved, *at_level * 4]
        *scales, reach = reversed(list(accumulate([1, *(size + 1 for size in reversed(bounds))], mul)))
        scales, reach = [*scales[1:], reach], scales[0]
        float_at, of_unplayed = colour_at + 4, scales[colour_at - 1]
        own, raised = dict[int, int](), [dict[int, int]() for _ in levels]
        for j in inside:
            lower = players[j]
            backs = [back for back in (0, 1) if lower.floats[back] == UP]
            own[j] = unplayed[j] * of_unplayed + sum(
                scales[float_at + 2 * back] for back in (0, 1) if lower.floats[back] == DOWN
            )
            for level, costs in enumerate(raised):
                firsts = (float_at + 4 + (2 * back + 1) * len(levels) + level for back in backs)
                costs[j] = sum(map(scales.__getitem__, (*firsts, *(float_at + 2 * back + 1 for back in backs))))
        weights: Weights = {}
        for i in here:
            upper, able = players[i], round_.able[i]
            level = len(levels) if i in inside else levels.index(upper.points)
            gain, costs = scales[0] + own.get(i, 0), dict[int, int]()
            if i not in inside:
                firsts = (float_at + 4 + 2 * back * len(levels) for back in (0, 1) if upper.floats[back] == DOWN)
                gain += unplayed[i] * of_unplayed + scales[1 + level] + sum(scales[first + level] for first in firsts)
                costs = raised[level]
            for j in able & inside:
                by = gain + own[j] - costs.get(j, 0)
                if upper.preferred and upper.preferred == players[j].preferred:
                    by -= sum(map(mul, _colour_costs(upper, players[j]), scales[colour_at:float_at]))
                weights[i, j] = by
            weights |= dict.fromkeys(((i, j) for j in able & below), scales[next_at] + scales[next_at + 1 + level])
        weights |= {(i, j): scales[next_at] for i in below for j in round_.able[i] & below}
        if is_whole:
            others = {(i, j): 0 for i in round_.open for j in round_.able[i] & round_.open}
            weights = others | weights | round_.byes(round_.open)
        return _Graph(weights, reach, is_whole)

    # article 4, the order of the candidates

    def _pair_moved(self, graph: _Graph, found: Sequence[Two]) -> None:
        """Which moved-down players are paired (4.4), and with whom (4.2): the first set, then the first opponents."""
        if not self.moved:
            return
        moved = {who: 1 << at for at, who in enumerate(reversed(self.moved))}
        paired = {i for i, _ in found if i in moved}
        if 0 < len(paired) < len(moved):
            best = graph.solve(_product(moved, dict.fromkeys(self.inside, 1)), 1 << len(moved))
            paired = {i for i, _ in self._within(best) if i in moved}
        graph.drop(set(moved) - paired, self.inside)
        self._transpose(graph, sorted(paired), self.residents)

    def _transpose(
        self, graph: _Graph, upper: Sequence[int], lower: Sequence[int], need: tuple[int, int] | None = None
    ) -> bool:
        """Takes for each of `upper`, in order, the best of `lower` that the criteria allow; False: not worth it."""
        upper, lower = list(upper), list(lower)
        while upper:
            base = len(lower) + 1
            some = upper[: graph.room(base)]
            worth = {who: len(lower) - at for at, who in enumerate(lower)}
            digit = {who: base**at for at, who in enumerate(reversed(some))}
            best = graph.solve(_product(digit, worth), base ** len(some))
            if need is not None and graph.worth(best) != need:
                return False
            need = None
            pairs = [(i, j) for i, j in best if i in digit and j in worth]
            graph.take(pairs)
            lower = [each for each in lower if all(each != j for _, j in pairs)]
            upper = upper[len(some) :]
        return True

    def _pair_rest(self, graph: _Graph, within: Sequence[Two]) -> None:
        """The residents that are left (3.6): the exchange that comes first (4.3), then the transposition (4.2)."""
        gone = {each for two in graph.taken for each in two}
        rest = {who: at for at, who in enumerate(each for each in self.residents if each not in gone)}
        half = len(within) - len(graph.taken)
        names = list(rest)
        if not half:
            return
        weights = graph.weights
        if not self._halved(graph, rest, set(names[:half])):
            graph.weights = weights
            self._halved(graph, rest, self._exchanged(graph, rest, half))

    def _halved(self, graph: _Graph, rest: dict[int, int], upper: set[int]) -> bool:
        """Pairs these with the others of the rest; False: the criteria do not allow it."""
        need = graph.worth(graph.last)
        graph.keep(lambda i, j: (i in upper and j not in upper) if i in rest and j in rest else True)
        return self._transpose(graph, sorted(upper), [each for each in rest if each not in upper], need)

    def _exchanged(self, graph: _Graph, rest: dict[int, int], half: int) -> set[int]:
        """The upper half after the first exchange, with the better ranked of each pair."""
        most = half * len(rest) + 1

        def base(i: int, j: int) -> int:
            if i not in rest or j not in rest:
                return 0
            return -most * (rest[i] >= half) - rest[i]

        found = [i for i, j in graph.solve(base, most * (half + 1)) if i in rest and j in rest]
        graph.weights = {(i, j): by * most * (half + 1) + base(i, j) for (i, j), by in graph.weights.items()}
        graph.reach *= most * (half + 1)
        names = list(rest)
        order, must = [*reversed(names[:half]), *names[half:]], set[int]()
        while order:
            some = order[: graph.room(2)]
            digit = {who: (-1 if rest[who] < half else 1) << at for at, who in enumerate(reversed(some))}
            digit |= dict.fromkeys(must, 1 << len(some))
            best = graph.solve(_product(digit, dict.fromkeys(rest, 1)), len(must) + 1 << len(some))
            found = [i for i, j in best if i in rest and j in rest]
            must |= {who for who in some if who in found and rest[who] >= half}
            graph.drop(set(some) - set(found), set(rest))
            order = order[len(some) :]
        return set(found)
