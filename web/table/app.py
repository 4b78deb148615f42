"""`create_app(door)`: the pages over one match. Everything that is not part of the match is passed in."""

import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from flask import Blueprint, Flask, Response, abort, send_file

from companion.game.board import PICTURE
from companion.game.known import file_of
from companion.match.inputs import Door
from web.site import languages, phones, static_files
from web.site.app import new_app
from web.site.bundle import script_of, words_of
from web.site.places import Places
from web.site.worker import Worker
from web.table import replay, score_sheet
from web.table.invited import TableNumber
from web.table.pages import pages
from web.table.stream import ViewWriter, do, stream
from web.words import number as number_words

STREAMS = 600
"""Maximum number of phones with their own stream; more of them poll. `bench.load table` measured 500 with a camera."""
HEARTBEAT_S = 5.0
BODY_MAX_BYTES = 4096
REQUEST_MAX_BYTES = 16_000_000
"""Maximum size of any request: more than a photograph of a hand."""

FILE_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
PAGES = ("phone", "board", "virtual", "replay")
"""The pages with a script of their own."""


@dataclass(frozen=True, slots=True)
class Site:
    """Shared objects of the routes; an app keeps it in ``app.extensions["companion"]``."""

    door: Door
    join_url: str
    places: Places
    heartbeat_s: float
    hosts: tuple[str, ...]
    told: ViewWriter
    new_secret: Callable[[int], str]
    number: TableNumber
    worker: Worker
    """Computes expensive answers, for members only."""
    request_max_bytes: int = REQUEST_MAX_BYTES
    limits_taps: bool = True
    """Whether the server slows a phone that taps very often."""
    open_network: Callable[[], str] | None = None
    """Makes a table that only this machine reaches available to other devices; returns the address for them. None: not
    needed."""

    @property
    def is_here_only(self) -> bool:
        """Whether only this machine reaches the table: then there is nothing to scan."""
        return phones.is_loopback(self.join_url)


def create_app(
    door: Door,
    *,
    join_url: str,
    more: Iterable[Blueprint] = (),
    hosts: Iterable[str] = (),
    max_streams: int = STREAMS,
    heartbeat_s: float = HEARTBEAT_S,
    clock: Callable[[], float] = time.monotonic,
    open_network: Callable[[], str] | None = None,
    new_secret: Callable[[int], str] = secrets.token_urlsafe,
    number: str | None = None,
) -> Flask:
    """The app over `door`.

    Args:
        join_url: the address in the QR code, as phones on the table's network reach it.
        more: blueprints with further pages (the virtual table); headers that they set themselves stay.
        number: newcomers type it to sit down once somebody sits there (`web.table.invited`); None: a new one.
        hosts: other names of this table; addresses, bare and local names are known already.
    """
    shared = Site(
        door=door,
        join_url=join_url,
        places=Places(max_streams),
        heartbeat_s=heartbeat_s,
        hosts=tuple(hosts),
        told=ViewWriter(clock),
        new_secret=new_secret,
        number=TableNumber(clock, number),
        worker=Worker(),
        open_network=open_network,
    )
    app = new_app(shared, BODY_MAX_BYTES, "refusal.html", ("static", "game_file", "game_picture", "page_script"))
    of_game = f"{app.static_url_path}/games/<game>"
    app.add_url_rule(f"{of_game}/<any('page.js', 'page.css', 'picture.svg'):file>", "game_file", game_file)
    app.add_url_rule(f"{of_game}/boards/<file>", "game_picture", game_picture)
    app.add_url_rule(f"{app.static_url_path}/whole/<page>/<game>.js", "page_script", page_script)
    app.jinja_env.globals["words"] = lambda page, game: words_of(page, game, languages.asked())
    app.jinja_env.globals["number"] = number_words
    for part in (pages, stream, do, score_sheet.part, replay.part, *more):
        app.register_blueprint(part)
    return app


def game_file(game: str, file: str) -> Response:
    """A game's own script, style or picture, from the game's folder."""
    path = static_files.path_of(static_files.STATIC, f"games/{game}/{file}")
    if not path.is_file():
        abort(404)
    return send_file(path.resolve(), mimetype=FILE_TYPES[path.suffix], conditional=True)


def game_picture(game: str, file: str) -> Response:
    """The picture of a race board, from the game's folder."""
    path = file_of(game, f"boards/{file}") if PICTURE.fullmatch(file) else None
    if path is None:
        abort(404)
    return send_file(path.resolve(), conditional=True)


def page_script(page: str, game: str) -> Response:
    if page not in PAGES:
        abort(404)
    return Response(script_of(page, game), mimetype="text/javascript")
