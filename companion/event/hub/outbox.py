"""A table's messages that the hub has not acknowledged. Each is a file of its own: no power cut and no hour without
network loses one."""

import hashlib
import logging
import threading
from pathlib import Path
from typing import TypeVar

import msgspec

from companion.event.hub.link import HubMessage, Orders
from companion.game.text_file import keep, sync_folder

T = TypeVar("T")
_LOGGER = logging.getLogger(__name__)

ORDERS = "orders.json"
BEGUN = "begun.json"
CALLS = "calls.json"
LAST = "last.txt"


class Begun(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which match was begun for which orders."""

    orders: Orders = Orders()
    match: str = ""
    """Empty while it is being begun, and where that is not known: the box went down meanwhile."""
    is_refused: bool = False
    """Whether these orders cannot be begun here."""


class Outbox:
    """A folder of a table's own. Writing is durable before a call returns; threads take turns."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)

    def put(self, told: HubMessage) -> None:
        """Keeps a message; one of the same id is kept once."""
        path = self._path(told.id)
        if not path.exists():
            self._write(path, msgspec.json.encode(told))

    def waiting(self) -> list[HubMessage]:
        """Unacknowledged messages, the oldest first. A file spoilt by a broken card is set aside."""
        with self._lock:
            found = sorted(self._folder.glob("say-*.json"), key=lambda path: (path.stat().st_mtime_ns, path.name))
            return [told for path in found if (told := self._told(path)) is not None]

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
        return self._read(ORDERS, Orders, Orders())

    def keep_orders(self, orders: Orders) -> None:
        """Keeps the newest orders."""
        self._write(self._folder / ORDERS, msgspec.json.encode(orders))

    @property
    def begun(self) -> Begun:
        """The match that was begun last for orders."""
        return self._read(BEGUN, Begun, Begun())

    def keep_begun(self, begun: Begun) -> None:
        """Keeps which match was begun for which orders."""
        self._write(self._folder / BEGUN, msgspec.json.encode(begun))

    @property
    def calls(self) -> dict[str, str]:
        """Calls that the hub may know and whose end it was not sent; each with the order it was made in."""
        return self._read(CALLS, dict[str, str], {})

    def keep_calls(self, calls: dict[str, str]) -> None:
        """Keeps them."""
        self._write(self._folder / CALLS, msgspec.json.encode(calls))

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

    def _told(self, path: Path) -> HubMessage | None:
        try:
            return msgspec.json.decode(path.read_bytes(), type=HubMessage)
        except msgspec.MsgspecError as error:
            _LOGGER.warning("%s cannot be read (%s) and is put aside: look at the hub's desk", path, error)
            path.rename(path.with_suffix(".damaged"))
            return None

    def _read(self, name: str, kind: type[T], without: T) -> T:
        path = self._folder / name
        if not path.is_file():
            return without
        try:
            return msgspec.json.decode(path.read_bytes(), type=kind)
        except msgspec.MsgspecError as error:
            _LOGGER.warning("%s cannot be read (%s) and is left", path, error)
            return without

    def _write(self, path: Path, content: bytes) -> None:
        with self._lock:
            keep(path, content)
            sync_folder(self._folder)
