"""What the eyes say of a Suspend table: the color die, the loose rods by zone. What hangs is what is missing.

The overhead camera sees piles and what fell around the stand. The other hand, a touch of the table, and what is caught
before it lies are told by button or phone. Where a color is unsure the people are asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from companion.game import Choice, Doubt, Illegal, Proposal
from companion.games.suspend.house import COLORS, Mode, rule
from companion.games.suspend.loose import ColorDieSeen, Loose, RodsSeen, agrees, gone, loose_rods, may_be, pile_of
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
from companion.readings import SURE
from companion.says import Says, counted, joined

MOST_ASKED = 5
"""Of so many rods that may have fallen, each selection is an answer."""
_LOOK_AGAIN: Choice[Event] = Choice("look_again", Says("the rods lie free now: look again"))


def interpret(
    state: SuspendState, reading: RodsSeen, before: Event | None = None
) -> Proposal[Event] | Doubt[Event] | None:
    """What a table at rest says happened; None while nothing did. `before` is the newest roll."""
    if state.phase in (Phase.OVER, Phase.REMOVE):
        return None
    loose = loose_rods(state, reading.rods, tuple(getattr(reading, "hidden", ())))
    if state.phase is Phase.ROLL:
        return _fallen_later(state, loose, _rolled(state, reading.die, before))
    if loose.astray:
        told = Says("a rod lies in no pile and not at the stand: put it where it belongs")
        return Doubt("astray", told, (_LOOK_AGAIN,), rule("Setup"))
    if state.phase is Phase.REST and state.house.mode is not Mode.SOLO:
        return _rested(state, loose)
    return _built(state, loose) if state.house.mode is Mode.SOLO else _hung(state, loose)


def _hangings(state: SuspendState) -> Iterator[Hung]:
    for color in colors_open(state):
        for source in sources(state, color):
            yield Hung(state.turn, color, None if source == state.turn else source)


def _rolled(
    state: SuspendState, die: ColorDieSeen | None, before: Event | None
) -> Proposal[Event] | Doubt[Event] | None:
    if die is None:
        return None
    seat, seen = state.turn, die.color if die.color in COLORS else None
    if seen is None or die.confidence < SURE:
        likeliest = sorted(COLORS, key=lambda color: color != seen)
        choices: tuple[Choice[Event], ...] = tuple(
            Choice(color, Says("{color}", {"color": color}), Rolled(seat, color)) for color in likeliest
        )
        return Doubt("die", Says("which color did {seat} roll?", {"seat": seat}), choices, rule("Intermediate Game"))
    rolled, values = Rolled(seat, seen), {"seat": seat, "color": seen}
    told = Says("{seat} rolled {color}", values)
    if not (isinstance(before, Rolled) and before.color == seen):
        return Proposal((rolled,), told)
    again = Says("did {seat} roll {color} too?", values)
    yes: Choice[Event] = Choice("yes", told, rolled)
    return Doubt("again", again, (yes, Choice("no", Says("not yet"))), rule("Intermediate Game"))


def _fallen_later(
    state: SuspendState, loose: Loose, rolled: Proposal[Event] | Doubt[Event] | None
) -> Proposal[Event] | Doubt[Event] | None:
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


def _hung(state: SuspendState, loose: Loose) -> Proposal[Event] | Doubt[Event] | None:
    """One piece gone from a pile hangs; rods around the stand fell, the one just hung perhaps among them."""
    if not loose.fallen and not loose.perhaps and may_be(state, loose, None):
        return None
    fitting = [hung for hung in _hangings(state) if may_be(state, loose, hung)]
    is_told = len(fitting) == 1 and not may_be(state, loose, None) and agrees(state, loose, fitting[0])
    if is_told and loose.unsure and None not in loose.fallen and fitting[0].color not in loose.hidden:
        # by the number of rods only this may have happened, and what was told of the unsure ones says the same
        return _with_fallen(state, loose, state.turn, (fitting[0],), (Rested(state.turn),))
    if loose.unsure:
        return _unsure(loose, _answers(state, fitting))
    missing = gone(state, loose)
    for name in loose.piles:
        if not pile_of(state, name).holds(loose.pile(name)):
            told = Says(
                "{pile} has pieces that were not there: put back what belongs elsewhere", {"pile": pile_says(name)}
            )
            return Doubt("added", told, (_LOOK_AGAIN,), rule("Setup"))
    if len(missing) > 1:
        likely = [hung for hung in _hangings(state) if (hung.color, hung.source or hung.seat) in missing]
        told = Says("{count} pieces are gone from the piles, expected one at a time", {"count": len(missing)})
        return Doubt("several", told, (*_answers(state, likely), _LOOK_AGAIN), rule("The Rules"))
    if not missing:
        return _with_fallen(state, loose, state.turn, (), ())
    ((color, source),) = missing
    hung = Hung(state.turn, color, None if source == state.turn else source)
    if color in loose.hidden:
        told = Says(
            "more {color} rods may lie there than are seen: did {seat} hang one?", {"color": color, "seat": state.turn}
        )
        return Doubt("hidden", told, (*_answers(state, [hung]), _LOOK_AGAIN), rule("gap 3"))
    return _with_fallen(state, loose, state.turn, (hung,), (Rested(state.turn),))


def _rested(state: SuspendState, loose: Loose) -> Proposal[Event] | Doubt[Event] | None:
    """After a hanging that was told by a tap: what fell until all is at rest."""
    if not may_be(state, loose, None):
        return None
    if None in loose.fallen:
        return _unsure(loose, ())
    return _with_fallen(state, loose, state.turn, (), (Rested(state.turn),))


def _with_fallen(
    state: SuspendState, loose: Loose, who: str, first: tuple[Event, ...], last: tuple[Event, ...]
) -> Proposal[Event] | Doubt[Event] | None:
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
    return Says("do {pieces} lie beside the stand, fallen?", {"pieces": Pile.of(loose.perhaps).says})


def _some_of(pieces: Sequence[str]) -> list[tuple[str, ...]]:
    """All different choices of at least one of these, the largest first; of many, all of them and each alone."""
    sizes = range(len(pieces), 0, -1) if len(pieces) <= MOST_ASKED else (len(pieces), 1)
    return list(dict.fromkeys(Pile.of(some).pieces for size in sizes for some in combinations(pieces, size)))


def _built(state: SuspendState, loose: Loose) -> Proposal[Event] | Doubt[Event] | None:
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
        "the color of one rod cannot be told: lay it free",
        "the colors of {count} rods cannot be told: lay them free",
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
        return Doubt("illegal", told, (_LOOK_AGAIN, *others), refused.rule)
    return Proposal(events, joined(said))
