"""Shared objects of the hub's routes."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec
from flask import Response, current_app, render_template, request

from companion.event.hub.desk import NO_EVENT, Desk, HubLog, NoEvent, Person
from companion.event.hub.people import Admissions
from companion.event.hub.views import HubViews, Views
from companion.event.refused import EventRefused
from companion.game.says import Says
from companion.game.whole import whole_of
from web.hub.newsroom import HEARTBEAT_S, Newsroom
from web.hub.who import person_at
from web.site import languages
from web.site.phones import Tries
from web.site.refusals import Refusal
from web.site.worker import Worker
from web.words import translate

T = TypeVar("T")

BODY_MAX_BYTES = 4 * 1024 * 1024
"""Maximum size of a request: the largest is an import of a whole event."""

_LOGGER = logging.getLogger(__name__)


Boxes = Callable[[], Mapping[str, Mapping[str, Any]]]
"""The tables with a box, as the pages show them: the state and health of each, and whether it is heard."""


class Counting:
    """Computes the places of large events in a thread, after the tables were sent, in a fifth of the time at most.
    Players get them one after the other, so that nobody waits for a table because of places."""

    REST, REST_S = 4, 2.0
    """Pause after a computation: this many times as long as it took, and at least this long, s."""

    def __init__(self, desk: Desk, views: Views, room: Newsroom) -> None:
        self._desk, self._views, self._room = desk, views, room
        self._waiting: set[str] = set()
        self._lock = threading.Lock()

    def changed(self, log: HubLog) -> None:
        """Notes that a log has changed: its places are computed soon, if they have to be."""
        if log.event is None or self._views.of(log).is_counted:
            return
        with self._lock:
            is_waiting = log.id in self._waiting
            self._waiting.add(log.id)
        if not is_waiting:
            threading.Thread(target=self._count, args=(log.id,), name="counting", daemon=True).start()

    def _count(self, event_id: str) -> None:
        began_s = time.monotonic()
        counted = 0
        try:
            log = self._desk.log(event_id)
            counted = log.seq
            if self._views.counted(log):
                self._room.tell(event_id, is_whole=True)
        except Exception:  # the thread's catch-all: it is counted again with the next change
            _LOGGER.exception("the places of %s could not be counted", event_id)
        threading.Event().wait(max(self.REST_S, self.REST * (time.monotonic() - began_s)))
        with self._lock:
            self._waiting.discard(event_id)
        if counted and not self._desk.is_closing and self._desk.known(event_id).seq != counted:
            self.changed(self._desk.known(event_id))


@dataclass
class HubSite:
    """The shared objects; an app keeps them in ``app.extensions["companion"]``."""

    desk: Desk
    people: Admissions
    join_url: str
    places: Newsroom
    views: Views
    joins: Tries
    heartbeat_s: float = HEARTBEAT_S
    request_max_bytes: int = BODY_MAX_BYTES
    hosts: tuple[str, ...] = ()
    limits_taps: bool = False
    """The server does not slow programs that enter many results."""
    boxes: Boxes = dict
    worker: Worker = field(default_factory=Worker)
    _pages: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def shown(self, event_id: str) -> HubViews:
        """The current view of an event's log. Raises: companion.event.refused.EventRefused."""
        log = self.desk.log(event_id)
        if log.event is None:
            raise NoEvent(NO_EVENT)
        return self.views.of(log)

    def computed(self, log: HubLog, what: str, make: Callable[[], T]) -> T:
        """The result of an expensive computation for anyone: done once for each number of the log, by one worker.

        Raises: Refusal (503) while too many wait.
        """
        return self.worker.answer(f"{log.id} {log.seq} {what}", make, is_final=True)

    def once(self, log: HubLog, page: str, make: Callable[[], str]) -> str:
        """A page that is the same for everybody: made once for each number of the log, in each language."""
        page = f"{page} {languages.asked()}"
        known = self._pages.get((log.id, page))
        if known is None or known[0] != log.seq:
            known = (log.seq, make())
            with self._lock:
                self._pages[log.id, page] = known
        return known[1]


def site() -> HubSite:
    found: HubSite = current_app.extensions["companion"]
    return found


def say(says: Says | str) -> str:
    """A sentence in the language of the request."""
    return translate(says, languages.asked())


def page(template: str, log: HubLog | None = None, **values: object) -> Response:
    """A page with the values that all pages need."""
    return Response(rendered(template, log, me=me(log), **values), mimetype="text/html")


def me(log: HubLog | None) -> Person:
    return person_at(site().people, request, log.id if log else "")


def given(kind: type[T]) -> T:
    """The JSON of the request. Raises: Refusal (400)."""
    try:
        return msgspec.json.decode(request.get_data(), type=kind)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise Refusal(400, "not_json", Says("this JSON is not as expected: {error}", {"error": str(error)})) from error


def at_table(given: Mapping[str, str]) -> tuple[int, int]:
    """A round and its table in a form. Raises: EventRefused."""
    round_, table = whole_of(given.get("round", "")), whole_of(given.get("table", ""))
    if round_ is None or table is None:
        raise EventRefused("name a table by its round and its number")
    return round_, table


def rendered(template: str, log: HubLog | None, **values: object) -> str:
    event = log.event if log else None
    return render_template(f"hub/{template}", log=log, event=event, **values)
