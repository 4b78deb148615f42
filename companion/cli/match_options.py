"""The options of `serve` and `demo`: which match is played, and how its table is run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from companion.app.matches import KEEP_DAYS
from companion.app.playing import MatchChoice, game_called
from companion.cli.options import FILE, FiniteRange
from companion.cli.words import board_of, pairs_of
from companion.game.errors import NotationError
from companion.game.known import GAMES, MOST_PLAYERS, REGISTRY
from companion.game.registry import GAMES_FILE
from companion.match.referee import Thresholds

F = TypeVar("F", bound=Callable[..., Any])
USUAL = Thresholds()


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


def to_hub(command: F) -> F:
    """Adds the option for a hub's credentials to `serve` and `demo`."""
    return click.option(
        "--hub",
        "hub",
        type=FILE,
        help="Report to a hub: the file, or a picture of the QR code, that `companion hub enroll` made.",
    )(command)


keep_days_option: Callable[[Any], Any] = click.option(
    "--keep-days",
    default=KEEP_DAYS,
    show_default=True,
    type=click.IntRange(min=0),
    help="Keep pictures of so many days of play, the newest; older ones go before each match; 0: keep all.",
)
