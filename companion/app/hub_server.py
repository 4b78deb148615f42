"""The hub's process: desk, pages and server, put together, after gevent has patched the standard library."""

from __future__ import annotations

import resource
import secrets
import socket
import time
from pathlib import Path
from typing import Any

import click

from companion.app.address import announce
from companion.app.hub_guard import GuardedServer
from companion.event.hub.desk import Desk
from companion.event.hub.home_assistant import HomeAssistant
from companion.event.hub.link import HubLink
from companion.event.hub.mqtt import Credentials, hub_road
from companion.event.hub.people import People
from companion.event.hub.store import Store
from web.hub.app import create_hub_app

LAST_WORDS_S = 0.5
MOST_STREAMS = 20_000
SPARE_FILES = 200
"""Open files reserved for other things than connections: the store, the broker, files read from the disk."""
ASKING = 4
"""One connection in this many is reserved for plain requests: pages without a stream must be answered too."""


def open_files() -> int:
    """Raises the limit of open files as far as allowed, and returns it: each page's stream is one file, and an
    unmodified Debian begins with 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MOST_STREAMS if hard == resource.RLIM_INFINITY else min(hard, 2 * MOST_STREAMS)
    most = max(soft, wanted)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most


def serve(
    folder: Path,
    database: str,
    listening: Any,
    url: str,
    mqtt: Credentials | None,
    *,
    of_an_address: int,
    is_told_home: bool,
) -> int:
    """Serves until a signal ends the process. One address has `of_an_address` connections at most."""
    from companion.app.hub_files import end_on, remember

    folder.mkdir(parents=True, exist_ok=True)
    store = Store(database)
    remember(folder, database)
    desk = Desk(store, time.time, time.monotonic)
    people = People(desk, secrets.token_urlsafe)
    link = HubLink(desk, time.monotonic, HomeAssistant() if is_told_home else None)
    connections = open_files() - SPARE_FILES
    streams = min(MOST_STREAMS, connections - connections // ASKING)
    app = create_hub_app(desk, join_url=url, people=people, boxes=link, max_streams=streams, connections=of_an_address)
    server = GuardedServer(listening, app, connections, of_an_address)
    ended = end_on()
    try:
        server.start()
        if mqtt is not None:
            link.begin(hub_road(mqtt, f"{socket.gethostname()}-{server.server_port}", link.heard, link.on_road))
        for line in people.welcome(url):
            click.echo(line)
        announce("The hub", url)
        ended.wait()
    finally:
        link.close()
        desk.close()
        server.stop(timeout=LAST_WORDS_S)
        store.close()
    return 0
