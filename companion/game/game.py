"""The contract: a game is a value, made of parts.

`rules` judge, `text` writes down, `page` is shown. The other parts are optional: a missing part is neutral. A state, an
action and a whole match print to text and parse back (`companion.game.written`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from companion.game.errors import NotationError
from companion.game.parts import Eyes, Page, People, Rules, Secrets, Table, Text
from companion.game.values import Option

S = TypeVar("S")
A = TypeVar("A")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Game(Generic[S, A]):
    """A game. Seats are words: colours, or A, B, C ... at a card table.

    `player` plays it at the virtual table: a class in a module of the game's folder, as ``player:PigPlayer``.
    `shorthand` has its short notations for the command line (`companion.game.shorthand`).
    """

    name: str
    title: str
    rules: Rules[S, A]
    text: Text[S, A]
    page: Page[S, A]
    options: tuple[Option, ...] = ()
    eyes: Eyes[S, A] = field(default_factory=Eyes)
    table: Table[S, A] = field(default_factory=Table)
    people: People[S, A] = field(default_factory=People)
    secrets: Secrets[S, A] = field(default_factory=Secrets)
    player: str | None = None
    shorthand: Any = None
    event: Mapping[str, object] = field(default_factory=dict)
    """Settings that an event of this game begins with; empty: by the number of players."""


def begun(
    game: Game[S, Any], seats: int | None = None, options: Mapping[str, str] | None = None, board: str | None = None
) -> S:
    """The first state of a match; `board` is a board file's text. Raises: NotationError, KitError."""
    if board is None:
        return game.rules.start(seats, options)
    if game.table.layout(game.rules.start()).board is None:
        raise NotationError(f"a board file was given, and {game.title} has no board: leave it out", "board")
    return game.rules.start(seats, options, board)


def seats_of(game: Game[S, Any], state: S) -> tuple[str, ...]:
    """The seats of a match, clockwise."""
    return tuple(game.rules.score(state))
