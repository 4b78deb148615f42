"""The match log: append-only, hash-chained entries in SQLite, with the pictures they rest on.

WAL and synchronous FULL: what `append` has returned survives a kill at any moment. Triggers refuse every change of an
entry. Each entry holds the hash of the one before it and the hashes of its evidence, so a changed past shows. Pictures
are stored by their SHA-256 and may be pruned by age; the entries that name them stay.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from companion.errors import LogError

FORMAT = 1
FIRST_HASH = "0" * 64

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
class Verdict:
    """What a check of a log found: the number of good entries, and every fault in words."""

    entries: int
    last_hash: str
    faults: tuple[str, ...]
    pruned: int


class Log:
    """One match's log, open for writing by one process.

    Raises: LogError where the file is damaged, is no log, or another process writes it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._guard = threading.Lock()
        self._lock = _only_writer(path)
        try:
            self._db = _opened(path)
        except LogError:
            self._lock.close()
            raise

    def append(self, at_s: float, kind: str, by: str, body: Mapping[str, Any], evidence: Sequence[bytes] = ()) -> Entry:
        """Writes an entry and its evidence in one durable transaction and returns it. Raises: LogError."""
        shas = tuple(sha256_of(item) for item in evidence)
        try:
            with self._guard:
                return self._append(at_s, kind, by, body, evidence, shas)
        except sqlite3.Error as error:
            raise LogError(
                f"{self.path}: the entry could not be written ({error}); nothing was entered: free the disk"
            ) from error

    def _append(
        self, at_s: float, kind: str, by: str, body: Mapping[str, Any], evidence: Sequence[bytes], shas: tuple[str, ...]
    ) -> Entry:
        row = self._db.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").fetchone()
        seq, previous = (row[0] + 1, row[1]) if row else (1, FIRST_HASH)
        text = _canonical(body)
        digest = _hash(seq, at_s, kind, by, text, shas, previous)
        with self._db:
            self._db.executemany(
                "INSERT OR IGNORE INTO evidence VALUES (?, ?, ?)",
                [(sha, at_s, item) for sha, item in zip(shas, evidence, strict=True)],
            )
            self._db.execute(
                "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (seq, at_s, kind, by, text, json.dumps(shas), previous, digest),
            )
        return Entry(
            seq=seq, at_s=at_s, kind=kind, by=by, body=json.loads(text), evidence=shas, previous=previous, hash=digest
        )

    def entries(self) -> Iterator[Entry]:
        """All entries in order. Raises: LogError at the first that does not decode."""
        yield from _entries(self._db, self.path)

    def picture(self, sha256: str) -> bytes | None:
        """A piece of evidence by its hash; None when unknown or pruned."""
        with self._guard:
            row = self._db.execute("SELECT body FROM evidence WHERE sha256 = ?", (sha256,)).fetchone()
        return None if row is None else bytes(row[0])

    def prune(self, before_s: float) -> int:
        """Removes evidence older than a moment (wall seconds); entries stay. Returns how many pictures went."""
        with self._guard, self._db:
            return self._db.execute("DELETE FROM evidence WHERE at_s < ?", (before_s,)).rowcount

    def close(self) -> None:
        """Folds the write-ahead file into the log and lets the next writer in."""
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._db.close()
        self._lock.close()


def read_log(path: Path) -> list[Entry]:
    """All entries of a log, without writing to it. Raises: LogError."""
    db = _opened(path, read_only=True)
    try:
        return list(_entries(db, path))
    finally:
        db.close()


def verify(path: Path) -> Verdict:
    """Checks every entry's hash, the chain, and the evidence that is still there. Raises: LogError if it is no log."""
    db = _opened(path, read_only=True)
    faults: list[str] = []
    previous, last, count, pruned = FIRST_HASH, 0, 0, 0
    try:
        for entry in _entries(db, path):
            text = _canonical(entry.body)
            digest = _hash(entry.seq, entry.at_s, entry.kind, entry.by, text, entry.evidence, entry.previous)
            if entry.seq != last + 1:
                faults.append(f"entry {entry.seq} follows entry {last}, expected {last + 1}: entries are missing")
            if entry.previous != previous:
                faults.append(f"entry {entry.seq} does not follow the entry before it: the chain is broken there")
            if digest != entry.hash:
                faults.append(f"entry {entry.seq} was changed: its content does not give its hash")
            for sha in entry.evidence:
                row = db.execute("SELECT body FROM evidence WHERE sha256 = ?", (sha,)).fetchone()
                if row is None:
                    pruned += 1
                elif not isinstance(row[0], bytes) or sha256_of(row[0]) != sha:
                    faults.append(
                        f"evidence {sha[:12]} of entry {entry.seq} was changed: its content does not give its hash"
                    )
            previous, last, count = entry.hash, entry.seq, count + 1
    except sqlite3.DatabaseError as error:
        faults.append(f"the file is damaged after entry {last}: {error}")
    finally:
        db.close()
    return Verdict(count, previous, tuple(faults), pruned)


def sha256_of(data: bytes) -> str:
    """The SHA-256 of bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def _hash(seq: int, at_s: float, kind: str, by: str, text: str, evidence: Sequence[str], previous: str) -> str:
    return sha256_of(_canonical([seq, at_s, kind, by, text, list(evidence), previous]).encode())


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _opened(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    if read_only and not path.is_file():
        raise LogError(f"{path}: there is no such file, expected a match log")
    try:
        # `mode=ro` still reads what a killed writer left in the write-ahead file
        where = f"{path.resolve().as_uri()}?mode={'ro' if read_only else 'rwc'}"
        db = sqlite3.connect(where, uri=True, check_same_thread=False, timeout=5.0)
        if not read_only:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            db.executescript(_SCHEMA)
            with db:
                db.execute("INSERT OR IGNORE INTO about VALUES ('format', ?)", (str(FORMAT),))
        row = db.execute("SELECT value FROM about WHERE key = 'format'").fetchone()
        db.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").fetchone()
    except sqlite3.Error as error:
        raise LogError(
            f"{path}: is damaged or no match log ({error}); keep the file, check it with `companion verify`, "
            "and begin a new match in another folder with --data"
        ) from error
    if row is None or row[0] != str(FORMAT):
        found = None if row is None else row[0]
        raise LogError(f"{path}: has format {found}, expected {FORMAT}: a newer Companion wrote it, update this one")
    return db


def _entries(db: sqlite3.Connection, path: Path) -> Iterator[Entry]:
    rows = db.execute("SELECT seq, at_s, kind, by, body, evidence, previous, hash FROM entries ORDER BY seq")
    for seq, at_s, kind, by, body, evidence, previous, digest in rows:
        try:
            yield Entry(
                seq=seq,
                at_s=at_s,
                kind=kind,
                by=by,
                body=json.loads(body),
                evidence=tuple(json.loads(evidence)),
                previous=previous,
                hash=digest,
            )
        except ValueError as error:
            raise LogError(
                f"{path}: entry {seq} does not decode ({error}); check the file with `companion verify`"
            ) from error


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
        raise LogError(
            f"{path}: another Companion writes this match, expected one writer: end that one first"
        ) from error
    return lock
