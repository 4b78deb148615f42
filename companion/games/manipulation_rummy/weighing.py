"""Every table that a reading of the cards may show, weighed: prior chance times the chances of the cards' corners.

Recorded cards are still there, so cards together that are most probably a recorded meld are that meld. All others get
every probable name (`looks`), and are arranged as melds (`arranged`).
"""

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.game.cards import JOKER, PACK, identity, in_hand
from companion.game.readings import RummyReading, TableCard
from companion.games.manipulation_rummy.house import House
from companion.games.manipulation_rummy.melds import SMALLEST, Meld, Table, declarations, in_order, is_group
from companion.games.manipulation_rummy.settled import REMEMBERED
from companion.games.manipulation_rummy.state import RummyState

NO_CARD, OTHER = "", "?"
"""Names for something else than a card, and for a card without a likely value."""
KINDS = len(PACK) + 1
SLIP = 1e-3
"""Weight of a table that the rules forbid: slips are rare, and may be any of many tables. This and the next three are
cautious guesses."""
GONE = 0.1
"""Recorded cards that such a table lacks."""
ASTRAY = 0.02
"""Share of new sequences with a card out of its place, such as a 9 laid to the right of 10 J. A cautious guess."""
MISREAD = 1e-4
"""Share of cards that are not among the candidates of their corner: none of 2,180 clear ones. A cautious guess."""
UNREAD_IS_NONE, UNREAD_IS_JOKER = 0.5, 0.45
"""Shares of unreadable things: paper or room between two cards, and jokers. Counted at 56 virtual tables."""
HOLE = 0.1
"""Weight of a hole in a meld where a joker is read. A cautious guess: of 139 jokers read in matches none was wrong,
where the reader expected 3.3."""
DOUBTED = 2.0
"""Ratio of expected to found misread cards that is assumed without an earlier reading: the spread of cameras in 56
rooms."""
LEAST, MOST = 1e-7, 300
"""Minimum chance of a set of names, relative to the best set, and maximum number of sets weighed."""


RISK = 1 / 500
"""Accepted chance of a wrong entry: undo repairs it at once."""
MOST_OFFERED = 3


@dataclass(frozen=True, slots=True)
class Look:
    """One set of names for the cards seen: their names (or `NO_CARD`, `OTHER`), the names by meld, and its
    likelihood."""

    names: tuple[str, ...]
    melds: Table
    likely: float


@dataclass(slots=True)
class Way:
    """One thing that may have happened: the entry (None: nothing), the names of the cards seen, and its chance."""

    action: Any
    names: tuple[str, ...]
    table: Table = ()
    likely: float = 0.0


def ranked(ways: Iterable[Way], others: float) -> list[Way]:
    """The interpretations with their probabilities, the most probable first, given the likelihood of all others."""
    ways = tuple(ways)
    total = sum(way.likely for way in ways) + others
    return sorted((replace(way, likely=way.likely / total) for way in ways), key=lambda way: -way.likely)


def looks(state: RummyState, reading: RummyReading) -> Iterator[Look]:
    """The sets of names for the cards of a reading, roughly by descending likelihood."""
    together = {i for meld in reading.melds for i in meld}
    groups = [*reading.melds, *([i] for i in range(len(reading.cards)) if i not in together)]
    chances = [_chances(card) for card in reading.cards]
    first = [max(of, key=lambda name: of[name]) for of in chances]
    lies = Counter(tuple(sorted(map(in_hand, meld))) for meld in state.table)
    recorded = lay(state)
    missing = +recorded
    remembered = {i for i, card in enumerate(reading.cards) if card.reason == REMEMBERED}
    opened: list[Sequence[int]] = []
    known: list[int] = []
    for group in groups:
        meld = tuple(sorted(first[i] for i in group))
        if lies[meld] and remembered.isdisjoint(group):
            lies[meld] -= 1
            missing -= Counter(meld)
            known += group
        else:
            opened.append(group)
    expected = sum(1 - chances[i][first[i]] for i in known if first[i])
    misread = (missing - Counter(first[i] for group in opened for i in group)).total()
    trust = (DOUBTED + misread) / (DOUBTED + expected)
    elsewhere = {name for group in opened for i in group for name in chances[i]}
    for group in opened:
        for k, i in enumerate(group):
            if i in remembered:  # never a new card; it may lie elsewhere now
                chances[i] = {NO_CARD: UNREAD_IS_NONE} | dict.fromkeys({first[i]} & {*missing}, 1 - UNREAD_IS_NONE)
                continue
            chances[i] = _trusted(chances[i], first[i], trust)
            if first[i] == JOKER and 0 < k < len(group) - 1:  # without it there is a hole
                chances[i] = chances[i] | {NO_CARD: HOLE * chances[i].get(NO_CARD, 0.0)}
            others = tuple(first[k] for k in group if k != i and first[k])
            chances[i] = _widened(chances[i], others, missing, state.house)
    for i in known:  # another card may be there only if this one is seen elsewhere
        chances[i] = _trusted(chances[i], first[i], trust) if first[i] in elsewhere else {first[i]: 1.0}
    for names, log_likely in _named([sorted(of.items(), key=lambda one: -one[1]) for of in chances]):
        melds = tuple(meld for group in groups if (meld := tuple(names[i] for i in group if names[i])))
        yield Look(names, melds, math.exp(log_likely) * (GONE / KINDS) ** (recorded - Counter(names)).total())


def changed(look: Look, lies: Counter[str]) -> tuple[Counter[str], Counter[str]]:
    """The cards of a look that were not on the recorded table, and the recorded cards that are not seen."""
    seen = Counter(filter(None, look.names))
    return seen - lies, lies - seen


def places_of(
    reading: RummyReading, cards: Iterable[int], names: Sequence[str] = ()
) -> tuple[tuple[str, float, float], ...]:
    """The places of these cards of a reading, with their names (`names` of all its cards).

    The name of a card without one is its number, and a second copy has a number too: "card 1", "7S", "7S 2".
    """
    found: dict[str, tuple[float, float]] = {}
    for i in cards:
        name = names[i] if names and names[i] not in (NO_CARD, OTHER) else f"card {len(found) + 1}"
        found[f"{name} {len(found) + 1}" if name in found else name] = reading.cards[i].middle_mm
    return tuple((name, *place) for name, place in found.items())


def which(names: Sequence[str], cards: Counter[str]) -> list[int]:
    """The cards of a reading, by their number, that have these names: the last ones, since new cards come after."""
    left, found = Counter(cards), []
    for i in reversed(range(len(names))):
        if left[names[i]] > 0:
            left[names[i]] -= 1
            found.append(i)
    return found[::-1]


def lay(state: RummyState) -> Counter[str]:
    """The cards of the recorded table, jokers as jokers."""
    return Counter(in_hand(card) for meld in state.table for card in meld)


def _chances(card: TableCard) -> dict[str, float]:
    return dict(card.chances) or {NO_CARD: UNREAD_IS_NONE, JOKER: UNREAD_IS_JOKER}


def _trusted(own: dict[str, float], first: str, trust: float) -> dict[str, float]:
    """The probabilities, with doubt scaled by how reliably this reading shows the recorded cards."""
    if first in (NO_CARD, JOKER):
        return own
    doubt = min((1 - own[first]) * trust, 0.5)
    rest = doubt / max(1 - own[first], MISREAD)
    return {name: chance * rest for name, chance in own.items()} | {first: 1 - doubt}


def _widened(own: dict[str, float], others: Meld, missing: Counter[str], house: House) -> dict[str, float]:
    """The candidates of a card, plus cards missing on the table and cards that make the meld legal."""
    legal = declarations((*others, JOKER), house) if len(others) >= SMALLEST - 1 else ()
    more = {name for meld in legal for card in meld if card not in others and (name := identity(card))}
    left = max(1 - sum(own.values()), MISREAD)
    return dict.fromkeys((*missing, *more, JOKER), left / KINDS) | own | {OTHER: left}


def _named(options: Sequence[Sequence[tuple[str, float]]]) -> Iterator[tuple[tuple[str, ...], float]]:
    """All choices of one option each, the most probable first, with log probabilities relative to the best (0)."""
    costs = [[math.log(some[0][1] / max(chance, LEAST**2)) for _, chance in some] for some in options]
    start = (0,) * len(options)
    heap, met = [(0.0, start)], {start}
    for _ in range(MOST):
        if not heap or heap[0][0] > -math.log(LEAST):
            return
        cost, at = heapq.heappop(heap)
        yield tuple(some[k][0] for some, k in zip(options, at, strict=True)), -cost
        for n, k in enumerate(at):
            after = (*at[:n], k + 1, *at[n + 1 :])
            if k + 1 < len(options[n]) and after not in met:
                met.add(after)
                heapq.heappush(heap, (cost - costs[n][k] + costs[n][k + 1], after))


def arranged(melds: Table, house: House) -> Iterator[Table]:
    """The tables that cards seen together make: an illegal meld may be several melds, or a part of another."""
    wrong = next((meld for meld in melds if not declarations(meld, house)), None)
    if wrong is None:
        yield melds
        return
    rest = list(melds)
    rest.remove(wrong)
    for parts in _parted(wrong, house):
        yield from arranged((*rest, *parts), house)
    for other in dict.fromkeys(rest):
        rows = ((*wrong, *other), (*other, *wrong))
        whole = next((row for row in rows if any(row in _rows(of) for of in declarations(row, house))), rows[0])
        if declarations(whole, house):
            left = list(rest)
            left.remove(other)
            yield from arranged((*left, whole), house)


def _parted(row: Meld, house: House) -> Iterator[tuple[Meld, ...]]:
    """All partitions of a row into melds of neighbouring cards."""
    if not row:
        yield ()
    for end in range(SMALLEST, len(row) + 1):
        if declarations(row[:end], house):
            for rest in _parted(row[end:], house):
                yield (row[:end], *rest)


def _rows(declared: Meld) -> tuple[Meld, Meld]:
    """The undeclared cards of a declared sequence in order, from either end."""
    row = tuple(in_hand(card) for card in in_order(declared))
    return row, row[::-1]


def as_laid(lies: Table, declared: Sequence[Table], recorded: Sequence[Table]) -> tuple[list[Table], float]:
    """The meanings of a table without those that the places of its jokers rule out, and the chance of its places.

    `recorded`: the meanings of the recorded table.
    """
    known = {meld for table in recorded for meld in table}
    chances = {table: _in_place(lies, table, known) for table in declared}
    total, kept, rest = sum(chances.values()), [], 1.0
    for table, chance in sorted(chances.items(), key=lambda one: -one[1]):
        if rest > RISK:
            kept.append(table)
            rest -= chance / total
    return kept, total


def _in_place(lies: Table, declared: Table, recorded: set[Meld]) -> float:
    """The chance that declared melds, in the same order, are laid like this: new sequences are laid in their order.

    With a joker this is squared: its place tells what it stands for.
    """
    chance = 1.0
    for meld, told in zip(lies, declared, strict=True):
        if not (is_group(told) or meld in _rows(told) or in_order(told) in recorded):
            chance *= ASTRAY**2 if JOKER in meld else ASTRAY
    return chance
