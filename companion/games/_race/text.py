"""The text of a race game's states and actions, both ways."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companion.game.board import SHIPPED, board_of_text, board_text
from companion.game.errors import NotationError
from companion.game.whole import whole_of
from companion.games._race import core as engine
from companion.games._race import notation, set_right
from companion.games._race.setup import Action, RaceSetup
from companion.games._race.state import DieRolled, Moved, PositionSet, RaceState, RollCorrected, RollDeclined


class RaceText(RaceSetup):
    """Prints and parses states and actions."""

    def move_text(self, core: engine.Core, action: Moved) -> str:
        """The move as the command line writes it: the colour before it only where the seat moves two."""
        with_color = len(core.tables.colors_of_seat[core.turn]) > 1
        return self._written(action, with_color=with_color)

    def _written(self, action: Moved, *, with_color: bool) -> str:
        verb = self._verb(action)
        parts = notation.MoveText(
            action.color[0] if with_color else None,
            verb,
            None if verb else action.origin,
            action.to,
            tuple(color[0] for color in action.sent_back),
        )
        return notation.move_text(parts)

    def _verb(self, action: Moved) -> str | None:
        return "enter" if action.origin == self.home else None

    def action_text(self, action: Action) -> str:
        if isinstance(action, DieRolled):
            return f"{action.seat[0]} d{action.value}"
        if isinstance(action, RollCorrected | PositionSet):
            pieces = action.pieces if isinstance(action, PositionSet) else {}
            return set_right.written(action, notation.position_of_spots(pieces))
        if isinstance(action, RollDeclined):
            return f"{action.seat[0]} {notation.DECLINE}"
        return self._written(action, with_color=True)

    def action_of_text(self, text: str, state: RaceState | None = None) -> Action:
        words = {color[0]: color for color in (self.tables(state).colors if state else self._default_colors())}
        told = text.removeprefix("set ") if text.startswith("set ") else ""
        spots = {words.get(letter, letter): of for letter, of in notation.spots_of_position(told).items()}
        corrected = set_right.parsed(text, words, spots or None)
        if corrected is not None:
            return corrected
        roll = notation.parse_roll(text)
        if roll:
            letter, value = roll
            seat = words.get(letter, letter) if letter else (state.turn if state else None)
            if seat is None:
                raise NotationError(f"the roll {text!r} does not say whose, expected the seat's letter first", "seat")
            return DieRolled(seat, value)
        declined = notation.parse_decline(text) if self.may_decline else None
        if declined:
            return RollDeclined(words.get(declined, declined))
        move = notation.parse_move(text)
        if move is None:
            other = f", 'r {notation.DECLINE}'" if self.may_decline else ""
            raise NotationError(
                f"the action is {text!r}, expected a roll such as 'r d4'{other} or a move such as 'r A8-A12'", "action"
            )
        if move.color is None and state is not None:
            return self._only_color(text, move, words, state)
        if move.color is None:
            raise NotationError(f"the move {text!r} does not say whose, expected the colour's letter first", "color")
        return self._action_of_parts(move, words.get(move.color, move.color), words)

    def _only_color(self, text: str, move: notation.MoveText, words: Mapping[str, str], state: RaceState) -> Moved:
        core = self.core(state)
        colors = [core.tables.colors[c] for c in self.colors_to_move(core)]
        origin = self.home if move.verb else move.origin
        there = [c for c in colors if origin in [spot.removesuffix("!") for spot in state.pieces[c]]] or colors
        if len(there) > 1:
            raise NotationError(
                f"the move {text!r} may be {' or '.join(there)}, expected the colour's letter first", "color"
            )
        return self._action_of_parts(move, there[0], words)

    def _action_of_parts(self, move: notation.MoveText, color: str, words: Mapping[str, str]) -> Moved:
        origin = self.home if move.verb else (move.origin or "")
        return self.moved(color, origin, move.to, tuple(words.get(letter, letter) for letter in move.sent))

    def _default_colors(self) -> tuple[str, ...]:
        return board_of_text(board_text(next(n for n, game in SHIPPED.items() if game == self.name))).colors

    def state_text(self, state: RaceState) -> str:
        parts = [notation.position_of_spots(state.pieces)]
        if state.rolling:
            parts.append("rolling " + " ".join(seat[0] for seat in state.rolling))
        if state.first_rolls:
            parts.append("first " + " ".join(f"{seat[0]}{value}" for seat, value in state.first_rolls.items()))
        if state.turn:
            parts.append(f"turn {state.turn[0]}")
        if state.die is not None:
            parts.append(f"die {state.die}")
        if state.again:
            parts.append("again")
        if state.held:
            parts.append("held " + ",".join([str(engine.SIX)] * state.held))
        parts += [f"{o.key}={state.options[o.key]}" for o in self.options if state.options[o.key] != o.default]
        if state.board_file is not None:
            parts.append("board " + json.dumps(state.board_file))
        return " | ".join(parts)

    def state_of_text(self, text: str) -> RaceState:
        text, _, board = text.partition(" | board ")
        position, *rest = (part.strip() for part in text.split("|"))
        told: dict[str, str] = {}
        given: dict[str, str] = {}
        for part in rest:
            key, gap, value = part.partition(" ")
            option, equals, choice = part.partition("=")
            if equals:
                given[option] = choice
            elif part == "again" and part not in told:
                told[part] = ""
            elif gap and key in ("rolling", "first", "turn", "die", "held") and key not in told:
                told[key] = value
            else:
                raise NotationError(f"the state has {part!r}, expected a part such as 'turn r' or 'die 4'", key)
        blank = self._blank(None, given, _board_json(board))
        state = replace(blank, pieces=self._pieces_of_position(position, blank))
        return replace(state, **self._told_parts(told, state))

    def _told_parts(self, told: Mapping[str, str], state: RaceState) -> dict[str, Any]:
        parts: dict[str, Any] = {}
        if "rolling" in told:
            parts["rolling"] = tuple(self._seat_named(word, state) for word in told["rolling"].split())
        if "first" in told:
            rolls = told["first"].split()
            parts["first_rolls"] = {self._seat_named(word[0], state): _digit(word[1:], "first") for word in rolls}
        if "turn" in told:
            parts["turn"] = self._seat_named(told["turn"], state)
        if "die" in told:
            parts["die"] = _digit(told["die"], "die")
        if "again" in told:
            parts["again"] = True
        if "held" in told:
            held = [_digit(word, "held") for word in told["held"].split(",")]
            if any(value != engine.SIX for value in held):
                raise NotationError(f"held is {told['held']}, expected sixes only, as in 6,6", "held")
            parts["held"] = len(held)
        return parts


def _digit(word: str, key: str) -> int:
    number = whole_of(word, most=9)
    if number is None:
        raise NotationError(f"{key} has {word!r}, expected a number of the die", key)
    return number


def _board_json(text: str) -> str | None:
    if not text:
        return None
    try:
        board = json.loads(text)
    except json.JSONDecodeError as error:
        raise NotationError(f"the board is not a quoted board file ({error})", "board") from error
    if not isinstance(board, str):
        raise NotationError("the board is not a quoted board file", "board")
    return board
