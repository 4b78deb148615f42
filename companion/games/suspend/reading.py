"""Events that a reading of a Suspend table shows: a roll, a rod hung, rods that fell.

`loose` gives the evidence, `weighing` every possible course of the turn. The most probable course is entered if the
chance of being wrong is small enough; otherwise people choose. Button or phone report the other hand, a touch of the
table, and pieces caught before they fall.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import msgspec

from companion.game.kit import Kit
from companion.game.readings import SURE, ColorDie, RodsReading
from companion.game.says import Says, joined, listed
from companion.game.values import (
    LOOK_AGAIN,
    NOT_YET,
    Checked,
    Choice,
    Doubt,
    Illegal,
    InPlace,
    Proposal,
    SeenSetUp,
    tried,
)
from companion.games.suspend.events import Event, Fell, Hung, Removed, Rested, Rolled, says
from companion.games.suspend.house import COLORS, DRAW, rule
from companion.games.suspend.loose import (
    ASTRAY,
    STAND,
    Shown,
    Spotted,
    first_of_each,
    misread,
    shown,
    tips_left,
)
from companion.games.suspend.moves import to_lay
from companion.games.suspend.rules import apply, is_hanging
from companion.games.suspend.state import Phase, Pile, SuspendState, pieces_says, pile_says
from companion.games.suspend.weighing import Way, falls_to, weighed

Found = Proposal[Event] | Doubt[Event] | None
RISK = 1 / 500
"""Accepted chance of a wrong entry: undo repairs it at once, the last one of a match too."""
MOST_OFFERED = 3
SAME_PLACE_MM = 6.0
"""Maximum distance between two readings of a die that was not thrown; one throw in 200 ends as near."""
_NONE: Choice[Event] = Choice(LOOK_AGAIN, Says("none of these: lay the pieces apart, then look again"))
_NOTHING: Choice[Event] = Choice(NOT_YET, Says("nothing yet"))
_PUT_RIGHT: Choice[Event] = Choice(LOOK_AGAIN, Says("it is put right now: look again"))
_MISREAD: Choice[Event] = Choice(NOT_YET, Says("the camera is wrong: we enter it by hand"))


def interpret(state: SuspendState, reading: RodsReading, past: Sequence[Event] = ()) -> Found:
    """The event that a settled table shows; None for no event. The newest roll tells how the die lay."""
    before = next((event for event in past if isinstance(event, Rolled)), None)
    if state.phase in (Phase.OVER, Phase.REMOVE):
        return None
    look = shown(state, reading)
    ways = weighed(state, look)
    rolled = _rolled(state, reading.die, before) if state.phase is Phase.ROLL else None
    best = ways[0]
    if best.events is not None and 1 - best.likely <= RISK:
        return _with_roll(_entered(state, look, best), rolled) if best.events else rolled
    if state.phase is Phase.ROLL:
        return _fell_or_rolled(state, look, ways, rolled)
    return _asked(state, look, ways)


def seen_set_up(
    state: SuspendState, reading: RodsReading, kit: Kit | None = None, *, was_right: bool = False
) -> SeenSetUp | None:
    """The set-up as seen, before a round's first roll: nothing hangs, and every pile is whole. None after the roll."""
    if state.phase is not Phase.ROLL or state.hung.total or state.last_to_move is not None:
        return None
    rods = [rod for rod in shown(state, reading).rods if rod.hangs or rod.likely >= 0.5]
    cite = rule("Setup")
    count = sum(rod.place == STAND for rod in rods)
    at_stand = Says("still at the stand: {pieces}", {"pieces": pieces_says(count)})
    lines = [Checked(InPlace.NO if count else InPlace.YES, at_stand, cite)]
    for name, pile in ((name, state.pile(name)) for name in (*state.seats, DRAW)):
        seen = sum(rod.place == name for rod in rods)
        laid = InPlace.YES if seen == pile.total else InPlace.UNSEEN if seen < pile.total else InPlace.NO
        told = Says("{pile}: {count} of {all} pieces", {"count": seen, "all": pile.total, "pile": pile_says(name)})
        lines += [Checked(laid, told, cite)] if pile.total or seen else []
    return SeenSetUp(tuple(lines), Says("{seat} rolls first", {"seat": state.turn}))


def seen_back(
    before: SuspendState, after: SuspendState, reading: RodsReading | None, was: Sequence[Checked] = ()
) -> tuple[Checked, ...]:
    """The check of each item of `put_back`. A pile may hide a piece, but not one that hangs too much."""
    rods = () if reading is None else shown(before, reading).rods
    hang = Counter(rod.color for rod in rods if rod.place == STAND and (rod.hangs or rod.likely >= 0.5))
    told = []
    for place, missing in to_lay(before, after):
        pile = before.hung if place is None else before.pile(place)
        here = Counter(rod.color for rod in rods if rod.place == place and rod.likely >= SURE)
        if all((hang if place is None else here)[color] >= pile.count(color) for color in missing.colors):
            told.append(Checked(InPlace.YES))
        elif place is not None and any(hang[color] > before.hung.count(color) for color in missing.colors):
            told.append(Checked(InPlace.NO))
        else:
            told.append(Checked(InPlace.UNSEEN))
    return tuple(told)


def _after(state: SuspendState, events: Sequence[Event]) -> SuspendState | None:
    try:
        for event in events:
            state = apply(state, event).state
    except Illegal:
        return None
    return state


def _entered(state: SuspendState, look: Shown, way: Way) -> Proposal[Event]:
    events, said, held = _with_memory(state, look, way), [], _perhaps_held(look.rods, way)
    for event in events:
        applied = apply(state, event)
        state = applied.state
        said.append(applied.rulings[0].says)
    return Proposal(events, held or joined(said), is_whole=held is None)


def _perhaps_held(rods: Sequence[Spotted], way: Way) -> Says | None:
    """The sentence about a piece that is gone from its pile and is not seen at the stand: a hand may hold it."""
    at_stand = [rod for rod in rods if rod.place == STAND and (rod.hangs or rod.likely >= 0.5)]
    for color, source in way.gone:
        if not any(rod.color == color and rod.is_new for rod in at_stand):
            return Says(
                "{pile}: {color} was taken, and is not seen at the stand", {"color": color, "pile": pile_says(source)}
            )
    return None


def _with_roll(fell: Proposal[Event], rolled: Found) -> Proposal[Event]:
    """The fall, and the roll after it, if there is one."""
    if not isinstance(rolled, Proposal):
        return fell
    return Proposal((*fell.actions, *rolled.actions), joined([fell.says, rolled.says]), is_whole=True)


def _with_memory(state: SuspendState, look: Shown, way: Way) -> tuple[Event, ...]:
    """The events of a possible course; the last one keeps where rods hang, and which do not show in the piles."""
    events = way.events or ()
    laid = [event for event in events if isinstance(event, Hung | Removed)]
    in_pile = tuple(color for color, place in way.away if place != ASTRAY)
    picked = [Fell(event.seat, in_pile) for event in events if isinstance(event, Fell) and in_pile]
    piles = _after(state, [*laid, *picked]) or state
    memory = {"hanging": tips_left(look, way.fell), **misread(piles, look.rods)}
    return tuple(msgspec.structs.replace(event, **memory) if isinstance(event, Rested) else event for event in events)


def _asked(state: SuspendState, look: Shown, ways: Sequence[Way]) -> Found:
    """The event, if the reading leaves more than one answer, or shows something the rules forbid."""
    able = [way for way in ways if way.events is not None and _after(state, way.events) is not None]
    open_ = [way for way in able if way.likely > RISK]
    best = ways[0]
    offered = [way for way in able if way.events][:MOST_OFFERED]
    rods, choices = look.rods, tuple(_choice(state, look, way) for way in offered)
    astray = [rod for rod in rods if rod.place == ASTRAY and rod.likely >= 0.5]
    if astray and best.likely < 0.5:
        best = Way(added=((astray[0].color or "", ASTRAY),), likely=1 - best.likely)
    if best.events is None and best.likely > 0.5:
        likely = [_choice(state, look, way) for way in offered if way in open_]
        return replace(_slip(state, rods, best), choices=(_PUT_RIGHT, *likely, _MISREAD))
    if len({(way.gone, way.back) for way in open_}) == 1 and any(way.fell for way in open_):
        return _which_fell(state, look, open_[:MOST_OFFERED])
    if best.events == () and len(open_) == 1:
        return None
    told = Says("what did {seat} do? The picture does not show it", {"seat": state.turn})
    if is_hanging(state):
        choices = (_NOTHING, *choices) if able[:1] and able[0].events == () else (*choices, _NOTHING)
    meant, held = _in_question(rods, offered), _perhaps_held(rods, offered[0]) if offered else None
    at_stand = [rod for rod in rods if rod.place == STAND]
    return Doubt("unsure", told, (*choices, _NONE), rule("gap 3"), places_mm=_places(meant or at_stand), seen=held)


def _in_question(rods: Sequence[Spotted], ways: Sequence[Way]) -> list[Spotted]:
    """The pieces that may have been moved and are new at the stand, in no pile, or unclear in one."""
    colors = {None, *(color for way in ways for color in (*way.back, *way.fell, *(one for one, _ in way.gone)))}
    maybe = [rod for rod in rods if rod.color in colors and rod.likely > 1 - SURE]
    new = [rod for rod in maybe if rod.place == STAND and rod.is_new]
    astray = [rod for rod in maybe if rod.place == ASTRAY]
    unsure = [rod for rod in maybe if rod.place not in (STAND, ASTRAY) and (rod.color is None or rod.likely < SURE)]
    return [*new, *astray, *unsure]


def _choice(state: SuspendState, look: Shown, way: Way) -> Choice[Event]:
    events = _with_memory(state, look, way)
    key = [f"removed:{color}" for color in way.back] + [f"hung:{color}:{source}" for color, source in way.gone]
    key += [f"fell:{','.join(way.fell)}"] if way.fell else []
    told = joined([says(one) for one in events if not isinstance(one, Rested)] or [says(events[0])])
    return Choice("+".join(key) or "rests", told, events[0], events[1:], likely=round(way.likely, 3))


def _which_fell(state: SuspendState, look: Shown, offered: Sequence[Way]) -> Doubt[Event]:
    """Only what fell is in question, so each choice says only that."""
    choices: list[Choice[Event]] = []
    perhaps = Counter[str]()
    for way in offered:
        perhaps |= Counter(way.fell)
        key = f"fell:{','.join(way.fell)}" if way.fell else "hangs"
        told = Says("{pieces} fell", {"pieces": Pile.of(way.fell).says}) if way.fell else Says("no, all hangs")
        plain: Choice[Event] = Choice(key, told, likely=round(way.likely, 3))
        choices.append(replace(_choice(state, look, way), key=key, says=told) if way.events else plain)
    lie = {place for way in offered for place in (*way.away, *((color, STAND) for color in way.fallen))}
    loose = sorted(
        (rod for rod in look.rods if (rod.color, rod.place) in lie), key=lambda rod: (rod.hangs, -rod.likely)
    )
    asked = Says("did this fall: {pieces}?", {"pieces": Pile.of(perhaps.elements()).says})
    places = _places(first_of_each(loose, perhaps))
    charged = (event.seat for way in offered for event in way.events or () if isinstance(event, Fell))
    told = Says("perhaps a piece fell: it goes to the pile of {seat}", {"seat": next(charged, state.turn)})
    is_whole = bool(offered[0].fell)
    return Doubt("fell", asked, (*choices, _NONE), rule("gap 11"), places_mm=places, seen=told, is_whole=is_whole)


def _slip(state: SuspendState, rods: Sequence[Spotted], way: Way) -> Doubt[Event]:
    """Violations of the rules, with their pieces; without answers."""
    for color, name in way.added:
        meant = _places([rod for rod in rods if rod.place == name and rod.color == color])
        told = Says("a piece is in no pile and not at the stand: put it where it belongs")
        if name == ASTRAY:
            return Doubt("astray", told, (), rule("Setup"), places_mm=meant)
        words, who = "{pile} has pieces that were not there: put back what belongs elsewhere", falls_to(state, way)
        seen = sum(rod.place == STAND and rod.color == color and (rod.hangs or rod.likely >= 0.5) for rod in rods)
        if who is not None and seen < state.hung.count(color):
            words = "{color} fell and is in {pile}: put it in {own}"
            values = {"color": color, "pile": pile_says(name), "own": pile_says(who)}
            return Doubt("added", Says(words, values), (), rule("The Rules"), places_mm=meant)
        return Doubt("added", Says(words, {"pile": pile_says(name)}), (), rule("Setup"), places_mm=meant)
    new = [rod for rod in rods if rod.place == STAND and rod.is_new]
    meant = _places(first_of_each(new, Counter(color for color, _ in way.gone)))
    if len(way.gone) > 1:
        gone = [Says("{color} from {pile}", {"color": color, "pile": pile_says(source)}) for color, source in way.gone]
        told = Says("hang one piece at a time: {pieces} are gone", {"pieces": listed(gone)})
        return Doubt("several", told, (), rule("The Rules"), places_mm=meant)
    ((color, source),) = way.gone
    why = tried(apply, state, Hung(state.turn, color, None if source == state.turn else source))
    told = Says("{why}: put the piece back", {"why": why.says})
    return Doubt("illegal", told, (), why.rule, places_mm=meant)


def _places(rods: Sequence[Spotted]) -> tuple[tuple[str, float, float], ...]:
    return tuple((f"piece {i}", rod.x_mm, rod.y_mm) for i, rod in enumerate(rods, 1))


def _rolled(state: SuspendState, die: ColorDie | None, before: Event | None) -> Found:
    if die is None:
        return None
    seat, seen = state.turn, die.color if die.color in COLORS else None
    at_mm = (round(die.x_mm, 1), round(die.y_mm, 1))
    places = (("die", die.x_mm, die.y_mm),)
    if seen is None or die.confidence < SURE:
        likeliest = sorted(COLORS, key=lambda color: color != seen)
        choices: tuple[Choice[Event], ...] = tuple(
            Choice(color, Says("{color}", {"color": color}), Rolled(seat, color, at_mm)) for color in likeliest
        )
        asked = Says("Which color did {seat} roll?", {"seat": seat})
        unclear = Says("the die is not seen clearly")
        return Doubt("die", asked, choices, rule("Intermediate Game"), places_mm=places, seen=unclear)
    rolled, values = Rolled(seat, seen, at_mm), {"seat": seat, "color": seen}
    told = Says("{seat} rolled {color}", values)
    if not _lies_still(rolled, before):
        return Proposal((rolled,), told, is_whole=True)
    again = Says("did {seat} roll {color} too?", values)
    yes: Choice[Event] = Choice("yes", told, rolled)
    not_yet: Choice[Event] = Choice(NOT_YET, Says("not yet"))
    return Doubt("again", again, (not_yet, yes), rule("Intermediate Game"), places_mm=places)


def _lies_still(rolled: Rolled, before: Event | None) -> bool:
    """Whether the die may be unmoved: after a roll entered by a tap its place is unknown."""
    if not isinstance(before, Rolled) or before.color != rolled.color:
        return False
    return before.at_mm is None or rolled.at_mm is None or math.dist(before.at_mm, rolled.at_mm) <= SAME_PLACE_MM


def has_moved(before: Event, after: Event) -> bool:
    """Whether two readings show two events. They show one event if the die is in the same place, or if the table has
    settled after the same hanging."""
    match before, after:
        case Rolled(), Rolled():
            return before.seat != after.seat or not _lies_still(after, before)
        case Rested(), Rested():
            return before.seat != after.seat
    return before != after


def _fell_or_rolled(state: SuspendState, look: Shown, ways: Sequence[Way], rolled: Found) -> Found:
    """Whether something fell between turns, which is charged to the last to move (gap 12), asked with the roll."""
    fell = [way for way in ways if way.fallen and way.likely > RISK][:MOST_OFFERED]
    if not fell:
        return rolled
    asked = _which_fell(state, look, fell)
    falls = [choice for choice in asked.choices if choice.actions]
    hangs = _if_all_hangs(rolled)
    nothing: Choice[Event] = Choice(NOT_YET, Says("nothing fell, and nobody has rolled yet"))
    is_early = rolled is None or (isinstance(rolled, Doubt) and rolled.is_early)
    all_hangs = (nothing, *hangs) if is_early else (*hangs, nothing)
    is_likely = sum(way.likely for way in fell) > 0.5
    choices = (*falls, *all_hangs, _NONE) if is_likely else (*all_hangs, *falls, _NONE)
    return replace(asked, choices=choices, rule=rule("gap 12"))


def _if_all_hangs(rolled: Found) -> list[Choice[Event]]:
    """The roll as an answer to what fell."""
    match rolled:
        case Proposal(actions=actions):
            told = Says("no, all hangs: {roll}", {"roll": says(actions[0])})
            return [Choice("hangs", told, actions[0])]
        case Doubt(choices=choices):
            return [
                replace(choice, says=Says("no, all hangs: {roll}", {"roll": says(choice.action)}))
                for choice in choices
                if choice.action is not None
            ]
        case _:
            return []
