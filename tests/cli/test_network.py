"""The access point: what NetworkManager is asked, in which order, and what is said when it refuses."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.cli import network
from tests.cli.conftest import Call
from tests.web.fake_door import FakeDoor
from web.table import pages
from web.table.app import create_app


@pytest.fixture
def radio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a NetworkManager that starts an access point only with the protection in the file `works`."""
    script = (
        'echo "$*" >>"$AT/asked"; case "$*" in *" pmf "*|*wifi-sec.pmf*) echo "$*" >"$AT/added";; '
        '"connection up"*) grep -q "pmf $(cat "$AT/works")" "$AT/added" || '
        '{ echo "Error: Connection activation failed: 802.1X supplicant took too long" >&2; exit 4; };; esac'
    )
    for name, text in (("nmcli", script), ("raspi-config", 'echo "$*" >"$AT/country"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "works").write_text("disable")
    (tmp_path / "rfkill" / "rfkill0").mkdir(parents=True)
    for name, value in (("type", "wlan"), ("soft", "0"), ("hard", "0")):
        (tmp_path / "rfkill" / "rfkill0" / name).write_text(f"{value}\n")
    (tmp_path / "timezone").write_text("Europe/Berlin\n")
    (tmp_path / "zone.tab").write_text("# comment\nDE\t+5230+01322\tEurope/Berlin\tmost of Germany\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("AT", str(tmp_path))
    for name, at in (("RADIOS", "rfkill"), ("TIMEZONE", "timezone"), ("ZONES", "zone.tab"), ("DNS_FILE", "dns.conf")):
        monkeypatch.setattr(network, name, tmp_path / at)
    monkeypatch.setattr(network, "WIFI_FILE", tmp_path / "wifi.txt")
    monkeypatch.setattr(pages, "WIFI_FILE", tmp_path / "wifi.txt")
    return tmp_path


def test_protection_of_frames_is_tried_on_and_off(radio: Path, call: Call, door: FakeDoor) -> None:
    """Some Pis start no access point with it: "802.1X supplicant took too long to authenticate"."""
    said = call("network", "on", "--ssid", "Table; 1", "--password", "abcdefgh")
    assert said.status == 0, said.err
    asked = (radio / "asked").read_text()
    assert [each for each in network.PROTECTION if f"wifi-sec.pmf {each}" in asked] == ["default", "disable"]
    assert (radio / "country").read_text() == "nonint do_wifi_country DE\n"
    code = (radio / "wifi.txt").read_text()
    assert code == r"WIFI:T:WPA;S:Table\; 1;P:abcdefgh;;"
    for page in ("/join", "/board"):
        shown = create_app(door, join_url="http://10.42.0.1/").test_client().get(page)
        assert "First scan to join this table" in shown.text
    assert call("network", "off").status == 0
    assert not (radio / "wifi.txt").exists()


def test_a_blocked_radio_is_named(radio: Path, call: Call) -> None:
    (radio / "rfkill" / "rfkill0" / "hard").write_text("1\n")
    said = call("network", "on")
    assert said.status == 1
    assert "a switch on this machine" in said.err
