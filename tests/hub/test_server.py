"""The hub's process, and one hostile address before it."""

from __future__ import annotations

import http.client
import subprocess
import sys
from pathlib import Path

import pytest

from companion.event.hub.roles import Role
from companion.event.hub.store import HUB_ID
from tests.cli.conftest import Call, call  # noqa: F401
from tests.hub.hall import Hall
from tests.web.test_guard import connected, is_closed, until
from web.site.line import CONNECTIONS
from web.site.server import Server

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_a_table_is_enrolled_in_the_database_that_the_hub_serves(
    call: Call,  # noqa: F811
    tmp_path: Path,
    database: str,
) -> None:
    """While the hub ran on PostgreSQL, `enroll` wrote to an SQLite file of its own: nobody heard the table."""
    data = ("--data", str(tmp_path / "hub folder"))

    def does(*more: str) -> str:
        done = call("hub", *more, *data)
        assert done.status == 0, done.err
        return done.out

    does("broker", "--plain", "--host", "127.0.0.1")
    served = [sys.executable, "-m", "companion", "hub", "--database", database, "--host", "127.0.0.1"]
    with subprocess.Popen([*served, "--port", "0", *data], cwd=ROOT, stdout=subprocess.PIPE, text=True) as hub:
        assert hub.stdout is not None
        assert any("hub is at" in line for line in hub.stdout)
        hub.terminate()
        hub.wait(20)
    does("enroll", "north", "-o", str(tmp_path / "north.json"))
    code = does("organiser").rsplit("/", 1)[1].strip()
    hall = Hall(database)
    assert hall.desk.log(HUB_ID).hall.boxes == {"north": ""}
    assert hall.people.invitation(code).role is Role.ORGANISER
    hall.close()
    assert not list(tmp_path.glob("hub folder/**/hub.db"))


def test_half_open_connections_of_one_address_keep_nobody_out(hall: Hall) -> None:
    """1,100 of them took every connection that the hub had, and it gave none up."""
    with Server(hall.app, "127.0.0.1", 0).running() as server:
        held = [connected(server, b"GET / HTTP/1.1\r\n") for _ in range(3 * CONNECTIONS)]
        newcomer = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10, source_address=("127.0.0.3", 0))
        newcomer.request("GET", "/e/cup", headers={"Host": "localhost"})
        answer = newcomer.getresponse()
        assert (answer.status, b"Cup" in answer.read()) == (200, True)
        newcomer.close()
        assert until(lambda: sum(not is_closed(line) for line in held) <= CONNECTIONS)
        for line in held:
            line.close()
