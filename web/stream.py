"""`/state` gives the newest whole view once, `/events` keeps giving it: newest wins, nothing is replayed.

A view is whole, so a phone that slept or lost the server needs only the newest one; `Last-Event-ID` is accepted and
not needed. A server notices a gone phone only when it next writes to it, and a script never sees a comment: so every
few seconds there is a comment and a ``beat`` event, by which the page knows that the silence is real.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import msgspec
from flask import Blueprint, Response, current_app, request

from companion.inputs import Door, Subscription
from companion.says import Says
from companion.view import MatchView
from web import phones
from web.refusals import Refusal
from web.words import worded

RETRY_MS = 500
STREAMS_A_PHONE = 6
"""As many as a browser opens to one host over HTTP/1.1; more from one phone is a script."""
POLL_AFTER_S = 3
"""A phone past the cap asks for `/state` this often."""

stream = Blueprint("stream", __name__)


class Streams:
    """The open streams: counted against a cap, one a page, all ended together when the server goes.

    `page` is a page's own random word: a page that reconnects replaces its older stream, which may hang half-dead.
    """

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self._lock = threading.Lock()
        self._open: dict[int, tuple[str | None, str, Subscription]] = {}
        self._taken = 0
        self._next = 0
        self._is_ending = False

    def __len__(self) -> int:
        return self._taken

    def open(self, phone: str | None, page: str, subscribe: Callable[[], Subscription]) -> tuple[int, Subscription]:
        """A numbered place and its subscription. Raises: Refusal (503) past the cap and while the server is going."""
        with self._lock:
            older = [s for p, g, s in self._open.values() if page and (p, g) == (phone, page)]
            mine = sum(p == phone for p, _, _ in self._open.values()) - len(older)
            is_full = self._taken - len(older) >= self.cap or (phone is not None and mine >= STREAMS_A_PHONE)
            if self._is_ending or is_full:
                raise Refusal(
                    503,
                    "full",
                    Says(
                        "{n} phones are connected, as many as this table serves: this one asks every few seconds.",
                        {"n": self._taken},
                    ),
                    retry_after_s=POLL_AFTER_S,
                )
            self._taken += 1
            self._next += 1
            number = self._next
        try:
            subscription = subscribe()
        except BaseException:
            with self._lock:
                self._taken -= 1
            raise
        with self._lock:
            self._open[number] = (phone, page, subscription)
            is_ending = self._is_ending
        for gone in older:
            gone.close()
        if is_ending:
            subscription.close()
        return number, subscription

    def close(self, number: int) -> None:
        """Gives a place back; once is enough, twice is harmless."""
        with self._lock:
            _, _, subscription = self._open.pop(number, (None, "", None))
            if subscription is None:
                return
            self._taken -= 1
        subscription.close()

    def end_all(self) -> None:
        """Ends every stream now and lets no new one in: each waiting `next` returns at once."""
        with self._lock:
            self._is_ending = True
            open_now = [s for _, _, s in self._open.values()]
        for subscription in open_now:
            subscription.close()


class Events:
    """One phone's stream as WSGI reads it. Its place is given back by `close`, which WSGI calls however it ends."""

    def __init__(
        self, streams: Streams, place: tuple[int, Subscription], heartbeat_s: float, event: Callable[[MatchView], bytes]
    ) -> None:
        self._streams = streams
        self._number, self._subscription = place
        self._heartbeat_s = heartbeat_s
        self._event = event
        self._is_first = True
        self._is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self._is_closed:
            raise StopIteration
        if self._is_first:
            self._is_first = False
            return f"retry: {RETRY_MS}\n\n".encode()
        view = self._subscription.next(self._heartbeat_s)
        if view is not None:
            try:
                return self._event(view)
            except Refusal:
                raise StopIteration from None
        if self._subscription.is_closed:
            raise StopIteration
        return b": still here\nevent: beat\ndata: {}\n\n"

    def close(self) -> None:
        """The phone is gone or the stream is over."""
        self._is_closed = True
        self._streams.close(self._number)


def asked_seat(door: Door) -> str | None:
    """The seat in the address, None for a watcher. Raises: Refusal (404) for a seat this table does not have."""
    seat = request.args.get("seat") or None
    if seat is not None:
        check_seat(door, seat)
    return seat


def check_seat(door: Door, seat: str) -> None:
    """Raises: Refusal (404) for a seat this table does not have."""
    seats = [s.seat for s in door.view(None).seats]
    if seat not in seats:
        says = Says(
            "There is no seat '{seat}' at this table, only {seats}.", {"seat": seat[:40], "seats": ", ".join(seats)}
        )
        raise Refusal(404, "no_such_seat", says)


class Told:
    """Views as the pages get them, as JSON: sentences in words, the seats the phone holds, the table's own clock.

    A match gives all phones of a seat (and all watchers) one and the same view, so it is put into words once for all
    of them; without this, two hundred phones cost a fifth of a second for every change.
    """

    def __init__(self, lang: str, clock: Callable[[], float]) -> None:
        self._lang = lang
        self._clock = clock
        self._newest: dict[str | None, tuple[MatchView, bytes]] = {}

    def json(self, view: MatchView, holds: tuple[str, ...]) -> bytes:
        """One JSON object without line breaks."""
        newest = self._newest.get(view.seat)
        if newest is None or newest[0] is not view:
            worded_view = msgspec.json.encode(worded(msgspec.to_builtins(view, str_keys=True), self._lang))
            self._newest[view.seat] = newest = (view, worded_view)
        own = msgspec.json.encode({"now_s": self._clock(), "holds": holds})
        return own[:-1] + b"," + newest[1][1:]


@stream.get("/state")
def state() -> Response:
    """The newest whole view; a new phone gets its secret here. Without the seat one sees what a watcher sees."""
    table = current_app.extensions["companion"]
    seat = asked_seat(table.door)
    phone = phones.phone_of(request)
    holds = table.door.seats_of(phone) if phone else ()
    if seat in holds:
        table.door.heard(seat)
    view = table.door.view(seat if seat in holds else None)
    response = Response(table.told.json(view, holds), mimetype="application/json")
    response.headers["Cache-Control"] = "no-store"
    if phone is None:
        phones.give_secret(response, table.new_secret)
    return response


@stream.get("/events")
def events() -> Response:
    """The stream of whole views, an event's id being the log's sequence number."""
    table = current_app.extensions["companion"]
    door: Door = table.door
    phone = phones.phone_of(request)
    asked = asked_seat(door)
    holds = door.seats_of(phone) if phone else ()
    seat = asked if asked in holds else None

    def event(view: MatchView) -> bytes:
        now_holds = door.seats_of(phone) if phone else ()
        if seat is not None and seat not in now_holds:
            # somebody else took the seat: its secrets are no longer for this phone; the page connects anew as watcher
            raise Refusal(403, "seat_lost", Says("This phone no longer has the seat {seat}.", {"seat": seat}))
        return b"id: %d\nevent: view\ndata: %b\n\n" % (view.seq, table.told.json(view, now_holds))

    page = request.args.get("page", "")[:40]
    place = table.streams.open(phone, page, lambda: door.subscribe(seat, phone))
    response = Response(Events(table.streams, place, table.heartbeat_s, event), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response
