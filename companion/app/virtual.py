"""The virtual table, with the same reader and the same referee as a real table. Its pieces are kept in a file."""

import itertools
import signal
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from flask import Blueprint, Response, redirect, request

from companion.app.address import announce, own_address, reachable
from companion.app.box import press
from companion.app.camera_loop import CameraLoop, is_read, supervised, watch_of
from companion.app.door import AnyMatch, TableDoor
from companion.app.hand import HandEye
from companion.app.hub import Beside
from companion.app.matches import MatchLibrary
from companion.app.playing import MatchChoice
from companion.game.brought import default_kit
from companion.game.errors import CompanionError
from companion.game.game import Game, seats_of
from companion.game.known import game_named, players_of
from companion.game.text_file import keep_text
from companion.match.inputs import Receipt
from companion.match.referee import Thresholds
from hardware.camera import DrawnCamera
from vision.sim.virtual import BUTTONS, TableError, VirtualTable
from web.site.phones import is_here, is_loopback
from web.site.server import PortBusy, Server, serve
from web.table.app import create_app
from web.table.book import book_pages
from web.table.hand import hand_reader
from web.table.pages import reached_at
from web.table.start import start_page
from web.table.virtual import TABLE, virtual_table

REST_S = 0.4
DRAWING_S = 60.0
"""Maximum time to draw a picture, s: a slow or busy machine redraws the whole table after a bump."""
SCENE_FILE = "virtual_table-{game}.json"
NETWORK_FILE = "open_to_network"


class KeptPieces:
    """The file with the pieces of one virtual table. Its faults are reported and end nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_failing = False

    def lay_on(self, table: VirtualTable) -> None:
        """Lays the kept pieces on the table. With a file that cannot be used it stays as it was set up."""
        try:
            table.restore(self._path.read_bytes().decode())
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            _say(f"{self._path}: cannot be read ({error.strerror}): the table is set up again")
        except (CompanionError, UnicodeDecodeError) as error:
            why = f"does not hold the pieces of a virtual table ({error})"
            _say(f"{self._path}: {why}: the table is set up again")

    def keep(self, text: str) -> None:
        """Writes the pieces whole or not at all, so that a kill leaves the earlier file."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            keep_text(self._path, text)
        except OSError as error:
            if not self._is_failing:
                _say(
                    f"{self._path}: cannot be written ({error.strerror}): the table goes on, but after a restart its "
                    "pieces lie as they lay before; free the disk"
                )
            self._is_failing = True
        else:
            self._is_failing = False


def _say(sentence: str) -> None:
    click.echo(f"companion: {sentence}", err=True)


Buttons = Mapping[str, Callable[[], None]]


class CurrentTable:
    """The virtual table of the present game, for the page that shows it."""

    def __init__(self) -> None:
        self.door: TableDoor | None = None

    @property
    def table(self) -> VirtualTable | None:
        """The table; None if this game is played by hand, or nothing is played."""
        eyes = None if self.door is None else self.door.eyes
        return eyes.table if isinstance(eyes, VirtualEyes) else None

    def __getattr__(self, name: str) -> Any:
        if self.table is None:
            raise TableError("no virtual table stands here: this game is played by hand, on the phones")
        return getattr(self.table, name)


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
        layout, seats = game.table.layout(state), seats_of(game, state)
        board, kit = chosen.board_of(game), self.kit.without(layout.unused)
        self.table = VirtualTable(kit, board=board, layout=layout.pieces, seats=seats, buttons=buttons, seed=seed)
        if not is_new:
            pieces.lay_on(self.table)
        self._pieces, self._is_new = pieces, is_new
        watch = watch_of(game, self.table.lens, self.kit, board, rest_s=REST_S)  # may be refused: no camera runs yet
        self._camera = supervised(lambda: DrawnCamera("the virtual camera", self.table.frame, is_live=True), DRAWING_S)
        self._loop = CameraLoop(self._camera, watch, slow_s=DRAWING_S)
        self.live = self._loop.live
        self.set_up = self.table.set_up

    def start(self, match: AnyMatch) -> None:
        """Begins to look, and keeps the places of the pieces from now on."""
        if self._is_new:
            self._pieces.keep(self.table.saved())
        self.table.on_change(lambda: self._pieces.keep(self.table.saved()))
        self._loop.start(match)

    def stop(self) -> None:
        self._loop.stop()
        self._camera.close()


def serve_virtual(
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
        if not is_read(game, chosen.options):
            return None
        pieces = KeptPieces(folder / SCENE_FILE.format(game=game.name))
        return VirtualEyes(game, chosen, pieces, next(seeds), _buttons(door), is_new=is_new or chosen.is_new)

    door = current.door = TableDoor(folder, open_eyes, thresholds=limits, keep_days=keep_days)
    try:
        if played is not None and played == MatchChoice(game=played.game) and not any(folder.glob(f"{played.game}-*")):
            # the first match at a virtual table is for its two phones
            played = replace(played, players=2) if 2 in players_of(game_named(played.game)) else played
        door.open(played, is_new=is_new)
        first = start_page(door, is_virtual=True)
        more = (
            first,
            book_pages(MatchLibrary(folder, door.lends)),
            hand_reader(HandEye()),
            virtual_table(current),
            _front(TABLE, current),
        )
        network = NetworkPages(folder / NETWORK_FILE)
        app = create_app(door, join_url=reachable(host, port), more=more, open_network=network.open)

        def is_ready(server: Server) -> None:
            announce("The virtual table", server.url, network.begin(server) or reachable(host, server.port))

        with network, reporting(door):
            network.ended(serve(app, host, port, on_ready=is_ready))
    finally:
        door.close()


class NetworkPages(AbstractContextManager[None]):
    """The same pages for other devices, from the first request until a person ends the table; a file remembers it."""

    def __init__(self, kept: Path) -> None:
        self._kept = kept
        self._first: Server | None = None
        self._second = ExitStack()

    def begin(self, server: Server) -> str | None:
        """Takes the server of this machine's own pages. If the table was open to this network before, opens it again
        and returns its address there."""
        self._first = server
        if not server.app.extensions["companion"].is_here_only:
            return None
        with suppress(OSError, UnicodeDecodeError):  # nothing was kept, or the address is taken: people may ask again
            if self._kept.read_text(encoding="utf-8") == f"http://{own_address()}:{server.port}/":
                reached_at(server.app, url := self.open())
                return url
        return None

    def open(self) -> str:
        """Serves on this machine's own address in its network; gives that address. Raises: PortBusy."""
        address = own_address()
        if self._first is None or is_loopback(f"http://{address}/"):
            raise PortBusy("this computer is in no network: join one first, and try again")
        self._second.enter_context(Server(self._first.app, address, self._first.port).running())
        url = f"http://{address}:{self._first.port}/"
        with suppress(OSError):  # after a restart people let phones join once more
            keep_text(self._kept, url)
        return url

    def ended(self, which: int | None) -> None:
        """Forgets the address if a person ended the table."""
        if which == signal.SIGINT:
            self._kept.unlink(missing_ok=True)

    def __exit__(self, *_: object) -> None:
        self._second.close()


def _buttons(door: TableDoor) -> Buttons:
    def pressed(receipt: Receipt) -> None:
        if receipt.refused is not None:
            raise TableError(str(receipt.refused))

    return {name: lambda name=name: pressed(press(door.match, name)) for name in BUTTONS}  # type: ignore[misc]


def _front(where: str, current: CurrentTable) -> Blueprint:
    """Leads this machine from the plain address to the virtual table, or back if a game is played by hand. A proxy's
    headers about origin are not believed."""
    front = Blueprint("front", __name__)

    @front.before_app_request
    def open_table() -> Any:
        has_table, is_plain = current.table is not None, request.path == "/" and not request.args
        if (is_plain if has_table else request.path == where) and is_here(request.remote_addr):
            found: Response = redirect(where if has_table else "/")  # type: ignore[assignment]
            return found
        return None

    @front.app_context_processor
    def link() -> dict[str, Any]:
        is_shown = current.table is not None and is_here(request.remote_addr)
        return {"also": [(where, "The virtual table")] if is_shown else []}

    return front
