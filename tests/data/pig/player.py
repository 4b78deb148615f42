"""How Pig plays itself at the virtual table: the die is thrown into the tray, a bank is tapped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

ROLLING_S = 3.0
ENOUGH = 12


class PigPlayer:
    """Banks at twelve points, or once they win."""

    troubles = ()

    def __init__(self, at: Any) -> None:
        self._at = at

    def next(self, state: Any) -> Sequence[Any]:
        is_enough = state.sum >= ENOUGH or state.scores[state.turn] + state.sum >= state.goal
        moves = {move.move: move.action for move in self._at.game.rules.legal(state)}
        return (moves["bank" if is_enough else f"d{self._at.random.randint(1, 6)}"],)

    def perform(self, state: Any, action: Any) -> None:
        if hasattr(action, "value"):
            self._at.table.roll(value=action.value, is_cocked=False)
            self._at.clock.wait(ROLLING_S)
        else:
            self._at.tap(action.seat, "bank")
