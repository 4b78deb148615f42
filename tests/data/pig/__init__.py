"""Pig with one die, in a folder of its own: what `docs/new_game.md` makes step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from companion.game.errors import NotationError
from companion.game.game import (
    Applied,
    Choice,
    Doubt,
    Explanation,
    Fault,
    Game,
    Hint,
    Illegal,
    JsonObject,
    Move,
    Option,
    Outcome,
    Proposal,
    Ruling,
)
from companion.game.parts import PlaysItself, SeesTable
from companion.game.readings import SURE, BoardReading
from companion.game.says import Says

SEATS = ("A", "B", "C", "D")
SAME_PLACE_MM = 2.0


def rule(paragraph: int) -> str:
    """How a paragraph is cited."""
    return f"Pig, Play {paragraph}"


class Rolled(msgspec.Struct, frozen=True, tag_field="type", tag="rolled", omit_defaults=True):
    """The die came to rest, at a place where a camera saw it."""

    seat: str
    value: int
    at_mm: tuple[float, float] | None = None


class Banked(msgspec.Struct, frozen=True, tag_field="type", tag="banked"):
    """A player takes the points of this turn."""

    seat: str


Action = Rolled | Banked


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The scores, whose turn it is, and the sum of this turn."""

    scores: Mapping[str, int]
    turn: str = "A"
    sum: int = 0
    goal: int = 30
    options: Mapping[str, str] = field(default_factory=dict)


class Pig(Game[State, Action], SeesTable[State, Action], PlaysItself):
    """Rolls until a one comes or the player banks."""

    name = "pig-2"
    title = "Pig"
    reader = "tray"
    state_type = State
    action_type = Action
    options = (Option("goal", "30", ("30", "100"), Says("How many points win?"), rule(4)),)

    def start(
        self, seats: int | None = None, options: Mapping[str, str] | None = None, board: str | None = None
    ) -> State:
        players = 2 if seats is None else seats
        if not 2 <= players <= len(SEATS):
            raise NotationError(f"seats is {seats}, expected 2 to {len(SEATS)}", "seats")
        goal = (options or {}).get("goal", "30")
        if goal not in self.options[0].choices:
            raise NotationError(f"option goal is {goal!r}, expected 30 or 100", "goal")
        return State(scores={seat: 0 for seat in SEATS[:players]}, goal=int(goal), options=dict(options or {}))

    def seats(self, state: State) -> tuple[str, ...]:
        return tuple(state.scores)

    def to_move(self, state: State) -> tuple[str, ...]:
        return () if self.outcome(state) else (state.turn,)

    def legal(self, state: State) -> tuple[Move[Action], ...]:
        if self.outcome(state):
            return ()
        seat = state.turn
        rolls: list[Move[Action]] = [
            Move(Rolled(seat, n), f"d{n}", Says("{seat} rolls a {value}", {"seat": seat, "value": n}), (), rule(1))
            for n in range(1, 7)
        ]
        banks = Says("{seat} banks {sum}", {"seat": seat, "sum": state.sum})
        bank: Move[Action] = Move(Banked(seat), "bank", banks, (), rule(3))
        return (*rolls, bank) if state.sum else tuple(rolls)

    def apply(self, state: State, action: Action) -> Applied[State]:
        explained = self.explain(state, action)
        if not explained.is_legal:
            raise Illegal(explained.says, explained.rule)
        seats = list(state.scores)
        following = seats[(seats.index(state.turn) + 1) % len(seats)]
        if isinstance(action, Banked):
            scores = {**state.scores, action.seat: state.scores[action.seat] + state.sum}
            now = replace(state, scores=scores, turn=following, sum=0)
            says = Says("{seat} has {score}", {"seat": action.seat, "score": scores[action.seat]})
            over = self.outcome(now)
            last = (Ruling(action.seat, over.says, over.rule),) if over else ()
            return Applied(now, (Ruling(action.seat, says, rule(3)), *last))
        if action.value == 1:
            lost = Says("a one: {seat} loses {sum}", {"seat": action.seat, "sum": state.sum})
            return Applied(replace(state, turn=following, sum=0), (Ruling(action.seat, lost, rule(2)),))
        now = replace(state, sum=state.sum + action.value)
        return Applied(now, (Ruling(action.seat, Says("{sum} in this turn", {"sum": now.sum}), rule(1)),))

    def explain(self, state: State, action: Action) -> Explanation:
        if self.outcome(state):
            return Explanation(False, Says("the game is over"), rule(4))
        if action.seat != state.turn:
            return Explanation(False, Says("it is the turn of {seat}", {"seat": state.turn}), rule(1))
        if isinstance(action, Banked) and not state.sum:
            return Explanation(False, Says("there is nothing to bank yet"), rule(3))
        return Explanation(True, self.says(action), rule(1))

    def status(self, state: State) -> tuple[Fault, ...]:
        if state.turn not in state.scores:
            return (Fault(Says("{turn} does not play", {"turn": state.turn}), rule(1), "turn"),)
        return ()

    def score(self, state: State) -> Mapping[str, float]:
        return {seat: float(score) for seat, score in state.scores.items()}

    def outcome(self, state: State) -> Outcome | None:
        for seat, score in state.scores.items():
            if score >= state.goal:
                points = {other: float(other == seat) for other in state.scores}
                says = Says("{seat} has {score} and wins", {"seat": seat, "score": score})
                return Outcome((seat,), says, rule(4), points)
        return None

    def view(self, state: State, seat: str | None) -> JsonObject:
        return {"scores": dict(state.scores), "turn": state.turn, "sum": state.sum, "goal": state.goal}

    def hints(
        self, state: State, seat: str, *, within_ms: float = 300.0, seed: int = 0, playouts: int | None = None
    ) -> tuple[Hint[Action], ...]:
        if seat != state.turn or self.outcome(state):
            return ()
        is_enough = state.sum >= 20 or state.scores[seat] + state.sum >= state.goal
        why = (Says("the next roll costs more on average than it brings"),) if is_enough else ()
        return (Hint(seat, Banked(seat) if is_enough else None, None, Says("bank" if is_enough else "roll"), why),)

    def interpret(
        self, state: State, reading: BoardReading, before: Action | None = None
    ) -> Proposal[Action] | Doubt[Action] | None:
        tray = [die for die in reading.dice if die.in_tray]
        if len(tray) != 1 or self.outcome(state):
            return None
        die = tray[0]
        at_mm = (die.x_mm, die.y_mm)
        if isinstance(before, Rolled) and before.at_mm is not None:
            apart_mm = max(abs(a - b) for a, b in zip(before.at_mm, at_mm, strict=True))
            if before.value == die.value and apart_mm <= SAME_PLACE_MM:
                return None
        if die.value is not None and die.confidence >= SURE:
            rolled = Rolled(state.turn, die.value, at_mm)
            return Proposal((rolled,), self.says(rolled))
        choices: list[Choice[Action]] = [
            Choice(str(n), Says("a {value}", {"value": n}), Rolled(state.turn, n)) for n in range(1, 7)
        ]
        again: Choice[Action] = Choice("again", Says("roll again"))
        return Doubt("roll", Says("what does the die show?"), (again, *choices), rule(1), places_mm=(("die", *at_mm),))

    def remembers(self, action: Action) -> bool:
        return isinstance(action, Rolled)

    def player(self, at: Any) -> Any:
        from .player import PigPlayer

        return PigPlayer(at)

    def says(self, action: Action) -> Says:
        if isinstance(action, Banked):
            return Says("{seat} banks", {"seat": action.seat})
        return Says("{seat} rolls a {value}", {"seat": action.seat, "value": action.value})

    def state_text(self, state: State) -> str:
        return msgspec.json.encode(state).decode()

    def state_of_text(self, text: str) -> State:
        return self.state_of_json(msgspec.json.decode(text))

    def action_text(self, action: Action) -> str:
        return f"{action.seat} bank" if isinstance(action, Banked) else f"{action.seat} d{action.value}"

    def action_of_text(self, text: str, state: State | None = None) -> Action:
        seat, _, what = text.partition(" ")
        if seat in SEATS and what == "bank":
            return Banked(seat)
        if seat in SEATS and what[:1] == "d" and what[1:] in "123456":
            return Rolled(seat, int(what[1:]))
        raise NotationError(f"the action is {text!r}, expected one such as 'A d4' or 'A bank'", "action")


GAME = Pig()
