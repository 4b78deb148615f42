"""The hub: desk, pages and server, in a process of its own or in a table's, without a broker between them."""

import gc
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from companion.app.address import announce, reachable
from companion.app.door import TableDoor
from companion.app.hub import database_of, hub_dir, remember
from companion.app.reporting import Reporter
from companion.event.hub.desk import HUB, Desk, desk_of
from companion.event.hub.facts import Enrolled
from companion.event.hub.home_assistant import HomeAssistant
from companion.event.hub.link import HubLink, LocalTransports
from companion.event.hub.mqtt import Credentials, HubTransport
from companion.event.hub.people import Admissions
from companion.event.hub.store import HUB_ID, verdicts
from web.hub.app import create_hub_app
from web.site.server import ASKING, Server, serve

MOST_STREAMS = 20_000
SPARE_FILES = 200
"""Open files reserved for other things than connections: the store, the broker, files read from the disk."""

COLLECT_AFTER = 50_000
"""New objects after which the garbage collector looks at them. Python's default is 700."""


def open_files() -> int:
    """Raises the limit of open files as far as allowed, and returns it: each page's stream is one file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MOST_STREAMS if hard == resource.RLIM_INFINITY else min(hard, 2 * MOST_STREAMS)
    most = max(soft, wanted)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most


def collect_seldom() -> None:
    """Lets the garbage collector look at new objects only: all others took half of a large hub's processor time."""
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER)


def serve_hub(
    folder: Path,
    database: str,
    host: str,
    port: int,
    url: str,
    mqtt: Credentials | None,
    *,
    of_an_address: int,
    is_told_home: bool,
    halls: tuple[str, ...] = (),
) -> None:
    """Serves until a signal ends the process. One address has `of_an_address` connections at most. Raises: PortBusy."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as opened:
        desk = opened.enter_context(desk_of(database))
        remember(folder, database)
        for log, found in verdicts(database).items():
            for fault in found.faults:
                click.echo(f"companion: {log}: {fault}", err=True)
        people = Admissions(desk)
        link = HubLink(desk, HomeAssistant() if is_told_home else None, halls)
        opened.callback(link.close)
        opened.callback(gc.unfreeze)  # else the interpreter's end finds logging gone before its handlers
        connections = open_files() - SPARE_FILES
        streams = min(MOST_STREAMS, connections - connections // ASKING)
        app = create_hub_app(
            desk, join_url=url, people=people, boxes=link.shown, max_streams=streams, connections=of_an_address
        )

        def ready(server: Server) -> None:
            url: str = app.extensions["companion"].join_url
            if mqtt is not None:
                link.begin(HubTransport(mqtt, f"{socket.gethostname()}-{server.port}", link.hears, link.on_transport))
            collect_seldom()
            for line in people.welcome(url):
                click.echo(line)
            announce("The hub", url)

        serve(app, host, port, of_an_address=of_an_address, on_ready=ready)


BOX = "1"


@contextmanager
def hub_beside(door: TableDoor, folder: Path, host: str, port: int) -> Iterator[Desk]:
    """The hub's pages on a port of their own, with this table enrolled. Raises: PortBusy."""
    where = hub_dir(folder)
    with ExitStack() as opened:
        desk = opened.enter_context(desk_of(database_of(where)))
        people, link = Admissions(desk), HubLink(desk)
        opened.callback(link.close)
        reporter = Reporter(door, BOX, where / "table")
        opened.callback(reporter.close)
        if BOX not in desk.log(HUB_ID).hall.boxes:
            desk.say(HUB_ID, Enrolled(BOX), HUB)
        transports = LocalTransports(link)
        app = create_hub_app(desk, join_url=reachable(host, port), people=people, boxes=link.shown)
        server = opened.enter_context(Server(app, host, port).running())
        link.begin(transports.at_hub())
        reporter.begin(lambda end: transports.at_table(BOX, end.heard, end.opened))
        url = reachable(host, server.port)
        for line in people.welcome(url):
            click.echo(line)
        announce("The hub", url)
        yield desk
