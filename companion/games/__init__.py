"""The games, one folder and one line each. Folders do not import each other."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from companion.errors import NotationError
from companion.game import Game

GAMES: tuple[str, ...] = (
    # one line a game, in the order people see them
    "eyes_of_the_emperor",
    "basic_manipulation",
    "manipulation_rummy",
    "suspend",
    "center_point",
)


def game_named(name: str) -> Game[Any, Any]:
    """The game called `name`. Raises: NotationError where there is none."""
    if name not in GAMES:
        raise NotationError(f"there is no game {name!r}, expected one of {', '.join(GAMES)}", "game")
    game: Game[Any, Any] = import_module(f"companion.games.{name}").GAME
    return game
