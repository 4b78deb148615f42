"""A finished match as one HTML file: step by step with its pictures, to open anywhere and without a network."""

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from html import escape
from typing import Any

import msgspec
from flask import Blueprint, Response, current_app, render_template

from companion.game.known import file_of, game_named, rule_words
from companion.game.says import Says
from companion.game.view import MatchView, RulingCard, StepView
from companion.match.inputs import Door
from companion.match.present import Picture, film_of
from web.site import languages
from web.site.app import attached
from web.site.bundle import game_styles, script_of, words_of
from web.site.refusals import Refusal
from web.site.static_files import STATIC, path_of
from web.words import encoded, said_in

FONT = re.compile(r"@font-face \{[^}]*\}")
PAGE = """<!doctype html>
<html lang="{lang}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>{title}</title><style>{style}</style></head>
<body class="phone replay" data-title="{title}" data-game-name="{game}"><main id="main"></main>
<nav id="actions" class="actions"></nav><div id="sheets"></div>
{data}
<script type="module">{script}</script></body></html>
"""

FILM = "eyes_of_the_emperor"
"""The game of the film."""

part = Blueprint("replay", __name__)


@part.get("/match.html")
def match_html() -> Response:
    """The replay of the match that is over."""
    table = current_app.extensions["companion"]
    door: Door = table.door
    lang, view = languages.asked(), door.view(None)
    if view.over is None:
        raise Refusal(409, "not_over", Says("The match is not over: this is made at its end."))

    def made() -> str:
        return html(view, door.steps(), lang, door.picture)

    content = table.worker.answer(f"replay {view.match} {view.seq} {lang}", made, is_final=True)
    return attached(content, "text/html", f"{view.match}.html")


@part.get("/film")
def film() -> str:
    """A film of twenty seconds: a knock-out, a close call with its question, a win; drawn from recorded throws."""
    data, title = _film(languages.asked())
    return render_template("film.html", title=title, game=FILM, styles=game_styles(FILM), data=data)


@cache
def _film(lang: str) -> tuple[str, str]:
    path = file_of(FILM, "film.txt")
    assert path is not None
    view, steps = film_of(game_named(FILM), path.read_text(encoding="utf-8"))
    return _data(view, steps, lang, lambda _: None), view.title


def html(view: MatchView, steps: Sequence[StepView], lang: str, picture: Picture) -> str:
    """The replay as one file. Pictures that are no longer kept are left out."""
    styles = [path_of(STATIC, name) for name in ("table.css", *game_styles(view.game))]
    return PAGE.format(
        lang=lang,
        title=escape(view.title),
        game=escape(view.game),
        style=FONT.sub("", "".join(path.read_text(encoding="utf-8") for path in styles)),
        data=_data(view, steps, lang, picture),
        script=script_of("replay", view.game),
    )


def _data(view: MatchView, steps: Sequence[StepView], lang: str, picture: Picture) -> str:
    """All that the script shows, as elements of the page."""
    said = said_in(view)
    told: list[dict[str, Any]] = msgspec.json.decode(encoded(steps, lang, said))
    first = dict(told[0]["table"]) if told else {}
    for step in told[1:]:
        step["table"] = {key: value for key, value in step["table"].items() if first.get(key) != value}
    bare = replace(
        view, last=(), moves=(), question=None, corrections=(), pointing=None, put_back=None, set_up=None, history=()
    )
    kept = {sha256: shown for sha256 in _pictures(view, steps) if (shown := picture(sha256)) is not None}
    parts = {
        "words": words_of("replay", view.game, lang),
        "rules": rule_words(view.game, lang),
        "pictures": {name: f"data:image/jpeg;base64,{b64encode(k).decode()}" for name, k in kept.items()},
        "replay": {"view": msgspec.json.decode(encoded(bare, lang, said)), "steps": told},
    }
    return "\n".join(_element(name, value) for name, value in parts.items())


def _element(name: str, value: Any) -> str:
    """A value for the page's script, which cannot end its element."""
    text = msgspec.json.encode(value).decode().replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'


def _pictures(view: MatchView, steps: Sequence[StepView]) -> Iterator[str]:
    cards: list[RulingCard] = [card for step in steps for card in step.last]
    for evidence in (*(card.evidence for card in cards), view.over and view.over.evidence):
        if evidence:
            yield evidence.sha256
