"""Takes a person out of every log of a folder.

A log's entries never change, so the whole log is written again: the name becomes a stand-in, and every hash follows. A
last entry says how many entries were changed, and the hash that the log had before. The new log verifies. It replaces
the old one in one step.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from companion.book.book import FACTS, PlayBook
from companion.book.facts import PersonRemoved
from companion.game.errors import LogError
from companion.record.entry import FIRST_HASH, Redacted, canonical, hash_for, kind_of, plain, rows
from companion.record.file import only_writer, opened, opened_to_read, parts, remove
from companion.record.log import Witnessed, keep_witness

FIELDS = ("name", "names", "who", "by", "known", "holder", "words", "reason", "into", "comment")
"""Fields of entries that may hold a name. Actions hold none."""
KEPT = ("action", "actions")


def remove_person(book: PlayBook, names: Iterable[str], stand_in: str) -> int:
    """Replaces a person's names by a stand-in in the book and in all its match logs.

    Returns: the number of changed logs. Raises: Held if one of them is being played; LogError.
    """
    spelled = [re.escape(name) for name in sorted(names, key=len, reverse=True)]
    name = re.compile(rf"(?<!\w)(?:{'|'.join(spelled)})(?!\w)", re.IGNORECASE)
    logs = [path for path in (*book.logs(), book.folder / FACTS) if path.exists()]
    with contextlib.ExitStack() as held:
        for path in logs:  # all or none: a match that is being played refuses here
            held.enter_context(contextlib.closing(only_writer(path)))
        changed = sum(_written_anew(path, name, stand_in) for path in logs)
    book.read_anew()
    book.tell("the book", [PersonRemoved(stand_in, changed)])
    return changed


def _written_anew(path: Path, name: re.Pattern[str], stand_in: str) -> bool:
    """Whether a log named the person and is without now. Raises: LogError, and then the log is as it was."""
    draft = path.with_name(f"{path.name}.part")
    remove(draft)
    try:
        with contextlib.closing(opened_to_read(path, "keep the file")) as old:
            stored = list(rows(old))
            told = [_without(row[3], row[4], name, stand_in) for row in stored]
            count = sum((by, body) != (row[3], row[4]) for row, (by, body) in zip(stored, told, strict=True))
            if not count:
                return False
            about = old.execute("SELECT key, value FROM about").fetchall()
            pictures = old.execute("SELECT sha256, at_s, body FROM evidence")
            with contextlib.closing(opened(draft)) as new:
                new.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", about)
                new.executemany("INSERT INTO evidence VALUES (?, ?, ?)", pictures)
                previous, seq = FIRST_HASH, 0
                for row, (by, body) in zip(stored, told, strict=True):
                    seq, at_s, kind, evidence = row[0], row[1], row[2], row[5]
                    digest = hash_for(seq, at_s, kind, by, body, json.loads(evidence), previous)
                    new.execute(_INSERT, (seq, at_s, kind, by, body, evidence, previous, digest))
                    previous = digest
                seq, at_s, body = seq + 1, time.time(), canonical(plain(Redacted(count, stored[-1][7])))
                kind = str(kind_of(Redacted))
                digest = hash_for(seq, at_s, kind, "the book", body, [], previous)
                new.execute(_INSERT, (seq, at_s, kind, "the book", body, "[]", previous, digest))
                new.commit()
                new.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        _put_in_place(draft, path)
    except (sqlite3.Error, OSError, ValueError) as error:
        raise LogError(f"{path}: the name could not be taken out ({error}); this log is as it was") from error
    finally:
        remove(draft)
    keep_witness(path, Witnessed(seq, digest))
    return True


_INSERT = "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)"


def _put_in_place(draft: Path, path: Path) -> None:
    with open(draft, "rb") as written:
        os.fsync(written.fileno())
    others = [part for part in parts(path) if part != path]
    draft.replace(path)
    for part in others:  # a witness or write-ahead file of the old log
        part.unlink(missing_ok=True)


def _without(by: str, body: str, name: re.Pattern[str], stand_in: str) -> tuple[str, str]:
    """Author and body of an entry without the name."""
    told = json.loads(body)
    put = _put(told, name, stand_in, is_text=False)
    return name.sub(stand_in, by), body if put == told else canonical(put)


def _put(value: Any, name: re.Pattern[str], stand_in: str, *, is_text: bool) -> Any:
    match value:
        case dict():
            return {
                key: each if key in KEPT else _put(each, name, stand_in, is_text=key in FIELDS)
                for key, each in value.items()
            }
        case list():
            return [_put(each, name, stand_in, is_text=is_text) for each in value]
        case str() if is_text:
            return name.sub(stand_in, value)
    return value
