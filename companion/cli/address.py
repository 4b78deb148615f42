"""The address of the pages, in words and as a QR code in the terminal."""

from __future__ import annotations

import io
import socket

import click
import segno

from web.phones import is_loopback

ANYWHERE = ("", "0.0.0.0", "::")


def reachable(host: str, port: int) -> str:
    """The address under which phones on this network reach the pages."""
    return f"http://{own_address() if host in ANYWHERE else host}:{port}/"


def announce(what: str, url: str, phones_url: str | None = None) -> None:
    """Says where the pages are; the QR code leads to `phones_url` where phones reach them by another address. No code
    where no other device could follow it."""
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
