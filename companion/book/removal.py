"""Takes a person out of every log of a folder.

Each log is written again with a stand-in and new hashes, and the hash from before; then all are replaced."""

import contextlib
import json
import os
import re
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.book.book import FACTS, PlayBook
from companion.book.facts import BookPerson, PersonRemoved, PersonTold, key_of
from companion.game.errors import LogError, Refused
from companion.game.says import Says
from companion.game.text_file import sync_folder
from companion.record.entry import FIRST_HASH, Redacted, Row, canonical, hash_for, kind_of, plain, rows
from companion.record.file import Held, only_writer, opened, opened_to_read, parts, remove
from companion.record.log import Witnessed, keep_witness

NAMES = ("name", "names", "people", "who", "by", "known", "holder", "into", "rival", "values")
"""Fields of entries that hold a name as a whole, also inside them."""
TEXTS = ("words", "reason", "comment", "title", "file")
"""Fields in people's own words: the name is replaced where it stands as a word."""
KEPT = ("action", "actions", "seat", "seats", "place", "template", "phone")
"""Fields without names. A person may be called like a seat."""
_INSERT = "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class _Names:
    """The spellings of a person, and what stands in for them."""

    keys: frozenset[str]
    word: re.Pattern[str]
    stand_in: str

    def whole(self, text: str) -> str:
        """A name or names joined by a plus, such as ``Ann + Ben``."""
        return " + ".join(self.stand_in if key_of(one) in self.keys else one for one in text.split(" + "))

    def put(self, value: Any, field: str = "") -> Any:
        """A body, or a part of it under this field, without the name."""
        match value:
            case dict():
                return {
                    key: each
                    if key in KEPT and field != "play"
                    else self.put(each, key if key in (*NAMES, *TEXTS, "play") else field)
                    for key, each in value.items()
                }
            case list():
                return [self.put(each, field) for each in value]
            case str() if field in TEXTS:
                return self.word.sub(self.stand_in, value)
            case str() if field in NAMES:
                return self.whole(value)
        return value


def remove_person(book: PlayBook, person: BookPerson, stand_in: str) -> int:
    """Replaces a person's names by a stand-in in the book and all its match logs; returns how many.
    Raises: Refused if a match with the person is still open; LogError, and then no log is changed."""
    spelled = "|".join(re.escape(name) for name in sorted(person.names, key=len, reverse=True))
    word = re.compile(rf"(?<!\w)(?:{spelled})(?!\w)", re.IGNORECASE)
    names = _Names(frozenset(map(key_of, person.names)), word, stand_in)
    with contextlib.ExitStack() as held:
        made: list[tuple[Path, Witnessed]] = []
        for path in (path for path in (*book.logs(), book.folder / FACTS) if path.exists()):
            held.callback(remove, _draft(path))
            found = _changed(path, names)
            if found is None:
                continue
            try:
                held.enter_context(contextlib.closing(only_writer(path)))
            except Held as error:
                words = "{name} is in a match that is being played: end it first"
                raise Refused(Says(words, {"name": person.name})) from error
            made.append((path, _written(path, *found)))
        for path, newest in made:
            _put_in_place(path, newest)
    book.read_anew()
    book.tell("the book", [PersonRemoved(stand_in, len(made))])
    return len(made)


def _draft(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")


def _changed(path: Path, names: _Names) -> tuple[list[Row], int] | None:
    """The rows of a log without the name, and how many differ; None if all are as before. Raises: LogError."""
    try:
        with contextlib.closing(opened_to_read(path, "keep the file")) as db:
            stored = list(rows(db))
        told = [_without(row, names) for row in stored]
    except (sqlite3.Error, ValueError) as error:
        raise LogError(f"{path}: cannot be read ({error}), so no name was taken out anywhere") from error
    count = sum(now != row for now, row in zip(told, stored, strict=True))
    return (told, count) if count else None


def _without(row: Row, names: _Names) -> Row:
    seq, at_s, kind, by, body, evidence, previous, digest = row
    told = json.loads(body)
    put = names.put({"body": told})["body"]
    is_portrait = kind == kind_of(PersonTold) and put != told
    now = body if put == told else canonical(put)
    return seq, at_s, kind, names.whole(by), now, "[]" if is_portrait else evidence, previous, digest


def _written(path: Path, told: Sequence[Row], count: int) -> Witnessed:
    """Writes the draft of a log with new hashes. Raises: LogError."""
    try:
        with contextlib.closing(opened_to_read(path, "keep the file")) as old:
            about = old.execute("SELECT key, value FROM about").fetchall()
            named = {sha for row in told for sha in json.loads(row[5])}
            pictures = old.execute("SELECT sha256, at_s, body FROM evidence")
            with contextlib.closing(opened(_draft(path))) as new:
                new.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", about)
                new.executemany("INSERT INTO evidence VALUES (?, ?, ?)", (row for row in pictures if row[0] in named))
                last = Redacted(count, told[-1][7])
                end = (told[-1][0] + 1, time.time(), str(kind_of(last)), "the book", canonical(plain(last)), "[]")
                previous = FIRST_HASH
                for seq, at_s, kind, by, body, evidence in (*(row[:6] for row in told), end):
                    digest = hash_for(seq, at_s, kind, by, body, json.loads(evidence), previous)
                    new.execute(_INSERT, (seq, at_s, kind, by, body, evidence, previous, digest))
                    previous = digest
                new.commit()
                new.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except (sqlite3.Error, OSError) as error:
        raise LogError(f"{path}: the name could not be taken out ({error}); no log was changed: make room") from error
    return Witnessed(end[0], previous)


def _put_in_place(path: Path, newest: Witnessed) -> None:
    """Replaces a log by its draft. The write-ahead file of the old one goes first: it must not meet the new log."""
    with contextlib.closing(opened(path)) as old:
        old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for part in parts(path):
        if part != path:
            part.unlink(missing_ok=True)
    with open(_draft(path), "rb") as made:
        os.fsync(made.fileno())
    _draft(path).replace(path)
    sync_folder(path.parent)
    keep_witness(path, newest)
