"""The evidence of one reading of a Suspend table: possible loose rods, their places, and the chance of each."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from companion.game.readings import SURE, RodSeen, RodsReading
from companion.games.suspend.house import COLORS, DRAW
from companion.games.suspend.rules import colors_open, is_hanging
from companion.games.suspend.state import SuspendState

STAND, ASTRAY = "stand", "astray"
SAME_MM = 8.0
"""Maximum distance between two readings of one tip; kit: length of a tip. Of 2,051 tips that did not move, 8 were seen
farther away or not at all."""
OLD_END = 0.03
"""Ends of fallen rods that come to rest within `SAME_MM` of an old tip: 5 of 152. Of 60 false finds 51 have such
ends."""
FALLEN_ODDS, FALLEN_POWER = 8.0, 2.0
"""Factor and power that turn the reader's odds of a fallen rod into evidence. Fitted on 120 looks of 10 matches: all
128 rods with a confidence above 0.5 had fallen, and 2 of 7 below."""
HANGS_YET_LIES = 0.006
"""Highest chance that a rod seen to hang has fallen. On 178 drawn tables with 1,786 hanging and 779 fallen rods, four
of the fallen showed faintly at most, and shared a tip with a rod seen to hang."""
SURELY = 0.9999
"""Highest probability that one reading can give: a glint, a hand, a wrong label."""
TipSeen = tuple[str, float, float]
"""Place of a tip, mm, and its color if its rod hangs, else ``""``."""


@dataclass(frozen=True, slots=True)
class Spotted:
    """A possible loose rod: a pile's name, `STAND` or `ASTRAY`, and the probability that it is there.

    `hangs`: it is seen to hang. `tips_mm`: the places of its tips, if seen. `is_new`: a tip is where none was before.
    """

    place: str
    color: str | None
    likely: float
    x_mm: float
    y_mm: float
    hangs: bool = False
    tips_mm: tuple[tuple[float, float], ...] = ()
    is_new: bool = True

    def tips_of(self, other: "Spotted") -> int:
        """The number of its tips that another reading, of the same color, has too."""
        near = sum(any(math.dist(a, b) < SAME_MM for b in other.tips_mm) for a in self.tips_mm)
        return near if self.color == other.color else 0


@dataclass(frozen=True, slots=True)
class Shown:
    """Everything that a reading shows. `known`, `gone`, `new`: by color the known tips of hanging rods, those that no
    longer show, and new ones. `old_tips`: with what was known of them before."""

    rods: tuple[Spotted, ...]
    known: Counter[str]
    gone: Counter[str]
    new: Counter[str]
    old_tips: tuple[TipSeen, ...]
    new_tips: tuple[TipSeen, ...]


def shown(state: SuspendState, reading: RodsReading) -> Shown:
    """The evidence of a reading. A fallen rod that nobody has picked up yet counts to its owner's pile."""
    seen = [
        [rod for rod in some if rod.color is None or rod.color in COLORS] for some in (reading.rods, reading.perhaps)
    ]
    rods = _with_rivals(*([_spotted(state, rod) for rod in some if not 0 < rod.hangs < 0.5] for some in seen))
    if state.last_to_move is not None:
        rods = _with_unpicked(state, state.last_to_move, rods)
    before = {tip: _nearest(tip, state.hanging) for tip in reading.tips}
    old_tips, new_tips = tuple(filter(None, before.values())), tuple(tip for tip, was in before.items() if was is None)
    places = [tip[1:] for tip in reading.tips]
    known = Counter(color for color, *_ in state.hanging if color)
    gone = Counter(color for color, *at in state.hanging if color and not _is_at(at, places))
    new = Counter(color for color, *_ in new_tips)
    if 2 * (gone & new).total() > known.total():  # the structure has swung, so nothing is known
        return shown(replace(state, hanging=()), reading)
    return Shown(tuple(rods), known, gone, new, old_tips, new_tips)


def _is_at(at_mm: Sequence[float], places: Iterable[Sequence[float]]) -> bool:
    return any(math.dist(at_mm, place) < SAME_MM for place in places)


def _nearest(tip: TipSeen, known: Sequence[TipSeen]) -> TipSeen | None:
    """The known tip at the place of a tip, moved to where it is seen now."""
    near = min(known, key=lambda one: math.dist(one[1:], tip[1:]), default=None)
    return (near[0], *tip[1:]) if near is not None and math.dist(near[1:], tip[1:]) < SAME_MM else None


def _spotted(state: SuspendState, rod: RodSeen) -> Spotted:
    places = {str(at + 1): seat for at, seat in enumerate(state.seats)} | {DRAW: DRAW, STAND: STAND}
    place = STAND if rod.hangs >= 0.5 else places.get(rod.zone or "", ASTRAY)
    is_sure = place not in (ASTRAY, STAND) and rod.confidence >= SURE
    hangs, tips = rod.hangs >= 0.5, (*rod.path_mm[:1], *rod.path_mm[1:][-1:])
    odds = min(max(rod.confidence, 1 - SURELY), HANGS_YET_LIES if hangs else SURELY)
    odds = odds / (1 - odds)
    old = sum(_is_at(tip, (known[1:] for known in state.hanging)) for tip in tips)
    if place == STAND:
        odds = (odds if hangs else FALLEN_ODDS * odds**FALLEN_POWER) * OLD_END**old
    likely = SURELY if is_sure else min(odds / (1 + odds), SURELY)
    return Spotted(place, rod.color, likely, rod.x_mm, rod.y_mm, hangs, tips, not tips or old < len(tips))


def _with_rivals(told: Sequence[Spotted], perhaps: Sequence[Spotted]) -> list[Spotted]:
    """The rods told, and the possible ones that are not another reading of the same rod."""
    after = list(told)
    for rod in sorted(perhaps, key=lambda rod: (not rod.hangs, -rod.likely)):
        twin = next((i for i, other in enumerate(after) if rod.place == other.place and rod.tips_of(other)), None)
        if twin is None or rod.hangs:
            after.append(rod)
        elif not after[twin].hangs or rod.tips_of(after[twin]) == 1:
            after[twin] = replace(after[twin], likely=max(after[twin].likely, rod.likely))
    return sorted(after, key=lambda rod: (not rod.hangs, -rod.likely))


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


def tips_left(look: Shown, fallen: Sequence[str]) -> tuple[TipSeen, ...]:
    """The tips to remember after these have fallen. Which of their color's new tips hang is unknown."""
    lying = first_of_each([rod for rod in look.rods if rod.place == STAND and rod.likely >= 0.5], Counter(fallen))
    new = [tip for tip in look.new_tips if not _is_at(tip[1:], (at for rod in lying for at in rod.tips_mm))]
    return (*look.old_tips, *(("" if color in fallen else color, x_mm, y_mm) for color, x_mm, y_mm in new))


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
