"""A finished match as one sheet of paper: the winner, how, the closest call's picture, and all entries in order."""

import io
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from html import escape

from flask import Blueprint, Response, current_app

from companion.game.errors import Refused
from companion.game.says import Says
from companion.game.view import HistoryLine, MatchView
from companion.match.inputs import Door, author
from web.site import languages
from web.site.app import attached
from web.site.refusals import Refusal
from web.words import day, said_in, translate

WIDE_PT, PICTURE_PT, GAP_PT = 487.0, 190.0, 10.0
MARGINS = dict.fromkeys(("leftMargin", "rightMargin", "topMargin", "bottomMargin"), 48.0)
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
            raise Refusal(409, "not_over", Says("The match is not over: this is made at its end."))
        return ended[0].match, pdf(*ended, lang, door.picture)

    with suppress(Refused):
        played = door.view(None)
        key = f"{played.match} {played.seq}"
    match, content = table.worker.answer(f"sheet {key} {lang}", made, is_final=bool(key))
    return attached(content, "application/pdf", f"{match}.pdf")


def _ended(door: Door) -> tuple[MatchView, tuple[HistoryLine, ...]] | None:
    """The finished match, or else the one before it, even if nothing is played yet."""
    with suppress(Refused):
        view = door.view(None)
        if view.over is not None:
            return view, door.history()
    return door.before()


def pdf(view: MatchView, history: Sequence[HistoryLine], lang: str, picture: Callable[[str], bytes | None]) -> bytes:
    """The sheet as PDF, A4; `history`: all lines, newest first."""
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import Image, Paragraph, SimpleDocTemplate, Spacer

    from web.site.letters import drawn, font

    assert view.over is not None
    plain, bold, values = font("plain"), font("bold"), said_in(view)
    names = {s.seat: s.name or s.seat for s in view.seats}
    ground = COLORS.get(view.over.winners[0] if view.over.winners else "", "#141210")
    band = ParagraphStyle(
        "band", fontName=bold.fontName, fontSize=26, leading=32, textColor="white", backColor=ground, borderPadding=8
    )
    told = ParagraphStyle("told", fontName=plain.fontName, fontSize=11, leading=15)
    entry = ParagraphStyle("entry", told, fontSize=9, leading=12.6, leftIndent=WHEN_PT, firstLineIndent=-WHEN_PT)

    def said(says: Says | str) -> str:
        return escape(drawn(translate(says, lang, values), plain))

    def words(says: Says | str) -> str:
        return (text := said(says))[:1].upper() + text[1:]

    def ended(line: HistoryLine) -> str:
        gone = f" ({translate('taken back', lang)})" if line.is_retracted else ""
        at = datetime.fromtimestamp(line.at_s)
        return f"{at:%H:%M}  {said(author(line.by))}: {words(line.says)}{gone}"

    winners = ", ".join(names.get(seat, seat) for seat in view.over.winners)
    nobody = view.over.says if len(view.over.points) == 1 else Says("Nobody won")  # a sculpture has no opponents
    head = words(Says("{names} won", {"names": winners}) if winners else nobody)
    when = day(datetime.fromtimestamp(history[0].at_s), lang)
    told_first = [f"{words(view.over.says)} ({_sign(view.over.rule, lang)})"]
    for seat, says in view.over.standing.items():
        name = names[seat] if names[seat] == seat or len(seat) == 1 else f"{names[seat]} ({words(seat)})"
        told_first.append(f"{escape(drawn(name, plain))}: {said(says)}")
    shown = None if view.over.evidence is None else picture(view.over.evidence.sha256)
    parts = [
        Paragraph(f'<font size="13">{escape(view.title)} · {when}</font><br/>{head}', band),
        Spacer(0, GAP_PT),
        *(Paragraph(text, told) for text in (*told_first, *map(words, view.over.facts))),
        Spacer(0, GAP_PT),
        *([] if shown is None else [Image(io.BytesIO(shown), WIDE_PT, PICTURE_PT, kind="proportional", hAlign="LEFT")]),
        Spacer(0, GAP_PT),
        *(Paragraph(ended(line), entry) for line in reversed(history)),
    ]
    made = io.BytesIO()
    SimpleDocTemplate(made, title=f"{view.title} {view.match}", invariant=1, **MARGINS).build(parts)
    return made.getvalue()


def _sign(cited: str, lang: str) -> str:
    """A paragraph as the pages show it: without the game's name, its number or letter after its name."""
    heading = cited.partition(", ")[2] or cited
    if re.fullmatch(r"gap \d+", heading):
        return translate("unwritten rule", lang)
    name, number = re.fullmatch(r"(.+?)( \d+| [a-z])?", heading).groups("")  # type: ignore[union-attr]
    return translate(f"§ {name}", lang) + number
