"""Actions due before the next throw: pieces to pick out (Rules 1 and 2), an eye to take away (gap 20), and a die that
left the valley to put back (gap 8). Phones show them until they are seen done. A throw before them is asked about.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from companion.game.readings import Kind
from companion.game.says import Says
from companion.games.eyes_of_the_emperor.conserved import new_of, stocks
from companion.games.eyes_of_the_emperor.facts import RULE_LEFT, nameless
from companion.games.eyes_of_the_emperor.rules import (
    PICK_OUT,
    RULE_NINJAS,
    RULE_PHASE_III,
    RULE_SAMURAI,
    away,
    counted,
    says_put_back,
)
from companion.games.eyes_of_the_emperor.scene import OTHER, SEATS, Lying, Scene, dice_names, kind_of, spoken
from companion.games.eyes_of_the_emperor.state import Phase, State


@dataclass(frozen=True, slots=True)
class Due:
    """One action due. `kind`: the pieces to pick out; `die`: the die to take away or to put back (`comes_back`)."""

    says: Says
    rule: str
    kind: Kind | None = None
    die: str = ""
    comes_back: bool = False


def due(state: State) -> tuple[Due, ...]:
    """The actions due before the next throw."""
    return tuple(_due(state)) if state.winner is None else ()


def _due(state: State) -> Iterator[Due]:
    for what in state.refill:
        is_ninjas = what == "ninjas"
        yield Due(PICK_OUT[what], RULE_NINJAS if is_ninjas else RULE_SAMURAI, Kind.NINJA if is_ninjas else Kind.SAMURAI)
    count = counted(state)
    if state.scene is None or count is None:
        return
    for seat in SEATS:
        for name in state.emperor(seat).taken:
            if state.scene.piece(name) is not None:
                says = Says("take {die} out of the valley: its eye is taken", {"die": spoken(name)})
                yield Due(says, RULE_PHASE_III, die=name)
        for name in away(state, count, seat) if state.emperor(OTHER[seat]).phase is Phase.III else ():
            yield Due(says_put_back(seat, name), RULE_LEFT, die=name, comes_back=True)


def is_done(state: State, one: Due, scene: Scene) -> bool:
    """Whether a reading of the valley shows an action done."""
    if one.comes_back:
        is_seen = one.die in scene.unseen or scene.piece(one.die) is not None
        return is_seen or len(nameless(scene)) > len(_missed(state, scene))
    if one.kind is None:
        return scene.piece(one.die) is None
    return not any(new_of(stock, scene) for stock in stocks(state) if stock.kind is one.kind)


def _missed(state: State, scene: Scene) -> list[str]:
    """The dice that should be in the valley, lie there under no name, and are not due to be put back."""
    gone = {*state.red.taken, *state.blue.taken, *(one.die for one in due(state) if one.comes_back)}
    names = (name for seat in SEATS for name in dice_names(seat))
    return [name for name in names if name not in gone and scene.piece(name) is None]


def tidied(state: State, left: Scene) -> Scene | None:
    """The valley with everything due done. A die that was put back has the place where a later throw `left` it."""
    scene = state.scene
    if scene is None:
        return None
    stays = {name for stock in stocks(state) for name in stock.lay}
    for one in due(state):
        if one.comes_back:
            scene = replace(scene, pieces=(*scene.pieces, *(die for die in left.pieces if die.id == one.die)))
        elif one.kind is None:
            scene = scene.without((one.die,))
        else:
            scene = scene.without([p.id for p in scene.pieces if kind_of(p.id) is one.kind and p.id not in stays])
    return scene


def comes_out(state: State) -> tuple[Lying, ...]:
    """The pieces of the last judged valley that are due to be picked out or taken away."""
    scene = state.scene
    now = None if scene is None else tidied(state, scene)
    return () if scene is None or now is None else tuple(p for p in scene.pieces if now.piece(p.id) is None)
