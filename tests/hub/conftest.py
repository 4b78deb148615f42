"""Hubs on SQLite and on PostgreSQL: what holds on one holds on the other."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.servers import Mosquitto, Postgres
from tests.hub.hall import Hall

NAMES = ("Ann", "Ben", "Cora", "Dan", "Eve", "Finn", "Gil", "Hana")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL of its own."""
    folder = Path(tempfile.mkdtemp(prefix="companion-pg-"))
    made = Postgres(folder)
    yield made
    made.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "hub.db")
    made: str = request.getfixturevalue("postgres").new()
    return made


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """A hub with an event of eight, nothing paired yet."""
    made = Hall(tmp_path / "hub.db", NAMES)
    yield made
    made.close()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    """A real broker, which a test starts."""
    made = Mosquitto(tmp_path / "broker")
    yield made
    made.kill()
