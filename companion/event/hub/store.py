"""The entries of all events in a database, append-only: SQLite by default, PostgreSQL by URL. The only SQL there is.

Hub processes write one after the other (`Store.turn`). Each entry has a hash, as in a match log."""

import contextlib
import select as polls
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import DisconnectionError, IntegrityError, SQLAlchemyError

from companion.event.facts import decoded, to_json
from companion.event.hub.facts import Fact, HubEntry
from companion.event.refused import EventRefused
from companion.game.errors import CompanionError, first_line
from companion.record.check import OTHER_HASH, Chain, LogVerdict
from companion.record.entry import FIRST_HASH, hash_for, kind_of
from companion.record.file import LISTING, Defined, connected_to_read, defined, foreign

HUB_ID = "house"
"""The log of the hub itself: its organisers and its tables."""
PATIENCE = {"connect_timeout": 5, "tcp_user_timeout": 10_000, "keepalives_idle": 10, "keepalives_interval": 5}
"""PostgreSQL's time limits, s and ms: a database whose machine was switched off is given up after these."""
LOCK = 290_815
"""Number of PostgreSQL's lock for hubs that start; with the hash of a log's id it is the lock of that log."""
TURN_S = 60
"""Longest wait for a turn to write, and longest pause of the hub whose turn it is, s."""

META = sa.MetaData()
EVENTS = sa.Table(
    "events", META, sa.Column("id", sa.String(40), primary_key=True), sa.Column("began_s", sa.Float, nullable=False)
)
ENTRIES = sa.Table(
    "entries",
    META,
    sa.Column("event", sa.String(40), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("by", sa.String(80), nullable=False),
    sa.Column("device", sa.String(40), nullable=False),
    sa.Column("at_s", sa.Float, nullable=False),
    sa.Column("fact", sa.Text, nullable=False),
    sa.Column("key", sa.String(80)),
    sa.UniqueConstraint("event", "key", name="entered_once"),
)
CHAIN = sa.Table(
    "chain",
    META,
    sa.Column("event", sa.String(40), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("hash", sa.String(64), nullable=False),
)
SECRETS = sa.Table(
    "secrets",
    META,
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("kind", sa.String(12), nullable=False),
    sa.Column("event", sa.String(40), nullable=False),
    sa.Column("salt", sa.LargeBinary, nullable=False),
    sa.Column("hash", sa.LargeBinary, nullable=False),
    sa.Column("about", sa.Text, nullable=False),
    sa.Column("made_s", sa.Float, nullable=False),
    sa.Column("gone_s", sa.Float),
)
VERSION = sa.Table(
    "alembic_version",
    META,
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""The version of the tables. Older hubs wrote it with Alembic, and expect it in a database that they open."""
NEWEST = "0002"
WITHOUT_CHAIN = "0001"


class StoreError(CompanionError, OSError):
    """The database cannot be used."""


FAULTS = (SQLAlchemyError, StoreError)
"""Raised by any method of a store while its database is away."""


@dataclass(frozen=True, slots=True)
class Secret:
    """Proof of a device, an invitation or a box; the secret itself is not kept."""

    id: str
    kind: str
    event: str
    salt: bytes
    hash: bytes
    about: str
    made_s: float
    gone_s: float | None = None


class Store:
    """A database of events, brought up to date when it is opened: SQLAlchemy's URL, or an SQLite file's path."""

    def __init__(self, url: str | Path) -> None:
        """Raises: StoreError."""
        with _usable(url) as full:
            self._engine = _engine(full)
            # one message to the server per query
            self._at_once = self._engine.execution_options(isolation_level="AUTOCOMMIT")
            self._turn = threading.Lock()  # one connection for all who write: the others are for those who read
            try:
                with self._engine.begin() as connection:
                    _make(connection)
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        self._engine.dispose()

    # entries

    def events(self) -> list[str]:
        """The ids of all events, the newest first."""
        with self._at_once.connect() as connection:
            found = connection.execute(sa.select(EVENTS.c.id).order_by(EVENTS.c.began_s.desc(), EVENTS.c.id))
            return [str(row.id) for row in found]

    def begin(self, event_id: str, at_s: float, entries: Iterable[HubEntry]) -> None:
        """A new event with its first entries, all of it or nothing. Raises: EventRefused."""
        rows = [_row(event_id, entry) for entry in entries]
        try:
            with self._engine.begin() as connection:
                connection.execute(sa.insert(EVENTS).values(id=event_id, began_s=at_s))
                _enter(connection, event_id, rows)
        except IntegrityError as error:
            raise EventRefused("there is an event {id} already", id=event_id) from error

    def entries(self, event_id: str, after: int = 0) -> list[HubEntry]:
        """The entries of a log after a number, in order."""
        return self.newer({event_id: after}).get(event_id, [])

    def newer(self, than: Mapping[str, int]) -> dict[str, list[HubEntry]]:
        """The entries of several logs after a number of each, in order; logs without any are left out."""
        with self._at_once.connect() as connection:
            return _newer(connection, than)

    @contextlib.contextmanager
    def turn(self, event_id: str) -> "Iterator[Turn]":
        """A turn to write: no other hub does meanwhile. All is entered at the block's end, or nothing. Raises:
        StoreError."""
        if not self._turn.acquire(timeout=TURN_S):
            raise StoreError(f"others have been writing for {TURN_S} s")
        try:
            with self._engine.begin() as connection:
                if connection.dialect.name == "postgresql":
                    connection.execute(_TURN, {"log": event_id})
                else:
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                yield Turn(connection, event_id)
        finally:
            self._turn.release()

    # secrets

    def keep(self, secret: Secret) -> None:
        """Keeps a secret's hash; an older one of the same id is replaced."""
        values = {field: getattr(secret, field) for field in Secret.__dataclass_fields__}
        with self._engine.begin() as connection:
            connection.execute(SECRETS.delete().where(SECRETS.c.id == secret.id))
            connection.execute(sa.insert(SECRETS).values(values))

    def secret(self, id_: str) -> Secret | None:
        """A secret that is still good."""
        with self._at_once.connect() as connection:
            row = connection.execute(
                sa.select(SECRETS).where(SECRETS.c.id == id_, SECRETS.c.gone_s.is_(None))
            ).mappings()
            found = row.first()
        return None if found is None else Secret(**found)

    def spend(self, id_: str, at_s: float) -> bool:
        """Revokes a secret; False if it was revoked or unknown already."""
        asked = sa.update(SECRETS).where(SECRETS.c.id == id_, SECRETS.c.gone_s.is_(None)).values(gone_s=at_s)
        with self._engine.begin() as connection:
            return connection.execute(asked).rowcount == 1


class Turn:
    """The only one who writes to a log until the transaction ends."""

    def __init__(self, connection: sa.Connection, log: str) -> None:
        self._connection, self._log = connection, log

    def newer(self, than: int) -> list[HubEntry]:
        """The entries after a number, in order."""
        return _newer(self._connection, {self._log: than}).get(self._log, [])

    def enter(self, entries: Iterable[HubEntry]) -> None:
        """Enters entries. Raises: IntegrityError for a number or a key that is there already."""
        _enter(self._connection, self._log, [_row(self._log, entry) for entry in entries])


_TURN = sa.text(
    f"SELECT set_config('idle_in_transaction_session_timeout', '{TURN_S}s', true), "
    f"set_config('lock_timeout', '{TURN_S}s', true), pg_advisory_xact_lock({LOCK}, hashtext(:log))"
)


def _newer(connection: sa.Connection, than: Mapping[str, int]) -> dict[str, list[HubEntry]]:
    wanted = sa.or_(*(sa.and_(ENTRIES.c.event == id_, ENTRIES.c.seq > after) for id_, after in than.items()))
    found: dict[str, list[HubEntry]] = {}
    for row in connection.execute(sa.select(ENTRIES).where(wanted).order_by(ENTRIES.c.seq)).mappings():
        fact = decoded(row["fact"], Fact)
        entry = HubEntry(row["seq"], row["by"], fact, row["at_s"], row["device"], row["key"])
        found.setdefault(row["event"], []).append(entry)
    return found


def verdicts(url: str | Path) -> dict[str, LogVerdict]:
    """Checks the entries of every log of a database, without writing to it. Raises: StoreError."""
    with _usable(url) as full:
        engine = _engine(full, is_read=True)
        try:
            with engine.connect() as connection:
                if connection.execute(sa.select(VERSION.c.version_num)).scalar() == WITHOUT_CHAIN:
                    raise StoreError(f"{_shown(full)} has no hashes yet: the next start of this hub makes them")
                logs = connection.execute(sa.select(ENTRIES.c.event).union(sa.select(CHAIN.c.event))).scalars()
                return {log: _verdict(connection, log) for log in sorted(logs)}
        finally:
            engine.dispose()


def _verdict(connection: sa.Connection, log: str) -> LogVerdict:
    asked = sa.select(CHAIN.c.seq, CHAIN.c.hash).where(CHAIN.c.event == log)
    hashes: dict[int, str] = {row.seq: row.hash for row in connection.execute(asked)}
    chain, at_s = Chain(), None
    for row in connection.execute(sa.select(ENTRIES).where(ENTRIES.c.event == log).order_by(ENTRIES.c.seq)).mappings():
        seq, at_s = row["seq"], row["at_s"] if isinstance(row["at_s"], float) else None
        digest = hashes.pop(seq, "")
        try:
            changed = None if digest == _hash_of(row, chain.hash) else f"{OTHER_HASH}, or the entry before it is gone"
        except (TypeError, ValueError) as error:
            changed = str(error)
        chain.follows(seq, chain.hash, digest, changed)
    chain.faults.extend(f"entry {seq} is gone" for seq in sorted(hashes))
    return LogVerdict(chain.entries, chain.hash, tuple(chain.faults), 0, chain.last, at_s)


def _hash_of(row: Mapping[Any, Any], previous: str) -> str:
    about = [row["device"], *([] if row["key"] is None else [row["key"]])]
    return hash_for(row["seq"], row["at_s"], row["kind"], row["by"], row["fact"], about, previous)


def _enter(connection: sa.Connection, log: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Enters rows. Raises: IntegrityError."""
    connection.execute(sa.insert(ENTRIES), rows)
    _link(connection, log)


_NEWEST = (
    sa.select(sa.func.coalesce(sa.func.max(CHAIN.c.seq), 0))
    .where(CHAIN.c.event == sa.bindparam("log"))
    .scalar_subquery()
)
_UNLINKED = (
    sa.select(ENTRIES, CHAIN.c.hash)
    .join_from(ENTRIES, CHAIN, sa.and_(ENTRIES.c.event == CHAIN.c.event, ENTRIES.c.seq == CHAIN.c.seq), isouter=True)
    .where(ENTRIES.c.event == sa.bindparam("log"), ENTRIES.c.seq >= _NEWEST)
    .order_by(ENTRIES.c.seq)
)
"""The newest entry with a hash, and those after it."""


def _link(connection: sa.Connection, log: str) -> None:
    digest, links = FIRST_HASH, []
    for row in connection.execute(_UNLINKED, {"log": log}).mappings():
        digest = row["hash"] or _hash_of(row, digest)
        if row["hash"] is None:
            links.append({"event": log, "seq": row["seq"], "hash": digest})
    if links:
        connection.execute(sa.insert(CHAIN), links)


@contextlib.contextmanager
def _usable(url: str | Path) -> Iterator[str]:
    """The full URL of a database. Raises: StoreError, also for errors of the database."""
    full = url_of(url)
    if not full.startswith(("sqlite+pysqlite:", "postgresql+psycopg:")):
        raise StoreError(f"{_shown(full)} is no database for a hub, expected postgresql://USER@HOST/NAME or a path")
    try:
        yield full
    except (SQLAlchemyError, sqlite3.Error, ImportError) as error:
        raise StoreError(f"the hub's database {_shown(full)} cannot be used: {first_line(error)}") from error


def url_of(url: str | Path) -> str:
    """A database's URL; a bare path is an SQLite file.

    >>> url_of("postgresql://me@box/events"), url_of("hub.db")
    ('postgresql+psycopg://me@box/events', 'sqlite+pysqlite:///hub.db')
    """
    if "://" not in str(url):
        return f"sqlite+pysqlite:///{url}"
    kind, rest = str(url).split("://", 1)
    return f"{ {'postgresql': 'postgresql+psycopg', 'postgres': 'postgresql+psycopg'}.get(kind, kind) }://{rest}"


def _engine(url: str, *, is_read: bool = False) -> sa.Engine:
    if not url.startswith("sqlite"):
        remote = sa.create_engine(url, connect_args=PATIENCE)
        event.listen(remote, "checkout", _check_alive)
        return remote
    path = Path(url.split("///", 1)[1])
    if is_read:
        engine = sa.create_engine(url, creator=lambda: connected_to_read(path))
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        engine = sa.create_engine(url)

    @event.listens_for(engine, "connect")
    def durable(connection: sqlite3.Connection, _: Any) -> None:
        planted = foreign(defined(connection.execute(LISTING)), _made())
        if planted is not None:
            connection.close()
            what = (
                f"its {planted.kind} {planted.name[:40]} is none of a hub's, expected a database that only hubs write"
            )
            raise StoreError(f"the hub's database {_shown(url)} cannot be used: {what}: use a backup")
        for pragma in () if is_read else ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000"):
            connection.execute(f"PRAGMA {pragma}")

    return engine


def _check_alive(connection: Any, *_: Any) -> None:
    """Raises: DisconnectionError: the database ended this connection. A ping would cost as much as the query."""
    ear = polls.poll()
    ear.register(connection.fileno(), polls.POLLIN)
    if connection.closed or ear.poll(0):
        raise DisconnectionError("the database ended this connection")


@cache
def _made() -> frozenset[Defined]:
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        _make(connection)
        found = frozenset(defined(map(tuple, connection.execute(sa.text(LISTING)))))
    engine.dispose()
    return found


def _make(connection: sa.Connection) -> None:
    """Makes missing tables. 0002 added the hashes; an SQLite file of 0001 is copied first. Raises: StoreError."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
    else:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    is_new = not sa.inspect(connection).has_table(VERSION.name)
    found = None if is_new else connection.execute(sa.select(VERSION.c.version_num)).scalar()
    if found == WITHOUT_CHAIN:
        _copy(connection)
    META.create_all(connection)
    if found is None:
        connection.execute(sa.insert(VERSION).values(version_num=NEWEST))
    elif found == WITHOUT_CHAIN:
        for log in connection.execute(sa.select(ENTRIES.c.event).distinct()).scalars().all():
            _link(connection, log)
        connection.execute(sa.update(VERSION).values(version_num=NEWEST))
    elif found != NEWEST:
        raise StoreError(
            f"the hub's database has version {found}, expected {NEWEST}: a newer hub made it, update this one"
        )


def _copy(connection: sa.Connection) -> None:
    file = connection.engine.url.database
    if connection.dialect.name != "sqlite" or not file:
        return
    path = Path(file)
    draft = path.with_name(f"{path.stem}-{WITHOUT_CHAIN}.part")
    draft.unlink(missing_ok=True)
    with contextlib.closing(connected_to_read(path)) as source, contextlib.closing(sqlite3.connect(draft)) as copy:
        source.backup(copy)
    draft.replace(draft.with_suffix(".db"))


def _row(event_id: str, entry: HubEntry) -> dict[str, Any]:
    return {
        "event": event_id,
        "seq": entry.seq,
        "kind": kind_of(entry.fact),
        "by": entry.by[:80],
        "device": entry.device,
        "at_s": float(entry.at_s),
        "fact": to_json(entry.fact).decode(),
        "key": entry.key,
    }


def _shown(url: str) -> str:
    """A URL without the part before the host: it may hold a password."""
    kind, rest = url.split("://", 1)
    return f"{kind}://{rest.rsplit('@', 1)[-1]}"
