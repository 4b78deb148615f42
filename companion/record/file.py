"""The file of a match log: SQLite in WAL with synchronous FULL, opened by one writer, and why one does not open.

Its definitions are compared with our own first: a view, a trigger or an index can hold code that SQLite runs."""

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import IO

from companion.game.errors import LogError
from companion.game.says import Says
from companion.record.entry import FAULTS, KEEP


@dataclass(frozen=True, slots=True, order=True)
class Defined:
    """A table, index, view or trigger with its SQL; an index that SQLite made by itself has none.

    >>> made_by("CREATE TABLE IF NOT EXISTS about  (key TEXT);")
    frozenset({Defined(kind='table', name='about', sql='CREATE TABLE about (key TEXT)')})
    """

    kind: str
    name: str
    sql: str


def defined(rows: Iterable[tuple[str, str, str | None]]) -> list[Defined]:
    """The definitions in the rows of `LISTING`. Spaces between words do not count."""
    return [Defined(str(kind), str(name), " ".join(str(sql or "").split())) for kind, name, sql in rows]


LISTING = "SELECT type, name, sql FROM sqlite_master"


@cache
def made_by(script: str) -> frozenset[Defined]:
    """The definitions that a script of SQL makes in a new file."""
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        db.executescript(script)
        return frozenset(defined(db.execute(LISTING)))


def foreign(found: Iterable[Defined], ours: frozenset[Defined]) -> Defined | None:
    """The first definition that is not ours, or is a duplicate; None if all are ours."""
    seen: set[Defined] = set()
    for one in found:
        if one not in ours or one in seen:
            return one
        seen.add(one)
    return None


FORMAT = 1
PRUNED = "pruned_before"
"""The key in `about` for the first entry whose pictures were not pruned."""
_CLOSED = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM)
"""SQLite's codes for a file that exists, is probably whole, and is not accessible."""
_HELD = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
HOLDER_S = 3.0
"""Maximum wait for another program that holds the log, s: less than a phone waits."""
CACHE_KB = 256
"""SQLite's page cache for reading, KiB: small, since entries are read once and pictures seldom."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS entries (
    seq INTEGER PRIMARY KEY, at_s REAL NOT NULL, kind TEXT NOT NULL, by TEXT NOT NULL,
    body TEXT NOT NULL, evidence TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS evidence (sha256 TEXT PRIMARY KEY, at_s REAL NOT NULL, body BLOB NOT NULL);
CREATE TRIGGER IF NOT EXISTS entries_stay BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'the log is append-only: an entry is never changed'); END;
CREATE TRIGGER IF NOT EXISTS entries_are_kept BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'the log is append-only: an entry is never deleted'); END;
CREATE TRIGGER IF NOT EXISTS evidence_stays BEFORE UPDATE ON evidence
    BEGIN SELECT RAISE(ABORT, 'evidence is stored by its hash and never changed'); END;
"""
_FIRST = f"INSERT INTO about VALUES ('format', '{FORMAT}'), ('{PRUNED}', '0');"  # noqa: S608 - our own constants


class Unwritten(LogError):
    """A file in which nothing was ever entered: the box was killed before the match began."""


class Damaged(LogError):
    """A file that is not a match log, or is no longer a valid one."""


class Held(LogError):
    """Another process writes this log."""


def opened(path: Path) -> sqlite3.Connection:
    """The log for writing; a new file gets its tables all at once, or not at all. Raises: LogError."""
    db = None
    try:
        db = _connected(path, "mode=rwc")
        is_new = not _has_our_schema(db, path, KEEP)
        if not is_new:
            _check_format(db, path, KEEP)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA cache_size = -500")  # KiB: written entries are not read again
        db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} {_FIRST if is_new else ''} COMMIT;")
        db.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").fetchone()
    except (*FAULTS, LogError) as error:
        if db is not None:
            db.close()
        raise error if isinstance(error, LogError) else refused(path, error, KEEP) from error
    return db


def opened_to_read(path: Path, advice: str) -> sqlite3.Connection:
    """The log for reading. Raises: LogError that ends with `advice`; Unwritten."""
    if path.is_dir():
        raise LogError(f"{path}: is a folder, expected a match log: give the .db file in it")
    if not path.is_file():
        why = "is a device" if path.exists() else "there is no such file"
        raise LogError(f"{path}: {why}, expected a match log")
    # `mode=ro` also reads a killed writer's write-ahead file, but writes files next to the log. `immutable` does not,
    # and is right if that file is missing: an active writer always has one
    try:
        return _reading(path, "mode=ro" if wal(path).exists() else "mode=ro&immutable=1", advice)
    except FAULTS as error:
        if _code(error) in _CLOSED and not _has_wal(path):
            with contextlib.suppress(*FAULTS):
                return _reading(path, "mode=ro&immutable=1", advice)
        raise refused(path, error, advice) from error


def connected_to_read(path: Path) -> sqlite3.Connection:
    """An SQLite file that is only read. Raises: sqlite3.Error."""
    return _connected(path, "mode=ro" if wal(path).exists() else "mode=ro&immutable=1")


def _reading(path: Path, mode: str, advice: str) -> sqlite3.Connection:
    db = _connected(path, mode)
    try:
        if not _has_our_schema(db, path, advice):
            raise Unwritten(f"{path}: is empty, expected a match log: nothing was ever entered in it; {advice}")
        _check_format(db, path, advice)
        db.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").fetchone()
    except (*FAULTS, LogError):
        db.close()
        raise
    return db


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    where = f"{path.resolve().as_uri()}?{mode}"
    db = sqlite3.connect(where, uri=True, check_same_thread=False, timeout=HOLDER_S)
    try:
        db.execute(f"PRAGMA cache_size = -{CACHE_KB}")  # the first access to the file: it may not be a database
    except sqlite3.Error:
        db.close()
        raise
    # text that is not UTF-8 becomes a fault of its entry and does not end the reading
    db.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
    return db


def _has_our_schema(db: sqlite3.Connection, path: Path, advice: str) -> bool:
    """Whether the tables exist; False in an empty file. Triggers may be missing. Raises: Damaged."""
    found = defined(db.execute(LISTING))
    if not found:
        return False
    ours = made_by(_SCHEMA)
    planted = foreign(found, ours)
    if planted is not None:
        what = f"its {planted.kind} {planted.name[:40]} is none of a match log's"
        raise Damaged(f"{path}: is damaged or no match log ({what}); {advice}")
    missing = [one.name for one in sorted(ours - {*found}) if one.kind == "table"]
    if missing:
        raise Damaged(f"{path}: is damaged or no match log (it has no {missing[0]}); {advice}")
    return True


def missing_triggers(db: sqlite3.Connection) -> list[str]:
    found = {*defined(db.execute(LISTING))}
    return [one.name for one in sorted(made_by(_SCHEMA) - found) if one.kind == "trigger"]


def pruned_before(db: sqlite3.Connection) -> int | None:
    """The first entry whose pictures were not pruned; None in a log of Companion 0.1, which lacks this number."""
    row = db.execute("SELECT value FROM about WHERE key = ?", (PRUNED,)).fetchone()
    return int(row[0]) if row is not None and str(row[0]).isdecimal() else None


def keep_pruned(db: sqlite3.Connection, before: int) -> None:
    """Stores that pictures before this entry may be gone."""
    db.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (PRUNED, str(max(before, pruned_before(db) or 0))))


def _check_format(db: sqlite3.Connection, path: Path, advice: str) -> None:
    row = db.execute("SELECT value FROM about WHERE key = 'format'").fetchone()
    if row is None:
        raise Damaged(f"{path}: is damaged or no match log (it does not say its format, expected {FORMAT}); {advice}")
    if row[0] != str(FORMAT):
        raise LogError(f"{path}: has format {row[0]}, expected {FORMAT}: a newer Companion wrote it, update this one")


def refused(path: Path, error: Exception, advice: str) -> LogError:
    """The error for a log that does not open; Damaged if the file itself is the cause."""
    kind = Damaged if isinstance(error, UnicodeDecodeError) or _code(error) in _DAMAGED else LogError
    return kind(why_not(path, error, advice))


def why_not(path: Path, error: Exception, advice: str) -> str:
    """Why a log does not open: found, expected, what to do."""
    code = _code(error)
    if code == sqlite3.SQLITE_FULL:
        return (
            f"{path}: cannot be opened, for the disk is full: free some of it and try again; nothing of the log is lost"
        )
    if code in _CLOSED and not os.access(path if path.exists() else path.parent, os.R_OK):
        return f"{path}: may not be read by this user, expected a file that may: change its permissions"
    if code in _CLOSED and _has_wal(path):
        return (
            f"{path}: its newest entries are in {wal(path).name}, and reading that needs a folder that can be written "
            f"to ({error}): copy both files to one and try there"
        )
    if code in _CLOSED:
        return (
            f"{path}: cannot be opened ({error}), expected a file that can be read and a disk that works: look at both"
        )
    if code in _HELD:
        return f"{path}: another program holds it ({error}): end that program and try again"
    return f"{path}: is damaged or no match log ({error}); {advice}"


def what_helps(error: sqlite3.Error) -> Says:
    """Advice for an open log that cannot be written."""
    code = _code(error)
    if code == sqlite3.SQLITE_FULL:
        return Says("free the disk")
    if code in _HELD:
        return Says("another program is using the file: close it and try again")
    if code in _CLOSED:
        return Says(
            "the disk fails or is read-only: switch the box off and on. If that does not help, copy the folder of the"
            " matches to another disk and name it with --data"
        )
    return Says("end companion and check the file with `companion verify`")


def _code(error: Exception) -> int | None:
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def parts(path: Path) -> list[Path]:
    """The existing files of a log: its own, SQLite's extra files, and its witness."""
    named = (path.with_name(path.name + end) for end in ("", "-wal", "-shm", "-witness"))
    return [part for part in named if part.exists()]


def remove(path: Path) -> None:
    """Removes an empty log; its lock file stays, because another process may wait for it."""
    with contextlib.suppress(OSError):
        for part in ("-wal", "-shm", "-witness", ""):
            path.with_name(path.name + part).unlink(missing_ok=True)


def wal(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _has_wal(path: Path) -> bool:
    try:
        return wal(path).stat().st_size > 0
    except OSError:
        return False


def only_writer(path: Path) -> IO[str]:
    """Holds the lock file of the log for as long as the returned file is open."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_name(path.name + ".lock").open("w")
    except OSError as error:
        raise LogError(
            f"{path}: cannot be written ({error.strerror}), expected a folder to write in: give one with --data"
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise Held(f"{path}: another Companion writes this match, expected one writer: end that one first") from error
    return lock
