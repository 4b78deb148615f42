"""The server: a busy port in one sentence, and a clean end with phones still listening."""

from __future__ import annotations

import http.client
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.web import shown
from tests.web.fake_door import FakeDoor
from web.site.server import PortBusy, Server
from web.table.app import create_app

ROOT = Path(__file__).resolve().parent.parent.parent
SERVES = """
from tests.web import shown
from tests.web.fake_door import FakeDoor
from web.table.app import create_app
from web.site.server import serve
app = create_app(FakeDoor(shown.match_view()), join_url="http://192.168.4.1/", max_streams=20)
serve(app, "127.0.0.1", 0, on_ready=lambda server: print(server.port, flush=True))
print("ended", flush=True)
"""


def listening(port: int) -> http.client.HTTPResponse:
    """A phone's open stream, its first view read."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", "/events")
    answer = connection.getresponse()
    assert answer.status == 200
    while not answer.readline().startswith(b"data: "):
        pass
    return answer


@pytest.mark.nightly
def test_a_signal_ends_every_stream_and_then_the_server() -> None:
    command = [sys.executable, "-c", SERVES]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        phones = [listening(port) for _ in range(10)]
        process.send_signal(signal.SIGTERM)
        for phone in phones:
            phone.read()  # a stream that is cut off in the middle raises IncompleteRead
            phone.close()
        assert process.stdout.readline() == "ended\n"
        assert process.wait(10) == 0


@pytest.mark.parametrize(
    ("host", "port", "words"),
    [
        ("203.0.113.7", 0, "203.0.113.7 is not an address of this machine"),
        ("no such host", 0, "no such host is not an address of this machine"),
        ("127.0.0.1", 70000, "port 70000 is not a port: expected 1 to 65535"),
        ("127.0.0.1", None, "is in use by another program, expected a free one: end"),
    ],
)
def test_an_address_that_is_not_ours_or_not_free_is_one_clear_sentence(
    door: FakeDoor, host: str, port: int | None, words: str
) -> None:
    app = create_app(door, join_url="http://192.168.4.1/")
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(PortBusy, match=words):
        Server(app, host, other.getsockname()[1] if port is None else port)


def test_a_closed_server_frees_its_port_and_its_streams() -> None:
    door = FakeDoor(shown.match_view())
    with Server(create_app(door, join_url="http://192.168.4.1/", max_streams=4), "127.0.0.1", 0).running() as first:
        phone = listening(first.port)
    phone.read()
    phone.close()
    assert door.subscriptions == []
    again = create_app(door, join_url="http://192.168.4.1/", max_streams=4)
    with Server(again, "127.0.0.1", first.port).running() as second:
        listening(second.port).close()


def test_a_phone_that_goes_is_noticed_at_the_next_beat() -> None:
    door = FakeDoor(shown.match_view())
    app = create_app(door, join_url="http://192.168.4.1/", max_streams=4, heartbeat_s=0.05)
    with Server(app, "127.0.0.1", 0).running() as running:
        phone = listening(running.port)
        assert len(door.subscriptions) == 1
        phone.close()
        with door.changed:
            assert door.changed.wait_for(lambda: not door.subscriptions, timeout=20)


def test_the_code_names_the_port_that_was_free(door: FakeDoor) -> None:
    app = create_app(door, join_url="http://192.168.4.1:0/", max_streams=4)
    with Server(app, "127.0.0.1", 0).running() as running:
        assert f"192.168.4.1:{running.port}" in app.test_client().get("/join").text
