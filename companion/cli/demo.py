"""`companion demo`: the virtual table with the same eyes, the same referee, and two phones next to it."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from flask import Blueprint, Response, redirect, request

from companion.app import pruning
from companion.app.address import announce, own_address, reachable
from companion.app.autoplay import play, played_by_itself
from companion.app.autoplay.run import player_of
from companion.app.box import press
from companion.app.data import with_games
from companion.app.hand import HandEye
from companion.app.house import AnyMatch, TableHouse
from companion.app.matches import unfinished
from companion.app.pieces import KeptPieces
from companion.app.playing import MatchChoice, at_event, choices, chosen, thresholds
from companion.app.reload import reload_on_change
from companion.app.spare import spare_memory
from companion.app.table import TableLoop, is_read, supervised, watch_of
from companion.app.to_hub import Beside, reports, to_hub
from companion.game.brought import default_kit
from companion.game.game import Game, seats_of
from companion.game.known import folder_of, game_named
from companion.match.inputs import Receipt
from companion.match.referee import Thresholds
from hardware.camera import DrawnCamera
from vision.sim.virtual import BUTTONS, TableError, VirtualTable
from web.site.app import create_app
from web.site.server import PortBusy, Server, bound, serve
from web.table.hand import hand_reader
from web.table.phones import is_here, is_loopback
from web.table.start import start_page
from web.table.virtual import virtual_table

REST_S = 0.4
DRAWING_S = 60.0
"""Maximum time to draw a picture, s. After a bump a slow or busy machine redraws the whole table. A drawn camera has no
cable that could fail."""
TABLE = "/table"
SCENE_FILE = "virtual_table-{game}.json"
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
@pruning.keep_days
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
    try:
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
        _referee(folder, host, port, seed, played, reporting, limits, keep_days, is_new=is_new)
    except PortBusy as busy:
        click.echo(f"companion: {busy}", err=True)
        return 2
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


Buttons = Mapping[str, Callable[[], None]]


class CurrentTable:
    """The virtual table of the present game, for the page that shows it."""

    def __init__(self) -> None:
        self.house: TableHouse | None = None

    @property
    def table(self) -> VirtualTable | None:
        """The table; None if this game is played by hand, or nothing is played."""
        eyes = None if self.house is None else self.house.eyes
        return eyes.table if isinstance(eyes, VirtualEyes) else None

    def __getattr__(self, name: str) -> Any:
        if self.table is None:
            raise TableError("no virtual table stands here: this game is played by hand, on the phones")
        return getattr(self.table, name)


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
    """Plays matches and prints one JSON object for each; status 1 if one entered something wrong, or got stuck."""
    if played is None:
        raise click.UsageError("--autoplay needs --game: say which game to play")
    if player_of(game_named(played.game)) is None:
        raise click.UsageError(f"--autoplay plays {', '.join(played_by_itself())}, not {played.game}")
    status = 0
    for match in play(played, matches, seed, folder, disturbs=disturbs, elsewhere=elsewhere, has_button=has_button):
        click.echo(json.dumps(match.to_json()))
        status = status if match.ended and not match.wrong else 1
    return status


class VirtualEyes:
    """The virtual table of one game, with the same eyes as a real one."""

    def __init__(
        self,
        game: Game[Any, Any],
        chosen: MatchChoice,
        pieces: KeptPieces,
        seed: int,
        buttons: Buttons,
        *,
        is_new: bool,
    ) -> None:
        self.kit = default_kit(game.name)
        state = chosen.start(game)
        layout, seats = game.table.layout(state).pieces, seats_of(game, state)
        board = chosen.board_of(game)
        self.table = VirtualTable(self.kit, board=board, layout=layout, seats=seats, buttons=buttons, seed=seed)
        if not is_new:
            pieces.lay_on(self.table)
        self._pieces, self._is_new = pieces, is_new
        watch = watch_of(game, self.table.lens, self.kit, board, rest_s=REST_S)  # may be refused: no camera runs yet
        camera = supervised(lambda: DrawnCamera("the virtual camera", self.table.frame, is_live=True), DRAWING_S)
        self._loop = TableLoop(camera, watch, slow_s=DRAWING_S)
        self.stop, self.live = self._loop.stop, self._loop.live
        self.set_up = self.table.set_up

    def start(self, match: AnyMatch) -> None:
        """Begins to look, and keeps the places of the pieces from now on."""
        if self._is_new:
            self._pieces.keep(self.table.saved())
        self.table.on_change(lambda: self._pieces.keep(self.table.saved()))
        self._loop.start(match)


def _referee(
    folder: Path,
    host: str,
    port: int,
    seed: int,
    played: MatchChoice | None,
    reporting: Beside,
    limits: Thresholds,
    keep_days: int,
    *,
    is_new: bool,
) -> None:
    current, seeds = CurrentTable(), itertools.count(seed)

    def open_eyes(game: Game[Any, Any], chosen: MatchChoice) -> VirtualEyes | None:
        if not is_read(game):
            return None
        pieces = KeptPieces(folder / SCENE_FILE.format(game=game.name))
        return VirtualEyes(game, chosen, pieces, next(seeds), _buttons(house), is_new=is_new or chosen.is_new)

    house = current.house = TableHouse(folder, open_eyes, thresholds=limits, keep_days=keep_days)
    try:
        if played is None and not is_new and (game := unfinished(folder)) is not None:
            played = MatchChoice(game=game)
        if played is not None:
            house.open(played, is_new=is_new)
        first = start_page(house, is_virtual=True)
        more = (first, hand_reader(HandEye()), virtual_table(current, path=TABLE), _front(TABLE, current))
        network = NetworkPages()
        app = create_app(house, join_url=reachable(host, port), more=more, open_network=network.open)

        def is_ready(server: Server) -> None:
            network.first = server
            announce("The virtual table", server.url, reachable(host, server.port))

        with network, reporting(house):
            serve(app, host, port, on_ready=is_ready)
    finally:
        house.close()


class NetworkPages(AbstractContextManager[None]):
    """The same pages for other devices too, from the first request for it until the table ends."""

    def __init__(self) -> None:
        self.first: Server | None = None
        self._second = ExitStack()

    def open(self) -> str:
        """Serves on this machine's own address in its network; gives that address. Raises: PortBusy."""
        address = own_address()
        if self.first is None or is_loopback(f"http://{address}/"):
            raise PortBusy("this computer is in no network: join one first, and try again")
        self._second.enter_context(Server(self.first.app, address, self.first.port).running())
        return f"http://{address}:{self.first.port}/"

    def __exit__(self, *_: object) -> None:
        self._second.close()


def _buttons(house: TableHouse) -> Buttons:
    """The box's buttons, for the match that is played at the moment."""

    def pressed(receipt: Receipt) -> None:
        if receipt.refused is not None:
            raise TableError(str(receipt.refused))

    return {name: lambda name=name: pressed(press(house.match, name)) for name in BUTTONS}  # type: ignore[misc]


def _front(where: str, current: CurrentTable) -> Blueprint:
    """The plain address opens the virtual table on this machine, and on another device the choice of a seat.

    Every page for phones then links to the virtual table. A proxy's headers about the origin of a request are not
    believed: behind a proxy on this machine the plain address is the virtual table's.
    """
    front = Blueprint("front", __name__)

    @front.before_app_request
    def open_table() -> Any:
        is_plain = request.path == "/" and not request.args
        if current.table is not None and is_plain and is_here(request.remote_addr):
            found: Response = redirect(where)  # type: ignore[assignment]
            return found
        return None

    @front.app_context_processor
    def link() -> dict[str, Any]:
        is_shown = current.table is not None and is_here(request.remote_addr)
        return {"also": [(where, "The virtual table")] if is_shown else []}

    return front
