"""Dice of a pad: what they are worth on a line, what the camera saw, and the best line by exact expectation.

A rule of a line is a kind and optionally its points: ``3s`` (the sum of the threes), ``sum``, ``same4``, ``full 25``,
``run5 40``. Without points the sum of all dice counts.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement

Dice = tuple[int, ...]
"""Values, sorted."""
RULE = re.compile(r"(?P<kind>sum|[1-6]s|same[2-6]|full|run[3-6])( (?P<points>\d{1,4}))?")
FACES = range(1, 7)
ROLLS = 3
"""Rolls of a turn."""
ALIKE = {1: 1000, 2: 200, 3: 300, 4: 400, 5: 500, 6: 600}
MORE_ALIKE = {4: 1000, 5: 2000, 6: 3000}
SINGLE = {1: 100, 5: 50}
WHOLE = 1500
"""Points of three alike, of more alike, of single dice, and of a straight of six or three pairs."""


def is_known(rule: str) -> bool:
    return RULE.fullmatch(rule) is not None


def points_of(rule: str, dice: Dice) -> int:
    """The points of dice on a line.

    >>> points_of("3s", (3, 3, 5)), points_of("full 25", (2, 2, 5, 5, 5)), points_of("same3", (1, 4, 4, 4, 6))
    (6, 25, 19)
    """
    found = RULE.fullmatch(rule)
    if found is None:
        raise ValueError(f"{rule!r} is no rule of dice")
    kind, counts = found["kind"], Counter(dice)
    if kind[1:] == "s":
        return int(kind[0]) * counts[int(kind[0])]
    worth = sum(dice) if found["points"] is None else int(found["points"])
    n = int(kind[-1]) if kind[-1].isdigit() else 0
    match kind.rstrip("23456"):
        case "same":
            is_there = max(counts.values(), default=0) >= n
        case "full":
            is_there = sorted(counts.values()) == [2, 3]
        case "run":
            is_there = any(all(counts[face + i] for i in range(n)) for face in range(1, 8 - n))
        case _:
            is_there = True
    return worth if is_there else 0


@cache
def every(dice: int) -> tuple[Dice, ...]:
    return tuple(combinations_with_replacement(FACES, dice))


@lru_cache(maxsize=256)
def possible(rule: str, dice: int) -> tuple[int, ...]:
    return tuple(sorted({points_of(rule, each) for each in every(dice)}))


def combos(dice: Dice) -> int:
    """The most that thrown dice score by themselves in a press-your-luck game.

    >>> combos((1, 1, 1, 5, 2, 3)), combos((2, 3, 4, 6)), combos((1, 2, 3, 4, 5, 6)), combos((2, 2, 3, 3, 5, 5))
    (1050, 0, 1500, 1500)
    """
    counts = Counter(dice)
    if len(dice) == len(FACES) and sorted(counts.values()) in ([1] * 6, [2, 2, 2]):
        return WHOLE
    return sum(MORE_ALIKE.get(n, ALIKE[face]) if n >= 3 else n * SINGLE.get(face, 0) for face, n in counts.items())


# the best line: points above what a line brings on average in a turn of its own

Worth = Mapping[Dice, float]


def after_a_roll(worth: Worth, dice: int) -> Worth:
    """The average worth of all dice that may be kept, once the others are rolled."""
    kept: dict[Dice, float] = dict(worth)
    for count in range(dice - 1, -1, -1):
        for keep in every(count):
            kept[keep] = sum(kept[tuple(sorted((*keep, face)))] for face in FACES) / len(FACES)
    return kept


@cache
def keeps(dice: Dice) -> tuple[Dice, ...]:
    """All parts of dice that may be kept, the largest first."""
    parts = {part for size in range(len(dice) + 1) for part in combinations(dice, size)}
    return tuple(sorted(parts, key=lambda keep: (-len(keep), keep)))


def _rolled(worth: Worth, dice: int) -> Worth:
    """The worth of dice with one more roll: the best of all that may be kept."""
    kept = after_a_roll(worth, dice)
    return {each: max(kept[keep] for keep in keeps(each)) for each in every(dice)}


@lru_cache(maxsize=64)
def average(rule: str, dice: int) -> float:
    """The points that a line brings on average, if a whole turn is rolled for it alone."""
    worth: Worth = {each: float(points_of(rule, each)) for each in every(dice)}
    for _ in range(ROLLS - 1):
        worth = _rolled(worth, dice)
    return after_a_roll(worth, dice)[()]


@lru_cache(maxsize=16)
def _ahead(rules: tuple[str, ...], dice: int, left: int) -> Worth:
    if left == 0:
        return {each: max(points_of(rule, each) - average(rule, dice) for rule in rules) for each in every(dice)}
    return _rolled(_ahead(rules, dice, left - 1), dice)


def best(rules: Sequence[str], dice: Dice, left: int) -> tuple[Dice | None, int, float]:
    """The best play: the dice to keep (None: write now), the place of the line to write, and its points above
    average. Exact over all rolls that are left."""
    dice = tuple(sorted(dice))
    ahead = [points_of(rule, dice) - average(rule, len(dice)) for rule in rules]
    line = max(range(len(rules)), key=ahead.__getitem__)
    if left == 0:
        return None, line, ahead[line]
    kept = after_a_roll(_ahead(tuple(rules), len(dice), left - 1), len(dice))
    keep = max(keeps(dice), key=lambda each: kept[each])
    if len(keep) == len(dice) or kept[keep] <= ahead[line] + 1e-9:
        return None, line, ahead[line]
    return keep, line, kept[keep]
