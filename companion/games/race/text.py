"""The text of a race game's states and actions, both ways, and actions in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companion.game.board import board_of_text
from companion.game.brought import board_text
from companion.game.errors import NotationError
from companion.game.says import Says
from companion.game.whole import whole_of
from companion.games.race import core as engine
from companion.games.race import notation, set_right
from companion.games.race.sheet import RaceSheet, tables_of
from companion.games.race.state import Action, DieRolled, Moved, PositionSet, RaceState, RollCorrected, RollDeclined
from companion.games.race.states import blank, core_of, pieces_of_position, seat_named


def move_text(sheet: RaceSheet, core: engine.Core[Any], action: Moved) -> str:
    """The move as the command line writes it: the colour before it only where the seat moves two."""
    with_color = len(core.t.colors_of_seat[core.turn]) > 1
    return _written(sheet, action, with_color=with_color)


def _written(sheet: RaceSheet, action: Moved, *, with_color: bool) -> str:
    verb = (sheet.verb(action) or "enter") if action.origin == sheet.home else None
    parts = notation.MoveText(
        action.color[0] if with_color else None,
        verb,
        None if verb else action.origin,
        action.to,
        tuple(color[0] for color in action.sent_back),
    )
    return notation.move_text(parts)


def action_text(sheet: RaceSheet, action: Action) -> str:
    """The action as one short line."""
    if isinstance(action, DieRolled):
        return f"{action.seat[0]} d{action.value}"
    if isinstance(action, RollCorrected | PositionSet):
        pieces = action.pieces if isinstance(action, PositionSet) else {}
        return set_right.written(action, notation.position_of_spots(pieces))
    if isinstance(action, RollDeclined):
        return f"{action.seat[0]} {notation.DECLINE}"
    return _written(sheet, action, with_color=True)


def action_of_text(sheet: RaceSheet, text: str, state: RaceState | None = None) -> Action:
    """The action in a line. Raises: NotationError."""
    words = {color[0]: color for color in (tables_of(sheet, state).colors if state else _default_colors(sheet))}
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
    declined = notation.parse_decline(text) if sheet.may_decline else None
    if declined:
        return RollDeclined(words.get(declined, declined))
    move = notation.parse_move(text)
    if move is None:
        other = f", 'r {notation.DECLINE}'" if sheet.may_decline else ""
        raise NotationError(
            f"the action is {text!r}, expected a roll such as 'r d4'{other} or a move such as 'r A8-A12'", "action"
        )
    if move.color is None and state is not None:
        return _only_color(sheet, text, move, words, state)
    if move.color is None:
        raise NotationError(f"the move {text!r} does not say whose, expected the colour's letter first", "color")
    return _action_of_parts(sheet, move, words.get(move.color, move.color), words)


def _only_color(
    sheet: RaceSheet, text: str, move: notation.MoveText, words: Mapping[str, str], state: RaceState
) -> Moved:
    core = core_of(sheet, state)
    colors = [core.t.colors[c] for c in sheet.colors_to_move(core)]
    origin = sheet.home if move.verb else move.origin
    there = [c for c in colors if origin in [spot.removesuffix("!") for spot in state.pieces[c]]] or colors
    if len(there) > 1:
        raise NotationError(
            f"the move {text!r} may be {' or '.join(there)}, expected the colour's letter first", "color"
        )
    return _action_of_parts(sheet, move, there[0], words)


def _action_of_parts(sheet: RaceSheet, move: notation.MoveText, color: str, words: Mapping[str, str]) -> Moved:
    origin = sheet.home if move.verb else (move.origin or "")
    return sheet.moved(color, origin, move.to, tuple(words.get(letter, letter) for letter in move.sent))


def _default_colors(sheet: RaceSheet) -> tuple[str, ...]:
    usual = {option.key: option.default for option in sheet.options}
    return board_of_text(board_text(sheet.board_name(usual))).colors


def state_text(sheet: RaceSheet, state: RaceState) -> str:
    """The state as one short line."""
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
    if state.count:
        parts.append(f"count {state.count}")
    parts += [f"{o.key}={state.options[o.key]}" for o in sheet.options if state.options[o.key] != o.default]
    if state.board_file is not None:
        parts.append("board " + json.dumps(state.board_file))
    return " | ".join(parts)


def state_of_text(sheet: RaceSheet, text: str) -> RaceState:
    """The state in a line. Raises: NotationError."""
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
        elif gap and key in ("rolling", "first", "turn", "die", "held", "count") and key not in told:
            told[key] = value
        else:
            raise NotationError(f"the state has {part!r}, expected a part such as 'turn r' or 'die 4'", key)
    start = blank(sheet, None, given, _board_json(board))
    state = replace(start, pieces=pieces_of_position(sheet, position, start))
    return replace(state, **_told_parts(sheet, told, state))


def _told_parts(sheet: RaceSheet, told: Mapping[str, str], state: RaceState) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    if "rolling" in told:
        parts["rolling"] = tuple(seat_named(sheet, word, state) for word in told["rolling"].split())
    if "first" in told:
        rolls = told["first"].split()
        parts["first_rolls"] = {seat_named(sheet, word[0], state): _digit(word[1:], "first") for word in rolls}
    if "turn" in told:
        parts["turn"] = seat_named(sheet, told["turn"], state)
    if "die" in told:
        parts["die"] = _digit(told["die"], "die")
    if "again" in told:
        parts["again"] = True
    if "held" in told:
        held = [_digit(word, "held") for word in told["held"].split(",")]
        if any(value != engine.SIX for value in held):
            raise NotationError(f"held is {told['held']}, expected sixes only, as in 6,6", "held")
        parts["held"] = len(held)
    if "count" in told:
        parts["count"] = _digit(told["count"], "count")
    return parts


def sentence(sheet: RaceSheet, action: Moved) -> Says:
    """A move in words."""
    values = {"color": action.color, "origin": action.origin, "to": action.to, "piece": sheet.piece}
    if action.origin == sheet.home:
        return Says("bring out a {color} piece to {to}", values)
    return Says("{color} piece from {origin} to {to}", values)


def says(sheet: RaceSheet, action: Action) -> Says:
    """The action in words."""
    if isinstance(action, RollCorrected | PositionSet):
        return set_right.says(action)
    if isinstance(action, DieRolled):
        return Says("{seat} rolls a {value}", {"seat": action.seat, "value": action.value})
    if isinstance(action, RollDeclined):
        return Says("{seat} does not roll again", {"seat": action.seat})
    return sentence(sheet, action)


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
