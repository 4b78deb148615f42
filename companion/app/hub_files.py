"""The files of a hub."""

from __future__ import annotations

from pathlib import Path

from companion.app.data import with_games

DATABASE = "hub.db"
SERVED = "database"
"""File with the address of the database that this folder's hub served last. Only its owner may read it."""


def hub_dir(data: Path | None) -> Path:
    """Where the hub keeps its book and its broker's files."""
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


def _address(database: str) -> str:
    """A database's address from any folder."""
    return database if "://" in database else str(Path(database).resolve())
