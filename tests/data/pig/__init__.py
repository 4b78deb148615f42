"""Pig with one die, in a folder of its own: what `docs/new_game.md` makes step by step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from companion.game import values
from companion.game.errors import NotationError
from companion.game.game import Eyes, Game, Page, Rules, Text
from companion.game.options import chosen
from companion.game.readings import SURE, BoardReading
from companion.game.says import Says

SEATS = ("A", "B", "C", "D")
SAME_PLACE_MM = 2.0
rule = "Pig, Play {}".format


class Rolled(msgspec.Struct, frozen=True, tag_field="type", tag="rolled", omit_defaults=True):
    """The die came to rest, at a place where a camera saw it."""

    seat: str
    value: int
    at_mm: tuple[float, float] = (0.0, 0.0)


class Banked(msgspec.Struct, frozen=True, tag_field="type", tag="banked"):
    """A player takes the points of this turn."""

    seat: str


Action = Rolled | Banked
Inferred = values.Proposal[Action] | values.Doubt[Action] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The scores, whose turn it is, and the sum of this turn."""

    scores: Mapping[str, int]
    turn: str = "A"
    sum: int = 0
    goal: int = 30


OPTIONS = (values.Option("goal", "30", ("30", "100"), Says("How many points win?"), rule(4)),)


def start(seats: int | None = None, options: Mapping[str, str] | None = None) -> State:
    players = 2 if seats is None else seats
    if not 2 <= players <= len(SEATS):
        raise NotationError(f"seats is {seats}, expected 2 to {len(SEATS)}", "seats")
    goal = chosen(OPTIONS, options or {}, "Pig")["goal"]
    return State(scores=dict.fromkeys(SEATS[:players], 0), goal=int(goal))


def legal(state: State) -> tuple[values.Move[Action], ...]:
    if outcome(state):
        return ()
    rolls = [Rolled(state.turn, n) for n in range(1, 7)]
    banks = [Banked(state.turn)] if state.sum else []
    moves: list[values.Move[Action]] = [values.Move(roll, f"d{roll.value}", says(roll), (), rule(1)) for roll in rolls]
    return (*moves, *(values.Move(bank, "bank", says(bank), (), rule(3)) for bank in banks))


def apply(state: State, action: Action) -> values.Applied[State]:
    if outcome(state):
        raise values.Illegal(Says("the game is over"), rule(4))
    if action.seat != state.turn:
        raise values.Illegal(Says("it is the turn of {seat}", {"seat": state.turn}), rule(1))
    following = SEATS[(SEATS.index(state.turn) + 1) % len(state.scores)]
    if isinstance(action, Rolled) and action.value == 1:
        lost = Says("a one: {seat} loses {sum}", {"seat": action.seat, "sum": state.sum})
        return values.Applied(replace(state, turn=following, sum=0), (values.Ruling(action.seat, lost, rule(2)),))
    if isinstance(action, Rolled):
        now = replace(state, sum=state.sum + action.value)
        return values.Applied(now, (values.Ruling(action.seat, Says("{sum} in this turn", {"sum": now.sum}), rule(1)),))
    if not state.sum:
        raise values.Illegal(Says("there is nothing to bank yet"), rule(3))
    scores = {**state.scores, action.seat: state.scores[action.seat] + state.sum}
    now = replace(state, scores=scores, turn=following, sum=0)
    told = Says("{seat} has {score}", {"seat": action.seat, "score": scores[action.seat]})
    over = outcome(now)
    last = (values.Ruling(action.seat, over.says, over.rule),) if over else ()
    return values.Applied(now, (values.Ruling(action.seat, told, rule(3)), *last))


def outcome(state: State) -> values.Outcome | None:
    for seat, score in state.scores.items():
        if score >= state.goal:
            told = Says("{seat} has {score} and wins", {"seat": seat, "score": score})
            return values.Outcome((seat,), told, rule(4), {other: float(other == seat) for other in state.scores})
    return None


def view(state: State, seat: str | None, past: Sequence[Action] = ()) -> values.JsonObject:
    return {"scores": dict(state.scores), "turn": state.turn, "sum": state.sum, "goal": state.goal}


def hints(state: State, seat: str, **limits: Any) -> tuple[values.Hint[Action], ...]:
    if seat != state.turn or outcome(state):
        return ()
    if state.sum < 20 and state.scores[seat] + state.sum < state.goal:
        return (values.Hint(seat, None, None, Says("roll")),)
    why = Says("the next roll costs more on average than it brings")
    return (values.Hint(seat, Banked(seat), None, Says("bank"), (why,)),)


def interpret(state: State, reading: BoardReading, past: Sequence[Action] = ()) -> Inferred:
    tray = [die for die in reading.dice if die.in_tray]
    if len(tray) != 1 or outcome(state):
        return None
    die, at_mm = tray[0], (tray[0].x_mm, tray[0].y_mm)
    before = next((action for action in past if isinstance(action, Rolled)), None)
    if before is not None and before.value == die.value and math.dist(before.at_mm, at_mm) <= SAME_PLACE_MM:
        return None
    if die.value is not None and die.confidence >= SURE:
        rolled = Rolled(state.turn, die.value, at_mm)
        return values.Proposal((rolled,), says(rolled))
    faces = [values.Choice(str(n), Says("a {value}", {"value": n}), Rolled(state.turn, n)) for n in range(1, 7)]
    choices = (values.Choice("again", Says("roll again")), *faces)
    return values.Doubt("roll", Says("what does the die show?"), choices, rule(1), places_mm=(("die", *at_mm),))


def says(action: Action) -> Says:
    if isinstance(action, Banked):
        return Says("{seat} banks", {"seat": action.seat})
    return Says("{seat} rolls a {value}", {"seat": action.seat, "value": action.value})


GAME: Game[State, Action] = Game(
    name="pig-2",
    title="Pig",
    options=OPTIONS,
    rules=Rules(
        start=start,
        to_move=lambda state: () if outcome(state) else (state.turn,),
        legal=legal,
        apply=apply,
        outcome=outcome,
        score=lambda state: {seat: values.Score(float(points)) for seat, points in state.scores.items()},
    ),
    text=Text(
        state_type=State,
        action_type=Action,
        says=says,
    ),
    page=Page(view=view, hints=hints),
    eyes=Eyes(reader="tray", interpret=interpret),
    player="player:PigPlayer",
)
