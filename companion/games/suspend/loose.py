"""The loose rods of a Suspend table as the eyes tell them, pile by pile, and how they differ from the record."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from companion.game.readings import SURE
from companion.games.suspend.house import COLORS, DRAW
from companion.games.suspend.rules import colors_open, is_hanging
from companion.games.suspend.state import Hung, Pile, SuspendState

STAND = "stand"
SURELY, HANGS_STILL, SAME_MM = 0.9999, 0.02, 8.0
"""How likely a sure rod lies there, and one that was known to hang, seen no further than this from there."""
FELL_THERE = 0.05
"""How often one that fell lies no further than that from where it hung: so much it counts against one that the eyes do
not tell to hang."""
MOVED = 0.5
"""How likely at least a rod lies by the stand that shows where none hung, and is not told to hang, where one of its
color that hung shows no more."""
LIKELY = 0.7
"""A color at least this sure is what it is told to be, where the number of rods leaves nothing else."""


class ColorDieSeen(Protocol):
    """The color die's upper face; None where it cannot be told."""

    @property
    def color(self) -> str | None:
        """One of the rods' colors."""

    @property
    def x_mm(self) -> float:
        """Its middle."""

    @property
    def y_mm(self) -> float:
        """Its middle."""

    @property
    def confidence(self) -> float:
        """0 to 1."""


class RodSeen(Protocol):
    """One loose rod; its zone is ``1`` to ``4`` (the seats' piles), ``draw``, ``stand``, or None elsewhere."""

    @property
    def color(self) -> str | None:
        """Its color."""

    @property
    def zone(self) -> str | None:
        """Where it lies."""

    @property
    def x_mm(self) -> float:
        """Its middle."""

    @property
    def y_mm(self) -> float:
        """Its middle."""

    @property
    def confidence(self) -> float:
        """0 to 1."""

    @property
    def hangs(self) -> bool:
        """It is told to hang, and lies only as likely as its confidence."""


class RodsSeen(Protocol):
    """A rods reading: hanging rods are not listed."""

    @property
    def die(self) -> ColorDieSeen | None:
        """The color die, where it lies in its place."""

    @property
    def rods(self) -> Sequence[RodSeen]:
        """The loose rods."""


@dataclass(frozen=True, slots=True)
class Spotted:
    """What may be a loose rod: in which pile or by the stand, its color where it shows one, and how likely it lies
    there."""

    place: str
    color: str | None
    likely: float
    x_mm: float
    y_mm: float


@dataclass(frozen=True, slots=True)
class Shown:
    """What may be loose rods, and the colors of which fewer show to hang than hung before."""

    rods: Sequence[Spotted]
    vanished: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Loose:
    """The loose rods by pile; a color that is unsure is None. `fallen` lie around the stand, `astray` elsewhere.

    `perhaps` lie or hang there: one picture from above hardly tells.
    """

    piles: dict[str, list[str | None]]
    fallen: list[str | None]
    astray: int
    perhaps: list[str] = field(default_factory=list)
    told: dict[str, list[str | None]] = field(default_factory=dict)
    """The piles with what was told of unsure colors too."""

    @property
    def unsure(self) -> int:
        return sum(color is None for colors in (*self.piles.values(), self.fallen) for color in colors)

    def pile(self, name: str) -> Pile:
        return Pile.of(color for color in self.piles[name] if color is not None)


def loose_rods(state: SuspendState, rods: Sequence[RodSeen]) -> Loose:
    """The rods where they lie; what fell before and was not picked up yet counts to the pile of whom it fell to."""
    zones = _zones(state)
    names = (*state.seats, DRAW)
    found = Loose(
        piles={name: [] for name in names},
        fallen=[],
        astray=len(astray_rods(state, rods)),
        told={name: [] for name in names},
    )
    for rod in rods:
        color = rod.color if _is_sure(rod) else None
        if rod.zone in zones:
            found.piles[zones[rod.zone]].append(color)
            found.told[zones[rod.zone]].append(rod.color if rod.confidence >= LIKELY else None)
        elif rod.zone == STAND and color is None and rod.color in COLORS:
            found.perhaps.append(rod.color)
        elif rod.zone == STAND:
            found.fallen.append(color)
    owner = state.last_to_move
    if owner is not None:
        for color in state.pile(owner).minus(found.pile(owner)).pieces:
            is_open = is_hanging(state) and color in colors_open(state)  # the one being hung may have fallen
            lying = next((seen for seen in (found.fallen, found.perhaps) if color in seen), None)
            if lying is not None and not is_open and len(found.piles[owner]) < state.pile(owner).total:
                lying.remove(color)
                found.piles[owner].append(color)
                found.told[owner].append(color)
    for color in set(found.perhaps):  # what neither hangs nor may be hung now has not fallen: it is something else
        most = state.hung.count(color) + (is_hanging(state) and color in colors_open(state))
        while found.perhaps.count(color) > most:
            found.perhaps.remove(color)
    return found


def shown(state: SuspendState, reading: RodsSeen) -> Shown:
    """What a reading shows; what fell and was not picked up yet counts to its pile."""
    places = _zones(state) | {STAND: STAND}
    rods = [
        rod
        for rod in (*reading.rods, *getattr(reading, "perhaps", ()))
        if rod.zone in places and (rod.color is None or rod.color in COLORS)
    ]
    still, gone = _still_hanging(state, rods)
    vanished = frozenset(color for color in gone if _hang(rods, still, color) < _hung_before(state, color))
    found = [
        Spotted(places[rod.zone], rod.color, _likely(rod, i in still, gone), rod.x_mm, rod.y_mm)
        for i, rod in enumerate(rods)
    ]
    if state.last_to_move is not None:
        _count_to_pile(state, state.last_to_move, found)
    return Shown(found, vanished)


def _count_to_pile(state: SuspendState, owner: str, found: list[Spotted]) -> None:
    """What lies by the stand and is lacking in the pile of whom it fell to is of that pile."""
    for color in state.pile(owner).colors:
        is_open = is_hanging(state) and color in colors_open(state)
        lacks = state.pile(owner).count(color) - sum((rod.place, rod.color) == (owner, color) for rod in found)
        by_stand = sorted(
            (i for i, rod in enumerate(found) if (rod.place, rod.color) == (STAND, color)),
            key=lambda i: -found[i].likely,
        )
        for i in by_stand[: max(0, lacks)] if not is_open else ():
            found[i] = replace(found[i], place=owner)


def _still_hanging(state: SuspendState, rods: Sequence[RodSeen]) -> tuple[set[int], set[str]]:
    """The numbers of the rods that are seen where one hung, each of these once, and the colors of which one shows no
    more where it did."""
    left, still = list(state.hanging), set[int]()
    for i, rod in sorted(enumerate(rods), key=lambda one: (not one[1].hangs, one[1].confidence)):
        far_mm = {
            hung: math.hypot(hung[1] - rod.x_mm, hung[2] - rod.y_mm)
            for hung in left
            if rod.zone == STAND and rod.color == hung[0]
        }
        near = min(far_mm, key=lambda hung: far_mm[hung], default=None)
        if near is not None and far_mm[near] < SAME_MM:
            left.remove(near)
            still.add(i)
    return still, {color for color, _, _ in left}


def _hang(rods: Sequence[RodSeen], still: set[int], color: str) -> int:
    """How many of a color show as they hung, or are told to hang."""
    return sum(rod.color == color and (i in still or rod.hangs) for i, rod in enumerate(rods))


def _hung_before(state: SuspendState, color: str) -> int:
    return sum(hung[0] == color for hung in state.hanging)


def _likely(rod: RodSeen, hangs_still: bool, gone: Collection[str]) -> float:
    """How likely a rod that is seen lies there; of the colors `gone` one that hung shows no more where it did."""
    if rod.confidence >= SURE:
        return SURELY
    if hangs_still and rod.hangs:
        return min(rod.confidence, HANGS_STILL)
    if hangs_still:
        odds = FELL_THERE * rod.confidence / (1 - rod.confidence)
        return odds / (1 + odds)
    has_moved = rod.zone == STAND and rod.color in gone and not rod.hangs
    return max(rod.confidence, MOVED if has_moved else 0.001)


def _zones(state: SuspendState) -> dict[str, str]:
    """The pile of each zone."""
    return {str(at + 1): seat for at, seat in enumerate(state.seats)} | {DRAW: DRAW}


def _is_sure(rod: RodSeen) -> bool:
    return rod.color in COLORS and rod.confidence >= SURE


def astray_rods(state: SuspendState, rods: Sequence[RodSeen]) -> list[RodSeen]:
    """Those that lie in no pile and not at the stand."""
    return [rod for rod in rods if rod.zone not in _zones(state) and rod.zone != STAND]


def unsure_rods(state: SuspendState, rods: Sequence[RodSeen]) -> list[RodSeen]:
    """Those of which the color cannot be told: they count in `Loose.unsure`."""
    piles = _zones(state)

    def is_unsure(rod: RodSeen) -> bool:
        return not _is_sure(rod) if rod.zone in piles else rod.zone == STAND and rod.color not in COLORS

    return [rod for rod in rods if is_unsure(rod)]


def added_rods(state: SuspendState, rods: Sequence[RodSeen]) -> list[RodSeen]:
    """Those of which the first pile with too many shows more of a color than it had: any of them may be the new one."""
    for zone, name in _zones(state).items():
        here = [rod for rod in rods if rod.zone == zone and _is_sure(rod)]
        more = Counter(rod.color for rod in here) - Counter(pile_of(state, name).pieces)
        if more:
            return [rod for rod in here if rod.color in more]
    return []


def new_by_stand(state: SuspendState, reading: RodsSeen) -> list[RodSeen]:
    """As many of each color as are gone from the piles: those by the stand that did not hang there before."""
    told = loose_rods(state, reading.rods).told
    gone = Counter[str | None]()
    for name, colors in told.items():
        gone += Counter[str | None](pile_of(state, name).pieces) - Counter(colors)
    rods = by_stand(reading)
    still, _ = _still_hanging(state, rods)
    new = [rod for i, rod in enumerate(rods) if i not in still]
    new.sort(key=lambda rod: (not rod.hangs, -rod.confidence))
    return first_of_each(new, gone)


def by_stand(reading: RodsSeen) -> list[RodSeen]:
    """All that is seen there, also what only may be a rod."""
    return [rod for rod in (*reading.rods, *getattr(reading, "perhaps", ())) if rod.zone == STAND]


def first_of_each(rods: Sequence[RodSeen], count: Mapping[str | None, int]) -> list[RodSeen]:
    """The first rods of each color, so many."""
    return [rod for color, most in count.items() for rod in [r for r in rods if r.color == color][:most]]


def pile_of(state: SuspendState, name: str) -> Pile:
    return state.draw_pile if name == DRAW else state.pile(name)


def gone(state: SuspendState, loose: Loose) -> list[tuple[str, str]]:
    """Pieces that are missing from the piles, each with its pile."""
    return [(color, name) for name in loose.piles for color in pile_of(state, name).without(loose.pile(name)).pieces]


def _fits(had: Pile, seen: list[str | None]) -> bool:
    """Whether a pile may be this one, an unsure color being any."""
    return had.total == len(seen) and had.holds(Pile.of(color for color in seen if color is not None))


def agrees(state: SuspendState, loose: Loose, hung: Hung | None) -> bool:
    """Whether what was told of every rod, unsure ones too, is just what would lie after a hanging; None: as it did."""
    for name, told in loose.told.items():
        had = pile_of(state, name)
        if hung is not None and name == (hung.source or hung.seat):
            had = had.minus(Pile.of([hung.color]))
        if None in told or Pile.of(color for color in told if color is not None) != had:
            return False
    return True


def may_be(state: SuspendState, loose: Loose, hung: Hung | None) -> bool:
    """Whether the piles lie as they would after a hanging; None: as they did."""
    for name, seen in loose.piles.items():
        had = pile_of(state, name)
        if hung is not None and name == (hung.source or hung.seat):
            had = had.minus(Pile.of([hung.color]))
        if not _fits(had, seen):
            return False
    return True
