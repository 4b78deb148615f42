"""Which addresses are expensive, who may ask for them, and who computes them.

A stranger stalled a table by GET requests to /setup/aim/look.json, /doctor and /print: they took all 16 threads.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from companion.app.playing import MatchChoice
from tests.web.table import HERE, Table
from web.site.refusals import Refusal
from web.site.worker import MOST_WAITING, Worker

CHEAP = """
/ /board /join /start /film /table /table/state /table/camera.jpg
/rules.json /house.json /evidence/<name>.jpg /live.jpg /state /events /match.pdf /match.html
/companion.crt /setup/certificate
/static/<path:filename>
/static/games/<game>/<any('page.js', 'page.css', 'picture.svg'):file>
/static/games/<game>/boards/<file>
/static/whole/<page>/<game>.js
"""
"""Open to anyone: pages, short files, and what is made once and kept."""
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


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    yield made
    made.door.close()


def test_every_address_is_known_to_be_cheap_or_is_for_members(table: Table) -> None:
    version = table.app.static_url_path
    assert version is not None
    asked = [rule.rule for rule in table.app.url_map.iter_rules() if "GET" in (rule.methods or ())]
    cheap = CHEAP.replace("', '", "','").split()
    rules = {re.sub(r"<any\(.*\):step>", "<step>", rule.replace(version, "/static")) for rule in asked}
    assert {rule.replace("', '", "','") for rule in rules} == {*cheap, *FOR_MEMBERS}


def test_strangers_cannot_ask_for_what_is_expensive(table: Table) -> None:
    table.door.open(MatchChoice(game="suspend"))
    ann, stranger = table.sits(table.door.view().seats[0].seat), table.phone()
    assert {stranger.get(path).status_code for path in FOR_MEMBERS.values()} == {403}
    assert [stranger.get(path).status_code for path in ("/film", "/setup/certificate")] == [200, 302]
    assert table.setup.asked == ["certificate"]
    for client in (ann, table.phone(HERE)):
        assert {client.get(path).status_code for path in FOR_MEMBERS.values()} <= {200, 302}


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
