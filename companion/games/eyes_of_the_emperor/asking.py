"""The question that a throw waits for: the one fact whose answers would be judged differently; None without any.

A fact is asked where the opposite answer changes a phase, an eye taken, a refill or the end. The owner of a die matters
where the rules look at dice: in their territories in war phase I, and in III at their markings and at dice that left
the valley. An owner is asked only where the other owner would change the verdict or a sentence about it. A fact that
nobody can answer is never assumed: both answers are tried, and only results common to both stand.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random

from companion.games.eyes_of_the_emperor.facts import Fact

MOST_OPEN = 8
"""Maximum number of open facts to try in all combinations; above it `SAMPLES` combinations are drawn."""
SAMPLES = 32

Verdict = Callable[[Mapping[str, bool]], Hashable]
"""All that a throw decides, its open facts taken as given."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to interpret a throw: the owners of nameless dice, the facts then open, and the verdict and sentences
    then due."""

    owners: Mapping[str, str]
    unsure: tuple[Fact, ...]
    verdict: Verdict
    said: Hashable


@dataclass(frozen=True, slots=True)
class _Tried:
    """A way with every combination of its open facts judged; None where they are too many."""

    way: Way
    verdicts: Mapping[tuple[bool, ...], Hashable] | None

    @property
    def outcome(self) -> Hashable:
        """Two ways with the same outcome do not differ for anybody."""
        return self.way.said, None if self.verdicts is None else frozenset(self.verdicts.values())


def asked(ways: tuple[Way, ...], told: Mapping[str, Fact]) -> Fact | None:
    """The fact to ask about; None where no answer matters. `ways` are all ways to give the nameless dice to their
    owners, one way where all dice have names. `told` are the facts that can be asked whoever owns them."""
    tried = [_tried(way) for way in ways]
    if len(tried) == 1:
        return _deciding(tried[0])
    if any(one.verdicts is None for one in tried) or len({one.outcome for one in tried}) > 1:
        return told[_whose(tried)]
    fact = next((fact for one in tried if (fact := _deciding(one)) is not None and fact.key in told), None)
    if fact is None and any(_deciding(one) is not None for one in tried):
        return told[_whose(tried)]  # the deciding fact cannot be asked before the die's owner is known
    return fact


def _tried(way: Way) -> _Tried:
    if len(way.unsure) > MOST_OPEN:
        return _Tried(way, None)
    keys = [fact.key for fact in way.unsure]
    values = product((False, True), repeat=len(keys))
    return _Tried(way, {taken: way.verdict(dict(zip(keys, taken, strict=True))) for taken in values})


def _deciding(tried: _Tried) -> Fact | None:
    """The closest open fact that decides something."""
    unsure = tried.way.unsure
    if tried.verdicts is None:
        return _deciding_of_many(tried.way)
    for i, fact in enumerate(unsure):
        for values, verdict in tried.verdicts.items():
            if verdict != tried.verdicts[(*values[:i], not values[i], *values[i + 1 :])]:
                return fact
    return None


def _deciding_of_many(way: Way) -> Fact:
    """The closest open fact that decides something in a tried combination; else the closest of all."""
    keys = [fact.key for fact in way.unsure]

    @cache
    def verdict(taken: int) -> Hashable:
        return way.verdict({key: bool(taken >> i & 1) for i, key in enumerate(keys)})

    drawn = Random(0)  # the same throw asks the same question again
    tried = [0, 2 ** len(keys) - 1, *(drawn.getrandbits(len(keys)) for _ in range(SAMPLES))]
    decides = (fact for i, fact in enumerate(way.unsure) if any(verdict(k) != verdict(k ^ 1 << i) for k in tried))
    return next(decides, way.unsure[0])


def _whose(tried: list[_Tried]) -> str:
    """The question for the most informative owner: the first die that alone makes a difference, else the first die."""
    dice = list(tried[0].way.owners)
    for die in dice:
        outcomes: dict[str, set[Hashable]] = {}
        for one in tried:
            outcomes.setdefault(one.way.owners[die], set()).add(one.outcome)
        if len({frozenset(found) for found in outcomes.values()}) > 1:
            return f"owner_red:{die}"
    return f"owner_red:{dice[0]}"
