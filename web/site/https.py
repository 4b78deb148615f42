"""The same pages by https, with a certificate that the box made for itself.

Waitress cannot do TLS. A separate thread decrypts it and gives the server one end of a socket pair for each connection.
The server gets the phone's own address with it, so that the limits for an address count as before.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from flask import Blueprint, Response

from companion.game.errors import CompanionError
from web.site.server import Server, allow_files, bound

CERTIFICATE_DAYS, RENEWED_DAYS = 397, 30
"""Maximum lifetime that phones accept for a certificate, and the remaining days at which a new one is made."""
HANDSHAKE_S = 10.0
CHUNK_BYTES = 65536
FILES_MOST = 8192
"""Three for each phone: its connection, and both ends of the pair."""

_LOGGER = logging.getLogger(__name__)


class CertificateError(CompanionError, OSError):
    """A certificate that cannot be made or used."""


def own_certificate(folder: Path, names: Iterable[str], addresses: Iterable[str]) -> Path:
    """The box's own certificate with its key in one file. It is replaced if it expires soon or if other names are
    needed.

    Raises: CertificateError.
    """
    path, told = folder / "https.pem", folder / "https.names"
    wanted = ",".join([*(f"DNS:{name}" for name in names), *(f"IP:{address}" for address in addresses)])
    lasting = ["openssl", "x509", "-in", str(path), "-noout", "-checkend", str(RENEWED_DAYS * 86400)]
    with contextlib.suppress(OSError):
        if told.read_text(encoding="utf-8") == wanted and not subprocess.run(lasting, capture_output=True).returncode:
            return path
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    make += ["-days", str(CERTIFICATE_DAYS), "-subj", "/CN=Companion", "-addext", f"subjectAltName={wanted}"]
    make += ["-addext", "extendedKeyUsage=serverAuth", "-keyout", "-", "-out", "-"]
    try:
        made = subprocess.run(make, capture_output=True, check=True).stdout
        folder.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.chmod(0o600)
        path.write_bytes(made)
        told.write_text(wanted, encoding="utf-8")
    except FileNotFoundError as error:
        raise CertificateError("there is no openssl, expected Debian's: `sudo apt install openssl`") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().splitlines()
        raise CertificateError(f"no certificate could be made ({said[-1] if said else 'openssl'})") from error
    except OSError as error:
        raise CertificateError(f"{path} cannot be written ({error.strerror}): free the disk, or give --data") from error
    return path


def certificate_page(certificate: Path) -> Blueprint:
    """The certificate without its key: /companion.crt. A phone that installs it shows no warning."""
    part = Blueprint("https", __name__)

    @part.get("/companion.crt")
    def public() -> Response:
        text = certificate.read_text(encoding="ascii")
        begins = text.index("-----BEGIN CERTIFICATE-----")
        ends = text.index("-----END CERTIFICATE-----") + len("-----END CERTIFICATE-----\n")
        return Response(text[begins:ends], mimetype="application/x-x509-ca-cert")

    return part


class Https:
    """A second port of a server, by TLS, as long as the block lasts. Raises: PortBusy, CertificateError."""

    def __init__(self, server: Server, host: str, port: int, certificate: Path) -> None:
        self._server = server
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            self._context.load_cert_chain(certificate)
        except (OSError, ssl.SSLError) as error:
            raise CertificateError(f"{certificate} is no certificate with its key: delete it") from error
        self._socket = bound(host, port)
        allow_files(FILES_MOST)
        self.port: int = self._socket.getsockname()[1]
        self._is_up = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="https", daemon=True)

    def __enter__(self) -> Https:
        self._thread.start()
        self._is_up.wait(HANDSHAKE_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join(5.0)

    async def _serve(self) -> None:
        self._loop, self._ending = asyncio.get_running_loop(), asyncio.Event()
        self._loop.set_exception_handler(lambda loop, what: _LOGGER.debug("https: %s", what.get("message")))
        serving = await asyncio.start_server(
            self._relay, sock=self._socket, ssl=self._context, ssl_handshake_timeout=HANDSHAKE_S, limit=CHUNK_BYTES
        )
        self._is_up.set()
        await self._ending.wait()
        serving.close()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ours, servers = socket.socketpair()
        self._server.take(servers, writer.get_extra_info("peername")[:2])
        inner, outer = await asyncio.open_connection(sock=ours, limit=CHUNK_BYTES)
        try:
            done, left = await asyncio.wait(
                [asyncio.create_task(_pump(reader, outer)), asyncio.create_task(_pump(inner, writer))],
                return_when=asyncio.FIRST_COMPLETED,
            )
            for task in left:
                task.cancel()
            await asyncio.gather(*done, *left, return_exceptions=True)
        finally:
            outer.close()
            writer.close()


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while got := await source.read(CHUNK_BYTES):
        sink.write(got)
        await sink.drain()
