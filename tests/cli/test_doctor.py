"""The doctor: green, or one line of what to do, for each thing that can be wrong."""

from __future__ import annotations

import json
import os
import socket
import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.lens import save_lens
from companion.app import camera_loop, speed
from companion.app.checks import button_findings, calibration_findings, camera_findings, hub_finding, table_findings
from companion.app.kept import Kept
from companion.app.real_table import EXAMINED_S, TableChecks
from companion.game.findings import Finding, Level, bad
from companion.game.says import Says
from companion.game.view import Sight
from hardware.camera import Frame
from hardware.machine import clock, disk, voltage
from hardware.pins import load_pins
from tests.calibration.pictures import KIT, LENS, camera, picture
from tests.cli.conftest import Call
from vision.frame.watch import Glance
from web.words import translate

NOON_S = 1_795_000_000.0


def levels(findings: list[Finding]) -> dict[str, Level]:
    return {one.name: one.level for one in findings}


def kernel(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(("alarm", "level"), [(None, Level.UNKNOWN), ("0", Level.GOOD), ("1\n", Level.BAD)])
def test_a_weak_supply_is_said(tmp_path: Path, alarm: str | None, level: Level) -> None:
    at = "sys/class/hwmon/hwmon1"
    files = {} if alarm is None else {f"{at}/name": "rpi_volt\n", f"{at}/in0_lcrit_alarm": alarm}
    assert voltage(kernel(tmp_path, files)).level is level


def test_a_clock_that_was_never_set_or_went_back_is_said(tmp_path: Path) -> None:
    assert clock(tmp_path, tmp_path, 3600.0).level is Level.BAD
    assert clock(tmp_path, tmp_path, NOON_S).level is Level.WARNING
    kernel(tmp_path, {"run/systemd/timesync/synchronized": "", "matches/eyes-0001.db": "x"})
    os.utime(tmp_path / "matches/eyes-0001.db", (NOON_S, NOON_S))
    assert clock(tmp_path, tmp_path, NOON_S + 60).level is Level.GOOD
    an_hour_back = clock(tmp_path, tmp_path, NOON_S - 3600)
    assert an_hour_back.level is Level.BAD
    assert "before the last match" in str(an_hour_back.says)


@pytest.mark.parametrize(
    ("cmdline", "mounted", "level"),
    [("boot=overlay", "tmpfs /run tmpfs", Level.BAD), ("overlayroot=tmpfs", "/dev/sda1 DATA ext4", Level.GOOD),
     ("quiet", "tmpfs /run tmpfs", Level.GOOD)],
)  # fmt: skip
def test_matches_on_a_read_only_card_are_reported_as_lost(
    tmp_path: Path, cmdline: str, mounted: str, level: Level
) -> None:
    mounts = f"overlay / overlay rw 0 0\n{mounted.replace('DATA', str(tmp_path))} rw 0 0\n"
    kernel(tmp_path, {"proc/cmdline": f"console=tty1 {cmdline}\n", "proc/self/mounts": mounts})
    assert disk(tmp_path, tmp_path).level is level


def frames(shown: np.ndarray, period_s: float = 0.1, wander: float = 0.0) -> list[Frame]:
    bright = np.clip(shown * (1 + wander), 0, 255).astype(np.uint8)
    return [Frame(bright if i % 2 else shown, i * period_s, i) for i in range(6)]


def test_a_slow_and_a_flickering_camera_are_said() -> None:
    shown = np.full((90, 160, 3), 100, np.uint8)
    assert set(levels(camera_findings(frames(shown))).values()) == {Level.GOOD}
    assert levels(camera_findings(frames(shown, period_s=1.0)))["rate"] is Level.WARNING
    assert levels(camera_findings(frames(shown, wander=0.05)))["flicker"] is Level.WARNING
    (silent,) = camera_findings([])
    assert "switch the box off first" in str(silent.todo)
    assert (silent.name, silent.level) == ("camera", Level.BAD)
    assert translate(silent.says, "de") == "es kommt kein Bild"  # it was: the camera sendet nichts


def test_a_good_table_is_green_and_a_dim_one_says_what_to_do() -> None:
    found = table_findings(Frame(picture(camera()), 0.0, 0), LENS, KIT)
    assert set(levels(found).values()) == {Level.GOOD}
    found = table_findings(Frame(picture(camera(), light=0.005), 0.0, 0), LENS, KIT)
    assert levels(found)["table"] is Level.BAD
    assert "light" in str(found[0].says)


def test_a_lens_file_that_was_given_is_examined(tmp_path: Path) -> None:
    """The doctor of `serve --lens` said that the lens file is missing."""
    save_lens(LENS, tmp_path / "given.json")
    found = calibration_findings(Kept(tmp_path / "table", lens=tmp_path / "given.json"), time.time())
    assert levels(found)["calibration"] is Level.GOOD


def test_the_command_prints_a_line_a_finding_and_fails_where_one_is_bad(call: Call, tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    cv2.imwrite(str(pictures / "0.png"), picture(camera()))
    given = ("doctor", "--camera", str(pictures), "--data", str(tmp_path))
    ended = call(*given)
    assert ended.status == 1
    assert "BAD      calibration: the lens file is missing: open /setup" in ended.out
    (tmp_path / "table").mkdir()
    save_lens(LENS, tmp_path / "table" / "lens.json")
    ended = call(*given, "--json")
    told = {one["name"]: one for one in map(json.loads, ended.out.splitlines())}
    assert told["fiducials"]["level"] == "good"
    assert told["lens"]["level"] == "warning"
    assert told["certificate"]["todo"] == "run the drill at /setup before an event"


def test_on_a_box_the_settings_of_its_table_count(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`sudo companion doctor` named port 8000, and the box's pages are on port 80."""
    settings = tmp_path / "companion.toml"
    settings.write_text(f'port = 80\ndata = "{tmp_path}"\ncamera = "{tmp_path}"\npins = "{tmp_path / "none.toml"}"\n')
    monkeypatch.setattr(camera_loop, "SETTINGS", settings)
    told = {one["name"]: one for one in map(json.loads, call("doctor", "--json").out.splitlines())}
    assert ":8000" not in told["network"]["says"]
    assert "none.toml" in json.dumps(told["buttons"])
    assert str(tmp_path) in json.dumps(told["camera"])


def test_buttons_that_are_stuck_or_chatter_are_said_until_they_are_pressed_well(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    for name in load_pins().buttons:
        kept.press(name)
    kept.trouble("undo", "bounced")
    assert "chatters: undo" in str(button_findings(kept, None, open_pins=lambda: None)[0].says)
    kept.trouble("end_throw", "stuck")
    found = button_findings(kept, None, open_pins=lambda: None)[0]
    assert (found.level, str(found.says)) == (Level.BAD, "stays pressed: end throw")
    kept.press("end_throw")
    kept.press("undo")
    assert button_findings(kept, None, open_pins=lambda: None)[0].level is Level.GOOD


def test_a_broker_that_is_gone_is_said(tmp_path: Path) -> None:
    hub = tmp_path / "hub.json"
    with socket.create_server(("127.0.0.1", 0)) as broker:
        hub.write_text(json.dumps({"name": "T1", "host": "127.0.0.1", "port": broker.getsockname()[1]}))
        assert hub_finding(hub).level is Level.GOOD
    assert "no broker answers at 127.0.0.1" in str(hub_finding(hub).says)
    assert hub_finding(tmp_path / "none.json").level is Level.BAD


def test_a_box_that_is_not_well_is_said_on_every_phone_and_again_well_no_more(tmp_path: Path) -> None:
    """A weak supply was told by the doctor alone, whom nobody asks during a match."""
    now_s, found = [0.0], [bad("voltage", Says("the power supply is too weak"), Says("use the Pi's own"))]
    guard = TableChecks(Kept(tmp_path), lambda: found, lambda: now_s[0])
    seen = Glance(Sight.SEES, Says("the table is seen"))
    told = guard(seen, None)  # type: ignore[arg-type]
    assert (told.sight, told.code) == (Sight.SEES, "box_ill")
    assert "the power supply is too weak; use the Pi's own" in str(told.says)
    found.clear()
    assert guard(seen, None).code == "box_ill"  # type: ignore[arg-type]
    now_s[0] += EXAMINED_S
    assert guard(seen, None) == seen  # type: ignore[arg-type]


def test_speed_is_measured_for_each_game(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    games = ("center_point",)
    monkeypatch.setattr(speed, "LOOKS", 1)
    monkeypatch.setattr(speed, "GAMES", games)
    said = call("doctor", "--speed", "--json")
    assert said.status == 0, said.err
    assert [line["game"] for line in said.lines] == list(games)
    assert all(0 < line["median_ms"] <= line["slowest_ms"] for line in said.lines)
