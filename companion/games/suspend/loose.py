"""The evidence of one reading of a Suspend table: possible loose rods, their places, and the chance of each."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from companion.game.readings import SURE, RodSeen, RodsReading
from companion.games.suspend.house import COLORS, DRAW
from companion.games.suspend.rules import colors_open, is_hanging
from companion.games.suspend.state import Pile, SuspendState

STAND, ASTRAY = "stand", "astray"
SAME_MM = 8.0
"""Maximum distance between two readings of a rod that has not moved."""
FELL_THERE = 0.02
"""Share of fallen rods that come to rest within `SAME_MM` of where they hung."""
FALLEN_ODDS, FALLEN_POWER = 8.0, 2.0
"""Factor and power that turn the reader's odds of a fallen rod into evidence, where no rod hung. Fitted on 120 looks of
10 matches: all 128 rods with a confidence above 0.5 had fallen, and 2 of 7 below."""
HANGS_YET_LIES = 0.006
"""Highest chance that a rod seen to hang has fallen. On 178 drawn tables with 1,786 hanging and 779 fallen rods, four
of the fallen showed faintly at most, and shared a tip with a rod seen to hang."""
SURELY = 0.9999
"""Highest probability that one reading can give: a glint, a hand, a wrong label."""
Hanging = tuple[str, float, float]
"""Color and place of a hanging rod, mm."""


@dataclass(frozen=True, slots=True)
class Spotted:
    """A possible loose rod: a pile's name, `STAND` or `ASTRAY`, and the probability that it is there.

    `hangs`: it counts as a hanging rod unless it is loose. `tips_mm`: the places of its tips, if seen.
    """

    place: str
    color: str | None
    likely: float
    x_mm: float
    y_mm: float
    hangs: bool = False
    tips_mm: tuple[tuple[float, float], ...] = ()

    @property
    def hanging(self) -> Hanging:
        """Color and place of a hanging rod, as stored in the state."""
        return self.color or "", self.x_mm, self.y_mm

    def is_near(self, hung: Hanging) -> bool:
        """Whether it shows at the place of a hanging rod of its color."""
        return self.color == hung[0] and math.dist((self.x_mm, self.y_mm), hung[1:]) < SAME_MM

    def is_one_with(self, other: "Spotted") -> bool:
        """Whether two readings are of one rod: they are in one place, or have a tip in common."""
        share = any(math.dist(a, b) < SAME_MM for a in self.tips_mm for b in other.tips_mm)
        return self.is_near(other.hanging) or (share and self.color == other.color)


@dataclass(frozen=True, slots=True)
class Shown:
    """Everything that a reading shows. `veiled` counts by color the places where a rod may hang and none shows
    plainly."""

    rods: tuple[Spotted, ...]
    veiled: Counter[str]


def shown(state: SuspendState, reading: RodsReading) -> Shown:
    """The evidence of a reading. A fallen rod that nobody has picked up yet counts to its owner's pile."""
    seen = [
        [rod for rod in some if rod.color is None or rod.color in COLORS] for some in (reading.rods, reading.perhaps)
    ]
    found = _with_rivals(*([_spotted(state, rod) for rod in some if not 0 < rod.hangs < 0.5] for some in seen))
    rods, lost = _still_hanging(state, found)
    hanging = [*(rod.hanging for rod in rods if rod.hangs), *state.hanging]
    veiled = Counter[str]()
    for rod in (_spotted(state, rod) for rod in seen[1] if 0 < rod.hangs < 0.5):
        near = next((hung for hung in lost if rod.is_near(hung)), None)
        if near is not None:
            lost.remove(near)
        elif rod.color is None or any(rod.is_near(hung) for hung in hanging):
            continue
        veiled[rod.hanging[0]] += 1
        hanging.append(rod.hanging)
    if state.last_to_move is not None:
        rods = _with_unpicked(state, state.last_to_move, rods)
    return Shown(tuple(rods), veiled)


def _spotted(state: SuspendState, rod: RodSeen) -> Spotted:
    places = {str(at + 1): seat for at, seat in enumerate(state.seats)} | {DRAW: DRAW, STAND: STAND}
    place = STAND if rod.hangs >= 0.5 else places.get(rod.zone or "", ASTRAY)
    is_sure = place not in (ASTRAY, STAND) and rod.confidence >= SURE
    most = HANGS_YET_LIES if rod.hangs >= 0.5 else SURELY
    likely = SURELY if is_sure else min(max(rod.confidence, 1 - SURELY), most)
    return Spotted(
        place, rod.color, likely, rod.x_mm, rod.y_mm, rod.hangs >= 0.5, (*rod.path_mm[:1], *rod.path_mm[1:][-1:])
    )


def _with_rivals(told: Sequence[Spotted], perhaps: Sequence[Spotted]) -> list[Spotted]:
    """The rods told, and the possible ones that are not another reading of the same rod."""
    after = list(told)
    for rod in sorted(perhaps, key=lambda rod: (not rod.hangs, -rod.likely)):
        twin = next((i for i, other in enumerate(after) if rod.place == other.place and rod.is_one_with(other)), None)
        if twin is None or rod.hangs:
            after.append(rod)
        else:
            after[twin] = replace(after[twin], likely=max(after[twin].likely, rod.likely))
    return sorted(after, key=lambda rod: (not rod.hangs, -rod.likely))


def _still_hanging(state: SuspendState, found: Sequence[Spotted]) -> tuple[list[Spotted], list[Hanging]]:
    """The rods, those at a hanging rod's place as hanging, then the hanging ones that do not show."""
    lost, after = list(state.hanging), list(found)
    for i, rod in sorted(enumerate(found), key=lambda one: (not one[1].hangs, one[1].likely)):
        near = next((hung for hung in lost if rod.place == STAND and rod.is_near(hung)), None)
        odds = rod.likely / (1 - rod.likely)
        if near is not None:
            lost.remove(near)
            odds *= FELL_THERE
            after[i] = replace(rod, likely=odds / (1 + odds), hangs=True)
        elif rod.place == STAND and not rod.hangs:
            odds = FALLEN_ODDS * odds**FALLEN_POWER
            after[i] = replace(rod, likely=min(odds / (1 + odds), SURELY))
    return after, lost


def _with_unpicked(state: SuspendState, owner: str, found: Sequence[Spotted]) -> list[Spotted]:
    """The rods. Rods outside of all piles count to the pile of the seat charged with them if that pile lacks them."""
    after = list(found)
    for color in state.pile(owner).colors:
        if is_hanging(state) and color in colors_open(state):
            continue
        lacks = state.pile(owner).count(color) - sum((rod.place, rod.color) == (owner, color) for rod in found)
        alike = (i for i, rod in enumerate(found) if rod.color == color and not rod.hangs)
        loose = [i for i in alike if found[i].place in (STAND, ASTRAY)]
        for i in sorted(loose, key=lambda i: -found[i].likely)[: max(0, lacks)]:
            after[i] = replace(found[i], place=owner)
    return after


def still_hanging(rods: Sequence[Spotted], fallen: Sequence[str], hung: Pile) -> tuple[Hanging, ...]:
    """Places of the hung rods after these have fallen. If too few show, rods that seem loose count as hung."""
    by_stand = sorted((rod for rod in rods if rod.place == STAND), key=lambda rod: -rod.likely)
    lying = first_of_each(by_stand, Counter(fallen))
    rest = sorted((rod for rod in by_stand if rod not in lying), key=lambda rod: not rod.hangs)
    shown = first_of_each(rest, {color: hung.count(color) for color in COLORS})
    return tuple((rod.color or "", round(rod.x_mm, 1), round(rod.y_mm, 1)) for rod in shown)


def misread(state: SuspendState, rods: Sequence[Spotted]) -> dict[str, tuple[tuple[str, str], ...]]:
    """Color and pile of rods: those in piles that do not show (`hidden`), and those that show but are not there
    (`doubled`)."""
    hidden: list[tuple[str, str]] = []
    doubled: list[tuple[str, str]] = []
    for name in (*state.seats, DRAW):
        here = Counter(rod.color for rod in rods if rod.place == name and rod.likely >= 0.5)
        for color in COLORS:
            lacks = state.pile(name).count(color) - here[color]
            hidden += [(color, name)] * lacks
            doubled += [(color, name)] * -lacks
    return {"hidden": tuple(hidden), "doubled": tuple(doubled)}


def first_of_each(rods: Sequence[Spotted], count: Mapping[str, int]) -> list[Spotted]:
    return [rod for color, most in count.items() for rod in [r for r in rods if r.color == color][:most]]
