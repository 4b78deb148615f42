"""`/e/EVENT/news`: tells a page that there is something new, and a player's phone what. Newest wins."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from flask import Blueprint, Response, request

from companion.hub.desk import Person
from companion.hub.views import Shown
from companion.says import Says
from web import languages
from web.hub.site import Site, site
from web.hub.who import person_at
from web.refusals import Refusal
from web.words import worded

RETRY_MS = 1000
HEARTBEAT_S = 8.0
POLL_AFTER_S = 5

news = Blueprint("hub_news", __name__)


def my_json(shown: Shown, entrant: str, lang: str) -> bytes:
    """What an entrant's phone shows, as one JSON object without line breaks; made once for all phones that show it."""
    return shown.told(entrant, lang, _encoded)


def _encoded(view: object, lang: str) -> bytes:
    return msgspec.json.encode(worded(msgspec.to_builtins(view, str_keys=True), lang))


class Stream:
    """One page's stream, as WSGI reads it. `close` is called however it ends."""

    def __init__(self, site: Site, event_id: str, person: Person | None) -> None:
        self._site, self._event, self._person = site, event_id, person
        self._lang = languages.asked()  # while it is written nobody asks
        self._desk = site.desk
        self._seen = 0
        self._is_first = True
        self._last: object = None
        self._is_closed = False
        self._desk.follow(event_id)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self._is_closed or self._desk.is_closing:
            raise StopIteration
        if self._is_first:
            self._is_first, self._seen = False, self._desk.told(self._event)
            return b"retry: %d\n\n" % RETRY_MS + self._now()
        now = self._desk.wait(self._event, self._seen, HEARTBEAT_S)
        if self._desk.is_closing:
            raise StopIteration
        told = b""
        if now > self._seen:
            self._seen = now
            told = self._now()
        return told or b": still here\nevent: beat\ndata: {}\n\n"

    def _now(self) -> bytes:
        if self._person is None or self._person.entrant is None:
            return b"event: news\ndata: %d\n\n" % self._desk.known(self._event).seq
        shown = self._site.views.of(self._desk.known(self._event))
        device = shown.book.hall.devices.get(self._person.device)
        if device is None or device.is_revoked:
            self._is_closed = True
            return b"event: gone\ndata: {}\n\n"
        mark = shown.mark(self._person.entrant)
        if mark == self._last:
            return b""
        self._last = mark
        told = my_json(shown, self._person.entrant, self._lang)
        return b"id: %d\nevent: me\ndata: %b\n\n" % (shown.book.seq, told)

    def close(self) -> None:
        """The page is gone or the stream is over."""
        self._desk.leave(self._event)
        self._site.streams.leave()
        self._is_closed = True


@news.get("/e/<event_id>/news")
def stream(event_id: str) -> Response:
    """The stream of an event; with `?me` of what concerns the entrant of this phone."""
    here = site()
    here.desk.known(event_id)
    person = person_at(here.people, request, event_id) if "me" in request.args else None
    if not here.streams.enter():
        says = Says("Many pages are open: this one asks every few seconds.")
        raise Refusal(503, "full", says, retry_after_s=POLL_AFTER_S)
    response = Response(Stream(here, event_id, person), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response
