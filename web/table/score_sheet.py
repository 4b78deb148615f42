"""A finished match as one sheet of paper: the winner, how, the closest call's picture, and all entries in order."""

import io
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime

from flask import Blueprint, Response, current_app

from companion.game.errors import Refused
from companion.game.says import Says
from companion.game.view import HistoryLine, MatchView
from companion.match.inputs import Door, author
from web.site import languages
from web.site.refusals import Refusal
from web.words import day, said_in, translate

MARGIN_PT, WIDE_PT = 48.0, 499.0
HEAD_PT = 120.0
PICTURE_PT = 190.0
WHEN_PT = 27.0
"""Width of the time of day in front of a line."""
COLORS = {"red": "#b0141c", "blue": "#0b3d91", "yellow": "#7a5a00", "green": "#0b5d33"}

part = Blueprint("sheet", __name__)


@part.get("/match.pdf")
def match_pdf() -> Response:
    """The sheet of the match that ended last, even while the next one is played."""
    table = current_app.extensions["companion"]
    door, lang, key = table.door, languages.asked(), ""

    def made() -> tuple[str, bytes]:
        ended = _ended(door)
        if ended is None:
            raise Refusal(409, "not_over", Says("The match is not over: this sheet is made at its end."))
        return ended[0].match, pdf(*ended, lang, door.picture)

    with suppress(Refused):
        played = door.view(None)
        key = f"{played.match} {played.seq}"
    match, content = table.worker.answer(f"sheet {key} {lang}", made, is_final=bool(key))
    response = Response(content, mimetype="application/pdf")
    response.headers["Content-Disposition"] = f'attachment; filename="{match}.pdf"'
    return response


def _ended(door: Door) -> tuple[MatchView, tuple[HistoryLine, ...]] | None:
    """The finished match, or else the one before it, even if nothing is played yet."""
    with suppress(Refused):
        view = door.view(None)
        if view.over is not None:
            return view, door.history()
    return door.before()


def pdf(view: MatchView, history: Sequence[HistoryLine], lang: str, picture: Callable[[str], bytes | None]) -> bytes:
    """The sheet as PDF, A4; `history`: all lines, newest first."""
    from reportlab.lib.colors import HexColor
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.utils import ImageReader, simpleSplit
    from reportlab.pdfbase.pdfmetrics import stringWidth
    from reportlab.pdfgen.canvas import Canvas

    from web.site.letters import drawn, font

    assert view.over is not None
    made = io.BytesIO()
    page = Canvas(made, pagesize=A4, invariant=1)
    height, plain, bold = A4[1], font("plain"), font("bold")
    values = said_in(view)
    names = {s.seat: s.name or s.seat for s in view.seats}

    def words(says: Says | str) -> str:
        said = translate(says, lang, values)
        return said[:1].upper() + said[1:]

    at = height - HEAD_PT - 30

    def tells(text: str, size: float, *, indent: float = 0.0) -> None:
        """A paragraph at the present position of the page, or on the next page if this one is full."""
        nonlocal at
        for i, line in enumerate(simpleSplit(drawn(text, plain), plain.fontName, size, WIDE_PT - indent)):
            if at < MARGIN_PT:
                page.showPage()
                at = height - MARGIN_PT
            page.setFont(plain.fontName, size)
            page.drawString(MARGIN_PT + (indent if i else 0.0), at, line)
            at -= 1.4 * size

    page.setTitle(f"{view.title} {view.match}")
    page.setFillColor(HexColor(COLORS.get(view.over.winners[0] if view.over.winners else "", "#141210")))
    page.rect(0, height - HEAD_PT, A4[0], HEAD_PT, stroke=0, fill=1)
    page.setFillColor(HexColor("#ffffff"))
    page.setFont(plain.fontName, 13)
    page.drawString(MARGIN_PT, height - 40, view.title)
    page.drawRightString(MARGIN_PT + WIDE_PT, height - 40, day(datetime.fromtimestamp(history[0].at_s), lang))
    winners = ", ".join(names.get(seat, seat) for seat in view.over.winners)
    is_alone = len(view.over.points) == 1  # a sculpture has no opponents
    nobody = view.over.says if is_alone else Says("Nobody won")
    ended = Says("{names} won", {"names": winners}) if winners else nobody
    head = drawn(words(ended), bold)
    size = 26 if stringWidth(head, bold.fontName, 26) <= WIDE_PT else 17
    page.setFont(bold.fontName, size)
    for i, line in enumerate(simpleSplit(head, bold.fontName, size, WIDE_PT)):
        page.drawString(MARGIN_PT, height - 80 - 1.2 * size * i, line)
    page.setFillColor(HexColor("#141210"))
    tells(f"{words(view.over.says)} ({_sign(view.over.rule, lang)})", 11)
    for seat, says in view.over.standing.items():
        name, color = names[seat], words(seat)
        tells(f"{name if name == seat or len(seat) == 1 else f'{name} ({color})'}: {translate(says, lang, values)}", 11)
    at -= 6
    for says in view.over.facts:
        tells(words(says), 11)
    shown = None if view.over.evidence is None else picture(view.over.evidence.sha256)
    if shown is not None:
        image = ImageReader(io.BytesIO(shown))
        wide, high = image.getSize()
        scale = min(WIDE_PT / wide, PICTURE_PT / high)
        page.drawImage(image, MARGIN_PT, at - high * scale, wide * scale, high * scale)
        at -= high * scale + 20
    at -= 8
    for line in reversed(history):
        gone = f" ({translate('taken back', lang)})" if line.is_retracted else ""
        who = translate(author(line.by), lang)
        tells(f"{_local(line.at_s, '%H:%M')}  {who}: {words(line.says)}{gone}", 9, indent=WHEN_PT)
    page.showPage()
    page.save()
    return made.getvalue()


def _sign(cited: str, lang: str) -> str:
    """A paragraph as the pages show it: without the game's name, its number or letter after its name."""
    heading = cited.partition(", ")[2] or cited
    if re.fullmatch(r"gap \d+", heading):
        return translate("unwritten rule", lang)
    name, number = re.fullmatch(r"(.+?)( \d+| [a-z])?", heading).groups("")  # type: ignore[union-attr]
    return translate(f"§ {name}", lang) + number


def _local(at_s: float, how: str) -> str:
    return datetime.fromtimestamp(at_s).strftime(how)
