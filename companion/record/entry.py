"""The entries of a log, each with the hash of the one before it, and how they are stored as text."""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.game.errors import LogError
from companion.record.body import Body, body_of, kind_of

FIRST_HASH = "0" * 64
KEEP = (
    "the file is kept as it is: check it with `companion verify`, and begin a new match by `companion serve` with --new"
)
"""Advice for a damaged log."""
FAULTS = (sqlite3.Error, UnicodeDecodeError)
"""Errors from reading a damaged file. UnicodeDecodeError: SQLite's message may quote bytes that are not text."""
Row = tuple[Any, ...]
"""The stored columns: seq, at_s, kind, by, body, evidence, previous, hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing that happened. `evidence` names pictures and their circumstances by SHA-256."""

    seq: int
    at_s: float
    kind: str
    by: str
    body: Body
    evidence: tuple[str, ...]
    previous: str
    hash: str
    is_whole: bool = True
    """Whether the stored content gives the hash. If not, somebody or a failing disk changed it after it was entered."""


@dataclass(frozen=True, slots=True)
class Writing:
    """An entry before it has its number."""

    kind: str
    by: str
    body: Body | Mapping[str, Any]
    evidence: Sequence[bytes] = ()


def written(by: str, body: Body, evidence: Sequence[bytes] = ()) -> Writing:
    """An entry to be written; its kind is that of its body."""
    return Writing(str(kind_of(body)), by, body, evidence)


def sha256_of(data: bytes) -> str:
    """The SHA-256 of bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def hash_for(seq: int, at_s: float, kind: str, by: str, text: str, evidence: Sequence[str], previous: str) -> str:
    """An entry's hash from all its fields, with its body as the stored `text`."""
    return sha256_of(canonical([seq, at_s, kind, by, text, list(evidence), previous]).encode())


def canonical(value: Any) -> str:
    """The one JSON form for storage. Raises: ValueError, TypeError: JSON cannot hold the value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def rows(db: sqlite3.Connection) -> Iterator[Row]:
    """The stored columns of each entry, in order. Raises: sqlite3.Error."""
    yield from db.execute("SELECT seq, at_s, kind, by, body, evidence, previous, hash FROM entries ORDER BY seq")


def entries_of(db: sqlite3.Connection, path: Path) -> Iterator[Entry]:
    """All entries in order. Raises: LogError at the first that does not decode."""
    last = 0
    try:
        for row in rows(db):
            last = row[0]
            yield decoded(row)
    except FAULTS as error:
        raise LogError(f"{path}: is damaged after entry {last} ({error}); {KEEP}") from error
    except ValueError as error:
        raise LogError(f"{path}: entry {last} was changed: {error}; {KEEP}") from error


def decoded(row: Row) -> Entry:
    """An entry from its stored columns. Raises: ValueError with the found and the expected value."""
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
    return Entry(
        seq=seq,
        at_s=at_s,
        kind=sys.intern(kind),
        by=sys.intern(by),
        body=body_of(kind, body),
        evidence=tuple(shas),
        previous=sys.intern(previous),
        hash=sys.intern(digest),
        is_whole=hash_for(seq, at_s, kind, by, body, shas, previous) == digest,
    )


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
    """The kind of a found value, in words."""
    kinds = {bytes: "binary data", str: "text", dict: "an object", list: "a list", bool: "true or false"}
    return "nothing" if value is None else kinds.get(type(value), f"{value}")
