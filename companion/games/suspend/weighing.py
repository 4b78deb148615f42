"""Ways a turn may have gone, weighed: what the rules and the count before let happen, and what the eyes tell of it.

The eyes miss a rod now and then, or take one that hangs for one that fell. What lay there before, and that a turn takes
one rod from a pile, tells far more than one picture. What people do against the rules is weighed too, so that it is
asked and not explained away.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

from companion.games.suspend.house import COLORS, Mode
from companion.games.suspend.loose import STAND, SURELY, Shown, Spotted, pile_of
from companion.games.suspend.rules import charged, colors_open, is_hanging, sources
from companion.games.suspend.state import Event, Fell, Hung, Phase, Pile, Removed, Rested, SuspendState

DECIDED = 0.98
"""A way as likely as this is believed."""
LEAST_FIT = math.log(1e-3)
"""A picture that fits the likeliest way worse than this shows something else."""
NOTHING, AGAINST_RULES, ONE_MORE, TAKEN_OFF, TAKEN_OFF_ALONE = 0.05, 0.01, 0.03, 0.1, 0.005
"""How often somebody presses before anything was done, takes what the rules forbid, takes one more, and in a solo game
takes one off, with another hung or without."""
FELL, FELL_TWO, FELL_LATER = 0.2, 0.05, 0.03
"""How often one rod falls with a hanging, two do, and one between turns."""
MISSED, MISSED_AT_STAND, MISREAD = 0.01, 0.02, 0.03
"""How often a rod shows no trace in a pile, and by the stand, and how often a rod told wrongly is of another color."""
LOST, FALLEN_UNSEEN = 0.15, 0.1
"""How often a rod that hangs shows no more as one that does, and how often one that fell and left such a gap shows no
trace by the crowded stand."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way the turn may have gone, and how likely it is (0 to 1). `events` is None where the rules forbid it."""

    gone: tuple[tuple[str, str], ...]
    """Rods gone from piles: color and pile."""
    back: tuple[str, ...]
    """Rods taken off a solo sculpture."""
    fallen: tuple[str, ...]
    events: tuple[Event, ...] | None
    likely: float


def weighed(state: SuspendState, shown: Shown) -> list[Way]:
    """The ways, the likeliest first; none where the picture fits none of them."""
    piles = _by_zone(shown.rods)
    at_stand = piles.pop(STAND, [])
    names = [*state.seats, "draw"]
    lain = {name: _fit(Counter(pile_of(state, name).pieces), piles.get(name, []), MISSED) for name in names}
    ideal = sum(math.log(min(max(rod.likely, 0.5), SURELY)) for rods in piles.values() for rod in rods)
    found: list[tuple[float, Way]] = []
    for gone, back, prior in _changes(state):
        changed: Mapping[str, Counter[str]] = _changed(state, gone, back)
        fit = sum(_fit(changed[name], piles.get(name, []), MISSED) if name in changed else lain[name] for name in names)
        for fallen, often in _falls(state, gone):
            look = _fit(Counter(fallen), at_stand, MISSED_AT_STAND, shown.vanished)
            often *= LOST ** len(shown.vanished.difference(fallen, back))
            events = events_of(state, gone, back, fallen)
            found.append((math.log(prior * often) + fit + look, Way(gone, back, fallen, events, fit - ideal)))
    if not found:
        return []
    best = max(found, key=lambda one: one[0])
    if best[1].likely < LEAST_FIT:
        return []
    total = sum(math.exp(worth - best[0]) for worth, _ in found)
    ways = [Way(way.gone, way.back, way.fallen, way.events, math.exp(worth - best[0]) / total) for worth, way in found]
    return sorted(ways, key=lambda way: -way.likely)


def _by_zone(spotted: Sequence[Spotted]) -> dict[str, list[Spotted]]:
    found: dict[str, list[Spotted]] = {}
    for rod in spotted:
        found.setdefault(rod.place, []).append(rod)
    return found


def _changes(state: SuspendState) -> Iterator[tuple[tuple[tuple[str, str], ...], tuple[str, ...], float]]:
    """What may have left the piles and come back to them, and how often that is so."""
    if not is_hanging(state):
        yield (), (), 1.0
        return
    yield (), (), NOTHING
    lying = [(color, name) for name in (*state.seats, "draw") for color in pile_of(state, name).colors]
    allowed = [(color, source) for color in colors_open(state) for source in sources(state, color)]
    for one in allowed:
        yield (one,), (), 1 / len(allowed)
        more = [other for other in lying if other != one or pile_of(state, one[1]).count(one[0]) > 1]
        for other in more:
            yield (one, other), (), ONE_MORE / len(allowed) / len(COLORS)
    for other in lying:
        if other not in allowed:
            yield (other,), (), AGAINST_RULES
    if state.house.mode is Mode.SOLO:
        for color in state.hung.colors:
            yield (), (color,), TAKEN_OFF_ALONE
            for one in allowed:
                if one[0] != color:
                    yield (one,), (color,), TAKEN_OFF / len(allowed)


def _changed(state: SuspendState, gone: Sequence[tuple[str, str]], back: Sequence[str]) -> dict[str, Counter[str]]:
    """The piles that lie otherwise than before."""
    changed: dict[str, Counter[str]] = {}
    for color, name in gone:
        changed.setdefault(name, Counter(pile_of(state, name).pieces))[color] -= 1
    for color in back:
        changed.setdefault(state.turn, Counter(pile_of(state, state.turn).pieces))[color] += 1
    return changed


def _falls(state: SuspendState, gone: Sequence[tuple[str, str]]) -> Iterator[tuple[tuple[str, ...], float]]:
    """Which rods may have fallen, and how often that is so."""
    who, hung = _falls_to(state), state.hung.plus(Pile.of(color for color, _ in gone))
    one, two = (FELL, FELL_TWO) if state.phase is not Phase.ROLL else (FELL_LATER, FELL_LATER * FELL_LATER)
    yield (), 1.0
    if who is None:
        return
    for color in hung.colors:
        yield (color,), one / len(hung.colors)
    pairs = [pair for pair in combinations_with_replacement(hung.colors, 2) if hung.holds(Pile.of(pair))]
    for pair in pairs:
        yield pair, two / len(pairs)


def _falls_to(state: SuspendState) -> str | None:
    """Who is charged with what falls now."""
    if state.phase is Phase.ROLL:
        return state.last_to_move
    return state.turn if state.turn in charged(state) else None


def events_of(
    state: SuspendState, gone: Sequence[tuple[str, str]], back: Sequence[str], fallen: tuple[str, ...]
) -> tuple[Event, ...] | None:
    """What is to be entered; None: that may not be."""
    seat, who = state.turn, _falls_to(state)
    if len(gone) > 1:
        return None
    for color, source in gone:
        if color not in colors_open(state) or source not in sources(state, color):
            return None
    fell: tuple[Event, ...] = (Fell(who, fallen),) if fallen and who is not None else ()
    hung = tuple(Hung(seat, color, None if source == seat else source) for color, source in gone)
    is_over = bool(hung) or (state.phase is Phase.REST and state.house.mode is not Mode.SOLO)
    return (*(Removed(seat, color) for color in back), *hung, *fell, *((Rested(seat),) if is_over else ()))


def _fit(lies: Counter[str], shown: Sequence[Spotted], missed: float, vanished: frozenset[str] = frozenset()) -> float:
    """How well a zone shows rods that are expected in it: the logarithm of how likely it would look like this."""
    worth, over = 0.0, 0
    missing: list[float] = []
    for color in COLORS:
        untraced = math.log(FALLEN_UNSEEN if color in vanished else missed)
        own = sorted((rod.likely for rod in shown if rod.color == color), reverse=True)
        count = lies[color]
        worth += sum(max(math.log(max(likely, 1e-9)), untraced) for likely in own[:count])
        worth += sum(math.log(1 - likely) for likely in own[count:])
        missing += [untraced] * max(0, count - len(own))
        over += sum(likely >= 0.5 for likely in own[count:])
    unnamed = sorted((rod.likely for rod in shown if rod.color is None), reverse=True)
    worth += sum(math.log(max(likely, missed)) for likely in unnamed[: len(missing)])
    worth += sum(math.log(1 - likely) for likely in unnamed[len(missing) :])
    missing = missing[len(unnamed) :]
    worth += sum(missing)
    mistaken = min(len(missing), over)  # a rod that is missed, and one too many, are one of which the color is wrong
    return worth + mistaken * (math.log(MISREAD) - math.log(missed))
