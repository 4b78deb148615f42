"""The appliance: systemd is told, settings are known, backups come back whole, scripts say what is wrong."""

from __future__ import annotations

import gzip
import os
import shutil
import socket
import sqlite3
import stat
import subprocess
import tarfile
import tomllib
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from companion.app import camera_loop, real_table
from companion.app.address import Announced, TableAddress
from companion.app.kept import Kept
from companion.app.process import Heartbeat
from companion.cli.serve import NO_SETTINGS, command
from tests.cli.conftest import Call

SET_UP = Path(__file__).resolve().parent.parent.parent / "docs" / "setup"


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[tuple[socket.socket, dict[str, str]]]:
    """systemd's end of the socket, and the environment it would give."""
    heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    heard.bind(str(tmp_path / "notify"))
    heard.settimeout(5)
    yield heard, {"NOTIFY_SOCKET": str(tmp_path / "notify")}
    heard.close()


def test_one_fault_of_the_check_does_not_end_the_heartbeat(listening: tuple[socket.socket, dict[str, str]]) -> None:
    heard, env = listening
    checks: list[int] = []

    def is_alive() -> bool:
        checks.append(len(checks))
        if len(checks) == 1:
            raise RuntimeError("the check failed")
        return True

    beat = Heartbeat(is_alive, env | {"WATCHDOG_USEC": "90000"})
    beat.start()
    assert heard.recv(100).startswith(b"READY=1")
    assert heard.recv(100) == b"WATCHDOG=1"
    assert len(checks) >= 2  # the first one gave no sign of life
    beat.close()


def test_every_setting_stands_in_the_file_that_is_installed_and_no_other() -> None:
    lines = (SET_UP / "companion.toml").read_text().splitlines()
    given = [line.removeprefix("# ") for line in lines if " = " in line and not line.startswith("# Settings")]
    assert set(tomllib.loads("\n".join(given))) == {option.name for option in command.params} - {*NO_SETTINGS}
    assert set(tomllib.loads("\n".join(lines))) == {"port", "data"}


def test_a_backup_comes_back_whole_and_takes_the_place_of_nothing(call: Call, tmp_path: Path) -> None:
    """Also its owner's alone: the broker's key came back so that everybody could read it."""
    data, file = tmp_path / "data", tmp_path / "b.tar.gz"
    (data / "matches").mkdir(parents=True)
    (data / "table").mkdir()
    (data / "table" / "lens.json").write_text("{}")
    (data / "table" / "ca.key").touch(mode=0o600)
    log = sqlite3.connect(data / "matches" / "one-0001.db")  # stays open: a match is played
    log.execute("pragma journal_mode=wal")
    log.execute("create table entries (words text)")
    log.execute("insert into entries values ('kept')")
    log.commit()
    assert call("backup", "--data", str(data), "-o", str(file)).status == 0
    log.close()
    there = tmp_path / "other"
    assert call("backup", "--data", str(there), "--restore", str(file)).status == 0
    copy = sqlite3.connect(there / "matches" / "one-0001.db")
    assert copy.execute("select words from entries").fetchall() == [("kept",)]
    copy.close()
    assert [stat.S_IMODE(each.stat().st_mode) for each in (file, there / "table" / "ca.key")] == [0o600] * 2
    again = call("backup", "--data", str(there), "--restore", str(file))
    assert again.status == 1
    assert "3 files were there already and stay" in again.err
    file.write_bytes(b"no archive")
    assert "expected a file of `companion backup`" in call("backup", "--restore", str(file)).err


def test_a_backup_that_cannot_be_made_says_why_and_what_helps(call: Call, tmp_path: Path) -> None:
    """One of a folder that is not there was written, with nothing in it; and whatever was wrong, the disk was full."""
    file, data = tmp_path / "b.tar.gz", tmp_path / "data"
    ended = call("backup", "--data", str(tmp_path / "nope"), "-o", str(file))
    assert (ended.status, ended.out, file.exists()) == (2, "", False)
    assert f"there is no folder {tmp_path / 'nope'}, expected one with matches: give it with --data" in ended.err
    (data / "matches").mkdir(parents=True)
    ended = call("backup", "--data", str(data), "-o", "/dev/full")
    assert (ended.status, Path("/dev/full").exists()) == (1, True)
    assert ended.err.endswith("(No space left on device): free the disk\n")
    (data / "matches" / "one-0001.db").write_text("no log, and long enough to be taken for a header of a database")
    ended = call("backup", "--data", str(data), "-o", str(file))
    assert (ended.status, file.exists()) == (1, False)
    assert "one-0001.db cannot be copied (file is not a database): mend that file, or move it away" in ended.err


def test_a_backup_that_fails_leaves_the_one_before(call: Call, tmp_path: Path) -> None:
    """On a full disk the new one could not be written, and the old one of that name was gone."""
    file, data = tmp_path / "b.tar.gz", tmp_path / "data"
    data.mkdir()
    (data / "one-0001.db").write_text("no database")
    file.write_bytes(b"the one before")
    ended = call("backup", "--data", str(data), "-o", str(file))
    assert (ended.status, file.read_bytes()) == (1, b"the one before")


def backup_of(path: Path, *members: tuple[str, int]) -> Path:
    """A backup with files of these names and sizes in bytes."""
    with tarfile.open(path, "w:gz", compresslevel=1, format=tarfile.GNU_FORMAT) as packed:
        for name, size in members:
            member = tarfile.TarInfo(name)
            member.size = size
            with open("/dev/zero", "rb") as zeros:
                packed.addfile(member, zeros)
    return path


@pytest.mark.parametrize("last", ["table/" + "n" * 300, "demo/one.jpg/two.jpg", "demo/file/two.jpg"])
def test_a_backup_of_which_one_file_cannot_be_put_back_puts_none_back(call: Call, tmp_path: Path, last: str) -> None:
    """It stopped half-way at a name of 300 letters: some files were back, and nobody knew which."""
    there = tmp_path / "there"
    (there / "demo").mkdir(parents=True)
    (there / "demo" / "file").write_text("a file")
    before = sorted(there.rglob("*"))
    file = backup_of(tmp_path / "b.tar.gz", ("matches/one-0001.db", 9), ("demo/one.jpg", 9), (last, 9))
    ended = call("backup", "--data", str(there), "--restore", str(file))
    assert (ended.status, ended.err.count("\n")) == (1, 1)
    assert "cannot be put back (" in ended.err
    assert sorted(there.rglob("*")) == before


def test_a_large_file_of_a_backup_is_not_held_in_memory(call: Call, tmp_path: Path) -> None:
    """A member was read whole: 14 MB held 3 GB, and the box had no memory left."""
    size = 64_000_000
    file = backup_of(tmp_path / "b.tar.gz", ("demo/large.jpg", size))
    tracemalloc.start()
    ended = call("backup", "--data", str(tmp_path / "there"), "--restore", str(file))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ended.status == 0
    assert (tmp_path / "there" / "demo" / "large.jpg").stat().st_size == size
    assert most < size / 4


def test_a_name_that_is_as_long_as_memory_is_refused(call: Call, tmp_path: Path) -> None:
    """The name of a member is a part of its own, and tar reads it whole."""
    path, size = tmp_path / "b.tar.gz", 40_000_000
    head = tarfile.TarInfo("././@LongLink")
    head.type, head.size = tarfile.GNUTYPE_LONGNAME, size
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(head.tobuf(tarfile.GNU_FORMAT) + b"n" * size)
    ended = call("backup", "--data", str(tmp_path / "there"), "--restore", str(path))
    assert (ended.status, (tmp_path / "there").exists()) == (1, False)
    assert "a header of 40000512 bytes" in ended.err or "a header of 40000000 bytes" in ended.err


def test_a_backup_that_would_fill_the_disk_is_refused_before_anything_is_written(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = backup_of(tmp_path / "b.tar.gz", ("demo/one.jpg", 60_000_000), ("demo/two.jpg", 60_000_000))
    free = shutil._ntuple_diskusage(10**9, 10**9, 300_000_000)  # type: ignore[attr-defined]
    monkeypatch.setattr(shutil, "disk_usage", lambda path: free)
    ended = call("backup", "--data", str(tmp_path / "there"), "--restore", str(file))
    assert (ended.status, (tmp_path / "there").exists()) == (1, False)
    assert "its files need 0.1 GB, and 0.1 GB may be filled: free the disk" in ended.err


def test_on_a_box_the_backup_is_of_the_table_that_starts_by_itself(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`companion backup`, as the guide says, looked into the home of whoever typed it."""
    data, settings = tmp_path / "a b", tmp_path / "companion.toml"
    (data / "table").mkdir(parents=True)
    (data / "table" / "lens.json").write_text("{}")
    settings.write_text(f'data = "{data}"\n')
    monkeypatch.setattr(camera_loop, "SETTINGS", settings)
    made = call("backup", "-o", str(tmp_path / "b.tar.gz"))
    assert made.out.endswith(f"1 files of {data}\n")
    back = call("backup", "--restore", str(tmp_path / "b.tar.gz"), "--data", str(tmp_path / "there"))
    assert "Its settings are not put back" in back.out


def test_a_missing_network_is_one_sentence(tmp_path: Path) -> None:
    """Eleven lines of apt and pip were printed, and none said what to do."""
    apt = tmp_path / "apt-get"
    apt.write_text("#!/bin/sh\necho 'W: Temporary failure resolving deb.debian.org' >&2\nexit 100\n")
    apt.chmod(0o755)
    words = f'sudo=""; . "{SET_UP}/apt.sh"; apt_busy() {{ false; }}; apt_install nothing'
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ended = subprocess.run(["sh", "-c", words], env=env, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (
        1,
        "There is no network: connect this machine to the internet once, then run this again.\n",
    )


@dataclass
class Box:
    """An appliance below a folder, with fakes for what only a real system has."""

    root: Path
    env: dict[str, str]

    @property
    def base(self) -> Path:
        return self.root / "opt" / "companion"

    def version(self, name: str) -> Path:
        """A version that was built."""
        at = self.base / "releases" / name
        at.mkdir(parents=True)
        (at / ".ready").touch()
        return at

    def offer(self, name: str) -> None:
        """The package of another version, as dpkg unpacks it."""
        at = self.root / "usr" / "share" / "tabletop-companion"
        at.mkdir(parents=True, exist_ok=True)
        (at / "version").write_text(f"{name}\n")

    def script(self, name: str, *words: str) -> subprocess.CompletedProcess[str]:
        command = ["sh", str(SET_UP / name), *words]
        return subprocess.run(command, env=self.env, capture_output=True, text=True, check=False)

    def running(self) -> str:
        return (self.base / "current").resolve().name


@pytest.fixture
def box(tmp_path: Path) -> Box:
    """A box on version `old`. Its systemd starts the service as often as the unit says, and only `old` says READY."""
    fakes = {
        "sleep": "exit 0",
        "sync": "exit 0",
        "udevadm": "exit 0",
        "systemctl": 'echo "$*" >>"$AT/told"; case "$*" in *is-active*) echo active;; *restart*) '
        'for _ in 1 2 3 4; do sh "$SET_UP/box.sh" starting; case "$(readlink "$AT/opt/companion/current")" in '
        '*/broken) ;; *) sh "$SET_UP/box.sh" started; break;; esac; done;; esac',
    }
    (tmp_path / "bin").mkdir()
    for name, script in fakes.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    env = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "AT": str(tmp_path), "SET_UP": str(SET_UP)}
    made = Box(tmp_path, env | {"COMPANION_ROOT": str(tmp_path), "COMPANION_SYSTEMD": "1", "COMPANION_ANY": "1"})
    (made.base).mkdir(parents=True)
    (made.base / "current").symlink_to(made.version("old"))
    return made


def test_a_new_version_runs_once_it_says_ready_and_the_one_before_is_kept(box: Box) -> None:
    box.version("older")
    box.version("new")
    box.offer("new")
    ended = box.script("box.sh", "configure")
    assert ended.returncode == 0, ended.stderr
    assert box.running() == "new"
    assert sorted(each.name for each in (box.base / "releases").iterdir()) == ["new", "old"]
    assert "daemon-reexec" in (box.root / "told").read_text()  # reads the processor's watchdog
    assert box.script("box.sh", "back").returncode == 0
    assert box.running() == "old"


def test_a_version_that_does_not_start_is_taken_back(box: Box) -> None:
    box.version("broken")
    box.offer("broken")
    ended = box.script("box.sh", "configure")
    assert ended.returncode == 0, ended.stderr
    assert "broken did not start: old runs again" in ended.stdout
    assert box.running() == "old"


def test_a_power_cut_in_an_update_does_not_keep_a_version_that_does_not_start(box: Box) -> None:
    """The link was turned, and nobody counted the starts after the box had power again."""
    old, broken = box.base / "releases" / "old", box.version("broken")
    (box.base / "previous").symlink_to(old)
    (box.base / "starts").write_text("0\n")
    (box.base / "current").unlink()
    (box.base / "current").symlink_to(broken)
    for _ in range(4):
        assert box.running() == "broken"
        box.script("box.sh", "starting")
    assert box.running() == "old"
    assert not (box.base / "starts").exists()


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A signed release whose package is random bytes."""
    at, key = tmp_path / "release", tmp_path / "companion.key"
    at.mkdir()
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True)
    public = subprocess.run(["openssl", "pkey", "-in", key, "-pubout"], capture_output=True, text=True, check=True)
    (at / "install.sh").write_text((SET_UP / "install.sh").read_text().replace("@KEY@", public.stdout))
    arch = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
    (at / f"tabletop-companion_9.9_{arch}.deb").write_bytes(os.urandom(2000))
    names = sorted(each.name for each in at.iterdir())
    sums = subprocess.run(["sha256sum", *names], cwd=at, capture_output=True, check=True)
    (at / "SHA256SUMS").write_bytes(sums.stdout)
    sign = ["openssl", "pkeyutl", "-sign", "-inkey", key, "-rawin", "-in", at / "SHA256SUMS"]
    subprocess.run([*sign, "-out", at / "SHA256SUMS.sig"], check=True)
    return at


@pytest.mark.skipif(os.geteuid() != 0, reason="the script asks for root before it reads the release")
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("SHA256SUMS", "the signature is wrong"),
        ("tabletop-companion_9.9_*.deb", "a file does not match its checksum"),
    ],
)
def test_a_release_that_was_changed_is_refused_before_anything_changes(release: Path, change: str, words: str) -> None:
    for each in release.glob(change):
        each.write_bytes(each.read_bytes() + b"\n")
    for name in ("apt-get", "dpkg-query"):  # neither may be asked to change anything
        (release.parent / name).write_text(f'#!/bin/sh\necho "$@" >>{release.parent}/asked\nexit 1\n')
        (release.parent / name).chmod(0o755)
    env = {"PATH": f"{release.parent}:{os.environ['PATH']}", "COMPANION_ANY": "1"}
    ended = subprocess.run(
        ["sh", str(release / "install.sh")], env=env, capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.returncode == 1
    assert words in ended.stderr
    asked = release.parent / "asked"
    assert "install" not in (asked.read_text() if asked.exists() else "")


def test_systemd_starts_a_table_anew_whose_camera_hung_too_often(
    listening: tuple[socket.socket, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stayed blind until somebody switched the box off and on. Without systemd it goes on by hand."""
    heard, env = listening
    ended: list[int] = []
    given: dict[str, Any] = {}
    monkeypatch.setattr(os, "_exit", ended.append)
    monkeypatch.setattr(real_table, "supervised", lambda open_camera, **how: given.update(how))
    real_table.RealTable(Kept(tmp_path), lambda: pytest.fail("no camera is opened"))
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    given["on_stuck"]({})
    assert ended == []
    given["on_stuck"](env)
    assert ended == [os.EX_TEMPFAIL]
    assert heard.recv(100) == b"STATUS=the camera hung too often"
    unit = (SET_UP / "companion.service").read_text()
    assert "\nRestart=always\n" in unit
    assert "\nStartLimitIntervalSec=0\n" in unit


def test_the_table_is_found_by_its_name() -> None:
    zeroconf = pytest.importorskip("zeroconf")

    def asked() -> Any:
        with zeroconf.Zeroconf(interfaces=["127.0.0.1"]) as asking:
            host = socket.gethostname().split(".")[0]
            return asking.get_service_info("_http._tcp.local.", f"Companion {host}._http._tcp.local.", 5000)

    # beside, for a browser test before it may have left an event loop in this thread
    urls: list[str] = []
    with Announced(TableAddress("127.0.0.1", 8123), urls.append, ["127.0.0.1"]), ThreadPoolExecutor(1) as beside:
        found = beside.submit(asked).result()
    assert (found.port, urls) == (8123, ["http://127.0.0.1:8123/"])
