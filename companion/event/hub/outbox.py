"""A table's messages that the hub has not acknowledged, each in a file of its own: no power cut loses one."""

import hashlib
import logging
import threading
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from companion.event.hub.link import HubMessage, Orders
from companion.game.text_file import keep, sync_folder

T = TypeVar("T")
_LOGGER = logging.getLogger(__name__)


class Begun(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which match was begun for which orders."""

    orders: Orders = Orders()
    match: str = ""
    """Empty while it is being begun, and if that is not known because the box went down."""
    is_refused: bool = False
    """Whether these orders cannot be begun here."""


class _InFile(Generic[T]):
    """A value of an outbox in a file of its own; without a file that can be read it is empty."""

    def __init__(self, name: str, kind: type[T]) -> None:
        self._name, self._kind = name, kind

    def __get__(self, box: "Outbox", _: type) -> T:
        path = box.folder / self._name
        if not path.is_file():
            return self._kind()
        try:
            return msgspec.json.decode(path.read_bytes(), type=self._kind)
        except msgspec.MsgspecError as error:
            _LOGGER.warning("%s cannot be read (%s) and is left", path, error)
            return self._kind()

    def __set__(self, box: "Outbox", value: T) -> None:
        box.write(self._name, value)


class Outbox:
    """A folder of a table's own. Writing is durable before a call returns; threads take turns."""

    orders = _InFile("orders.json", Orders)
    """The newest orders, also after a start without network."""
    begun = _InFile("begun.json", Begun)
    """The match that was begun last for orders."""
    calls = _InFile("calls.json", dict[str, str])
    """Calls that the hub may know and whose end was not sent yet, each with the order it was made in."""
    last = _InFile("last.json", str)
    """The id of the result that was reported last."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)

    def put(self, told: HubMessage) -> None:
        """Keeps a message; one of the same id is kept once."""
        path = self._path(told.id)
        if not path.exists():
            self.write(path.name, told)

    def waiting(self) -> list[HubMessage]:
        """Unacknowledged messages, the oldest first. A file spoilt by a broken card is set aside."""
        with self._lock:
            found = sorted(self.folder.glob("say-*.json"), key=lambda path: (path.stat().st_mtime_ns, path.name))
            return [told for path in found if (told := self._told(path)) is not None]

    def done(self, id_: str) -> bool:
        """The hub has it; False if it was done already."""
        with self._lock:
            try:
                self._path(id_).unlink()
            except FileNotFoundError:
                return False
            return True

    def write(self, name: str, value: object) -> None:
        """Writes a file. Raises: OSError."""
        with self._lock:
            keep(self.folder / name, msgspec.json.encode(value))
            sync_folder(self.folder)

    def _path(self, id_: str) -> Path:
        return self.folder / f"say-{hashlib.sha256(id_.encode()).hexdigest()[:24]}.json"

    def _told(self, path: Path) -> HubMessage | None:
        try:
            return msgspec.json.decode(path.read_bytes(), type=HubMessage)
        except msgspec.MsgspecError as error:
            _LOGGER.warning("%s cannot be read (%s) and is put aside: look at the hub's desk", path, error)
            path.rename(path.with_suffix(".damaged"))
            return None
