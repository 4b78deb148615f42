"""The address of the pages, in words and as a QR code in the terminal."""

from __future__ import annotations

import io
import re
import socket
from dataclasses import dataclass

import click
import segno

from companion.app.words import short
from web.table.phones import is_loopback

ANYWHERE = ("", "0.0.0.0", "::")


ACCESS_POINT = "10.42.0.1"
"""This machine's address in the network of its own access point."""
USUAL = {"http": 80, "https": 443}
MOST_URL_BYTES = 1000
"""Maximum length of a URL in a QR code that phones still read. A code holds 2331 bytes, with the pages' additions."""
MOST_NAME = 253
"""Maximum length of a machine's name in characters (RFC 1035). It also appears in a QR code."""


def url_given(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """An address that is drawn as a QR code. Raises: click.BadParameter."""
    if text is not None and not (text.isprintable() and len(text.encode("utf-8", "replace")) <= MOST_URL_BYTES):
        raise click.BadParameter(
            f"{short(text)} makes no QR code, expected an address of at most {MOST_URL_BYTES} characters", ctx, param
        )
    if text is not None and re.fullmatch(r"https?://[^/\s]+(/\S*)?", text) is None:
        raise click.BadParameter(f"{short(text)} is no address, expected such as http://192.168.0.5:8100/", ctx, param)
    return text


def name_given(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """A machine's name or address. Raises: click.BadParameter."""
    if text is not None and not (text.isprintable() and len(text) <= MOST_NAME):
        raise click.BadParameter(
            f"{short(text)} is no machine's name, expected at most {MOST_NAME} characters", ctx, param
        )
    return text


@dataclass(frozen=True, slots=True)
class TableAddress:
    """The address of a table's pages: host, HTTP port, and HTTPS port if phones should use it."""

    host: str
    port: int
    https: int | None = None

    @property
    def url(self) -> str:
        """Where phones join, by the network of now."""
        return self._to(own_address() if self.host in ANYWHERE else self.host)

    @property
    def named_url(self) -> str:
        """The same by this machine's name."""
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
    """Prints the address of the pages and its QR code. The code leads to `phones_url` if phones use another address. It
    is left out if other devices could not follow it."""
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
    probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        probe.connect(("192.0.2.1", 9))  # an address of documentation (RFC 5737): only the route is looked up
        found: str = probe.getsockname()[0]
    except OSError:
        return "127.0.0.1"
    finally:
        probe.close()
    return found
