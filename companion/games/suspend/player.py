"""Suspend: the die is thrown, rods go from the piles to the stand, now and then some fall; a duel is tapped."""

from collections.abc import Callable, Sequence
from typing import Any

from companion.games.suspend.events import Fell, Hung, Removed, Rested, Rolled, Stopped
from companion.games.suspend.house import Mode
from companion.games.suspend.state import Phase

FALLS, MOST_FALLEN = 0.14, 2
"""Rate of falls after a hanging, and the maximum number of rods."""
STOPS = 0.02
"""Rate of agreements to stop, per turn."""
SOLO_RODS = 10
"""Rods after which a solo sculpture is finished."""
ROLLING_S = 3.0
ASTRAY_MM = (450.0, 590.0)
TELLS_AFTER = 3
"""Presses after which the player no longer lays the rods apart, but enters the move by tapping."""


class RodPlayer:
    def __init__(self, at: Any) -> None:
        self._at = at
        self._game = self._at.game
        self._round = 1
        self._actions: Sequence[Any] = ()

    @property
    def troubles(self) -> tuple[Any, ...]:
        return (self._at.hand, self._at.dim_light, self._at.bump, self.two_taken, self.left_astray)

    def next(self, state: Any) -> Sequence[Any]:
        self._deal(state)
        self._pick_up(state)
        self._actions = self._chosen(state)
        return self._actions

    def _chosen(self, state: Any) -> Sequence[Any]:
        chance, seat = self._at.random, state.turn
        if state.phase is Phase.ROLL:
            if state.hung.total and chance.random() < STOPS:
                return (Stopped(),)
            return (Rolled(seat, chance.choice(self._inks())),)
        if state.phase is Phase.REMOVE:
            return (Removed(seat, chance.choice(state.hung.pieces)),)
        if state.house.mode is Mode.SOLO and state.hung.total >= SOLO_RODS:
            return (Stopped(),)
        hangings = [move.action for move in self._game.rules.legal(state) if isinstance(move.action, Hung)]
        hung = chance.choice(hangings)
        actions: list[Any] = [hung]
        after = self._game.rules.apply(state, hung).state
        if state.house.mode is not Mode.SOLO and chance.random() < FALLS:
            count = min(after.hung.total, chance.randint(1, MOST_FALLEN))
            fell = Fell(seat, tuple(sorted(chance.sample(after.hung.pieces, count), key=after.hung.pieces.index)))
            actions.append(fell)
        return (*actions, Rested(seat))

    def perform(self, state: Any, action: Any) -> None:
        table = self._at.table
        match action:
            case Rolled(color=color):
                table.roll(value=self._inks().index(color) + 1, is_cocked=False)
                self._at.clock.wait(ROLLING_S)
            case Hung(seat=seat, color=color, source=source):
                table.hang(self._rod(color, self._zone(source or seat, state)))
            case Fell(pieces=pieces):
                for color in pieces:
                    table.lay(self._rod(color, "hung"), "stand")
            case Removed(seat=seat, color=color):
                self._tap(state, action)
                table.lay(self._rod(color, "hung"), self._zone(seat, state))
            case Stopped():
                self._tap(state, action)
            case _:
                pass  # no hands needed: the press itself reports it

    def lay_again(self, state: Any, action: Any, times: int) -> None:
        """Lays the rods apart. After `TELLS_AFTER` presses the player enters by tapping whatever is still missing."""
        if times < TELLS_AFTER:
            for rod in self._rods():
                if rod["zone"] not in ("hung", None):
                    self._at.table.lay(rod["id"], rod["zone"])
            return
        states = [self._at.state]
        for done in self._actions:
            states.append(self._game.rules.apply(states[-1], done).state)
        if self._at.match.state in states:
            for done in self._actions[states.index(self._at.match.state) :]:
                self._tap(self._at.match.state, done)

    def _tap(self, state: Any, action: Any) -> None:
        """Enters by tapping an action that no camera can see."""
        move, values = self._game.text.action(action), {}
        if isinstance(action, Fell):
            move = f"{action.seat} fell ..."
            values = {color: str(action.pieces.count(color)) for color in state.hung.colors}
        self._at.tap(state.turn, move, values)

    def _deal(self, state: Any) -> None:
        if state.round != self._round:
            self._round = state.round
            self._at.table.deal_rods([state.seats.index(seat) + 1 for seat in state.players])

    def _pick_up(self, state: Any) -> None:
        who = state.last_to_move
        for rod in self._rods():
            if rod["zone"] == "stand" and who is not None:
                self._at.table.lay(rod["id"], self._zone(who, state))

    def _rods(self) -> list[dict[str, Any]]:
        return list(self._at.table.truth().get("rods", []))

    def _inks(self) -> tuple[str, ...]:
        return tuple(self._at.table.kit.piece("color_die").colors)

    def _zone(self, source: str, state: Any) -> str:
        return source if source == "draw" else str(state.seats.index(source) + 1)

    def _rod(self, color: str, zone: str) -> str:
        return str(next(rod["id"] for rod in self._rods() if (rod["color"], rod["zone"]) == (color, zone)))

    def two_taken(self, state: Any, actions: Sequence[Any]) -> bool:
        """A player takes two rods from the piles at once, then puts them back."""
        return self._misplaced(state, actions, 2, self._at.table.remove)

    def left_astray(self, state: Any, actions: Sequence[Any]) -> bool:
        """A player leaves a rod outside of all piles, then puts it back."""
        return self._misplaced(state, actions, 1, lambda id: self._at.table.move(id, *ASTRAY_MM))

    def _misplaced(self, state: Any, actions: Sequence[Any], count: int, misplace: Callable[[str], None]) -> bool:
        """Some rods of piles are misplaced before a hanging."""
        if not isinstance(actions[0], Hung):
            return bool(self._at.bump(state, actions))
        before = self._at.table.saved()
        loose = [rod["id"] for rod in self._rods() if rod["zone"] not in ("hung", "stand", None)]
        for id in self._at.random.sample(loose, min(count, len(loose))):
            misplace(id)
        return bool(self._at.asked_in_vain(lambda: self._at.table.restore(before)))
