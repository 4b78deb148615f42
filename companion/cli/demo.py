"""`companion demo`: the virtual table, read by the same eyes, judged by the same referee, two phones beside it."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from flask import Blueprint, Response, redirect, request

from companion.cli import pruning
from companion.cli.address import announce, reachable
from companion.cli.box import press
from companion.cli.matches import opened_match
from companion.cli.pieces import KeptPieces
from companion.cli.table import TableLoop, data_dir, supervised
from companion.games import game_named
from companion.inputs import Receipt
from companion.kit import default_kit
from companion.match import Match
from hardware.camera import DrawnCamera
from vision.readers import READERS
from vision.virtual import BUTTONS, TableError, VirtualTable
from vision.watch import Watch
from web.app import create_app
from web.phones import hostname
from web.server import PortBusy, bound, serve
from web.virtual import virtual_table

GAME = "eyes_of_the_emperor"
REST_S = 0.4
DRAWING_S = 60.0
"""A slow or busy machine may draw for this long: after a bump the whole table is drawn anew. There is no cable."""
TABLE = "/table"
PHONES = ("/?seat=red&name=Red", "/?seat=blue&name=Blue")
SCENE_FILE = "virtual_table.json"


@click.command("demo")
@click.option("--port", default=8000, show_default=True, type=int, help="The port of the pages; 0: any free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to serve on; 0.0.0.0: all.")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Folder of the matches.")
@click.option("--new", "is_new", is_flag=True, help="Begin a new match and set the table up anew.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=None, help="Seed of the throws; default: another one every time."
)
@pruning.keep_days
def command(port: int, host: str, data: Path | None, is_new: bool, seed: int | None, keep_days: int) -> int:
    """Open the virtual table: throw, drag and stack pieces that a virtual camera sees. No hardware is needed.

    A match that was ended or killed goes on where it was.
    """
    try:
        bound(host, port).close()  # before a match is begun: status 2 means that nothing was done
        folder = data_dir(data) / "demo"
        pruning.prune(folder, keep_days)
        _referee(folder, host, port, int(time.time()) if seed is None else seed, is_new=is_new)
    except PortBusy as busy:
        click.echo(f"companion: {busy}", err=True)
        return 2
    return 0


def _referee(folder: Path, host: str, port: int, seed: int, *, is_new: bool) -> None:
    kit = default_kit(GAME)
    matches: list[Match[Any, Any]] = []
    table = VirtualTable(kit, buttons=_buttons(matches), seed=seed)
    pieces = KeptPieces(folder / SCENE_FILE)
    if not is_new:
        pieces.lay_on(table)
    watch = Watch(READERS["eyes"].open_table(table.lens, kit), table.lens, kit, rest_s=REST_S)
    camera = supervised(lambda: DrawnCamera("the virtual camera", table.frame, is_live=True), DRAWING_S)
    loop = TableLoop(camera, watch)
    try:
        match = opened_match(folder, game_named(GAME), is_new=is_new, live=loop.live, kit=kit)
        matches.append(match)
        if is_new:
            pieces.keep(table.saved())
        table.on_change(lambda: pieces.keep(table.saved()))
        more = (virtual_table(table, phone_urls=PHONES, path=TABLE), _front(TABLE))
        app = create_app(match, join_url=reachable(host, port), more=more)
        loop.start(match)
        serve(
            app,
            host,
            port,
            on_ready=lambda server: announce("The virtual table", server.url, reachable(host, server.port)),
        )
    finally:
        loop.stop()
        for opened in matches:
            opened.close()


def _buttons(matches: list[Match[Any, Any]]) -> dict[str, Callable[[], None]]:
    """What the box's buttons do, once `matches` holds the match."""

    def pressed(receipt: Receipt) -> None:
        if receipt.refused is not None:
            raise TableError(receipt.refused)

    return {name: lambda name=name: pressed(press(matches[0], name)) for name in BUTTONS}  # type: ignore[misc]


def _front(where: str) -> Blueprint:
    """The plain address opens the virtual table on this machine, and on another device the choice of a seat.

    Every page for phones then links to the virtual table. What a proxy says of where a request came from is not
    believed: behind one on this machine the plain address is the virtual table's.
    """
    front = Blueprint("front", __name__)

    @front.before_app_request
    def open_table() -> Any:
        if request.path == "/" and not request.args and is_this_machine(request.remote_addr, request.host):
            found: Response = redirect(where)  # type: ignore[assignment]
            return found
        return None

    @front.app_context_processor
    def link() -> dict[str, Any]:
        return {"also": [(where, "The virtual table")]}

    return front


def is_this_machine(remote: str | None, host: str) -> bool:
    """Whether a request came from the machine that it was sent to: from a loopback address, or from the very address
    that it asked for (a browser beside the server, at the address of the QR code).

    >>> [is_this_machine(*r) for r in (("127.0.0.1", "localhost:8000"), ("::1", "[::1]"), ("::ffff:127.0.0.1", "x"))]
    [True, True, True]
    >>> [is_this_machine(*r) for r in (("192.168.4.1", "192.168.4.1:8000"), ("192.168.4.7", "192.168.4.1:8000"))]
    [True, False]
    >>> [is_this_machine(*r) for r in ((None, "127.0.0.1"), ("192.168.4.7", "127.0.0.1:8000"))]
    [False, False]
    """
    try:
        came_from = ipaddress.ip_address(remote or "")
    except ValueError:
        return False
    mapped = getattr(came_from, "ipv4_mapped", None) or came_from
    return bool(mapped.is_loopback) or str(mapped) == hostname(host)
