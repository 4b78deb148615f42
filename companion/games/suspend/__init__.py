"""Suspend: the declaration. `rules` judge events, `rounds` deal and close, `duel` reverses the order of the game.

First called is `start` (rules), then `apply` with events from `state`; `positions` judges what was observed, `notation`
writes it down, `reading` infers from the eyes, `view` is what phones show, `hints` what is at risk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.game.game import (
    Applied,
    Correctable,
    Doubt,
    Explanation,
    Fault,
    Game,
    Hint,
    JsonObject,
    Move,
    Outcome,
    Proposal,
    PutBack,
)
from companion.game.parts import AsksPeople, ChecksTable, SeesTable
from companion.game.says import Says
from companion.games.suspend import moves, notation, positions, rules
from companion.games.suspend.hints import hints
from companion.games.suspend.house import OPTIONS, TITLE
from companion.games.suspend.reading import interpret, is_same
from companion.games.suspend.state import Event, Hung, Phase, Rolled, SuspendState
from companion.games.suspend.view import view


class Suspend(
    Game[SuspendState, Event],
    SeesTable[SuspendState, Event],
    ChecksTable[SuspendState],
    AsksPeople[SuspendState, Event],
):
    """Suspend for one to four, A to D clockwise."""

    name = "suspend"
    reader = "rods"
    title = TITLE
    state_type = SuspendState
    action_type = Event
    options = OPTIONS

    def start(
        self, seats: int | None = None, options: Mapping[str, str] | None = None, board: str | None = None
    ) -> SuspendState:
        return rules.start(seats, options, board)

    def seats(self, state: SuspendState) -> tuple[str, ...]:
        return state.seats

    def to_move(self, state: SuspendState) -> tuple[str, ...]:
        return () if state.phase is Phase.OVER else (state.turn,)

    def legal(self, state: SuspendState) -> tuple[Move[Event], ...]:
        return moves.legal(state)

    def apply(self, state: SuspendState, action: Event) -> Applied[SuspendState]:
        return rules.apply(state, action)

    def asked_action(
        self, state: SuspendState, move: Move[Event], seat: str, values: Mapping[str, str]
    ) -> Event | None:
        return moves.asked_event(state, move, values)

    def explain(self, state: SuspendState, action: Event) -> Explanation:
        return moves.explain(state, action)

    def status(self, state: SuspendState) -> tuple[Fault, ...]:
        return positions.faults(state)

    def score(self, state: SuspendState) -> Mapping[str, float]:
        return moves.score(state)

    def standing(self, state: SuspendState) -> Mapping[str, Says]:
        return moves.standing(state)

    def outcome(self, state: SuspendState) -> Outcome | None:
        return moves.outcome(state)

    def view(self, state: SuspendState, seat: str | None) -> JsonObject:
        return view(state)

    def hints(
        self, state: SuspendState, seat: str, *, within_ms: float = 300.0, seed: int = 0, playouts: int | None = None
    ) -> tuple[Hint[Event], ...]:
        return hints(state, seat)

    def interpret(
        self, state: SuspendState, reading: Any, before: Event | None = None
    ) -> Proposal[Event] | Doubt[Event] | None:
        return interpret(state, reading, before)

    tells_whole_turns = True

    def is_whole(self, state: SuspendState, actions: Sequence[Event]) -> bool:
        return True  # a rod in the hand hangs nowhere and lies in no pile: that is asked, and never proposed

    def has_moved(self, before: Event, after: Event) -> bool:
        return before != after and not is_same(before, after)

    def remembers(self, action: Event) -> bool:
        return isinstance(action, Rolled)

    def question(self, state: SuspendState) -> Doubt[Event] | None:
        return rules.question(state)

    def is_amendable(self, action: Event) -> bool:
        return isinstance(action, Rolled | Hung)

    def amended(self, action: Event, fact: str, value: str) -> Event:
        found = moves.amended(action, fact, value)
        return found if found is not None else super().amended(action, fact, value)

    def corrections(self, state: SuspendState, before: SuspendState, action: Event) -> tuple[Correctable, ...]:
        return moves.corrections(before, action)

    def says_fact(self, action: Event, fact: str, value: str) -> Says:
        found = moves.amended(action, fact, value)
        return moves.says(found) if found is not None else super().says_fact(action, fact, value)

    def says(self, action: Event) -> Says:
        return moves.says(action)

    def put_back(self, before: SuspendState, after: SuspendState) -> tuple[PutBack, ...]:
        return moves.put_back(before, after)

    def state_text(self, state: SuspendState) -> str:
        return notation.state_text(state)

    def state_of_text(self, text: str) -> SuspendState:
        return notation.state_of_text(text)

    def action_text(self, action: Event) -> str:
        return notation.event_text(action)

    def action_of_text(self, text: str, state: SuspendState | None = None) -> Event:
        return notation.event_of_text(text)


GAME = Suspend()
