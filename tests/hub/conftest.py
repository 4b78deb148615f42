"""Hubs on SQLite and on PostgreSQL: what holds on one holds on the other."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.hub.hall import Hall

NAMES = ("Ann", "Ben", "Cora", "Dan", "Eve", "Finn", "Gil", "Hana")


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        found: int = probe.getsockname()[1]
        return found


def _programs() -> Path:
    """PostgreSQL's programs; Debian keeps them out of the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    if found:
        return found[-1].parent
    at = shutil.which("pg_ctl")
    if at is None:
        pytest.fail("no PostgreSQL, expected Debian's: make test installs it, or type: apt-get install postgresql")
    return Path(at).parent


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A PostgreSQL of its own; the URL of its server."""
    programs = _programs()
    folder = Path(tempfile.mkdtemp(prefix="companion-pg-"))
    as_user: list[str] = []
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        shutil.chown(folder, "postgres")
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    user = "postgres" if as_user else getpass.getuser()
    port = free_port()

    def run(*command: str | Path) -> None:
        done = subprocess.run([*as_user, *map(str, command)], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    run(programs / "initdb", "-D", folder / "data", "-U", user, "-A", "trust", "--no-sync", "-E", "UTF8")
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    run(programs / "pg_ctl", "-D", folder / "data", "-o", options, "-l", folder / "log", "-w", "start")
    yield f"postgresql://{user}@127.0.0.1:{port}"
    run(programs / "pg_ctl", "-D", folder / "data", "-m", "immediate", "-w", "stop")
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def new_postgres(postgres: str) -> Callable[[], str]:
    """Makes an empty database and gives its URL."""
    import psycopg

    def make() -> str:
        name = f"hub_{os.urandom(4).hex()}"
        with psycopg.connect(f"{postgres}/postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return f"{postgres}/{name}"

    return make


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "hub.db")
    made: str = request.getfixturevalue("new_postgres")()
    return made


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """A hub with an event of eight, nothing paired yet."""
    made = Hall(tmp_path / "hub.db", NAMES)
    yield made
    made.close()
