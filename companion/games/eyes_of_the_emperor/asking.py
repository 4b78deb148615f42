"""The question that a throw waits for: the one fact whose answers would be judged differently; None without any.

A fact is asked if the opposite answer changes a phase, an eye taken, a refill or the end. The owner of a die matters
where the rules look at dice: in their territories in war phase I, and in III at their markings and at dice that left
the valley. An owner is asked only if the other owner would change the verdict or a sentence about it. A fact that
nobody can answer is never assumed: both answers are tried, and only results common to both stand.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from companion.games.eyes_of_the_emperor.facts import Fact

MOST_TRIED = 4000
"""Maximum number of verdicts to compare for one question; beyond it the closest open fact is asked."""

Verdict = Callable[[Mapping[str, bool]], Hashable]
"""Everything that a throw decides, for given answers to its open facts.

A further yes never reverses an effect. So if all no and all yes give the same verdict, every mix gives it too."""


@dataclass(frozen=True, slots=True)
class Way:
    """One interpretation of a throw: the owners of nameless dice, the facts then open, and the verdict and sentences
    then due."""

    owners: Mapping[str, str]
    unsure: tuple[Fact, ...]
    verdict: Verdict
    said: Hashable


class _TooManyError(Exception):
    """More verdicts than `MOST_TRIED`."""


@dataclass(slots=True)
class _Tried:
    """An interpretation, and its verdicts by the values of the open facts; None: not given yet."""

    way: Way
    _found: dict[tuple[bool, ...], Hashable] = field(default_factory=dict)

    def outcome(self) -> Hashable:
        """Two interpretations with the same outcome need no question. Raises: _TooManyError."""
        return self.way.said, frozenset(self._reached([None] * len(self.way.unsure)))

    def deciding(self) -> Fact | None:
        """The closest open fact that decides something."""
        try:
            nothing: list[bool | None] = [None] * len(self.way.unsure)
            return next((fact for i, fact in enumerate(self.way.unsure) if self._decides(i, nothing)), None)
        except _TooManyError:
            return self.way.unsure[0]

    def _reached(self, values: Sequence[bool | None]) -> set[Hashable]:
        ends = self._ends(values)
        if len(set(ends)) == 1:
            return {ends[0]}
        at = values.index(None)
        return {end for value in (False, True) for end in self._reached(_given(values, at, value))}

    def _decides(self, i: int, values: Sequence[bool | None]) -> bool:
        ends = self._ends(_given(values, i, value=False))
        if ends != self._ends(_given(values, i, value=True)):
            return True
        if len(set(ends)) == 1:
            return False
        at = next(k for k, value in enumerate(values) if value is None and k != i)
        return any(self._decides(i, _given(values, at, value)) for value in (False, True))

    def _ends(self, values: Sequence[bool | None]) -> tuple[Hashable, Hashable]:
        """The two verdicts if every fact without a value is a no, and if every one is a yes."""
        no, yes = (tuple(rest if value is None else value for value in values) for rest in (False, True))
        return self._verdict(no), self._verdict(yes)

    def _verdict(self, values: tuple[bool, ...]) -> Hashable:
        if values not in self._found:
            if len(self._found) >= MOST_TRIED:
                raise _TooManyError
            keys = (fact.key for fact in self.way.unsure)
            self._found[values] = self.way.verdict(dict(zip(keys, values, strict=True)))
        return self._found[values]


def _given(values: Sequence[bool | None], at: int, value: bool) -> list[bool | None]:
    return [*values[:at], value, *values[at + 1 :]]


def asked(ways: tuple[Way, ...], told: Mapping[str, Fact]) -> Fact | None:
    """The fact to ask about; None if no answer matters. `ways` are all assignments of nameless dice to owners: one,
    if all dice have names. `told` are the facts that can be asked without knowing the owner."""
    tried = [_Tried(way) for way in ways]
    if len(tried) == 1:
        return tried[0].deciding()
    try:
        outcomes = [one.outcome() for one in tried]
    except _TooManyError:
        return told[f"owner_red:{next(iter(ways[0].owners))}"]
    if len(set(outcomes)) > 1:
        return told[_whose(ways, outcomes)]
    fact = next((fact for one in tried if (fact := one.deciding()) is not None and fact.key in told), None)
    if fact is None and any(one.deciding() is not None for one in tried):
        return told[_whose(ways, outcomes)]  # the deciding fact cannot be asked before the die's owner is known
    return fact


def _whose(ways: Sequence[Way], outcomes: Sequence[Hashable]) -> str:
    """The question for the most informative owner: the first die that alone makes a difference, else the first die."""
    dice = list(ways[0].owners)
    for die in dice:
        by_owner: dict[str, set[Hashable]] = {}
        for way, outcome in zip(ways, outcomes, strict=True):
            by_owner.setdefault(way.owners[die], set()).add(outcome)
        if len({frozenset(found) for found in by_owner.values()}) > 1:
            return f"owner_red:{die}"
    return f"owner_red:{dice[0]}"
