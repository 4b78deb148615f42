"""The fit of a reading of a race board to a position: each spot's chances, multiplied.

For an uncertain spot a reading gives a chance for each colour and for nobody. The chances of all spots are treated as
independent, with one exception: no colour has more markers than the game gives it. Markers at the beginning are alike:
only too many of them count against a position, and little, for people lay them down anywhere near.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from companion.game.readings import SURE, BoardReading
from companion.game.says import Says, each_as

EMPTY = ""
LEAST_CHANCE = 1e-4
"""Minimum chance of a position's content for a spot: a hand, a glint or a wrong cell can mislead any reading."""
ELSEWHERE = 0.05
"""Share of waiting markers off their circles while others are in theirs. A cautious guess."""
LEAST_CHANCE_AT_HOME = 0.05
"""Minimum chance for circles of a beginning: a marker off the route may well stand where no circle is."""
PLAINLY = math.log(12)
"""Log odds below which a spot that no move explains does not count for a mistake: one such spot in 12 is misread."""
AT_FIRST = 3.0
"""Factor on the odds, from the reading alone, that a marker stands where the game begins with it. People lay markers
out, and the print of a beginning in the markers' colour leaves one in ten in doubt."""
Standing = Mapping[str, str]
"""The colour on each occupied circle of the route."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A spot whose visible content differs from a position; `EMPTY` for nobody."""

    spot: str
    seen: str
    expected: str

    @property
    def says(self) -> Says:
        seen, expected = each_as("color", (self.seen, self.expected))
        values = {"spot": self.spot, "seen": seen, "expected": expected}
        if not self.seen:
            return Says("no {expected} on {spot}", values)
        return Says("{seen} on {spot} instead of {expected}" if self.expected else "{seen} on {spot}", values)


def _of(chances: Mapping[str, float], playing: set[str] | None) -> Mapping[str, float]:
    """The chances of the colours that play; any other colour can only be print. `playing` None: all play."""
    if playing is None or chances.keys() <= playing:
        return chances
    kept = {color: chance for color, chance in chances.items() if color in playing}
    whole = sum(kept.values())
    return {color: chance / whole for color, chance in kept.items()} if whole > 0 else {EMPTY: 1.0}


def is_sure(chance: float, factor: float = 1.0) -> bool:
    """Whether a chance is sure enough, with its odds multiplied by a factor."""
    return factor * chance / (factor * chance + 1 - chance) >= SURE


class BoardChances:
    """The chances of one reading of the board. `spots`: the spots of the route. `beginnings`: each colour's spots for
    markers that have not set out; no other colour plays."""

    def __init__(
        self, reading: BoardReading, spots: Iterable[str], beginnings: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.spots = tuple(spots)
        self._beginnings = dict(beginnings or {})
        beside = (spot for of in self._beginnings.values() for spot in of)
        playing = {*self._beginnings, EMPTY} if self._beginnings else None
        self._chance = {spot: _of(self._chances(reading, spot), playing) for spot in (*self.spots, *beside)}

    @staticmethod
    def _chances(reading: BoardReading, spot: str) -> Mapping[str, float]:
        between = [seen.color for seen in reading.between if spot in seen.spots]
        if between:  # it stands here or on the other of the two
            return {EMPTY: 0.5, **{color: 0.5 for color in between}}
        if spot in reading.maybe:
            return reading.maybe[spot]
        seen = reading.spaces.get(spot)
        if seen is None or not seen.color:
            return {EMPTY: 1.0}
        return {seen.color: seen.confidence}

    def of(self, spot: str, color: str) -> float:
        """The chance that a colour, or nobody, is on a spot."""
        chances = self._chance[spot]
        left = max(0.0, 1.0 - sum(chances.values()))
        others = 1 if EMPTY in chances else 2
        return max(chances.get(color, left / others), LEAST_CHANCE)

    def waiting(self, color: str) -> int:
        """The number of a colour's markers that surely stand where they begin."""
        here = (self._chance[spot].get(color, 0.0) for spot in self._beginnings.get(color, ()))
        return sum(is_sure(chance, AT_FIRST) for chance in here)

    def seen(self, spot: str) -> str:
        """The most probable content of a spot: a colour or `EMPTY`."""
        chances = self._chance[spot]
        return max(chances, key=lambda color: chances[color])

    def log_fit(self, standing: Standing, waiting: Mapping[str, int]) -> float:
        """The log likelihood of a position; `waiting` counts markers at the beginning."""
        on_the_way = sum(math.log(self.of(spot, standing.get(spot, EMPTY))) for spot in self.spots)
        return on_the_way + sum(self._log_beginning(color, waiting.get(color, 0)) for color in self._beginnings)

    def log_strange(self, standing: Standing) -> float:
        """Evidence of the route against a position: log odds beyond `PLAINLY` per spot, summed.

        0 if all differences are doubtful: print that may be a marker does not show that somebody moved one.
        """
        odds = (
            math.log(self.of(spot, self.seen(spot))) - math.log(self.of(spot, standing.get(spot, EMPTY)))
            for spot in self.spots
        )
        return sum(max(0.0, gain - PLAINLY) for gain in odds)

    def _log_beginning(self, color: str, waiting: int) -> float:
        """Log likelihood of a beginning: `waiting` markers, each where it fits best, and others elsewhere."""
        spots = self._beginnings.get(color, ())
        here = [max(self.of(spot, color), LEAST_CHANCE_AT_HOME) for spot in spots]
        gone = [max(self.of(spot, EMPTY), LEAST_CHANCE_AT_HOME) for spot in spots]
        gains = sorted((math.log(a) - math.log(b) for a, b in zip(here, gone, strict=True)), reverse=True)
        seen = [gain for gain in gains[:waiting] if gain > 0]
        elsewhere = waiting - len(seen) if seen else 0  # or all of them wait outside the circles
        return sum(map(math.log, gone)) + sum(seen) + elsewhere * math.log(ELSEWHERE)

    def differences(self, standing: Standing) -> tuple[Difference, ...]:
        """The spots whose visible content differs from a position."""
        pairs = ((spot, self.seen(spot), standing.get(spot, EMPTY)) for spot in self.spots)
        return tuple(Difference(spot, seen, expected) for spot, seen, expected in pairs if seen != expected)
