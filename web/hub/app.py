"""`create_hub_app(desk)`: the pages over the logs of one desk."""

import functools

from flask import Flask, Response, request

from companion.event.hub.desk import HUB, Desk, NoEvent
from companion.event.hub.joining import BEHIND_ROUTER, WORDS
from companion.event.hub.people import Admissions
from companion.event.hub.store import FAULTS
from companion.event.hub.views import Views
from companion.event.refused import EventRefused
from companion.event.sums import shown
from companion.game.says import Says
from web.hub import api, papers, player, public, staff
from web.hub.newsroom import Newsroom
from web.hub.site import BODY_MAX_BYTES, Boxes, Counting, HubSite, site
from web.hub.who import is_program
from web.site import languages, static_files
from web.site.app import new_app
from web.site.bundle import words_in
from web.site.line import CONNECTIONS
from web.site.phones import Tries
from web.site.places import streams_of
from web.site.refusals import Refusal
from web.words import translate

REFUSAL_PAGE = "hub/refusal.html"
AWAY = Says("The hub's database cannot be reached. What was entered is safe. This page tries again by itself.")
NOT_ENTERED = Says("The hub's database cannot be reached. Perhaps this was not entered: look again in a minute.")
AGAIN_S = 5
"""Time after which a page loads again while the database is away."""
JOINS_FOR_S, CONNECTIONS_A_JOIN = 600.0, 10
"""Time in which an address may try to join, and its allowed connections for each try. Personal cards do not count."""
STREAMS = 600
"""Default number of streams, as on a table's own server; a hub's own process has thousands."""


def create_hub_app(
    desk: Desk,
    *,
    join_url: str,
    people: Admissions,
    boxes: Boxes = dict,
    max_streams: int = STREAMS,
    connections: int = CONNECTIONS,
) -> Flask:
    """The app over `desk`.

    Args:
        join_url: the address in QR codes, as phones reach it; ends with a slash.
        max_streams: pages with their own stream; beyond that they ask every few seconds.
        connections: maximum connections of one address; the limits of its streams and tries to join follow from it.
    """
    views = Views()
    places = Newsroom(desk, views, max_streams, streams_of(connections))
    shared = HubSite(
        desk=desk,
        people=people,
        join_url=join_url,
        places=places,
        views=views,
        joins=Tries(desk.wall_s, max(1, connections // CONNECTIONS_A_JOIN), JOINS_FOR_S),
        boxes=boxes,
    )
    app = new_app(shared, BODY_MAX_BYTES, REFUSAL_PAGE, is_program=is_program)
    desk.on_change(Counting(desk, views, places).changed)
    app.jinja_env.globals["signed"] = lambda by: translate(by, languages.asked()) if by == HUB.name else by
    static = static_files.STATIC
    paths = (static / "do.js", *sorted((static / "hub").glob("*.js")))
    scripts = "".join(path.read_text(encoding="utf-8") for path in paths)
    of_scripts = functools.cache(functools.partial(words_in, scripts))
    app.jinja_env.globals["words"] = lambda: of_scripts(languages.asked())
    app.jinja_env.globals["shown"] = shown
    app.jinja_env.globals["ways"] = WORDS
    app.jinja_env.globals["behind_router"] = BEHIND_ROUTER
    for part in (public.public, player.player, staff.staff, papers.papers, api.api):
        app.register_blueprint(part)
    app.register_error_handler(EventRefused, _refused)
    for fault in FAULTS:
        app.register_error_handler(fault, _away)
    return app


def _refused(refused: EventRefused) -> Response:
    status, code = (404, "no_event") if isinstance(refused, NoEvent) else (409, "refused")
    return Refusal(status, code, refused.says).response(REFUSAL_PAGE)


def _away(error: Exception) -> Response:
    """The database is away: the page says so. One that was only looked at loads again by itself."""
    site().desk.away(error)
    is_look = request.method in ("GET", "HEAD")
    response = Refusal(503, "database", AWAY if is_look else NOT_ENTERED).response(REFUSAL_PAGE)
    response.headers["Retry-After" if request.path.startswith("/api/") or not is_look else "Refresh"] = str(AGAIN_S)
    return response
