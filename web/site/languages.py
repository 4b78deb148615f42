"""The language of a phone: the one chosen on it, else the one its browser asks for, else English."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from flask import Blueprint, Response, g, has_request_context, redirect, request

from web.words import ENGLISH

COOKIE = "companion_language"
KEPT_S = 86400 * 365
NAMES = {"en": "English", "de": "Deutsch"}
"""Each language by its own name."""

part = Blueprint("languages", __name__)


@cache
def offered() -> Mapping[str, str]:
    """The languages that have a catalogue, by their codes."""
    found = {path.stem for path in Path(str(files("web.words"))).glob("*.toml")}
    return {code: name for code, name in NAMES.items() if code in found or code == ENGLISH}


def asked() -> str:
    """The language of the present request; English if it has none."""
    if not has_request_context():
        return ENGLISH
    if "language" not in g:
        chosen = request.cookies.get(COOKIE, "")
        best = request.accept_languages.best_match([*offered()], default=ENGLISH) or ENGLISH
        g.language = chosen if chosen in offered() else best
    found: str = g.language
    return found


@part.post("/language")
def choose() -> Response:
    """Sets another language for this phone, then goes back to the page."""
    to = request.form.get("to", "/")
    back = to if to.startswith("/") and not to.startswith("//") else "/"
    response: Response = redirect(back)  # type: ignore[assignment]
    lang = request.form.get("language", "")
    if lang in offered():
        response.set_cookie(COOKIE, lang, max_age=KEPT_S, httponly=True, samesite="Strict", secure=False, path="/")
    return response
