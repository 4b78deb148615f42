"""Every possible course of a turn of Suspend since the last entry, weighed: prior chance times the reading's
likelihood.

A turn takes one rod from a pile and hangs it; rods fall; people slip. Each `Way` is one such story, and something else
may have happened too. Piles are judged by their counts, the stand by tips: a rod whose tips are where they were has not
fallen, and new tips show where the new one hangs.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from companion.games.suspend.events import Event, Fell, Hung, Removed, Rested
from companion.games.suspend.house import COLORS, DRAW, Mode
from companion.games.suspend.loose import ASTRAY, STAND, SURELY, Shown, Spotted
from companion.games.suspend.rules import charged, colors_open, is_hanging, sources
from companion.games.suspend.state import Phase, Pile, SuspendState

# Chances in one turn: no study, cautious guesses.
NOTHING = 0.02
"""A press although nothing was done."""
SLIP = 0.01
"""Turns with a slip: a wrong rod or a second one taken, one laid on a wrong pile or outside all of them."""
TAKEN_OFF = 0.02
"""Solo turns in which a rod is taken off."""
FELL, FELL_LATER = 0.2, 0.03
"""Turns in which a rod falls, and pauses between turns; each further one falls as often again."""

# Error rates of the reader, counted in twelve played matches: seeds 1 to 13, 21, 31, 32 and 201 to 204.
MISSED = 0.0002
"""Rods that a reading newly misses, for each rod that may cover them. Of 6,154 rods in piles 11 were missed at all,
most of them in earlier readings too; the rest is estimated."""
MISREAD = 0.03
"""Missed rods that show in another color."""
# Counted in four played matches and on 50 drawn tables, before and after a turn.
COVERED = 0.04
"""Tips of hanging rods that no longer show, for each: of 571 looks at a color 8 lacked one, and one lacked two."""
STAYS = 0.08
"""Tips of fallen rods in whose places another shows: 9 of 124. No fallen rod had two."""
UNSEEN = 0.07
"""Tips of newly hung rods that do not show: 18 of 258."""
LOOKS_HUNG = 0.16
"""Tips of fallen rods that show as those of a hanging one: 17 of 110."""
APPEARED = 0.01
"""New tips of hanging rods where none was hung, one or two: 3 of 654 looks at a color."""
ELSE = 1e-6
"""Chance of a reading without an explanation."""
LEAST = 1e-9
"""Minimum chance of a change or fall, relative to the best explanation: rarer ones are ignored."""

MOST_WAYS = 500
"""Number of explanations that are kept: no further one can have a chance above 1 in 500, which is all that is asked."""


@dataclass(frozen=True, slots=True)
class Way:
    """One possible course of the turn, and its probability (0 to 1)."""

    gone: tuple[tuple[str, str], ...] = ()
    """Rods gone from piles: color and pile."""
    back: tuple[str, ...] = ()
    """Rods taken off a solo sculpture."""
    added: tuple[tuple[str, str], ...] = ()
    """Rods that the rules do not put there: color, and pile or `ASTRAY`."""
    fallen: tuple[str, ...] = ()
    """Rods that lie near the stand."""
    away: tuple[tuple[str, str], ...] = ()
    """Rods that fell and lie elsewhere: color, and `ASTRAY` or the pile of the seat that picked them up."""
    events: tuple[Event, ...] | None = None
    """The event to enter; None if the rules forbid it."""
    likely: float = 0.0

    @property
    def fell(self) -> tuple[str, ...]:
        return (*self.fallen, *(color for color, _ in self.away))


def weighed(state: SuspendState, shown: Shown) -> list[Way]:
    """The most probable explanations, the best first. The rest of the probability is that something else happened."""
    names = () if state.phase is Phase.ROLL else (*state.seats, DRAW, ASTRAY)
    of_place = {name: [rod for rod in shown.rods if rod.place == name] for name in names}
    hidden, doubled = (
        {name: Counter(color for color, pile in told if pile == name) for name in names}
        for told in (state.hidden, state.doubled)
    )
    ideal = sum(math.log(max(rod.likely, 1 - rod.likely)) for some in of_place.values() for rod in some)
    stand = _Stand(state, shown)
    before: list[tuple[float, Way]] = []
    fits: dict[tuple[str, tuple[int, ...]], float] = {}
    for way, prior in _changes(state, of_place).items():
        log_likely = math.log(prior)
        for name in names:
            lies = _lies(state, way, name)
            key = (name, tuple(lies[color] for color in COLORS))
            if key not in fits:
                fits[key] = _log_fit(lies, of_place[name], hidden[name], doubled[name])
            log_likely += fits[key]
        before.append((log_likely, way))
    found: list[tuple[float, Way]] = []
    best, best_stand = max(fit for fit, _ in before), -math.inf
    for fit, way in before:
        for log_likely, fallen in stand.falls(way) if fit > best + math.log(LEAST) else ():
            best_stand = max(best_stand, log_likely)
            found.append((fit + log_likely, replace(way, fallen=fallen)))
    most = max(log_likely for log_likely, _ in found)
    weights = [math.exp(log_likely - most) for log_likely, _ in found]
    total = sum(weights) + ELSE * math.exp(min(ideal + best_stand - most, 700.0))
    likeliest = sorted(zip(weights, (way for _, way in found), strict=True), key=lambda one: -one[0])[:MOST_WAYS]
    return [replace(way, events=_events_of(state, way), likely=weight / total) for weight, way in likeliest]


def _lies(state: SuspendState, way: Way, name: str) -> Counter[str]:
    lies = Counter[str]() if name == ASTRAY else Counter(state.pile(name).pieces)
    lies.subtract(color for color, source in way.gone if source == name)
    lies.update(color for color, place in way.added if place == name)
    lies.update(way.back if name == state.turn else ())
    lies.update(color for color, place in way.away if place == name)
    return lies


def _changes(state: SuspendState, of_place: Mapping[str, Sequence[Spotted]]) -> dict[Way, float]:
    """Possible changes of the piles, each with its prior chance."""
    found: dict[Way, float] = {}
    slips = list(_slips(state, of_place))
    for often, way in _turns(state):
        found[way] = found.get(way, 0.0) + often
        fell = _fell_away(state, falls_to(state, way), of_place)
        for some in fell:
            found[replace(way, away=some)] = often
        for slip in slips:
            if not slip.gone and slip.added in fell:
                continue  # a rod that is off the stand has fallen
            both = replace(way, gone=tuple(sorted((*way.gone, *slip.gone))), added=slip.added)
            found[both] = found.get(both, 0.0) + often * SLIP / len(slips)
    return found


def _turns(state: SuspendState) -> Iterator[tuple[float, Way]]:
    """Changes of the piles that the rules allow."""
    if not is_hanging(state):
        yield 1.0, Way()
        return
    allowed = [(color, source) for color in colors_open(state) for source in sources(state, color)]
    taken_off = state.hung.colors if state.house.mode is Mode.SOLO else ()
    yield NOTHING, Way()
    for one in allowed:
        yield 1 / len(allowed), Way(gone=(one,))
    for color in taken_off:
        yield NOTHING * TAKEN_OFF / len(taken_off), Way(back=(color,))
        for one in allowed:
            if one[0] != color:
                yield TAKEN_OFF / len(taken_off) / len(allowed), Way(gone=(one,), back=(color,))
    wrong = [one for one in _lying(state) if one not in allowed]
    for one in wrong:
        yield SLIP / len(wrong), Way(gone=(one,))


def _fell_away(
    state: SuspendState, who: str | None, of_place: Mapping[str, Sequence[Spotted]]
) -> set[tuple[tuple[str, str], ...]]:
    """Rods that hung, and may have fallen: away from the stand, or picked up already by the seat charged with them
    (The Rules)."""
    if who is None or state.house.mode is Mode.SOLO:
        return set()
    new = [
        (color, at) for at in (who, ASTRAY) if at in of_place for color in _new_in(state, at, of_place[at]).elements()
    ]
    sets = {some for count in range(1, len(new) + 1) for some in combinations(sorted(new), count)}
    return {some for some in sets if state.hung.holds(Pile.of([color for color, _ in some]))}


def _new_in(state: SuspendState, name: str, rods: Sequence[Spotted]) -> Counter[str]:
    """The rods that a place shows beyond those that lie there."""
    here = Counter(rod.color for rod in rods if rod.color is not None and rod.likely >= 0.5)
    here.subtract(color for color, pile in state.doubled if pile == name)
    here.subtract(() if name == ASTRAY else state.pile(name).pieces)
    return +here


def _slips(state: SuspendState, of_place: Mapping[str, Sequence[Spotted]]) -> Iterator[Way]:
    """Slips of people: one rod more is taken, or one is put in a wrong place."""
    if state.phase is Phase.ROLL:
        return
    lying = _lying(state)
    for one in lying if is_hanging(state) else ():
        yield Way(gone=(one,))
    for name, rods in of_place.items():
        for color in _new_in(state, name, rods):
            if state.house.mode is not Mode.SOLO or name == ASTRAY:  # alone, one puts back what one likes
                yield Way(added=((color, name),))
            for one in lying:
                if one[0] == color and one[1] != name:
                    yield Way(gone=(one,), added=((color, name),))


def _lying(state: SuspendState) -> list[tuple[str, str]]:
    return [(color, name) for name in (*state.seats, DRAW) for color in state.pile(name).colors]


def is_slip(state: SuspendState, way: Way) -> bool:
    allowed = [(color, source) for color in colors_open(state) for source in sources(state, color)]
    return bool(way.added) or len(way.gone) > 1 or any(one not in allowed for one in way.gone)


def falls_to(state: SuspendState, way: Way) -> str | None:
    """The seat charged with falls: the last to move until the next one begins (gap 12)."""
    seats = charged(state)
    begins = bool(way.gone) or state.last_to_move not in seats
    seat = state.turn if begins else state.last_to_move
    return seat if seat in seats else None


def _events_of(state: SuspendState, way: Way) -> tuple[Event, ...] | None:
    if is_slip(state, way):
        return None
    seat, who = state.turn, falls_to(state, way)
    fell: tuple[Event, ...] = (Fell(who, way.fell),) if way.fell and who is not None else ()
    hung = tuple(Hung(seat, color, None if source == seat else source) for color, source in way.gone)
    is_over = bool(hung) or (state.phase is Phase.REST and state.house.mode is not Mode.SOLO)
    return (*(Removed(seat, color) for color in way.back), *hung, *fell, *((Rested(seat),) if is_over else ()))


class _Stand:
    """Chance that rods have fallen, by the loose rods near the stand and the tips of the hanging ones."""

    def __init__(self, state: SuspendState, shown: Shown) -> None:
        self._shown = shown
        self._hung = Counter(state.hung.pieces)
        is_new = state.phase is Phase.REST and state.fallen is None  # hung by a tap since the last reading
        self._new = Counter([state.color] if is_new and state.color is not None else ())
        self._often = FELL_LATER if state.phase is Phase.ROLL else FELL
        self._can_fall = bool(charged(state))
        self._missed = MISSED * max(1, state.hung.total)
        self._looks: dict[tuple[str, int, int, int], list[tuple[int, float]]] = {}

    def falls(self, way: Way) -> Iterator[tuple[float, tuple[str, ...]]]:
        """The sets of rods that may have fallen in an explanation, each with the logarithms of its chance and of its
        likelihood."""
        new = self._new + Counter(color for color, _ in way.gone)
        off = Counter((*way.back, *(color for color, _ in (*way.away, *way.added))))
        hung = self._hung + Counter(color for color, _ in way.gone) - off
        of_color = [self._of_color(color, hung[color], (new - off)[color], (off - new)[color]) for color in COLORS]
        pieces, away = hung.total() + len(way.away), len(way.away)

        def prior(count: int) -> float:
            return count * math.log(self._often) - math.log(math.comb(pieces, count))

        likeliest = [max(some, key=lambda one: one[1]) for some in of_color]
        left = sum(log_look for _, log_look in likeliest)
        least = left + prior(away + sum(fell for fell, _ in likeliest)) + math.log(LEAST)
        found: list[tuple[float, tuple[str, ...]]] = [(0.0, ())]
        for color, some, (_, most) in zip(COLORS, of_color, likeliest, strict=True):
            left -= most
            found = [
                (log_likely + log_look, (*fallen, *(color,) * fell))
                for log_likely, fallen in found
                for fell, log_look in some
                if log_likely + log_look + left >= least
            ]
        for log_likely, fallen in found:
            yield log_likely + prior(away + len(fallen)), fallen

    def _of_color(self, color: str, hung: int, new: int, off: int) -> list[tuple[int, float]]:
        """The possible numbers of fallen rods of a color, each with the log likelihood of this reading. `off`: old rods
        that no longer hang."""
        key = (color, hung, new, off)
        if key not in self._looks:
            most = hung + 1 if self._can_fall else 1
            looks = [self._look(color, hung, new, off, fell) for fell in range(most)]
            some = [(fell, math.log(look)) for fell, look in enumerate(looks) if look >= LEAST * max(looks)]
            self._looks[key] = some
        return self._looks[key]

    def _look(self, color: str, hung: int, new: int, off: int, fell: int) -> float:
        """The chance of the reading: of the loose rods, and of the old tips, summed over how many of the fallen are
        new."""
        total = 0.0
        for of_new in range(max(0, fell - (hung - new)), min(fell, new) + 1):
            often = math.comb(new, of_new) * math.comb(hung - new, fell - of_new)
            total += often * self._of_tips(color, fell - of_new + off, new - of_new, fell)
        return self._of_loose(color, fell) * total

    def _of_loose(self, color: str, fell: int) -> float:
        """Likelihood of the loose rods of a color by the stand if this many fell."""
        rods = [rod for rod in self._shown.rods if (rod.place, rod.color) == (STAND, color)]
        maybe = [rod for rod in rods if rod.likely > 1 - SURELY]
        return sum(
            self._missed ** (fell - count) * math.prod(rod.likely if rod in lying else 1 - rod.likely for rod in maybe)
            for count in range(min(fell, len(maybe)) + 1)
            for lying in combinations(maybe, count)
        )

    def _of_tips(self, color: str, fell: int, hang: int, lie: int) -> float:
        """Likelihood of the old and new tips of a color: `fell` old rods fell, `hang` new ones hang, `lie` rods lie."""
        gone, new = self._shown.gone[color], self._shown.new[color]
        known, old = self._shown.known[color], self._hung[color] - self._new[color]
        free = 2 * old - known if known < old else 0  # most old tips are unknown, so they may be these new ones
        leaves = (1 - STAYS) * min(1.0, known / max(2 * old, 1))
        of_old = sum(_binomial(2 * fell, n, leaves) * COVERED ** (gone - n) for n in range(min(2 * fell, gone) + 1))
        of_new = sum(
            _binomial(2 * hang, n, 1 - UNSEEN)
            * _binomial(2 * lie, m, LOOKS_HUNG)
            * APPEARED ** math.ceil(max(0, new - n - m - free) / 2)
            for n in range(min(2 * hang, new) + 1)
            for m in range(min(2 * lie, new - n) + 1)
        )
        return of_old * of_new


def _binomial(all_: int, some: int, often: float) -> float:
    return float(math.comb(all_, some) * often**some * (1 - often) ** (all_ - some))


def _log_fit(lies: Counter[str], rods: Sequence[Spotted], hidden: Counter[str], doubled: Counter[str]) -> float:
    """The log likelihood of a place's look if these rods are there. Some were `hidden` or `doubled`."""
    worth, over, missing = 0.0, 0, 0
    if min(lies.values(), default=0) < 0:
        return -math.inf
    missed = MISSED * max(1, lies.total())
    for color in COLORS:
        own = sorted((rod.likely for rod in rods if rod.color == color), reverse=True)
        count = lies[color]
        shown = own[: max(0, count - hidden[color])]
        worth += sum(math.log(max(likely, missed)) for likely in shown)
        beyond = own[count + doubled[color] :]
        worth += sum(math.log(1 - likely) for likely in beyond)
        missing += max(0, count - hidden[color] - len(own))
        over += sum(likely >= 0.5 for likely in beyond)
    unnamed = sorted((rod.likely for rod in rods if rod.color is None), reverse=True)
    worth += sum(math.log(max(likely, missed)) for likely in unnamed[:missing])
    worth += sum(math.log(1 - likely) for likely in unnamed[missing:])
    missing = max(0, missing - len(unnamed))
    misread = min(missing, over)
    return worth + misread * math.log(MISREAD) + (missing - misread) * math.log(missed)
