"""The address of the pages, in words, as a QR code in the terminal, and as a name in the network."""

import contextlib
import io
import logging
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import click
import segno

from web.site.phones import is_loopback

ANYWHERE = ("", "0.0.0.0", "::")


ACCESS_POINT = "10.42.0.1"
"""This machine's address in the network of its own access point."""
USUAL = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class TableAddress:
    """The address of a table's pages: host, HTTP port, and HTTPS port if phones should use it."""

    host: str
    port: int
    https: int | None = None

    @property
    def url(self) -> str:
        """The address where phones join, for the present network."""
        return self._to(own_address() if self.host in ANYWHERE else self.host)

    @property
    def named_url(self) -> str:
        return self._to(own_name())

    def _to(self, name: str) -> str:
        return _url(name, self.port, "http") if self.https is None else _url(name, self.https, "https")


def _url(name: str, port: int, scheme: str) -> str:
    return f"{scheme}://{name}/" if port == USUAL[scheme] else f"{scheme}://{name}:{port}/"


def reachable(host: str, port: int) -> str:
    """The address under which phones on this network reach the pages.

    >>> reachable("192.168.4.1", 80), TableAddress("192.168.4.1", 80, https=8443).url
    ('http://192.168.4.1/', 'https://192.168.4.1:8443/')
    """
    return TableAddress(host, port).url


def announce(what: str, url: str, phones_url: str | None = None) -> None:
    """Prints the address and its QR code, which leads to `phones_url` and is left out if others could not follow it."""
    if not is_loopback(phones_url or url):
        drawn = io.StringIO()
        segno.make(phones_url or url, error="m", micro=False).terminal(drawn, compact=True, border=1)
        click.echo(drawn.getvalue())
    click.echo(f"{what} is at {url}  (end it with Ctrl-C)")
    if phones_url not in (None, url):
        click.echo(f"Phones in this network join at {phones_url}")


def own_name() -> str:
    """The name under which this machine is found in its network without a name server (mDNS)."""
    return f"{socket.gethostname().split('.')[0]}.local"


def named(host: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names and addresses that phones use, including the access point's."""
    addresses = {own_address() if host in ANYWHERE else host, ACCESS_POINT}
    return (own_name(), socket.gethostname().split(".")[0]), tuple(sorted(addresses))


def own_address() -> str:
    """This machine's address on its network; no packet is sent. Without a network: this machine itself."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # an address of documentation (RFC 5737): only the route is looked up
        return str(probe.getsockname()[0])
    return "127.0.0.1"


SERVICE = "_http._tcp.local."
AGAIN_S = 5.0
"""Interval between looks at the network's address."""

_LOGGER = logging.getLogger(__name__)


class Announced:
    """Announces the table's name by multicast DNS while the block lasts, again in each new network.

    `changed` gets the pages' address in each: the network may start after the table, or change."""

    def __init__(
        self, address: TableAddress, changed: Callable[[str], None], interfaces: list[str] | None = None
    ) -> None:
        self._address, self._changed, self._interfaces = address, changed, interfaces
        self._zeroconf: Any = None
        self._told = ""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="mdns", daemon=True)

    def __enter__(self) -> "Announced":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join(2.0)
        self._withdraw()

    def _follow(self) -> None:
        while not self._ended.is_set():
            try:
                self._announce()
            except Exception as error:  # the thread's catch-all: a table without a name is still a table
                _LOGGER.info("the table's name is not announced: %s", error)
            self._ended.wait(AGAIN_S)

    def _announce(self) -> None:
        address = own_address() if self._interfaces is None else self._interfaces[0]
        if address == self._told:
            return
        self._changed(self._address.url)
        from zeroconf import ServiceInfo, Zeroconf

        self._withdraw()
        host = own_name()
        told = ServiceInfo(
            SERVICE,
            f"Companion {host.removesuffix('.local')}.{SERVICE}",
            addresses=[socket.inet_aton(address)],
            port=self._address.port,
            properties={"path": "/"},
            server=f"{host}.",
        )
        self._told = address
        self._zeroconf = Zeroconf() if self._interfaces is None else Zeroconf(interfaces=self._interfaces)
        self._zeroconf.register_service(told, allow_name_change=True)

    def _withdraw(self) -> None:
        zeroconf, self._zeroconf = self._zeroconf, None
        if zeroconf is not None:
            with contextlib.suppress(Exception):
                zeroconf.close()
