"""`companion demo`: the virtual table with the same eyes, the same referee, and two phones next to it."""

import json
import time
from pathlib import Path

import click
from click.core import ParameterSource

from companion.app.autoplay import play, played_by_itself, player_of
from companion.app.data import with_games
from companion.app.hub import reports
from companion.app.playing import MatchChoice
from companion.app.process import reload_on_change, spare_memory
from companion.app.virtual import serve_virtual
from companion.cli.match_options import at_event, choices, chosen, keep_days_option, thresholds, to_hub
from companion.game.known import folder_of, game_named
from web.site.server import bound

AUTOPLAY = ("autoplay", "disturb", "elsewhere")
MATCH = ("data", "seed", "game", "seats", "option", "board", "button")
"""Options of matches that play themselves: their own, and those that any match has."""


@click.command("demo")
@click.option("--port", default=8000, show_default=True, type=int, help="The port of the pages; 0: any free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to serve on; 0.0.0.0: all.")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Folder of the matches.")
@click.option("--new", "is_new", is_flag=True, help="Begin a new match and set the table up anew.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=None, help="Seed of the throws; default: another one every time."
)
@click.option("--reload", "reloads", is_flag=True, help="With --game: start anew when a file of its folder changes.")
@click.option("--autoplay", type=click.IntRange(min=1), help="Play so many matches by itself, a line of JSON for each.")
@click.option("--disturb", is_flag=True, help="With --autoplay: hands, dim light, bumps, cocked dice and wrong moves.")
@click.option("--elsewhere", is_flag=True, help="With --autoplay: each match under a camera and in a room of its own.")
@to_hub
@choices
@at_event
@keep_days_option
def command(
    port: int,
    host: str,
    data: Path | None,
    is_new: bool,
    seed: int | None,
    reloads: bool,
    hub: Path | None,
    game: str | None,
    seats: int | None,
    option: tuple[str, ...],
    board: Path | None,
    autoplay: int | None,
    disturb: bool,
    elsewhere: bool,
    hints: bool,
    button: bool | None,
    objection: float,
    keep_days: int,
) -> int:
    """Open the virtual table: throw and move pieces that a virtual camera sees. No hardware is needed.

    A match that was ended or killed goes on where it was.
    """
    spare_memory()
    _must_go_together(click.get_current_context(), is_autoplay=autoplay is not None)
    where = with_games(data)
    played = chosen(game, seats, option, board, where)
    seed = int(time.time()) if seed is None else seed
    if autoplay is not None:
        folder = where / "autoplay"
        return _play_by_itself(
            played, autoplay, seed, folder, disturbs=disturb, elsewhere=elsewhere, has_button=button is not False
        )
    if reloads and played is None:
        raise click.UsageError("--reload needs --game: say whose folder to watch")
    if reloads and played is not None:
        reload_on_change(folder_of(played.game))
    bound(host, port).close()  # before a match begins: status 2 means that nothing was done
    folder = where / "demo"
    reporting = reports(hub, where)
    waits = button if button is not None else hub is not None
    limits = thresholds(hints=hints, objection=objection, button=waits, has_referee=hub is not None)
    serve_virtual(folder, host, port, seed, played, reporting, limits, keep_days, is_new=is_new)
    return 0


def _must_go_together(ctx: click.Context, *, is_autoplay: bool) -> None:
    """Raises: click.UsageError for an option that would have no effect."""
    for param in ctx.command.params:
        name = param.name or ""
        if ctx.get_parameter_source(name) is ParameterSource.DEFAULT:
            continue
        told = "/".join((*param.opts, *param.secondary_opts))
        if not is_autoplay and name in AUTOPLAY:
            raise click.UsageError(f"{told} goes with --autoplay: say how many matches to play")
        if is_autoplay and name not in AUTOPLAY and name not in MATCH:
            raise click.UsageError(f"{told} does not go with --autoplay, whose matches have no pages: leave it out")


def _play_by_itself(
    played: MatchChoice | None,
    matches: int,
    seed: int,
    folder: Path,
    *,
    disturbs: bool,
    elsewhere: bool,
    has_button: bool,
) -> int:
    if played is None:
        raise click.UsageError("--autoplay needs --game: say which game to play")
    if player_of(game_named(played.game)) is None:
        raise click.UsageError(f"--autoplay plays {', '.join(played_by_itself())}, not {played.game}")
    status = 0
    for match in play(played, matches, seed, folder, disturbs=disturbs, elsewhere=elsewhere, has_button=has_button):
        click.echo(json.dumps(match.to_json()))
        status = status if match.ended and not match.wrong else 1
    return status
