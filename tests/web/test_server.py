"""The server: a busy port in one sentence, a clean end with phones still listening, and the pages by https."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

import web.site.line
from tests.web import shown
from tests.web.fake_door import FakeDoor
from web.site.https import CertificateError, certificate_page, own_certificate
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


NAMES, ADDRESSES = ("box.local", "box"), ("127.0.0.1", "10.42.0.1")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return own_certificate(tmp_path_factory.mktemp("https"), NAMES, ADDRESSES)


@pytest.fixture
def port(certificate: Path) -> Iterator[int]:
    app = create_app(
        FakeDoor(shown.match_view()), join_url="https://192.168.4.1/", more=[certificate_page(certificate)]
    )
    with Server(app, "127.0.0.1", 0, secure=(0, certificate)).running() as server:
        assert server.secure_port is not None
        yield server.secure_port


def phone(port: int, certificate: Path) -> http.client.HTTPSConnection:
    """A phone on which the box's certificate was installed."""
    return http.client.HTTPSConnection(
        "127.0.0.1", port, timeout=20, context=ssl.create_default_context(cafile=str(certificate))
    )


def test_a_phone_that_has_the_certificate_joins_taps_and_listens(port: int, certificate: Path) -> None:
    line = phone(port, certificate)
    line.request("GET", "/state")
    answer = line.getresponse()
    assert answer.status == 200
    cookie = (answer.getheader("Set-Cookie") or "").split(";")[0]
    answer.read()
    headers = {"Origin": f"https://127.0.0.1:{port}", "Content-Type": "application/json", "Cookie": cookie}
    line.request("POST", "/do", json.dumps({"do": "take_seat", "seat": "red", "name": "Ann"}), headers)
    answer = line.getresponse()
    assert answer.status == 200, answer.read()
    answer.read()
    stream = phone(port, certificate)
    stream.request("GET", "/events")
    told = stream.getresponse()
    while not told.readline().startswith(b"data: "):
        pass
    told.close()
    stream.close()
    line.close()


def test_the_certificate_is_given_without_its_key(port: int, certificate: Path) -> None:
    line = phone(port, certificate)
    line.request("GET", "/companion.crt")
    text = line.getresponse().read().decode()
    line.close()
    assert text.startswith("-----BEGIN CERTIFICATE-----")
    assert "KEY" not in text


def test_a_certificate_is_kept_until_other_names_are_asked(tmp_path: Path) -> None:
    first = own_certificate(tmp_path, NAMES, ADDRESSES).read_bytes()
    assert (tmp_path / "https.pem").stat().st_mode & 0o077 == 0
    assert own_certificate(tmp_path, NAMES, ADDRESSES).read_bytes() == first
    assert own_certificate(tmp_path, NAMES, ("127.0.0.1",)).read_bytes() != first


def test_a_handshake_that_never_ends_is_given_up(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web.site.line, "HEADER_S", 0.3)
    with socket.create_connection(("127.0.0.1", port), timeout=10) as slow:
        slow.sendall(b"\x16\x03\x01")
        assert slow.recv(10) == b""


def test_a_file_without_a_key_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "https.pem").write_text("no key")
    app = create_app(FakeDoor(shown.match_view()), join_url="https://192.168.4.1/")
    with pytest.raises(CertificateError, match="is no certificate with its key: delete it"):
        Server(app, "127.0.0.1", 0, secure=(0, tmp_path / "https.pem"))
