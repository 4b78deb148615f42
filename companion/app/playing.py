"""The choice of a match: game, players, house rules and board, for `serve`, `demo` and the start page."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from companion.app.words import FILE, FiniteRange, board_of, pairs_of
from companion.game.board import Board
from companion.game.errors import NotationError
from companion.game.game import Game, begun
from companion.game.known import GAMES, MOST_PLAYERS, REGISTRY, game_named, names
from companion.game.registry import GAMES_FILE
from companion.match.referee import Thresholds

USUAL = Thresholds()
F = TypeVar("F", bound=Callable[..., Any])


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


def choices(command: F) -> F:
    """Adds the options that choose the match, for `serve` and `demo`."""
    for option in (
        click.option("--board", type=FILE, help="A board file."),
        click.option("--option", multiple=True, metavar="KEY=VALUE", help="A house rule."),
        click.option("--seats", type=click.IntRange(1, MOST_PLAYERS), help="How many play."),
        click.option("--game", help=f"{', '.join(GAMES)}, or a game's folder; without it the start page asks."),
    ):
        command = option(command)
    return command


def at_event(command: F) -> F:
    """Adds the options that an event settles for all its tables, for `serve` and `demo`."""
    for option in (
        click.option(
            "--objection",
            type=FiniteRange(0, 120),
            default=USUAL.objection_s,
            show_default=True,
            help="Seconds in which the others may object to what was entered; 0: they are not asked.",
        ),
        click.option("--hints/--no-hints", default=True, show_default=True, help="Whether phones give hints."),
        click.option(
            "--button/--no-button",
            default=None,
            help="Whether each turn is ended by a press; else the camera enters whole turns. "
            "Default: a press with --hub or --pins.",
        ),
    ):
        command = option(command)
    return command


def thresholds(*, hints: bool, objection: float, button: bool, has_referee: bool) -> Thresholds:
    """The referee's settings, as decided by an event."""
    hint_s = USUAL.hint_s if hints else 0.0
    return Thresholds(objection_s=objection, hint_s=hint_s, enters_itself=not button, has_referee=has_referee)


def chosen(
    game: str | None, seats: int | None, option: tuple[str, ...], board: Path | None, data: Path
) -> MatchChoice | None:
    """The match chosen by options; None: the start page asks. Raises: click.UsageError, KitError, OSError."""
    if game is None:
        if seats is not None or option or board is not None:
            raise click.UsageError("--seats, --option and --board go with --game: say which game they are for")
        return None
    try:
        options = pairs_of(option) if option else None
        found = MatchChoice(game=game_called(game).name, players=seats, options=options, board=board_of(board))
        found.open()
        REGISTRY.keep(found.game, data / GAMES_FILE)
    except NotationError as error:
        raise click.UsageError(str(error)) from error
    return found


def game_called(given: str) -> Game[Any, Any]:
    """The game with a name or in a folder, whose name works afterwards. Raises: NotationError."""
    if given in names():
        return game_named(given)
    if Path(given).is_dir() or os.sep in given:
        return REGISTRY.add(Path(given))
    raise NotationError(f"unknown game {given!r}, expected one of {', '.join(names())}, or a game's folder", "game")


def game_given(ctx: click.Context, param: click.Parameter, name: str | None) -> str | None:
    """The name of a game, or of the game in a folder. Raises: click.BadParameter."""
    try:
        return None if name is None else game_called(name).name
    except NotationError as error:
        raise click.BadParameter(str(error), ctx, param) from error
