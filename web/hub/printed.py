"""Printouts as PDF: pairings, standings, result slips, table cards and player cards. The same log gives the same
bytes."""

import io
import textwrap
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import segno
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen.canvas import Canvas

from companion.event.hub.results import form_of, short
from companion.event.hub.views import HubViews
from companion.event.refused import EventRefused
from companion.event.state import RoundTable
from companion.event.sums import shown
from companion.game.says import Says
from web.site import letters

WIDTH, HEIGHT = A4
MARGIN = 15 * mm
ROW = 7.5 * mm
SLIP = (WIDTH - 2 * MARGIN, 64 * mm)
SLIP_BOX = 20 * mm
"""Distance between two boxes for numbers."""
CARD = (85 * mm, 54 * mm)
"""Size of a card, as for wallets and sleeves."""
QR, QUIET = 40 * mm, 5 * mm
"""Size of a card's code, and the white around it."""
LEAST_NAME = 40 * mm
"""Least width for the names of a standing."""
LEAST_PT = 6.0
"""Smallest size of letters: a longer text is cut."""

Words = Callable[[Says | str], str]


def wide(text: str, size: float, font: str = "plain") -> float:
    """The width of a line."""
    used = letters.font(font)
    return float(pdfmetrics.stringWidth(letters.drawn(text, used), used.fontName, size))


class PdfSheet:
    """A PDF that grows from the top of its page."""

    def __init__(self, title: str, foot: str = "") -> None:
        self._out = io.BytesIO()
        self.canvas = Canvas(self._out, pagesize=A4, invariant=1)
        self.canvas.setTitle(title)
        self.title, self.foot = title, foot
        self.y = 0.0
        self._number = 0

    def page(self, head: str | None = None) -> None:
        """A new page with the title on top."""
        if self._number:
            self.canvas.showPage()
        self._number += 1
        self.y = HEIGHT - MARGIN
        if head is not None:
            self.text(MARGIN, self.title, 18, "bold")
            self.y -= 8 * mm
            self.text(MARGIN, head, 12)
            self.y -= 9 * mm
        self.canvas.setFont(letters.font("plain").fontName, 8)
        self.canvas.drawString(MARGIN, MARGIN - 6 * mm, letters.drawn(self.foot, letters.font("plain")))
        self.canvas.drawRightString(WIDTH - MARGIN, MARGIN - 6 * mm, str(self._number))

    def text(self, x: float, text: str, size: float = 11, font: str = "plain", width: float | None = None) -> None:
        """A line of text at the current height, made smaller if it is wider than `width`."""
        self.at(x, self.y, text, size, font, width)

    def at(self, x: float, y: float, text: str, size: float, font: str = "plain", width: float | None = None) -> None:
        """A line of text at any place."""
        used = letters.font(font)
        words = letters.drawn(text, used)
        if width is not None:
            size = max(LEAST_PT, min(size, size * width / max(1.0, wide(words, size, font))))
            while len(words) > 1 and wide(words, size, font) > width + 0.01:
                words = words[:-2] + "…"
        self.canvas.setFont(used.fontName, size)
        self.canvas.drawString(x, y, words)

    def rows(self, head: str, widths: Sequence[float], heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """A table over as many pages as it needs, its heading on each."""

        def heading() -> None:
            self.page(head)
            self._row(widths, heads, "bold")

        heading()
        for row in rows:
            if self.y < MARGIN + ROW:
                heading()
            self._row(widths, row, "plain")

    def _row(self, widths: Sequence[float], cells: Sequence[str], font: str) -> None:
        x, lines = MARGIN, 1
        for width, cell in zip(widths, cells, strict=True):
            if font == "plain":
                self.text(x, cell, 11, font, width - 2 * mm)
            else:  # a heading may be longer than its column
                parts = _lines(cell, max(5, int(width / (1.9 * mm))))
                for line, part in enumerate(parts):
                    self.at(x, self.y - 3.2 * mm * line, part, 8, font, width - 1.5 * mm)
                lines = max(lines, len(parts))
            x += width
        self.y -= 3.2 * mm * (lines - 1)
        self.canvas.setLineWidth(0.3)
        self.canvas.line(MARGIN, self.y - 2.2 * mm, WIDTH - MARGIN, self.y - 2.2 * mm)
        self.y -= ROW

    def qr(self, url: str, x: float, y: float, size: float) -> None:
        """A QR code as one path, its quiet zone left white."""
        matrix = list(segno.make(url, error="m", micro=False).matrix)
        cell = size / len(matrix)
        path = self.canvas.beginPath()
        for row, line in enumerate(matrix):
            for column, dark in enumerate(line):
                if dark:
                    path.rect(x + column * cell, y + size - (row + 1) * cell, cell, cell)
        self.canvas.drawPath(path, stroke=0, fill=1)

    def bytes(self) -> bytes:
        """The whole PDF."""
        self.canvas.save()
        return self._out.getvalue()


def pairings(view: HubViews, round_: int, words: Words) -> bytes:
    """The tables of a round, and the entrants without one."""
    played = _round(view, round_)
    event = view.event
    sheet = PdfSheet(event.name, _foot(view, words))
    most = max((len(table.seats) for table in played.tables), default=2)
    seat_width = (WIDTH - 2 * MARGIN - 40 * mm) / most
    rows = [
        [str(number), *_padded([event.says(who) for who in table.seats], most), short(table)]
        for number, table in enumerate(played.tables, 1)
    ]
    rows += [["-", *_padded([each.name], most), words(each.says or "")] for each in view.idle(round_)]
    heads = [words(Says("Table")), *([""] * most), words(Says("Result"))]
    head = words(Says("Pairings of round {round}", {"round": round_}))
    sheet.rows(head, [16 * mm, *([seat_width] * most), 24 * mm], heads, rows)
    return sheet.bytes()


def names(view: HubViews, round_: int, words: Words) -> bytes:
    """The players of a round in the order of their names, each with table and opponents."""
    _round(view, round_)
    sheet = PdfSheet(view.event.name)
    rows = [
        [each.name, str(each.table or "-"), ", ".join(each.others) if each.table else words(each.says or "")]
        for each in view.by_name(round_)
    ]
    half = (WIDTH - 2 * MARGIN - 18 * mm) / 2
    heads = [words(Says("Name")), words(Says("Table")), words(Says("Against"))]
    sheet.rows(words(Says("Pairings of round {round}", {"round": round_})), [half, 18 * mm, half], heads, rows)
    return sheet.bytes()


def standings(view: HubViews, words: Words) -> bytes:
    """The standings with every column."""
    event, table = view.event, view.standings
    sheet = PdfSheet(event.name, _foot(view, words))
    heads = ["", words(Says("Name")), *(words(column.says) for column in table.columns)]
    gone = f" ({words(Says('withdrawn'))})"
    rows = [
        [
            str(row.place) * view.has_results,
            event.says(row.entrant) + gone * row.is_away,
            *(shown(each.value) for each in row.sums),
        ]
        for row in table.rows
    ]
    template = "Final standings" if view.is_over else "Standings after round {round}"
    head = words(Says(template, {"round": table.after}))
    longest = [max([wide(row[at], 11) for row in rows], default=0.0) for at in range(2, len(heads))]
    parts = [max(wide(part, 8, "bold") for part in _lines(each, 5)) for each in heads[2:]]
    needed = [max(each, part) + 4 * mm for each, part in zip(longest, parts, strict=True)]
    room = WIDTH - 2 * MARGIN - 14 * mm - LEAST_NAME
    widths = [each * min(1.0, room / sum(needed)) for each in needed]
    sheet.rows(head, [14 * mm, room + LEAST_NAME - sum(widths), *widths], heads, rows)
    for says in view.corrected:
        if sheet.y < MARGIN:
            sheet.page(head)
        sheet.text(MARGIN, words(says), 9, width=WIDTH - 2 * MARGIN)
        sheet.y -= 5 * mm
    return sheet.bytes()


def _foot(view: HubViews, words: Words) -> str:
    """The game, the date and time of the newest entry, and the seed."""
    newest = view.log.entries[-1].at_s
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(newest))
    return " · ".join(filter(None, (view.game, when, words(Says("Seed {seed}", {"seed": view.event.settings.seed})))))


def slips(view: HubViews, round_: int, words: Words) -> bytes:
    """A result slip for each table: names, boxes to tick, lines to sign on."""
    event = view.event
    sheet = PdfSheet(event.name, view.game)
    room = 0
    for number, table in enumerate(_round(view, round_).tables, 1):
        if room == 0:
            sheet.page()
            room = int((HEIGHT - 2 * MARGIN) // SLIP[1])
            top = HEIGHT - MARGIN
        _slip(sheet, view, words, round_, number, table, top)
        top -= SLIP[1]
        room -= 1
    return sheet.bytes()


def _slip(
    sheet: PdfSheet, view: HubViews, words: Words, round_: int, number: int, table: RoundTable, top: float
) -> None:
    event, width = view.event, SLIP[0]
    values = {"event": event.name, "round": round_, "table": number}
    sheet.at(MARGIN, top - 6 * mm, words(Says("{event}: round {round}, table {table}", values)), 11, "bold", width)
    y = top - 14 * mm
    form = form_of(event, table.seats, is_referee=False)
    for choice in form.choices if form.about is None else ():
        sheet.canvas.rect(MARGIN, y - 1 * mm, 4 * mm, 4 * mm)
        sheet.at(MARGIN + 7 * mm, y, words(choice.says), 11, width=width / 2 - 10 * mm)
        y -= 7 * mm
    columns = list(dict.fromkeys(words(each.what) for each in form.numbers))
    for seat in range(len(table.seats)) if form.about else ():
        sheet.canvas.rect(MARGIN, y - 1.5 * mm - seat * 8 * mm, SLIP_BOX - 3 * mm, 6 * mm)
        columns = [words(form.about or "")]
    for each in form.numbers:
        x, row = MARGIN + columns.index(words(each.what)) * SLIP_BOX, y - each.seat * 8 * mm
        sheet.canvas.rect(x, row - 1.5 * mm, SLIP_BOX - 3 * mm, 6 * mm)
    for who in table.seats if columns else ():
        x = MARGIN + len(columns) * SLIP_BOX
        sheet.at(x, y, event.says(who), 11, width=MARGIN + width / 2 - 3 * mm - x)
        y -= 8 * mm
    for column, what in enumerate(columns):
        sheet.at(MARGIN + column * SLIP_BOX, y, what, 8, width=SLIP_BOX * (2 if form.about else 1) - 2 * mm)
    y = top - 20 * mm
    for who in table.seats:
        sheet.canvas.line(MARGIN + width / 2, y, MARGIN + width, y)
        sheet.at(MARGIN + width / 2, y - 4 * mm, event.says(who), 8, width=width / 2)
        y -= 10 * mm
    sheet.canvas.setDash(2, 2)
    sheet.canvas.line(0, top - SLIP[1], WIDTH, top - SLIP[1])
    sheet.canvas.setDash()


def table_cards(view: HubViews, tables: int, url: str, words: Words) -> bytes:
    """A card for each table, to be cut out: its number, large, and the code that players scan to join."""
    cards = [
        (words(Says("Table {n}", {"n": n})), words(Says("Scan: your next table, your standing")), url)
        for n in range(1, tables + 1)
    ]
    return _cards(view.event.name, cards)


def player_cards(view: HubViews, links: Sequence[tuple[str, str]], words: Words) -> bytes:
    """A card for each player with a personal code, which identifies a phone as theirs."""
    says = words(Says("Scan it with your phone: your tables and results. Your own code: do not lend it"))
    return _cards(view.event.name, [(name, says, link) for name, link in links])


def _cards(title: str, cards: Sequence[tuple[str, str, str]]) -> bytes:
    sheet = PdfSheet(title)
    across, down = int((WIDTH - 2 * MARGIN) // CARD[0]), int((HEIGHT - 2 * MARGIN) // CARD[1])
    for at, (head, says, url) in enumerate(cards):
        place = at % (across * down)
        if place == 0:
            sheet.page()
        x = MARGIN + (place % across) * CARD[0]
        y = HEIGHT - MARGIN - (place // across + 1) * CARD[1]
        sheet.canvas.setLineWidth(0.3)
        sheet.canvas.rect(x, y, *CARD)
        sheet.qr(url, x + CARD[0] - QUIET - QR, y + QUIET, QR)
        room = CARD[0] - QR - 2 * QUIET - 4 * mm
        for line, text in enumerate(_lines(head, 12)):
            sheet.at(x + 4 * mm, y + CARD[1] - (12 + 8 * line) * mm, text, 17, "bold", room)
        for line, text in enumerate(reversed(_lines(says, 20))):
            sheet.at(x + 4 * mm, y + QUIET + 4 * mm * line, text, 8, width=room)
        sheet.at(x + 4 * mm, y + CARD[1] - 4.5 * mm, title, 7, width=CARD[0] - 8 * mm)
    return sheet.bytes()


def _lines(text: str, letters: int) -> list[str]:
    """A text in lines of about `letters` letters.

    >>> _lines("Table 12", 12), _lines("Maximilian Mustermann", 12)
    (['Table 12'], ['Maximilian', 'Mustermann'])
    >>> _lines("Sonneborn-Berger", 12)
    ['Sonneborn-', 'Berger']
    """
    return textwrap.wrap(text, letters, break_long_words=False) or [""]


def _round(view: HubViews, round_: int) -> Any:
    if not 1 <= round_ <= len(view.event.rounds):
        raise EventRefused("round {round} is not paired", round=round_)
    return view.event.rounds[round_ - 1]


def _padded(cells: list[str], to: int) -> list[str]:
    return cells + [""] * (to - len(cells))
