"""A table by hand with all its pages, and phones at their addresses."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from companion.app.door import TableDoor
from companion.game.findings import good
from companion.game.says import Says
from companion.record.log import read_log
from web.site.captive import captive
from web.site.https import certificate_page
from web.table.app import create_app
from web.table.doctor import doctor_page
from web.table.hand import hand_reader
from web.table.setup import setup_pages
from web.table.start import start_page
from web.table.virtual import virtual_table

OWN = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
NEAR, FAR, HERE = "192.168.4.20", "192.168.4.66", "127.0.0.1"
NUMBER = "314159"
"""Whoever sits down beside others types it."""


class Noted:
    """A part of the box: it notes what is asked of it and by which thread, and answers as it was told to."""

    def __init__(self, **answers: Any) -> None:
        self._answers = answers
        self.asked: list[str] = []
        self.threads: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        def does(*_: Any, **__: Any) -> Any:
            self.asked.append(name)
            self.threads.add(threading.current_thread().name)
            return self._answers.get(name, name)

        return does


class SetUp(Noted):
    game, is_needed = "eyes_of_the_emperor", False

    def games(self) -> dict[str, str]:
        return {}

    def done(self) -> list[str]:
        return []


class Table:
    """The pages of a door at which nothing is played yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.door = TableDoor(folder, lambda game, chosen: None)
        self.setup = SetUp(
            look={"step": "aim"},
            live=b"jpeg",
            sheet=b"%PDF",
            examine=[good("disk", Says("all is well"))],
            certificate=None,
        )
        self.hands = Noted(state={"version": 1, "is_moving": False, "pieces": []})
        self.reader = Noted(read=["5C"])
        more = (
            start_page(self.door),
            setup_pages(self.setup, self.setup.sheet),  # type: ignore[arg-type]
            doctor_page(self.setup.examine),
            virtual_table(self.hands),  # type: ignore[arg-type]
            hand_reader(self.reader.read),
            captive(),
            certificate_page(folder / "none"),
        )
        self.app = create_app(self.door, join_url="http://192.168.4.1/", more=more, number=NUMBER)

    def phone(self, at: str = FAR) -> FlaskClient:
        client = self.app.test_client()
        client.environ_base["REMOTE_ADDR"] = at
        client.get("/state")
        return client

    def sits(self, seat: str, name: str = "Ann") -> FlaskClient:
        """A phone that has taken a seat and is connected."""
        client = self.phone(NEAR)
        assert taps(client, do="take_seat", seat=seat, name=name, number=NUMBER).status_code == 200
        client.get(f"/state?seat={seat}")
        return client

    def entries(self) -> list[Any]:
        return read_log(next(self.folder.glob("*.db")))


def taps(client: FlaskClient, **tap: Any) -> Any:
    return client.post("/do", json=tap, headers=OWN)


def code(answer: Any) -> tuple[int, str | None]:
    """An answer's status, and why it was refused."""
    return answer.status_code, (answer.get_json(silent=True) or {}).get("error", {}).get("code")
