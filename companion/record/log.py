"""The match log: append-only, hash-chained entries in SQLite, with the pictures that support them.

After `append` has returned, an entry survives a kill (WAL, synchronous FULL). Triggers refuse every change. Pictures
are stored by their SHA-256 and pruned by the age of the newest entry that names them."""

import contextlib
import json
import logging
import math
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.game.errors import LogError
from companion.game.says import Says
from companion.record import entry as bodies
from companion.record.file import keep_pruned, only_writer, opened, opened_to_read, remove, wal, what_helps, why_not

SLOT_BYTES = 160
_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Witnessed:
    """The newest entry that a log's witness file saw, in one of two slots: so a cut end is noticed."""

    seq: int
    hash: str


def _file_of(path: Path) -> tuple[int, int] | None:
    """Identifies the file under a path by its disk and number; None if it is not accessible."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def witness_of(path: Path) -> Path:
    return path.with_name(path.name + "-witness")


def keep_witness(path: Path, seen: Witnessed) -> None:
    """Writes down that an entry is in the log. A failure is only logged on the box: the entry counts all the same."""
    said = f"{seen.seq} {seen.hash}"
    slot = (f"{said} {bodies.sha256_of(said.encode())}".ljust(SLOT_BYTES - 1) + "\n").encode()
    slots = _slots(path)
    # replaces a slot that is damaged or belongs to another copy of the log, else the older one
    older = min((0, 1), key=lambda which: slots[which].seq if which in slots and slots[which].seq < seen.seq else -1)
    try:
        file = os.open(witness_of(path), os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK, 0o644)
        try:
            os.pwrite(file, slot if slots else 2 * slot, SLOT_BYTES * older)
            os.fdatasync(file)
        finally:
            os.close(file)
    except OSError as error:
        _LOGGER.warning("%s: the newest entry could not be witnessed (%s); it is in the log", path, error)


def witnessed(path: Path) -> Witnessed | None:
    """The newest entry in a log's witness file; None without the file, or without a whole slot in it."""
    return max(_slots(path).values(), key=lambda seen: seen.seq, default=None)


def _slots(path: Path) -> dict[int, Witnessed]:
    try:
        # O_NONBLOCK: does not wait if there is a pipe in its place
        file = os.open(witness_of(path), os.O_RDONLY | os.O_NONBLOCK)
        try:
            raw = os.read(file, 2 * SLOT_BYTES)
        finally:
            os.close(file)
    except OSError:
        return {}
    found = {}
    for which, start in enumerate(range(0, len(raw), SLOT_BYTES)):
        with contextlib.suppress(ValueError):
            seq, digest, check = raw[start : start + SLOT_BYTES].decode("ascii").split()
            if check == bodies.sha256_of(f"{seq} {digest}".encode()):
                found[which] = Witnessed(int(seq), digest)
    return found


class Log:
    """One match's log, open for writing by one process. Raises: LogError; Held if another process writes it."""

    def __init__(self, path: Path) -> None:
        self.path, self._wal = path, wal(path)
        self._mutex = threading.Lock()
        self._lock = only_writer(path)
        was_there = path.exists()
        try:
            self._db = opened(path)
            self._file, self._newest = _file_of(path), _file_of(self._wal)
        except LogError:
            if not was_there:
                remove(path)
            self._lock.close()
            raise

    def append(
        self, at_s: float, kind: str, by: str, body: bodies.Body | Mapping[str, Any], evidence: Sequence[bytes] = ()
    ) -> bodies.Entry:
        """Writes an entry and its evidence in one durable transaction and returns it. Raises: LogError."""
        return self.append_all(at_s, (bodies.Writing(kind, by, body, evidence),))[0]

    def append_all(self, at_s: float, writings: Sequence[bodies.Writing]) -> tuple[bodies.Entry, ...]:
        """Writes several entries of one moment in one durable transaction: all of them or none. Raises: LogError."""
        self._must_be_there()
        try:
            if _file_of(self._wal) != self._newest:
                self._open_anew()
            with self._mutex, self._db:
                entered = tuple(self._append(at_s, writing) for writing in writings)
        except sqlite3.Error as error:
            says = "{path}: the entry could not be written ({error}); nothing was entered: {todo}"
            told = {"path": str(self.path), "error": str(error), "todo": what_helps(error)}
            raise LogError(Says(says, told)) from error
        if entered:
            keep_witness(self.path, Witnessed(entered[-1].seq, entered[-1].hash))
        return entered

    def _must_be_there(self) -> None:
        """Raises: LogError if the file was taken away: SQLite would go on writing, and that would be lost."""
        if self._file is None or _file_of(self.path) != self._file:
            says = Says(
                "{path}: the file was removed or replaced; nothing was entered: put it back, or end companion and "
                "start it again",
                {"path": str(self.path)},
            )
            raise LogError(says)

    def _open_anew(self) -> None:
        """Saves a write-ahead file that was taken away: SQLite would go on writing to it until the end."""
        with self._mutex:
            with contextlib.suppress(sqlite3.ProgrammingError):  # it was closed, and could not be opened again
                is_held, _, _ = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                if is_held:
                    raise LogError(
                        f"{self.path}: {self._wal.name} was taken away, and what was in it cannot be saved while "
                        "another program reads the log; nothing was entered: end that program and try again"
                    )
                self._db.close()
            self._db = opened(self.path)
            self._newest = _file_of(self._wal)
        _LOGGER.warning("%s was taken away; what was in it is in %s now", self._wal, self.path.name)

    def _append(self, at_s: float, new: bodies.Writing) -> bodies.Entry:
        row = self._db.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").fetchone()
        seq, previous = (row[0] + 1, row[1]) if row else (1, bodies.FIRST_HASH)
        shas = tuple(bodies.sha256_of(item) for item in new.evidence)
        text = bodies.canonical(bodies.plain(new.body))
        digest = bodies.hash_for(seq, at_s, new.kind, new.by, text, shas, previous)
        self._db.executemany(
            "INSERT OR IGNORE INTO evidence VALUES (?, ?, ?)",
            [(sha, at_s, item) for sha, item in zip(shas, new.evidence, strict=True)],
        )
        stored = (seq, at_s, new.kind, new.by, text, json.dumps(shas), previous, digest)
        self._db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", stored)
        return bodies.decoded(stored)

    def entries(self) -> Iterator[bodies.Entry]:
        """All entries in order. Raises: LogError at the first that does not decode."""
        yield from bodies.entries_of(self._db, self.path)

    def picture(self, sha256: str) -> bytes | None:
        """A piece of evidence by its hash; None if it is unknown, pruned or damaged, or the log is closed."""
        try:
            with self._mutex:
                row = self._db.execute("SELECT body FROM evidence WHERE sha256 = ?", (sha256,)).fetchone()
        except sqlite3.Error:  # the rulings stand without the picture
            return None
        return bytes(row[0]) if row is not None and isinstance(row[0], bytes) else None

    def prune(self, kept_from: int) -> int:
        """Removes the evidence that no entry from this one on names; returns how many. Raises: LogError."""
        try:
            with self._mutex, self._db:
                gone = _unnamed(self._db, self.path, kept_from)
                if gone:
                    self._db.executemany("DELETE FROM evidence WHERE sha256 = ?", [(sha,) for sha in gone])
                    keep_pruned(self._db, kept_from)
        except sqlite3.Error as error:
            why = f"old pictures could not be removed ({error}): {what_helps(error)}"
            raise LogError(f"{self.path}: {why}") from error
        try:
            with self._mutex:
                if gone or _is_hollow(self._db):
                    self._db.execute("VACUUM")
        except sqlite3.Error as error:
            _LOGGER.warning("%s: old pictures were removed, and their room is not free yet: %s", self.path, error)
        return len(gone)

    def discard(self) -> None:
        """Closes the log, and removes its file if it is empty."""
        try:
            kept = self._db.execute("SELECT 1 FROM entries UNION ALL SELECT 1 FROM evidence LIMIT 1").fetchone()
        except sqlite3.Error as error:
            kept = error
        if kept is not None:
            self.close()
            return
        self._db.close()
        remove(self.path)
        self._lock.close()

    def checkpoint(self) -> None:
        """Folds the write-ahead file into the log: the one file then holds the whole match."""
        try:
            with self._mutex:
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            _LOGGER.warning(
                "%s: its newest entries stay in %s (%s): nothing is lost, keep both files; the next start reads both",
                self.path,
                self._wal.name,
                error,
            )

    def close(self) -> None:
        """Folds the write-ahead file into the log and lets the next writer open it."""
        try:
            self.checkpoint()
        finally:
            with self._mutex:  # another thread may be reading a picture for a phone
                self._db.close()
            self._lock.close()


def read_log(path: Path) -> list[bodies.Entry]:
    """All entries of a log, without writing to it. Raises: LogError; Unwritten for an empty one."""
    with contextlib.closing(opened_to_read(path, bodies.KEEP)) as db:
        return list(bodies.entries_of(db, path))


@contextlib.contextmanager
def pictures_of(path: Path) -> Iterator[Callable[[str], bytes | None]]:
    """Reads the evidence of a log, which is not opened for writing. Raises: LogError."""
    with contextlib.closing(opened_to_read(path, bodies.KEEP)) as db:

        def picture(sha256: str) -> bytes | None:
            row = db.execute("SELECT body FROM evidence WHERE sha256 = ?", (sha256,)).fetchone()
            return None if row is None else bytes(row[0])

        yield picture


def moments(path: Path) -> list[tuple[int, float]]:
    """Number and time (wall seconds) of a log's entries in order, without writing to it. Raises: LogError."""
    with contextlib.closing(opened_to_read(path, bodies.KEEP)) as db:
        try:
            found = db.execute("SELECT seq, at_s FROM entries ORDER BY seq").fetchall()
        except sqlite3.Error as error:
            raise LogError(why_not(path, error, bodies.KEEP)) from error
    return [(seq, at_s) for seq, at_s in found if isinstance(at_s, float) and math.isfinite(at_s)]


def is_prunable(path: Path, kept_from: int) -> bool:
    """Whether `Log.prune` would remove evidence or free space, without writing to the log. Raises: LogError."""
    with contextlib.closing(opened_to_read(path, bodies.KEEP)) as db:
        try:
            return bool(_unnamed(db, path, kept_from)) or _is_hollow(db)
        except sqlite3.Error as error:
            raise LogError(why_not(path, error, bodies.KEEP)) from error


def _is_hollow(db: sqlite3.Connection) -> bool:
    """Whether the file has free pages: pictures were removed but their space was not released, as on a full disk."""
    return bool(db.execute("PRAGMA freelist_count").fetchone()[0])


def _unnamed(db: sqlite3.Connection, path: Path, kept_from: int) -> list[str]:
    kept = [sha for (sha,) in db.execute("SELECT sha256 FROM evidence")]
    if not kept or kept_from <= 1:
        return []
    named = {sha for entry in bodies.entries_of(db, path) if entry.seq >= kept_from for sha in entry.evidence}
    return [sha for sha in kept if sha not in named]
