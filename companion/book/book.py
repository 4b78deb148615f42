"""The book of a data folder: plays from the match logs, and people's own entries.

`book.db` is a log of people's entries. `book-plays.db` keeps each match's numbers, and can be made again."""

import contextlib
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

import companion
from companion.book.facts import Fact, Household, household
from companion.book.play import Play, play_of
from companion.game.errors import LogError, Refused
from companion.game.known import names
from companion.game.says import Says
from companion.record.entry import KEEP, Retracted, Writing, kind_of, plain, rows
from companion.record.file import Unwritten, opened_to_read, wal
from companion.record.log import Log, pictures_of, read_log

FACTS, PLAYS = "book.db", "book-plays.db"
READING_S = 2.0
"""Time that a page waits while new logs are read."""
_LOGGER = logging.getLogger(__name__)
_PLAY = msgspec.json.Decoder(Play | None)
_Kept = dict[str, tuple[str, Play | None]]
"""By the log's name: the state of its file, and its numbers; None: nothing was begun in it."""


@dataclass(frozen=True, slots=True)
class BookKnown:
    """All that the book knows at one moment, the newest play first. `unread`: match logs still to be read."""

    plays: tuple[Play, ...] = ()
    household: Household = field(default_factory=Household)
    unread: int = 0


class PlayBook:
    """The book of one folder of matches. Any thread may ask. `is_log`: whether a file of this name is a match log."""

    def __init__(self, folder: Path, is_log: Callable[[str], bool], wall_s: Callable[[], float] = time.time) -> None:
        self.folder, self._is_log, self._wall_s = folder, is_log, wall_s
        self._alone = threading.Lock()
        self._kept: _Kept | None = None
        self._known, self._mark = BookKnown(), ""
        self._failed: dict[Path, str] = {}
        """Logs that could not be read in this state."""

    def known(self, within_s: float = READING_S) -> BookKnown:
        """The book now. New logs are read for this long, at least one; 0: none. Raises: LogError."""
        with self._alone:
            has_changed, unread = self._read(within_s)
            mark = _mark(self.folder / FACTS, wal(self.folder / FACTS))
            if has_changed or mark != self._mark or unread != self._known.unread:
                told = self._told() if mark != self._mark else self._known.household
                plays = [play for _, play in (self._kept or {}).values() if play is not None]
                if told.plays:
                    own = {play.id for play in plays}
                    plays += (play for name, play in told.plays.items() if name not in own)
                plays.sort(key=lambda play: (-play.began_s, play.name))
                self._known, self._mark = BookKnown(tuple(plays), told, unread), mark
            return self._known

    def tell(self, by: str, facts: Sequence[Fact], evidence: Sequence[bytes] = ()) -> None:
        """Enters facts, all or none; `evidence` is the picture of the first. Raises: LogError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._alone, contextlib.closing(Log(self.folder / FACTS)) as log:
            log.append_all(
                self._wall_s(),
                [Writing(str(kind_of(fact)), by, plain(fact), evidence if fact is facts[0] else ()) for fact in facts],
            )

    def take_back(self, by: str, entry: int) -> None:
        """Takes back a merging or an import, by its number in `Household`. Raises: Refused; LogError."""
        told = self._told()
        if entry not in (*told.imports, *(seq for seq, _ in told.merged.values())):
            raise Refused(Says("that is taken back already"))
        self.tell(by, [Retracted(entry)])

    def read_anew(self) -> None:
        """Forgets the numbers of all matches; they are read from the logs again."""
        with self._alone:
            self._kept, self._mark = None, ""
            (self.folder / PLAYS).unlink(missing_ok=True)

    def logs(self) -> list[Path]:
        return [self.folder / name for name in sorted(self._files()) if self._is_log(name)]

    def _files(self) -> Mapping[str, os.DirEntry[str]]:
        with contextlib.suppress(FileNotFoundError), os.scandir(self.folder) as files:
            return {file.name: file for file in files}
        return {}

    def picture(self, sha256: str) -> bytes | None:
        """A person's picture; None if there is none of this hash."""
        try:
            with pictures_of(self.folder / FACTS) as picture:
                return picture(sha256)
        except LogError:
            return None

    def _told(self) -> Household:
        path = self.folder / FACTS
        if not path.exists():
            return Household()
        try:
            with contextlib.closing(opened_to_read(path, KEEP)) as db:
                return household(rows(db))
        except Unwritten:
            return Household()
        except (sqlite3.Error, ValueError) as error:
            raise LogError(f"{path}: is damaged ({error}): check it with `companion verify`") from error

    def _read(self, within_s: float) -> tuple[bool, int]:
        """Reads changed logs. Returns whether anything is new, and the number of logs that are left to read."""
        kept = self._stored() if self._kept is None else self._kept
        files = self._files()
        marks = {
            name.removesuffix(".db"): _mark(file, *filter(None, (files.get(f"{name}-wal"),)))
            for name, file in files.items()
            if self._is_log(name)
        }
        gone = [name for name in kept if name not in marks]
        changed = [self._path(name) for name, mark in marks.items() if kept.get(name, ("",))[0] != mark]
        changed = [path for path in changed if self._failed.get(path) != marks[path.stem]]
        changed.sort(key=lambda path: marks[path.stem].partition(" ")[2], reverse=True)  # the newest first
        read: _Kept = {}
        count = 0
        begun_s = time.monotonic()
        for path in changed:
            if not within_s or (count and time.monotonic() - begun_s > within_s):
                break
            count += 1
            try:
                read[path.stem] = marks[path.stem], play_of(path.stem, read_log(path))
            except LogError:  # opening the match reports the fault; another state of the file is tried again
                self._failed[path] = marks[path.stem]
        is_first = self._kept is None
        self._kept = {name: found for name, found in kept.items() if name in marks} | read
        if gone or read:
            self._store(gone, read)
        return bool(is_first or gone or read), len(changed) - count

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.db"

    @staticmethod
    def _format() -> str:
        """Names our version and the known games: the kept numbers depend on both."""
        return f"2 {companion.__version__} {' '.join(names())}"

    def _stored(self) -> _Kept:
        """The numbers that were kept; none if they cannot be used."""
        with contextlib.suppress(sqlite3.Error, msgspec.MsgspecError), self._numbers() as db:
            if db.execute("SELECT 1 FROM plays WHERE format != ? LIMIT 1", (self._format(),)).fetchone() is None:
                found = db.execute("SELECT name, mark, body FROM plays")
                return {name: (mark, _PLAY.decode(body)) for name, mark, body in found}
        with contextlib.suppress(OSError):
            (self.folder / PLAYS).unlink(missing_ok=True)
        return {}

    def _store(self, gone: Iterable[str], read: _Kept) -> None:
        """Keeps the numbers. A failure costs only time: they are made again."""
        told = [(name, self._format(), mark, msgspec.json.encode(play)) for name, (mark, play) in read.items()]
        try:
            with self._numbers() as db, db:
                db.executemany("DELETE FROM plays WHERE name = ?", [(name,) for name in gone])
                db.executemany("INSERT OR REPLACE INTO plays VALUES (?, ?, ?, ?)", told)
        except sqlite3.Error as error:
            _LOGGER.warning("%s: the numbers of %d matches were not kept (%s)", self.folder / PLAYS, len(told), error)

    @contextlib.contextmanager
    def _numbers(self) -> Iterator[sqlite3.Connection]:
        self.folder.mkdir(parents=True, exist_ok=True)
        with contextlib.closing(sqlite3.connect(self.folder / PLAYS)) as db:
            db.execute("CREATE TABLE IF NOT EXISTS plays (name TEXT PRIMARY KEY, format TEXT, mark TEXT, body BLOB)")
            yield db


def _mark(*files: Path | os.DirEntry[str]) -> str:
    found = []
    for file in files:
        try:
            stat = file.stat()
        except OSError:
            continue
        found.append(f"{stat.st_size} {stat.st_mtime_ns}")
    return ", ".join(found)
