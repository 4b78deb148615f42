"""Servers that tests and benchmarks start and kill: mosquitto with the hub's own files, and PostgreSQL."""

from __future__ import annotations

import contextlib
import getpass
import os
import random
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from companion.event.hub.broker import enroll, set_up
from companion.event.hub.mqtt import Credentials


def free_port() -> int:
    """A port that no program uses. Linux gives none of this range to outgoing connections, so it stays free."""
    with socket.socket() as probe:
        while True:
            port = random.SystemRandom().randrange(20_000, 32_000)
            with contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return port


def wait(holds: Callable[[], object], timeout_s: float, says: str) -> None:
    """Waits for other processes until `holds` is true."""
    deadline = time.monotonic() + timeout_s
    while not holds():
        if time.monotonic() > deadline:
            raise SystemExit(f"failed: {says}")
        time.sleep(0.05)


def listens(port: int) -> bool:
    """Whether a program answers on a port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Mosquitto:
    """One mosquitto process, with the very files that `companion hub broker` writes."""

    def __init__(self, folder: Path, *, has_tls: bool = False) -> None:
        self.folder, self.port = folder, free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.hub = set_up(folder, "127.0.0.1", self.port, has_tls=has_tls)

    def enroll(self, box: str) -> Credentials:
        return enroll(self.folder, box)

    def start(self) -> None:
        if self._process is not None:
            return
        program = shutil.which("mosquitto") or shutil.which("/usr/sbin/mosquitto")
        if program is None:
            raise SystemExit(
                "no mosquitto, expected Debian's: make test installs it, or type: apt-get install mosquitto"
            )
        with open(self.folder / "log", "ab") as log:
            command = [program, "-c", str(self.folder / "mosquitto.conf")]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        wait(lambda: listens(self.port), 30, "the broker does not listen")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class Postgres:
    """One PostgreSQL server in a new folder; Debian keeps its programs out of the path."""

    def __init__(self, folder: Path) -> None:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl")) or [Path(shutil.which("pg_ctl") or "")]
        if not found[-1].is_file():
            raise SystemExit(
                "no PostgreSQL, expected Debian's: make test installs it, or type: apt-get install postgresql"
            )
        self._programs, self._folder = found[-1].parent, folder
        self._as_user: list[str] = []
        folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            shutil.chown(folder, "postgres")
            self._as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        user = "postgres" if self._as_user else getpass.getuser()
        self._port = free_port()
        self.url = f"postgresql://{user}@127.0.0.1:{self._port}"
        self._run("initdb", "-D", folder / "data", "-U", user, "-A", "trust", "--no-sync", "-E", "UTF8")
        self.start()

    def _run(self, program: str, *given: str | Path) -> None:
        command = [*self._as_user, str(self._programs / program), *map(str, given)]
        done = subprocess.run(command, cwd=self._folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(done.stderr)

    def new(self) -> str:
        """Makes an empty database; returns its URL."""
        import psycopg

        name = f"hub_{os.urandom(4).hex()}"
        with psycopg.connect(f"{self.url}/postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return f"{self.url}/{name}"

    def start(self) -> None:
        options = f"-p {self._port} -k {self._folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        given = ("-D", self._folder / "data", "-o", options, "-l", self._folder / "log", "-w")
        self._run("pg_ctl", *given, "start")

    def kill(self) -> None:
        """Ends every process of the server at once, in the middle of their work."""
        self._run("pg_ctl", "-D", self._folder / "data", "-m", "immediate", "-w", "stop")
