"""The phones' view of a pad, its hints, and the dice that the camera reads in the tray."""

import math
from collections.abc import Sequence
from typing import Any

from companion.game.readings import SURE, BoardReading
from companion.game.says import Says
from companion.game.values import Choice, Doubt, Hint, NotYet, Proposal
from companion.games.score_pad import dice, rules
from companion.games.score_pad.rules import Action, PadState, Rolled
from companion.games.score_pad.sheet import rule

SAME_PLACE_MM = 3.0
FACES = range(1, 7)


def view(state: PadState, seat: str | None = None, past: Sequence[Action] = ()) -> dict[str, Any]:
    """The sheet as it stands; everything is open."""
    sheet, sides = state.sheet, range(len(state.sides))
    return {
        "way": sheet.way,
        "is_lowest": sheet.is_lowest,
        "goal": sheet.goal,
        "rounds": sheet.rounds,
        "is_down": sheet.is_down,
        "sides": [
            {"seats": list(state.sides[side]), "total": rules.total(state, side), "bonus": rules.bonus(state, side)}
            for side in sides
        ],
        "rows": [list(row) for row in state.rows],
        "bids": [list(row) for row in state.bids],
        "lines": [line.says for line in sheet.lines],
        "has_bonus": len(sheet.bonus) == 3,
        "open": list(rules.to_move(state)),
        "is_bidding": rules.is_bidding(state),
        "has_dice": sheet.dice > 0,
        "dice": list(state.thrown),
        "worth": dice.combos(state.thrown) if sheet.combos and state.thrown else None,
        "rolls_left": dice.ROLLS - state.rolls if sheet.is_lined and sheet.dice else None,
        "timer_s": sheet.timer or None,
        "has_won": rules.outcome(state) is not None,
    }


def hints(state: PadState, seat: str, **limits: Any) -> tuple[Hint[Action], ...]:
    """The best line for the dice, or what to keep of them, by exact expectation of the points above average."""
    sheet, now = state.sheet, rules.open_sides(state)
    if not (sheet.is_lined and state.thrown and now and seat in state.sides[now[0]]):
        return ()
    lines = [(at, line) for at, line in enumerate(sheet.lines) if state.rows[at][now[0]] is None and line.rule]
    if not lines:
        return ()
    keep, place, ahead = dice.best([line.rule for _, line in lines], state.thrown, dice.ROLLS - state.rolls)
    at, line = lines[place]
    why = (Says("{value} compared with an average line", {"value": f"{ahead:+.1f}"}),)
    if keep is not None:
        kept = Says("keep {names} and roll the others", {"names": " ".join(map(str, keep))})
        return (Hint(seat, None, None, kept if keep else Says("roll all dice again"), why, rule("Dice")),)
    points = dice.points_of(line.rule, state.thrown)
    text = Says("write {line}: {n}", {"line": line.says, "n": points})
    return (Hint(seat, None, f"line {at}", text, why, rule("Dice")),)


def interpret(
    state: PadState, reading: BoardReading, past: Sequence[Action] = ()
) -> Proposal[Action] | Doubt[Action] | None:
    """The dice in the tray, if they have been thrown again."""
    tray = sorted((die for die in reading.dice if die.in_tray), key=lambda die: (die.value or 0, die.x_mm, die.y_mm))
    if not state.sheet.dice or not tray or rules.outcome(state) is not None:
        return None
    places = tuple((die.x_mm, die.y_mm) for die in tray)
    shown = [die.value if die.value is not None and die.confidence >= SURE else None for die in tray]
    known = tuple(value for value in shown if value is not None)
    before = next((action for action in past if isinstance(action, Rolled)), None)
    if len(known) == len(shown):
        rolled = Rolled(known, places)
        return None if before is not None and not has_moved(before, rolled) else Proposal((rolled,), rules.says(rolled))
    if len(shown) - len(known) > 1:
        raise NotYet(Says("several dice cannot be read: move them apart"), rule("Dice"))
    at = shown.index(None)

    def with_face(face: int) -> Rolled:
        each = sorted(zip((*shown[:at], face, *shown[at + 1 :]), places, strict=True), key=lambda one: one[0] or 0)
        return Rolled(tuple(value or 0 for value, _ in each), tuple(place for _, place in each))

    faces: list[Choice[Action]] = [Choice(str(face), Says("a {n}", {"n": face}), with_face(face)) for face in FACES]
    again: Choice[Action] = Choice("again", Says("roll that die again"))
    question = Says("What does the die show that cannot be read?")
    return Doubt("die", question, (*faces, again), rule("Dice"), places_mm=(("die", *places[at]),))


def has_moved(before: Action, after: Action) -> bool:
    """Whether a die has a new place or shows another face. Only taking a die away does not count as a roll."""
    if not isinstance(before, Rolled) or not isinstance(after, Rolled) or len(after.at_mm) != len(after.dice):
        return before != after
    left = list(zip(before.dice, before.at_mm, strict=False))
    for value, at_mm in zip(after.dice, after.at_mm, strict=True):
        stayed = next((one for one in left if one[0] == value and math.dist(one[1], at_mm) <= SAME_PLACE_MM), None)
        if stayed is None:
            return True
        left.remove(stayed)
    return False
