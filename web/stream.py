"""`/state` gives the newest whole view once, `/events` keeps giving it: newest wins, nothing is replayed.

A view is whole, so a phone that slept or lost the server needs only the newest one; `Last-Event-ID` is accepted and
not needed. A server notices a gone phone only when it next writes to it, and a script never sees a comment: so every
few seconds there is a comment and a ``beat`` event, by which the page knows that the silence is real.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator

import msgspec
from flask import Blueprint, Response, current_app, request

from companion import cards
from companion.inputs import Door, Subscription
from companion.says import Says
from companion.view import HintsView, MatchView
from web import languages, phones
from web.guard import OWN
from web.refusals import Refusal
from web.words import ENGLISH, Said, worded

RETRY_MS = 500
STREAMS_WITHOUT_COOKIE = 8
"""Of one address; a browser has its cookie before it opens a stream."""
KEPT_FOR_SEATED = 8
"""Places that only phones with a seat may take, at most one in 25."""
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
        self.on_more: Callable[[int], None] = lambda count: None
        """Told how many streams there are whenever there is one more."""
        self._lock = threading.Lock()
        self._open: dict[int, tuple[str | None, str, Subscription]] = {}
        self._gone: dict[int, Callable[[], bool]] = {}
        self._coming: Counter[str] = Counter()
        self._taken = 0
        self._next = 0
        self._is_ending = False

    def __len__(self) -> int:
        return self._taken

    def open(
        self,
        phone: str | None,
        page: str,
        subscribe: Callable[[], Subscription],
        *,
        address: str = "",
        is_seated: bool = False,
        is_gone: Callable[[], bool] = lambda: False,
    ) -> tuple[int, Subscription]:
        """A numbered place and its subscription. Raises: Refusal (503) past the cap and while the server is going.

        `is_gone` tells whether the socket was closed; `address` stands for a phone without a cookie.
        """
        who = phone if phone is not None else f"at {address}"
        with self._lock:
            older = [s for p, g, s in self._open.values() if page and (p, g) == (who, page)]
            mine = sum(p == who for p, _, _ in self._open.values()) - len(older) + self._coming[who]
            places = self.cap if is_seated else self.cap - min(KEPT_FOR_SEATED, self.cap // 25)
            most = STREAMS_A_PHONE if phone is not None else STREAMS_WITHOUT_COOKIE
            most = self.cap if phone is None and address in OWN else most
            is_full = self._taken - len(older) >= places or mine >= most
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
            self._coming[who] += 1
            self._next += 1
            number = self._next
            count = self._taken
        self.on_more(count)
        try:
            subscription = subscribe()
        except BaseException:
            with self._lock:
                self._taken -= 1
                self._come(who)
            raise
        with self._lock:
            self._come(who)
            self._open[number] = (who, page, subscription)
            self._gone[number] = is_gone
            is_ending = self._is_ending
        for gone in older:
            gone.close()
        if is_ending:
            subscription.close()
        return number, subscription

    def _come(self, who: str) -> None:
        self._coming[who] -= 1
        if not self._coming[who]:
            del self._coming[who]

    def close(self, number: int) -> None:
        """Gives a place back; once is enough, twice is harmless."""
        with self._lock:
            _, _, subscription = self._open.pop(number, (None, "", None))
            self._gone.pop(number, None)
            if subscription is None:
                return
            self._taken -= 1
        subscription.close()

    def drop_gone(self) -> None:
        """Ends the streams whose sockets were closed: their places are free, and their seats known to be away."""
        with self._lock:
            gone = [number for number, is_gone in self._gone.items() if is_gone()]
        for number in gone:
            self.close(number)

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
        self,
        streams: Streams,
        place: tuple[int, Subscription],
        heartbeat_s: float,
        event: Callable[[MatchView | HintsView], bytes],
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
        news = self._subscription.next(self._heartbeat_s)
        if news is not None:
            try:
                return self._event(news)
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


def said_in(view: MatchView) -> Said:
    """How a match's own values are put: a letter of a seat by who sits there, cards with the signs of suits."""
    names = {seat.seat: seat.name for seat in view.seats if seat.name and len(seat.seat) == 1}
    has_cards = "melds" in view.table

    def said(value: str) -> str:
        if value in names:
            return names[value]
        return cards.shown(value) if has_cards and value not in names.values() else value

    return said


class Told:
    """Views as the pages get them, as JSON: sentences in words, the seats the phone holds, the table's own clock.

    A match gives all phones of a seat (and all watchers) one and the same view, so it is put into words once for all
    of them; without this, two hundred phones cost a fifth of a second for every change.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._newest: dict[tuple[str | None, str], tuple[MatchView, bytes]] = {}
        self._said: Said | None = None

    def hints(self, hints: HintsView | None, lang: str = ENGLISH) -> bytes:
        """A seat's hints as one JSON object, or null."""
        return msgspec.json.encode(worded(msgspec.to_builtins(hints, str_keys=True), lang, self._said))

    def json(self, view: MatchView, holds: tuple[str, ...], lang: str = ENGLISH) -> bytes:
        """One JSON object without line breaks."""
        newest = self._newest.get((view.seat, lang))
        if newest is None or newest[0] is not view:
            self._said = said_in(view)
            worded_view = msgspec.json.encode(worded(msgspec.to_builtins(view, str_keys=True), lang, self._said))
            self._newest[view.seat, lang] = newest = (view, worded_view)
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
    hints = None if view.seat is None else table.door.hints(view.seat)
    lang = languages.asked()
    whole = table.told.json(view, holds, lang)[:-1] + b',"hints":' + table.told.hints(hints, lang) + b"}"
    response = Response(whole, mimetype="application/json")
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
    lang = languages.asked()

    def event(news: MatchView | HintsView) -> bytes:
        now_holds = door.seats_of(phone) if phone else ()
        if seat is not None and seat not in now_holds:
            # somebody else took the seat: its secrets are no longer for this phone; the page connects anew as watcher
            raise Refusal(403, "seat_lost", Says("This phone no longer has the seat {seat}.", {"seat": seat}))
        if isinstance(news, HintsView):
            return b"event: hints\ndata: %b\n\n" % table.told.hints(news, lang)
        return b"id: %d\nevent: view\ndata: %b\n\n" % (news.seq, table.told.json(news, now_holds, lang))

    page = request.args.get("page", "")[:40]
    place = table.streams.open(
        phone,
        page,
        lambda: door.subscribe(seat, phone),
        address=request.remote_addr or "",
        is_seated=bool(holds),
        is_gone=request.environ.get("waitress.client_disconnected", lambda: False),
    )
    response = Response(Events(table.streams, place, table.heartbeat_s, event), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response
