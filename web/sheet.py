"""A match that is over as one sheet of paper: who won, how, the closest call's picture, and what happened, in order."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import datetime

from flask import Blueprint, Response, current_app

from companion.says import Says
from companion.view import MatchView
from web import languages
from web.refusals import Refusal
from web.words import translate

MARGIN_PT, WIDE_PT = 48.0, 499.0
LINES = 34
PICTURE_PT = 190.0
COLORS = {"red": "#b0141c", "blue": "#0b3d91", "yellow": "#7a5a00", "green": "#0b5d33"}

part = Blueprint("sheet", __name__)


@part.get("/match.pdf")
def match_pdf() -> Response:
    """The sheet of the match that has just ended."""
    door = current_app.extensions["companion"].door
    view: MatchView = door.view(None)
    if view.over is None:
        raise Refusal(409, "not_over", Says("The match is not over: this sheet is made at its end."))
    response = Response(pdf(view, languages.asked(), door.picture), mimetype="application/pdf")
    response.headers["Content-Disposition"] = f'attachment; filename="{view.match}.pdf"'
    response.headers["Cache-Control"] = "no-store"
    return response


def pdf(view: MatchView, lang: str, picture: Callable[[str], bytes | None]) -> bytes:
    """The sheet as PDF, A4."""
    from reportlab.lib.colors import HexColor
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    assert view.over is not None
    made = io.BytesIO()
    page = Canvas(made, pagesize=A4, invariant=1)
    height = A4[1]
    names = {s.seat: s.name or s.seat for s in view.seats}

    def words(says: Says | str) -> str:
        said = translate(says, lang).encode("cp1252", "replace").decode("cp1252")
        return said[:1].upper() + said[1:]

    page.setTitle(f"{view.title} {view.match}")
    page.setFillColor(HexColor(COLORS.get(view.over.winners[0] if view.over.winners else "", "#141210")))
    page.rect(0, height - 120, A4[0], 120, stroke=0, fill=1)
    page.setFillColor(HexColor("#ffffff"))
    page.setFont("Helvetica", 13)
    page.drawString(MARGIN_PT, height - 46, view.title)
    page.setFont("Helvetica-Bold", 26)
    winners = ", ".join(names.get(seat, seat) for seat in view.over.winners)
    is_alone = len(view.over.points) == 1  # nobody plays against a sculpture
    nobody = view.over.says if is_alone else Says("Nobody won")
    head = Says("{names} won", {"names": winners}) if winners else nobody
    page.drawString(MARGIN_PT, height - 84, words(head)[:34])
    page.setFillColor(HexColor("#141210"))
    at = height - 150
    page.setFont("Helvetica", 11)
    for says in (view.over.says, *view.over.facts):
        page.drawString(MARGIN_PT, at, words(says)[:90])
        at -= 16
    shown = None if view.over.evidence is None else picture(view.over.evidence.sha256)
    if shown is not None:
        image = ImageReader(io.BytesIO(shown))
        wide, high = image.getSize()
        scale = min(WIDE_PT / wide, PICTURE_PT / high)
        page.drawImage(image, MARGIN_PT, at - high * scale, wide * scale, high * scale)
        at -= high * scale + 20
    page.setFont("Helvetica", 9)
    for line in view.history[:LINES]:
        if at < MARGIN_PT:
            break
        when = datetime.fromtimestamp(line.at_s).strftime("%H:%M")
        page.drawString(MARGIN_PT, at, f"{when}  {words(line.says)}"[:110])
        at -= 12.5
    page.showPage()
    page.save()
    return made.getvalue()
