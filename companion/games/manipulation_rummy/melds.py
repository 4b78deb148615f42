"""Groups, sequences and jokers: which melds are legal, and what a joker can stand for.

A meld is a tuple of cards in order; a table is a tuple of melds. An *open* joker stands for one of several cards: a
table with open jokers has several *meanings*. Nothing here knows of turns or hands.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, permutations, product

from companion.game.cards import OR, RANKS, SUITS, identity, in_hand, is_joker, joker_as, may_be, rank_of, suit_of
from companion.game.says import Says
from companion.game.values import Fault
from companion.games.manipulation_rummy.house import House, rule

Meld = tuple[str, ...]
Table = tuple[Meld, ...]

SMALLEST = 3
HIGH_ACE = len(RANKS)
"""The place of a high ace in a sequence: after the king, the ranks counting from 0."""


def meld_text(meld: Iterable[str]) -> str:
    """A meld as text: ``[7C 8C JK=9C]``."""
    return f"[{' '.join(meld)}]"


def table_text(table: Iterable[Meld]) -> str:
    return " ".join(meld_text(meld) for meld in table)


@lru_cache(maxsize=65536)
def flaw_of(meld: Meld, house: House) -> Fault | None:
    """Why these cards are not a legal meld, in any order; None when they are one."""
    values = {"meld": meld_text(meld)}
    if len(meld) < SMALLEST:
        return Fault(Says("{meld} has fewer than three cards", values), rule("Melds"))
    if is_open(meld):
        if declarations(meld, house):
            return None
        return Fault(Says("no card that the joker may stand for makes {meld} legal", values), rule("Jokers"))
    most = house.max_jokers_per_meld
    if most is not None and sum(map(is_joker, meld)) > most:
        return Fault(Says("jokers in {meld}: at most {most} may be there", {**values, "most": most}), rule("gap 13"))
    if len({rank_of(card) for card in meld}) == 1:
        return _group_flaw(meld, values)
    if len({suit_of(card) for card in meld}) == 1:
        return _sequence_flaw(meld, values, house)
    says = Says("{meld} is neither a group (one rank) nor a sequence (one suit, in a row)", values)
    return Fault(says, rule("Melds"))


def _group_flaw(meld: Meld, values: dict[str, str]) -> Fault | None:
    twice = _twice(meld)
    if twice:
        gap = any(is_joker(card) and identity(card) == twice for card in meld)
        says = Says("{meld} has the {card} twice, and a group cannot contain two identical cards", values)
        return Fault(Says(says.template, {**values, "card": twice}), rule("gap 11") if gap else rule("Melds"))
    return None


def _sequence_flaw(meld: Meld, values: dict[str, str], house: House) -> Fault | None:
    if _places(meld) is not None:
        if len(meld) > len(RANKS) and not house.ace_both_ends:
            return Fault(Says("{meld} uses an ace at both ends, which this house does not play", values), rule("gap 7"))
        return None
    twice = _twice(meld)
    if twice:
        return Fault(Says("{meld} has the {card} twice", {**values, "card": twice}), rule("Melds"))
    ranks = {rank_of(card) for card in meld}
    if {"K", "A", "2"} <= ranks:
        return Fault(Says("{meld} turns the corner from king over ace to two", values), rule("Melds"))
    return Fault(Says("{meld} is not in a row", values), rule("Melds"))


def _twice(meld: Meld) -> str | None:
    for card, count in Counter(identity(card) for card in meld).items():
        if count > 1:
            return card
    return None


def _places(meld: Meld) -> tuple[tuple[int, str], ...] | None:
    """Each card with its place 0..13 in a row, ascending; None when the ranks are not in a row. One suit is assumed."""
    cards = sorted(meld, key=lambda card: RANKS.index(rank_of(card)))
    places = [RANKS.index(rank_of(card)) for card in cards]
    if (places[:2] == [0, 0] and len(places) == HIGH_ACE + 1) or (places[0] == 0 and places[1] != 1):
        cards, places = [*cards[1:], cards[0]], [*places[1:], HIGH_ACE]
    if any(later - earlier != 1 for earlier, later in pairwise(places)):
        return None
    return tuple(zip(places, cards, strict=True))


def is_group(meld: Meld) -> bool:
    return rank_of(meld[0]) == rank_of(meld[1])


def is_open(meld: Meld) -> bool:
    """Whether it is not known what a joker of the meld stands for."""
    return any(identity(card) is None for card in meld)


def in_order(meld: Meld) -> Meld:
    """The cards of a legal meld as they are laid: a group by suit, a sequence from its low end. Others stay as given.

    >>> in_order(("AS", "KS", "JK=QS"))
    ('JK=QS', 'KS', 'AS')
    """
    if is_open(meld) or len(meld) < SMALLEST:
        return meld
    if len({rank_of(card) for card in meld}) == 1:
        return tuple(sorted(meld, key=lambda card: (SUITS.index(suit_of(card)), is_joker(card))))
    if len({suit_of(card) for card in meld}) == 1:
        places = _places(meld)
        return meld if places is None else tuple(card for _, card in places)
    return meld


@lru_cache(maxsize=4096)
def declarations(meld: Meld, house: House) -> tuple[Meld, ...]:
    """Every legal meld that these cards make when their open jokers are declared; the meld itself when it has none."""
    jokers = [card for card in meld if identity(card) is None]
    if not jokers:
        return (in_order(meld),) if flaw_of(meld, house) is None else ()
    rest = tuple(card for card in meld if identity(card) is not None)
    found = {
        in_order(made)
        for stand_ins in _stand_ins(rest, len(jokers))
        if all(card in may_be(joker) for card, joker in zip(stand_ins, jokers, strict=True))
        and flaw_of(made := (*rest, *map(joker_as, stand_ins)), house) is None
    }
    return tuple(sorted(found))


@lru_cache(maxsize=256)
def meanings(table: Table, house: House) -> tuple[Table, ...]:
    """Every legal table that a table with open jokers may be, its melds in the same order."""
    return tuple(product(*(declarations(meld, house) if is_open(meld) else (meld,) for meld in table)))


def any_of(tables: Iterable[Table]) -> Table:
    """The table that means any of these: the same cards in the same melds, only their jokers differ."""
    return tuple(_any_of(dict.fromkeys(melds)) for melds in zip(*tables, strict=True))


def _any_of(melds: Iterable[Meld]) -> Meld:
    first, *_ = melds = tuple(melds)
    jokers = zip(*([identity(card) or "" for card in meld if is_joker(card)] for meld in melds), strict=True)
    return tuple(joker_as(*next(jokers)) if is_joker(card) else card for card in first)


def named(table: Table, other: Table) -> str:
    """The cards of the jokers of a table that have other cards in another table: ``JH/JS``."""
    return " ".join(OR.join(may_be(card)) for card in sorted((cards_of(table) - cards_of(other)).elements()))


def unnamed(table: Iterable[Meld]) -> Table:
    """The melds of a table as a camera tells them: in any place, and nothing of what their jokers stand for."""
    return tuple(sorted(tuple(sorted(map(in_hand, meld))) for meld in table))


def _stand_ins(rest: Meld, bare: int) -> Iterator[tuple[str, ...]]:
    """Cards that `bare` jokers may stand for together with `rest`: candidates, not all of them legal."""
    ranks = {rank_of(card) for card in rest} or set(RANKS)
    suits = {suit_of(card) for card in rest} or set(SUITS)
    if len(ranks) == 1 or not rest:
        for rank in sorted(ranks):
            for chosen in permutations(SUITS, bare):
                if list(chosen) == sorted(chosen):
                    yield tuple(rank + suit for suit in chosen)
    if len(suits) == 1 or not rest:
        row = (*RANKS, RANKS[0])
        length = len(rest) + bare
        for suit in sorted(suits):
            for low in range(len(row) - length + 1):
                window = Counter(rank + suit for rank in row[low : low + length])
                window.subtract(identity(card) or "" for card in rest)
                if all(count >= 0 for count in window.values()):
                    yield tuple(window.elements())


def cards_of(table: Iterable[Meld]) -> Counter[str]:
    """The cards of a table, jokers with what they stand for."""
    return Counter(card for meld in table for card in meld)


def same_table(one: Table, other: Table) -> bool:
    """Whether two tables hold the same melds, in any place: two copies of a card look the same."""
    return Counter(map(in_order, one)) == Counter(map(in_order, other))


def renamed_joker(before: Sequence[Meld], after: Sequence[Meld]) -> str | None:
    """The former card of a joker that was renamed without its real card on the table after; None when all is well.

    A joker is released only by a real card of exactly its rank and suit, from hand or table (sheet, Jokers). No card
    leaves the table, so that card is on the table at the end. Jokers are released one by one: one real card may replace
    one joker, move on and replace the next of the same identity.
    """
    old, new = cards_of(before), cards_of(after)
    for card, count in sorted(old.items()):
        if is_joker(card) and new[card] < count:
            real = identity(card) or ""
            if not new[real]:
                return real
    return None
