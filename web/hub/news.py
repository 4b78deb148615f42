"""`/e/EVENT/news`: the stream of a page."""

from __future__ import annotations

from flask import Blueprint, Response, request

from companion.event.hub.desk import NOBODY
from companion.game.says import Says
from web.hub.newsroom import GONE, Readership
from web.hub.site import site
from web.hub.who import person_at
from web.site import languages
from web.site.post import STREAMING, Handed
from web.site.refusals import Refusal

POLL_AFTER_S = 5

news = Blueprint("hub_news", __name__)


@news.get("/e/<event_id>/news")
def stream(event_id: str) -> Response:
    """The stream of an event; with `?me` only the news of this phone's entrant."""
    here = site()
    here.desk.known(event_id)
    is_mine = "me" in request.args
    person = person_at(here.people, request, event_id) if is_mine else NOBODY
    if is_mine and person.entrant is None:  # its device was removed before it came, or while it had no network
        return _headed(Response(GONE, mimetype="text/event-stream"))
    reader = Readership(event_id, person.entrant, languages.asked()) if person.entrant else Readership(event_id)
    handed: Handed = request.environ[STREAMING]
    page = here.places.open(reader, person.device, request.remote_addr or "", handed.ring)
    if page is None:
        says = Says("Many pages are open: this one asks every few seconds.")
        raise Refusal(503, "full", says, retry_after_s=POLL_AFTER_S)
    return _headed(Response(handed.over(page), mimetype="text/event-stream"))


def _headed(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response
