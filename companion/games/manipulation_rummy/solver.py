"""The best rearrangement by exact integer programming: counts of sets of card identities, jokers as identity variables.

Columns: the number of each jokerless set on the final table, of cards of a kind that are played, of free jokers that
stand for a kind, and the table jokers that are released. A row per kind balances them. Sequences of six or more are
chains of shorter ones and are joined afterwards, so 132 sequences of 3 to 5 and 65 groups suffice.
Source: D. den Hertog, P. B. Hulshof, "Solving Rummikub problems by integer linear programming", The Computer Journal 49
(2006), for the idea of set columns; identities, released jokers and high aces are this sheet's.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import floor, inf
from typing import Any

from companion.game.cards import JOKER, NUMBER, PACK, RANKS, SUITS, identity, is_joker, sorted_cards
from companion.games.manipulation_rummy.house import House, points_of
from companion.games.manipulation_rummy.melds import Table

LONGEST_CHAIN_LINK = 5
"""Every longer sequence is a chain of sequences of three to five cards."""
KINDS = len(PACK)
TIDINESS = 1 / 128
"""Cost of a set that grows from nothing on the table, and of a released joker."""
UNTIDIEST = 40 * TIDINESS
"""The costs of all sets (106 cards make at most 35) and jokers together: far less than a point."""
GAP_POINTS = 0.5
"""The search ends this near to the bound: with `UNTIDIEST` less than a point, so the points are proven best."""
ROUNDING = 1e-6
OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "threads": 1,
    "presolve": "off",  # the sets that cannot be are left out already: presolving takes longer than it saves
    "mip_heuristic_run_feasibility_jump": False,  # it takes most of the time of an easy table
    "mip_detect_symmetry": False,
    "mip_rel_gap": 0.0,
    "mip_abs_gap": GAP_POINTS,
}


@lru_cache(maxsize=1)
def all_sets() -> tuple[tuple[int, ...], ...]:
    """The 197 sets of card numbers that a final table is made of."""
    row = (*RANKS, RANKS[0])
    found = [
        tuple(NUMBER[rank + suit] for rank in row[low : low + length])
        for suit in SUITS
        for length in range(3, LONGEST_CHAIN_LINK + 1)
        for low in range(len(row) - length + 1)
    ]
    for rank in RANKS:
        of_rank = [NUMBER[rank + suit] for suit in SUITS]
        found += [group for size in (3, 4) for group in combinations(of_rank, size)]
    return tuple(found)


Set = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Best:
    """The play that leaves the fewest points, in sets of identities (sequences in links of at most five).

    `jokers` lists the jokers' cards in each set, set by set, if the house limits them; else only `joker_kinds`
    counts. `is_proven` is False when the time was up: then this is the best play found up to then, and no play can
    bring more than `most` points.
    """

    points: int
    laid: tuple[str, ...]
    sets: tuple[Set, ...]
    joker_kinds: Counter[int]
    jokers: tuple[tuple[int, ...], ...] | None
    is_proven: bool
    most: int


@dataclass(frozen=True, slots=True)
class _Cards:
    """The cards that a play is made of, by number of kind; `standing` is what the jokers on the table stand for."""

    table: tuple[int, ...]
    hand: tuple[int, ...]
    standing: Counter[int]
    hand_jokers: int

    @classmethod
    def of(cls, table: Table, hand: tuple[str, ...]) -> _Cards:
        on_table, in_hand, standing = [0] * KINDS, [0] * KINDS, Counter[int]()
        for meld in table:
            for card in meld:
                if is_joker(card):
                    standing[NUMBER[identity(card) or ""]] += 1
                else:
                    on_table[NUMBER[card]] += 1
        for card in hand:
            if card != JOKER:
                in_hand[NUMBER[card]] += 1
        return cls(tuple(on_table), tuple(in_hand), standing, hand.count(JOKER))

    @property
    def jokers(self) -> int:
        return self.hand_jokers + self.standing.total()

    def most_of(self, kind: int) -> int:
        """Maximum number of cards of a kind on the table, without newly declared jokers."""
        return self.table[kind] + self.hand[kind] + self.standing[kind]


class _Model:
    """One integer programme, column by column, in the lists that HiGHS takes; and what its columns mean."""

    def __init__(self, cards: _Cards, before: Table, house: House) -> None:
        self.starts: list[int] = []
        self.rows: list[int] = []
        self.values: list[float] = []
        self.costs: list[float] = []
        self.uppers: list[float] = []
        self.row_lowers: list[float] = []
        self.row_uppers: list[float] = []
        self.sets: dict[Set, int] = {}
        self.played: dict[int, int] = {}
        self.joker_in: dict[Set, dict[int, int]] = {}
        """With a house limit on jokers: the column of a joker that stands for a kind in a set."""
        self.released: dict[int, int] = {}
        self.declared: dict[int, int] = {}
        self.hand_jokers: int | None = None
        self._fill(cards, before, house)

    def _row(self, lower: float, upper: float) -> int:
        self.row_lowers.append(lower)
        self.row_uppers.append(upper)
        return len(self.row_lowers) - 1

    def _column(self, cost: float, upper: float, entries: dict[int, float]) -> int:
        self.starts.append(len(self.rows))
        self.rows += entries
        self.values += entries.values()
        self.costs.append(cost)
        self.uppers.append(upper)
        return len(self.starts) - 1

    def _fill(self, cards: _Cards, before: Table, house: House) -> None:
        missing = [cards.most_of(kind) == 0 for kind in range(KINDS)]
        usable = [one for one in all_sets() if sum(missing[kind] for kind in one) <= cards.jokers]
        kinds = sorted({kind for one in usable for kind in one})
        balance = {}
        for kind in kinds:
            lies = cards.table[kind] + cards.standing[kind]
            balance[kind] = self._row(lies, lies)
        most = house.max_jokers_per_meld
        limits, stands = {}, {}
        if most is not None and most < cards.jokers:
            limits = {one: self._row(-inf, 0) for one in usable}
            stands = {kind: self._row(cards.standing[kind], cards.standing[kind]) for kind in kinds}
        self._set_columns(cards, before, balance, {one: (limits.get(one), most) for one in usable})
        for one, row in limits.items():
            self.joker_in[one] = {kind: self._column(0.0, cards.jokers, {row: 1.0, stands[kind]: 1.0}) for kind in one}
        self._card_columns(cards, house, balance, stands)

    def _set_columns(
        self,
        cards: _Cards,
        before: Table,
        balance: dict[int, int],
        usable: dict[Set, tuple[int | None, int | None]],
    ) -> None:
        melds = [frozenset(NUMBER[identity(card) or ""] for card in meld) for meld in before]
        for one, (limit, most) in usable.items():
            these = frozenset(one)
            is_tidy = any(meld <= these if len(meld) <= LONGEST_CHAIN_LINK else these <= meld for meld in melds)
            entries = {balance[kind]: 1.0 for kind in one}
            if limit is not None and most is not None:
                entries[limit] = -float(most)
            upper = min(cards.most_of(kind) for kind in one) + cards.jokers
            self.sets[one] = self._column(0.0 if is_tidy else -TIDINESS, upper, entries)

    def _card_columns(self, cards: _Cards, house: House, balance: dict[int, int], stands: dict[int, int]) -> None:
        # a joker is released by a real card: if none is on the table, by one from the hand
        freeable = {kind: count for kind, count in cards.standing.items() if cards.table[kind] or cards.hand[kind]}
        links = {kind: self._row(-inf, 0) for kind in freeable if not cards.table[kind]}
        for kind, row in balance.items():
            if cards.hand[kind]:
                entries = {row: -1.0}
                if kind in links:
                    entries[links[kind]] = -float(freeable[kind])
                self.played[kind] = self._column(points_of((PACK[kind],), house), cards.hand[kind], entries)
        if not cards.jokers:
            return
        free = self._row(0, 0)
        if cards.hand_jokers:
            self.hand_jokers = self._column(points_of((JOKER,), house), cards.hand_jokers, {free: -1.0})
        for kind, row in balance.items():
            stand = {stands[kind]: -1.0} if stands else {}
            self.declared[kind] = self._column(0.0, cards.jokers, {row: -1.0, free: 1.0, **stand})
            if kind in freeable:
                entries = {row: 1.0, free: -1.0, **{stood: 1.0 for stood in stand}}
                if kind in links:
                    entries[links[kind]] = 1.0
                self.released[kind] = self._column(-TIDINESS, freeable[kind], entries)


def solve(table: Table, hand: tuple[str, ...], house: House, within_ms: float) -> Best:
    """The play that leaves the fewest points, for a legal table and a hand; the search ends after `within_ms`.

    A play that plays nothing has 0 points: then nothing can be melded (if `is_proven`).
    """
    cards = _Cards.of(table, hand)
    model = _Model(cards, table, house)
    found, bound = _run(model, within_ms / 1000.0)

    def count(column: int | None) -> int:
        return 0 if column is None or found is None else round(found[column])

    laid = [PACK[kind] for kind, column in model.played.items() for _ in range(count(column))]
    laid += [JOKER] * count(model.hand_jokers)
    points = points_of(laid, house)
    most = floor(min(points_of(hand, house), bound + UNTIDIEST + ROUNDING))  # no bound yet is infinite
    kinds = Counter(cards.standing)
    kinds.subtract({kind: count(column) for kind, column in model.released.items()})
    kinds.update({kind: count(column) for kind, column in model.declared.items()})
    sets = tuple(one for one, column in model.sets.items() for _ in range(count(column)))
    jokers = None
    if model.joker_in:
        jokers = _spread(
            sets, {one: Counter({k: count(c) for k, c in at.items()}) for one, at in model.joker_in.items()}
        )
    return Best(points, sorted_cards(laid), sets, +kinds, jokers, most <= points, max(most, points))


def _spread(sets: tuple[Set, ...], standing: dict[Set, Counter[int]]) -> tuple[tuple[int, ...], ...]:
    """The jokers' cards in each of the `sets`; if a set appears twice, they alternate between its copies."""
    copies = Counter(sets)
    seen: Counter[Set] = Counter()
    spread = []
    for one in sets:
        spread.append(tuple(sorted(standing[one].elements()))[seen[one] :: copies[one]])
        seen[one] += 1
    return tuple(spread)


def _run(model: _Model, within_s: float) -> tuple[list[float] | None, float]:
    """A best solution (None: the time was up before any) and the bound that none exceeds."""
    import highspy  # only here: it takes a tenth of a second to load, and brings numpy

    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(model.costs), len(model.row_lowers)
    lp.sense_ = highspy.ObjSense.kMaximize
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = model.costs, [0.0] * len(model.costs), model.uppers
    lp.row_lower_, lp.row_upper_ = model.row_lowers, model.row_uppers
    lp.integrality_ = [highspy.HighsVarType.kInteger] * len(model.costs)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.num_col_, lp.a_matrix_.num_row_ = lp.num_col_, lp.num_row_
    lp.a_matrix_.start_, lp.a_matrix_.index_ = [*model.starts, len(model.rows)], model.rows
    lp.a_matrix_.value_ = model.values
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    for key, value in OPTIONS.items():
        highs.setOptionValue(key, value)
    highs.setOptionValue("time_limit", max(within_s, 0.0))
    highs.passModel(lp)
    highs.run()
    info = highs.getInfo()
    is_found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    return (list(highs.getSolution().col_value) if is_found else None), info.mip_dual_bound
