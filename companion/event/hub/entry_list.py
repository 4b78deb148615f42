"""Entrants by CSV paste: a line each, as people have them in a sheet or a message."""

import csv
import io

from companion.event.facts import Entered
from companion.event.refused import EventRefused
from companion.event.state import Event
from companion.game.names import Borne, cleaned, flaw_of
from companion.game.whole import whole_of

COLUMNS = ("name", "rating", "members", "club")
"""The order of a list without headings."""
HEADINGS = {
    **dict.fromkeys(("name", "player", "team", "spieler"), "name"),
    **dict.fromkeys(("first name", "firstname", "vorname"), "first"),
    **dict.fromkeys(("last name", "lastname", "surname", "nachname"), "name"),
    **dict.fromkeys(("rating", "elo", "dwz", "wertung", "wertungszahl"), "rating"),
    **dict.fromkeys(("members", "partners", "mitglieder"), "members"),
    **dict.fromkeys(("club", "verein"), "club"),
}
"""A list's headings in any order, and the column that each one names; other columns are left out."""
MOST_ENTRANTS = 5_000
NAME_LIMIT = 60


_ENTERED = "line {line}: {name} is entered already"
_ALIKE = "line {line}: {name} looks like {known}, who is entered already: change one so that they look different"


def entered_of(text: str, event: Event | None = None) -> tuple[Entered, ...]:
    """Entrants of lines ``name, rating, members with +, club``, or as headings say, split by comma, semicolon or tab.
    All or none. Raises: EventRefused.

    >>> [(e.name, e.rating, e.members) for e in entered_of("name;rating\\nAnn;1500\\nBen & Eve;;Ben + Eve")]
    [('Ann', 1500, ()), ('Ben & Eve', 0, ('Ben', 'Eve'))]
    >>> [(e.name, e.rating, e.club) for e in entered_of("Verein\\tNachname\\tVorname\\tElo\\nMainz\\tRot\\tAnn\\t1500")]
    [('Ann Rot', 1500, 'Mainz')]
    """
    columns: list[str] = [*COLUMNS]
    known = Borne(() if event is None else (each.name for each in event.entrants.values()))
    number = 0 if event is None else max((_number(each) for each in event.entrants), default=0)
    found: list[Entered] = []
    for line, cells in enumerate(_rows(text), 1):
        if not any(cells):
            continue
        if not found and cells[0].casefold() in HEADINGS:
            columns = [*(HEADINGS.get(cell.casefold(), "") for cell in cells), *COLUMNS[len(cells) :]]
            continue
        told = dict(zip(columns, cells, strict=False))
        entrant = _entrant(line, told, f"p{number + len(found) + 1}")
        if other := known.like(entrant.name):
            raise EventRefused(
                _ENTERED if other.casefold() == entrant.name.casefold() else _ALIKE,
                line=line,
                name=entrant.name,
                known=other,
            )
        known.add(entrant.name)
        found.append(entrant)
    if len(found) > MOST_ENTRANTS:
        raise EventRefused("{n} entrants, expected at most {most}", n=len(found), most=MOST_ENTRANTS)
    return tuple(found)


def text_of(file: bytes) -> str:
    """The text of a list's file: UTF-8, or what an older sheet writes."""
    try:
        return file.decode("utf-8-sig")
    except UnicodeDecodeError:
        return file.decode("cp1252", "replace")


def _rows(text: str) -> list[list[str]]:
    sample = text.lstrip("\ufeff")
    counts = {mark: sample.count(mark) for mark in "\t;,"}
    mark = max(counts, key=lambda each: counts[each])
    rows = csv.reader(io.StringIO(sample), delimiter=mark if counts[mark] else ",", skipinitialspace=True)
    try:
        return [[cleaned(cell) for cell in row] or [""] for row in rows]
    except csv.Error as error:
        raise EventRefused("the list cannot be read: {error}", error=str(error)) from error


def _entrant(line: int, told: dict[str, str], id_: str) -> Entered:
    rating, members, club = (told.get(column, "") for column in COLUMNS[1:])
    name = f"{told.get('first', '')} {told.get('name', '')}".strip()
    if not name:
        raise EventRefused("line {line} has no name", line=line)
    if flaw := flaw_of(name, NAME_LIMIT):
        raise EventRefused("line {line}: {why}", line=line, why=flaw.says)
    number = whole_of(rating.removeprefix("-") or "0")
    if number is None:
        raise EventRefused(
            "line {line}: {found} is not a rating, expected a whole number", line=line, found=rating[:20]
        )
    partners = tuple(part.strip() for part in members.split("+") if part.strip())
    return Entered(id_, name, -number if rating.startswith("-") else number, partners, club[:NAME_LIMIT])


def _number(entrant: str) -> int:
    return whole_of(entrant[1:]) or 0
