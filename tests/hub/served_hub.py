"""A hub on a port, without a broker, for tests in a browser."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from companion.event.hub.desk import HUB
from companion.event.hub.facts import Enrolled
from companion.event.hub.link import HubLink, LocalTransports
from companion.event.hub.store import HUB_ID
from tests.hub.hall import Hall
from web.hub.app import create_hub_app
from web.site.server import Server

BOXES = ("north", "south")


class Table(Protocol):
    """What ends with the hub."""

    def close(self) -> None: ...


class ServedHub:
    """A hub on a port that knows two tables; which they are says whoever makes it."""

    tables: Sequence[Table]

    def __init__(self, folder: Path) -> None:
        self.hall = Hall(folder / "hub.db")
        self.link = HubLink(self.hall.desk, time.monotonic)
        app = create_hub_app(self.hall.desk, join_url="http://127.0.0.1:0/", people=self.hall.people, boxes=self.link)
        self.server = Server(app, "127.0.0.1", 0)
        self.url = self.server.url
        self.transports = LocalTransports(self.link)
        for box in BOXES:
            self.hall.desk.say(HUB_ID, Enrolled(box), HUB)
        self.link.begin(self.transports.at_hub())

    def close(self) -> None:
        for table in self.tables:
            table.close()
        self.link.close()
        self.hall.close()
