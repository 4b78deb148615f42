"""An event as a file, and back; standings and pairings as CSV for sheets and sites."""

import csv
import io
from collections.abc import Iterable, Sequence
from fractions import Fraction

import msgspec

from companion.event.facts import decoded, to_json
from companion.event.hub.desk import HubLog
from companion.event.hub.facts import HubEntry, Joined, Revoked
from companion.event.hub.results import short
from companion.event.hub.views import HubViews
from companion.event.refused import EventRefused
from companion.event.scorecards import How

FORMAT = "companion-event-1"


class _File(msgspec.Struct, frozen=True):
    format: str
    event: str
    entries: list[HubEntry]


def exported(log: HubLog) -> bytes:
    """An event with all its entries, as JSON. It holds no secret: devices are named, without their proofs."""
    entries = [msgspec.structs.replace(entry, device="") for entry in log.entries]
    return to_json(_File(FORMAT, log.id, entries))


def log_of(text: bytes) -> list[HubEntry]:
    """The entries of a file. Devices are not taken over: a file proves nobody. Raises: EventRefused."""
    file: _File = decoded(text, _File)
    if file.format != FORMAT:
        raise EventRefused("the file is {found}, expected {format}", found=file.format, format=FORMAT)
    numbers = [entry.seq for entry in file.entries]
    if numbers != sorted({*numbers}):
        raise EventRefused("the entries of the file are not in order")
    kept = (entry for entry in file.entries if not isinstance(entry.fact, Joined | Revoked))
    return [msgspec.structs.replace(entry, device="") for entry in kept]


def standings_csv(view: HubViews) -> str:
    """The standings, a line an entrant, a column a sum."""
    table = view.standings
    rows: list[list[Cell]] = [["place", "id", "name", *(column.key for column in table.columns)]]
    for row in table.rows:
        name = view.event.says(row.entrant)
        rows.append([row.place, row.entrant, name, *(each.value for each in row.sums)])
    return _csv(rows)


def pairings_csv(view: HubViews, round_: int) -> str:
    """A round, a line a seat."""
    rows: list[list[Cell]] = [["round", "table", "seat", "id", "name", "result"]]
    if not 1 <= round_ <= len(view.event.rounds):
        raise EventRefused("round {round} is not paired", round=round_)
    for number, table in enumerate(view.event.rounds[round_ - 1].tables, 1):
        for seat, who in enumerate(table.seats, 1):
            rows.append([round_, number, seat, who, view.event.says(who), short(table).replace("½", "0.5")])
    for who in view.event.rounds[round_ - 1].byes:
        rows.append([round_, "", "", who, view.event.says(who), "bye"])
    return _csv(rows)


def results_csv(view: HubViews) -> str:
    """All rounds, a line an entrant: how the round went, places and the game's own points, and its worth."""
    event = view.event
    unit = event.settings.unit or "score"
    rows: list[list[Cell]] = [["round", "table", "seat", "id", "name", "how", "place", unit, "rounds_won", "points"]]
    for played in event.rounds:
        at = {who: (n, seat) for n, table in enumerate(played.tables, 1) for seat, who in enumerate(table.seats)}
        lines = {who: line for who, mine in view.lines.items() for line in mine if line.round == played.number}
        for who, line in sorted(lines.items(), key=lambda each: at.get(each[0], (len(at) + 1, 0))):
            cells: list[Cell] = ["", "", "", "", ""]
            if who in at:
                table, seat = at[who]
                cells[:2] = [table, seat + 1]
                if (result := played.tables[table - 1].result) is not None:
                    won = [each[seat] if each else "" for each in (result.places, result.scores, result.rounds_won)]
                    cells[2:] = won
            name, worth = event.says(who), "" if line.how is How.OPEN else line.points
            rows.append([played.number, *cells[:2], who, name, str(line.how), *cells[2:], worth])
    return _csv(rows)


Cell = str | int | Fraction
FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""First letters that make a sheet compute a cell. Source: OWASP, CSV Injection."""
DECIMALS = 6


def _csv(rows: Iterable[Sequence[Cell]]) -> str:
    """Rows as CSV: words quoted, numbers bare, so that a sheet does not confuse them."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerows([[_words(cell) if isinstance(cell, str) else _decimal(cell) for cell in row] for row in rows])
    return out.getvalue()


def _words(cell: str) -> str:
    """Words that no sheet computes as a formula."""
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def _decimal(number: int | Fraction) -> int | float:
    """A number with a decimal point.

    >>> _decimal(Fraction(51, 4)), _decimal(Fraction(-1, 3)), _decimal(Fraction(3))
    (12.75, -0.333333, 3)
    """
    whole = Fraction(number)
    return whole.numerator if whole.denominator == 1 else round(float(whole), DECIMALS)
