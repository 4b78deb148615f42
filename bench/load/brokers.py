"""The brokers of `bench.load soak`: mosquitto with the hub's own files, or three RabbitMQ nodes."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from companion.event.hub.broker import enroll, set_up
from companion.event.hub.mqtt import Credentials

RABBITMQ = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
PLUGIN = "[rabbitmq_mqtt].\n"
NODES = 3


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        found: int = probe.getsockname()[1]
        return found


def wait(holds: Callable[[], object], timeout_s: float, says: str) -> None:
    """Waits for other processes."""
    deadline = time.monotonic() + timeout_s
    while not holds():
        if time.monotonic() > deadline:
            raise SystemExit(f"failed: {says}")
        time.sleep(0.05)


def listens(port: int) -> bool:
    """Whether somebody answers on a port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Brokers(Protocol):
    """The brokers that carry a hall's messages."""

    hub: Credentials
    is_whole_hall: bool
    """Whether no message arrives while it is killed; otherwise other nodes take over."""

    def enroll(self, box: str) -> Credentials:
        """A table's credentials."""

    def start(self) -> None:
        """Starts what does not run, and waits until it is there."""

    def kill(self) -> None:
        """As a cable that is pulled."""

    def close(self) -> None:
        """Ends all of it."""


class Mosquitto:
    """One broker."""

    is_whole_hall = True

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


class Rabbits:
    """A cluster of three; another one of them is killed each time. Debian's rabbitmq-server, as it is installed."""

    is_whole_hall = False

    def __init__(self, folder: Path) -> None:
        if not RABBITMQ.exists():
            raise SystemExit(f"{RABBITMQ} is not there: apt-get install rabbitmq-server")
        self._folder = folder
        self._amqp = [free_port() for _ in range(NODES)]
        self._mqtt = [free_port() for _ in range(NODES)]
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._next = 0
        home = folder / "home"
        home.mkdir(parents=True)
        cookie = home / ".erlang.cookie"
        cookie.write_text("hall" * 5)
        cookie.chmod(0o400)
        self.hub = self.enroll("hub")

    def enroll(self, box: str) -> Credentials:
        hosts = tuple(f"127.0.0.1:{port}" for port in self._mqtt[1:])
        return Credentials(box, "127.0.0.1", self._mqtt[0], "guest", "guest", hosts=hosts)

    def start(self) -> None:
        for n in range(NODES):
            if n not in self._processes:
                self._processes[n] = self._started(n)
        for n in range(NODES):
            wait(lambda n=n: listens(self._mqtt[n]), 300, f"node {n} does not listen")  # type: ignore[misc]

    def kill(self) -> None:
        gone, self._next = self._next, (self._next + 1) % NODES
        process = self._processes.pop(gone)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def close(self) -> None:
        for process in self._processes.values():
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        shutil.rmtree(self._folder / "mnesia", ignore_errors=True)

    def _started(self, n: int) -> subprocess.Popen[bytes]:
        own = self._folder / f"node{n}"
        own.mkdir(exist_ok=True)
        nodes = "".join(
            f"cluster_formation.classic_config.nodes.{i + 1} = hall{i}-{self._amqp[i]}@localhost\n"
            for i in range(NODES)
        )
        (own / "rabbitmq.conf").write_text(
            f"listeners.tcp.1 = 127.0.0.1:{self._amqp[n]}\nmqtt.listeners.tcp.1 = 127.0.0.1:{self._mqtt[n]}\n"
            f"mqtt.exchange = amq.topic\ncluster_formation.peer_discovery_backend = classic_config\n{nodes}"
        )
        (own / "plugins").write_text(PLUGIN)
        environment = {
            **os.environ,
            "HOME": str(self._folder / "home"),
            "RABBITMQ_NODENAME": f"hall{n}-{self._amqp[n]}@localhost",
            "RABBITMQ_NODE_PORT": str(self._amqp[n]),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_CONFIG_FILE": str(own / "rabbitmq"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(own / "plugins"),
            "RABBITMQ_MNESIA_BASE": str(self._folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(own),
            "RABBITMQ_PID_FILE": str(own / "pid"),
        }
        with open(own / "out.log", "ab") as log:
            return subprocess.Popen([str(RABBITMQ)], stdout=log, stderr=log, env=environment, start_new_session=True)
