"""A real mosquitto of a test's own, that can be killed and started again."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

from companion.event.hub.broker import enroll, set_up
from companion.event.hub.mqtt import Credentials


def program() -> str:
    found = shutil.which("mosquitto") or shutil.which("/usr/sbin/mosquitto")
    if found is None:
        pytest.fail("no mosquitto, expected Debian's: make test installs it, or type: apt-get install mosquitto")
    return found


class Broker:
    """mosquitto with the very files that `companion hub broker` writes."""

    def __init__(self, folder: Path, port: int, *, has_tls: bool = False) -> None:
        self.folder, self.port = folder, port
        self.hub = set_up(folder, "127.0.0.1", port, has_tls=has_tls)
        self._process: subprocess.Popen[bytes] | None = None

    def enroll(self, box: str) -> Credentials:
        return enroll(self.folder, box)

    def start(self) -> None:
        command = [program(), "-c", str(self.folder / "mosquitto.conf")]
        log = open(self.folder / "log", "ab")  # noqa: SIM115
        self._process = subprocess.Popen(command, stdout=log, stderr=log)
        log.close()
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.02)  # a process of its own: nothing tells when it listens
        raise AssertionError((self.folder / "log").read_text())

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
