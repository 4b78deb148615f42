"""`companion network`: the box's own access point, for rooms without a router. NetworkManager does the work."""

import contextlib
import io
import secrets
import socket
import subprocess
from pathlib import Path

import click
import segno.helpers

from companion.app.address import ACCESS_POINT as ADDRESS
from companion.game.errors import PinsError
from web.site.captive import ADDRESSES, PROBES, WIFI_FILE

NAME = "companion"
DNS_FILE = Path("/etc/NetworkManager/dnsmasq-shared.d/companion.conf")
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Letters of a password, without those that look alike on paper."""
PROTECTION = ("default", "disable", "optional")
"""Protection of management frames, in the order of attempts: some Pis fail with it (raspberrypi/linux issue 7247)."""
ZONES = Path("/usr/share/zoneinfo/zone.tab")
TIMEZONE = Path("/etc/timezone")
RADIOS = Path("/sys/class/rfkill")


class NetworkError(PinsError):
    """No NetworkManager, no wireless device, or one that cannot be an access point."""


@click.command("network")
@click.argument("what", type=click.Choice(["on", "off", "status"]))
@click.option("--ssid", help="What phones see; default: Companion and this machine's name.")
@click.option("--password", help="At least 8 characters; default: one is made.")
@click.option("--device", default="wlan0", show_default=True, help="The wireless device.")
@click.option("--country", help="Two letters, such as DE: its channels are used; default: by this machine's time zone.")
def command(what: str, ssid: str | None, password: str | None, device: str, country: str | None) -> None:
    """Open, close or show the box's own access point. Phones that join it find the table at http://10.42.0.1/.

    The wireless device then leads to no router; a cable still does.
    """
    if what == "status":
        click.echo(_nmcli("-t", "-f", "NAME,DEVICE", "connection", "show", "--active").strip() or "no network")
        return
    if what == "off":
        _nmcli("connection", "down", NAME)
        WIFI_FILE.unlink(missing_ok=True)
        click.echo("the access point is closed")
        return
    if password is not None and not 8 <= len(password) <= 63:
        raise NetworkError(f"the password has {len(password)} characters, expected 8 to 63")
    if country is not None and not (len(country) == 2 and country.isascii() and country.isalpha()):
        raise NetworkError(f"the country is {country!r}, expected two letters such as DE")
    name = ssid or f"Companion {socket.gethostname().split('.')[0]}"
    secret = password or "".join(secrets.choice(LETTERS) for _ in range(10))
    _write(DNS_FILE, dns_text())
    _free_the_radio(country or country_of_zone())
    _open(device, name, secret)
    code = segno.helpers.make_wifi_data(ssid=name, password=secret, security="WPA")
    _write(WIFI_FILE, code)
    drawn = io.StringIO()
    segno.make(code, error="m", micro=False).terminal(drawn, compact=True, border=1)
    click.echo(f"{drawn.getvalue()}network: {name}\npassword: {secret}\ntable: http://{ADDRESS}/")


def _open(device: str, name: str, secret: str) -> None:
    """Opens the access point with the first kind of protection that works. Raises: NetworkError with each cause."""
    causes: list[str] = []
    for protection in PROTECTION:
        with contextlib.suppress(NetworkError):  # there may be none
            _nmcli("connection", "delete", NAME)
        words = f"wifi-sec.key-mgmt wpa-psk wifi-sec.proto rsn wifi-sec.pairwise ccmp wifi-sec.pmf {protection}"
        place = f"ipv4.method shared ipv4.addresses {ADDRESS}/24 connection.autoconnect yes wifi.mode ap wifi.band bg"
        add = ("connection", "add", "type", "wifi", "ifname", device, "con-name", NAME, "ssid", name)
        _nmcli(*add, "wifi-sec.psk", secret, *words.split(), *place.split())
        try:
            _nmcli("connection", "up", NAME)
            return
        except NetworkError as error:
            causes.append(f"pmf {protection}: {error}")
    raise NetworkError("; ".join(dict.fromkeys(causes)))


def country_of_zone() -> str | None:
    """The country of this machine's time zone, by the zone table of tzdata; None if unknown (UTC)."""
    try:
        zone = TIMEZONE.read_text(encoding="utf-8").strip()
        lines = ZONES.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return next((line.split("\t")[0] for line in lines if line.split("\t")[2:3] == [zone]), None)


def _free_the_radio(country: str | None) -> None:
    """Sets the country, without which Raspberry Pi OS keeps the radio off. Raises: NetworkError: it stays blocked."""
    if country is not None:
        for command in (["raspi-config", "nonint", "do_wifi_country", country], ["iw", "reg", "set", country]):
            try:
                subprocess.run(command, capture_output=True, check=False)
                break
            except FileNotFoundError:
                continue
    _nmcli("radio", "wifi", "on")
    for radio in RADIOS.glob("rfkill*"):
        kind, soft, hard = ((radio / each).read_text().strip() for each in ("type", "soft", "hard"))
        if kind == "wlan" and hard == "1":
            raise NetworkError("a switch on this machine turns its radio off: turn it on")
        if kind == "wlan" and soft == "1":
            raise NetworkError("the radio is blocked until this machine knows its country: add --country, such as DE")


def dns_text() -> str:
    """Settings for the access point's name server: the names that phones probe lead to the table."""
    ours = dict.fromkeys([*PROBES, f"{NAME}.local", "companion"], ADDRESS)
    return "".join(f"address=/{name}/{address}\n" for name, address in (ours | ADDRESSES).items())


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise NetworkError(f"{path} cannot be written ({error.strerror}): run it with sudo") from error


def _nmcli(*words: str) -> str:
    try:
        ended = subprocess.run(["nmcli", *words], capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise NetworkError("there is no NetworkManager (nmcli), expected Raspberry Pi OS: run `make pi`") from error
    if ended.returncode:
        said = (ended.stderr or ended.stdout).strip().splitlines()
        why = said[0] if said else f"status {ended.returncode}"
        raise NetworkError(f"NetworkManager refuses: {why}")
    return ended.stdout
