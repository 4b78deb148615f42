"""The choice of a match: game, players, house rules and board, for `serve`, `demo` and the start page."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.game.board import Board
from companion.game.errors import NotationError
from companion.game.game import Game, begun
from companion.game.known import REGISTRY, game_named, names


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchChoice:
    """A match to begin. None or empty: as the match before it, else the game's own default."""

    game: str
    players: int | None = None
    options: Mapping[str, str] | None = None
    board: str | None = None
    """A board file's text."""
    people: tuple[str, ...] = ()
    """Names for the first seats; no phone holds these seats yet."""
    is_new: bool = False
    """People have just begun this match, so the table is set up again."""

    def start(self, game: Game[Any, Any]) -> Any:
        """The state that the match begins with. Raises: NotationError, KitError."""
        return begun(game, self.players, self.options or {}, self.board)

    def board_of(self, game: Game[Any, Any]) -> Board | None:
        """The board that is played on. Raises: NotationError, KitError."""
        return game.table.layout(self.start(game)).board

    def open(self) -> Game[Any, Any]:
        """The game, once it can be begun like this. Raises: NotationError, KitError."""
        game = game_named(self.game)
        self.start(game)
        return game


def game_called(given: str) -> Game[Any, Any]:
    """The game with a name or in a folder, whose name works afterwards. Raises: NotationError."""
    if given in names():
        return game_named(given)
    if Path(given).is_dir() or os.sep in given:
        return REGISTRY.add(Path(given))
    raise NotationError(f"unknown game {given!r}, expected one of {', '.join(names())}, or a game's folder", "game")
