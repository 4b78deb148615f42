"""The server: a busy port in one sentence, and a clean end with phones still listening."""

from __future__ import annotations

import http.client
import signal
import socket

import pytest

from tests.web.fake_door import FakeDoor
from web.site.server import PortBusy, Server, serve
from web.table.app import create_app


def listening(port: int) -> http.client.HTTPResponse:
    """A phone's open stream, its first view read."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", "/events")
    answer = connection.getresponse()
    assert answer.status == 200
    while not answer.readline().startswith(b"data: "):
        pass
    return answer


def test_a_signal_ends_every_stream_and_then_the_server(door: FakeDoor) -> None:
    phones: list[http.client.HTTPResponse] = []

    def ready(server: Server) -> None:
        phones.extend(listening(server.port) for _ in range(10))
        signal.raise_signal(signal.SIGTERM)

    app = create_app(door, join_url="http://192.168.4.1/", max_streams=20)
    assert serve(app, "127.0.0.1", 0, on_ready=ready) == signal.SIGTERM
    for phone in phones:
        phone.read()  # a stream that is cut off in the middle raises IncompleteRead
        phone.close()


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
