"""The entries of a log, each with the hash of the one before it, and how they are stored as text.

A body is a struct for each kind, which is its tag. `companion.record.fold` decodes the game's actions in it."""

import hashlib
import json
import math
import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec import Raw, Struct

from companion.game.errors import LogError
from companion.game.margin import Margin
from companion.game.misfit import misfit
from companion.game.says import Says, says_json, says_of_json


class _Body(Struct, frozen=True, omit_defaults=True, tag_field="kind"):
    """A field without a default is needed. If another field does not fit, it is left out."""


def kind_of(body: Any) -> str | None:
    """The kind of a body, or of a type of bodies; None for those that are not stored."""
    return body.__struct_config__.tag  # type: ignore[no-any-return]


class MatchBegan(_Body, frozen=True, tag="began"):
    """A match begins. The game judges the other values, because another version may have written them."""

    game: str = ""
    options: Any = {}
    seats: Any = None
    board: Any = None


class Exhibit(Struct, frozen=True):
    """A piece of evidence that an entry names: of one piece, or (None) of the whole table."""

    piece: str | None
    picture: str
    about: str


class Acted(_Body, frozen=True, tag="action"):
    """An action; `note` is how it was inferred from a reading, `reason` is a person's."""

    action: Raw
    """JSON as it is stored. In a fold it is the game's own value: see `action_of`."""
    shown: tuple[Exhibit, ...] = ()
    note: Says | None = None
    reason: str = ""
    follows: bool = False
    """Whether it was entered together with the action before: they are taken back together."""
    lain: tuple[Raw, ...] = ()
    """The table before the next turn (none or one, stored like `action`), if this action moves no piece."""


ASKED = "asked"
"""The reason of an amendment that answers the referee's own question."""


class Amended(_Body, frozen=True, tag="amended"):
    """A person answers or corrects a fact of the action of `entry`."""

    entry: int
    fact: str
    value: str
    reason: str


class Retracted(_Body, frozen=True, tag="retracted"):
    entry: int


class AskedChoice(Struct, frozen=True):
    """An answer of a question, with the actions that it enters."""

    key: str
    says: Says
    actions: tuple[Raw, ...] = ()
    likely: float | None = None
    needs_reason: bool = False


class Asked(_Body, frozen=True, tag="asked", omit_defaults=False):
    """A question about a reading."""

    key: str
    says: Says
    choices: tuple[AskedChoice, ...]
    rule: str
    margin: Margin | None = None
    pieces: tuple[str, ...] = ()
    seats: tuple[str, ...] = ()
    places_mm: tuple[tuple[str, float, float], ...] = ()
    shown: tuple[Exhibit, ...] = ()


class Answered(_Body, frozen=True, tag="answered"):
    """An answer to the question of `entry`. The next entries, `enters` of them, are its actions."""

    entry: int
    choice: str
    reason: str
    enters: int = 0


class TookSeat(_Body, frozen=True, tag="took_seat"):
    """A phone takes a seat; `phone` is its secret's SHA-256, empty without one. `is_stand_in`: it is drawn."""

    seat: str
    name: str
    phone: str
    is_stand_in: bool = False


class LeftSeat(_Body, frozen=True, tag="left_seat"):
    seat: str


class Called(_Body, frozen=True, tag="called"):
    """A call for the referee: in a person's own words, or in a sentence of the box. `entry`: what it is about."""

    words: str
    sentence: Says | None = None
    entry: int | None = None


class CallClosed(_Body, frozen=True, tag="came"):
    """The call of `entry` is done with; `settled`: the players agreed without a referee."""

    entry: int
    settled: bool = False


class CallWithdrawn(_Body, frozen=True, tag="called_off"):
    """The call of `entry` is taken back by its caller."""

    entry: int


class Sighted(_Body, frozen=True, tag="sight"):
    """Whether the table can be seen has changed."""

    says: str
    state: str = ""
    code: str | None = None
    sentence: Says | None = None


class GivenUp(_Body, frozen=True, tag="given_up"):
    """The match was ended early; `next` is the name of the one after it."""

    next: str | None = None


class Sealed(_Body, frozen=True, tag="sealed"):
    """A seat keeps a secret on its phone; `seal` is its salted hash."""

    seat: str
    seal: str


class Redacted(_Body, frozen=True, tag="redacted"):
    """A person was removed from the log, which was rewritten from `entries` entries. Its last hash `was` this."""

    entries: int
    was: str


class Newer(Struct, frozen=True):
    """An entry of a kind that only a newer version knows."""


class Unread(Struct, frozen=True):
    """A body that this version cannot use, and why."""

    why: str


Body = (
    MatchBegan | Acted | Amended | Retracted | Asked | Answered | TookSeat | LeftSeat | Called | CallClosed
    | CallWithdrawn | Sighted | GivenUp | Sealed | Redacted | Newer | Unread
)  # fmt: skip

BODIES: Mapping[str, type[Struct]] = {str(kind_of(body)): body for body in get_args(Body) if kind_of(body)}


def body_of(kind: str, text: str) -> Body:
    """The body of an entry from its stored JSON object.

    >>> body_of("retracted", '{"entry": 3}'), body_of("came", '{"entry": []}')
    (Retracted(entry=3), Unread(why='its entry is a list, expected a whole number'))
    >>> body_of("called", '{"words": "look", "entry": "of another version"}')
    Called(words='look', sentence=None, entry=None)
    """
    shape: Any = BODIES.get(kind)
    if shape is None:
        return Newer()
    try:
        return msgspec.json.decode(text, type=shape, dec_hook=_said)  # type: ignore[no-any-return]
    except msgspec.MsgspecError:
        told = json.loads(text)
    needed = [field.name for field in msgspec.structs.fields(shape) if field.required]
    told = {name: told[name] for name in needed if name in told}
    try:
        return msgspec.json.decode(json.dumps(told), type=shape, dec_hook=_said)  # type: ignore[no-any-return]
    except msgspec.MsgspecError as error:
        return Unread(misfit(told, shape, str(error))[0])


def plain(body: object) -> Any:
    """A body as JSON values, without its kind: the entry stores that itself."""
    told = msgspec.to_builtins(body, enc_hook=_stored)
    return {key: value for key, value in told.items() if key != "kind"}


def _stored(value: object) -> Any:
    return says_json(value) if isinstance(value, Says) else json.loads(bytes(value))  # type: ignore[call-overload]


def _said(kind: type, value: Any) -> Says:
    try:
        return says_of_json(value)
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError("expected a sentence") from error


FIRST_HASH = "0" * 64
KEEP = (
    "the file is kept as it is: check it with `companion verify`, and begin a new match by `companion serve` with --new"
)
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
    return Writing(str(kind_of(body)), by, body, evidence)


def sha256_of(data: bytes) -> str:
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


class _Stored(Struct, array_like=True):
    """The types of the stored columns."""

    seq: int
    at_s: float
    kind: str
    by: str
    body: str
    evidence: str
    previous: str
    hash: str


def decoded(row: Row) -> Entry:
    """An entry from its stored columns. Raises: ValueError with the found and the expected value."""
    try:
        stored = msgspec.convert(row, _Stored)
    except msgspec.ValidationError as error:
        raise ValueError(f"its columns are not those that Companion writes ({error})") from error
    for name in ("kind", "by", "body", "evidence", "previous", "hash"):
        try:
            getattr(stored, name).encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"its {name} is not UTF-8, expected text") from error
    if not math.isfinite(stored.at_s):
        raise ValueError(f"its time is {stored.at_s}, expected seconds")
    _json(stored.body, dict, "body")
    shas = _json(stored.evidence, list[str], "evidence")
    digest = hash_for(stored.seq, stored.at_s, stored.kind, stored.by, stored.body, shas, stored.previous)
    return Entry(
        seq=stored.seq,
        at_s=stored.at_s,
        kind=sys.intern(stored.kind),
        by=sys.intern(stored.by),
        body=body_of(stored.kind, stored.body),
        evidence=tuple(shas),
        previous=sys.intern(stored.previous),
        hash=sys.intern(stored.hash),
        is_whole=digest == stored.hash,
    )


def _json(text: str, kind: Any, name: str) -> Any:
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(f"its {name} is no JSON that Companion writes ({error})") from error
