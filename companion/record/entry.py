"""The entries of a match log, each with the hash of the one before it, and how they are stored as text."""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from companion.game.errors import LogError

FIRST_HASH = "0" * 64
KEEP = (
    "the file is kept as it is: check it with `companion verify`, and begin a new match by `companion serve` with --new"
)
"""Advice for a damaged log."""
FAULTS = (sqlite3.Error, UnicodeDecodeError)
"""Errors from reading a damaged file. UnicodeDecodeError: SQLite's message may quote bytes that are not text."""
Row = tuple[Any, ...]
"""The stored columns: seq, at_s, kind, by, body, evidence, previous, hash."""


LONG = 300
"""Minimum length of a body that is kept compressed, in letters."""


ALIKE, FARTHEST = 64, 1 << 15
"""Number of bodies compressed with one dictionary, and its maximum size in bytes (zlib's window)."""


class _Packer:
    """Compresses bodies with an earlier body as the dictionary: most throws are written alike."""

    def __init__(self) -> None:
        self._like = b"{"
        self._packed = 0
        self._keys: dict[tuple[str, ...], tuple[str, ...]] = {}

    def packed(self, text: str) -> tuple[bytes, bytes]:
        """The compressed text and its dictionary."""
        plain, like = text.encode(), self._like
        packing = zlib.compressobj(zdict=like)
        if self._packed % ALIKE == 0:
            self._like = plain[:FARTHEST]
        self._packed += 1
        return packing.compress(plain) + packing.flush(), like

    def keys(self, body: Mapping[str, Any]) -> tuple[str, ...]:
        """The keys of a body, shared by all bodies with the same keys."""
        keys = tuple(map(sys.intern, body))
        return self._keys.setdefault(keys, keys)


class Packed(Mapping[str, Any]):
    """A long body, kept compressed: a match keeps all its entries, but few of them are needed again.

    >>> body = Packed('{"action":{"kind":"throw"},"shown":[]}')
    >>> "action" in body, body["action"], len(body)
    (True, {'kind': 'throw'}, 2)
    """

    __slots__ = ("_keys", "_like", "_packed")
    _packer = _Packer()

    def __init__(self, text: str) -> None:
        self._packed, self._like = self._packer.packed(text)
        self._keys = self._packer.keys(self._all())

    def _all(self) -> Mapping[str, Any]:
        return unpacked(self._packed, self._like)

    def __getitem__(self, key: str) -> Any:
        if key not in self._keys:
            raise KeyError(key)
        return self._all()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


@lru_cache(maxsize=64)
def unpacked(packed: bytes, like: bytes) -> Mapping[str, Any]:
    """The decompressed body; recent ones are cached, because views show them again."""
    unpacking = zlib.decompressobj(zdict=like)
    body: Mapping[str, Any] = json.loads(unpacking.decompress(packed))
    return body


def body_of(text: str) -> Mapping[str, Any]:
    """The body of an entry whose JSON is known to be good."""
    return Packed(text) if len(text) >= LONG else json.loads(text)


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
    """An entry before it has its number."""

    kind: str
    by: str
    body: Mapping[str, Any]
    evidence: Sequence[bytes] = ()


def is_as_entered(entry: Entry) -> bool:
    """Whether an entry's content gives its hash. If not, somebody or a failing disk changed it after it was entered."""
    try:
        return hash_of(entry, canonical(dict(entry.body))) == entry.hash
    except (ValueError, TypeError):  # JSON that `append` would not have written
        return False


def sha256_of(data: bytes) -> str:
    """The SHA-256 of bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def hash_for(seq: int, at_s: float, kind: str, by: str, text: str, evidence: Sequence[str], previous: str) -> str:
    """An entry's hash from all its fields, with its body as the stored `text`."""
    return sha256_of(canonical([seq, at_s, kind, by, text, list(evidence), previous]).encode())


def hash_of(entry: Entry, text: str) -> str:
    """The hash of an entry with a body stored as `text`."""
    return hash_for(entry.seq, entry.at_s, entry.kind, entry.by, text, entry.evidence, entry.previous)


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
    told = told if len(body) < LONG else Packed(body)
    return Entry(
        seq=seq,
        at_s=at_s,
        kind=sys.intern(kind),
        by=sys.intern(by),
        body=told,
        evidence=tuple(shas),
        previous=sys.intern(previous),
        hash=sys.intern(digest),
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
