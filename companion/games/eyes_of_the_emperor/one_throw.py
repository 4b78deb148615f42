"""The pieces that one throw may add to the valley: one of each emperor (Instructions 7, 8, 10). All else is asked.

First the actions due before it: pieces to pick out (Rules 1 and 2), an eye to take away (gap 20), and a die that left
the valley to put back (gap 8). Phones show them until they are seen done. A throw before them is asked about.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from companion.game.readings import Kind
from companion.game.says import Says, listed
from companion.game.values import Choice, Doubt, Illegal
from companion.games.eyes_of_the_emperor import rules
from companion.games.eyes_of_the_emperor.conserved import Stock, is_throw_seen, new_of, stocks
from companion.games.eyes_of_the_emperor.facts import RULE_LEFT, facts, nameless
from companion.games.eyes_of_the_emperor.house import cite
from companion.games.eyes_of_the_emperor.reading import has_moved
from companion.games.eyes_of_the_emperor.scene import (
    OTHER,
    SEATS,
    Lying,
    Scene,
    apart_mm,
    dice_names,
    is_below,
    kind_of,
    spoken,
)
from companion.games.eyes_of_the_emperor.set_up import is_start
from companion.games.eyes_of_the_emperor.state import Action, Phase, State, ThrowSettled

RULE_BOTH_THROW = cite("Instructions 7")
JUDGE, MEND = "record", "nothing"
"""The two answers: the table is judged as it is, or people put it right and press again."""


@dataclass(frozen=True, slots=True)
class Due:
    """One action due. `kind`: the pieces to pick out; `die`: the die to take away or to put back (`comes_back`)."""

    says: Says
    rule: str
    kind: Kind | None = None
    die: str = ""
    comes_back: bool = False


def due(state: State) -> Iterator[Due]:
    for what in state.refill:
        kind, rule = (Kind.NINJA, rules.RULE_NINJAS) if what == "ninjas" else (Kind.SAMURAI, rules.RULE_SAMURAI)
        yield Due(rules.PICK_OUT[what], rule, kind)
    count = rules.counted(state)
    if state.scene is None or count is None or state.winner is not None:
        return
    for seat in SEATS:
        for name in state.emperor(seat).taken:
            if state.scene.piece(name) is not None:
                says = Says("take {die} out of the valley: its eye is taken", {"die": spoken(name)})
                yield Due(says, rules.RULE_PHASE_III, die=name)
        for name in rules.away(state, count, seat) if state.emperor(OTHER[seat]).phase is Phase.III else ():
            yield Due(rules.says_put_back(seat, name), RULE_LEFT, die=name, comes_back=True)


def is_done(state: State, one: Due, scene: Scene) -> bool:
    if one.comes_back:
        return scene.piece(one.die) is not None or len(nameless(scene)) > len(_missed(state, scene))
    if one.kind is None:
        return scene.piece(one.die) is None
    return not any(new_of(stock, scene) for stock in stocks(state) if stock.kind is one.kind)


def _missed(state: State, scene: Scene) -> list[str]:
    """The dice that should be in the valley, were not found there, and are not due to be put back."""
    gone = {*state.taken, *(one.die for one in due(state) if one.comes_back)}
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
    scene = state.scene
    now = None if scene is None else tidied(state, scene)
    return () if scene is None or now is None else tuple(p for p in scene.pieces if now.piece(p.id) is None)


def doubted(state: State, action: ThrowSettled, lain: Action | None = None) -> Doubt[Action] | None:
    """The question about a reading that one throw cannot explain; else None."""
    looks = [look.scene for look in (action, lain) if isinstance(look, ThrowSettled)]
    left = [one for one in due(state) if not any(is_done(state, one, scene) for scene in looks)]
    for stock in stocks(state):
        new = new_of(stock, action.scene, are_sure=True)
        earlier = new_of(stock, lain.scene) if isinstance(lain, ThrowSettled) else ()
        rest = len(new) - len(earlier) - stock.thrown - _perhaps_hidden(state, stock)
        if rest > 0:
            key = f"too_many:{stock.color or stock.kind.value}"
            return _wrong(action, key, *_too_many(state, stock, left, rest), new)
    has_thrown = not is_nothing_new(state, action.scene)
    for one in (one for one in left if one.comes_back):
        stray = next((die.id for die in action.scene.of(Kind.EMPIRE_DIE) if die.id in _stays_out(state)), None)
        if stray is not None:
            values = {"die": spoken(stray), "other": spoken(one.die)}
            says = Says("{die} does not go back, {other} does", values)
            return _wrong(action, f"not_back:{stray}", says, one.rule, (stray,))
        if has_thrown and not _is_tidied_unseen(state, action, lain):
            return _wrong(action, f"not_back:{one.die}", one.says, one.rule)
    return None


def _is_tidied_unseen(state: State, action: ThrowSettled, lain: Action | None) -> bool:
    """Whether hands did something that was due after the last look before the throw. Then a die that they put back may
    have left again, unseen."""
    done = [one for one in due(state) if is_done(state, one, action.scene)]
    return any(not (isinstance(lain, ThrowSettled) and is_done(state, one, lain.scene)) for one in done)


def _stays_out(state: State) -> set[str]:
    """The dice that left the valley and are not due to be put back."""
    count, backs = rules.counted(state), {one.die for one in due(state)}
    gone = () if count is None else (name for seat in SEATS for name in rules.away(state, count, seat))
    return {name for name in gone if name not in backs}


def _perhaps_hidden(state: State, stock: Stock) -> int:
    """1 if a piece may be hidden under another and nobody was asked about it, else 0."""
    pieces = () if state.scene is None else state.scene.of(stock.kind, stock.color)
    return int(any(is_below(piece.id) and f"is:{piece.id}" not in state.answers for piece in pieces))


def changes_nothing(state: State, action: ThrowSettled) -> bool:
    """Whether a throw leaves war phases and eyes as they are, and calls for no answer and no refill."""
    try:
        after = rules.apply(state, action).state
    except Illegal:  # it will be refused
        return True
    is_settled = after.open is None and not after.refill
    return is_settled and (after.red, after.blue) == (state.red, state.blue)


def is_nothing_new(state: State, scene: Scene) -> bool:
    """Whether nothing has been thrown since the last judged throw, as far as is seen."""
    return not any(new_of(stock, scene) for stock in stocks(state))


def is_early(state: State, action: ThrowSettled) -> bool:
    """Whether perhaps nobody has thrown: nothing is new in the valley, and nothing moved, or what moved changes the
    state."""
    before = tidied(state, action.scene)
    if before is None:
        return is_start(action.scene)
    moved = has_moved(before, action.scene)
    return is_nothing_new(state, action.scene) and not (moved and changes_nothing(state, action))


def begins(state: State, action: Action | None) -> bool:
    """Whether a reading shows the valley before the next throw: nothing new, or a part of a throw that changes nothing.
    If the next throw follows, the other piece has left the valley."""
    if not isinstance(action, ThrowSettled) or state.scene is None:
        return False
    scene, before = action.scene, stocks(state)
    if is_nothing_new(state, scene):
        return True
    has_most = any(len(new_of(stock, scene)) > stock.thrown for stock in before) or is_throw_seen(state, scene)
    if has_most or moved_by_hand(state, scene) or not all(is_done(state, one, scene) for one in due(state)):
        return False
    return changes_nothing(state, action)


def moved_by_hand(state: State, before: Scene) -> tuple[str, ...]:
    """The dice and samurai whose state just before the throw differs from the last judged state, as far as the rules
    see it."""
    if state.scene is None:
        return ()
    was, now = (facts(scene, state.answers, state.options.cocked_deg) for scene in (state.scene, before))
    told = (
        fact.pieces[0]
        for key, fact in now.items()
        if key.startswith(("in:", "up:"))
        and key in was
        and {fact.known, was[key].known} == {False, True}
        and rules.is_looked_at(state, fact)
    )
    return tuple(dict.fromkeys(id for id in told if _has_moved(state.scene.piece(id), before.piece(id))))


def _has_moved(was: Lying | None, now: Lying | None) -> bool:
    if was is None or now is None:
        return False
    return apart_mm(was, now) > rules.MOVED_MM or was.marked_up != now.marked_up


def asked_about_hands(action: ThrowSettled, moved: tuple[str, ...]) -> Doubt[Action]:
    """The question whether a throw counts although pieces were moved by hand before it."""
    words = "{piece} has moved since the last throw was judged. Does the table count as it is?"
    says = Says(words, {"piece": listed([spoken(id) for id in moved])})
    return _asked(action, "moved_by_hand", says, rules.RULE_JUDGED, moved)


def _too_many(state: State, stock: Stock, left: Sequence[Due], rest: int) -> tuple[Says, str]:
    """The fault and its rule if there are `rest` new pieces too many. `left`: due actions that were not seen done."""
    for one in left:
        if one.kind is stock.kind:
            return one.says, one.rule
    name, rule = Says("ninja"), RULE_BOTH_THROW
    if stock.kind is Kind.SAMURAI:
        name = Says("{color} samurai", {"color": stock.color})
        rule = rules.RULE_OF_PHASE[state.emperor(stock.color or "").phase]
    elif any(rules.throws(state, seat) == "samurai" for seat in SEATS):
        rule = rules.RULE_PHASE_II
    return Says("{piece} too many: take {count} out", {"piece": name, "count": rest}), rule


def _wrong(action: ThrowSettled, key: str, says: Says, rule: str, pieces: tuple[str, ...] = ()) -> Doubt[Action]:
    """The question about a table that the rules do not allow: putting it right is the first answer."""
    choices: tuple[Choice[Action], ...] = (
        Choice(MEND, Says("We put it right now")),
        Choice(JUDGE, Says("Judge it as it is"), action),
    )
    return Doubt(key, says, choices, rule, pieces=pieces)


def _asked(action: ThrowSettled, key: str, says: Says, rule: str, pieces: tuple[str, ...] = ()) -> Doubt[Action]:
    choices: tuple[Choice[Action], ...] = (
        Choice(JUDGE, Says("Yes, judge it as it is"), action),
        Choice(MEND, Says("No: put the table right, then press again")),
    )
    return Doubt(key, says, choices, rule, pieces=pieces)
