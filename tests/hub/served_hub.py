"""A hub on a port, without a broker, for tests in a browser."""

from __future__ import annotations

from pathlib import Path

from companion.event.hub.desk import HUB
from companion.event.hub.facts import Enrolled
from companion.event.hub.link import HubLink, LocalTransports
from companion.event.hub.outbox import Outbox
from companion.event.hub.store import HUB_ID
from companion.event.hub.table_end import TableEnd
from tests.hub.hall import Hall
from web.hub.app import create_hub_app
from web.site.server import Server


class ServedHub:
    """A hub on a port, with two tables that judge."""

    def __init__(self, folder: Path) -> None:
        self.hall = Hall(folder / "hub.db")
        self.link = HubLink(self.hall.desk)
        app = create_hub_app(
            self.hall.desk, join_url="http://127.0.0.1:0/", people=self.hall.people, boxes=self.link.shown
        )
        self.server = Server(app, "127.0.0.1", 0)
        self.url = self.server.url
        transports = LocalTransports(self.link)
        self.tables = [TableEnd(box, Outbox(folder / box), again_s=0.2) for box in ("north", "south")]
        for table in self.tables:
            self.hall.desk.say(HUB_ID, Enrolled(table.box), HUB)
        self.link.begin(transports.at_hub())
        for table in self.tables:
            table.begin(transports.at_table(table.box, table.heard, table.opened))

    def close(self) -> None:
        for table in self.tables:
            table.close()
        self.link.close()
        self.hall.close()
