"""A hub's files, and a table's reports to a hub. The hub's libraries are imported only if needed."""

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from companion.app.data import with_games
from companion.app.door import TableDoor
from companion.game.errors import CompanionError
from companion.record.entry import FAULTS
from companion.record.file import connected_to_read

DATABASE = "hub.db"
SERVED = "database"
"""File with the address of the database that this folder's hub served last. Only its owner may read it."""


def hub_dir(data: Path | None) -> Path:
    """Folder of the hub's log and its broker's files."""
    return with_games(data) / "hub"


def database_of(folder: Path) -> str:
    """The database of a hub's folder: the one it served last, else an SQLite file in it."""
    served = folder / SERVED
    return served.read_text(encoding="utf-8") if served.is_file() else str(folder / DATABASE)


def remember(folder: Path, database: str) -> None:
    """Notes the database that a hub serves, so that every later command of that folder finds it."""
    from companion.event.hub.broker import write

    address = _address(database)
    if address != _address(database_of(folder)):
        write(folder / SERVED, address.encode())


def is_hub(database: str) -> bool:
    """Whether this is a hub's database: an address, or an SQLite file with a hub's tables."""
    if "://" in database or not Path(database).is_file():
        return "://" in database
    try:
        with contextlib.closing(connected_to_read(Path(database))) as db:
            return ("events",) in db.execute("SELECT name FROM sqlite_master").fetchall()
    except FAULTS:
        return False


def _address(database: str) -> str:
    return database if "://" in database else str(Path(database).resolve())


class HubNotInstalled(CompanionError, ImportError):
    """The libraries of the hub are not installed."""


Beside = Callable[[TableDoor], AbstractContextManager[Any]]


def reports(hub: Path | None, folder: Path) -> Beside:
    """A context that reports a door to the hub by these credentials. Raises: LinkError, HubNotInstalled."""
    if hub is None:
        return lambda door: nullcontext()
    needs_hub()
    from companion.app.reporting import given_by, reporting

    given = given_by(hub)
    return lambda door: reporting(door, given, folder)


def needs_hub() -> None:
    """Raises: HubNotInstalled."""
    try:
        import paho.mqtt  # noqa: F401
        import sqlalchemy  # noqa: F401
    except ImportError as error:
        raise HubNotInstalled(
            f"the hub's library {error.name} is not installed: make hub installs it, or pip install -e .[hub]"
        ) from error
