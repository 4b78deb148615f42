"""`companion network`: the box's own access point, for rooms without a router. NetworkManager does the work."""

from __future__ import annotations

import secrets
import socket
import subprocess
from pathlib import Path

import click

from companion.app.address import ACCESS_POINT as ADDRESS
from companion.game.errors import PinsError

NAME = "companion"
DNS_FILE = Path("/etc/NetworkManager/dnsmasq-shared.d/companion.conf")
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Letters of a password, without those that look alike on paper."""


class NetworkError(PinsError):
    """No NetworkManager, no wireless device, or one that cannot be an access point."""


@click.command("network")
@click.argument("what", type=click.Choice(["on", "off", "status"]))
@click.option("--ssid", help="What phones see; default: Companion and this machine's name.")
@click.option("--password", help="At least 8 characters; default: one is made.")
@click.option("--device", default="wlan0", show_default=True, help="The wireless device.")
def command(what: str, ssid: str | None, password: str | None, device: str) -> int:
    """Open, close or tell the box's own access point. Phones that join it find the table at http://10.42.0.1/.

    The wireless device then leads to no router; a cable still does.
    """
    if what == "status":
        click.echo(_nmcli("-t", "-f", "NAME,DEVICE", "connection", "show", "--active").strip() or "no network")
        return 0
    if what == "off":
        _nmcli("connection", "down", NAME)
        click.echo("the access point is closed")
        return 0
    if password is not None and not 8 <= len(password) <= 63:
        raise NetworkError(f"the password has {len(password)} characters, expected 8 to 63")
    name = ssid or f"Companion {socket.gethostname().split('.')[0]}"
    secret = password or "".join(secrets.choice(LETTERS) for _ in range(10))
    _answer_probes()
    _nmcli("device", "wifi", "hotspot", "ifname", device, "con-name", NAME, "ssid", name, "password", secret)
    _nmcli("connection", "modify", NAME, "ipv4.addresses", f"{ADDRESS}/24", "connection.autoconnect", "yes")
    _nmcli("connection", "up", NAME)
    click.echo(f"network: {name}\npassword: {secret}\ntable: http://{ADDRESS}/")
    return 0


def dns_text() -> str:
    """Settings for the access point's name server: the names that phones probe for internet access lead to the
    table."""
    from web.site.captive import ADDRESSES, PROBES

    ours = dict.fromkeys([*PROBES, f"{NAME}.local", "companion"], ADDRESS)
    return "".join(f"address=/{name}/{address}\n" for name, address in (ours | ADDRESSES).items())


def _answer_probes() -> None:
    try:
        DNS_FILE.parent.mkdir(parents=True, exist_ok=True)
        DNS_FILE.write_text(dns_text(), encoding="utf-8")
    except OSError as error:
        raise NetworkError(f"{DNS_FILE} cannot be written ({error.strerror}): run it with sudo") from error


def _nmcli(*words: str) -> str:
    try:
        ended = subprocess.run(["nmcli", *words], capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise NetworkError("there is no NetworkManager (nmcli), expected Raspberry Pi OS: run `make pi`") from error
    if ended.returncode:
        said = (ended.stderr or ended.stdout).strip().splitlines()
        why = said[0] if said else f"status {ended.returncode}"
        raise NetworkError(f"NetworkManager refuses ({why}): check --device, and that no other access point is open")
    return ended.stdout
