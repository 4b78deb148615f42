"""The beginning of an application, for the table and for the hub: static files, languages, headers, QR codes."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import segno
from flask import Flask, Request, Response, request
from werkzeug.exceptions import HTTPException

from companion.game.says import Says
from web.site import languages, phones, static_files
from web.site.refusals import Refusal, of_http
from web.words import translate

QR_KEPT = 64
"""Maximum number of QR codes in memory."""
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def new_app(
    shared: Any,
    body_max_bytes: int,
    refusal_page: str,
    kept: tuple[str, ...] = ("static",),
    is_program: Callable[[Request], bool] = lambda _: False,
) -> Flask:
    """An application without pages.

    Args:
        shared: the objects of its routes, with its `join_url` and `hosts`; kept in ``app.extensions["companion"]``.
        refusal_page: the template that tells a person about a refusal.
        kept: endpoints whose files have a version in their address, so that phones keep them. Others say it themselves.
        is_program: whether a program sent a request, and not a page.
    """
    version = static_files.version_of(static_files.STATIC)
    app = Flask("web", static_folder=static_files.STATIC, static_url_path=f"/static/{version}")
    app.config["MAX_CONTENT_LENGTH"] = body_max_bytes
    app.config["SEND_FILE_MAX_AGE_DEFAULT"] = static_files.KEPT_S
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.extensions["companion"] = shared
    app.jinja_env.globals["say"] = lambda text, **values: translate(text, languages.asked(), **values)
    app.jinja_env.globals["lang"] = languages.asked
    app.jinja_env.globals["languages"] = languages.offered
    app.register_blueprint(languages.part)
    app.register_error_handler(Refusal, lambda refusal: refusal.response(refusal_page))
    app.register_error_handler(HTTPException, lambda error: of_http(error).response(refusal_page))

    @app.before_request
    def refuse_foreign_names() -> None:
        here = app.extensions["companion"]
        ours = (*here.hosts, urlsplit(here.join_url).netloc)
        if not phones.is_own_host(request.host, ours):  # DNS rebinding: its page would count as our own
            told = {"host": request.host[:60], "url": here.join_url}
            raise Refusal(400, "foreign_name", Says("This was opened as '{host}': open {url} instead.", told))

    @app.before_request
    def refuse_foreign_pages() -> None:
        is_look = request.endpoint is None or request.method in ("GET", "HEAD", "OPTIONS")
        if not is_look and not is_program(request) and not phones.is_same_origin(request):
            says = Says("This did not come from one of our own pages: open their address.")
            raise Refusal(403, "foreign_page", says)

    @app.after_request
    def finished(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if request.endpoint in kept:
            static_files.kept_and_small(response, request)
        elif response.mimetype == "text/html":
            static_files.small(response, request)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    return app


def attached(content: bytes | str, kind: str, name: str) -> Response:
    return Response(content, mimetype=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@lru_cache(maxsize=QR_KEPT)
def qr_svg(url: str) -> str:
    """A QR code as SVG: dark on a white quiet zone, so that it also scans on a dark page. Each takes 30 ms to make."""
    return str(
        segno.make(url, error="m", micro=False).svg_inline(border=4, light="#ffffff", dark="#000000", omitsize=True)
    )
