"""What a table has said and the hub has not acknowledged: a file each, so that no power cut and no hour without network
loses one."""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path

import msgspec

from companion.hub.link import Orders, Told

ORDERS = "orders.json"
BEGUN = "begun.txt"
LAST = "last.txt"


class Outbox:
    """A folder of a table's own. Writing is durable before a call returns; threads take turns."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)

    def put(self, told: Told) -> None:
        """Keeps a message; one of the same id is kept once."""
        path = self._path(told.id)
        if not path.exists():
            self._write(path, msgspec.json.encode(told))

    def waiting(self) -> list[Told]:
        """What is not acknowledged yet, the oldest first."""
        with self._lock:
            found = sorted(self._folder.glob("say-*.json"), key=lambda path: (path.stat().st_mtime_ns, path.name))
            return [msgspec.json.decode(path.read_bytes(), type=Told) for path in found]

    def done(self, id_: str) -> bool:
        """The hub has it; False where it was done already."""
        with self._lock:
            try:
                self._path(id_).unlink()
            except FileNotFoundError:
                return False
            return True

    @property
    def orders(self) -> Orders:
        """The newest orders, also after a start without network."""
        path = self._folder / ORDERS
        return msgspec.json.decode(path.read_bytes(), type=Orders) if path.is_file() else Orders()

    def keep_orders(self, orders: Orders) -> None:
        """Keeps the newest orders."""
        self._write(self._folder / ORDERS, msgspec.json.encode(orders))

    @property
    def begun(self) -> tuple[str, str]:
        """The order that a match was begun for, and that match; empty before."""
        path = self._folder / BEGUN
        order, _, match = path.read_text(encoding="utf-8").partition("\n") if path.is_file() else ("", "", "")
        return order, match

    def keep_begun(self, order: str, match: str) -> None:
        """Keeps which match was begun for an order."""
        self._write(self._folder / BEGUN, f"{order}\n{match}".encode())

    @property
    def last(self) -> str:
        """The id of the result that was said last."""
        path = self._folder / LAST
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    def keep_last(self, id_: str) -> None:
        """Keeps the id of the result that is said now."""
        self._write(self._folder / LAST, id_.encode())

    def _path(self, id_: str) -> Path:
        return self._folder / f"say-{hashlib.sha256(id_.encode()).hexdigest()[:24]}.json"

    def _write(self, path: Path, content: bytes) -> None:
        new = path.with_suffix(".new")
        with self._lock, open(new, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.replace(new, path)
            folder = os.open(self._folder, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
