"""The broker of `bench.load soak`: mosquitto with the hub's own files."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from companion.event.hub.broker import enroll, set_up
from companion.event.hub.mqtt import Credentials


def free_port() -> int:
    """A port that no program uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        found: int = probe.getsockname()[1]
        return found


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
    """One mosquitto process."""

    def __init__(self, folder: Path, log: Path) -> None:
        self._folder, self._log = folder, log
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.hub = set_up(folder, "127.0.0.1", self._port, has_tls=False)

    def enroll(self, box: str) -> Credentials:
        return enroll(self._folder, box)

    def start(self) -> None:
        if self._process is not None:
            return
        program = "/usr/sbin/mosquitto" if Path("/usr/sbin/mosquitto").exists() else "mosquitto"
        with open(self._log, "ab") as log:
            command = [program, "-c", str(self._folder / "mosquitto.conf")]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        wait(lambda: listens(self._port), 30, "the broker does not listen")

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._process = None

    def close(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
