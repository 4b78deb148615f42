"""States and actions of any game as JSON, and a tapped move as its action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from companion.game.errors import NotationError
from companion.game.game import Game
from companion.game.misfit import converted, spoken
from companion.game.plain_json import named
from companion.game.says import Says
from companion.game.values import Illegal, JsonObject

S = TypeVar("S")
A = TypeVar("A")


def state_json(game: Game[S, Any], state: S) -> JsonObject:
    """The state as JSON values, with the game's name in it."""
    return {"game": game.name, **msgspec.to_builtins(state, str_keys=True)}


def state_of_json(game: Game[S, Any], data: Any) -> S:
    """The state in JSON values. Raises: NotationError that names the field."""
    if not isinstance(data, dict):
        raise NotationError(f"the state is {named(data)}, expected a JSON object", "$")
    name = data.get("game", game.name)
    if name != game.name:
        raise NotationError(f"the state belongs to {name}, expected one of {game.name}", "game")
    told = {k: v for k, v in data.items() if k not in ("game", "rulings")}
    state = converted(told, game.text.state_type, "state")
    _check_read(told, msgspec.to_builtins(state, str_keys=True), "$")
    checked: S = game.text.checked(state)
    return checked


def action_json(action: object) -> Any:
    """The action as JSON values."""
    return msgspec.to_builtins(action, str_keys=True)


def action_of_json(game: Game[Any, A], data: Any) -> A:
    """The action in JSON values (an object, or its short text). Raises: NotationError that names the field."""
    if isinstance(data, str):
        return game.text.action_of(data, None)
    checked: A = game.text.checked(converted(data, game.text.action_type, "action"))
    return checked


def tapped(game: Game[S, A], state: S, seat: str, move: str, values: Mapping[str, str]) -> A:
    """The action of a listed move, as a person at `seat` tapped it, with the values that it asks for.

    Raises: Illegal if it is not offered to that seat, or only the table can show it; NotationError for values that it
    does not ask for.
    """
    rules = game.rules
    found = next((m for m in rules.legal(state) if m.move == move and seat in (m.seats or rules.to_move(state))), None)
    if found is None:
        words = "{move} is not open to {seat} now: choose one of the moves shown"
        raise Illegal(Says(words, {"move": move, "seat": seat}), "")
    for asked in found.asks:
        given = values.get(asked.key)
        if not asked.allows(given):
            raise NotationError(f"{asked.key} is {given!r}, expected {asked.expected}", asked.key)
    action = found.action if found.made is None else found.made(values)
    if action is None:
        raise Illegal(Says("{move} is done on the table, not by tapping", {"move": found.text}), found.rule)
    return action


def _check_read(told: Any, read: Any, where: str) -> None:
    """Raises: NotationError for an unknown word: a misspelt word would otherwise be ignored unnoticed."""
    if isinstance(told, dict) and isinstance(read, dict):
        for key, value in told.items():
            if key not in read:
                expected = ", ".join(map(str, read))
                why = f"{spoken(where)} has {key!r}, expected one of {expected}"
                raise NotationError(f"the state does not parse: {why}", where)
            _check_read(value, read[key], f"{where}.{key}")
    elif isinstance(told, list | tuple) and isinstance(read, list | tuple):
        for at, (value, was) in enumerate(zip(told, read, strict=False)):
            _check_read(value, was, f"{where}[{at}]")
