"""Compares the definitions in an SQLite file with our own, before anything in it is used.

A view, a trigger or an index can hold code that SQLite runs with the first query. Reading the list of definitions runs
none of it.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache


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
