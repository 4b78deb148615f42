"""Which addresses are expensive, who may ask for them, and who computes them.

A stranger stalled a table by GET requests to /setup/aim/look.json, /doctor and /print: they took all 16 threads.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.app.door import TableDoor
from companion.app.playing import MatchChoice
from companion.game.findings import Finding, good
from companion.game.says import Says
from tests.web.test_threats import NEAR, taps
from web.site.captive import captive
from web.site.https import certificate_page
from web.site.refusals import Refusal
from web.site.worker import MOST_WAITING, Worker
from web.table.app import create_app
from web.table.doctor import doctor_page
from web.table.hand import hand_reader
from web.table.setup import setup_pages
from web.table.start import start_page
from web.table.virtual import virtual_table

CHEAP = {
    "/": "a page",
    "/board": "a page; its QR code is made once",
    "/join": "a page; its QR code is made once",
    "/start": "a page; what it offers is made once",
    "/rules.json": "read once a language",
    "/house.json": "a few sentences",
    "/evidence/<name>.jpg": "one row of the log",
    "/live.jpg": "drawn once a frame",
    "/state": "put into words once a view",
    "/events": "a stream has no thread",
    "/match.pdf": "made once for each match and language, by the worker",
    "/match.html": "made once for each match and language, by the worker",
    "/film": "put into words once a language",
    "/companion.crt": "a short file",
    "/setup/certificate": "a short file; its QR code is small",
    "/table": "a page",
    "/table/state": "what the virtual table keeps",
    "/table/camera.jpg": "a virtual table serves its own machine",
    "/static/<path:filename>": "a file",
    "/static/games/<game>/<any('page.js', 'page.css', 'picture.svg'):file>": "a file",
    "/static/games/<game>/boards/<file>": "a file",
    "/static/whole/<page>/<game>.js": "put together once",
}
"""Open to anyone, and why that costs little."""
FOR_MEMBERS = {
    "/doctor": "/doctor",
    "/doctor.json": "/doctor.json",
    "/setup": "/setup",
    "/setup/<step>": "/setup/aim",
    "/setup/<step>/look.json": "/setup/aim/look.json",
    "/setup/live.jpg": "/setup/live.jpg",
    "/print/<what>.pdf": "/print/mat.pdf",
}
"""Each expensive address with one that can be asked for."""


class Slow:
    """A set-up, a doctor and a printer that note which thread asks them."""

    game = "eyes_of_the_emperor"
    is_needed = False

    def __init__(self) -> None:
        self.threads: set[str] = set()

    def _asked(self) -> None:
        self.threads.add(threading.current_thread().name)

    def games(self) -> dict[str, str]:
        return {}

    def done(self) -> list[str]:
        return []

    def look(self, step: str) -> dict[str, Any]:
        self._asked()
        return {"step": step}

    def live(self) -> bytes:
        self._asked()
        return b"jpeg"

    def certificate(self) -> None:
        return None

    def examine(self) -> list[Finding]:
        self._asked()
        return [good("disk", Says("all is well"))]

    def sheet(self, what: str, paper: str) -> bytes:
        self._asked()
        return b"%PDF"


class Table:
    """A table with all its pages, at which Ann plays."""

    def __init__(self, folder: Path) -> None:
        self.door = TableDoor(folder, lambda game, chosen: None)
        self.slow = Slow()
        more = (
            start_page(self.door),
            setup_pages(self.slow, self.slow.sheet),  # type: ignore[arg-type]
            doctor_page(self.slow.examine),
            virtual_table(self.slow),  # type: ignore[arg-type]
            hand_reader(lambda photo: []),
            captive(),
            certificate_page(folder / "none"),
        )
        self.app = create_app(self.door, join_url="http://192.168.4.1/", more=more, number="314159")

    def phone(self, at: str) -> FlaskClient:
        client = self.app.test_client()
        client.environ_base["REMOTE_ADDR"] = at
        client.get("/state")
        return client


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    yield made
    made.door.close()


def test_every_address_is_known_to_be_cheap_or_is_for_members(table: Table) -> None:
    version = table.app.static_url_path
    assert version is not None
    asked = [rule.rule for rule in table.app.url_map.iter_rules() if "GET" in (rule.methods or ())]
    rules = {re.sub(r"<any\(.*\):step>", "<step>", rule.replace(version, "/static")) for rule in asked}
    assert rules == CHEAP.keys() | FOR_MEMBERS.keys()


@pytest.mark.parametrize("path", FOR_MEMBERS.values())
def test_strangers_cannot_ask_for_what_is_expensive(table: Table, path: str) -> None:
    table.door.open(MatchChoice(game="suspend"))
    ann, stranger = table.phone(NEAR), table.phone("192.168.4.66")
    seat = table.door.view().seats[0].seat
    assert taps(ann, do="take_seat", seat=seat, name="Ann", number="314159").status_code == 200
    ann.get(f"/state?seat={seat}")  # it is connected
    assert stranger.get(path).status_code == 403
    assert table.slow.threads == set()
    assert ann.get(path).status_code in (200, 302)
    assert table.phone("127.0.0.1").get(path).status_code in (200, 302)


@pytest.mark.parametrize("path", sorted({*FOR_MEMBERS.values()} - {"/setup", "/setup/aim"}))
def test_one_worker_computes_what_is_expensive_also_while_nothing_is_played(table: Table, path: str) -> None:
    phone = table.app.test_client()
    assert phone.get(path).status_code == 200
    assert {name.rsplit("_", 1)[0] for name in table.slow.threads} == {"expensive"}


# the worker


class Gate:
    """A computation that waits until it is let go, and counts."""

    def __init__(self) -> None:
        self.begun, self.opened, self.count = threading.Event(), threading.Event(), 0

    def __call__(self) -> int:
        self.count += 1
        self.begun.set()
        assert self.opened.wait(20.0)
        return self.count


def full(worker: Worker, gate: Gate, name: str, pool: ThreadPoolExecutor) -> list[Any]:
    """As many requests for one answer as may wait."""
    waiting = [pool.submit(worker.answer, name, gate) for _ in range(MOST_WAITING)]
    assert gate.begun.wait(20.0)
    with worker._changed:
        assert worker._changed.wait_for(lambda: worker._waiting == MOST_WAITING, 20.0)
    return waiting


def test_no_more_than_a_few_requests_wait_the_others_get_the_last_answer() -> None:
    worker, gate = Worker(), Gate()
    assert worker.answer("doctor", lambda: 0) == 0
    with ThreadPoolExecutor(MOST_WAITING) as pool:
        waiting = full(worker, gate, "doctor", pool)
        try:
            assert worker.answer("doctor", gate) == 0
            with pytest.raises(Refusal) as refused:
                worker.answer("mat", gate)
            assert (refused.value.status, refused.value.retry_after_s) == (503, 3)
        finally:
            gate.opened.set()
        assert [each.result(20.0) for each in waiting] == [1] * MOST_WAITING
    assert worker.answer("doctor", gate) == 2  # nobody waits: it is computed anew


def test_an_answer_that_never_changes_is_computed_once() -> None:
    worker = Worker()
    sheets: Callable[[], int] = iter(range(9)).__next__
    assert [worker.answer("sheet", sheets, is_final=True) for _ in range(3)] == [0, 0, 0]
    assert worker.answer("sheet", sheets) == 1


def test_what_fails_is_told_and_tried_again() -> None:
    worker = Worker()
    with pytest.raises(ZeroDivisionError):
        worker.answer("doctor", lambda: 1 // 0)
    assert worker.answer("doctor", lambda: 1) == 1
