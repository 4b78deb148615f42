"""`create_app(door)`: the pages over one match. All that is not the match's is passed in."""

from __future__ import annotations

import functools
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from flask import Blueprint, Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException

from companion.inputs import Door
from companion.says import Says
from web import phones, refusals, static_files
from web.do import do
from web.pages import pages
from web.stream import Streams, Told, stream
from web.words import ENGLISH, catalogue, translate

STREAMS = 200
"""Phones with a stream of their own; beyond that they poll (measured: every server is alike up to here)."""
HEARTBEAT_S = 5.0
BODY_MAX_BYTES = 4096

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Table:
    """What the routes share; an app keeps it in ``app.extensions["companion"]``."""

    door: Door
    join_url: str
    streams: Streams
    heartbeat_s: float
    hosts: tuple[str, ...]
    lang: str
    told: Told
    new_secret: Callable[[int], str]


def create_app(
    door: Door,
    *,
    join_url: str,
    more: Iterable[Blueprint] = (),
    hosts: Iterable[str] = (),
    max_streams: int = STREAMS,
    heartbeat_s: float = HEARTBEAT_S,
    lang: str = ENGLISH,
    clock: Callable[[], float] = time.monotonic,
    new_secret: Callable[[int], str] = secrets.token_urlsafe,
) -> Flask:
    """The app over `door`.

    Args:
        join_url: the address in the QR code, as phones on the table's network reach it.
        more: blueprints with further pages (the virtual table); a header they set themselves is left as it is.
        hosts: further names under which this table is reached; addresses, bare and local names are known already.
    """
    static = Path(__file__).parent / "static"
    app = Flask("web", static_folder=static, static_url_path=f"/static/{static_files.version_of(static)}")
    app.config["MAX_CONTENT_LENGTH"] = BODY_MAX_BYTES
    app.config["SEND_FILE_MAX_AGE_DEFAULT"] = static_files.KEPT_S
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.extensions["companion"] = Table(
        door=door,
        join_url=join_url,
        streams=Streams(max_streams),
        heartbeat_s=heartbeat_s,
        hosts=(*hosts, join_url.split("//")[-1].split("/")[0]),
        lang=lang,
        told=Told(lang, clock),
        new_secret=new_secret,
    )
    app.jinja_env.globals["say"] = lambda text, **values: translate(text, lang, **values)
    app.jinja_env.globals["words"] = {k: v for k, v in catalogue(lang).items() if k != v}
    app.jinja_env.globals["lang"] = lang
    app.jinja_env.globals["modules"] = functools.cache(functools.partial(static_files.modules, static))
    for part in (pages, stream, do, *more):
        app.register_blueprint(part)
    app.before_request(refuse_foreign_names)
    app.after_request(add_headers)
    app.register_error_handler(refusals.Refusal, lambda refusal: refusal.response())
    app.register_error_handler(HTTPException, refusals.of_http)
    return app


def refuse_foreign_names() -> Response | None:
    """A foreign name that points at this table (DNS rebinding) is not answered: its page would count as our own."""
    table: Table = current_app.extensions["companion"]
    if phones.is_own_host(request.host, table.hosts):
        return None
    says = Says(
        "This table was asked for as '{host}': open {url} instead.", {"host": request.host[:60], "url": table.join_url}
    )
    return refusals.Refusal(400, "foreign_name", says).response()


def add_headers(response: Response) -> Response:
    """The headers of every answer, where the page has not set its own."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if request.endpoint == "static":
        static_files.kept_and_small(response, request)
    return response
