"""The phones' view of an Eyes of the Emperor match, and the hints: what each emperor still needs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from companion.game.readings import Kind
from companion.game.says import Says
from companion.game.values import Hint
from companion.games.eyes_of_the_emperor import rules
from companion.games.eyes_of_the_emperor.facts import Fact, Tally, facts, lies_in_valley
from companion.games.eyes_of_the_emperor.one_throw import comes_out, due
from companion.games.eyes_of_the_emperor.reading import laid_out
from companion.games.eyes_of_the_emperor.scene import (
    DICE_EACH,
    NINJAS,
    OTHER,
    SAMURAI_EACH,
    SEATS,
    Lying,
    Scene,
    across_mm,
    dice_names,
    own_kit,
    spoken,
)
from companion.games.eyes_of_the_emperor.set_up import set_up_around
from companion.games.eyes_of_the_emperor.state import Phase, State

FACES = 6


def dice_in(state: State, seat: str) -> int:
    """Number of an emperor's dice that still overlap his territory; all of them before the first throw."""
    count = rules.counted(state)
    return DICE_EACH if count is None else len(count.dice_in[seat])


def needs(state: State, seat: str) -> Says:
    """The next thing an emperor still needs, in one sentence."""
    target = OTHER[seat]
    count = rules.counted(state)
    if state.winner is not None:
        return Says("the match is over")
    match state.emperor(seat).phase:
        case Phase.I:
            ever_out = state.emperor(target).ever_out
            if state.options.both_out == "ever" and ever_out:  # the other die may be in its territory again, too
                left = next((die for die in dice_names(target) if die not in ever_out), ever_out[-1])
                return Says("knock {die} out as well", {"die": spoken(left)})
            is_one = dice_in(state, target) < DICE_EACH
            words = "knock the other {target} empire die out" if is_one else "knock both {target} empire dice out"
            return Says(words, {"target": target})
        case Phase.II:
            least, most = _occupying(count, seat)
            missing = rules.about(max(0, rules.SAMURAI_NEEDED - most), max(0, rules.SAMURAI_NEEDED - least))
            words = "land {count} more samurai on the {target} territory"
            if not most:
                words = "land {count} samurai on the {target} territory"
            return Says(words, {"count": missing, "target": target})
        case Phase.III:
            if state.emperor(target).eyes_left == 1:
                return Says("roll the last {target} empire die over so that its eye faces up", {"target": target})
            return Says("roll both {target} empire dice over so that their eyes face up", {"target": target})


def _occupying(count: Tally | None, seat: str) -> tuple[int, int]:
    """Minimum and maximum number of a seat's samurai that occupy: they differ while some are too close to call."""
    return (0, 0) if count is None else (len(count.occupying[seat]), len(count.may_occupy[seat]))


def view(state: State, seat: str | None = None, past: Sequence[Any] = ()) -> dict[str, Any]:
    """The game's part of a match view. The game has no secrets: every seat sees the same."""
    count = rules.counted(state)
    still_open = {f.key for f in facts_view(state).values() if f.known is None}
    unseen = () if state.scene is None else state.scene.unseen
    emperors = {}
    for seat in SEATS:
        emperor = state.emperor(seat)
        least, most = _occupying(count, seat)
        emperors[seat] = {
            "phase": emperor.phase.value,
            "throws": rules.throws(state, seat),
            "needs": needs(state, seat),
            "dice_in": dice_in(state, seat),
            "dice": [
                {
                    "name": name,
                    "taken": name in emperor.taken,
                    "in": name not in emperor.taken and (count is None or name in count.dice_in[seat]),
                    "up": count is not None and name in count.dice_up[seat],
                    "too_close": f"in:{name}" in still_open,
                    "up_open": f"up:{name}" in still_open,
                    "unseen": name in unseen,
                }
                for name in dice_names(seat)
            ],
            "eyes_left": emperor.eyes_left,
            "occupying": least,
            "may_occupy": most,
            "samurai_outside": _outside(state, "samurai", seat),
        }
    return {
        "throw": state.throw,
        "game": state.restarts + 1,
        "haji": state.haji,
        "emperors": emperors,
        "ninjas_outside": _outside(state, "ninjas"),
        "refill": [one.says for one in due(state)],
        "pick_out": [[piece.kind.value, piece.x_mm, piece.y_mm] for piece in comes_out(state)],
        "edge": state.edge,
        "winner": state.winner,
        "valley": _valley(state),
    }


def _outside(state: State, what: str, seat: str = "") -> int | str | None:
    """The number of pieces outside, perhaps from how many to how many. None while they are picked out."""
    count, of_all = rules.counted(state), SAMURAI_EACH if seat else NINJAS
    if what in state.refill:
        return None
    if count is None:
        return of_all
    least, most = (count.samurai[seat], count.most_samurai[seat]) if seat else (count.ninjas, count.most_ninjas)
    return rules.about(max(0, of_all - most), max(0, of_all - least))


def _valley(state: State) -> dict[str, Any]:
    """The valley to be drawn and changed, in mm, from below to above, without dice that are out or lost their eye."""
    kit = own_kit()
    lands = [
        Lying(id=seat, kind=Kind.TERRITORY, color=seat, x_mm=x_mm, y_mm=y_mm)
        for seat, (x_mm, y_mm) in kit.piece("territory").start_mm.items()
    ]
    lies = state.scene or set_up_around(Scene(pieces=tuple(lands)))
    taken = state.taken
    lies = replace(lies, pieces=tuple(piece for piece in lies.pieces if piece.id not in taken))
    dice = {name: seat for seat in SEATS for name in dice_names(seat) if name not in taken}
    unseen = [name for name in lies.unseen if name in dice and lies_in_valley(lies, state.answers, name) is not False]
    return {
        "width_mm": kit.mat.width_mm,
        "height_mm": kit.mat.height_mm,
        "sizes_mm": {kind.value: across_mm(kind) for kind in (Kind.SAMURAI, Kind.NINJA, Kind.EMPIRE_DIE)},
        "pieces": [msgspec.to_builtins(piece) for piece in laid_out(lies)],
        "rests": [[rest.piece, rest.on] for rest in lies.rests_on if rest.confidence >= 0.5],
        "dice": dice,
        "unseen": unseen,
        "names": {
            name: Says("{piece}", {"piece": spoken(name)}) for name in (*dice, *(piece.id for piece in lies.pieces))
        },
    }


def hints(state: State, seat: str, **limits: object) -> tuple[Hint[Any], ...]:
    if state.winner is not None:
        return ()
    if state.open is not None:
        return (Hint(seat, None, None, Says("answer the question first"), rule=rules.RULE_TOO_CLOSE),)
    if state.edge is not None:  # no throw is judged before the choice
        words = Says("choose first: restart the game, or play on")
        if state.edge == seat:
            words = Says("{seat} has to choose first: restart or play on", {"seat": OTHER[seat]})
        return (Hint(seat, None, None, words, rule=rules.RULE_EDGE),)
    found: list[Hint[Any]] = [Hint(seat, None, None, one.says, rule=one.rule) for one in due(state)]
    rule = rules.RULE_OF_PHASE[state.emperor(seat).phase]
    words = Says("throw a {piece}", {"piece": rules.throws(state, seat)})
    why = [needs(state, seat)]
    if state.emperor(seat).phase is Phase.III:
        rolls = FACES // state.options.marked_faces
        why.append(Says("a rolled empire die shows its eye once in {rolls} rolls", {"rolls": rolls}))
    return (*found, Hint(seat, None, None, words, tuple(why), rule))


def facts_view(state: State) -> Mapping[str, Fact]:
    """The facts of the last judged throw that a person may correct: key, sentence, answer, the two answers in words."""
    if state.scene is None:
        return {}
    return facts(state.scene, state.answers, state.options.cocked_deg)
