"""One Pi for both: the hub's pages in the table's own process, without a broker between them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from companion.app.address import announce, reachable
from companion.app.house import TableHouse
from companion.app.hub_files import database_of, hub_dir
from companion.app.reporting import Reporter
from companion.event.hub.desk import HUB, Desk
from companion.event.hub.facts import Enrolled
from companion.event.hub.link import HubLink, LocalRoads
from companion.event.hub.people import Admissions
from companion.event.hub.store import HOUSE, Store
from web.hub.app import create_hub_app
from web.site.server import Server

BOX = "1"
"""The name of the one table."""


@contextmanager
def hub_beside(house: TableHouse, folder: Path, host: str, port: int) -> Iterator[Desk]:
    """The hub's pages on a port of their own, with this table enrolled. Raises: PortBusy."""
    where = hub_dir(folder)
    store = Store(database_of(where))
    desk = Desk(store, time.time, time.monotonic)
    people, link = Admissions(desk), HubLink(desk, time.monotonic)
    reporter = Reporter(house, BOX, where / "table")
    try:
        if BOX not in desk.book(HOUSE).hall.boxes:
            desk.say(HOUSE, Enrolled(BOX), HUB)
        roads = LocalRoads(link)
        url = reachable(host, port)
        app = create_hub_app(desk, join_url=url, people=people, boxes=link)
        with Server(app, host, port).running() as server:
            link.begin(roads.at_hub())
            reporter.begin(lambda end: roads.at_table(BOX, end.heard, end.opened))
            url = reachable(host, server.port)
            for line in people.welcome(url):
                click.echo(line)
            announce("The hub", url)
            yield desk
    finally:
        reporter.close()
        link.close()
        desk.close()
        store.close()
