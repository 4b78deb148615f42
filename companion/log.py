"""The match log: append-only, hash-chained entries in SQLite, with the pictures they rest on.

WAL and synchronous FULL: what `append` has returned survives a kill at any moment. Triggers refuse every change of an
entry. Each entry holds the hash of the one before it and the hashes of its evidence, so a changed past shows. Pictures
are stored by their SHA-256 and are pruned by age, each with the newest entry that names it; the entries stay.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import logging
import math
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from companion.errors import LogError

FORMAT = 1
FIRST_HASH = "0" * 64

_LOGGER = logging.getLogger(__name__)

KEEP = (
    "the file is kept as it is: check it with `companion verify`, and begin a new match by `companion serve` with --new"
)
"""What to do about a damaged log."""
_CLOSED = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM)
"""SQLite's codes for a file that is there and whole, for all we know, and cannot be got at."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing that happened. `body` is JSON; `evidence` names pictures and their circumstances by SHA-256."""

    seq: int
    at_s: float
    kind: str
    by: str
    body: Mapping[str, Any]
    evidence: tuple[str, ...]
    previous: str
    hash: str


@dataclass(frozen=True, slots=True)
class Writing:
    """What is to be entered, before it has its number."""

    kind: str
    by: str
    body: Mapping[str, Any]
    evidence: Sequence[bytes] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check of a log found: how many entries, every fault in words, and the newest entry.

    The newest entry's number, time (wall seconds) and hash are for comparing: a chain that was cut short at its end is
    a whole chain, and only somebody who knows how far it went can tell.
    """

    entries: int
    last_hash: str
    faults: tuple[str, ...]
    pruned: int
    last_seq: int = 0
    last_at_s: float | None = None


class Unwritten(LogError):
    """A file in which nothing was ever entered: the box was killed before the match began."""


class Held(LogError):
    """Another process writes this log."""


class Log:
    """One match's log, open for writing by one process.

    Raises: LogError where the file is damaged or is no log; Held where another process writes it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._guard = threading.Lock()
        self._lock = _only_writer(path)
        was_there = path.exists()
        try:
            self._db = _opened(path)
        except LogError:
            if not was_there:
                _remove(path)
            self._lock.close()
            raise

    def append(self, at_s: float, kind: str, by: str, body: Mapping[str, Any], evidence: Sequence[bytes] = ()) -> Entry:
        """Writes an entry and its evidence in one durable transaction and returns it. Raises: LogError."""
        return self.append_all(at_s, (Writing(kind, by, body, evidence),))[0]

    def append_all(self, at_s: float, writings: Sequence[Writing]) -> tuple[Entry, ...]:
        """Writes several entries of one moment in one durable transaction: all of them or none. Raises: LogError."""
        try:
            with self._guard, self._db:
                return tuple(self._append(at_s, writing) for writing in writings)
        except sqlite3.Error as error:
            raise LogError(
                f"{self.path}: the entry could not be written ({error}); nothing was entered: free the disk"
            ) from error

    def _append(self, at_s: float, new: Writing) -> Entry:
        row = self._db.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").fetchone()
        seq, previous = (row[0] + 1, row[1]) if row else (1, FIRST_HASH)
        shas = tuple(sha256_of(item) for item in new.evidence)
        text = _canonical(new.body)
        digest = _hash(seq, at_s, new.kind, new.by, text, shas, previous)
        self._db.executemany(
            "INSERT OR IGNORE INTO evidence VALUES (?, ?, ?)",
            [(sha, at_s, item) for sha, item in zip(shas, new.evidence, strict=True)],
        )
        self._db.execute(
            "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (seq, at_s, new.kind, new.by, text, json.dumps(shas), previous, digest),
        )
        return Entry(
            seq=seq,
            at_s=at_s,
            kind=new.kind,
            by=new.by,
            body=json.loads(text),
            evidence=shas,
            previous=previous,
            hash=digest,
        )

    def entries(self) -> Iterator[Entry]:
        """All entries in order. Raises: LogError at the first that does not decode."""
        yield from _entries(self._db, self.path)

    def picture(self, sha256: str) -> bytes | None:
        """A piece of evidence by its hash; None when unknown, pruned, damaged on the disk, or the log is closed."""
        try:
            with self._guard:
                row = self._db.execute("SELECT body FROM evidence WHERE sha256 = ?", (sha256,)).fetchone()
        except sqlite3.Error:  # what rests on a picture stands without it
            return None
        return bytes(row[0]) if row is not None and isinstance(row[0], bytes) else None

    def prune(self, kept_from: int) -> int:
        """Removes the evidence that no entry of this number or a later one names, and gives its room on the disk back;
        entries stay. Returns how many pieces went. Raises: LogError, and then nothing was removed.
        """
        try:
            with self._guard, self._db:
                gone = _unnamed(self._db, self.path, kept_from)
                self._db.executemany("DELETE FROM evidence WHERE sha256 = ?", [(sha,) for sha in gone])
        except sqlite3.Error as error:
            raise LogError(f"{self.path}: old pictures could not be removed ({error}): free the disk") from error
        if gone:
            try:
                with self._guard:
                    self._db.execute("VACUUM")
            except sqlite3.Error as error:
                _LOGGER.warning("%s: old pictures were removed, and their room is not free yet: %s", self.path, error)
        return len(gone)

    def discard(self) -> None:
        """Closes the log, and takes its file away if nothing was entered in it."""
        try:
            kept = self._db.execute("SELECT 1 FROM entries UNION ALL SELECT 1 FROM evidence LIMIT 1").fetchone()
        except sqlite3.Error as error:
            kept = error
        if kept is not None:
            self.close()
            return
        self._db.close()
        _remove(self.path)
        self._lock.close()

    def checkpoint(self) -> None:
        """Folds the write-ahead file into the log: the one file then holds the whole match."""
        try:
            with self._guard:
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            _LOGGER.warning(
                "%s: its newest entries stay in %s (%s): nothing is lost, keep both files; the next start reads both",
                self.path,
                _wal(self.path).name,
                error,
            )

    def close(self) -> None:
        """Folds the write-ahead file into the log and lets the next writer in."""
        try:
            self.checkpoint()
        finally:
            with self._guard:  # a phone may be given a picture of it now
                self._db.close()
            self._lock.close()


def read_log(path: Path) -> list[Entry]:
    """All entries of a log, without writing to it. Raises: LogError; Unwritten where nothing was ever entered."""
    db = _opened_to_read(path, KEEP)
    try:
        return list(_entries(db, path))
    finally:
        db.close()


def moments(path: Path) -> list[tuple[int, float]]:
    """Number and time (wall seconds) of a log's entries in order, without writing to it. Raises: LogError."""
    db = _opened_to_read(path, KEEP)
    try:
        found = db.execute("SELECT seq, at_s FROM entries ORDER BY seq").fetchall()
    except sqlite3.Error as error:
        raise LogError(_why_not(path, error, KEEP)) from error
    finally:
        db.close()
    return [(seq, at_s) for seq, at_s in found if isinstance(at_s, float) and math.isfinite(at_s)]


def is_prunable(path: Path, kept_from: int) -> bool:
    """Whether `Log.prune` would remove something, without writing to the log. Raises: LogError."""
    db = _opened_to_read(path, KEEP)
    try:
        return bool(_unnamed(db, path, kept_from))
    except sqlite3.Error as error:
        raise LogError(_why_not(path, error, KEEP)) from error
    finally:
        db.close()


def _unnamed(db: sqlite3.Connection, path: Path, kept_from: int) -> list[str]:
    """The evidence that no entry of a number or a later one names."""
    kept = [sha for (sha,) in db.execute("SELECT sha256 FROM evidence")]
    if not kept or kept_from <= 1:
        return []
    named = {sha for entry in _entries(db, path) if entry.seq >= kept_from for sha in entry.evidence}
    return [sha for sha in kept if sha not in named]


def verify(path: Path) -> Verdict:
    """Checks every entry's hash, the chain, and the evidence: what is kept, and that only the oldest is gone.

    Raises: LogError if it is no log.
    """
    db = _opened_to_read(path, "keep the file, and begin a new match by `companion serve` with --new")
    faults: list[str] = []
    previous, last, at_s, count = FIRST_HASH, 0, None, 0
    named: list[Entry] = []
    pruned = 0
    try:
        for row in _rows(db):
            seq, at_s = row[0], None
            if seq != last + 1:
                faults.append(f"entry {seq} follows entry {last}, expected {last + 1}: entries are missing")
            if row[-2] != previous:
                faults.append(f"entry {seq} does not follow the entry before it: the chain is broken there")
            previous, last, count = str(row[-1]), seq, count + 1
            try:
                entry = _decoded(row)
            except ValueError as error:
                faults.append(f"entry {seq} was changed: {error}")
                continue
            at_s = entry.at_s
            # the text as it is stored: another text that parses to the same was not written by Companion
            if _hash_of(entry, row[4]) != entry.hash or json.dumps(entry.evidence) != row[5]:
                faults.append(f"entry {seq} was changed: its content does not give its hash")
            named.append(entry)
        if not count:
            faults.append("there is no entry, expected at least the one that begins the match: was everything deleted?")
        pruned, changed = _evidence_faults(db, named)
        faults += changed
    except sqlite3.Error as error:
        faults.append(f"the file is damaged after entry {last}: {error}")
    finally:
        db.close()
    return Verdict(count, previous, tuple(faults), pruned, last, at_s)


def _evidence_faults(db: sqlite3.Connection, named: Sequence[Entry]) -> tuple[int, list[str]]:
    """How many pieces of evidence that entries name were pruned by age, and the faults of the others.

    `Log.prune` takes all that only entries before one name and nothing else: a piece that is gone while one is kept
    whose newest entry is no newer was taken by somebody else.
    """
    last_named = {sha: entry.seq for entry in named for sha in entry.evidence}
    pruned, faults, kept, changed = 0, [], set(), set()
    try:
        for sha in last_named:
            found = db.execute("SELECT body FROM evidence WHERE sha256 = ?", (sha,)).fetchone()
            if found is not None:
                kept.add(sha)
            if found is not None and (not isinstance(found[0], bytes) or sha256_of(found[0]) != sha):
                changed.add(sha)
    except sqlite3.Error as error:
        return 0, [f"the pictures cannot all be checked: {error}"]
    oldest_kept = min((last_named[sha] for sha in kept), default=math.inf)
    for entry in named:
        for sha in entry.evidence:
            if sha in changed:
                faults.append(
                    f"evidence {sha[:12]} of entry {entry.seq} was changed: its content does not give its hash"
                )
            elif sha not in kept and last_named[sha] >= oldest_kept:
                faults.append(
                    f"evidence {sha[:12]} of entry {entry.seq} is gone and older evidence is kept: it was not pruned "
                    "by age, somebody took it"
                )
            elif sha not in kept:
                pruned += 1
    return pruned, faults


def is_as_entered(entry: Entry) -> bool:
    """Whether an entry's content gives its hash: else somebody, or a failing disk, changed it after it was entered."""
    try:
        return _hash_of(entry, _canonical(entry.body)) == entry.hash
    except (ValueError, TypeError):  # JSON that `append` would not have written
        return False


def sha256_of(data: bytes) -> str:
    """The SHA-256 of bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def _hash(seq: int, at_s: float, kind: str, by: str, text: str, evidence: Sequence[str], previous: str) -> str:
    return sha256_of(_canonical([seq, at_s, kind, by, text, list(evidence), previous]).encode())


def _hash_of(entry: Entry, text: str) -> str:
    return _hash(entry.seq, entry.at_s, entry.kind, entry.by, text, entry.evidence, entry.previous)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


# opening


def _opened(path: Path) -> sqlite3.Connection:
    """The log for writing; its tables come into a new file all at once, or not at all. Raises: LogError."""
    db = None
    try:
        db = _connected(path, "mode=rwc")
        if _tables(db):
            _check_format(db, path, KEEP)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.executescript(
            f"BEGIN IMMEDIATE; {_SCHEMA} INSERT OR IGNORE INTO about VALUES ('format', '{FORMAT}'); COMMIT;"
        )
        db.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").fetchone()
    except (sqlite3.Error, LogError) as error:
        if db is not None:
            db.close()
        raise error if isinstance(error, LogError) else LogError(_why_not(path, error, KEEP)) from error
    return db


def _opened_to_read(path: Path, advice: str) -> sqlite3.Connection:
    """The log for reading. Raises: LogError that ends with `advice`; Unwritten."""
    if path.is_dir():
        raise LogError(f"{path}: is a folder, expected a match log: give the .db file in it")
    if not path.is_file():
        raise LogError(f"{path}: there is no such file, expected a match log")
    # `mode=ro` also reads what a killed writer left in the write-ahead file, but writes beside the log; `immutable`
    # does not, and is right where there is no such file: who writes a log has one
    try:
        return _reading(path, "mode=ro" if _wal(path).exists() else "mode=ro&immutable=1", advice)
    except sqlite3.Error as error:
        if _code(error) in _CLOSED and not _has_wal(path):
            with contextlib.suppress(sqlite3.Error):
                return _reading(path, "mode=ro&immutable=1", advice)
        raise LogError(_why_not(path, error, advice)) from error


def _reading(path: Path, mode: str, advice: str) -> sqlite3.Connection:
    db = _connected(path, mode)
    try:
        if not _tables(db):
            raise Unwritten(f"{path}: is empty, expected a match log: nothing was ever entered in it; {advice}")
        _check_format(db, path, advice)
        db.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").fetchone()
    except (sqlite3.Error, LogError):
        db.close()
        raise
    return db


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    where = f"{path.resolve().as_uri()}?{mode}"
    db = sqlite3.connect(where, uri=True, check_same_thread=False, timeout=5.0)
    # text that is no UTF-8 shows as a fault of its entry and does not end the reading
    db.text_factory = lambda stored: stored.decode("utf-8", "surrogateescape")
    return db


def _tables(db: sqlite3.Connection) -> frozenset[str]:
    return frozenset(name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))


def _check_format(db: sqlite3.Connection, path: Path, advice: str) -> None:
    row = db.execute("SELECT value FROM about WHERE key = 'format'").fetchone()
    if row is None:
        raise LogError(f"{path}: is damaged or no match log (it does not say its format, expected {FORMAT}); {advice}")
    if row[0] != str(FORMAT):
        raise LogError(f"{path}: has format {row[0]}, expected {FORMAT}: a newer Companion wrote it, update this one")


def _why_not(path: Path, error: sqlite3.Error, advice: str) -> str:
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
            f"{path}: its newest entries are in {_wal(path).name}, and reading that needs a folder that can be written "
            f"to ({error}): copy both files to one and try there"
        )
    if code in _CLOSED:
        return (
            f"{path}: cannot be opened ({error}), expected a file that can be read and a disk that works: look at both"
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return f"{path}: another program holds it ({error}): end that program and try again"
    return f"{path}: is damaged or no match log ({error}); {advice}"


def _code(error: sqlite3.Error) -> int | None:
    """SQLite's own primary result code."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _remove(path: Path) -> None:
    """Takes a log in which nothing was entered away; its lock file stays, for another may wait for it."""
    with contextlib.suppress(OSError):
        for part in ("-wal", "-shm", ""):
            path.with_name(path.name + part).unlink(missing_ok=True)


def _wal(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _has_wal(path: Path) -> bool:
    """Whether entries may wait in the write-ahead file."""
    try:
        return _wal(path).stat().st_size > 0
    except OSError:
        return False


# reading

_Row = tuple[Any, ...]


def _rows(db: sqlite3.Connection) -> Iterator[_Row]:
    yield from db.execute("SELECT seq, at_s, kind, by, body, evidence, previous, hash FROM entries ORDER BY seq")


def _entries(db: sqlite3.Connection, path: Path) -> Iterator[Entry]:
    last = 0
    try:
        for row in _rows(db):
            last = row[0]
            yield _decoded(row)
    except sqlite3.Error as error:
        raise LogError(f"{path}: is damaged after entry {last} ({error}); {KEEP}") from error
    except ValueError as error:
        raise LogError(f"{path}: entry {last} was changed: {error}; {KEEP}") from error


def _decoded(row: _Row) -> Entry:
    """An entry from what is stored. Raises: ValueError that says what is stored and what was expected."""
    seq, at_s, kind, by, body, evidence, previous, digest = row
    texts = {"kind": kind, "by": by, "body": body, "evidence": evidence, "previous": previous, "hash": digest}
    for name, text in texts.items():
        if not isinstance(text, str):
            raise ValueError(f"its {name} is {_named(text)}, expected text")
        if not _is_unicode(text):
            raise ValueError(f"its {name} is not UTF-8, expected text")
    if not isinstance(at_s, float) or not math.isfinite(at_s):
        raise ValueError(f"its time is {_named(at_s)}, expected seconds")
    told, shas = _json(body, "body"), _json(evidence, "evidence")
    if not isinstance(told, dict):
        raise ValueError(f"its body is {_named(told)}, expected a JSON object")
    if not isinstance(shas, list):
        raise ValueError(f"its evidence is {_named(shas)}, expected a JSON list of hashes")
    if strangers := [sha for sha in shas if not isinstance(sha, str)]:
        raise ValueError(f"its evidence names {_named(strangers[0])}, expected hashes only")
    return Entry(seq=seq, at_s=at_s, kind=kind, by=by, body=told, evidence=tuple(shas), previous=previous, hash=digest)


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"its {name} is no JSON that Companion writes ({error})") from error


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no finite number")
    return number


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _named(value: object) -> str:
    """What kind of a thing was found, in words."""
    kinds = {bytes: "binary data", str: "text", dict: "an object", list: "a list", bool: "true or false"}
    return "nothing" if value is None else kinds.get(type(value), f"{value}")


def _only_writer(path: Path) -> IO[str]:
    """Holds the lock file beside the log for as long as the returned file is open."""
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
