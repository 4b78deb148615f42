"""From sets of identities to melds on the table, close to how they lay before."""

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from companion.game.cards import NUMBER, PACK, RANKS, identity, joker_as
from companion.games.manipulation_rummy.house import House
from companion.games.manipulation_rummy.melds import Meld, Table, in_order, is_group
from companion.games.manipulation_rummy.solver import Best

Kinds = tuple[int, ...]


def arranged(before: Table, best: Best, house: House) -> Table:
    """The final table of a best play: links joined where cards lay side by side, each joker put where one lay.

    Melds that grow out of a meld keep its place; new ones follow.
    """
    if not best.laid:
        return before
    parts = [(kinds, best.jokers[at] if best.jokers is not None else ()) for at, kinds in enumerate(best.sets)]
    parts = _joined(parts, before, house)
    origin = origins(before, [tuple(PACK[kind] for kind in kinds) for kinds, _ in parts])
    order = sorted(range(len(parts)), key=lambda at: (origin[at] is None, origin[at] or 0, parts[at][0]))
    parts, origin = [parts[at] for at in order], [origin[at] for at in order]
    if best.jokers is None:
        parts = _with_jokers([kinds for kinds, _ in parts], origin, best.joker_kinds, before)
    return tuple(in_order(_cards(kinds, jokers)) for kinds, jokers in parts)


def _cards(kinds: Kinds, jokers: Kinds) -> Meld:
    left = Counter(jokers)
    cards = []
    for kind in kinds:
        if left[kind]:
            left[kind] -= 1
            cards.append(joker_as(PACK[kind]))
        else:
            cards.append(PACK[kind])
    return tuple(cards)


def _joined(parts: list[tuple[Kinds, Kinds]], before: Table, house: House) -> list[tuple[Kinds, Kinds]]:
    """Joins two sequences that continue each other, if their meeting cards were side by side in one meld before."""
    beside: Counter[tuple[int, int]] = Counter()
    for meld in before:
        if not is_group(meld):
            numbers = [NUMBER[identity(card) or ""] for card in meld]
            beside.update(pairwise(numbers))
    parts = list(parts)
    at = 0
    while at < len(parts):
        kinds, jokers = parts[at]
        for other, (more, their_jokers) in enumerate(parts):
            meeting = (kinds[-1], more[0])
            if other == at or not beside[meeting] or not _goes_on(kinds, more, house):
                continue
            together = (*jokers, *their_jokers)
            if house.max_jokers_per_meld is None or len(together) <= house.max_jokers_per_meld:
                beside[meeting] -= 1
                parts[at] = ((*kinds, *more), together)
                del parts[other]
                at = -1
                break
        at += 1
    return parts


def _goes_on(kinds: Kinds, more: Kinds, house: House) -> bool:
    ranks = len(RANKS)
    if kinds[0] // ranks != kinds[1] // ranks or more[0] // ranks != more[1] // ranks:
        return False  # a group
    if kinds[-1] % ranks == 0:
        return False  # it ends with a high ace
    longest = ranks + 1 if house.ace_both_ends else ranks
    return more[0] == kinds[-1] + 1 and more[0] // ranks == kinds[-1] // ranks and len(kinds) + len(more) <= longest


def _with_jokers(
    melds: list[Kinds], origin: list[int | None], standing: Counter[int], before: Table
) -> list[tuple[Kinds, Kinds]]:
    """Gives each joker to a meld: where it stood for the same card before, else to the newest meld."""
    jokers: list[list[int]] = [[] for _ in melds]
    for kind, count in sorted(standing.items()):
        stood = joker_as(PACK[kind])

        def preference(at: int, stood: str = stood) -> tuple[bool, bool, int]:
            mine = origin[at]
            return mine is None or stood not in before[mine], mine is not None, -at

        places = [at for at in range(len(melds)) for _ in range(melds[at].count(kind))]
        for at in sorted(places, key=preference)[:count]:
            jokers[at].append(kind)
    return [(kinds, tuple(mine)) for kinds, mine in zip(melds, jokers, strict=True)]


def origins(before: Table, after: Iterable[Meld]) -> list[int | None]:
    """Which meld before each meld after has grown out of (None: new): no meld serves twice, most cards go first."""
    old = [Counter(identity(card) for card in meld) for meld in before]
    new = [Counter(identity(card) for card in meld) for meld in after]
    pairs = sorted(
        (-(mine & yours).total(), (yours - mine).total(), at, i)
        for at, mine in enumerate(new)
        for i, yours in enumerate(old)
        if (mine & yours).total() >= 2 or (mine & yours).total() == yours.total()
    )
    origin: list[int | None] = [None] * len(new)
    used: set[int] = set()
    for _, _, at, i in pairs:
        if origin[at] is None and i not in used:
            origin[at] = i
            used.add(i)
    return origin
