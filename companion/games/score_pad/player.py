"""The score pad: people write random scores that the rules allow. Where the preset has dice, they lie in the tray."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from companion.game.errors import CompanionError
from companion.game.game import tapped
from companion.game.values import Asks, Move
from companion.games.score_pad.dice import ROLLS
from companion.games.score_pad.rules import Rolled, total
from companion.games.score_pad.sheet import SEATS

ROLLED, CHANGED = 0.6, 0.04
"""Rates of a roll (or another roll), and of changed numbers."""
LONG = 12
"""Rounds after which people end a match that has no other end."""
USUAL = (-10, 40)
"""Points of a turn, unless the goal is far away."""
SPREAD_MM, JITTER_MM = 45.0, 8.0


class PadPlayer:
    def __init__(self, at: Any) -> None:
        self._at = at
        self._tap: tuple[str, dict[str, str]] = ("", {})
        self._beside = {p["id"]: (p["x_mm"], p["y_mm"]) for p in at.table.state()["pieces"] if p["kind"] == "die"}

    @property
    def troubles(self) -> tuple[Any, ...]:
        return (self._at.hand, self._at.dim_light, self._at.bump)

    def next(self, state: Any) -> Sequence[Any]:
        sheet, chance = state.sheet, self._at.random
        if sheet.dice and chance.random() < ROLLED and not (sheet.is_lined and state.rolls == ROLLS):
            count = sheet.dice if sheet.is_lined else chance.randint(1, sheet.dice)
            return (Rolled(tuple(sorted(chance.choices(range(1, 7), k=count)))),)
        moves = {move.move: move for move in self._at.game.rules.legal(state)}
        if "close" in moves and len(state.rows) >= LONG and not sheet.is_lined:
            return self._chosen(state, moves["close"])
        change = moves.pop("change", None)
        moves.pop("close", None)
        if change is not None and chance.random() < CHANGED:
            return self._chosen(state, change)
        return self._chosen(state, chance.choice(list(moves.values())))

    def _chosen(self, state: Any, move: Move[Any]) -> Sequence[Any]:
        """The action of a move with random values that the rules allow."""
        while True:
            values = {ask.key: self._value(state, move, ask) for ask in move.asks}
            try:
                action = tapped(self._at.game, state, move.seats[0], move.move, values)
                self._at.game.rules.apply(state, action)
            except CompanionError:  # nothing is written in that row
                continue
            self._tap = move.move, values
            return (action,)

    def _value(self, state: Any, move: Move[Any], ask: Asks) -> str:
        chance = self._at.random
        if ask.span is None:
            return str(chance.choice([choice.key for choice in ask.choices]))
        least, most = ask.span
        if ask.key != "points":
            return str(chance.randint(least, most))
        goal = state.sheet.goal or 0
        top = min(most, max(USUAL[1], abs(goal - state.sheet.begins) // 10))
        if state.sheet.is_down and move.move.startswith("write "):
            left = total(state, state.side_of(move.move.removeprefix("write ")))
            if left <= top:  # the last throw has to fit
                return str(left if chance.random() < ROLLED else chance.randint(least, top))
        return str(chance.randint(max(least, USUAL[0]), top))

    def perform(self, state: Any, action: Any) -> None:
        if isinstance(action, Rolled):
            self._lay(action.dice)
        else:
            self._at.tap(self._at.random.choice(SEATS[: state.seats]), *self._tap)

    def _lay(self, dice: Sequence[int]) -> None:
        table = self._at.table
        left_mm, top_mm, right_mm, bottom_mm = table.kit.mat.areas_mm["tray_mm"]
        places = [
            ((left_mm + right_mm) / 2 + SPREAD_MM * column, (top_mm + bottom_mm) / 2 + SPREAD_MM * row)
            for row, column in product((-0.5, 0.5), (-1, 0, 1))
        ]
        for place, (id, beside) in zip(self._at.random.sample(places, len(places)), self._beside.items(), strict=True):
            value = dice[list(self._beside).index(id)] if list(self._beside).index(id) < len(dice) else None
            if value is None:
                table.move(id, *beside)
                continue
            spread = self._at.random.uniform
            table.move(id, *(mm + spread(-JITTER_MM, JITTER_MM) for mm in place))
            for axis, sign in product(range(3), (1, -1)):
                if self._dice()[id]["value"] == value:
                    break
                table.face_up(id, axis, sign)

    def _dice(self) -> Mapping[str, dict[str, Any]]:
        return {piece["id"]: piece for piece in self._at.table.state()["pieces"]}
