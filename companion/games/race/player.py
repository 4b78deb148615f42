"""The race games: the die is thrown into the tray, markers go where the rules send them."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from companion.game.table import Placed
from companion.games.race.state import DieRolled

HINT_MS = 20.0
ROLL_SEEN = 0.2
"""Rate of presses after the roll, in addition to those after the move."""


class RacePlayer:
    def __init__(self, at: Any) -> None:
        self._at = at
        self._game = self._at.game
        dice = [piece["id"] for piece in self._at.table.state()["pieces"] if piece["kind"] == "die"]
        for die in dice[1:]:  # everybody throws the same die
            self._at.table.remove(die)

    @property
    def troubles(self) -> tuple[Any, ...]:
        return (self._at.hand, self._at.dim_light, self._at.bump, self.cocked_die, self.marker_gone, self.wrongly_moved)

    def next(self, state: Any) -> Sequence[Any]:
        seat = self._game.rules.to_move(state)[0]
        if state.die is None:
            roll = DieRolled(seat, self._at.random.randint(1, 6))
            after = self._game.rules.apply(state, roll).state
            if state.rolling or after.die is None or self._at.random.random() < ROLL_SEEN:
                return (roll,)
            return (roll, self._chosen(after, seat))
        return (self._chosen(state, seat),)

    def _chosen(self, state: Any, seat: str) -> Any:
        hints = self._game.page.hints(state, seat, within_ms=HINT_MS, seed=self._at.random.randrange(2**31))
        best = next((hint.action for hint in hints if hint.action is not None), None)
        return best if best is not None else self._game.rules.legal(state)[0].action

    def perform(self, state: Any, action: Any) -> None:
        if not hasattr(action, "color"):
            self.roll(action.value)
            return
        for id, lay in self._carried(state, action):
            spread = self._at.random.gauss
            self._at.table.move(id, lay.x_mm + spread(0, 1.0), lay.y_mm + spread(0, 1.0))
            self._at.rest()  # half a move must not be entered

    def _carried(self, state: Any, action: Any) -> Iterator[tuple[str, Placed]]:
        """The markers that an action moves, each with its new place."""
        after = self._game.rules.apply(state, action).state
        # undoing the step in reverse makes it; a marker that stands in another's place goes first
        for thing in sorted(self._game.table.put_back(after, state), key=lambda thing: self._is_taken(thing.lay)):
            yield self._nearest(thing.lies), thing.lay

    def roll(self, value: int, *, is_cocked: bool = False) -> None:
        self._at.table.roll(value=value, is_cocked=is_cocked)
        self._at.clock.wait(3.0)  # by then it has settled

    def _tokens(self) -> list[dict[str, Any]]:
        return [piece for piece in self._at.table.state()["pieces"] if piece["color"] and piece["kind"] == "token"]

    def _nearest(self, to: Placed) -> str:
        own = [piece for piece in self._tokens() if piece["color"] == to.color]
        return str(min(own, key=lambda piece: math.hypot(piece["x_mm"] - to.x_mm, piece["y_mm"] - to.y_mm))["id"])

    def _is_taken(self, place: Placed) -> bool:
        return any(math.hypot(p["x_mm"] - place.x_mm, p["y_mm"] - place.y_mm) < p["size_mm"] for p in self._tokens())

    def cocked_die(self, state: Any, actions: Sequence[Any]) -> bool:
        """The die leans on the tray's edge, and is rolled again."""
        if state.die is not None:
            return bool(self._at.bump(state, actions))
        self.roll(self._at.random.randint(1, 6), is_cocked=True)
        view = self._at.press()
        if view.question is None:
            return bool(self._at.match.state == self._at.state)
        self._at.played.questions += 1
        again = next(choice.key for choice in view.question.choices if choice.key == "again")
        self._at.answers(again)
        return True

    def marker_gone(self, state: Any, actions: Sequence[Any]) -> bool:
        """A marker is knocked off the board, and put back after the press."""
        token = self._at.random.choice(self._tokens())
        self._at.table.remove(token["id"])
        place = token["kind"], token["color"], token["x_mm"], token["y_mm"]
        return bool(self._at.asked_in_vain(lambda: self._at.table.place(*place)))

    def wrongly_moved(self, state: Any, actions: Sequence[Any]) -> bool:
        """A marker is moved by a different number than was rolled, and put back after the press."""
        if state.die is None:
            return False
        legal = {move.action for move in self._game.rules.legal(state)}
        for value in self._at.random.sample(range(1, 7), 6):
            rolled = replace(state, die=value)
            for action in (move.action for move in self._game.rules.legal(rolled)):
                if action not in legal and not action.sent_back:
                    before = self._at.table.saved()
                    for id, lay in self._carried(rolled, action):
                        self._at.table.move(id, lay.x_mm, lay.y_mm)
                    return bool(self._at.asked_in_vain(partial(self._at.table.restore, before)))
        return False
