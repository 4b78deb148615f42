"""What the eyes say of a Suspend table: the color die, the loose rods by zone. What hangs is what is missing.

The overhead camera sees piles and what fell around the stand. The other hand, a touch of the table, and what is caught
before it lies are told by button or phone. Where a color is unsure the people are asked.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import msgspec

from companion.game.game import LOOK_AGAIN, Choice, Doubt, Illegal, Proposal
from companion.game.readings import SURE
from companion.game.says import Says, counted, joined
from companion.games.suspend.house import COLORS, Mode, rule
from companion.games.suspend.loose import (
    STAND,
    ColorDieSeen,
    Loose,
    RodSeen,
    RodsSeen,
    Spotted,
    added_rods,
    agrees,
    astray_rods,
    by_stand,
    first_of_each,
    gone,
    loose_rods,
    may_be,
    new_by_stand,
    pile_of,
    shown,
    unsure_rods,
)
from companion.games.suspend.moves import says
from companion.games.suspend.rules import apply, colors_open, is_hanging, sources
from companion.games.suspend.state import (
    Event,
    Fell,
    Hung,
    Phase,
    Pile,
    Removed,
    Rested,
    Rolled,
    SuspendState,
    pile_says,
)
from companion.games.suspend.weighing import DECIDED, Way, events_of, weighed

Found = Proposal[Event] | Doubt[Event] | None
LEAST_ASKED = 0.003
"""Where falls are asked about, one as likely as this is asked about too."""
SAME_PLACE_MM = 6.0
"""A die that shows the same color no further than this from where it lay may not have been thrown since: its place is
told to a few mm, and one throw in 200 ends as near."""
MOST_ASKED = 5
"""Of so many rods that may have fallen, each selection is an answer."""
_LOOK_AGAIN: Choice[Event] = Choice(LOOK_AGAIN, Says("the pieces lie free now: look again"))
_PUT_RIGHT: Choice[Event] = Choice(LOOK_AGAIN, Says("it is put right now: look again"))


def interpret(state: SuspendState, reading: RodsSeen, before: Event | None = None) -> Found:
    """What a table at rest says happened; None while nothing did. `before` is the newest roll."""
    found = _interpreted(state, reading, before)
    return replace(found, places_mm=_places(state, reading, found)) if isinstance(found, Doubt) else found


def _places(state: SuspendState, reading: RodsSeen, asked: Doubt[Event]) -> tuple[tuple[str, float, float], ...]:
    """Where to look: the pieces that are meant, or the die; nothing where it is not about single ones."""
    match asked.key:
        case "unsure":
            meant = unsure_rods(state, reading.rods)
        case "astray":
            meant = astray_rods(state, reading.rods)
        case "added":
            meant = added_rods(state, reading.rods)
        case "several":
            meant = new_by_stand(state, reading)
        case "fell":
            meant = _perhaps_fallen(reading, asked)
        case "die" | "again" if reading.die is not None:
            return (("die", reading.die.x_mm, reading.die.y_mm),)
        case _:
            meant = []
    return tuple((f"piece {i}", rod.x_mm, rod.y_mm) for i, rod in enumerate(meant, 1))


def _perhaps_fallen(reading: RodsSeen, asked: Doubt[Event]) -> list[RodSeen]:
    """As many of each color as an answer says fell: those by the stand that lie there likeliest."""
    fallen = Counter[str | None]()
    for choice in asked.choices:
        for event in choice.actions:
            fallen |= Counter[str | None](event.pieces if isinstance(event, Fell) else ())
    return first_of_each(sorted(by_stand(reading), key=lambda rod: -rod.confidence), fallen)


def _interpreted(state: SuspendState, reading: RodsSeen, before: Event | None) -> Found:
    if state.phase in (Phase.OVER, Phase.REMOVE):
        return None
    loose = loose_rods(state, reading.rods)
    seen = shown(state, reading)
    ways = weighed(state, seen)
    believed = ways[0] if ways and ways[0].likely >= DECIDED else None
    if state.phase is Phase.ROLL:
        rolled = _rolled(state, reading.die, before)
        return rolled if believed and not believed.fallen else _fallen_later(state, loose, rolled)
    if loose.astray:
        told = Says("a piece lies in no pile and not at the stand: put it where it belongs")
        return Doubt("astray", told, (_PUT_RIGHT,), rule("Setup"))
    if believed and believed.events is not None:
        found = _proposed(state, believed.events) if believed.events else None
    elif ways and ways[0].events and all(way.events is not None for way in ways if way.likely > 1 - DECIDED):
        found = _either(state, ways)
    elif state.phase is Phase.REST and state.house.mode is not Mode.SOLO:
        found = _rested(state, loose)
    else:
        found = _built(state, loose) if state.house.mode is Mode.SOLO else _hung(state, loose)
    return _remembered(found, seen.rods)


def _either(state: SuspendState, ways: Sequence[Way]) -> Found:
    """What happened, asked where it may well have been something else."""
    may_be = [way for way in ways if way.likely > 1 - DECIDED]
    if len({(way.gone, way.back) for way in may_be}) == 1:
        return _fell_with(state, may_be[0], ways)
    able = [way for way in may_be if way.events and not isinstance(_proposed(state, way.events), Doubt)]
    choices = [_choice_of(way) for way in able]
    if not choices:
        return _proposed(state, ways[0].events or ())
    asked = Says("what did {seat} do? It cannot be told from the picture", {"seat": state.turn})
    return Doubt("unsure", asked, (*choices, _LOOK_AGAIN), rule("gap 3"))


def _choice_of(way: Way) -> Choice[Event]:
    events = way.events or ()
    key = [f"removed:{color}" for color in way.back] + [f"hung:{color}:{source}" for color, source in way.gone]
    key += [f"fell:{','.join(way.fallen)}"] if way.fallen else []
    told = joined([says(one) for one in events if not isinstance(one, Rested)])
    return Choice("+".join(key), told, events[0], events[1:])


def _fell_with(state: SuspendState, best: Way, ways: Sequence[Way]) -> Found:
    """Which rods fell with what was hung: each selection of those that may have."""
    may_be: Counter[str] = Counter()
    for way in ways:
        if way.gone == best.gone and way.back == best.back and way.likely > LEAST_ASKED:
            may_be |= Counter(way.fallen)
    pieces = Pile.of(may_be.elements()).pieces
    choices: list[Choice[Event]] = []
    for some in (*_some_of(pieces), ()):
        yes = events_of(state, best.gone, best.back, some)
        if yes and not isinstance(_proposed(state, yes), Doubt):
            told = Says("{pieces} fell", {"pieces": Pile.of(some).says}) if some else Says("no, all hangs")
            choices.append(Choice(f"fell:{','.join(some)}" if some else "hangs", told, yes[0], yes[1:]))
    if len(choices) < 2:
        return _proposed(state, best.events or ())
    asked = Says("does this lie fallen beside the stand: {pieces}?", {"pieces": Pile.of(pieces).says})
    return Doubt("fell", asked, (*choices, _LOOK_AGAIN), rule("gap 11"))


def _remembered(found: Found, rods: Sequence[Spotted]) -> Found:
    """The same, with what shows by the stand and hangs: where it is seen again, it hangs still."""

    def kept(events: Sequence[Event]) -> tuple[Event, ...]:
        fallen = [color for event in events if isinstance(event, Fell) for color in event.pieces]
        hanging = []
        for rod in sorted((rod for rod in rods if rod.place == STAND), key=lambda rod: -rod.likely):
            if rod.color in fallen:
                fallen.remove(rod.color)
            elif rod.color is not None:
                hanging.append((rod.color, round(rod.x_mm, 1), round(rod.y_mm, 1)))
        return tuple(
            msgspec.structs.replace(event, hanging=tuple(hanging)) if isinstance(event, Rested) else event
            for event in events
        )

    match found:
        case Proposal(actions=actions):
            return replace(found, actions=kept(actions))
        case Doubt(choices=choices):
            return replace(found, choices=tuple(_with_events(choice, kept(choice.actions)) for choice in choices))
        case _:
            return None


def _with_events(choice: Choice[Event], events: Sequence[Event]) -> Choice[Event]:
    return replace(choice, action=events[0], then=tuple(events[1:])) if events else choice


def _hangings(state: SuspendState) -> Iterator[Hung]:
    for color in colors_open(state):
        for source in sources(state, color):
            yield Hung(state.turn, color, None if source == state.turn else source)


def _rolled(state: SuspendState, die: ColorDieSeen | None, before: Event | None) -> Found:
    if die is None:
        return None
    seat, seen = state.turn, die.color if die.color in COLORS else None
    at_mm = (round(die.x_mm, 1), round(die.y_mm, 1))
    if seen is None or die.confidence < SURE:
        likeliest = sorted(COLORS, key=lambda color: color != seen)
        choices: tuple[Choice[Event], ...] = tuple(
            Choice(color, Says("{color}", {"color": color}), Rolled(seat, color, at_mm)) for color in likeliest
        )
        return Doubt("die", Says("which color did {seat} roll?", {"seat": seat}), choices, rule("Intermediate Game"))
    rolled, values = Rolled(seat, seen, at_mm), {"seat": seat, "color": seen}
    told = Says("{seat} rolled {color}", values)
    if not _lies_still(rolled, before):
        return Proposal((rolled,), told)
    again = Says("did {seat} roll {color} too?", values)
    yes: Choice[Event] = Choice("yes", told, rolled)
    return Doubt("again", again, (yes, Choice("no", Says("not yet"))), rule("Intermediate Game"))


def _lies_still(rolled: Rolled, before: Event | None) -> bool:
    """Whether the die may lie as it did: where the newest roll was told by a tap nobody knows where it lay."""
    if not isinstance(before, Rolled) or before.color != rolled.color:
        return False
    return before.at_mm is None or rolled.at_mm is None or math.dist(before.at_mm, rolled.at_mm) <= SAME_PLACE_MM


def _fallen_later(state: SuspendState, loose: Loose, rolled: Found) -> Found:
    """What fell between turns is charged to who moved last (gap 12); else what was rolled."""
    who = state.last_to_move
    if not (loose.fallen or loose.perhaps) or who is None or not may_be(state, loose, None):
        return rolled
    if None in loose.fallen:
        return _unsure(loose, ())
    if loose.fallen:
        return _with_fallen(state, loose, who, (), ())
    if rolled is None:
        return _with_fallen(state, loose, who, (), ())
    falls = [Fell(who, some) for some in _some_of(loose.perhaps)]
    choices: list[Choice[Event]] = [
        Choice(f"fell:{','.join(fell.pieces)}", Says("{pieces} fell", {"pieces": Pile.of(fell.pieces).says}), fell)
        for fell in falls
        if not isinstance(_proposed(state, (fell,)), Doubt)
    ]
    if not choices:
        return rolled
    if isinstance(rolled, Proposal):
        told = says(rolled.actions[0])
        choices.append(Choice("hangs", Says("no, all hangs: {roll}", {"roll": told}), rolled.actions[0]))
    else:
        for choice in rolled.choices:
            if choice.action is not None:
                told = says(choice.action)
                choices.append(Choice(choice.key, Says("no, all hangs: {roll}", {"roll": told}), choice.action))
    choices.append(Choice("nothing", Says("no, all hangs, and nothing was rolled")))
    return Doubt("fell", _lying(loose), tuple(choices), rule("gap 12"))


def _hung(state: SuspendState, loose: Loose) -> Found:
    """One piece gone from a pile hangs; rods around the stand fell, the one just hung perhaps among them."""
    if not loose.fallen and not loose.perhaps and may_be(state, loose, None):
        return None
    fitting = [hung for hung in _hangings(state) if may_be(state, loose, hung)]
    is_told = len(fitting) == 1 and not may_be(state, loose, None) and agrees(state, loose, fitting[0])
    if is_told and loose.unsure and None not in loose.fallen:
        # by the number of rods only this may have happened, and what was told of the unsure ones says the same
        return _with_fallen(state, loose, state.turn, (fitting[0],), (Rested(state.turn),))
    if loose.unsure:
        # by a miscount no hanging fits: people know better than the eyes what they hung
        return _unsure(loose, _answers(state, fitting or [*_hangings(state)]))
    missing = gone(state, loose)
    for name in loose.piles:
        if not pile_of(state, name).holds(loose.pile(name)):
            told = Says(
                "{pile} has pieces that were not there: put back what belongs elsewhere", {"pile": pile_says(name)}
            )
            return Doubt("added", told, (_PUT_RIGHT,), rule("Setup"))
    if len(missing) > 1:
        likely = [hung for hung in _hangings(state) if (hung.color, hung.source or hung.seat) in missing]
        told = Says("{count} pieces are gone from the piles, expected one at a time", {"count": len(missing)})
        return Doubt("several", told, (*_answers(state, likely), _PUT_RIGHT), rule("The Rules"))
    if not missing:
        return _with_fallen(state, loose, state.turn, (), ())
    ((color, source),) = missing
    hung = Hung(state.turn, color, None if source == state.turn else source)
    return _with_fallen(state, loose, state.turn, (hung,), (Rested(state.turn),))


def _rested(state: SuspendState, loose: Loose) -> Found:
    """After a hanging that was told by a tap: what fell until all is at rest."""
    if not may_be(state, loose, None):
        return None
    if None in loose.fallen:
        return _unsure(loose, ())
    return _with_fallen(state, loose, state.turn, (), (Rested(state.turn),))


def _with_fallen(
    state: SuspendState, loose: Loose, who: str, first: tuple[Event, ...], last: tuple[Event, ...]
) -> Found:
    """What happened, with what fell between `first` and `last`; what perhaps fell is asked."""
    sure = _colors(loose.fallen)

    def events(fallen: tuple[str, ...]) -> tuple[Event, ...]:
        return (*first, *((Fell(who, fallen),) if fallen else ()), *last)

    if not loose.perhaps:
        return _proposed(state, events(sure)) if events(sure) else None
    choices: list[Choice[Event]] = []
    for more in _some_of(loose.perhaps):
        yes = events((*sure, *more))
        if not isinstance(_proposed(state, yes), Doubt):  # else they cannot have fallen
            choices.append(
                Choice(f"fell:{','.join(more)}", Says("{pieces} fell", {"pieces": Pile.of(more).says}), yes[0], yes[1:])
            )
    none = events(sure)
    if not choices:
        return _proposed(state, none) if none else None
    hangs = Says("no, all hangs")
    choices.append(Choice("hangs", hangs, none[0], none[1:]) if none else Choice("hangs", hangs))
    return Doubt("fell", _lying(loose), tuple(choices), rule("gap 11"))


def _lying(loose: Loose) -> Says:
    return Says("does this lie fallen beside the stand: {pieces}?", {"pieces": Pile.of(loose.perhaps).says})


def _some_of(pieces: Sequence[str]) -> list[tuple[str, ...]]:
    """All different choices of at least one of these, the largest first; of many, all of them and each alone."""
    sizes = range(len(pieces), 0, -1) if len(pieces) <= MOST_ASKED else (len(pieces), 1)
    return list(dict.fromkeys(Pile.of(some).pieces for size in sizes for some in combinations(pieces, size)))


def _built(state: SuspendState, loose: Loose) -> Found:
    """Solo: whatever left the pile hangs, whatever came back to it was taken off."""
    seat = state.turn
    told = loose.told[seat]
    if None in told or None in loose.fallen:
        if may_be(state, loose, None) and not loose.fallen:
            return None
        return _unsure(loose, _answers(state, [hung for hung in _hangings(state) if may_be(state, loose, hung)]))
    had, has = state.pile(seat), Pile.of(color for color in told if color is not None)
    events: list[Event] = [Removed(seat, color) for color in has.without(had).pieces]
    hung = [Hung(seat, color) for color in had.without(has).pieces]
    if len(hung) > 1 or (hung and events and loose.unsure):  # one of them may lie hidden under the others
        told_more = Says("{count} pieces are gone from the piles, expected one at a time", {"count": len(hung)})
        return Doubt("several", told_more, (*_answers(state, hung), _LOOK_AGAIN), rule("Solo Game"))
    events += hung
    if loose.fallen:
        events.append(Fell(seat, _colors(loose.fallen)))
    if not events:
        return None
    return _proposed(
        state, (*events, Rested(seat)) if any(isinstance(event, Hung) for event in events) else tuple(events)
    )


def _colors(fallen: list[str | None]) -> tuple[str, ...]:
    return Pile.of(color for color in fallen if color is not None).pieces


def _answers(state: SuspendState, hangings: Sequence[Hung]) -> tuple[Choice[Event], ...]:
    """Hangings as answers; all comes to rest with them."""
    return tuple(
        Choice(f"hung:{hung.color}:{hung.source or hung.seat}", says(hung), hung, (Rested(state.turn),))
        for hung in hangings
    )


def _unsure(loose: Loose, answers: tuple[Choice[Event], ...]) -> Doubt[Event]:
    told = counted(
        loose.unsure,
        "the color of one piece cannot be told: lay it free",
        "the colors of {count} pieces cannot be told: lay them free",
    )
    return Doubt("unsure", told, (*answers, _LOOK_AGAIN), rule("gap 3"))


def _proposed(state: SuspendState, events: tuple[Event, ...]) -> Proposal[Event] | Doubt[Event]:
    after, said = state, []
    try:
        for event in events:
            applied = apply(after, event)
            after = applied.state
            said.append(applied.rulings[0].says)
    except Illegal as refused:
        told = Says("{why}: put the piece back", {"why": refused.says})
        others = _answers(state, tuple(_hangings(state))) if is_hanging(state) else ()
        return Doubt("illegal", told, (_PUT_RIGHT, *others), refused.rule)
    return Proposal(events, joined(said))
