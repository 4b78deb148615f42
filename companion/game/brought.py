"""Kits and boards that games bring in their folders, by name.

>>> load_board("CP-120").spots["A0"]
(36.0, 250.0)
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from companion.game.board import Board, board_of_text
from companion.game.errors import KitError
from companion.game.kit import Kit, load_kit
from companion.game.known import folder_of, game_named, names

BOARD_NAME = re.compile(r"[A-Za-z0-9_-]+")
"""The form of a board's name; any other text is a path."""


def default_kit(game: str) -> Kit:
    """The kit that a game brings in its folder. Raises: KitError if it brings none."""
    path = folder_of(game) / "kit.toml"
    if not path.exists():
        raise KitError(f"the game {game!r} brings no kit, expected {path.name} in its folder: give one with --kit")
    return load_kit(path)


def kit_for(game: str, path: Path | str | None = None) -> Kit:
    """The kit to play a game with: from a file, or its own. Raises: KitError, also if a piece is missing."""
    own = default_kit(game)
    if path is None:
        return own
    kit, name = load_kit(path), Path(path).name
    if kit.game != game:
        raise KitError(f"{name}: game is {kit.game!r}, expected {game!r}: give a kit of this game")
    pieces = {piece.kind: piece for piece in kit.pieces}
    for needed in own.pieces:
        piece = pieces.get(needed.kind)
        if piece is None:
            raise KitError(f"{name}: has no piece of kind {needed.kind!r}, expected one: add a [[pieces]] table")
        if piece.shape != needed.shape and {piece.shape, needed.shape} != {"disk", "pawn"}:
            raise KitError(f"{name}: the {piece.kind} is a {piece.shape}, expected a {needed.shape}: mend its shape")
        absent = [color for color in needed.colors if color not in piece.colors]
        if absent:
            raise KitError(f"{name}: the {piece.kind} has no color {absent[0]!r}, expected it: add it to its colors")
    return kit


def boards(games: Iterable[str] | None = None) -> dict[str, str]:
    """The boards that games bring in `boards/NAME.toml`, and the game of each. None: all games that are known."""
    found: dict[str, str] = {}
    for game in games or names():
        for path in sorted((folder_of(game) / "boards").glob("*.toml")):
            if BOARD_NAME.fullmatch(path.stem):
                found.setdefault(path.stem, game)
    return found


@lru_cache(maxsize=16)
def board_text(name: str) -> str:
    """The file of a board that a game brings. Raises: KitError if no game brings it."""
    path = board_file(name)
    if path is None:
        raise KitError(f"there is no board {name!r}, expected one of {', '.join(boards())} or a board file")
    return path.read_text(encoding="utf-8")


def board_file(name: str) -> Path | None:
    """The file of the board with that name, among those of all games; None if no game brings it."""
    if not BOARD_NAME.fullmatch(name):
        return None
    found = (folder_of(game) / "boards" / f"{name}.toml" for game in names())
    return next((path for path in found if path.is_file()), None)


def load_board(name: str) -> Board:
    """A board that a game brings, by its name. Raises: KitError."""
    return board_of_text(board_text(name), f"{name}.toml")


def board_of_kit(kit: Kit) -> Board | None:
    """The board on a kit's mat: the named one, else that of its game's start; None without either. Raises: KitError."""
    if kit.board is not None:
        return load_board(kit.board)
    if kit.game not in names():
        found = f"the kit names no board, and its game {kit.game!r} is not known here"
        raise KitError(f"{found}, expected one of them: give a board, or the game's folder with --game")
    game = game_named(kit.game)
    return game.table.layout(game.rules.start()).board
